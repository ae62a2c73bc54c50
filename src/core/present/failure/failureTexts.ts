/**
 * The texts of each class of failure: what happened, to which server, and what to do. The sentences are made from the
 * data of the failure. The message and the hint of the error are shown only if its data does not specify a kind.
 */
import { t } from '@vscode/l10n';
import { sizeText } from '../../../shared/amountText.js';
import type { CrashReport } from '../../base/crashReport.js';
import { crashReport } from '../../base/crashReport.js';
import type { HostErrorCode, HostErrorWith } from '../../base/hostError.js';
import { HostError, messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import type { AuthProblem, MissingScript } from '../../base/hostErrorData.js';
import type { FailureClass, FailureFacts } from './failureFacts.js';
import type { FailureAction, FailureText } from './failureShape.js';
import { ended } from './failureFacts.js';
import { closedKinds, sendFailedKinds, timeoutKinds } from './closedTexts.js';
import { configurationKinds } from './configurationTexts.js';
import { spawnKinds, statusKinds, unreachableKinds } from './connectionTexts.js';
import { byKind } from './kindText.js';
import { inputRefusedWhat, messageKinds, versionWhat } from './messageTexts.js';
import {
  argumentsWhat,
  listFailedWhat,
  skillFileKinds,
  unknownPromptWhat,
  unknownSkillWhat,
  unknownServerNext,
  unknownServerWhat,
  unknownToolWhat,
  unsupportedKinds,
} from './unavailableTexts.js';
import { blockedKinds, callRefusedKinds, toolChangedKinds } from './permissionTexts.js';
import { refusalTexts } from './refusalTexts.js';
import { registryKinds } from './registryTexts.js';
import { signInButtons, signInKinds, signInWhat } from './signInTexts.js';
import { handshakeKinds, handshakeProblem, notRunningKinds, notTrustedKinds, notTrustedWhy } from './startTexts.js';
import { storageNext, storageShort, storageWhat } from './storageTexts.js';

const restart: readonly FailureAction[] = ['restartServer', 'showLog'];
const seeConfiguration: readonly FailureAction[] = ['openConfiguration', 'showLog'];
/** The form that `editServer` opens shows the command and the URL. */
const editDefinition: readonly FailureAction[] = ['editServer', 'showLog'];
const log: readonly FailureAction[] = ['showLog'];
/** Maximum length of the cause of a crash in the server's line of the tree. */
const maxShortCause = 100;

export const failureTexts: { readonly [Class in FailureClass]: FailureText<Class> } = {
  timeout: byKind(timeoutKinds, (f) => f.data.why, {
    what: (f) => {
      const [method, span] = [f.text('method', 60), f.span('waitedMs')];
      return method === undefined || span === undefined
        ? f.named
        : t('{0} did not respond to {1} within {2}.', f.subject, method, span);
    },
    advice: (f) =>
      f.data.method === undefined || f.data.why !== undefined
        ? undefined
        : t('The server might be busy or stuck. Check its log, or increase its timeout.'),
    next: () => t('The server might be busy or stuck. Check its log, or increase its timeout in the configuration.'),
    short: (f) => f.span('waitedMs') && t('no response within {0}', f.span('waitedMs') ?? ''),
    actions: restart,
  }),
  closed: byKind(closedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Restart the server. Its log might show why it ended.'),
    actions: restart,
  }),
  'not-running': byKind(notRunningKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Start the server, and then try again.'),
    actions: ['startServer'],
  }),
  'not-trusted': byKind(notTrustedKinds, notTrustedWhy, {
    what: (f) => f.named,
    next: () => t('Review what the server would run, and then start it.'),
    short: (f) =>
      notTrustedWhy(f) === 'definition'
        ? t('needs your approval ({0})', f.shown('source'))
        : t('the workspace is not trusted'),
    actions: ['reviewTrust'],
  }),
  blocked: byKind(blockedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('To use the server, change the setting.'),
    actions: [],
  }),
  'needs-input': {
    what: (f) => f.about(t('Needs a value for "{0}".', f.shown('input'))),
    next: () => t('Start the server once from the Servers view, and enter the value.'),
    short: (f) => t('needs a value for "{0}"', f.shown('input')),
    actions: ['startServer'],
  },
  'call-refused': byKind(callRefusedKinds, (f) => f.data.by, {
    what: (f) => f.named,
    next: () => t('The Rules view shows the rule that denies the call.'),
    actions: ['showRules'],
  }),
  'tool-changed': byKind(toolChangedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Review the change. Then accept the change, or leave the tool in quarantine.'),
    actions: ['reviewChange'],
  }),
  'spawn-failed': byKind(spawnKinds, (f) => f.data.why, {
    what: (f) => t('{0} could not be started. {1}', f.subject, f.detail),
    next: () => t('Check the spelling of the command, install the program, or enter its full path.'),
    short: (f) => {
      const command = f.text('command', 80);
      if (command !== undefined && f.data.errno === 'ENOENT') return t('command not found: {0}', command);
      return command !== undefined && f.data.errno === 'EACCES' ? t('not allowed to run: {0}', command) : undefined;
    },
    actions: editDefinition,
  }),
  exited: {
    what: (f) => exitedWhat(f, missingFileText(f) ?? crashOf(f).cause),
    advice: (f) => {
      const { variable } = crashOf(f);
      if (f.data.missing) return missingFileAdvice(f.data.missing);
      if (variable !== undefined)
        return t('Set {0} in the environment of the server, and then start the server again.', variable);
      return f.data.crashes === undefined ? undefined : t('Check the log of the server, and then start it manually.');
    },
    next: () => t('See the log of the server for details.'),
    short: (f) => {
      const [signal, code] = [f.text('signal', 20), f.number('code')];
      const { cause } = f;
      if (hasNoProcess(cause)) return textsOf(cause).short?.(f.of(cause));
      if (signal === undefined && code === undefined) return undefined;
      const { missing } = f.data;
      const said = missing ? t('file not found: {0}', missing.file) : crashOf(f).cause;
      if (said === undefined)
        return signal === undefined ? t('exited with code {0}', code ?? 0) : t('ended by {0}', signal);
      // The cause is first, because a narrow view cuts the end.
      const words = visibleLine(said.length > maxShortCause ? `${said.slice(0, maxShortCause)}…` : said);
      return signal === undefined
        ? t('{0} (exited with code {1})', words, code ?? 0)
        : t('{0} (ended by {1})', words, signal);
    },
    actions: ['tryAgain', 'showLog', 'diagnoseServer'],
    buttons: (f) => {
      if (f.data.missing) return ['editServer', 'tryAgain', 'showLog', 'diagnoseServer'];
      return crashOf(f).variable === undefined ? undefined : ['setSecret', 'editServer', 'showLog', 'diagnoseServer'];
    },
  },
  'input-refused': {
    what: (f) => inputRefusedWhat(f) ?? f.named,
    advice: () =>
      t('The server cannot finish this request without the input. See its documentation for what it needs.'),
    next: () => t('See the documentation of the server for what it needs.'),
    actions: log,
  },
  'handshake-failed': byKind(handshakeKinds, handshakeProblem, {
    what: (f) => f.named,
    next: () => t('Check the log, and make sure that this is an MCP server.'),
    actions: restart,
  }),
  'unsupported-version': {
    what: (f) => versionWhat(f) ?? f.named,
    advice: () => t('Update the server or MCP Deck.'),
    next: () => t('Update the server or MCP Deck.'),
    short: () => t('no common protocol revision'),
    actions: log,
  },
  'invalid-message': byKind(messageKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('This is a fault in the server. Its log might have more details.'),
    actions: log,
  }),
  'too-large': {
    what: (f) => {
      const [limit, app] = [f.number('limitBytes'), f.text('app', 120)];
      const values = f.number('limitValues');
      if (limit === undefined) return f.named;
      if (values !== undefined)
        return t('{0} sent a message with more than {1} values.', f.subject, values.toLocaleString('en'));
      const names = f.number('limitNames');
      if (names !== undefined)
        return t('{0} sent a message with more than {1} property names.', f.subject, names.toLocaleString('en'));
      return app === undefined
        ? t('{0} sent a message that is larger than the limit of {1}.', f.subject, sizeText(limit))
        : f.about(t('The app "{0}" is larger than {1}.', app, sizeText(limit)));
    },
    advice: ({ data }) =>
      data.app === undefined && data.limitNames === undefined
        ? t(
            'If the server is meant to send messages of this size, increase the setting "mcpDeck.limits.maxMessageBytes".',
          )
        : t('This is a fault in the server. Its log might have more details.'),
    next: ({ data }) =>
      data.limitNames === undefined
        ? t(
            'If the server is meant to send messages of this size, increase the setting "mcpDeck.limits.maxMessageBytes".',
          )
        : t('The limit cannot be changed. Report this to the author of the server.'),
    short: () => t('sent a message above the size limit'),
    actions: log,
  },
  'send-failed': byKind(sendFailedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Restart the server, and then try again.'),
    actions: restart,
  }),
  'http-status': byKind(statusKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Check the URL of the server in the configuration. The log might have more details.'),
    short: (f) => {
      const status = f.number('status');
      return status === undefined ? undefined : t('HTTP status {0}', status);
    },
    actions: editDefinition,
  }),
  'session-expired': {
    what: (f) => {
      const method = f.text('method', 60);
      return method === undefined
        ? t('{0} has ended the session.', f.subject)
        : t('{0} has ended the session, and {1} was not processed.', f.subject, method);
    },
    next: () => t('Try again. If the problem recurs, restart the server.'),
    actions: restart,
  },
  'auth-required': byKind<'auth-required', AuthProblem>(signInKinds, (f) => f.data.problem, {
    what: (f) => signInWhat(f) ?? f.named,
    advice: (f) =>
      f.data.place === undefined ? undefined : t('Sign in to this server, or configure its credentials.'),
    next: () => t('Sign in to this server, or configure its credentials.'),
    short: (f) => (f.data.problem === undefined ? t('needs a sign-in') : undefined),
    actions: ['signIn'],
    buttons: signInButtons,
  }),
  'auth-failed': byKind<'auth-failed', AuthProblem>(signInKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('Sign in again. The sign-in trace shows where the sign-in stopped.'),
    actions: ['signIn', 'showSignInTrace'],
    buttons: signInButtons,
  }),
  'connection-refused': byKind(unreachableKinds, (f) => f.data.why, {
    what: (f) => t('{0} cannot be reached. {1}', f.subject, f.detail),
    next: () => t('Check the URL, the network, and the proxy, and then start the server again.'),
    short: (f) => {
      if (f.data.errno === 'ECONNREFUSED') return t('connection refused');
      return f.data.errno === 'ENOTFOUND' || f.data.errno === 'EAI_AGAIN'
        ? t('host not found')
        : t('cannot be reached');
    },
    actions: editDefinition,
  }),
  'bad-configuration': byKind(configurationKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('Correct the configuration, and then start the server again.'),
    actions: seeConfiguration,
  }),
  'registry-failed': byKind(registryKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('Report the problem to the operator of the registry.'),
    actions: [],
  }),
  'unknown-server': { what: unknownServerWhat, next: unknownServerNext, actions: [] },
  'unknown-tool': {
    what: (f) => unknownToolWhat(f) ?? f.named,
    advice: ({ data }) =>
      data.tool === undefined ? undefined : t('Run "MCP Deck: Run Tool…" to see the available tools.'),
    next: () => t('Choose one of the tools that the server lists.'),
    actions: [],
  },
  'unknown-skill': {
    what: (f) => unknownSkillWhat(f) ?? f.named,
    next: () => t('Choose one of the skills that the server lists, or correct the URI.'),
    actions: [],
  },
  'unknown-prompt': {
    what: (f) => unknownPromptWhat(f) ?? f.named,
    next: () => t('Choose one of the prompts that the server lists.'),
    actions: [],
  },
  'list-failed': {
    what: (f) => listFailedWhat(f) ?? f.named,
    next: () =>
      t(
        'Run "MCP Deck: Refresh Tools, Resources, and Prompts", or restart the server. Its log might have more details.',
      ),
    actions: restart,
  },
  unsupported: byKind(unsupportedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Choose an item that is listed under the server in the Servers view.'),
    actions: [],
  }),
  'invalid-arguments': {
    what: (f) => argumentsWhat(f) ?? f.named,
    next: () => t('Correct the arguments, and then try again.'),
    actions: [],
  },
  'too-many-rounds': {
    what: (f) =>
      t(
        '{0} asked for input {1} times without finishing {2}.',
        f.subject,
        f.number('rounds') ?? 0,
        f.shown('method', 60),
      ),
    next: () => t('The log of the server might show what the server is waiting for.'),
    actions: log,
  },
  'verification-failed': byKind(skillFileKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Do not use the skill until you know why the file differs.'),
    actions: log,
  }),
  'storage-failed': { what: storageWhat, next: storageNext, short: storageShort, actions: log },
  internal: {
    what: ownFault,
    next: () => t('This is a bug in MCP Deck. If you report it, include the MCP Deck log.'),
    actions: log,
  },
  unexpected: {
    what: ownFault,
    next: () => t('This is a bug in MCP Deck. If you report it, include the MCP Deck log.'),
    actions: log,
  },
  ...refusalTexts,
};

