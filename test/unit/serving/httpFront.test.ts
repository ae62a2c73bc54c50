import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import type { Message } from './peers.js';
import { meta, sampleServer } from './peers.js';
import { open, send, reply, post, initializeMessage, session, modern, EventReader } from './rawClient.js';

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
