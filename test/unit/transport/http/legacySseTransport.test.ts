import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { afterEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { AuthChallenge } from '../../../../src/core/auth/authorizer.js';
import { compactJson } from '../../../../src/core/base/jsonTokens.js';
import { judgeEndpoint, LegacySseTransport } from '../../../../src/core/transport/http/legacySseTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import type { RemoteOptions } from '../../../../src/core/transport/remoteOptions.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler, SeenRequest } from '../../../support/httpTestServer.js';
import { eventText, HttpTestServer, startEvents } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { ManualClock } from '../../../support/manualClock.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

interface Parts {
  server: HttpTestServer;
  transport: LegacySseTransport;
  peer: HttpTestPeer;
  /** The event streams so far. */
  streams: ServerResponse[];
}

/** A server of 2024-11-05; `onPost` answers everything after the handshake. */
async function start({
  endpoint = eventText('/messages?s=1', { event: 'endpoint' }),
  onPost,
  onGet,
  ...options
}: RemoteOptions & {
  endpoint?: string;
  onPost?: HttpHandler;
  onGet?: (seen: SeenRequest) => boolean;
} = {}): Promise<Parts> {
  const streams: ServerResponse[] = [];
  const server = await HttpTestServer.start((seen) => {
    if (seen.method === 'GET') {
      if (onGet?.(seen)) return;
      const stream = startEvents(seen);
      streams.push(stream);
      stream.write(endpoint);
    } else if (onPost && seen.rpc?.method !== 'initialize' && seen.rpc?.method !== 'notifications/initialized')
      onPost(seen);
    else {
      seen.response.writeHead(202).end('Accepted');
      if (seen.rpc?.id !== undefined)
        streams
          .at(-1)
          ?.write(
            eventText(
              { jsonrpc: '2.0', id: seen.rpc.id, result: { protocolVersion: '2024-11-05' } },
              { event: 'message' },
            ),
          );
    }
  });
  open.push(server);
  const transport = new LegacySseTransport(parseRemoteAddress(`${server.origin}/sse`), options);
  open.push(transport);
  return { server, transport, peer: new HttpTestPeer(transport), streams };
}

