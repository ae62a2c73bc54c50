import assert from 'node:assert/strict';
import type { Bench, HostileCase } from './hostileTable.js';
import { impatient, startAndCall } from './hostileTable.js';

/** Messages of a successful session; GET is the request for a stream of the server, DELETE the end. */
const usual = {
  'server/discover': 1,
  initialize: 1,
  'notifications/initialized': 1,
  GET: 1,
  'tools/list': 1,
  'tools/call': 1,
  DELETE: 1,
};
const older = {
  'server/discover': 1,
  initialize: 2,
  GET: 1,
  'notifications/initialized': 1,
  'tools/list': 1,
  'tools/call': 1,
};
const socket = {
  UPGRADE: 1,
  'server/discover': 1,
  initialize: 1,
  'notifications/initialized': 1,
  'tools/list': 1,
  'tools/call': 1,
};
const modern = { 'server/discover': 1, 'tools/list': 1, 'tools/call': 1 };
const span = String.raw`[\d.]+ m?s`;
const tooLarge =
  'sent a message that is larger than the limit of 1 MB. If the server is meant to send messages of this size, increase the setting "mcpDeck.limits.maxMessageBytes".';
const tooManyValues =
  'sent a message with more than 262,144 values. If the server is meant to send messages of this size, increase the setting "mcpDeck.limits.maxMessageBytes".';
const serverFault = 'This is a fault in the server. Its log might have more details.';
const moved = 'If the server has moved to a location that you trust, change its URL in the configuration.';
const running = (mode: string, transport: string, tools = 2) =>
  `(circle-filled) ${mode}  ${transport} · ${tools} tools`;

const http = (mode: string, proves: string, says: string | RegExp, more: Partial<HostileCase> = {}): HostileCase => ({
  mode,
  proves,
  says,
  tree: running(mode, 'http'),
  journal: usual,
  ...more,
});
const ws = (mode: string, proves: string, says: string | RegExp, more: Partial<HostileCase> = {}): HostileCase => ({
  mode,
  proves,
  says,
  tree: running(mode, 'ws'),
  journal: socket,
  ...more,
});
const failed = (mode: string, short: string): string => `(error) ${mode}  ${short}`;

/** Waits until the server has seen the client cancel a request. */
const untilGivenUp = (bench: Bench) =>
  bench.until('giving up', () => bench.journal().some(({ event }) => event === 'given-up'));

