/**
 * What would let a server answer that did not: a start with one field of its definition changed, in a process of its
 * own.
 */
import { t } from '@vscode/l10n';
import type { Inspection, TrialChange } from '../catalog/inspection.js';
import type { StdioDefinition } from '../config/serverDefinition.js';
import { visibleLine } from '../base/hostileText.js';
import type { Check } from './check.js';
import { failed } from './check.js';

export interface TrialOptions {
  /** How long each of them may take, milliseconds. */
  trialMs: number;
  /** False when it is known that the server wrote something: then it can read what it is sent. */
  mayBeFraming: boolean;
  signal: AbortSignal;
}

/** Undefined where nothing that was tried helps. */
export async function tryChanges(
  inspection: Inspection,
  { trialMs, mayBeFraming, signal }: TrialOptions,
): Promise<Check | undefined> {
  const { definition } = inspection.entry;
  if (definition.type !== 'stdio') return undefined;
  for (const change of changesOf(definition, mayBeFraming)) {
    signal.throwIfAborted();
    try {
      const revision = await inspection.tryStart(change, trialMs, signal);
      const [[field, value] = ['', '']] = Object.entries(change);
      const seen = t(
        'It does not answer as it is started now. Started once more with "{0}": "{1}" it speaks revision {2}.',
        field,
        value,
        visibleLine(revision, 40),
      );
      return { ...failed('handshake', seen, t('Write "{0}": "{1}" into its definition.', field, value)), change };
    } catch {
      // It does not answer in this way either.
    }
  }
  signal.throwIfAborted();
  return undefined;
}

/** The likely ones first. */
function changesOf({ framing = 'newline', protocol = 'auto' }: StdioDefinition, mayBeFraming: boolean): TrialChange[] {
  return [
    ...(mayBeFraming ? [{ framing: framing === 'newline' ? ('content-length' as const) : ('newline' as const) }] : []),
    { protocol: protocol === 'auto' ? ('legacy' as const) : ('auto' as const) },
  ];
}
