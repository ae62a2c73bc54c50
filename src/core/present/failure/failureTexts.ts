/**
 * What a person reads when something fails, for each class of failure: what happened, to which server, what to do. The
 * sentences are made from the data of the failure; only one without data shows its own message and its own hint.
 */
import { t } from '@vscode/l10n';
import type { HostErrorCode, HostErrorWith } from '../../base/hostError.js';
import { HostError, messageOf } from '../../base/hostError.js';
import type { AuthProblem } from '../../base/hostErrorData.js';
import type { FailureClass, FailureFacts } from './failureFacts.js';
import type { FailureAction, FailureText } from './failureShape.js';
import { ended } from './failureFacts.js';
import { firstSentence } from '../text/lines.js';
import {
  callRefusedAdvice,
  callRefusedWhat,
  closedAdvice,
  closedWhat,
  handshakeShort,
  handshakeWhat,
  needsInputWhat,
  notRunningAdvice,
  notRunningWhat,
  notTrustedAdvice,
  notTrustedWhat,
  sessionExpiredWhat,
  toolChangedWhat,
  tooManyRoundsWhat,
  unknownServerAdvice,
  unknownServerWhat,
  unknownToolWhat,
} from './sentences.js';
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
  unsupportedKinds,
} from './offerTexts.js';
import { signInKinds, signInWhat } from './signInFailures.js';
import { storageNext, storageShort, storageWhat } from './storageTexts.js';

const restart: readonly FailureAction[] = ['restartServer', 'showLog'];
const seeConfiguration: readonly FailureAction[] = ['openConfiguration', 'showLog'];
const log: readonly FailureAction[] = ['showLog'];

