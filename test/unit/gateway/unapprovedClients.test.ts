import type { ClientClaim } from '../../../src/core/gateway/gatewayClients.js';
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { LineTransport } from '../../../src/core/serving/lineTransport.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock } from '../../support/manualClock.js';
import { accept, initializeMessage, modern, post, reply, send } from '../serving/rawClient.js';
import { meta } from '../serving/peers.js';
import { openedGateway } from '../../support/openedGateway.js';
import { heapBytes } from '../../support/heapBytes.js';

const authorization = 'Bearer secret';
const mebibyte = 1024 * 1024;

/** A gateway that admits the clients called "friend". The user answers no question. */
async function open(t: TestContext, clock = new ManualClock()) {
  const approvals = {
    isApproved: ({ name }: ClientClaim) => name === 'friend',
    ask: () => new Promise<boolean>(() => undefined),
  };
  return (await openedGateway(t, { clock, approvals })).gateway;
}

const withName = (name: string) => ({
  ...initializeMessage,
  params: { ...initializeMessage.params, clientInfo: { name, version: '1' } },
});

/** The headers of a new session of a client with this name. */
async function sessionOf(url: string, name: string): Promise<Record<string, string>> {
  const { headers } = await post(url, withName(name), { authorization });
  const own = { authorization, 'mcp-session-id': String(headers['mcp-session-id']) };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own);
  return own;
}

/** The status of an answer. A client may lose the connection of a refused body before it reads the answer. */
const statusOf = (answer: ReturnType<typeof reply>) =>
  answer.then(
    ({ status }) => status,
    () => 413,
  );

test('[GW15] silent connections and streams of clients that are not approved leave room for the others', async (t) => {
  const { url, port } = await open(t);
  const own = await sessionOf(url, 'stranger');
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  const headers = Object.entries({ host: `127.0.0.1:${port}`, accept, ...own }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  let ended = 0;
  for (let index = 0; index < 600; index++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume().once('close', () => ended++);
    sockets.push(socket);
    socket.write(`GET /mcp HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  }
  await until(() => ended >= 300, 60_000);
  const friend = await post(url, withName('friend'), { authorization });
  assert.equal(friend.status, 200);
});

test('[GW15] the event stream of a client that is not approved ends after a minute, and that of others goes on', async (t) => {
  const clock = new ManualClock();
  const { url } = await open(t, clock);
  const streamOf = async (name: string) => {
    const own = await sessionOf(url, name);
    if (name === 'friend') await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, own);
    const { response, hangUp } = await send(url, { method: 'GET', headers: own });
    t.after(hangUp);
    const stream = { isEnded: false };
    response
      .resume()
      .on('error', () => undefined)
      .once('end', () => (stream.isEnded = true));
    return stream;
  };
  const [stranger, friend] = [await streamOf('stranger'), await streamOf('friend')];
  await clock.advance(60_000);
  await until(() => stranger.isEnded);
  assert.equal(friend.isEnded, false);
});

test('[GW15] the stream of changes of a 2026-07-28 client that is not approved ends after a minute, and that of others goes on', async (t) => {
  const clock = new ManualClock();
  const { url } = await open(t, clock);
  const streamOf = async (name: string) => {
    const _meta = { ...meta, 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
    await reply(url, modern('server/discover', { _meta }, { authorization }));
    // The time in which lists and streams wait for the answer to the question about the client.
    await clock.advance(5_000);
    const params = { _meta, notifications: { toolsListChanged: true } };
    const { response, hangUp } = await send(url, modern('subscriptions/listen', params, { authorization }));
    t.after(hangUp);
    const stream = { isEnded: false, text: '' };
    response
      .on('data', (chunk) => (stream.text += String(chunk)))
      .on('error', () => undefined)
      .once('end', () => (stream.isEnded = true));
    await until(() => stream.text.includes('subscriptions/acknowledged'));
    return stream;
  };
  const [stranger, friend] = [await streamOf('stranger'), await streamOf('friend')];
  await clock.advance(60_000);
  await until(() => stranger.isEnded);
  assert.equal(friend.isEnded, false);
});

test('[GW15] a body of more than 1 MiB is refused before its client is approved, in both eras', async (t) => {
  const { url } = await open(t);
  const filler = 'x'.repeat(2 * mebibyte);
  const initialize = { ...withName('friend'), params: { ...withName('friend').params, filler } };
  assert.equal(await statusOf(post(url, initialize, { authorization })), 413);
  for (const [name, status] of [
    ['stranger', 413],
    ['friend', 200],
  ] as const) {
    const own = await sessionOf(url, name);
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { filler } };
    assert.equal(await statusOf(post(url, list, own)), status, `${name}, in a session`);
    const named = { ...meta, 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
    for (const params of [
      { filler, _meta: named },
      { _meta: named, filler },
    ])
      assert.equal(await statusOf(reply(url, modern('tools/list', params, { authorization }))), status, name);
  }
});

test('[GW15] what a client says about itself is kept only in part, and large capabilities are refused', async (t) => {
  const { url, clients } = await open(t);
  const members = Object.fromEntries(Array.from({ length: 40_000 }, (_one, index) => [`m${index}`, 0]));
  const initialize = (params: object) =>
    post(url, { ...initializeMessage, params: { ...initializeMessage.params, ...params } }, { authorization });
  const refused = await initialize({ capabilities: { experimental: members } });
  assert.match(refused.text, /larger than 64 KiB/);
  const before = await heapBytes();
  for (let count = 0; count < 40; count++)
    await initialize({ clientInfo: { name: `${count}${'n'.repeat(300_000)}`, version: '1', ...members } });
  const growth = ((await heapBytes()) - before) / mebibyte;
  assert.ok(growth < 10, `${growth} MiB`);
  assert.equal(clients.list.length, 40);
});

test('[GW15] on the door, a large call of a client that is not approved does not wait', async (t) => {
  const { server } = await open(t);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  output.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)));
  const transport = new LineTransport(input, output, { maxBytes: 16 * mebibyte, release: () => undefined });
  const connection = await server.connect(transport, undefined, { transport: 'stdio', query: '' });
  t.after(() => connection.dispose());
  const write = (message: object) => input.write(`${JSON.stringify(message)}\n`);
  write(withName('stranger'));
  write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = (id: number, text: string) =>
    write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a', arguments: { text } } });
  call(7, 'small');
  call(8, 'x'.repeat(mebibyte));
  await until(() => lines.some((line) => line.includes('"id":8')), 10_000);
  assert.match(lines.find((line) => line.includes('"id":8')) ?? '', /has not approved/);
  assert.ok(!lines.some((line) => line.includes('"id":7')), 'the small call waits');
});