describe('HTTP+SSE', () => {
  test('posts to the announced address and receives on the stream', async () => {
    const { server, peer, streams } = await start({ headers: { 'X-Key': 'k' } });
    await peer.connect();
    assert.deepEqual(await peer.request('a'), { protocolVersion: '2024-11-05' });
    streams[0]?.write(eventText({ jsonrpc: '2.0', method: 'note' }, { event: 'message' }));
    await until(() => peer.messages.some(({ method }) => method === 'note'));
    assert.deepEqual(
      server.seen.map(({ method, path, headers, rpc }) =>
        [method, path, headers['x-key'], headers['mcp-protocol-version'] ?? '-', rpc?.method ?? '-'].join(' '),
      ),
      [
        'GET /sse k - -',
        'POST /messages?s=1 k - initialize',
        'POST /messages?s=1 k 2024-11-05 notifications/initialized',
        'POST /messages?s=1 k 2024-11-05 a',
      ],
    );
    assert.deepEqual(server.seen[0]?.headers.accept, 'text/event-stream');
  });

  test('ends with the stream, and reports the reason', async () => {
    const { peer, streams } = await start({ onPost: ({ response }) => void response.writeHead(202).end() });
    await peer.connect();
    const answer = peer.request('a');
    streams[0]?.end();
    await assert.rejects(answer, { code: 'closed', message: /ended the event stream/ });
    assert.equal(peer.closes.length, 1);
    await assert.rejects(peer.request('b'), { code: 'closed' });
  });

  test('fails a refused message, and continues', async () => {
    const { peer } = await start({ onPost: ({ response }) => void response.writeHead(500).end('oops') });
    await peer.connect();
    await assert.rejects(peer.request('a'), {
      code: 'http-status',
      data: { why: 'plain', request: 'a', status: 500, bodyText: 'oops', contentType: '' },
    });
    assert.deepEqual({ closes: peer.closes, late: peer.lateFailures }, { closes: [], late: [] });
  });

  test('does not fail a message whose answer arrived before its POST broke', async () => {
    const parts: Parts = await start({
      onPost: (seen) => {
        parts.streams[0]?.write(eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: {} }), () =>
          seen.response.destroy(),
        );
      },
    });
    await parts.peer.connect();
    await parts.peer.request('a');
    await until(() => parts.server.seen.at(-1)?.wasAborted === true);
    await parts.transport.close();
    assert.deepEqual(parts.peer.lateFailures, []);
  });

  test('closes cleanly, once, and leaves nothing', async () => {
    const { server, transport, peer } = await start();
    await peer.connect();
    await Promise.all([transport.close(), transport.close()]);
    assert.deepEqual(peer.closes, [undefined]);
    await until(() => server.openConnections === 0);
  });

  test('fails a message without an answer that is never accepted', async () => {
    const clock = new ManualClock();
    const { server, peer, transport } = await start({ clock, onPost: () => undefined });
    await peer.connect();
    const failures: any[] = [];
    transport.send({
      text: '{"method":"notifications/x"}',
      method: 'notifications/x',
      fail: (error) => failures.push(error),
    });
    const seen = await server.request(({ body }) => body.includes('notifications/x'));
    await clock.advance(30_000);
    await until(() => seen.wasAborted);
    assert.deepEqual(
      failures.map(({ code }) => code),
      ['timeout'],
    );
  });

  test('calls the authorizer for the stream as for messages', async () => {
    const challenges: AuthChallenge[] = [];
    const { server, peer } = await start({
      authorizer: {
        headers: () => ({ authorization: `Bearer ${challenges.length}` }),
        handleChallenge: (challenge) => {
          challenges.push(challenge);
          return Promise.resolve(true);
        },
      },
      onGet: ({ headers, response }) => headers.authorization === 'Bearer 0' && Boolean(response.writeHead(401).end()),
    });
    await peer.connect();
    assert.deepEqual(
      challenges.map(({ method, url }) => [method, url]),
      [['GET', `${server.origin}/sse`]],
    );
    assert.equal(server.seen.at(-1)?.headers.authorization, 'Bearer 1');
  });
});

