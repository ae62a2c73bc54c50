/** The sentences for invalid messages and for protocol revisions that are not supported. */
import { t } from '@vscode/l10n';
import type { MessageProblem } from '../../base/failureKinds.js';
import { visibleLine } from '../../base/hostileText.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindTexts } from './kindText.js';
import { quoted, requestText } from './kindText.js';

type Facts = FailureFacts<'invalid-message'>;

export const messageKinds: KindTexts<'invalid-message', MessageProblem> = {
  content: { what: contentWhat, short: contentShort, next: contentAdvice },
  empty: {
    what: (f) =>
      t('{0} answered {1} with HTTP status {2} and an empty body.', f.subject, requestOf(f), f.number('status') ?? 0),
    short: (f) => t('answered {0} with HTTP status {1} and an empty body', requestOf(f), f.number('status') ?? 0),
    next: contentAdvice,
  },
  compression: {
    what: (f) =>
      t('{0} compressed its response with "{1}", which MCP Deck does not accept.', f.subject, f.shown('subject', 40)),
    short: (f) => t('compressed its response with "{0}", which MCP Deck does not accept', f.shown('subject', 40)),
  },
  'headers-too-large': {
    said: (f) => t('{0} responded with headers larger than 16 KiB.', f.shown('place')),
    next: () => t('This is a fault in the server, for example an oversized session ID or cookie.'),
  },
  'not-http': {
    said: (f) => t('{0} did not respond with valid HTTP ({1}).', f.shown('place'), f.shown('errno', 60)),
    next: ({ data }) =>
      data.isSocketFile === true
        ? t('If the server uses JSON lines without HTTP, set its "type" to "socket".')
        : t('Check whether another program listens on this port.'),
  },
  http: {
    said: (f) => t('{0} uses HTTP, not JSON lines: {1}', f.shown('place'), quoted(f.text('detail', 80))),
    next: () => t('Change the "type" of the server to "http".'),
  },
  'session-id': {
    what: (f) => t('{0} answered initialize with {1}.', f.subject, f.shown('detail')),
    short: (f) => t('answered initialize with {0}', f.shown('detail')),
  },
  'wrong-id': {
    what: (f) => t('{0} answered {1} with a message that is not a response to this request.', f.subject, requestOf(f)),
    short: (f) => t('answered {0} with a message that is not a response to this request', requestOf(f)),
  },
  endpoint: {
    said: (f) => t('The "endpoint" event of the server cannot be used: {0}', quoted(f.text('detail'))),
  },
  'event-stream': { said: (f) => t('The event stream cannot be read: {0}', quoted(f.text('detail'))) },
  'event-lines': {
    said: (f) =>
      t('An event of its event stream has more than {0} lines.', (f.number('limit') ?? 0).toLocaleString('en')),
  },
  binary: {
    what: (f) => t('{0} sent a binary WebSocket message, but MCP messages are text.', f.subject),
    short: () => t('sent a binary WebSocket message, but MCP messages are text'),
  },
  encoding: {
    what: (f) => t('{0} sent a WebSocket message that is not UTF-8.', f.subject),
    short: () => t('sent a WebSocket message that is not UTF-8'),
  },
  handshake: {
    said: (f) => t('{0} does not open an MCP WebSocket: {1}', f.shown('place'), quoted(f.text('detail'))),
    next: (f) => t('The server must accept the subprotocol "{0}".', f.shown('subject', 20)),
  },
  websocket: {
    what: (f) => t('{0} violated the WebSocket protocol: {1}', f.subject, quoted(f.text('detail'))),
    short: (f) => t('violated the WebSocket protocol: {0}', f.shown('detail')),
  },
  'header-length': { said: () => t('A message header is longer than 8 KiB.') },
  'no-content-length': { said: () => t('A message header has no Content-Length.') },
  'no-result': {
    said: (f) => t('The response to {0} has no result object: {1}', f.shown('method', 60), quoted(f.text('detail'))),
  },
  result: {
    what: (f) =>
      t('The response of {0} to {1} is not valid MCP: {2}', f.object, f.shown('method', 60), quoted(f.text('detail'))),
    short: (f) => t('its response to {0} is not valid MCP: {1}', f.shown('method', 60), f.shown('detail')),
  },
  'result-type': {
    what: (f) =>
      t('{0} answered {1} with a result of the unknown type {2}.', f.subject, f.shown('method', 60), resultType(f)),
    short: (f) => t('answered {0} with a result of the unknown type {1}', f.shown('method', 60), resultType(f)),
    next: () => t('The server might need an extension that MCP Deck does not support.'),
  },
  'input-count': {
    what: (f) =>
      t(
        '{0} asked for {1} inputs at once, but the limit is {2}.',
        f.subject,
        f.number('count') ?? 0,
        f.number('limit') ?? 0,
      ),
    short: (f) =>
      t('asked for {0} inputs at once, but the limit is {1}', f.number('count') ?? 0, f.number('limit') ?? 0),
  },
  'input-method': {
    what: (f) =>
      t('{0} asked for the input "{1}" but did not specify what to ask for.', f.subject, f.shown('subject', 40)),
    short: (f) => t('asked for the input "{0}" but did not specify what to ask for', f.shown('subject', 40)),
  },
  task: {
    what: (f) => t('{0} answered with a task that has no ID or no status.', f.subject),
    short: () => t('answered with a task that has no ID or no status'),
  },
  'task-input': { said: () => t('The task asks for input but does not specify what to ask for.') },
  output: {
    said: (f) =>
      t(
        'The structured output of "{0}" does not match its output schema: {1}',
        f.shown('subject', 60),
        quoted(visibleLine(String(f.data.problems?.[0] ?? ''), 200)),
      ),
    next: serverFault,
  },
  skill: {
    said: (f) => t('The skill {0} cannot be used: {1}', f.shown('subject', 120), quoted(f.text('detail'))),
    next: serverFault,
  },
  app: { said: (f) => t('The app "{0}" cannot be shown: {1}', f.shown('subject', 120), quoted(f.text('detail'))) },
  'trace-file': {
    said: () => t('The file contains no trace: none of its lines is a message.'),
    next: () => t('Open a file created with "Export Trace…".'),
  },
};

