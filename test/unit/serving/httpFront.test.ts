import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import { connect as netConnect } from 'node:net';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { isCancelled } from '../../../src/core/base/hostError.js';
import { SseParser } from '../../../src/core/protocol/sseParser.js';
import type { HttpFrontOptions } from '../../../src/core/serving/httpFront.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import type { Message } from './peers.js';
import { WireOracle, meta, sampleServer } from './peers.js';

async function open(
  t: TestContext,
  options: Partial<HttpFrontOptions> = {},
): Promise<ReturnType<typeof sampleServer> & { front: HttpFront; url: string; port: number }> {
  const sample = sampleServer();
  const front = new HttpFront({ server: sample.server, ...options });
  const { url, port } = await front.listen();
  t.after(async () => {
    await front.close();
    sample.server.dispose();
  });
  return { ...sample, front, url, port };
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body parsed as JSON, if it is JSON. */
  body: Message;
  text: string;
}

const accept = 'application/json, text/event-stream';

/** Sends a request with exactly these headers; undefined removes one. */
function send(
  url: string,
  options: {
    method?: string;
    path?: string;
    headers?: Record<string, string | undefined>;
    body?: string | Buffer;
  } = {},
): Promise<{ response: IncomingMessage; hangUp: () => void }> {
  const { method = 'POST', body } = options;
  const target = new URL(url);
  const headers = Object.entries({
    ...(method === 'POST'
      ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body ?? '')) }
      : {}),
    accept,
    ...options.headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        path: options.path ?? target.pathname,
        method,
        headers: Object.fromEntries(headers),
        agent: new Agent(),
      },
      (response) => resolve({ response, hangUp: () => request.destroy() }),
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function reply(url: string, options: Parameters<typeof send>[1] = {}): Promise<Reply> {
  const { response } = await send(url, options);
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Message) : {},
  };
}

function post(url: string, message: unknown, headers: Record<string, string | undefined> = {}): Promise<Reply> {
  return reply(url, { body: JSON.stringify(message), headers });
}

const initializeMessage = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function session(
  url: string,
  protocolVersion = '2025-11-25',
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const answer = await post(
    url,
    { ...initializeMessage, params: { ...initializeMessage.params, protocolVersion } },
    headers,
  );
  assert.equal(answer.status, 200);
  const own = {
    ...headers,
    'mcp-session-id': String(answer.headers['mcp-session-id']),
    'mcp-protocol-version': protocolVersion,
  };
  assert.equal((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own)).status, 202);
  return own;
}

/** A request of the stateless era with its required headers. */
function modern(
  method: string,
  params: Message = {},
  headers: Record<string, string | undefined> = {},
  id: string | number = 1,
): Parameters<typeof send>[1] {
  const name = params['name'] ?? params['uri'];
  return {
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      ...headers,
    },
  };
}

interface StreamEvent {
  id?: string;
  data: string;
}

/** Events of a response in the order of arrival. */
class EventReader {
  readonly events: StreamEvent[] = [];
  readonly ended = new Deferred<void>();
  comments = 0;
  private readonly waiters: { count: number; done: Deferred<void> }[] = [];

  constructor(response: IncomingMessage) {
    const oracle = new WireOracle();
    const parser = new SseParser({
      onEvent: ({ data }) => {
        if (data !== '') oracle.fromServer(JSON.parse(data) as Message);
        this.events.push({ data });
        this.wake();
      },
      onId: (id) => {
        const last = this.events.at(-1);
        if (last) last.id = id;
      },
    });
    response.on('data', (chunk: Buffer) => {
      if (chunk.toString() === ':\n\n') this.comments++;
      parser.feed(chunk);
      this.wake();
    });
    response.on('close', () => this.ended.resolve());
  }

  get messages(): Message[] {
    return this.events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as Message);
  }

  /** Waits until this number of events and comments has arrived. */
  async atLeast(count: number): Promise<void> {
    if (this.events.length + this.comments >= count) return;
    const done = new Deferred<void>();
    this.waiters.push({ count, done });
    await done.promise;
  }

  private wake(): void {
    for (const waiter of this.waiters) if (this.events.length + this.comments >= waiter.count) waiter.done.resolve();
  }
}

