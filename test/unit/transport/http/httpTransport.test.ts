import assert from 'node:assert/strict';
import http from 'node:http';
import type net from 'node:net';
import { describe, test } from 'node:test';
import zlib from 'node:zlib';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { HttpConnections } from '../../../../src/core/transport/http/httpConnections.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { SeenRequest } from '../../../support/httpTestServer.js';
import {
  eventText,
  HttpTestServer,
  legacyServer,
  sendJson,
  sendResult,
  startEvents,
} from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { ManualClock } from '../../../support/manualClock.js';
import { connected, headersOf, open, start } from './startedTransport.js';

describe('[H1] a POST', () => {
  test('contains the headers of the revision, and the configured ones', async () => {
    const { server, peer } = await connected((seen) => sendResult(seen), {
      sessionId: 'abc',
      headers: { 'X-Key': 'k' },
      userAgent: 'Deck/1',
    });
    await peer.request('tools/list');
    const names = [
      'accept',
      'content-type',
      'connection',
      'mcp-protocol-version',
      'mcp-session-id',
      'x-key',
      'user-agent',
    ];
    const common = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      connection: 'keep-alive',
      'x-key': 'k',
      'user-agent': 'Deck/1',
    };
    const ofInitialize = await server.request(({ rpc }) => rpc?.method === 'initialize');
    assert.deepEqual(headersOf(ofInitialize, ...names), {
      ...common,
      'mcp-protocol-version': undefined,
      'mcp-session-id': undefined,
    });
    const ofList = await server.request(({ rpc }) => rpc?.method === 'tools/list');
    assert.deepEqual(headersOf(ofList, ...names), {
      ...common,
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': 'abc',
    });
  });

  test('of the modern era contains its own headers and no session', async () => {
    const { server, transport, peer } = await start((seen) => sendResult(seen, {}, { 'mcp-session-id': 'abc' }));
    await transport.open(peer);
    for (let i = 0; i < 2; i++)
      await peer.request(
        'tools/call',
        {},
        { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'mcp-param-a': 'x' },
      );
    assert.deepEqual(
      headersOf(server.seen[1] as SeenRequest, 'mcp-protocol-version', 'mcp-method', 'mcp-param-a', 'mcp-session-id'),
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-param-a': 'x',
        'mcp-session-id': undefined,
      },
    );
    await transport.close();
    assert.deepEqual(server.log, ['POST tools/call', 'POST tools/call']);
  });

  test('whose header node refuses fails only that request, without showing the value', async () => {
    const { peer } = await connected((seen) => sendResult(seen));
    const bad = peer.request('tools/call', {}, { 'mcp-name': 'secret\r\nX: 1' });
    await assert.rejects(bad, (error: any) => error.code === 'send-failed' && !error.message.includes('secret'));
    await peer.request('tools/list');
  });
});

