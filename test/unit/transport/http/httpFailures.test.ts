import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, test } from 'node:test';
import zlib from 'node:zlib';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { SeenRequest } from '../../../support/httpTestServer.js';
import { eventText, HttpTestServer, sendJson, sendResult, startEvents } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { connected, open } from './startedTransport.js';

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
        unrelated: [400, null],
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
    for (const method of ['own', 'server', 'unrelated', 'missing'])
      await assert.rejects(peer.request(method), { code: -32022, message: 'no', data: { supported: ['x'] } });
    await assert.rejects(peer.request('other'), { code: 'http-status' });
    await assert.rejects(peer.request('later'), { code: 'http-status' });
    assert.deepEqual(peer.lateFailures, []);
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