test('the official client 1.32 works over HTTP: calls, questions, changes, close', async (t) => {
  const { url, tools, front } = await open(t);
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } });
  const changed = new Deferred<void>();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  assert.equal((await client.listTools()).tools.length, 8);
  assert.deepEqual((await client.callTool({ name: 'ask', arguments: {} })).content, [
    { type: 'text', text: 'Hello, Ada' },
  ]);
  const progress: number[] = [];
  await client.callTool({ name: 'report', arguments: {} }, undefined, {
    onprogress: (step) => progress.push(step.progress),
  });
  assert.deepEqual(progress, [1, 2, 3]);
  tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) });
  await changed.promise;
  assert.equal(front.sessionCount, 1);
  await transport.terminateSession();
  assert.equal(front.sessionCount, 0);
  await client.close();
});

test('the official client 2.4 works over HTTP without a session: calls, rounds, subscriptions, close', async (t) => {
  const { url, tools, front, server } = await open(t);
  const client = new ModernClient(
    { name: 'sdk', version: '2' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  const changed = new Deferred<void>();
  client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new ModernTransport(new URL(url)));
  assert.equal(client.getProtocolEra(), 'modern');
  assert.deepEqual((await client.callTool({ name: 'ask', arguments: {} })).content, [
    { type: 'text', text: 'Hello, Ada' },
  ]);
  const subscription = await client.listen({ toolsListChanged: true });
  tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) });
  await changed.promise;
  assert.equal(front.sessionCount, 0);
  await front.close();
  assert.equal(await subscription.closed, 'graceful');
  assert.equal(server.connectionCount, 0);
  await client.close();
});

test('the official client 2.4 in legacy mode gets a session', async (t) => {
  const { url, front } = await open(t);
  const client = new ModernClient({ name: 'sdk', version: '2' });
  await client.connect(new ModernTransport(new URL(url)));
  assert.equal(client.getProtocolEra(), 'legacy');
  assert.equal((await client.listTools()).tools.length, 8);
  assert.equal(front.sessionCount, 1);
  await client.close();
});

