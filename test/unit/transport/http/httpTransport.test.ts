import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, test } from 'node:test';
import zlib from 'node:zlib';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { HttpConnections } from '../../../../src/core/transport/http/httpConnections.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import type { RemoteOptions } from '../../../../src/core/transport/remoteOptions.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler, SeenRequest } from '../../../support/httpTestServer.js';
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

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function start(
  handler: HttpHandler,
  options: RemoteOptions = {},
): Promise<{ server: HttpTestServer; transport: HttpTransport; peer: HttpTestPeer }> {
  const server = await HttpTestServer.start(handler);
  open.push(server);
  const transport = new HttpTransport(parseRemoteAddress(server.url), options);
  open.push(transport);
  return { server, transport, peer: new HttpTestPeer(transport) };
}

/** A connected transport; `handler` answers everything after the handshake. */
async function connected(handler: HttpHandler, options: RemoteOptions & { sessionId?: string } = {}) {
  const { sessionId, ...rest } = options;
  const parts = await start(legacyServer({ handler, ...(sessionId === undefined ? {} : { sessionId }) }), rest);
  await parts.peer.connect();
  return parts;
}

const headersOf = ({ headers }: SeenRequest, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, headers[name]]));

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

describe('the handshake', () => {
  test('is complete before anything else is sent', async () => {
    const accepts: SeenRequest[] = [];
    const { server, peer } = await start((seen) => {
      if (seen.rpc?.method === 'notifications/initialized') accepts.push(seen);
      else legacyServer()(seen);
    });
    await peer.connect();
    const first = peer.request('tools/list');
    const second = peer.request('resources/list');
    await until(() => accepts.length === 1);
    assert.deepEqual(server.log, ['POST initialize', 'POST notifications/initialized']);
    accepts[0]?.response.writeHead(202).end();
    await Promise.all([first, second]);
  });

  test('does not wait forever for its acceptance', async () => {
    const clock = new ManualClock();
    const { server, peer } = await start(
      (seen) => {
        if (seen.rpc?.method !== 'notifications/initialized') legacyServer()(seen);
      },
      { clock },
    );
    await peer.connect();
    const list = peer.request('tools/list');
    await server.request(({ rpc }) => rpc?.method === 'notifications/initialized');
    await clock.advance(10_000);
    await list;
  });
});