describe('[E6] the endpoint event', () => {
  test('must lead to the same origin: nothing is sent elsewhere', async () => {
    const trap = await HttpTestServer.start(({ response }) => void response.writeHead(202).end());
    open.push(trap);
    const { transport, peer } = await start({
      endpoint: eventText(`${trap.origin}/messages`, { event: 'endpoint' }),
      headers: { authorization: 'Bearer x' },
    });
    await assert.rejects(
      transport.open(peer),
      (error: any) => error.code === 'invalid-message' && error.message.includes(trap.origin),
    );
    await transport.close();
    assert.deepEqual({ trapped: trap.seen, closes: peer.closes }, { trapped: [], closes: [] });
  });

  test('may have 8,192 characters: a longer one fails with this limit, and nothing is sent', async () => {
    const { server, transport, peer } = await start({
      endpoint: eventText(`/messages?s=${'x'.repeat(8_200)}`, { event: 'endpoint' }),
    });
    await assert.rejects(
      transport.open(peer),
      (error: any) => error.code === 'invalid-message' && /8212 characters.*limit is 8192/.test(error.message),
    );
    await transport.close();
    assert.deepEqual(
      server.seen.filter(({ method }) => method === 'POST'),
      [],
    );
    const from = parseRemoteAddress('https://a.example/sse');
    assert.ok('target' in judgeEndpoint(`/${'x'.repeat(8_191)}`, from));
    assert.ok('problem' in judgeEndpoint(`/${'x'.repeat(8_192)}`, from));
  });

  test('[H8] ends with an event of very many lines, with the reason', async () => {
    const { transport, peer, streams } = await start({
      onPost: ({ response }) => void response.writeHead(202).end(),
    });
    await peer.connect();
    streams[0]?.write(`${'data:\n'.repeat(50_001)}\n`);
    await until(() => peer.closes.length === 1);
    assert.match(String(peer.closes[0]), /more than 50,000 lines/);
    await transport.close();
  });

  test('is checked by these rules', () => {
    const from = parseRemoteAddress('https://a.example/base/sse?k=1');
    const target = (data: string) => {
      const verdict = judgeEndpoint(data, from);
      return 'target' in verdict ? verdict.target.href : verdict.problem;
    };
    assert.equal(target('/messages?s=1'), 'https://a.example/messages?s=1');
    assert.equal(target('messages'), 'https://a.example/base/messages');
    assert.equal(target(' https://a.example/x '), 'https://a.example/x');
    for (const bad of ['http://a.example/x', '//b.example/x', 'https://a.example.b/x', 'https://a.example:444/x'])
      assert.match(target(bad), /another origin/, bad);
    for (const bad of ['javascript:alert(1)', 'file:///x', 'data:,x']) assert.match(target(bad), /scheme/, bad);
    assert.match(target('https://'), /not a URL/);
  });

  test('that does not arrive times out', async () => {
    const clock = new ManualClock();
    const { server, transport, peer } = await start({ endpoint: ': waiting\n\n', clock, connectTimeoutMs: 5_000 });
    const opening = transport.open(peer);
    let error: any;
    opening.catch((reason: unknown) => (error = reason));
    await server.request(({ method }) => method === 'GET');
    while (!error) await clock.advance(1_000);
    assert.deepEqual(
      { code: error.code, isAboutEndpoint: /"endpoint" event within 5 s/.test(error.message) },
      { code: 'timeout', isAboutEndpoint: true },
    );
    await until(() => server.openConnections === 0);
  });

  test('that is repeated has no effect, with one warning', async () => {
    const { server, peer, streams } = await start();
    await peer.connect();
    streams[0]?.write(eventText('/elsewhere', { event: 'endpoint' }).repeat(3) + eventText('x', { event: 'odd' }));
    await until(() => peer.warnings.length === 2);
    await peer.request('a');
    assert.equal(server.seen.at(-1)?.path, '/messages?s=1');
  });
});

describe('opening HTTP+SSE', () => {
  test('fails with the answer of the server instead of a stream', async () => {
    const refused = await start({
      onGet: ({ response }) => Boolean(response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nope</h1>')),
    });
    await assert.rejects(refused.transport.open(refused.peer), {
      code: 'http-status',
      data: {
        why: 'plain',
        request: 'the request for the event stream',
        status: 404,
        bodyText: '<h1>nope</h1>',
        contentType: 'text/html',
      },
    });
    const wrong = await start({
      onGet: ({ response }) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>')),
    });
    await assert.rejects(wrong.transport.open(wrong.peer), { code: 'invalid-message', message: /text\/html/ });
    const short = await start({ onGet: (seen) => Boolean(startEvents(seen).end()) });
    await assert.rejects(short.transport.open(short.peer), { code: 'closed' });
  });

  test('fails without an answer in time', async () => {
    const clock = new ManualClock();
    const { server, transport, peer } = await start({ onGet: () => true, clock, connectTimeoutMs: 5_000 });
    const outcome = assert.rejects(transport.open(peer), {
      code: 'timeout',
      message: /did not answer the request for the event stream within 5 s/,
    });
    await server.request(({ method }) => method === 'GET');
    await clock.advance(5_000);
    await outcome;
  });

  test('can be closed before it started', async () => {
    const { transport, peer } = await start();
    await assert.rejects(transport.open(peer, AbortSignal.abort(new Error('stop'))), { message: 'stop' });
    await transport.close();
    assert.deepEqual(peer.closes, []);
  });

  test('can be aborted', async () => {
    const { server, transport, peer } = await start({ endpoint: '' });
    const controller = new AbortController();
    const opening = transport.open(peer, controller.signal);
    const outcome = assert.rejects(opening, { message: 'stop' });
    await server.request(({ method }) => method === 'GET');
    controller.abort(new Error('stop'));
    await outcome;
    await until(() => server.openConnections === 0);
    assert.deepEqual(peer.closes, []);
  });
});

/** Records the waits that start, in milliseconds; ends with the test. */
function watchTimers(t: TestContext): number[] {
  const waits: number[] = [];
  const original = globalThis.setTimeout;
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms = 0) => {
    waits.push(ms);
    return original(run, ms);
  });
  return waits;
}