test('[G3, G4] foreign hosts, origins, sites, paths, methods and types are refused before the body is read', async (t) => {
  const { url, port } = await open(t, { allowedOrigins: ['https://friend.example'] });
  const body = JSON.stringify(initializeMessage);
  const own = `127.0.0.1:${port}`;
  const cases: [
    status: number,
    headers: Record<string, string | undefined>,
    more?: { method?: string; path?: string },
  ][] = [
    [200, {}],
    [200, { host: `localhost:${port}` }],
    [200, { host: `LOCALHOST:${port}`, origin: `http://localhost:${port}` }],
    [200, { origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' }],
    [200, { accept: '*/*' }],
    [200, { 'content-type': 'application/json; charset=utf-8' }],
    [403, { host: `evil.example:${port}` }],
    [403, { host: `localhost.evil.example:${port}` }],
    [403, { host: `127.0.0.1.nip.io:${port}` }],
    [403, { host: '127.0.0.1' }],
    [403, { host: `127.0.0.1:${port + 1}` }],
    [403, { host: `0.0.0.0:${port}` }],
    [403, { origin: 'https://evil.example' }],
    [403, { origin: 'null' }],
    [403, { origin: 'http://localhost.evil.example' }],
    [403, { origin: `https://${own}` }],
    [403, { 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site' }],
    [404, {}, { path: '/' }],
    [404, {}, { path: '/mcp/' }],
    [404, {}, { path: '//evil.example/mcp' }],
    [404, {}, { path: '/%6dcp' }],
    [404, {}, { path: '/mcp/..;/admin' }],
    [405, {}, { method: 'PUT' }],
    [405, { origin: `http://${own}`, 'access-control-request-method': 'POST' }, { method: 'OPTIONS' }],
    [415, { 'content-type': 'text/plain' }],
    [415, { 'content-type': 'application/x-www-form-urlencoded' }],
    [415, { 'content-type': 'application/jsonp' }],
    [415, { 'content-type': undefined }],
    [406, { accept: 'application/json' }],
    [406, { accept: 'text/event-stream' }],
    [406, { accept: undefined }],
  ];
  for (const [status, headers, more] of cases) {
    const answer = await reply(url, { body, headers, ...more });
    assert.equal(answer.status, status, JSON.stringify([headers, more]));
    assert.deepEqual(
      Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

test('[G2] with a token, only its bearer is admitted, and never through the address', async (t) => {
  const token = 'correct-horse-battery-staple';
  const { url } = await open(t, { token });
  const status = async (authorization: string | undefined, path = '/mcp'): Promise<number> =>
    (await reply(url, { body: JSON.stringify(initializeMessage), path, headers: { authorization } })).status;
  assert.equal(await status(`Bearer ${token}`), 200);
  assert.equal(await status(`bearer  ${token}`), 200);
  for (const wrong of [
    undefined,
    '',
    'Bearer',
    `Bearer ${token}x`,
    `Bearer ${token.replace('c', 'd')}`,
    `Basic ${token}`,
    token,
  ])
    assert.equal(await status(wrong), 401);
  assert.equal(await status(undefined, `/mcp?token=${token}&access_token=${token}`), 401);
  const refused = await post(url, initializeMessage);
  assert.equal(refused.headers['www-authenticate'], 'Bearer');
  assert.doesNotMatch(refused.text, /horse/);
});

test('[G2] a server with an empty token, or one that no header can carry, does not start', async (t) => {
  for (const token of ['', ' ', 'a b', 'a\n']) {
    const front = new HttpFront({ server: sampleServer().server, token });
    t.after(() => front.close());
    await assert.rejects(front.listen(), /The token is empty or has invalid characters/);
  }
});

test('[G4] bodies that are too large, too deep or not JSON are refused without details', async (t) => {
  const { url } = await open(t, { maxBodyBytes: 10_000 });
  const status = async (body: string | Buffer, headers: Record<string, string | undefined> = {}): Promise<number> => {
    const answer = await reply(url, { body, headers });
    assert.doesNotMatch(answer.text, /node:|\.[jt]s:|position|token/i);
    return answer.status;
  };
  assert.equal(await status('{"jsonrpc":"2.0","id":'), 400);
  assert.equal(await status(Buffer.from([0x7b, 0xff, 0x7d])), 400);
  assert.equal(await status('['.repeat(300) + ']'.repeat(300)), 400);
  assert.equal(await status('42'), 400);
  assert.equal(await status('[]'), 400);
  assert.equal(await status('{"jsonrpc":"2.0","id":{},"method":"ping"}'), 400);
  assert.equal(await status('x'.repeat(20_000)), 413);
  assert.equal(await status(`"${'['.repeat(400)}"`), 400, 'brackets in a text are not nesting');
  const chunked = await send(url, {
    headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' },
    body: 'x'.repeat(20_000),
  });
  assert.equal(chunked.response.statusCode, 413);
  chunked.hangUp();
});

test('[GW6] too many requests are answered with 429 and the time to wait, and later ones are served', async (t) => {
  const clock = new ManualClock();
  const { url } = await open(t, { clock, maxRequestsPerSecond: 2 });
  const answers = await Promise.all([1, 2, 3].map((id) => post(url, { ...initializeMessage, id })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
  assert.equal(answers.find(({ status }) => status === 429)?.headers['retry-after'], '1');
  await clock.advance(1_000);
  assert.equal((await post(url, initializeMessage)).status, 200);
});

test('[GW6] requests without the token are limited, and do not keep other clients away', async (t) => {
  const { url } = await open(t, { clock: new ManualClock(), token: 'right' });
  const attempts = await Promise.all(
    Array.from({ length: 25 }, () => post(url, initializeMessage, { authorization: 'Bearer wrong' })),
  );
  assert.deepEqual(
    [401, 429].map((status) => attempts.filter((answer) => answer.status === status).length),
    [20, 5],
  );
  assert.equal((await post(url, initializeMessage, { authorization: 'Bearer right' })).status, 200);
});

test('[GW6] too many open requests are refused with 429, and one more is served when one has ended', async (t) => {
  const { url, seen } = await open(t, { maxOpenRequests: 1 });
  const waiting = await send(url, modern('tools/call', { name: 'wait', _meta: { ...meta, progressToken: 1 } })).catch(
    () => undefined,
  );
  await seen.waiting.promise;
  const refused = await reply(url, modern('tools/list'));
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
  waiting?.hangUp();
  await seen.aborted.promise;
  assert.equal((await reply(url, modern('tools/list'))).status, 200);
});

test('[GW15] the bodies of all open requests together are limited, until each request has ended', async (t) => {
  const { url, seen } = await open(t, { maxOpenBytes: 50_000 });
  const large = modern('tools/list', { filler: 'x'.repeat(20_000) });
  assert.equal((await reply(url, large)).status, 200);
  const wait = { name: 'wait', filler: 'x'.repeat(40_000), _meta: { ...meta, progressToken: 1 } };
  const waiting = await send(url, modern('tools/call', wait)).catch(() => undefined);
  await seen.waiting.promise;
  const refused = await reply(url, large);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
  assert.equal((await reply(url, modern('tools/list'))).status, 200);
  waiting?.hangUp();
  await seen.aborted.promise;
  assert.equal((await reply(url, large)).status, 200);
});

test('[GW15] in a session, the body of a request counts until its end, also after its client has disconnected', async (t) => {
  const { url, seen } = await open(t, { maxOpenBytes: 50_000 });
  const headers = await session(url);
  const call = (id: number, params: Message) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const body = JSON.stringify(call(7, { name: 'wait', filler: 'x'.repeat(40_000), _meta: { progressToken: 1 } }));
  const waiting = await send(url, { body, headers });
  await seen.waiting.promise;
  waiting.response.on('error', () => undefined);
  waiting.hangUp();
  const large = modern('tools/list', { filler: 'x'.repeat(20_000) });
  // The server notices the disconnect at some time during these requests.
  for (let index = 0; index < 20; index++) assert.equal((await reply(url, large)).status, 429);
  await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers);
  await seen.aborted.promise;
  assert.equal((await reply(url, large)).status, 200);
});

test('[GW15] requests that wait behind another one of their connection end with the connection', async (t) => {
  const { port, url, tools } = await open(t, { maxOpenRequests: 3, maxOpenBytes: 50_000 });
  let running = 0;
  tools.add({
    tool: { name: 'hang', inputSchema: { type: 'object' } },
    call: (_args, { signal }) => {
      running++;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          running--;
          reject(signal.reason as Error);
        });
      });
    },
  });
  const waiting = modern('tools/call', { name: 'hang', filler: 'x'.repeat(15_000) });
  const head = Object.entries({ ...waiting?.headers, accept, 'content-type': 'application/json' });
  const body = waiting?.body ?? '';
  const text = [
    'POST /mcp HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    ...head.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
  for (let round = 0; round < 3; round++) {
    const socket = netConnect(port, '127.0.0.1');
    socket.write(text.repeat(3));
    await until(() => running === 3);
    socket.destroy();
    await until(() => running === 0);
  }
  assert.equal((await reply(url, modern('tools/list', { filler: 'x'.repeat(20_000) }))).status, 200);
});

test('[GW15] what clients have not read is limited: the connections that have waited longest are closed', async (t) => {
  const { url, tools } = await open(t, { maxUnsentBytes: 65_000_000 });
  const size = 20_000_000;
  tools.add({
    tool: { name: 'large', inputSchema: { type: 'object' } },
    call: () => Promise.resolve({ content: [{ type: 'text', text: 'x'.repeat(size) }] }),
  });
  const request = modern('tools/call', { name: 'large' });
  const responses: IncomingMessage[] = [];
  // Each response is read after the last one has begun.
  for (let index = 0; index < 6; index++) {
    const { response } = await send(url, request);
    response.on('error', () => undefined).pause();
    responses.push(response);
  }
  const read = responses.map(async (response) => {
    let length = 0;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    response.on('data', (chunk: Buffer) => (length += chunk.length)).resume();
    if (!response.closed) await closed;
    return length > size;
  });
  assert.deepEqual(await Promise.all(read), [false, false, false, true, true, true]);
});

test('[GW15] a body with too many values is refused before it is parsed, and a long text is not', async (t) => {
  const { url } = await open(t);
  const head = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":[';
  const of = (values: string) => ({ ...modern('tools/list'), body: `${head}${values}]}}` });
  for (const values of ['{},'.repeat(200_000), '0,'.repeat(200_000), '[],'.repeat(200_000)]) {
    const { status, body } = await reply(url, of(`${values}0`));
    assert.deepEqual([status, body['error'].message], [413, 'The body has too many values.']);
  }
  assert.notEqual((await reply(url, of(JSON.stringify('{,['.repeat(200_000))))).status, 413);
});

test('[GW15] the events that all sessions keep are limited: the session with the most drops its oldest ones', async (t) => {
  const { url, tools } = await open(t, { maxKeptEvents: 10_000 });
  tools.add({
    tool: { name: 'say', inputSchema: { type: 'object' } },
    call: ({ length }, context) => {
      context.log('error', 'x'.repeat(Number(length)));
      return Promise.resolve({ content: [] });
    },
  });
  const [one, other] = [await session(url), await session(url)];
  /** Returns the ID of the first event. */
  const say = async (own: Record<string, string>, id: number, length: number) => {
    const params = { name: 'say', arguments: { length } };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const events = new EventReader((await send(url, { body, headers: own })).response);
    await events.ended.promise;
    return events.events[0]?.id ?? '';
  };
  const resumed = async (own: Record<string, string>, id: string) =>
    (await reply(url, { method: 'GET', headers: { ...own, 'last-event-id': id } })).status;
  const small = await say(other, 1, 1_000);
  const first = await say(one, 1, 5_000);
  const second = await say(one, 2, 5_000);
  assert.deepEqual(
    [await resumed(other, small), await resumed(one, first), await resumed(one, second)],
    [200, 400, 200],
  );
});

test('[GW15] a connection without an accepted request is closed soon, and other connections stay open', async (t) => {
  const { port } = await open(t, { token: 'right', firstRequestMs: 100 });
  const connect = async () => {
    const socket = netConnect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const ask = (token: string) => {
    const body = JSON.stringify({ ...initializeMessage, id: 2 });
    return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: ${accept}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const accepted = await connect();
  accepted.write(ask('right'));
  assert.match(String((await once(accepted, 'data'))[0]), /^HTTP\/1\.1 200 /);
  const refused = await connect();
  refused.write(ask('wrong'));
  assert.match(String((await once(refused, 'data'))[0]), /^HTTP\/1\.1 401 /);
  const silent = await connect();
  for (const socket of [refused, silent]) if (!socket.closed) await once(socket.resume(), 'close');
  accepted.write(ask('right'));
  assert.match(String((await once(accepted, 'data'))[0]), /^HTTP\/1\.1 200 /);
});

test('[G4] an endless body is cut with an answer', async (t) => {
  const { port } = await open(t, { maxBodyBytes: 100_000 });
  const socket = netConnect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: ${accept}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`;
  const more = (): void => {
    if (!socket.destroyed && socket.write(chunk)) setImmediate(more);
  };
  socket.on('drain', more);
  more();
  const [data] = (await once(socket, 'data')) as [Buffer];
  assert.match(data.toString(), /^HTTP\/1\.1 413 /);
  await once(socket, 'close');
  assert.ok(socket.bytesWritten < 5_000_000);
});

test('a client that disconnects during its body leaves no state', async (t) => {
  const lines: string[] = [];
  const { port, front } = await open(t, { log: { write: (_level, line) => void lines.push(line) } });
  const socket = netConnect(port, '127.0.0.1');
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: ${accept}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  );
  await settle();
  socket.destroy();
  await once(socket, 'close');
  assert.equal((await session(`http://127.0.0.1:${port}/mcp`))['mcp-protocol-version'], '2025-11-25');
  assert.deepEqual([lines, front.sessionCount], [[], 1]);
});

test('[G4] a request with two lengths is not read', async (t) => {
  const { port } = await open(t);
  const socket = netConnect(port, '127.0.0.1');
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  assert.match(data.toString(), /^HTTP\/1\.1 400 /);
  socket.destroy();
});

test('[G1] only loopback can be bound', async () => {
  const { server } = sampleServer();
  await assert.rejects(new HttpFront({ server, host: '0.0.0.0' as '127.0.0.1' }).listen(), /loopback only/);
  server.dispose();
});

test('[G7] sessions: the id is required, must be known, and is invalid after DELETE', async (t) => {
  const { url, front } = await open(t);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  assert.equal((await post(url, ping)).status, 400);
  assert.equal((await post(url, ping, { 'mcp-session-id': 'deadbeef' })).status, 404);
  assert.equal((await reply(url, { method: 'GET' })).status, 400);
  assert.equal((await reply(url, { method: 'DELETE' })).status, 400);
  const own = await session(url);
  assert.match(own['mcp-session-id'] ?? '', /^[\x21-\x7e]{32}$/);
  assert.equal((await post(url, ping, own)).status, 200);
  assert.equal((await post(url, ping, { ...own, 'mcp-protocol-version': '1999-01-01' })).status, 400);
  assert.equal((await reply(url, { method: 'GET', headers: { ...own, accept: 'application/json' } })).status, 406);
  assert.equal((await reply(url, { method: 'DELETE', headers: own })).status, 204);
  assert.equal((await post(url, ping, own)).status, 404);
  assert.equal(front.sessionCount, 0);
});

test('an unknown method in a session does not report the session as lost', async (t) => {
  const { url } = await open(t);
  const own = await session(url);
  const answer = await post(url, { jsonrpc: '2.0', id: 2, method: 'no/such' }, own);
  assert.deepEqual([answer.status, answer.body['error'].code], [200, -32601]);
});

test('a failed handshake leaves no session', async (t) => {
  const { url, front } = await open(t);
  assert.equal(
    (await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })).body['error'].code,
    -32602,
  );
  assert.equal((await post(url, { jsonrpc: '2.0', method: 'initialize', params: {} })).status, 400);
  await settle();
  assert.equal(front.sessionCount, 0);
});

test('[G7] idle sessions are replaced by new ones and expire; used ones are not', async (t) => {
  const clock = new ManualClock();
  const { url, front } = await open(t, { clock, maxSessions: 2, sessionIdleMs: 600_000 });
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const first = await session(url);
  await clock.advance(1_000);
  const second = await session(url);
  await clock.advance(1_000);
  await post(url, ping, first);
  await clock.advance(1_000);
  const third = await session(url);
  assert.deepEqual(
    [
      (await post(url, ping, first)).status,
      (await post(url, ping, second)).status,
      (await post(url, ping, third)).status,
    ],
    [200, 404, 200],
  );
  const stream = await send(url, { method: 'GET', headers: first });
  await clock.advance(700_000);
  assert.equal(front.sessionCount, 1, 'a listening client is not idle');
  assert.equal((await post(url, ping, third)).status, 404);
  const fourth = await session(url);
  const waiting = await send(url, { method: 'GET', headers: fourth });
  const refused = await post(url, initializeMessage);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '30']);
  stream.hangUp();
  waiting.hangUp();
});

test('a lone answer is JSON; earlier messages make it a stream', async (t) => {
  const { url } = await open(t);
  const own = await session(url);
  const plain = await post(
    url,
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } },
    own,
  );
  assert.equal(plain.headers['content-type'], 'application/json');
  const { response } = await send(url, {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'report', _meta: { progressToken: 't' } },
    }),
    headers: own,
  });
  assert.equal(response.headers['content-type'], 'text/event-stream');
  assert.equal(response.headers['x-accel-buffering'], 'no');
  const reader = new EventReader(response);
  await reader.ended.promise;
  assert.equal(reader.events[0]?.data, '', 'the first event only carries an id');
  assert.ok(reader.events.every(({ id }) => id !== undefined));
  assert.deepEqual(
    reader.messages.map((message) => message['method'] ?? message['id']),
    ['notifications/progress', 'notifications/progress', 'notifications/progress', 'notifications/message', 3],
  );
});

