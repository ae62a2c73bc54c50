/** HTTP+SSE and WebSocket: which clients they accept, and their limits. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { ClientOptions } from 'ws';
import { WebSocket } from 'ws';
import { Deferred } from '../../../src/core/base/deferred.js';
import type { ClientGate } from '../../../src/core/serving/clientGate.js';
import type { LoopbackOptions } from '../../../src/core/serving/loopbackHttp.js';
import { SseFront } from '../../../src/core/serving/sseFront.js';
import { WebSocketFront } from '../../../src/core/serving/webSocketFront.js';
import { until } from '../../support/httpUntil.js';
import type { Message } from './peers.js';
import { meta, sampleServer } from './peers.js';
import { initializeMessage, post, reply, send } from './rawClient.js';

const fronts = { sse: SseFront, ws: WebSocketFront };

async function open<K extends keyof typeof fronts>(t: TestContext, way: K, options: Partial<LoopbackOptions> = {}) {
  const { gate, ...rest } = options as typeof options & { gate?: ClientGate };
  const sample = sampleServer(gate ? { gate } : {});
  const front = new fronts[way]({ server: sample.server, ...rest });
  const { url } = await front.listen();
  t.after(async () => {
    await front.close();
    sample.server.dispose();
  });
  return { ...sample, front, url };
}

/** A stream of HTTP+SSE. The first event is the address for messages. */
async function stream(url: string, headers: Record<string, string> = {}) {
  const { response, hangUp } = await send(url, { method: 'GET', headers: { accept: 'text/event-stream', ...headers } });
  let text = '';
  response.on('data', (chunk) => (text += String(chunk)));
  const ended = new Deferred<void>();
  response.on('close', () => ended.resolve());
  response.on('error', () => undefined);
  const messages = () =>
    [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data ?? ''));
  const endpoint = () => /^event: endpoint\ndata: (.*)\n\n/.exec(text)?.[1];
  await until(() => response.statusCode !== 200 || endpoint() !== undefined);
  const to = new URL(endpoint() ?? '', url).href;
  const tell = (message: unknown, more: Record<string, string | undefined> = {}) =>
    reply(to, { path: endpoint() ?? '', body: JSON.stringify(message), headers: { ...headers, ...more } });
  return { status: response.statusCode, response, messages, endpoint, tell, hangUp, ended: ended.promise };
}

/** A WebSocket. `refused` is the status of a refused handshake. */
async function webSocket(url: string, options: ClientOptions = {}, protocols = ['mcp']) {
  const socket = new WebSocket(url, protocols, options);
  const messages: Message[] = [];
  const closed = new Deferred<{ code: number; reason: string }>();
  const opened = new Deferred<number | undefined>();
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
  socket.on('error', () => undefined);
  socket.on('open', () => opened.resolve(undefined));
  socket.on('unexpected-response', (request, response) => {
    opened.resolve(response.statusCode);
    request.destroy();
  });
  const refused = await opened.promise;
  return { socket, messages, closed: closed.promise, refused };
}

const authorization = 'Bearer right';
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const call = (name: string, args: Message = {}, id = 2) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const refusals: [string, Record<string, string>, number][] = [
  ['without a token', {}, 401],
  ['with a wrong token', { authorization: 'Bearer wrong' }, 401],
  ['of a web page', { authorization, origin: 'https://example.com' }, 403],
  ['for another host name', { authorization, host: 'example.com' }, 403],
  ['of another site', { authorization, 'sec-fetch-site': 'cross-site' }, 403],
];
for (const [what, headers, status] of refusals) {
  test(`[G3] HTTP+SSE refuses a stream and a message ${what}`, async (t) => {
    const { url, front } = await open(t, 'sse', { token: 'right' });
    const { endpoint } = await stream(url, { authorization });
    const opened = await reply(url, { method: 'GET', headers });
    const told = await reply(url, { path: endpoint() ?? '', body: JSON.stringify(initializeMessage), headers });
    assert.deepEqual([opened.status, told.status, front.sessionCount], [status, status, 1]);
  });

  test(`[G3] WebSocket refuses a connection ${what}`, async (t) => {
    const { url, front } = await open(t, 'ws', { token: 'right' });
    const { refused } = await webSocket(url, { headers });
    assert.deepEqual([refused, front.sessionCount], [status, 0]);
  });
}