describe('an answer', () => {
  test('may be JSON, events, or a batch', async () => {
    const { peer } = await connected((seen) => {
      const answer = { jsonrpc: '2.0', id: seen.rpc?.id, result: { as: seen.rpc?.method } };
      if (seen.rpc?.method === 'events')
        startEvents(seen, { 'content-type': 'text/event-stream; charset=utf-8' }).end(
          eventText({ jsonrpc: '2.0', method: 'note' }) + eventText(answer),
        );
      else if (seen.rpc?.method === 'batch') sendJson(seen, [{ jsonrpc: '2.0', method: 'note' }, answer]);
      else
        sendJson(seen, `\ufeff${JSON.stringify(answer)}`, 200, { 'content-type': 'Application/JSON; charset=utf-8' });
    });
    for (const method of ['json', 'events', 'batch']) assert.deepEqual(await peer.request(method), { as: method });
    assert.equal(
      peer.messages.filter((message) => message.method === 'note' || message[0]?.method === 'note').length,
      2,
    );
  });

  test('of several MiB arrives complete, in either form', async () => {
    const text = 'ä"\\\n'.repeat(512 * 1024);
    const { peer } = await connected((seen) => {
      const answer = { jsonrpc: '2.0', id: seen.rpc?.id, result: { text } };
      if (seen.rpc?.method === 'events') startEvents(seen).end(eventText(answer));
      else sendJson(seen, answer);
    });
    for (const method of ['json', 'events']) assert.ok((await peer.request(method)).text === text);
  });

  test('leaves its connection open for the next request', async () => {
    const { server, peer } = await connected((seen) => {
      if (seen.rpc?.method === 'events')
        startEvents(seen).end(eventText({ jsonrpc: '2.0', id: seen.rpc.id, result: {} }));
      else sendResult(seen);
    });
    for (const method of ['a', 'events', 'b', 'events', 'c']) {
      await peer.request(method);
      await until(() => server.seen.every(({ response }) => response.writableFinished));
    }
    const posts = server.seen.filter(({ method }) => method === 'POST');
    // The GET stream may have taken the first one.
    assert.ok(
      new Set(posts.slice(2).map(({ connection }) => connection)).size <= 2,
      JSON.stringify(posts.map(({ connection }) => connection)),
    );
  });

  test('[H8] is decompressed', async () => {
    const { peer } = await connected((seen) => {
      const json = JSON.stringify({ jsonrpc: '2.0', id: seen.rpc?.id, result: { text: 'x'.repeat(1_000) } });
      const [encoding, bytes] = {
        gzip: ['gzip', zlib.gzipSync(json)],
        br: ['br', zlib.brotliCompressSync(json)],
        deflate: ['deflate', zlib.deflateSync(json)],
      }[seen.rpc?.method as 'gzip'] as [string, Buffer];
      seen.response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(bytes);
    });
    for (const method of ['gzip', 'br', 'deflate']) assert.equal((await peer.request(method)).text.length, 1_000);
  });

  test('[H8] is compressed only if that was offered', async () => {
    const pack = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync } as const;
    for (const [compression, offers] of [
      [true, ['gzip', 'br']],
      [false, []],
    ] as const) {
      const { server, peer } = await connected(
        (seen) => {
          const offered = String(seen.headers['accept-encoding'] ?? '').split(', ');
          const json = JSON.stringify({
            jsonrpc: '2.0',
            id: seen.rpc?.id,
            result: { offered: offered.filter(Boolean), text: 'x'.repeat(1_000) },
          });
          const encoding = seen.rpc?.method as 'gzip' | 'br';
          if (offered.includes(encoding))
            seen.response
              .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
              .end(pack[encoding](json));
          else sendJson(seen, json);
        },
        { compression },
      );
      for (const method of ['gzip', 'br'])
        assert.deepEqual(await peer.request(method), { offered: offers, text: 'x'.repeat(1_000) });
      await server.close();
    }
  });

  test('in compressed events is delivered before the stream ends', async () => {
    let finish = () => undefined as void;
    const { peer } = await connected((seen) => {
      const response = startEvents(seen, { 'content-encoding': 'gzip' });
      const gzip = zlib.createGzip();
      gzip.pipe(response);
      gzip.write(eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: { early: true } }));
      gzip.flush();
      finish = () => void gzip.end();
    });
    assert.deepEqual(await peer.request('a'), { early: true });
    finish();
  });
});

test('[H3] an idle connection is closed before the server closes it, so that no call is lost', async () => {
  const server = http.createServer((_request, response) =>
    response.writeHead(200, { 'keep-alive': 'timeout=2' }).end('{}'),
  );
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const left = new Promise<void>((resolve) => server.on('connection', (socket) => socket.on('end', resolve)));
  const connections = new HttpConnections();
  await connections.load('http:');
  const { port } = server.address() as net.AddressInfo;
  const request = connections.request(
    connections.poolOf(parseRemoteAddress(`http://127.0.0.1:${port}/`)),
    { host: '127.0.0.1', port, headers: { connection: 'keep-alive' }, idle: undefined },
    false,
    (response) => response.resume(),
  );
  request.end();
  await left;
  connections.dispose();
  server.close();
});

describe('the connections of one server', () => {
  test('are at most 128, and further calls wait for one of them', async () => {
    const waiting: (() => void)[] = [];
    let isFull = false;
    const { server, peer } = await connected((seen) => {
      if (seen.rpc?.method !== 'slow' || isFull) sendResult(seen);
      else waiting.push(() => sendResult(seen));
    });
    const calls = Array.from({ length: 200 }, () => peer.request('slow'));
    await until(() => waiting.length === 128);
    // One more is the event stream.
    assert.equal(server.openConnections, 129);
    isFull = true;
    for (const answer of waiting) answer();
    await Promise.all(calls);
    const seen = server.seen.length;
    await Promise.all(Array.from({ length: 100 }, () => peer.request('quick')));
    assert.equal(server.seen.length, seen + 100);
    assert.equal(server.openConnections, 129);
  });

  test('are used again, and replaced after a reset while they are idle', async () => {
    const sockets = new Set<net.Socket>();
    const { peer, server } = await connected((seen) => {
      if (seen.response.socket) sockets.add(seen.response.socket);
      sendResult(seen);
    });
    for (let count = 0; count < 5; count++) await peer.request('a');
    const before = sockets.size;
    for (const socket of sockets) socket.resetAndDestroy();
    await until(() => server.openConnections === 0);
    assert.deepEqual(await peer.request('a'), await peer.request('a'));
    assert.deepEqual([before, sockets.size], [1, 2]);
  });
});

