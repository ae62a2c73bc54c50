/**
 * The sentences for JSON-RPC errors that a server sent (JSON-RPC 2.0, section 5.1), grouped by what the user can do
 * about them.
 */
import { t } from '@vscode/l10n';
import { ProtocolError } from '../../protocol/jsonRpc.js';
import type { FailureFacts, RefusalClass } from './failureFacts.js';
import type { FailureText } from './failureShape.js';

/** A sentence without the reason that the server gave, and one with the reason. */
type Sentences = [plain: (subject: string) => string, quoting: (subject: string, words: string) => string];

export const refusalTexts: { readonly [Class in RefusalClass]: FailureText<Class> } = {
  refused: {
    what: saying([
      (subject) => t('{0} refused the request without giving a reason.', subject),
      (subject, words) => t('{0} refused the request: {1}.', subject, words),
    ]),
    next: () => t('Its log might have more details.'),
    actions: ['showLog'],
  },
  'refused-method': {
    what: (f) => passedOn(f) ?? unknownMethod(f),
    next: () => t('The server might need an update, or it does not offer this feature.'),
    actions: ['showLog'],
  },
  'refused-arguments': {
    what: saying([
      (subject) => t('{0} does not accept the arguments and gave no reason.', subject),
      (subject, words) => t('{0} does not accept the arguments: {1}.', subject, words),
    ]),
    next: ({ error }) =>
      error instanceof ProtocolError && error.takesNone === true
        ? t('The tool has no arguments, so this is probably a fault in the server. Its log might have more details.')
        : t('Correct the arguments, and then try again.'),
    actions: ['showLog'],
  },
  'refused-internal': {
    what: saying([
      (subject) => t('{0} reported an internal error without giving a reason.', subject),
      (subject, words) => t('{0} reported an internal error: {1}.', subject, words),
    ]),
    next: () => t('Its log might have more details. Restarting the server might help.'),
    actions: ['restartServer', 'showLog'],
  },
  'refused-missing': {
    what: saying([
      (subject) => t('{0} does not have this resource.', subject),
      (subject, words) => t('{0} does not have this resource: {1}.', subject, words),
    ]),
    next: () => t('Choose one of the resources that the server lists.'),
    actions: [],
  },
  'refused-declined': {
    what: saying([
      (subject) => t('{0} stopped because one of its requests was declined.', subject),
      (subject, words) => t('{0} stopped because one of its requests was declined: {1}.', subject, words),
    ]),
    next: () => t('To allow what the server requests, try again.'),
    actions: [],
  },
  'refused-needs-visit': {
    what: (f) => t('{0} requires you to complete a step in the browser first.', f.subject),
    next: () => t('Try again. If you trust the page that the server specifies, open it.'),
    actions: [],
  },
  'refused-capability': {
    what: saying([
      (subject) => t('{0} needs a client feature that is not available for this request.', subject),
      (subject, words) => t('{0} needs a client feature that is not available for this request: {1}.', subject, words),
    ]),
    next: () => t('See the documentation of the server for what it needs.'),
    actions: ['showLog'],
  },
};

const unknownMethod = saying([
  (subject) => t('{0} does not support this request.', subject),
  (subject, words) => t('{0} does not support this request: {1}.', subject, words),
]);

function saying([plain, quoting]: Sentences): (f: FailureFacts) => string {
  return (f) => (f.said === undefined ? plain(f.subject) : quoting(f.subject, f.said));
}

/**
 * The text for a server whose error only repeats that MCP Deck refused a request of that server. This is recognized by
 * the method in the error, because only clients answer these methods. Undefined for other errors.
 */
function passedOn(f: FailureFacts): string | undefined {
  const method = /\b(?:sampling\/createMessage|elicitation\/create|roots\/list)\b/.exec(f.said ?? '')?.[0];
  return method === undefined
    ? undefined
    : t('{0} could not finish, because MCP Deck refused its request "{1}".', f.subject, method);
}