test('a slow answer becomes a stream with heartbeats', async (t) => {
  const clock = new ManualClock();
  const { url, seen } = await open(t, { clock, keepAliveMs: 5_000 });
  const pending = send(url, modern('tools/call', { name: 'wait' }));
  await seen.waiting.promise;
  await clock.advance(5_000);
  const { response, hangUp } = await pending;
  assert.equal(response.headers['content-type'], 'text/event-stream');
  const reader = new EventReader(response);
  await clock.advance(5_000);
  await reader.atLeast(1);
  assert.equal(reader.comments, 1);
  hangUp();
  assert.ok(isCancelled(await seen.aborted.promise), 'a disconnect cancels the request');
});

test('a disconnect cancels a stateless request without output so far', async (t) => {
  const { url, seen, server } = await open(t);
  const target = new URL(url);
  const options = modern('tools/call', { name: 'wait' });
  const request = httpRequest({
    host: target.hostname,
    port: target.port,
    path: '/mcp',
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...(options?.headers as Record<string, string>) },
  });
  request.on('error', () => undefined);
  request.end(options?.body);
  await seen.waiting.promise;
  request.destroy();
  assert.ok(isCancelled(await seen.aborted.promise));
  assert.equal(server.connectionCount, 0);
});

test('in a session a disconnect cancels nothing: the client resumes for the rest', async (t) => {
  const { url, tools } = await open(t);
  const gate = new Deferred<void>();
  tools.add({
    tool: { name: 'slow', inputSchema: { type: 'object' } },
    call: async (_args, context) => {
      context.log('error', 'begun');
      await gate.promise;
      context.log('error', 'missed');
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const own = await session(url);
  const { response, hangUp } = await send(url, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'slow' } }),
    headers: own,
  });
  const first = new EventReader(response);
  await first.atLeast(2);
  const lastId = first.events.at(-1)?.id ?? '';
  hangUp();
  await first.ended.promise;
  gate.resolve();
  await settle();
  const again = await send(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } });
  const second = new EventReader(again.response);
  await second.ended.promise;
  assert.deepEqual(
    second.messages.map((message) => message['params']?.data ?? message['id']),
    ['missed', 'slow'],
  );
  const third = new EventReader(
    (await send(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } })).response,
  );
  await third.ended.promise;
  assert.equal(third.messages.length, 2, 'a finished stream can be requested again');
  for (const unknown of ['nope.1', 'post1.99', '.', `${lastId}9`])
    assert.equal((await reply(url, { method: 'GET', headers: { ...own, 'last-event-id': unknown } })).status, 400);
});