test('HTTP+SSE answers on the stream, and a client ends with its stream', async (t) => {
  const { url, front, seen } = await open(t, 'sse');
  const { tell, messages, hangUp, response } = await stream(url);
  assert.equal(response.headers['content-type'], 'text/event-stream');
  assert.equal((await tell(initializeMessage)).status, 202);
  assert.equal((await tell(initialized, { accept: undefined })).status, 202, 'a client need not accept anything');
  await tell(call('echo', { text: 'hello' }));
  await until(() => messages().length === 2);
  assert.deepEqual(
    messages().map(({ id, result }) => [id, result.serverInfo?.name ?? result.content[0].text]),
    [
      [1, 'sample'],
      [2, 'hello'],
    ],
  );
  await tell(call('wait', {}, 3));
  await seen.waiting.promise;
  hangUp();
  await seen.aborted.promise;
  await until(() => front.sessionCount === 0);
  assert.equal((await tell(call('echo', { text: 'late' }, 4))).status, 404);
});

test('HTTP+SSE answers a request of 2026-07-28 with the versions that it has', async (t) => {
  const { url } = await open(t, 'sse');
  const { tell, messages } = await stream(url);
  await tell({ jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: meta } });
  await tell({ ...call('echo', { text: 'x' }), params: { name: 'echo', _meta: meta } });
  await until(() => messages().length === 2);
  const message =
    'MCP 2026-07-28 has no HTTP+SSE. Over HTTP+SSE, this server supports protocol versions up to 2025-11-25, which begin with initialize.';
  assert.deepEqual(messages(), [
    { jsonrpc: '2.0', id: 'd', error: { code: -32601, message } },
    { jsonrpc: '2.0', id: 2, error: { code: -32601, message } },
  ]);
});

test('HTTP+SSE refuses clients of Streamable HTTP in plain text, so that they try HTTP+SSE', async (t) => {
  const { url } = await open(t, 'sse');
  const { status, headers, text } = await post(url, initializeMessage);
  assert.deepEqual([status, headers.allow, headers['content-type']], [405, 'GET', 'text/plain; charset=utf-8']);
  assert.match(text, /^This server has only HTTP\+SSE/);
  assert.equal((await reply(url, { method: 'DELETE' })).status, 405);
  assert.equal((await reply(url, { method: 'GET', headers: { accept: 'application/json' } })).status, 406);
});

test('[G4] HTTP+SSE refuses messages that are too large, not JSON, or of another type', async (t) => {
  const { url } = await open(t, 'sse', { maxBodyBytes: 1_000 });
  const { tell, endpoint } = await stream(url);
  assert.equal((await tell({ filler: 'x'.repeat(1_000) })).status, 413);
  assert.equal((await reply(url, { path: endpoint() ?? '', body: '{' })).status, 400);
  assert.equal((await tell(initializeMessage, { 'content-type': 'text/plain' })).status, 415);
});

test('[GW6] one client more than the limit is refused with 429, until another one has left', async (t) => {
  const { url, front } = await open(t, 'sse', { maxSessions: 1 });
  const first = await stream(url);
  const refused = await reply(url, { method: 'GET' });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '30']);
  first.hangUp();
  await until(() => front.sessionCount === 0);
  assert.equal((await stream(url)).status, 200);

  const sockets = await open(t, 'ws', { maxSessions: 1 });
  const one = await webSocket(sockets.url);
  assert.equal((await webSocket(sockets.url)).refused, 429);
  one.socket.close();
  await until(() => sockets.front.sessionCount === 0);
  assert.equal((await webSocket(sockets.url)).refused, undefined);
});

test('[GW15] the bytes of open requests are limited together, until each request has ended', async (t) => {
  const large = { filler: 'x'.repeat(40_000) };
  const { url, seen } = await open(t, 'sse', { maxOpenBytes: 50_000 });
  const { tell } = await stream(url);
  await tell(initializeMessage);
  await tell(initialized);
  assert.equal((await tell(call('wait', large))).status, 202);
  await seen.waiting.promise;
  assert.equal((await tell(call('echo', large, 3))).status, 429);
  await tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await seen.aborted.promise;
  assert.equal((await tell(call('echo', { text: 'x', ...large }, 4))).status, 202);

  const sockets = await open(t, 'ws', { maxOpenBytes: 50_000 });
  const { socket, closed } = await webSocket(sockets.url);
  for (const message of [initializeMessage, initialized, call('wait', large)]) socket.send(JSON.stringify(message));
  await sockets.seen.waiting.promise;
  socket.send(JSON.stringify(call('echo', large, 3)));
  assert.deepEqual(await closed, { code: 1013, reason: 'The open requests are too large together.' });
  await sockets.seen.aborted.promise;
});

