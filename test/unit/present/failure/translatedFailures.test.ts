/** Failures with data are shown entirely in the language of the user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authError } from '../../../../src/core/auth/authProblem.js';
import { HostError } from '../../../../src/core/base/hostError.js';
import { changedError } from '../../../../src/core/consent/toolDefinition.js';
import { endedBy, notSent } from '../../../../src/core/host/endReasons.js';
import { failureLine, failureLogLine } from '../../../../src/core/present/failure/failureText.js';
import { ProtocolError } from '../../../../src/core/protocol/jsonRpc.js';
import { tooLarge } from '../../../../src/core/protocol/lineSplitter.js';
import { readCapabilities } from '../../../../src/core/session/legacyCodec.js';
import { authRequired } from '../../../../src/core/transport/http/authChallenge.js';
import {
  connectionError,
  contentError,
  statusError,
  streamEnded,
} from '../../../../src/core/transport/http/httpErrors.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { checkedHeaders } from '../../../../src/core/transport/http/remoteHeaders.js';
import { markTexts } from '../../../support/languages.js';

const reasons = ['stopped', 'restarted', 'disabled', 'removed'] as const;
const changes = [
  ['changed', 'The tool "drop" differs from the tool that you approved.'],
  ['unhashable', 'The definition of the tool "drop" cannot be compared with the tool that you approved.'],
  ['unreadable', 'The record of your approval of the tool "drop" cannot be read.'],
  ['gone', 'The server no longer lists the approved tool "drop".'],
] as const;

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

const failures: [text: string, error: unknown][] = [
  ...reasons.flatMap((reason): [string, unknown][] => {
    const what = { removed: 'removed from the configuration' }[reason as string] ?? reason;
    return [
      [`The server "db" was ${what} before it responded.`, endedBy(reason)],
      [`The server "db" was ${what} before the call was sent.`, notSent(reason)],
    ];
  }),
  ...changes.map(([why, what]): [string, unknown] => [
    `The server "db": ${what} The tool cannot run until you review the change.`,
    changedError('db', 'drop', why),
  ]),
  [
    'The response of the server "db" to initialize has no "capabilities" object.',
    thrown(() => readCapabilities(1, 'initialize')),
  ],
  [
    'The server "db" is disabled. Enable the server first.',
    new HostError('not-running', 'x', { data: { why: 'disabled' } }),
  ],
  [
    'The server "db" is not running, so it cannot receive messages. Start the server first.',
    new HostError('not-running', 'x', { data: { why: 'idle' } }),
  ],
  [
    'The server "db" stopped before the request was sent.',
    new HostError('not-running', 'x', { data: { why: 'stopped' } }),
  ],
  [
    'The server "db": Needs your approval (.mcp.json).',
    new HostError('not-trusted', 'x', { data: { source: '.mcp.json' } }),
  ],
  [
    'The server "db": This workspace is not trusted. Trust the workspace to start its servers.',
    new HostError('not-trusted', 'x', { data: { isWorkspace: true } }),
  ],
  ['The server "db": Needs a value for "key".', new HostError('needs-input', 'x', { data: { input: 'key' } })],
  [
    'You denied the call to "drop" on "db". MCP Deck asks again next time.',
    new HostError('call-refused', 'x', { data: { tool: 'drop', by: 'user' } }),
  ],
  [
    'A rule denies the call to "drop" on "db": deny all. Change or remove the rule in the Rules view.',
    new HostError('call-refused', 'x', { data: { tool: 'drop', by: 'rule', rule: 'deny all' } }),
  ],
  [
    'The server "db" has ended the session, and tools/call was not processed.',
    new HostError('session-expired', 'x', { data: { status: 404, method: 'tools/call' } }),
  ],
  [
    'The server "db" asked for input 10 times without finishing tools/call.',
    new HostError('too-many-rounds', 'x', { data: { method: 'tools/call', rounds: 10 } }),
  ],
  [
    'The server "db" has no tool "ecko". Run "MCP Deck: Run Tool…" to see the available tools.',
    new HostError('unknown-tool', 'x', { data: { tool: 'ecko' } }),
  ],
  [
    'There is no server "mail" in this window. Known servers: a, b.',
    new HostError('unknown-server', 'x', { data: { name: 'mail', known: ['a', 'b'] } }),
  ],
  [
    'The server "mail" no longer exists. Add the server again, or close the editor.',
    new HostError('unknown-server', 'x', { data: { name: 'mail', isGone: true } }),
  ],
  [
    'The server "db" requires "roots/list" before it responds. MCP Deck refused the request, because it does not offer this feature to servers. The server cannot finish this request without the input.',
    new HostError('input-refused', 'x', { data: { method: 'roots/list', reason: 'x', isUnknown: true } }),
  ],
  [
    'The server "db" requires "sampling/createMessage" before it responds. MCP Deck refused the request: no messages.',
    new HostError('input-refused', 'x', { data: { method: 'sampling/createMessage', reason: 'no messages' } }),
  ],
  [
    'The server "db" uses protocol revision 2030-01-01. MCP Deck offered 2025-11-25 and supports 2025-06-18, 2025-11-25. Update the server or MCP Deck.',
    new HostError('unsupported-version', 'x', {
      data: { theirs: '2030-01-01', ours: ['2025-06-18', '2025-11-25'], offered: '2025-11-25' },
    }),
  ],
  [
    'The server "db" supports 2099-01-01. MCP Deck supports only 2026-07-28 with this handshake. Update the server or MCP Deck.',
    new HostError('unsupported-version', 'x', { data: { theirs: ['2099-01-01'], ours: ['2026-07-28'] } }),
  ],
  [
    'The server "db" supports protocol revisions that it does not name. MCP Deck supports only 2026-07-28 with this handshake.',
    new HostError('unsupported-version', 'x', { data: { theirs: [], ours: ['2026-07-28'] } }),
  ],
  [
    'The server "db" responds to server/discover and supports only 2025-11-25. Check the log,',
    new HostError('handshake-failed', 'x', { data: { theirs: ['2025-11-25'] } }),
  ],
  [
    'The server "db" refused to start a session: no seats left. Its log might show the reason.',
    new HostError('handshake-failed', 'x', {
      data: { code: -32_000 },
      hint: 'x',
      cause: new ProtocolError(-32_000, 'no seats left'),
    }),
  ],
  [
    'The server "db" has no skill at skill://x/SKILL.md: unknown. Choose one of the skills',
    new HostError('unknown-skill', 'x', { data: { uri: 'skill://x/SKILL.md', detail: 'unknown' } }),
  ],
  [
    'The server "db" has no prompt "greet". Choose one of the prompts that the server lists.',
    new HostError('unknown-prompt', 'x', { data: { prompt: 'greet' } }),
  ],
  [
    'The server "db" could not list its tools, so MCP Deck cannot tell whether it has "echo": broken. Run "MCP Deck: Refresh Tools, Resources, and Prompts",',
    new HostError('list-failed', 'x', { data: { list: 'tools', reason: 'broken', tool: 'echo' } }),
  ],
  [
    'The server "db": A tools/call request must specify the tool in "name". Correct the arguments,',
    new HostError('invalid-arguments', 'x', { data: { isNameless: true } }),
  ],
  [
    'The server "db" sent a message that is larger than the limit of 67.1 MB. If the server is meant to send messages of this size, increase the setting',
    tooLarge(2 ** 26),
  ],
  [
    'The server "db": The app "ui://x" is larger than 8.4 MB. This is a fault in the server.',
    new HostError('too-large', 'x', { data: { limitBytes: 2 ** 23, app: 'ui://x' } }),
  ],
  [
    'The server "db" did not respond to tools/call within 1 min. The server might be busy or stuck.',
    new HostError('timeout', 'x', { data: { waitedMs: 60_000, method: 'tools/call' }, hint: 'x' }),
  ],
  [
    'The server "db": https://mcp.example/mcp requires a sign-in. Sign in to this server, or configure its credentials.',
    authRequired('https://mcp.example/mcp', {
      status: 401,
      url: 'https://mcp.example/mcp',
      method: 'POST',
      wwwAuthenticate: [],
      sentHeaders: {},
    }),
  ],
  [
    'The server "db" requires you to sign in with https://id.example. Select "Sign In…" for the server.',
    authError('sign-in-needed', { server: 'db', issuer: 'https://id.example' }),
  ],
  [
    'The server "db": https://id.example issued no token: expired. Sign in again, or check',
    authError('token-refused', { server: 'db', issuer: 'https://id.example', detail: 'expired' }),
  ],
  [
    'The server "db": The connection was lost before the response to tools/call arrived: the server ended the stream. Restart',
    streamEnded('tools/call'),
  ],
  [
    'The server "db" answered tools/call with HTTP status 503: busy. The server or an intermediary has a fault.',
    statusError('tools/call', { status: 503, contentType: '', text: 'busy', retryAfter: undefined }),
  ],
  [
    'The server "db" answered initialize with HTTP status 200 and content of type text/html that is not MCP: Wi-Fi. The response is a web page',
    contentError('initialize', 200, 'text/html', 'Wi-Fi'),
  ],
  [
    'The server "db" cannot be reached. No program listens at http://localhost:1/mcp. Check whether the server is running and the port is correct.',
    connectionError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'http://localhost:1/mcp'),
  ],
  [
    'The "url" of the server "db" cannot be used: the URL contains a user name or password. Put credentials',
    thrown(() => parseRemoteAddress('http://u:p@host/')),
  ],
  [
    'The server "db": The header "host" cannot be configured, because MCP Deck sets it. Correct',
    thrown(() => checkedHeaders({ host: 'x' })),
  ],
  [
    'The server "db" closed the connection. The server ended 3 times within 5 minutes, so MCP Deck does not start it again. Check the log of the server, and then start it manually.',
    new HostError('exited', 'x', {
      data: { crashes: 3, minutes: 5 },
      hint: 'x',
      cause: new HostError('closed', 'x', { data: { why: 'peer' } }),
    }),
  ],
];

for (const [text, error] of failures)
  test(`is in the language of the user, and in English in the log: ${text} (${(error as HostError).message})`, (context) => {
    assert.ok(failureLine(error, 'db').startsWith(text), failureLine(error, 'db'));
    markTexts(context);
    // The event and the advice are one translated text each.
    assert.match(failureLine(error, 'db'), /^‹.+› ‹.+›$/);
    assert.ok(failureLogLine(error, 'db').startsWith(text));
  });
