import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as netConnect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../support/httpUntil.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import type { Message } from './peers.js';
import { meta } from './peers.js';
import { open, accept, send, reply, post, initializeMessage, session, modern, EventReader } from './rawClient.js';

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

test('[GW15] requests that wait for an earlier request of the same connection end with the connection', async (t) => {
  const { port, url, tools } = await open(t, { maxOpenRequests: 3, maxOpenBytes: 50_000 });
  let running = 0;
  tools.add({
    tool: { name: 'hang', inputSchema: { type: 'object' } },
    call: (_args, { signal }) => {
      running++;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          running--;
          reject(signal.reason);
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

test('[GW15] the events that all sessions keep are limited: the session with the largest events drops its oldest ones', async (t) => {
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
