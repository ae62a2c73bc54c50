/** The sentences for definitions that cannot be used. */
import { t } from '@vscode/l10n';
import type { ConfigurationProblem, NoValueWhy } from '../../base/failureKinds.js';
import { visibleLine } from '../../base/hostileText.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindText, KindTexts } from './kindText.js';

type Facts = FailureFacts<'bad-configuration'>;

export const configurationKinds: KindTexts<'bad-configuration', ConfigurationProblem> = {
  'ca-unreadable': {
    what: (f) => t('The "caFile" of {0} could not be read: {1}.', nameOf(f), fileOf(f)),
    short: (f) => t('its "caFile" could not be read: {0}', fileOf(f)),
    next: () => t('Correct the path, or remove the field.'),
  },
  'ca-empty': {
    what: (f) => t('The "caFile" of {0} contains no certificate: {1}.', nameOf(f), f.shown('subject')),
    short: () => t('its "caFile" contains no certificate'),
    next: pemAdvice,
  },
  'ca-broken': {
    what: (f) =>
      t('The "caFile" of {0} contains a certificate that cannot be read: {1}.', nameOf(f), f.shown('subject')),
    short: () => t('its "caFile" contains a certificate that cannot be read'),
    next: pemAdvice,
  },
  'filled-length': {
    what: (f) => t('{0} cannot be started: its texts are too long after the variables are filled in.', f.subject),
    short: () => t('its texts are too long after the variables are filled in'),
    next: () => t('Use shorter values, and then start the server again.'),
  },
  'unusable-value': {
    what: unusableWhat,
    short: (f) => t('{0} {1}', placeText(f), contentText(f)),
    next: () => t('Correct the value, and then start the server again.'),
  },
  'env-file': {
    what: (f) => t('The "envFile" of {0} could not be read: {1}.', nameOf(f), fileOf(f)),
    short: (f) => t('its "envFile" could not be read: {0}', fileOf(f)),
    next: () => t('Correct the path, or create the file.'),
  },
  'no-value': {
    what: (f) => t('{0} uses {1}, which has no value. {2}', f.subject, variableOf(f), whyNoValue(f)),
    short: (f) => t('{0} has no value', variableOf(f)),
  },
  'no-input': {
    what: (f) =>
      t(
        '{0} uses {1}, but {2} has no input "{3}".',
        f.subject,
        `\${input:${f.shown('subject', 100)}}`,
        f.shown('source'),
        f.shown('subject', 100),
      ),
    short: (f) => t('there is no input "{0}"', f.shown('subject', 100)),
    next: () => t('Add the input to "inputs" in the file.'),
  },
  'plain-websocket': {
    said: (f) =>
      t('{0} would send everything in plain text, and MCP Deck allows ws: only for this machine.', f.shown('subject')),
    next: () => t('Use a URL that begins with wss:.'),
  },
  'socket-address': {
    said: (f) =>
      t('A server of type "socket" needs a URL that begins with unix: or pipe:, not "{0}".', f.shown('subject', 30)),
  },
  'websocket-address': {
    said: (f) => t('A WebSocket server needs a URL that begins with ws: or wss:, not "{0}".', f.shown('subject', 30)),
  },
  'address-no-url': address((f) => t('"{0}" is not a URL', f.shown('subject', 100))),
  'address-control': address(() => t('the URL contains a line break or another control character')),
  'address-password': address(
    () => t('the URL contains a user name or password'),
    () => t('Put credentials into "headers", where they are never logged.'),
  ),
  'address-scheme': address(
    (f) => t('the scheme "{0}" is not supported', f.shown('subject', 30)),
    () => t('The supported schemes are http, https, ws, wss, unix, and pipe.'),
  ),
  'address-percent': address(
    (f) => t('the path of a {0} URL has a % that is not followed by two hexadecimal digits', f.shown('subject', 30)),
    () => t('Write %25 for a percent sign.'),
  ),
  'address-path': address(
    (f) => t('a {0} URL needs three slashes and a path', f.shown('subject', 30)),
    () => t('An example is unix:///run/server.sock#/mcp.'),
  ),
  'header-name': {
    said: (f) => t('"{0}" is not a valid header name.', f.shown('subject', 60)),
  },
  'header-reserved': {
    said: (f) => t('The header "{0}" cannot be configured, because MCP Deck sets it.', f.shown('subject', 60)),
  },
  'header-value': {
    said: (f) =>
      t(
        'The value of the configured header "{0}" has line breaks or characters that a header cannot contain.',
        f.shown('subject', 60),
      ),
  },
  'nul-command': nul(() => t('its command or folder')),
  'nul-argument': nul((f) => t('its argument {0}', f.shown('subject', 20))),
  'nul-variable': nul((f) => t('its environment variable {0}', f.shown('subject', 80))),
  'batch-argument': {
    said: () => t('An argument with a line break or a NUL character cannot be passed to a .cmd or .bat file.'),
    next: () => t('Remove the character, or start the program directly instead of its batch file.'),
  },
  'sign-in-file': {
    what: (f) => t('The file {0} for the sign-in of {1} could not be read.', f.shown('subject'), nameOf(f)),
    short: (f) => t('the file {0} for its sign-in could not be read', f.shown('subject')),
    next: () => t('Correct the path in "oauth".'),
  },
  'debugpy-changed': {
    what: (f) => t('The "debugpyPath" of {0} has changed.', nameOf(f)),
    short: () => t('its "debugpyPath" has changed'),
    next: () => t('Debug the server again to review what would run.'),
  },
};

