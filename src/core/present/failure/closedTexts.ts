/** The sentences for closed connections, timeouts and messages that could not be sent. */
import { t } from '@vscode/l10n';
import type { ClosedWhy, SendFailedWhy, TimeoutWhy } from '../../base/failureKinds.js';
import type { FailureFacts } from './failureFacts.js';
import { ended } from './failureFacts.js';
import type { KindTexts } from './kindText.js';
import { quoted, requestText } from './kindText.js';

export const closedKinds: KindTexts<'closed', ClosedWhy> = {
  opening: {
    what: (f) => t('The connection to {0} was closed while it was being opened.', f.object),
    short: () => t('the connection was closed while it was being opened'),
  },
  'before-start': {
    what: (f) => t('{0} was stopped before it started.', f.subject),
    short: () => t('stopped before it started'),
  },
  gone: {
    what: (f) => t('The connection to {0} is closed.', f.object),
    short: () => t('the connection is closed'),
  },
  'process-gone': {
    what: (f) => t('{0} is no longer running.', f.subject),
    short: () => t('is no longer running'),
  },
  'host-early': {
    said: () => t('MCP Deck closed the connection before the server responded.'),
    next: () => t('Try again.'),
  },
  host: { said: () => t('MCP Deck closed the connection to the server.') },
  'peer-opening': { said: (f) => t('{0} closed the connection while it was being opened.', f.shown('place')) },
  peer: { what: (f) => t('{0} closed the connection.', f.subject), short: () => t('closed the connection') },
  'no-pong': {
    what: (f) => t('{0} did not respond for {1}.', f.subject, f.span('waitedMs') ?? ''),
    short: (f) => t('did not respond for {0}', f.span('waitedMs') ?? ''),
  },
  broken: { said: (f) => t('The connection was lost: {0}', quoted(f.text('detail'))) },
  websocket: { what: webSocketClosed, short: webSocketShort },
  'stream-ended': {
    what: (f) => t('{0} ended the event stream.', f.subject),
    short: () => t('ended the event stream'),
  },
  'no-answer': { said: (f) => t('{0} closed the connection without a response.', f.shown('place')) },
  'answer-broken': {
    said: (f) =>
      t('The connection was lost before the response to {0} arrived: {1}', request(f), quoted(f.text('detail'))),
  },
  'answer-stream-ended': {
    said: (f) =>
      t('The connection was lost before the response to {0} arrived: the server ended the stream.', request(f)),
  },
  'not-resumed': {
    said: (f) =>
      t(
        'The connection was lost before the response to {0} arrived: the stream ended and could not be resumed ({1}).',
        request(f),
        f.shown('detail'),
      ),
  },
  'no-replay': {
    what: (f) => t('{0} did not resend the event that was cut off.', f.subject),
    short: () => t('did not resend the event that was cut off'),
  },
  flapping: {
    what: (f) => t('{0} repeatedly ended the event stream.', f.subject),
    short: () => t('repeatedly ended the event stream'),
  },
  stdout: {
    what: (f) => t('{0} closed its standard output, so it can no longer respond.', f.subject),
    short: () => t('closed its standard output, so it can no longer respond'),
    next: restartForLog,
  },
  stdin: {
    what: (f) => t('{0} closed its standard input, so it can no longer receive messages.', f.subject),
    short: () => t('closed its standard input, so it can no longer receive messages'),
    next: restartForLog,
  },
  silence: { what: silent, short: () => t('no longer responds') },
  app: { said: () => t('The app was closed.'), next: () => t('Open the app again.') },
  stopped: {
    ...sentOrNot([
      (subject) => t('{0} was stopped before it responded.', subject),
      (subject) => t('{0} was stopped before the call was sent.', subject),
    ]),
    short: () => t('was stopped'),
    next: () => t('Start the server, and then try again.'),
  },
  restarted: {
    ...sentOrNot([
      (subject) => t('{0} was restarted before it responded.', subject),
      (subject) => t('{0} was restarted before the call was sent.', subject),
    ]),
    short: () => t('was restarted'),
    next: () => t('Try again.'),
  },
  disabled: {
    ...sentOrNot([
      (subject) => t('{0} was disabled before it responded.', subject),
      (subject) => t('{0} was disabled before the call was sent.', subject),
    ]),
    short: () => t('was disabled'),
    next: () => t('Enable the server, and then try again.'),
  },
  removed: {
    ...sentOrNot([
      (subject) => t('{0} was removed from the configuration before it responded.', subject),
      (subject) => t('{0} was removed from the configuration before the call was sent.', subject),
    ]),
    short: () => t('was removed from the configuration'),
    next: () => t('Add the server again, and then try again.'),
  },
  blocked: {
    ...sentOrNot([
      (subject) => t('A policy blocked {0} before it responded.', subject),
      (subject) => t('A policy blocked {0} before the call was sent.', subject),
    ]),
    short: () => t('was blocked by a policy'),
    next: () => t('The Servers view shows the policy.'),
  },
};