/** The sentence about a revision that is not supported; undefined if the data does not name the supported ones. */
export function versionWhat(f: FailureFacts<'unsupported-version'>): string | undefined {
  const { theirs, ours, offered } = f.data;
  if (!ours) return undefined;
  if (offered !== undefined)
    return t(
      '{0} uses protocol revision {1}. MCP Deck offered {2} and supports {3}.',
      f.subject,
      visibleLine(String(theirs), 40),
      f.shown('offered', 40),
      ours.join(', '),
    );
  return t(
    '{0} supports {1}. MCP Deck supports only {2} with this handshake.',
    f.subject,
    revisionsText(theirs),
    ours.join(', '),
  );
}

/** The sentence about a refused request of a server; undefined if its method is not known. */
export function inputRefusedWhat(f: FailureFacts<'input-refused'>): string | undefined {
  const method = f.text('method', 100);
  if (method === undefined) return undefined;
  return f.data.isUnknown === true
    ? t(
        '{0} requires "{1}" before it responds. MCP Deck refused the request, because it does not offer this feature to servers.',
        f.subject,
        method,
      )
    : t(
        '{0} requires "{1}" before it responds. MCP Deck refused the request: {2}',
        f.subject,
        method,
        quoted(f.text('reason', 300)),
      );
}

/** The revisions that a server supports, as text. */
export function revisionsText(theirs: unknown): string {
  const named = Array.isArray(theirs) ? theirs : [];
  return named.length === 0
    ? t('protocol revisions that it does not name')
    : visibleLine(named.map(String).join(', '), 100);
}

function contentWhat(f: Facts): string {
  const [request, status] = [requestOf(f), f.number('status') ?? 0];
  const [type, body] = [f.text('contentType', 60), quoted(f.text('bodyText', 200))];
  return type === undefined
    ? t(
        '{0} answered {1} with HTTP status {2}, without a content type, and with content that is not MCP: {3}',
        f.subject,
        request,
        status,
        body,
      )
    : t(
        '{0} answered {1} with HTTP status {2} and content of type {3} that is not MCP: {4}',
        f.subject,
        request,
        status,
        type,
        body,
      );
}

function contentShort(f: Facts): string {
  const [status, type] = [f.number('status') ?? 0, f.text('contentType', 60)];
  return type === undefined
    ? t('answered {0} with HTTP status {1} and without a content type', requestOf(f), status)
    : t('answered {0} with HTTP status {1} and content of type {2} that is not MCP', requestOf(f), status, type);
}

function contentAdvice({ data }: Facts): string | undefined {
  return /html/i.test(data.contentType ?? '')
    ? t('The response is a web page instead of an MCP message. Check the URL, or sign in to the network first.')
    : undefined;
}

function requestOf(f: Facts): string {
  return requestText(f.shown('request', 60));
}

function resultType({ data }: Facts): string {
  return visibleLine(JSON.stringify(data.resultType) ?? '?', 40);
}

function serverFault(): string {
  return t('This is a fault in the server.');
}