describe('[H2] a session', () => {
  test('that is gone (404) fails the request as expired and is not sent in the new handshake', async () => {
    let isGone = false;
    const { server, peer } = await connected(
      (seen) => {
        if (isGone && seen.headers['mcp-session-id'] === 's1')
          sendJson(seen, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
        else sendResult(seen);
      },
      { sessionId: 's1' },
    );
    await peer.request('a');
    isGone = true;
    await Promise.all(
      ['b', 'c'].map((method) =>
        assert.rejects(peer.request(method), { code: 'session-expired', data: { status: 404, method } }),
      ),
    );
    isGone = false;
    await peer.connect();
    await peer.request('d');
    const last = server.seen.at(-1) as SeenRequest;
    assert.equal(last.headers['mcp-session-id'], 's1', 'the id of the new handshake');
    const initializes = server.seen.filter(({ rpc }) => rpc?.method === 'initialize');
    assert.deepEqual(
      initializes.map(({ headers }) => headers['mcp-session-id']),
      [undefined, undefined],
    );
  });

  test('that ended is not confused with the one that replaced it', async () => {
    const late: SeenRequest[] = [];
    const { server, peer } = await start((seen) => {
      if (seen.rpc?.method === 'late') late.push(seen);
      else if (seen.rpc?.method === 'gone') sendJson(seen, 'gone', 404);
      else
        legacyServer({ sessionId: `s${server.seen.filter(({ rpc }) => rpc?.method === 'initialize').length}` })(seen);
    });
    await peer.connect();
    const refused = peer.request('late');
    await until(() => late.length === 1);
    await assert.rejects(peer.request('gone'), { code: 'session-expired' });
    await peer.connect();
    late[0]?.response.writeHead(404).end();
    await assert.rejects(refused, { code: 'session-expired' });
    await peer.request('next');
    assert.equal(server.seen.at(-1)?.headers['mcp-session-id'], 's2');
  });

  test('has also ended when a 400 mentions it, but not when the server never accepted it', async () => {
    const refuse = (seen: SeenRequest) =>
      seen.response.writeHead(400, { 'content-type': 'text/plain' }).end('No valid session ID provided');
    let isGone = false;
    const { peer } = await connected((seen) => (isGone ? refuse(seen) : sendResult(seen)), { sessionId: 's1' });
    await peer.request('a');
    isGone = true;
    await assert.rejects(peer.request('b'), { code: 'session-expired' });

    const picky = await start((seen) => {
      if (seen.rpc?.method === 'initialize') legacyServer({ sessionId: 's1' })(seen);
      else refuse(seen);
    });
    await picky.peer.connect();
    await assert.rejects(picky.peer.request('a'), { code: 'http-status' });
  });

  test('counts as gone (404) even when the refusal names the request', async () => {
    const { peer } = await connected(
      (seen) =>
        sendJson(
          seen,
          { jsonrpc: '2.0', id: seen.rpc?.id, error: { code: -32001, message: 'Session not found' } },
          404,
        ),
      { sessionId: 's1' },
    );
    await assert.rejects(peer.request('a'), { code: 'session-expired' });
  });

  test('is ended by DELETE on close, for any answer', async () => {
    for (const status of [200, 405, 500]) {
      const { server, transport } = await connected((seen) => sendResult(seen), { sessionId: 's1' });
      const before = server.handler;
      server.handler = (seen) => (seen.method === 'DELETE' ? seen.response.writeHead(status).end() : before(seen));
      await transport.close();
      const last = server.seen.at(-1) as SeenRequest;
      assert.deepEqual(
        { method: last.method, ...headersOf(last, 'mcp-session-id', 'mcp-protocol-version') },
        { method: 'DELETE', 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-11-25' },
      );
    }
  });

  test('whose server does not answer the DELETE is closed after two seconds, or at once on request', async () => {
    for (const force of [false, true]) {
      const clock = new ManualClock();
      const { server, transport } = await connected((seen) => sendResult(seen), { sessionId: 's1', clock });
      const before = server.handler;
      server.handler = (seen) => (seen.method === 'DELETE' ? undefined : before(seen));
      const closing = transport.close();
      await server.request(({ method }) => method === 'DELETE');
      if (force) transport.kill();
      else await clock.advance(2_000);
      await closing;
    }
  });
});

describe('[H9] a session id', () => {
  test('is read only from the answer to initialize', async () => {
    const { server, peer } = await connected((seen) => sendResult(seen, {}, { 'mcp-session-id': 'intruder' }));
    await peer.request('a');
    await peer.request('b');
    assert.equal(server.seen.at(-1)?.headers['mcp-session-id'], undefined);
  });

  test('with characters other than visible ASCII is refused and never sent back', async () => {
    for (const id of ['a b', 'a\tb', 'é', 'x'.repeat(5_000)]) {
      const { server, transport, peer } = await start(legacyServer({ sessionId: id }));
      await assert.rejects(
        peer.connect(),
        (error: any) => error.code === 'invalid-message' && !error.message.includes(id),
      );
      await assert.doesNotReject(peer.request('tools/list'));
      await transport.close();
      assert.ok(server.seen.every(({ headers }) => headers['mcp-session-id'] === undefined));
    }
  });

  test('too long for any header gives a clear error', async () => {
    const { peer } = await start(legacyServer({ sessionId: 'x'.repeat(20_000) }));
    await assert.rejects(peer.connect(), { code: 'invalid-message', message: /headers larger than 16 KiB/ });
  });
});

describe('[H3] a refusal', () => {
  test('has its status, an excerpt, and the time to wait', async () => {
    const retryAfter: Record<string, string | undefined> = {
      seconds: '7',
      huge: '99999999',
      past: 'Wed, 21 Oct 2015 07:28:00 GMT',
      garbage: 'soon',
    };
    const { peer } = await connected((seen) => {
      seen.response
        .writeHead(429, { 'retry-after': retryAfter[seen.rpc?.method ?? ''], 'content-type': 'text/plain' })
        .end('slow\u001b[31m down');
    });
    const data = { why: 'plain', status: 429, bodyText: 'slow\\u{1b}[31m down', contentType: 'text/plain' };
    await assert.rejects(peer.request('seconds'), {
      code: 'http-status',
      data: { ...data, request: 'seconds', retryAfterMs: 7_000 },
    });
    await assert.rejects(peer.request('huge'), { data: { ...data, request: 'huge', retryAfterMs: 300_000 } });
    await assert.rejects(peer.request('past'), { data: { ...data, request: 'past', retryAfterMs: 0 } });
    await assert.rejects(peer.request('garbage'), { data: { ...data, request: 'garbage' } });
  });

  test('shows at most 200 characters, and reads no endless body', async () => {
    const { server, peer } = await connected((seen) => {
      seen.response.writeHead(500);
      const flood = () => {
        if (!seen.response.destroyed && seen.response.write('x'.repeat(65_536))) setImmediate(flood);
        else seen.response.once('drain', flood);
      };
      flood();
    });
    await assert.rejects(peer.request('a'), (error: any) => error.data.bodyText.length < 250);
    await until(() => server.seen.at(-1)?.wasAborted === true);
  });

  test('of a tool call is never retried', async () => {
    const { server, peer } = await connected((seen) => seen.response.writeHead(502).end());
    await assert.rejects(peer.request('tools/call'), {
      code: 'http-status',
      data: { why: 'plain', request: 'tools/call', status: 502, bodyText: '', contentType: '' },
    });
    assert.equal(server.log.filter((line) => line === 'POST tools/call').length, 1);
  });

  test('with a JSON-RPC error for this request is that error', async () => {
    const { peer } = await connected((seen) => {
      const [status, id] = {
        own: [400, seen.rpc?.id],
        server: [500, seen.rpc?.id],
        nobody: [400, null],
        missing: [404, undefined],
        other: [400, 999],
        later: [503, null],
      }[seen.rpc?.method as 'own'] as [number, unknown];
      sendJson(
        seen,
        { jsonrpc: '2.0', id, error: { code: -32022, message: 'no', data: { supported: ['x'] } } },
        status,
      );
    });
    for (const method of ['own', 'server', 'nobody', 'missing'])
      await assert.rejects(peer.request(method), { code: -32022, message: 'no', data: { supported: ['x'] } });
    await assert.rejects(peer.request('other'), { code: 'http-status' });
    await assert.rejects(peer.request('later'), { code: 'http-status' });
    assert.deepEqual(peer.lateFailures, []);
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
  const request = connections.request(
    'http:',
    { host: '127.0.0.1', port: (server.address() as net.AddressInfo).port, headers: { connection: 'keep-alive' } },
    false,
    (response) => response.resume(),
  );
  request.end();
  await left;
  connections.dispose();
  server.close();
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

describe('[H5] a body that is not MCP', () => {
  test('is shown with status and type, sanitized', async () => {
    const { peer } = await connected((seen) => {
      seen.response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>\u202e${'Please log in '.repeat(50)}`);
    });
    await assert.rejects(peer.request('a'), (error: any) => {
      assert.equal(error.code, 'invalid-message');
      assert.match(error.message, /status 200.*text\/html.*<html>\\u\{202e\}Please log in/);
      assert.ok(error.message.length < 400);
      return true;
    });
  });

  test('is shown when it claims to be JSON', async () => {
    const { peer } = await connected((seen) => sendJson(seen, 'Hello'));
    await assert.rejects(peer.request('a'), {
      code: 'invalid-message',
      message: /application\/json that is not MCP: Hello/,
    });
  });
});

describe('[H6] an invalid answer', () => {
  const cases: Record<string, (seen: SeenRequest) => void> = {
    'an empty 200': (seen) => sendJson(seen, ''),
    'a 200 without type': ({ response }) => response.writeHead(200).end(),
    'a 202': ({ response }) => response.writeHead(202).end(),
    'a 204': ({ response }) => response.writeHead(204).end(),
    'another id': (seen) => sendJson(seen, { jsonrpc: '2.0', id: 999_999, result: {} }),
    'the id as text': (seen) => sendJson(seen, { jsonrpc: '2.0', id: String(seen.rpc?.id), result: {} }),
    'the id null': (seen) => sendJson(seen, { jsonrpc: '2.0', id: null, result: {} }),
    'an empty batch': (seen) => sendJson(seen, []),
  };
  for (const [name, answer] of Object.entries(cases)) {
    test(`fails at once: ${name}`, async () => {
      const { peer } = await connected(answer);
      await assert.rejects(peer.request('a'), { code: 'invalid-message' });
      assert.deepEqual(peer.lateFailures, []);
    });
  }

  test('fails at once when it is truncated, and the next one works', async () => {
    let isFirst = true;
    const { peer } = await connected((seen) => {
      if (!isFirst) {
        sendResult(seen);
        return;
      }
      isFirst = false;
      seen.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      seen.response.write('{"jsonrpc":', () => seen.response.destroy());
    });
    await assert.rejects(peer.request('a'), { code: 'closed', message: /before a was answered/ });
    await peer.request('b');
  });

  test('fails at once when the compressed body is truncated', async () => {
    const { peer } = await connected((seen) => {
      const bytes = zlib.gzipSync(JSON.stringify({ jsonrpc: '2.0', id: seen.rpc?.id, result: {} }));
      seen.response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(bytes.subarray(0, 20));
    });
    await assert.rejects(peer.request('a'), { code: 'closed' });
  });

  test('fails when it is compressed with an encoding that was not offered', async () => {
    const { peer } = await connected((seen) =>
      seen.response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' }).end('x'),
    );
    await assert.rejects(peer.request('a'), { code: 'invalid-message', message: /zstd/ });
  });

  test('fails when the server closes the connection or does not use HTTP', async () => {
    const raw = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9\r\n'));
    });
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => raw.close(resolve)) });
    const transport = new HttpTransport(
      parseRemoteAddress(`http://127.0.0.1:${(raw.address() as net.AddressInfo).port}/`),
    );
    open.push(transport);
    const peer = new HttpTestPeer(transport);
    await transport.open(peer);
    await assert.rejects(peer.request('a'), { code: 'invalid-message', message: /valid HTTP/ });
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

describe('[H8] the size limit', () => {
  const big = (seen: SeenRequest) =>
    JSON.stringify({ jsonrpc: '2.0', id: seen.rpc?.id, result: { text: 'x'.repeat(2_000_000) } });
  const cases: Record<string, (seen: SeenRequest) => void> = {
    'a JSON body': (seen) => sendJson(seen, big(seen)),
    'an event': (seen) => startEvents(seen).end(eventText(big(seen))),
    'a body that is small until it is decompressed': (seen) =>
      seen.response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(zlib.gzipSync(big(seen))),
  };
  for (const [name, answer] of Object.entries(cases)) {
    test(`applies to ${name}`, async () => {
      const { peer } = await connected((seen) => (seen.rpc?.method === 'ok' ? sendResult(seen) : answer(seen)), {
        maxMessageBytes: 1_000_000,
      });
      await assert.rejects(peer.request('a'), { code: 'too-large', data: { limitBytes: 1_000_000 } });
      await peer.request('ok');
    });
  }
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

describe('an unreachable server', () => {
  test('is named with possible causes', async () => {
    const server = await HttpTestServer.start(() => undefined);
    const { url } = server;
    await server.close();
    const peer = new HttpTestPeer(new HttpTransport(parseRemoteAddress(`${url}?key=secret`)));
    await peer.transport.open(peer);
    await assert.rejects(peer.request('initialize'), (error: any) => {
      assert.deepEqual(
        { code: error.code, errno: error.data.errno },
        { code: 'connection-refused', errno: 'ECONNREFUSED' },
      );
      assert.ok(error.message.includes(url) && !error.message.includes('secret'));
      return true;
    });
    await peer.transport.close();
  });
});
