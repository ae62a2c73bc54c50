/** The sentences for calls that the user, a rule or the quarantine of a changed tool prevents. */
import { t } from '@vscode/l10n';
import type { CallRefusedBy, ToolChange } from '../../base/failureKinds.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindText, KindTexts } from './kindText.js';

export const callRefusedKinds: KindTexts<'call-refused', CallRefusedBy> = {
  user: {
    what: (f) => t('You denied the call to "{0}" on {1}.', tool(f), serverOf(f)),
    short: (f) => t('You denied the call to "{0}"', tool(f)),
    next: () => t('MCP Deck asks again next time.'),
  },
  rule: {
    what: (f) => t('A rule denies the call to "{0}" on {1}: {2}.', tool(f), serverOf(f), f.shown('rule', 400)),
    short: (f) => t('A rule denies the call to "{0}"', tool(f)),
    next: () => t('Change or remove the rule in the Rules view.'),
  },
};

export const toolChangedKinds: KindTexts<'tool-changed', ToolChange> = {
  changed: quarantined((name) => t('The tool "{0}" differs from the tool that you approved.', name)),
  unhashable: quarantined((name) =>
    t('The definition of the tool "{0}" cannot be compared with the tool that you approved.', name),
  ),
  unreadable: quarantined((name) => t('The record of your approval of the tool "{0}" cannot be read.', name)),
  gone: quarantined((name) => t('The server no longer lists the approved tool "{0}".', name)),
};

function quarantined(why: (name: string) => string): KindText<'tool-changed'> {
  return {
    said: (f) => why(tool(f)),
    next: () =>
      t('The tool cannot run until you review the change. Accept the change, or leave the tool in quarantine.'),
  };
}

function serverOf({ server }: FailureFacts<'call-refused'>): string {
  return server === undefined ? t('the server') : `"${server}"`;
}

function tool(f: FailureFacts<'call-refused' | 'tool-changed'>): string {
  return f.shown('tool', 120);
}