test('a stream that ended without further events is not resumed, so that the client stops reconnecting', async (t) => {
  const { url, seen } = await open(t);
  const own = await session(url);
  const get = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  const { response } = await send(url, {
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'w',
      method: 'tools/call',
      params: { name: 'wait', _meta: { progressToken: 1 } },
    }),
    headers: own,
  });
  const reader = new EventReader(response);
  await seen.waiting.promise;
  await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }, own);
  await reader.ended.promise;
  const lastId = reader.events.at(-1)?.id ?? 'post1.0';
  const again = await reply(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } });
  assert.deepEqual([again.status, again.text], [204, '']);
  assert.equal(get.ended.isSettled, false, 'the stream of the session stays open');
});

test('a handler can disconnect the client and let it resume', async (t) => {
  const { url, tools } = await open(t);
  const gate = new Deferred<void>();
  tools.add({
    tool: { name: 'later', inputSchema: { type: 'object' } },
    call: async (_args, context) => {
      context.releaseStream(250);
      await gate.promise;
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const own = await session(url);
  const released = await reply(url, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'later' } }),
    headers: own,
  });
  assert.match(released.text, /^id: (post\d+\.1)\ndata:\n\nretry: 250\n\n$/);
  const lastId = /^id: (\S+)/.exec(released.text)?.[1] ?? '';
  const again = await send(url, { method: 'GET', headers: { ...own, 'last-event-id': lastId } });
  gate.resolve();
  const reader = new EventReader(again.response);
  await reader.ended.promise;
  assert.deepEqual(
    reader.messages.map((message) => message['id']),
    [9],
  );
});