export const httpCases: HostileCase[] = [
  http('http-ok', '[H1, H2]', 'done', {
    check: ({ journal }) => {
      for (const { method, headers } of journal().filter(
        ({ method }) => method === 'tools/list' || method === 'tools/call',
      )) {
        const sent = headers as Record<string, string>;
        assert.match(sent['mcp-session-id'] ?? '', /^session-http-ok-\d$/, method);
        assert.deepEqual(
          [sent['mcp-protocol-version'], sent['accept'], sent['x-api-key']],
          ['2025-11-25', 'application/json, text/event-stream', 's3cret-header-42'],
          method,
        );
      }
    },
  }),
  http(
    'redirect-elsewhere',
    '[H4]',
    new RegExp(
      `^The server "redirect-elsewhere": MCP Deck did not follow the redirect of server/discover: the server redirects to another origin, http://127\\.0\\.0\\.1:\\d+\\. ${moved}$`,
    ),
    {
      tree: failed('redirect-elsewhere', 'HTTP status 307'),
      journal: { 'server/discover': 1 },
    },
  ),
  http(
    'redirect-loop',
    '[H4]',
    `The server "redirect-loop": MCP Deck did not follow the redirect of server/discover: the server redirects more than 5 times. ${moved}`,
    { tree: failed('redirect-loop', 'HTTP status 308'), journal: { 'server/discover': 6 } },
  ),
  http(
    'redirect-scheme',
    '[H4]',
    `The server "redirect-scheme": MCP Deck did not follow the redirect of server/discover: the server redirects to the scheme "file:". ${moved}`,
    { tree: failed('redirect-scheme', 'HTTP status 307'), journal: { 'server/discover': 1 } },
  ),
  ...['session-404', 'session-400'].map((mode) =>
    http(mode, mode === 'session-404' ? '[H2]' : '[H2, Y2]', 'done|done|done', {
      act: async (bench) => [await startAndCall(bench), await bench.call('echo'), await bench.call()].join('|'),
      // The first session ends with the second call: one new handshake, and a repetition of that call, which had not
      // run.
      journal: { ...usual, initialize: 2, 'notifications/initialized': 2, 'tools/call': 4, GET: 2 },
      check: ({ journal, log }) => {
        const second = journal()
          .filter(({ method }) => method === 'initialize')
          .at(1);
        assert.equal(
          (second?.['headers'] as Record<string, string>)['mcp-session-id'],
          undefined,
          'the lost session was sent to initialize',
        );
        assert.ok(
          log().some((line) => line.includes('MCP Deck started a new one')),
          log().join('\n'),
        );
      },
    }),
  ),
  http(
    'session-bad-characters',
    '[H9]',
    `The server "session-bad-characters" answered initialize with a session ID with characters that are not allowed. ${serverFault}`,
    {
      tree: failed(
        'session-bad-characters',
        'answered initialize with a session ID with characters that are not allowed',
      ),
      journal: { 'server/discover': 1, initialize: 1 },
    },
  ),
  http(
    'session-huge',
    '[H9, H8]',
    /^The server "session-huge": http:\/\/\S+ responded with headers larger than 16 KiB\. This is a fault in the server, for example an oversized session ID or cookie\.$/,
    {
      tree: /^\(error\) session-huge {2}http:\S+ responded with headers larger than 16 KiB$/,
      journal: { 'server/discover': 1, initialize: 1 },
    },
  ),
  http(
    'busy-at-first',
    '[H3]',
    'The server "busy-at-first" answered tools/call with HTTP status 502: "bad gateway". The server or an intermediary has a fault.',
    {
      journal: { ...usual, 'tools/list': 3, ping: 1 },
      act: async (bench) => {
        const message = await startAndCall(bench);
        await bench.until('the liveness ping', () => bench.received()['ping'] === 1);
        return message;
      },
    },
  ),
  http(
    'too-many-requests',
    '[H3]',
    'The server "too-many-requests" answered tools/call with HTTP status 429. The server limits the number of requests. Wait before you try again.',
  ),
  http(
    'forbidden-proxy',
    '[H10]',
    'The server "forbidden-proxy" answered server/discover with HTTP status 407. The proxy requires a sign-in. Check the proxy settings of VS Code.',
    {
      tree: failed('forbidden-proxy', 'HTTP status 407'),
      journal: { 'server/discover': 1 },
    },
  ),
  http(
    'captive-portal',
    '[H5]',
    'The server "captive-portal" answered initialize with HTTP status 200 and content of type text/html that is not MCP: <html><script>alert(1)</script>Log in to the \\u{1b}[31mWi-Fi\\u{1b}[0m</html>. The message contains 2 hidden characters, shown here as \\u{…}. The response is a web page instead of an MCP message. Check the URL, or sign in to the network first.',
    {
      tree: /^\(error\) captive-portal {2}answered initialize with HTTP status 200 and content of type text\/html/,
      journal: { 'server/discover': 1, initialize: 1 },
    },
  ),
  http(
    'wrong-type',
    '[H5]',
    /^The server "wrong-type" answered tools\/call with HTTP status 200 and content of type text\/plain that is not MCP: \{"jsonrpc"[^]{0,220}$/,
  ),
  http(
    'empty-200',
    '[H6]',
    `The server "empty-200" answered tools/call with HTTP status 200 and an empty body. ${serverFault}`,
  ),
  http(
    'empty-204',
    '[H6]',
    `The server "empty-204" answered tools/call with HTTP status 204 and an empty body. ${serverFault}`,
  ),
  http(
    'cut-json',
    '[H6]',
    'The server "cut-json": The connection was lost before the response to tools/call arrived: aborted. Restart the server. Its log might show why it ended.',
    {
      act: async (bench) => {
        const message = await startAndCall(bench);
        assert.equal(await bench.call('echo'), 'done', 'the next call');
        await bench.until('the liveness ping', () => bench.received()['ping'] === 1);
        return message;
      },
      journal: { ...usual, 'tools/call': 2, ping: 1 },
    },
  ),
  ...['slow-body', 'never-respond'].map((mode) =>
    http(
      mode,
      mode === 'slow-body' ? '[H7]' : '[H7, R7]',
      new RegExp(
        `^The server "${mode}" did not respond to tools/call within ${span}\\. The server might be busy or stuck\\. Check its log, or increase its timeout\\.$`,
      ),
      {
        definition: impatient,
        act: async (bench) => {
          const message = await startAndCall(bench);
          await untilGivenUp(bench);
          await bench.until('the liveness ping', () => bench.received()['ping'] === 1);
          return message;
        },
        journal: { ...usual, 'notifications/cancelled': 1, ping: 1 },
      },
    ),
  ),
  http('http-batch', '[F6]', 'done', {
    journal: {
      'server/discover': 1,
      initialize: 1,
      'notifications/initialized': 1,
      GET: 1,
      'tools/list': 1,
      'tools/call': 1,
    },
    check: ({ log }) => assert.ok(log().includes('info in a batch')),
  }),
  http(
    'http-wrong-id',
    '[R5, H6]',
    /^The server "http-wrong-id" answered tools\/call with a message that is not a response to this request\. The server answers with an ID that matches no open request, or that has another type: \{"jsonrpc":"2\.0","id":"\d+"[^]+\. This is a fault in the server\. Update the server, or report the fault to its author\. The log shows what the server sent\.$/,
  ),
  http('http-deep-json', '[F3]', 'deep'),
  http('http-many-values', '[F10]', `The server "http-many-values" ${tooManyValues}`),
  http('zip-bomb', '[H8, F4]', `The server "zip-bomb" ${tooLarge}`),
  http('header-names', '[H1, R14]', 'done', {
    act: async ({ start, headless, id }) => {
      await start();
      const result = await headless.host.calls.runTool(
        { server: id, tool: 'good', arguments: { region: 'Köln\r\nX-Injected: 1' } },
        { caller: 'user' },
      );
      return result.content.map((item) => (item.type === 'text' ? item.text : '')).join('');
    },
    tree: running('header-names', 'http', 3),
    journal: modern,
    check: ({ journal, log }) => {
      const sent = journal().find(({ method }) => method === 'tools/call')?.['headers'] as Record<string, string>;
      assert.match(sent['mcp-param-region'] ?? '', /^=\?base64\?/);
      assert.equal(sent['x-injected'], undefined);
      assert.equal(log().filter((line) => line.includes('Skipped the tool')).length, 5);
    },
  }),
  http(
    'modern-400-versions',
    '[R2, R3]',
    'The server "modern-400-versions" supports 2027-01-01. MCP Deck supports only 2026-07-28 with this handshake. Update the server or MCP Deck.',
    {
      tree: failed('modern-400-versions', 'no common protocol revision'),
      journal: { 'server/discover': 1 },
    },
  ),
  http('modern-400-empty', '[R2]', 'done'),
];

export const eventCases: HostileCase[] = [
  http('sse-ok', '[E1]', 'done'),
  ...['cut-event', 'no-newline-end'].map((mode) =>
    http(
      mode,
      mode === 'cut-event' ? '[E2, E3]' : '[E2]',
      `The server "${mode}": The connection was lost before the response to tools/call arrived: the server ended the stream. Restart the server. Its log might show why it ended.`,
      {
        act: async (bench) => {
          const message = await startAndCall(bench);
          await bench.until('the liveness ping', () => bench.received()['ping'] === 1);
          return message;
        },
        journal: { ...usual, ping: 1 },
      },
    ),
  ),
  http('odd-lines', '[E1]', 'done'),
  http('split-bytes', '[E1]', 'Grüße 你好 🎉 end'),
  http('wrong-events', '[E5]', 'done', {
    check: ({ log }) => assert.equal(log().filter((line) => line.startsWith('warn Skipped an event')).length, 2),
  }),
  http('event-many-values', '[F10]', `The server "event-many-values" ${tooManyValues}`),
  http('endless-event', '[H8]', `The server "endless-event" ${tooLarge}`, {
    act: async (bench) => {
      const message = await startAndCall(bench);
      await untilGivenUp(bench);
      return message;
    },
  }),
  http('resume-with-replay', '[E3, E4]', '[1] done', {
    act: async ({ start, headless, id }) => {
      await start();
      const seen: number[] = [];
      const result = await headless.host.calls.runTool(
        { server: id, tool: 'attack', arguments: {} },
        { caller: 'user', onProgress: ({ progress }) => seen.push(progress) },
      );
      return `${JSON.stringify(seen)} ${result.content.map((item) => (item.type === 'text' ? item.text : '')).join('')}`;
    },
    journal: { ...usual, GET: 2 },
    check: ({ journal }) =>
      assert.equal(
        (
          journal()
            .filter(({ method }) => method === 'GET')
            .at(1)?.['headers'] as Record<string, string>
        )['last-event-id'],
        '1',
      ),
  }),
  // A stream that ends at once is opened again after a pause: only once within the time of a test.
  http('flap', '[E3]', 'done'),
  {
    mode: 'older-ok',
    proves: '[E6]',
    says: 'done',
    tree: running('older-ok', 'sse'),
    journal: older,
  },
  {
    mode: 'older-many-values',
    proves: '[F10]',
    says: `The server "older-many-values" ${tooManyValues}`,
    tree: failed('older-many-values', 'sent a message above the size limit'),
    journal: older,
  },
  {
    mode: 'endpoint-elsewhere',
    proves: '[E6]',
    definition: { type: 'sse' },
    says: /^The server "endpoint-elsewhere": The "endpoint" event of the server cannot be used: it leads to another origin, http:\/\/127\.0\.0\.1:\d+\. This is a fault in the server\. Its log might have more details\.$/,
    tree: /^\(error\) endpoint-elsewhere {2}The "endpoint" event of the server cannot be used/,
    journal: { GET: 1 },
  },
  {
    mode: 'endpoint-missing',
    proves: '[E6, R1]',
    definition: { type: 'sse', ...impatient },
    says: 'The server "endpoint-missing" did not complete the connection within 4 s. The server opened an event stream but sent no "endpoint" event. Check that this is the URL of an HTTP+SSE server. For Streamable HTTP, use the type "http".',
    tree: failed('endpoint-missing', 'no response within 4 s'),
    journal: { GET: 1 },
  },
  { mode: 'endpoint-moves', proves: '[E6]', says: 'done', tree: running('endpoint-moves', 'sse'), journal: older },
];

export const socketCases: HostileCase[] = [
  ws('ws-ok', '[W1]', 'done'),
  ...(
    [
      ['ws-no-subprotocol', 'Server sent no subprotocol'],
      ['ws-wrong-subprotocol', 'Server sent an invalid subprotocol'],
      ['ws-wrong-key', 'Invalid Sec-WebSocket-Accept header'],
    ] as const
  ).map(([mode, why]) =>
    ws(
      mode,
      mode === 'ws-wrong-key' ? '[W1, W2]' : '[W1]',
      new RegExp(
        `^The server "${mode}": ws://\\S+ does not open an MCP WebSocket: ${why}\\. The server must accept the subprotocol "mcp"\\.$`,
      ),
      {
        tree: new RegExp(`^\\(error\\) ${mode} {2}ws://\\S+ does not open an MCP WebSocket`),
        journal: { UPGRADE: 1 },
      },
    ),
  ),
  ws(
    'ws-redirect',
    '[W1]',
    new RegExp(
      `^The server "ws-redirect" redirects the WebSocket to http://\\S+\\. MCP Deck does not follow this redirect\\. ${moved}$`,
    ),
    { tree: failed('ws-redirect', 'HTTP status 307'), journal: { UPGRADE: 1 } },
  ),
  ws(
    'ws-refused',
    '[W5]',
    'The server "ws-refused" answered the WebSocket handshake with HTTP status 503: down. The server or an intermediary has a fault.',
    { tree: failed('ws-refused', 'HTTP status 503'), journal: { UPGRADE: 1 } },
  ),
  ...(
    [
      ['ws-binary', 'sent a binary WebSocket message, but MCP messages are text', 1003],
      ['ws-reserved-bits', 'violated the WebSocket protocol: Invalid WebSocket frame: RSV1 must be clear', 1002],
      ['ws-invalid-utf8', 'sent a WebSocket message that is not UTF-8', 1007],
    ] as const
  ).map(([mode, what, code]) =>
    ws(mode, mode === 'ws-binary' ? '[W2]' : '[W2, Y3]', `The server "${mode}" ${what}. ${serverFault}`, {
      tree: failed(mode, what),
      check: (bench) =>
        bench.until('the close', () =>
          bench.journal().some(({ event, code: told }) => event === 'close' && told === code),
        ),
    }),
  ),
  ws('ws-many-values', '[F10]', `The server "ws-many-values" ${tooManyValues}`, {
    tree: failed('ws-many-values', 'sent a message above the size limit'),
    check: (bench) =>
      bench.until('the close', () => bench.journal().some(({ event, code }) => event === 'close' && code === 1009)),
  }),
  ws('ws-oversize', '[W2, F4]', `The server "ws-oversize" ${tooLarge}`, {
    tree: failed('ws-oversize', 'sent a message above the size limit'),
    check: (bench) =>
      bench.until('the close', () => bench.journal().some(({ event, code }) => event === 'close' && code === 1009)),
  }),
  ws('ws-fragments', '[W2]', 'Grüße 你好 🎉', {
    check: (bench) =>
      bench.until('the pongs', () => bench.journal().filter(({ event }) => event === 'pong').length === 4),
  }),
  ws('ws-not-json', '[W2]', 'done', {
    check: ({ log }) =>
      assert.ok(log().some((line) => line.includes('a WebSocket message that is not JSON: not json'))),
  }),
  ws('ws-pings', '[W4]', 'done', {
    check: (bench) =>
      bench.until('the pongs', () => bench.journal().filter(({ event }) => event === 'pong').length === 200),
  }),
  ...['ws-ping-flood', 'ws-cut'].map((mode) =>
    ws(
      mode,
      mode === 'ws-cut' ? '[W3, W5]' : '[W4]',
      `The server "${mode}" closed the WebSocket (code 1006, connection lost). Restart the server. Its log might show why it ended.`,
      {
        tree: failed(mode, 'closed the WebSocket (code 1006, connection lost)'),
      },
    ),
  ),
  // Once for the era probe and once without it.
  ws(
    'ws-flap',
    '[W5]',
    'The server "ws-flap" closed the WebSocket (code 1000, normal end). Restart the server. Its log might show why it ended.',
    {
      tree: failed('ws-flap', 'closed the WebSocket (code 1000, normal end)'),
      journal: { UPGRADE: 2 },
    },
  ),
];
