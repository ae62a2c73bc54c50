/**
 * The sentences for JSON-RPC errors that a server sent (JSON-RPC 2.0, section 5.1), by what the user can do about them.
 */
import { t } from '@vscode/l10n';
import type { FailureFacts, RefusalClass } from './failureFacts.js';
import type { FailureText } from './failureShape.js';

/** A sentence without the words of the server, and one with them. */
type Sentences = [plain: (subject: string) => string, quoting: (subject: string, words: string) => string];

export const refusalTexts: { readonly [Class in RefusalClass]: FailureText<Class> } = {
  refused: {
    what: saying([
      (subject) => t('{0} refused the request without saying why.', subject),
      (subject, words) => t('{0} refused the request: {1}.', subject, words),
    ]),
    next: () => t('Its log may say more.'),
    actions: ['showLog'],
  },
  'refused-method': {
    what: (f) => passedOn(f) ?? unknownMethod(f),
    next: () => t('It may need an update, or does not offer this.'),
    actions: ['showLog'],
  },
  'refused-arguments': {
    what: saying([
      (subject) => t('{0} does not accept the arguments, without saying why.', subject),
      (subject, words) => t('{0} does not accept the arguments: {1}.', subject, words),
    ]),
    next: () => t('Correct the arguments, then run it again.'),
    actions: ['showLog'],
  },
  'refused-internal': {
    what: saying([
      (subject) => t('{0} reported an internal error without saying why.', subject),
      (subject, words) => t('{0} reported an internal error: {1}.', subject, words),
    ]),
    next: () => t('Its log may say more; a restart of the server may help.'),
    actions: ['restartServer', 'showLog'],
  },
  'refused-missing': {
    what: saying([
      (subject) => t('{0} does not have this resource.', subject),
      (subject, words) => t('{0} does not have this resource: {1}.', subject, words),
    ]),
    next: () => t('Choose one of the resources that it lists.'),
    actions: [],
  },
  'refused-declined': {
    what: saying([
      (subject) => t('{0} stopped because something it asked for was declined.', subject),
      (subject, words) => t('{0} stopped because something it asked for was declined: {1}.', subject, words),
    ]),
    next: () => t('Run it again and allow what it asks for, if you want to.'),
    actions: [],
  },
  'refused-needs-visit': {
    what: (f) => t('{0} needs a step in the browser first.', f.subject),
    next: () => t('Run it again and open the page that it names, if you trust it.'),
    actions: [],
  },
  'refused-capability': {
    what: saying([
      (subject) => t('{0} needs a capability of MCP Deck that is off.', subject),
      (subject, words) => t('{0} needs a capability of MCP Deck that is off: {1}.', subject, words),
    ]),
    next: () => t('Its documentation may say what it needs.'),
    actions: ['showLog'],
  },
};

const unknownMethod = saying([
  (subject) => t('{0} does not know this request.', subject),
  (subject, words) => t('{0} does not know this request: {1}.', subject, words),
]);

function saying([plain, quoting]: Sentences): (f: FailureFacts) => string {
  return (f) => (f.said === undefined ? plain(f.subject) : quoting(f.subject, f.said));
}

/**
 * The text for a server that passes on the refusal of its own request. The method shows this, because only clients
 * answer it.
 */
function passedOn(f: FailureFacts): string | undefined {
  const method = /\b(?:sampling\/createMessage|elicitation\/create|roots\/list)\b/.exec(f.said ?? '')?.[0];
  return method === undefined
    ? undefined
    : t('{0} could not finish, because MCP Deck refused its request "{1}".', f.subject, method);
}