export const timeoutKinds: KindTexts<'timeout', TimeoutWhy> = {
  connect: {
    what: (f) => t('{0} did not complete the connection within {1}.', f.subject, f.span('waitedMs') ?? ''),
    short: (f) => t('did not complete the connection within {0}', f.span('waitedMs') ?? ''),
  },
  websocket: {
    said: (f) => t('{0} did not open a WebSocket within {1}.', f.shown('place'), f.span('waitedMs') ?? ''),
  },
  socket: {
    said: (f) => t('{0} did not accept a connection within {1}.', f.shown('place'), f.span('waitedMs') ?? ''),
  },
  endpoint: {
    said: (f) =>
      t(
        '{0} opened an event stream but sent no "endpoint" event within {1}.',
        f.shown('place'),
        f.span('waitedMs') ?? '',
      ),
    next: () => t('Check whether this is the URL of an HTTP+SSE server.'),
  },
  'not-accepted': {
    what: (f) => t('{0} did not accept {1} in time.', f.subject, request(f)),
    short: (f) => t('did not accept {0} in time', request(f)),
  },
  response: {
    said: (f) => t('{0} did not respond to {1} within {2}.', f.shown('place'), request(f), f.span('waitedMs') ?? ''),
  },
  'login-shell': {
    what: (f) =>
      t(
        'The preparation of {0} took longer than {1}: the login shell did not respond.',
        f.object,
        f.span('waitedMs') ?? '',
      ),
    short: () => t('the login shell did not respond'),
    next: prepareAgain,
  },
  'sign-in-data': {
    what: (f) =>
      t(
        'The preparation of {0} took longer than {1}: the data for its sign-in was not available in time.',
        f.object,
        f.span('waitedMs') ?? '',
      ),
    short: () => t('the data for its sign-in was not available in time'),
    next: prepareAgain,
  },
};

export const sendFailedKinds: KindTexts<'send-failed', SendFailedWhy> = {
  'not-reading': {
    what: (f) =>
      t('{0} does not read the messages that are sent to it, and too much data is already waiting.', f.subject),
    short: () => t('does not read the messages that are sent to it'),
    next: () => t('Restart the server.'),
  },
  'not-accepting': {
    what: (f) =>
      t(
        '{0} sends requests but does not accept the responses: {1} responses are waiting, and none was accepted for {2}.',
        f.subject,
        f.number('count') ?? 0,
        f.span('waitedMs') ?? '',
      ),
    short: () => t('sends requests but does not accept the responses'),
    next: () => t('Restart the server.'),
  },
  'too-many-responses': {
    what: (f) =>
      t(
        '{0} sends requests faster than "maxMessagesPerSecond" allows MCP Deck to answer them: {1} responses are waiting.',
        f.subject,
        f.number('count') ?? 0,
      ),
    short: () => t('sends requests faster than MCP Deck may answer them'),
    next: () =>
      t('Increase or remove "maxMessagesPerSecond" in the definition of the server, and then restart the server.'),
  },
  'not-sent': { said: (f) => t('Sending {0} failed: {1}', request(f), quoted(f.text('detail'))) },
  'not-connected': { said: (f) => t('Connecting to {0} failed: {1}', f.shown('place'), quoted(f.text('detail'))) },
};

/** Selects one of two sentences: the first if the call was sent, the second if it was not. */
function sentOrNot([sent, unsent]: [sent: (subject: string) => string, unsent: (subject: string) => string]): {
  what: (f: FailureFacts<'closed'>) => string;
} {
  return { what: ({ data, subject }) => (data.wasSent === true ? sent : unsent)(subject) };
}

function request(f: FailureFacts<'closed' | 'timeout' | 'send-failed'>): string {
  return requestText(f.shown('request', 60));
}

function restartForLog(): string {
  return t('Restart the server. Its log might show the reason.');
}

function prepareAgain(): string {
  return t('Try again, or increase "startTimeoutMs" in the server configuration.');
}

function silent(f: FailureFacts<'closed'>): string {
  const [method, span] = [f.text('method', 60), f.span('waitedMs')];
  if (method === undefined || span === undefined)
    return t('{0} no longer responds: {1}', f.subject, quoted(f.text('detail')));
  return t('{0} no longer responds: {1} got no response within {2}.', f.subject, method, span);
}

function webSocketClosed(f: FailureFacts<'closed'>): string {
  const code = f.number('code') ?? 0;
  const [meaning, reason] = [closeMeaning(code), f.text('reason', 120)];
  if (reason === undefined)
    return meaning === undefined
      ? t('{0} closed the WebSocket (code {1}).', f.subject, code)
      : t('{0} closed the WebSocket (code {1}, {2}).', f.subject, code, meaning);
  return meaning === undefined
    ? t('{0} closed the WebSocket (code {1}): {2}', f.subject, code, ended(reason))
    : t('{0} closed the WebSocket (code {1}, {2}): {3}', f.subject, code, meaning, ended(reason));
}

function webSocketShort(f: FailureFacts<'closed'>): string {
  const code = f.number('code') ?? 0;
  const meaning = closeMeaning(code);
  return meaning === undefined
    ? t('closed the WebSocket (code {0})', code)
    : t('closed the WebSocket (code {0}, {1})', code, meaning);
}

/** The meaning of a close code, from RFC 6455 section 7.4.1 and the IANA registry of close codes. */
function closeMeaning(code: number): string | undefined {
  switch (code) {
    case 1000:
      return t('normal end');
    case 1001:
      return t('going away');
    case 1002:
      return t('protocol error');
    case 1003:
      return t('unsupported data');
    case 1005:
      return t('no reason given');
    case 1006:
      return t('connection lost');
    case 1007:
      return t('invalid text');
    case 1008:
      return t('policy violation');
    case 1009:
      return t('message too big');
    case 1011:
      return t('server error');
    case 1012:
      return t('restarting');
    case 1013:
      return t('try again later');
    default:
      return undefined;
  }
}