function ownFault(f: FailureFacts): string {
  const words = ended(messageOf(f.error));
  return words === '' ? t('The action failed.') : t('The action failed: {0}', words);
}

type KnownFailure = HostErrorWith<Exclude<HostErrorCode, 'cancelled' | 'exited'>>;

/**
 * The text of the failure that ended a server that has no process and is not started again. Undefined for a server with
 * a process.
 */
function causeOf(f: FailureFacts<'exited'>): string | undefined {
  const { cause } = f;
  return hasNoProcess(cause) ? textsOf(cause).what(f.of(cause)) : undefined;
}

function hasNoProcess(cause: unknown): cause is KnownFailure {
  return cause instanceof HostError && cause.code !== 'exited' && cause.code !== 'cancelled';
}

function textsOf({ code }: KnownFailure): FailureText {
  return failureTexts[code];
}

/**
 * How a process ended and how often.
 * @param cause the end of the sentence; if it is absent, the sentence states no cause.
 */
export function exitedWhat(f: FailureFacts<'exited'>, cause?: string): string {
  const [end, times, minutes] = [causeOf(f) ?? exitOf(f, cause), f.number('crashes'), f.number('minutes')];
  if (end === undefined) return f.named;
  return times === undefined || minutes === undefined
    ? end
    : t('{0} The server ended {1} times within {2} minutes, so MCP Deck does not start it again.', end, times, minutes);
}

