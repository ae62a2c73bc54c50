/**
 * The sentences for failures before a session exists: the server is not running, must not be started, or refuses the
 * handshake.
 */
import { t } from '@vscode/l10n';
import type { HandshakeProblem, NotRunningWhy, NotTrustedWhy } from '../../base/failureKinds.js';
import { firstSentence } from '../text/lines.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindTexts } from './kindText.js';
import { revisionsText } from './messageTexts.js';

export const notRunningKinds: KindTexts<'not-running', NotRunningWhy> = {
  disabled: {
    what: (f) => t('{0} is disabled.', f.subject),
    short: () => t('is disabled'),
    next: () => t('Enable the server first.'),
  },
  idle: {
    what: (f) => t('{0} is not running, so it cannot receive messages.', f.subject),
    short: () => t('is not running'),
    next: () => t('Start the server first.'),
  },
  ended: {
    what: (f) => t('You stopped {0}.', f.object),
    short: () => t('was stopped'),
    next: () => t('Start the server first.'),
  },
  stopped: {
    what: (f) => t('{0} stopped before the request was sent.', f.subject),
    short: () => t('stopped before the request was sent'),
  },
};

export const notTrustedKinds: KindTexts<'not-trusted', NotTrustedWhy> = {
  workspace: {
    said: () => t('This workspace is not trusted.'),
    next: () => t('Trust the workspace to start its servers.'),
  },
  definition: { said: (f) => t('Needs your approval ({0}).', f.shown('source')) },
};

/** Whether the workspace or the definition needs an approval. Undefined if the data names neither. */
export function notTrustedWhy({ data }: FailureFacts<'not-trusted'>): NotTrustedWhy | undefined {
  if (data.isWorkspace === true) return 'workspace';
  return data.source === undefined ? undefined : 'definition';
}

export const handshakeKinds: KindTexts<'handshake-failed', HandshakeProblem> = {
  refused: {
    what: (f) =>
      f.said === undefined
        ? t('{0} refused to start a session without giving a reason.', f.subject)
        : t('{0} refused to start a session: {1}.', f.subject, f.said),
    short: (f) => firstSentence(f.said ?? '', 100) ?? t('refused to start a session'),
    next: () => t('Its log might show the reason.'),
  },
  revisions: {
    what: (f) => t('{0} responds to server/discover and supports only {1}.', f.subject, revisionsText(f.data.theirs)),
    short: (f) => t('responds to server/discover and supports only {0}', revisionsText(f.data.theirs)),
  },
  capabilities: {
    what: (f) => t('The response of {0} to {1} has no "capabilities" object.', f.object, f.shown('method', 60)),
    short: (f) => t('The server\'s response to {0} has no "capabilities" object', f.shown('method', 60)),
    next: serverFault,
  },
  supportedVersions: {
    what: (f) => t('The response of {0} to {1} specifies no protocol revision.', f.object, f.shown('method', 60)),
    short: (f) => t("The server's response to {0} specifies no protocol revision", f.shown('method', 60)),
    next: serverFault,
  },
};

/** The kind of a failed handshake; undefined if the data states none. */
export function handshakeProblem(f: FailureFacts<'handshake-failed'>): HandshakeProblem | undefined {
  // The server's own text may be a stack or a code, so it is shortened and not used as the message.
  if (f.isRefusal) return 'refused';
  return Array.isArray(f.data.theirs) ? 'revisions' : f.data.field;
}

function serverFault(): string {
  return t('This is a fault in the server.');
}