describe('[H3] a reused connection that turns out to be dead', () => {
  /** A server that closes its second connection's socket instead of answering, once. */
  async function flaky(method: string) {
    let isArmed = false;
    const parts = await connected((seen) => {
      if (isArmed) {
        isArmed = false;
        seen.response.socket?.resetAndDestroy();
      } else sendResult(seen);
    });
    await parts.peer.request('warm');
    await until(() => parts.server.seen.every(({ response }) => response.writableFinished));
    isArmed = true;
    return { ...parts, answer: parts.peer.request(method) };
  }

  test('is replaced once for requests that may be repeated', async () => {
    const { server, answer } = await flaky('tools/list');
    await answer;
    assert.equal(server.log.filter((line) => line === 'POST tools/list').length, 2);
  });

  test('fails a tool call, which may have run', async () => {
    const { server, answer } = await flaky('tools/call');
    await assert.rejects(answer, { code: 'closed' });
    assert.equal(server.log.filter((line) => line === 'POST tools/call').length, 1);
  });
});

describe('[H7] canceling', () => {
  test('aborts an unanswered request, and one with a slow body', async () => {
    const { server, transport, peer } = await connected((seen) => {
      if (seen.rpc?.method === 'trickle')
        seen.response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
      else if (seen.rpc?.method === 'events') startEvents(seen).write(': \n\n');
      else if (seen.rpc?.method !== 'silent') sendResult(seen);
    });
    for (const method of ['silent', 'trickle', 'events']) {
      const id = peer.upcomingId;
      void peer.request(method);
      const seen = await server.request(({ rpc }) => rpc?.method === method);
      transport.cancel(id);
      await until(() => seen.wasAborted);
    }
    await peer.request('next');
    assert.deepEqual(peer.lateFailures, []);
  });

  test('withdraws a request that was not sent yet', async () => {
    const accepts: SeenRequest[] = [];
    const { server, transport, peer } = await start((seen) => {
      if (seen.rpc?.method === 'notifications/initialized') accepts.push(seen);
      else legacyServer()(seen);
    });
    await peer.connect();
    const id = peer.upcomingId;
    void peer.request('dropped');
    const kept = peer.request('kept');
    transport.cancel(id);
    await until(() => accepts.length === 1);
    accepts[0]?.response.writeHead(202).end();
    await kept;
    assert.ok(!server.log.includes('POST dropped'));
  });
});

describe('messages without a timeout of their own', () => {
  test('fail after a while when the server does not accept them', async () => {
    const clock = new ManualClock();
    const { server, peer } = await connected((seen) => sendResult(seen), { clock });
    await server.request(({ rpc }) => rpc?.method === 'notifications/initialized');
    await peer.request('a');
    server.handler = () => undefined;
    const failures: Error[] = [];
    peer.transport.send({ text: '{}', method: 'notifications/x', fail: (error) => failures.push(error) });
    const seen = await server.request(({ body }) => body === '{}');
    await clock.advance(30_000);
    await until(() => seen.wasAborted);
    assert.deepEqual(
      failures.map((error: any) => error.code),
      ['timeout'],
    );
  });

  test('end a stream that stays open long after its answer', async () => {
    const clock = new ManualClock();
    const { server, peer } = await connected(
      (seen) => {
        startEvents(seen).write(eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: {} }));
      },
      { clock },
    );
    await peer.request('a');
    const seen = server.seen.at(-1) as SeenRequest;
    assert.equal(seen.wasAborted, false);
    await clock.advance(30_000);
    await until(() => seen.wasAborted);
    assert.deepEqual(peer.lateFailures, []);
  });
});

describe('closing', () => {
  test('ends everything, reports it once without a reason, and refuses later messages', async () => {
    const { server, transport, peer } = await connected(() => undefined);
    const unanswered = peer.request('a');
    await server.request(({ rpc }) => rpc?.method === 'a');
    await Promise.all([transport.close(), transport.close()]);
    await assert.rejects(unanswered, { code: 'closed' });
    await until(() => server.openConnections === 0);
    assert.deepEqual(peer.closes, [undefined]);
    await assert.rejects(peer.request('late'), { code: 'closed' });
  });

  test('does not close shared connections', async () => {
    const connections = new HttpConnections();
    const server = await HttpTestServer.start(legacyServer());
    open.push(server);
    const [first, second] = (await Promise.all(
      [0, 1].map(() => new HttpTestPeer(new HttpTransport(parseRemoteAddress(server.url), { connections })).connect()),
    )) as [HttpTestPeer, HttpTestPeer];
    await first.request('a');
    await first.transport.close();
    assert.ok(server.openConnections > 0);
    await second.request('b');
    await second.transport.close();
    await until(() => server.openConnections === 0);
    connections.dispose();
  });

  test('while opening leaves nothing behind', async () => {
    const { transport, peer } = await start(legacyServer());
    await assert.rejects(transport.open(peer, AbortSignal.abort(new Error('stop'))), { message: 'stop' });
  });
});