test('messages that belong to no request wait for the GET stream; a second stream replaces the first', async (t) => {
  const { url, tools } = await open(t);
  const own = await session(url);
  const change = (): void =>
    tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) }).dispose();
  change();
  await settle();
  const first = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  await first.atLeast(1);
  const second = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  await first.ended.promise;
  change();
  await second.atLeast(1);
  assert.deepEqual(
    [...first.messages, ...second.messages].map((message) => message['method']),
    ['notifications/tools/list_changed', 'notifications/tools/list_changed'],
  );
});

test('batches of 2025-03-26 are answered in one array, and refused in other sessions', async (t) => {
  const { url } = await open(t);
  const batch = [
    { jsonrpc: '2.0', id: 'a', method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/x' },
    { jsonrpc: '2.0', id: 'b', method: 'ping' },
  ];
  const old = await post(url, batch, await session(url, '2025-03-26'));
  assert.deepEqual(
    (JSON.parse(old.text) as Message[]).map((answer) => answer['id']),
    ['a', 'b'],
  );
  const own = await session(url);
  assert.equal((await post(url, batch, own)).status, 400);
  const twice = [batch[0], batch[0]];
  assert.equal((await post(url, twice, await session(url, '2025-03-26'))).status, 400);
  assert.equal((await post(url, [initializeMessage])).status, 400);
});

test('stateless errors have the statuses of the specification', async (t) => {
  const { url } = await open(t);
  const version = 'io.modelcontextprotocol/protocolVersion';
  const cases: [status: number, code: number | undefined, request: Parameters<typeof send>[1]][] = [
    [200, undefined, modern('server/discover')],
    [400, -32602, modern('server/discover', { _meta: {} })],
    [400, -32602, modern('server/discover', { _meta: undefined })],
    [400, -32602, { body: '{"jsonrpc":"2.0","id":1,"method":"server/discover"}' }],
    [400, -32022, modern('tools/list', { _meta: { ...meta, [version]: 'v9' } }, { 'mcp-protocol-version': 'v9' })],
    [400, -32020, modern('tools/list', { _meta: { ...meta, [version]: 'v9' } })],
    [400, -32020, modern('tools/list', {}, { 'mcp-protocol-version': undefined })],
    [400, -32020, modern('tools/list', {}, { 'mcp-method': 'prompts/list' })],
    [400, -32020, modern('tools/list', {}, { 'mcp-method': undefined })],
    [400, -32020, modern('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' })],
    [400, -32020, modern('tools/call', { name: 'echo', arguments: { text: 'x' } }, { 'mcp-name': 'other' })],
    [400, -32020, modern('resources/read', { uri: 'test://a' }, { 'mcp-name': undefined })],
    [
      200,
      undefined,
      modern(
        'resources/read',
        { uri: 'test://a' },
        { 'mcp-name': `=?base64?${Buffer.from('test://a').toString('base64')}?=` },
      ),
    ],
    [400, -32021, modern('tools/call', { name: 'ask' })],
    [404, -32601, modern('ping')],
    [404, -32601, modern('initialize')],
    [200, -32602, modern('tools/call', { name: 'nope' })],
    [200, undefined, modern('tools/list', {}, { 'mcp-session-id': 'whatever', 'last-event-id': 'x' })],
  ];
  for (const [status, code, request] of cases) {
    const answer = await reply(url, request);
    assert.deepEqual([answer.status, answer.body['error']?.code], [status, code], JSON.stringify(request));
    assert.equal(answer.body['id'], 1);
    assert.equal(answer.headers['mcp-session-id'], undefined);
  }
  const notified = await reply(url, {
    ...modern('notifications/whatever'),
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/whatever', params: { _meta: meta } }),
  });
  assert.equal(notified.status, 202);
});