/** How a process ended; undefined if neither exit code nor signal is known. */
function exitOf(f: FailureFacts<'exited'>, cause: string | undefined): string | undefined {
  const [signal, code] = [f.text('signal', 20), f.number('code')];
  if (signal === undefined && code === undefined) return undefined;
  const how =
    signal === undefined
      ? t('{0} exited with code {1}', f.subject, code ?? 0)
      : t('{0} was ended by {1}', f.subject, signal);
  if (cause !== undefined && cause !== '') return `${how}${whenOf(f)}: ${ended(cause)}`;
  return f.data.wrote === false ? t('{0}{1} without any output.', how, whenOf(f)) : `${how}${whenOf(f)}.`;
}

/** The sentence about a file in the arguments that does not exist; undefined if all files exist. */
export function missingFileText({ data }: FailureFacts<'exited'>): string | undefined {
  return data.missing && t('{0} does not exist.', visibleLine(data.missing.file, 400));
}

function missingFileAdvice({ argument, cwd, near }: MissingScript): string {
  const where =
    argument === undefined || cwd === undefined
      ? ''
      : `${t('"{0}" is relative to the folder {1}.', visibleLine(argument, 200), visibleLine(cwd, 400))} `;
  return near === undefined
    ? `${where}${t('Correct the path in the arguments, or build the server.')}`
    : `${where}${t('Did you mean {0}? Correct the path in the arguments.', visibleLine(near, 400))}`;
}

/** The cause of the process's end according to its error output. */
function crashOf({ data }: FailureFacts<'exited'>): CrashReport {
  return data.report ?? crashReport(data.stderr ?? []);
}

/**
 * The phrase that states whether the process ended before or after the handshake. Empty unless the exit code is 0,
 * because other exit codes already indicate an error.
 */
function whenOf(f: FailureFacts<'exited'>): string {
  const { phase, signal } = f.data;
  if (f.number('code') !== 0 || typeof signal === 'string') return '';
  if (phase === 'start') return t(' before the handshake was complete');
  return phase === 'running' ? t(' after the handshake') : '';
}