describe('[E7] the package that reads the stream of HTTP+SSE', () => {
  const endings: Record<string, (stream: ServerResponse) => unknown> = {
    'the end of the stream': (stream) => stream.end(),
    'the loss of the connection': (stream) => stream.destroy(),
    'a message that is too large': (stream) => stream.write(`data: ${'x'.repeat(2_000)}\n\n`),
    'a connection that is lost within an event': (stream) => stream.write('data: {"jso', () => stream.destroy()),
  };
  for (const [name, end] of Object.entries(endings)) {
    test(`never connects again by itself: ${name}`, async (t) => {
      const { server, transport, peer, streams } = await start({
        maxMessageBytes: 1_000,
        onPost: ({ response }) => void response.writeHead(202).end(),
      });
      await peer.connect();
      await until(() => server.seen.at(-1)?.response.writableFinished === true);
      const waits = watchTimers(t);
      streams[0]?.write('retry: 3000\nid: 7\n\n');
      if (streams[0]) end(streams[0]);
      await until(() => peer.closes.length === 1);
      await transport.close();
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      // A reconnect would start to wait at once: for 3 seconds, which is its default and the server's value.
      assert.deepEqual(
        waits.filter((ms) => ms === 3_000),
        [],
      );
      assert.deepEqual(
        server.log.filter((line) => line === 'GET'),
        ['GET'],
      );
      assert.equal(peer.closes.length, 1);
    });
  }

  test('does not treat an answer without a stream as a stream', async () => {
    const { transport, peer, server } = await start({
      onGet: ({ response }) => Boolean(response.writeHead(204).end()),
    });
    await assert.rejects(transport.open(peer), { code: 'invalid-message' });
    assert.deepEqual(server.log, ['GET']);
  });

  test('is not ended by an event with the name of one of its own events', async () => {
    const { peer, streams } = await start();
    await peer.connect();
    streams[0]?.write(eventText('x', { event: 'error' }) + eventText('y', { event: 'open' }));
    await until(() => peer.warnings.length === 2);
    assert.deepEqual(peer.warnings, [
      'Skipped an event of the unknown type "error".',
      'Skipped an event of the unknown type "open".',
    ]);
    assert.deepEqual(await peer.request('a'), { protocolVersion: '2024-11-05' });
  });

  test('is ended by an error of its event listener, which is reported', async () => {
    const { peer, streams } = await start();
    await peer.connect();
    peer.onWarning = () => {
      throw new Error('the log is full');
    };
    streams[0]?.write(eventText('x', { event: 'odd' }));
    await until(() => peer.closes.length === 1);
    assert.match(String(peer.closes[0]), /The event stream cannot be read: the log is full/);
  });
});