const noValueTexts: Readonly<Record<NoValueWhy, (f: Facts) => string>> = {
  setting: (f) => t('The setting "{0}" has no value that can be used as text.', f.shown('subject', 100)),
  environment: (f) => t('The environment variable {0} is not set.', f.shown('subject', 100)),
  'folders-same-name': (f) => t('Several workspace folders are named "{0}".', f.shown('subject', 100)),
  'no-folder-name': (f) => t('No workspace folder is named "{0}".', f.shown('subject', 100)),
  'several-folders': (f) => t('Several folders are open. Use {0}.', `\${${f.shown('variable', 100)}:name}`),
  'no-folder': () => t('No folder is open.'),
  'no-name': (f) => t('Use {0} with a name after the colon.', `\${${f.shown('subject', 100)}:…}`),
  nested: () => t('A variable cannot contain another variable, and each variable needs a closing brace.'),
  'write-env': (f) =>
    t('There is no such variable. For an environment variable, use {0}.', `\${env:${f.shown('subject', 100)}}`),
  unknown: () => t('There is no such variable.'),
};

function whyNoValue(f: Facts): string {
  const { why } = f.data;
  return why === undefined ? noValueTexts.unknown(f) : noValueTexts[why](f);
}

function variableOf(f: Facts): string {
  return `\${${f.shown('variable', 100)}}`;
}

/** The configured name of the server, for use within a sentence. */
function nameOf({ server }: Facts): string {
  return server === undefined ? t('the server') : `"${server}"`;
}

/** The file, with the error code of the system if there is one. */
function fileOf(f: Facts): string {
  const errno = f.text('errno', 40);
  return errno === undefined ? f.shown('subject') : `${f.shown('subject')} (${errno})`;
}

function pemAdvice(): string {
  return t('The file must be in PEM format and contain the certificates of the certificate authorities.');
}

function unusableWhat(f: Facts): string {
  const variables = visibleLine((f.data.variables ?? []).join(', '), 300);
  return variables === ''
    ? t('{0} cannot be started: {1} {2}.', f.subject, placeText(f), contentText(f))
    : t(
        '{0} cannot be started: {1} {2}. The value comes from {3}.',
        f.subject,
        placeText(f),
        contentText(f),
        variables,
      );
}

function placeText(f: Facts): string {
  switch (f.data.place) {
    case 'header':
      return t('the header "{0}"', f.shown('subject', 60));
    case 'environment':
      return t('the environment variable "{0}"', f.shown('subject', 60));
    case 'argument':
      return t('an item of "args"');
    case 'debugpyPath':
      return '"debugpyPath"';
    default:
      return '"command"';
  }
}

/** What is wrong with the value, as the end of a sentence. */
function contentText({ data }: Facts): string {
  switch (data.content) {
    case 'nothing':
      return t('would be empty');
    case 'nothing-or-break':
      return t('would be empty, or would contain a line break or a NUL character');
    case 'nul':
      return t('would contain a NUL character');
    default:
      return t('would contain a line break or a NUL character');
  }
}

function address(why: (f: Facts) => string, next?: () => string): KindText<'bad-configuration'> {
  return {
    what: (f) => t('The "url" of {0} cannot be used: {1}.', f.object, why(f)),
    short: (f) => t('its "url" cannot be used: {0}', why(f)),
    ...(next && { next }),
  };
}

function nul(part: (f: Facts) => string): KindText<'bad-configuration'> {
  return {
    what: (f) =>
      t(
        '{0} cannot be started: {1} contains a NUL character, which cannot be passed to a program.',
        f.subject,
        part(f),
      ),
    short: (f) => t('{0} contains a NUL character', part(f)),
    next: () => t('Remove the character from the configuration.'),
  };
}