export const failureTexts: { readonly [Class in FailureClass]: FailureText<Class> } = {
  timeout: byKind(timeoutKinds, (f) => f.data.why, {
    what: (f) => {
      const [method, span] = [f.text('method', 60), f.span('waitedMs')];
      return method === undefined || span === undefined
        ? f.named
        : t('{0} did not answer {1} within {2}.', f.subject, method, span);
    },
    advice: (f) =>
      f.data.method === undefined || f.data.why !== undefined
        ? undefined
        : t('The server may be busy or stuck: look at its log, or raise its timeout.'),
    next: () => t('It may be busy or stuck: look at its log, or raise its timeout in the configuration.'),
    short: (f) => f.span('waitedMs') && t('no answer within {0}', f.span('waitedMs') ?? ''),
    actions: restart,
  }),
  closed: byKind(closedKinds, (f) => f.data.why, {
    what: (f) => closedWhat(f) ?? f.named,
    advice: closedAdvice,
    next: () => t('Restart the server; its log may say why it ended.'),
    actions: restart,
  }),
  'not-running': {
    what: (f) => notRunningWhat(f) ?? f.named,
    advice: notRunningAdvice,
    next: () => t('Start the server, then try again.'),
    actions: ['startServer'],
  },
  'not-trusted': {
    what: (f) => notTrustedWhat(f) ?? f.named,
    advice: notTrustedAdvice,
    next: () => t('Review what it would run, then start it.'),
    // The caller knows whether the workspace or the server is in question.
    actions: ['reviewTrust'],
  },
  'needs-input': {
    what: (f) => needsInputWhat(f) ?? f.named,
    next: () => t('Start it by hand once, and enter the value.'),
    actions: ['startServer'],
  },
  'call-refused': {
    what: (f) => callRefusedWhat(f) ?? f.named,
    advice: callRefusedAdvice,
    next: () => t('The Rules view shows its rule; a question that was answered with no is asked again next time.'),
    actions: ['showRules'],
  },
  'tool-changed': {
    what: (f) => toolChangedWhat(f) ?? f.named,
    next: () => t('Review the change, then accept it or leave the tool in quarantine.'),
    actions: ['reviewChange'],
  },
  'spawn-failed': byKind(spawnKinds, (f) => f.data.why, {
    what: (f) => t('{0} could not be started. {1}', f.subject, f.detail),
    next: () => t('Correct its command in the configuration, then start it again.'),
    short: (f) => {
      const command = f.text('command', 80);
      if (command !== undefined && f.data.errno === 'ENOENT') return t('command not found: {0}', command);
      return command !== undefined && f.data.errno === 'EACCES' ? t('not allowed to run: {0}', command) : undefined;
    },
    actions: seeConfiguration,
  }),
  exited: {
    what: (f) => {
      const [end, times, minutes] = [causeOf(f) ?? exitOf(f), f.number('crashes'), f.number('minutes')];
      if (end === undefined) return f.named;
      return times === undefined || minutes === undefined
        ? end
        : t('{0} It ended {1} times within {2} minutes and is not started again.', end, times, minutes);
    },
    advice: ({ data }) => (data.crashes === undefined ? undefined : t('Look at its log, then start it by hand.')),
    next: () => t('See the log of the server for details.'),
    short: (f) => {
      const [signal, code] = [f.text('signal', 20), f.number('code')];
      const { cause } = f;
      if (hasNoProcess(cause)) return textOf(cause).short?.(f.of(cause));
      if (signal !== undefined) return t('ended by {0}', signal);
      return code === undefined ? undefined : t('exited with code {0}', code);
    },
    actions: restart,
  },
  'input-refused': {
    what: (f) => inputRefusedWhat(f) ?? f.named,
    advice: () => t('The server cannot finish this request without it; its documentation may say what it needs.'),
    next: () => t('Its documentation may say what it needs.'),
    actions: log,
  },
  'handshake-failed': {
    what: (f) => {
      // What the server itself said may be a stack or a code.
      if (!f.isRefusal) return handshakeWhat(f) ?? f.named;
      return f.said === undefined
        ? t('{0} refused to start a session without saying why.', f.subject)
        : t('{0} refused to start a session: {1}.', f.subject, f.said);
    },
    advice: (f) => {
      if (f.isRefusal) return t('Its log may say why.');
      return f.data.field === undefined ? undefined : t('This is a fault of the server.');
    },
    next: () => t('Look at its log, and check that it is an MCP server.'),
    short: (f) => (f.isRefusal && f.said !== undefined ? firstSentence(f.said, 100) : handshakeShort(f)),
    actions: restart,
  },
  'unsupported-version': {
    what: (f) => versionWhat(f) ?? f.named,
    advice: () => t('Update the server, or MCP Deck.'),
    next: () => t('Update the server, or MCP Deck.'),
    short: () => t('no protocol revision in common'),
    actions: log,
  },
  'invalid-message': byKind(messageKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('This is a fault of the server: its log may say more.'),
    actions: log,
  }),
  'too-large': {
    what: (f) => {
      const [limit, app] = [f.number('limitBytes'), f.text('app', 120)];
      const values = f.number('limitValues');
      if (limit === undefined) return f.named;
      if (values !== undefined)
        return t('{0} sent a message with more than {1} values.', f.subject, values.toLocaleString('en'));
      return app === undefined
        ? t('{0} sent a message that is larger than the limit of {1}.', f.subject, sizeText(limit))
        : f.about(t('The app "{0}" is larger than {1}.', app, sizeText(limit)));
    },
    advice: ({ data }) =>
      data.app === undefined
        ? t('Raise the setting mcpDeck.limits.maxMessageBytes if the server is meant to send this much.')
        : t('This is a fault of the server: its log may say more.'),
    next: () => t('Raise the setting mcpDeck.limits.maxMessageBytes if the server is meant to send this much.'),
    short: () => t('sent a message above the size limit'),
    actions: log,
  },
  'send-failed': byKind(sendFailedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Restart the server, then try again.'),
    actions: restart,
  }),
  'http-status': byKind(statusKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Check its address in the configuration; the log may say more.'),
    short: (f) => {
      const status = f.number('status');
      return status === undefined ? undefined : t('HTTP status {0}', status);
    },
    actions: seeConfiguration,
  }),
  'session-expired': {
    what: (f) => sessionExpiredWhat(f) ?? f.named,
    next: () => t('Try again; if it happens once more, restart the server.'),
    actions: restart,
  },
  'auth-required': byKind<'auth-required', AuthProblem>(signInKinds, (f) => f.data.problem, {
    what: (f) => signInWhat(f) ?? f.named,
    advice: (f) =>
      f.data.place === undefined ? undefined : t('Sign in to this server, or configure its credentials.'),
    next: () => t('Sign in to this server, or configure its credentials.'),
    short: () => t('needs a sign-in'),
    actions: ['signIn'],
  }),
  'auth-failed': byKind<'auth-failed', AuthProblem>(signInKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('Sign in again; the sign-in trace shows where it stopped.'),
    actions: ['signIn', 'showSignInTrace'],
  }),
  'connection-refused': byKind(unreachableKinds, (f) => f.data.why, {
    what: (f) => t('{0} cannot be reached. {1}', f.subject, f.detail),
    next: () => t('Check its address, the network and the proxy, then start it again.'),
    short: (f) => {
      if (f.data.errno === 'ECONNREFUSED') return t('connection refused');
      return f.data.errno === 'ENOTFOUND' || f.data.errno === 'EAI_AGAIN'
        ? t('host not found')
        : t('cannot be reached');
    },
    actions: seeConfiguration,
  }),
  'bad-configuration': byKind(configurationKinds, (f) => f.data.problem, {
    what: (f) => f.named,
    next: () => t('Correct the configuration, then start it again.'),
    actions: seeConfiguration,
  }),
  'unknown-server': {
    what: (f) => unknownServerWhat(f) ?? f.detail,
    advice: unknownServerAdvice,
    next: () => t('Choose one of the servers in the Servers view.'),
    actions: [],
  },
  'unknown-tool': {
    what: (f) => unknownToolWhat(f) ?? f.named,
    advice: ({ data }) =>
      data.tool === undefined ? undefined : t('Run "MCP Deck: Run Tool…" to see the tools there are.'),
    next: () => t('Choose one of the tools that it lists.'),
    actions: [],
  },
  'unknown-skill': {
    what: (f) => unknownSkillWhat(f) ?? f.named,
    next: () => t('Choose one of the skills that it lists, or correct the address.'),
    actions: [],
  },
  'unknown-prompt': {
    what: (f) => unknownPromptWhat(f) ?? f.named,
    next: () => t('Choose one of the prompts that it lists.'),
    actions: [],
  },
  'list-failed': {
    what: (f) => listFailedWhat(f) ?? f.named,
    next: () => t('List again, or restart the server; its log may say more.'),
    actions: restart,
  },
  unsupported: byKind(unsupportedKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Use what it lists in the Servers view.'),
    actions: [],
  }),
  'invalid-arguments': {
    what: (f) => argumentsWhat(f) ?? f.named,
    next: () => t('Correct the arguments, then run it again.'),
    actions: [],
  },
  'too-many-rounds': {
    what: (f) => tooManyRoundsWhat(f) ?? f.named,
    next: () => t('Its log may say what it is waiting for.'),
    actions: log,
  },
  'verification-failed': byKind(skillFileKinds, (f) => f.data.why, {
    what: (f) => f.named,
    next: () => t('Do not use it before you know why it differs.'),
    actions: log,
  }),
  'storage-failed': { what: storageWhat, next: storageNext, short: storageShort, actions: log },
  internal: {
    what: ownFault,
    next: () => t('This is a fault of MCP Deck: its log has what a report needs.'),
    actions: log,
  },
  unexpected: {
    what: ownFault,
    next: () => t('This is a fault of MCP Deck: its log has what a report needs.'),
    actions: log,
  },
  refused: {
    what: (f) =>
      f.said === undefined
        ? t('{0} refused the request without saying why.', f.subject)
        : t('{0} refused the request: {1}.', f.subject, f.said),
    next: () => t('Its log may say more.'),
    actions: log,
  },
  'refused-method': {
    what: (f) =>
      refusedHere(f) ??
      (f.said === undefined
        ? t('{0} does not know this request.', f.subject)
        : t('{0} does not know this request: {1}.', f.subject, f.said)),
    next: () => t('It may need an update, or does not offer this.'),
    actions: log,
  },
  'refused-arguments': {
    what: (f) =>
      f.said === undefined
        ? t('{0} does not accept the arguments, without saying why.', f.subject)
        : t('{0} does not accept the arguments: {1}.', f.subject, f.said),
    next: () => t('Correct the arguments, then run it again.'),
    actions: log,
  },
  'refused-internal': {
    what: (f) =>
      f.said === undefined
        ? t('{0} failed inside without saying why.', f.subject)
        : t('{0} failed inside: {1}.', f.subject, f.said),
    next: () => t('Its log may say more; a restart of the server may help.'),
    actions: restart,
  },
  'refused-missing': {
    what: (f) =>
      f.said === undefined
        ? t('{0} does not have this resource.', f.subject)
        : t('{0} does not have this resource: {1}.', f.subject, f.said),
    next: () => t('Choose one of the resources that it lists.'),
    actions: [],
  },
  'refused-declined': {
    what: (f) =>
      f.said === undefined
        ? t('{0} stopped because something it asked for was declined.', f.subject)
        : t('{0} stopped because something it asked for was declined: {1}.', f.subject, f.said),
    next: () => t('Run it again and allow what it asks for, if you want to.'),
    actions: [],
  },
  'refused-needs-visit': {
    what: (f) => t('{0} needs a step in the browser first.', f.subject),
    next: () => t('Run it again and open the page that it names, if you trust it.'),
    actions: [],
  },
  'refused-capability': {
    what: (f) =>
      f.said === undefined
        ? t('{0} needs something of MCP Deck that is not switched on.', f.subject)
        : t('{0} needs something of MCP Deck that is not switched on: {1}.', f.subject, f.said),
    next: () => t('Its documentation may say what it needs.'),
    actions: log,
  },
};