describe('the stream of HTTP+SSE', () => {
  const note = (index: number) => ({ jsonrpc: '2.0', method: 'note', params: { index } });

  test('[E8] delivers a flood in order and complete, and lets other work run in between', async () => {
    const { peer, streams } = await start();
    await peer.connect();
    const count = 50_000;
    const turns = new Set<number>();
    let turn = 0;
    const countTurns = () => {
      turn++;
      if (peer.messages.length < count) setImmediate(countTurns);
    };
    const receive = peer.onMessage.bind(peer);
    let isFirst = true;
    peer.onMessage = (message) => {
      if (isFirst) setImmediate(countTurns);
      isFirst = false;
      turns.add(turn);
      receive(message);
    };
    peer.messages.length = 0;
    streams[0]?.write(Array.from({ length: count }, (_, index) => eventText(note(index))).join(''));
    await until(() => peer.messages.length === count);
    assert.ok(peer.messages.every(({ params }, index) => params.index === index));
    assert.ok(turns.size > 4, `${turns.size} turns`);
  });

  test('[E2] delivers the complete messages before the connection broke, and not a truncated one', async () => {
    const { peer, streams } = await start();
    await peer.connect();
    peer.messages.length = 0;
    const all = Array.from({ length: 2_000 }, (_, index) => eventText(note(index))).join('');
    streams[0]?.write(`${all}data: {"jsonrpc":"2.0","method":"cut"}`, () => streams[0]?.end());
    await until(() => peer.closes.length === 1);
    assert.deepEqual([peer.messages.length, peer.messages.at(-1)?.params.index], [2_000, 1_999]);
  });

  test('[E1] may have events that end in CR before anything follows, and characters split into bytes', async () => {
    const { peer, streams } = await start({ endpoint: 'event: endpoint\rdata: /messages?s=1\r\r' });
    await peer.connect();
    for (const byte of Buffer.from(eventText({ ...note(0), params: { text: 'Grüße 你好 🎉' } })))
      streams[0]?.write(Buffer.of(byte));
    await until(() => peer.messages.some(({ params }) => params?.text === 'Grüße 你好 🎉'));
  });

  test('may be compressed without a request for it, and then no event waits for the next one', async () => {
    const zip = createGzip();
    const { peer, server } = await start({
      onGet: (seen) => {
        zip.pipe(startEvents(seen, { 'content-encoding': 'gzip' }));
        zip.write(eventText('/messages?s=1', { event: 'endpoint' }));
        zip.flush();
        return true;
      },
    });
    await peer.transport.open(peer);
    zip.write(eventText(note(1)));
    zip.flush();
    await until(() => peer.messages.length === 1);
    assert.equal(server.seen[0]?.headers['accept-encoding'], undefined);
  });

  test('[F4] ends when the decompressed data is too large', async () => {
    const { peer } = await start({
      maxMessageBytes: 100_000,
      onGet: (seen) => {
        const bomb = `${eventText('/messages?s=1', { event: 'endpoint' })}data: ${'x'.repeat(1_000_000)}\n\n`;
        startEvents(seen, { 'content-encoding': 'gzip' }).end(gzipSync(bomb));
        return true;
      },
    });
    await peer.transport.open(peer);
    await until(() => peer.closes.length === 1);
    assert.equal((peer.closes[0] as { code?: string }).code, 'too-large');
  });

  test('passes on the text of a message with its exact numbers', async () => {
    const { transport, peer, streams } = await start();
    const texts: string[] = [];
    const receive = peer.onMessage.bind(peer);
    Object.assign(peer, { onMessage: (message: unknown, text: string) => (texts.push(text), receive(message)) });
    await peer.connect();
    const sent = '{ "jsonrpc":"2.0", "method":"note", "params":{"n":9007199254740993.10} }';
    streams[0]?.write(eventText(sent));
    await until(() => texts.includes(sent));
    assert.match(compactJson(peer.messages.at(-1)), /9007199254740993\.10/);
    await transport.close();
  });

  test('can be closed by the receiver of a message, and then delivers no other one', async () => {
    const { transport, peer, streams, server } = await start();
    await peer.connect();
    peer.messages.length = 0;
    const receive = peer.onMessage.bind(peer);
    peer.onMessage = (message) => {
      receive(message);
      void transport.close();
    };
    streams[0]?.write(eventText(note(1)) + eventText(note(2)));
    await until(() => server.openConnections === 0);
    assert.deepEqual([peer.messages.length, peer.closes], [1, [undefined]]);
  });

  test('that was closed while the package was loaded is not requested', async () => {
    const { transport, peer, server } = await start();
    const opening = transport.open(peer);
    void transport.close();
    await assert.rejects(opening, { code: 'closed' });
    assert.deepEqual([server.seen.length, peer.closes], [0, []]);
  });
});
