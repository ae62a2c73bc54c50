import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SeenRequest } from '../../../support/httpTestServer.js';
import { legacyServer, sendJson, sendResult } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { ManualClock } from '../../../support/manualClock.js';
import { connected, headersOf, start } from './startedTransport.js';

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