function ownFault(f: FailureFacts): string {
  const words = ended(messageOf(f.error));
  return words === '' ? t('That did not work.') : t('That did not work: {0}', words);
}

/** A server that passes on the refusal of its own request: the method that it names is one that only clients answer. */
function refusedHere(f: FailureFacts): string | undefined {
  const method = /\b(?:sampling\/createMessage|elicitation\/create|roots\/list)\b/.exec(f.said ?? '')?.[0];
  return method === undefined
    ? undefined
    : t('{0} could not finish, because MCP Deck refused "{1}", which it had asked for.', f.subject, method);
}

type KnownFailure = HostErrorWith<Exclude<HostErrorCode, 'cancelled' | 'exited'>>;

/** What ended a server that has no process, where it is not started again. */
function causeOf(f: FailureFacts<'exited'>): string | undefined {
  const { cause } = f;
  return hasNoProcess(cause) ? textOf(cause).what(f.of(cause)) : undefined;
}

function hasNoProcess(cause: unknown): cause is KnownFailure {
  return cause instanceof HostError && cause.code !== 'exited' && cause.code !== 'cancelled';
}

function textOf({ code }: KnownFailure): FailureText {
  return failureTexts[code];
}

/** How a process ended, with the last that it said; undefined when nobody knows. */
function exitOf(f: FailureFacts<'exited'>): string | undefined {
  const [signal, code, stderr] = [f.text('signal', 20), f.number('code'), f.data.stderr];
  if (signal === undefined && code === undefined) return undefined;
  const how =
    signal === undefined
      ? t('{0} exited with code {1}', f.subject, code ?? 0)
      : t('{0} was ended by {1}', f.subject, signal);
  const last = stderr?.at(-1);
  if (last !== undefined && last !== '') return `${how}${whenOf(f)}: ${ended(last)}`;
  return f.data.wrote === false ? t('{0}{1} and wrote nothing.', how, whenOf(f)) : `${how}${whenOf(f)}.`;
}

/** Whether it ended before or after the handshake: an exit with code 0 says nothing else. */
function whenOf(f: FailureFacts<'exited'>): string {
  const { phase, signal } = f.data;
  if (f.number('code') !== 0 || typeof signal === 'string') return '';
  if (phase === 'start') return t(' before the handshake was done');
  return phase === 'running' ? t(' after the handshake') : '';
}

function sizeText(bytes: number): string {
  return bytes >= 2 ** 20 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${Math.round(bytes / 1_024)} KiB`;
}