test('parameters that are mirrored in headers must match the body', async (t) => {
  const { url, tools } = await open(t);
  tools.add({
    tool: {
      name: 'mirrored',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          count: { type: 'integer', 'x-mcp-header': 'Count' },
          nested: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry' } } },
        },
      },
    },
    call: () => ({ content: [] }),
  });
  const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  const cases: [ok: boolean, args: Message, headers: Record<string, string>][] = [
    [true, {}, {}],
    [true, { region: null }, {}],
    [true, { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [true, { region: 'eu' }, { 'Mcp-Param-REGION': '  eu ' }],
    [true, { region: 'Zürich' }, { 'mcp-param-region': base64('Zürich') }],
    [true, { region: '' }, { 'mcp-param-region': base64('') }],
    [true, { region: '=?base64?' }, { 'mcp-param-region': '=?base64?' }],
    [true, { count: 42 }, { 'mcp-param-count': '42' }],
    [true, { count: 42 }, { 'mcp-param-count': '42.0' }],
    [true, { nested: { dry: false } }, { 'mcp-param-dry': 'false' }],
    [false, { region: 'eu' }, {}],
    [false, { region: 'eu' }, { 'mcp-param-region': 'us' }],
    [false, {}, { 'mcp-param-region': 'eu' }],
    [false, { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    [false, { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    [false, { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }],
    [false, { region: '\ufffd' }, { 'mcp-param-region': `=?base64?${Buffer.from([0xff]).toString('base64')}?=` }],
    [false, { count: 42 }, { 'mcp-param-count': '42.5' }],
    [false, { count: 42 }, { 'mcp-param-count': '0x2a' }],
    [false, { nested: { dry: true } }, { 'mcp-param-dry': '1' }],
  ];
  for (const [ok, args, headers] of cases) {
    const answer = await reply(url, modern('tools/call', { name: 'mirrored', arguments: args }, headers));
    assert.deepEqual(
      [answer.status, answer.body['error']?.code],
      ok ? [200, undefined] : [400, -32020],
      JSON.stringify([args, headers]),
    );
  }
});

test('ids of any legal kind are returned unchanged, also zero and empty', async (t) => {
  const { url } = await open(t);
  for (const id of [0, '', 'a', -1])
    assert.strictEqual((await reply(url, modern('server/discover', {}, {}, id))).body['id'], id);
});

test('closing ends streams and sessions, and no requests are served any more', async (t) => {
  const { url, front } = await open(t);
  const own = await session(url);
  const stream = new EventReader((await send(url, { method: 'GET', headers: own })).response);
  const listen = new EventReader(
    (await send(url, modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, {}, 'sub')))
      .response,
  );
  await listen.atLeast(1);
  await front.close();
  await stream.ended.promise;
  await listen.ended.promise;
  assert.deepEqual(
    listen.messages.map((message) => message['method'] ?? message['result']?.resultType),
    ['notifications/subscriptions/acknowledged', 'complete'],
  );
  await assert.rejects(post(url, initializeMessage));
  await front.close();
});