test('[W1] WebSocket needs the sub-protocol, and refuses requests without a handshake', async (t) => {
  const { url } = await open(t, 'ws');
  assert.equal((await webSocket(url, {}, [])).refused, 400);
  assert.equal((await webSocket(url, {}, ['soap'])).refused, 400);
  const { socket, refused } = await webSocket(url, {}, ['soap', 'mcp']);
  assert.deepEqual([refused, socket.protocol], [undefined, 'mcp']);
  const plain = await reply(url.replace(/^ws/, 'http'), { method: 'GET' });
  assert.deepEqual([plain.status, plain.headers.upgrade], [426, 'websocket']);
});

test('[G4] WebSocket closes the connection of a client that sends something else than messages', async (t) => {
  const { url } = await open(t, 'ws', { maxBodyBytes: 1_000 });
  const codes: number[] = [];
  for (const data of [Buffer.from([1]), '{', '['.repeat(300) + ']'.repeat(300), 'x'.repeat(2_000)]) {
    const { socket, closed } = await webSocket(url);
    socket.send(data);
    codes.push((await closed).code);
  }
  assert.deepEqual(codes, [1003, 1007, 1007, 1009]);
});

test('a client that was not admitted may send only small messages', async (t) => {
  const gate: ClientGate = {
    arrived: () => undefined,
    admit: ({ client }) => (client?.name === 'raw' ? undefined : new Promise(() => undefined)),
    admitSoon: ({ client }) => (client?.name === 'raw' ? undefined : Promise.resolve(false)),
    isAdmitted: () => false,
  };
  const large = call('echo', { text: 'x'.repeat(1_100_000) }, 3);
  const options = { gate } as Partial<LoopbackOptions>;
  const stranger = {
    ...initializeMessage,
    params: { ...initializeMessage.params, clientInfo: { name: 'stranger', version: '1' } },
  };
  const sse = await open(t, 'sse', options);
  const sockets = await open(t, 'ws', options);
  for (const [hello, expected] of [
    [stranger, [413, 1009]],
    [initializeMessage, [202, undefined]],
  ] as const) {
    const { tell, messages } = await stream(sse.url);
    for (const message of [hello, initialized, call('echo', { text: 'small' })]) await tell(message);
    if (hello === initializeMessage) await until(() => messages().length === 2);
    const { status } = await tell(large);
    const web = await webSocket(sockets.url);
    for (const message of [hello, initialized, call('echo', { text: 'small' })])
      web.socket.send(JSON.stringify(message));
    if (hello === initializeMessage) await until(() => web.messages.length === 2);
    web.socket.send(JSON.stringify(large));
    const code = hello === stranger ? (await web.closed).code : undefined;
    if (hello === initializeMessage) await until(() => web.messages.length === 3 && messages().length === 3);
    assert.deepEqual([status, code], expected);
  }
});

test('a message of more than 16 MiB arrives on a stream and on a WebSocket', async (t) => {
  const text = 'x'.repeat(20 * 1024 * 1024);
  const limits = { maxBodyBytes: 32 * 1024 * 1024 };
  const { url } = await open(t, 'sse', limits);
  const { tell, messages } = await stream(url);
  for (const message of [initializeMessage, initialized, call('echo', { text })]) await tell(message);
  await until(() => messages().length === 2);
  assert.equal(messages()[1].result.content[0].text.length, text.length);

  const sockets = await open(t, 'ws', limits);
  const web = await webSocket(sockets.url);
  for (const message of [initializeMessage, initialized, call('echo', { text })])
    web.socket.send(JSON.stringify(message));
  await until(() => web.messages.length === 2);
  assert.equal(web.messages[1]?.['result'].content[0].text.length, text.length);
});

test('the end of a front closes every connection, also one whose client does not answer', async (t) => {
  const { url, front } = await open(t, 'sse');
  const { ended } = await stream(url);
  await front.close();
  await ended;
  const sockets = await open(t, 'ws');
  const polite = await webSocket(sockets.url);
  const silent = await webSocket(sockets.url);
  silent.socket.pause();
  await sockets.front.close();
  assert.deepEqual(await polite.closed, { code: 1001, reason: '' });
  await until(() => sockets.front.sessionCount === 0);
  silent.socket.terminate();
});
