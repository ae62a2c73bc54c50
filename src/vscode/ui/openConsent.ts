import type { DisposableStore } from '../../core/base/disposable.js';
import { messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import { AuditLog } from '../../core/consent/auditLog.js';
import { RuleBook } from '../../core/consent/ruleBook.js';
import { ScopedPins, ToolPins } from '../../core/consent/toolPins.js';
import { ToolConsent } from '../../core/consent/toolConsent.js';
import type { StateStore } from '../../core/base/stores.js';
import type { RequestQueue } from '../../core/requests/requestQueue.js';
import { VsCodeRuleSettings } from '../adapters/ruleSettings.js';
import { AuditFolder } from './auditFolder.js';
import { CallPrompt } from './callDialog.js';

/** The objects that decide about tool calls. */
export interface Consent {
  readonly calls: ToolConsent;
  readonly rules: RuleBook;
  readonly pins: ScopedPins;
  readonly audit: AuditLog;
  readonly auditFolder: AuditFolder;
  /** IDs of the servers whose tool annotations the user trusts. */
  trustedAnnotations(): readonly string[];
}

/** Opens the audit log and the folder of its files. */
export function openAudit(folder: string, log: Log, store: DisposableStore): Pick<Consent, 'audit' | 'auditFolder'> {
  const auditFolder = new AuditFolder(folder);
  const audit = store.add(
    new AuditLog(auditFolder, (error) => log.write('warn', `The audit log could not be written: ${messageOf(error)}`)),
  );
  return { audit, auditFolder };
}

export function openConsent({
  state,
  userState,
  queue,
  audit: { audit, auditFolder },
  store,
}: {
  state: StateStore;
  /** Stores the user's values that apply to all workspaces. */
  userState: StateStore;
  queue: RequestQueue;
  audit: Pick<Consent, 'audit' | 'auditFolder'>;
  store: DisposableStore;
}): Consent {
  const settings = store.add(new VsCodeRuleSettings());
  const rules = store.add(new RuleBook(settings, state));
  const pins = new ScopedPins(new ToolPins(state), new ToolPins(userState));
  const calls = store.add(
    new ToolConsent({
      rules,
      pins,
      audit,
      asker: new CallPrompt(queue),
      trustedAnnotations: () => settings.trustedAnnotations(),
    }),
  );
  return { calls, rules, pins, audit, auditFolder, trustedAnnotations: () => settings.trustedAnnotations() };
}
