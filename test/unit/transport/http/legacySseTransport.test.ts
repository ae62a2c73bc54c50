import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuthChallenge } from '../../../../src/core/auth/authorizer.js';
import { judgeEndpoint } from '../../../../src/core/transport/http/legacySseTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { eventText, HttpTestServer, startEvents } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { ManualClock } from '../../../support/manualClock.js';
import type { LegacyServer } from './legacyServer.js';
import { open, startLegacyServer } from './legacyServer.js';

describe('HTTP+SSE', () => {
  test('posts to the announced address and receives on the stream', async () => {
    const { server, peer, streams } = await startLegacyServer({ headers: { 'X-Key': 'k' } });
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
    const { peer, streams } = await startLegacyServer({ onPost: ({ response }) => void response.writeHead(202).end() });
    await peer.connect();
    const answer = peer.request('a');
    streams[0]?.end();
    await assert.rejects(answer, { code: 'closed', message: /ended the event stream/ });
    assert.equal(peer.closes.length, 1);
    await assert.rejects(peer.request('b'), { code: 'closed' });
  });

  test('fails a refused message, and continues', async () => {
    const { peer } = await startLegacyServer({ onPost: ({ response }) => void response.writeHead(500).end('oops') });
    await peer.connect();
    await assert.rejects(peer.request('a'), {
      code: 'http-status',
      data: { why: 'plain', request: 'a', status: 500, bodyText: 'oops', contentType: '' },
    });
    assert.deepEqual({ closes: peer.closes, late: peer.lateFailures }, { closes: [], late: [] });
  });

  test('does not fail a message whose answer arrived before its POST broke', async () => {
    const parts: LegacyServer = await startLegacyServer({
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
    const { server, transport, peer } = await startLegacyServer();
    await peer.connect();
    await Promise.all([transport.close(), transport.close()]);
    assert.deepEqual(peer.closes, [undefined]);
    await until(() => server.openConnections === 0);
  });

  test('fails a message without an answer that is never accepted', async () => {
    const clock = new ManualClock();
    const { server, peer, transport } = await startLegacyServer({ clock, onPost: () => undefined });
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
    const { server, peer } = await startLegacyServer({
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
    const { transport, peer } = await startLegacyServer({
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
    const { server, transport, peer } = await startLegacyServer({
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
    const { transport, peer, streams } = await startLegacyServer({
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
    const { server, transport, peer } = await startLegacyServer({
      endpoint: ': waiting\n\n',
      clock,
      connectTimeoutMs: 5_000,
    });
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
    const { server, peer, streams } = await startLegacyServer();
    await peer.connect();
    streams[0]?.write(eventText('/elsewhere', { event: 'endpoint' }).repeat(3) + eventText('x', { event: 'odd' }));
    await until(() => peer.warnings.length === 2);
    await peer.request('a');
    assert.equal(server.seen.at(-1)?.path, '/messages?s=1');
  });
});

describe('opening HTTP+SSE', () => {
  test('fails with the answer of the server instead of a stream', async () => {
    const refused = await startLegacyServer({
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
    const wrong = await startLegacyServer({
      onGet: ({ response }) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>')),
    });
    await assert.rejects(wrong.transport.open(wrong.peer), { code: 'invalid-message', message: /text\/html/ });
    const short = await startLegacyServer({ onGet: (seen) => Boolean(startEvents(seen).end()) });
    await assert.rejects(short.transport.open(short.peer), { code: 'closed' });
  });

  test('fails without an answer in time', async () => {
    const clock = new ManualClock();
    const { server, transport, peer } = await startLegacyServer({ onGet: () => true, clock, connectTimeoutMs: 5_000 });
    const outcome = assert.rejects(transport.open(peer), {
      code: 'timeout',
      message: /did not answer the request for the event stream within 5 s/,
    });
    await server.request(({ method }) => method === 'GET');
    await clock.advance(5_000);
    await outcome;
  });

  test('can be closed before it started', async () => {
    const { transport, peer } = await startLegacyServer();
    await assert.rejects(transport.open(peer, AbortSignal.abort(new Error('stop'))), { message: 'stop' });
    await transport.close();
    assert.deepEqual(peer.closes, []);
  });

  test('can be aborted', async () => {
    const { server, transport, peer } = await startLegacyServer({ endpoint: '' });
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
