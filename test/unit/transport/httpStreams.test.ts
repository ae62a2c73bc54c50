import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, test } from 'node:test';
import { HttpTransport } from '../../../src/core/transport/httpTransport.js';
import { parseRemoteAddress } from '../../../src/core/transport/remoteAddress.js';
import { HttpTestPeer } from '../../support/httpTestPeer.js';
import type { HttpHandler, SeenRequest } from '../../support/httpTestServer.js';
import { eventText, HttpTestServer, legacyServer, sendResult, startEvents } from '../../support/httpTestServer.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock } from '../../support/manualClock.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

interface Parts {
  server: HttpTestServer;
  transport: HttpTransport;
  peer: HttpTestPeer;
  clock: ManualClock;
  /** The GET requests so far. */
  gets: () => SeenRequest[];
}

async function start(handlers: { onGet?: HttpHandler; handler?: HttpHandler; sessionId?: string }): Promise<Parts> {
  const server = await HttpTestServer.start(legacyServer(handlers));
  open.push(server);
  const clock = new ManualClock();
  // Randomness at its upper end: waits are exactly their full step.
  const transport = new HttpTransport(parseRemoteAddress(server.url), { clock, random: () => 1 });
  open.push(transport);
  const peer = new HttpTestPeer(transport);
  return { server, transport, peer, clock, gets: () => server.seen.filter(({ method }) => method === 'GET') };
}

async function connected(handlers: Parameters<typeof start>[0]): Promise<Parts> {
  const parts = await start(handlers);
  await parts.peer.connect();
  await parts.server.request(({ method }) => method === 'GET');
  return parts;
}

/** Advances a clock in steps, with time for real sockets in between, until `holds`; gives the time that it took. */
async function advanceUntil(clock: ManualClock, holds: () => boolean, stepMs = 50, limitMs = 400_000): Promise<number> {
  const start = clock.now();
  for (;;) {
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setTimeout(resolve, 1));
    if (holds()) return clock.now() - start;
    if (clock.now() - start > limitMs) throw new Error(`In vain for ${limitMs} ms: ${holds.toString()}`);
    await clock.advance(stepMs);
  }
}

const note = (text: string) => ({ jsonrpc: '2.0', method: 'note', params: { text } });
const texts = (peer: HttpTestPeer) => peer.messages.filter(({ method }) => method === 'note').map(({ params }) => params.text);

describe('[E3] the GET stream', () => {
  test('is opened once the handshake is accepted, as part of the session', async () => {
    const { server, peer } = await connected({ sessionId: 's1', onGet: (seen) => void startEvents(seen).write(eventText(note('hello'))) });
    await until(() => peer.messages.length === 2);
    assert.deepEqual(texts(peer), ['hello']);
    assert.deepEqual(server.log.slice(0, 3), ['POST initialize', 'POST notifications/initialized', 'GET']);
    const { headers } = server.seen[2] as SeenRequest;
    assert.deepEqual([headers.accept, headers['mcp-session-id'], headers['mcp-protocol-version'], headers['last-event-id']], ['text/event-stream', 's1', '2025-11-25', undefined]);
  });

  test('that the server does not have (405) is not asked for again, and is no news', async () => {
    const { peer, clock, gets } = await connected({});
    await clock.advance(600_000);
    await peer.request('a');
    assert.deepEqual({ gets: gets().length, warnings: peer.warnings }, { gets: 1, warnings: [] });
  });

  test('that is refused otherwise is not asked for again, with a warning', async () => {
    for (const refuse of [
      (seen: SeenRequest) => seen.response.writeHead(400).end(),
      (seen: SeenRequest) => seen.response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ]) {
      const { peer, clock, gets } = await connected({ onGet: refuse });
      await until(() => peer.warnings.length === 1);
      await clock.advance(600_000);
      assert.equal(gets().length, 1);
    }
  });

  test('goes on from the last event after a loss, when the server says', async () => {
    const { peer, clock, gets } = await connected({
      onGet: (seen) => {
        const last = seen.headers['last-event-id'];
        const response = startEvents(seen);
        if (last === undefined) response.end(eventText(note('one'), { id: 'é1', retry: 500 }));
        else response.write(eventText(note(Buffer.from(String(last), 'latin1').toString('utf8'))));
      },
    });
    const waited = await advanceUntil(clock, () => gets().length === 2);
    assert.equal(waited, 500);
    await until(() => texts(peer).length === 2);
    assert.deepEqual(texts(peer), ['one', 'é1']);
  });

  test('is not opened in a hurry when it flaps, and given up in the end', async () => {
    const { peer, clock, gets } = await connected({ onGet: (seen) => void startEvents(seen).end() });
    const times: number[] = [];
    let seen = 1;
    await advanceUntil(
      clock,
      () => {
        if (gets().length > seen) {
          seen = gets().length;
          times.push(clock.now());
        }
        return peer.warnings.length === 1;
      },
      250,
    );
    assert.equal(gets().length, 8);
    const waits = times.map((time, i) => time - (times[i - 1] ?? 0));
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await clock.advance(600_000);
    await peer.request('a');
    assert.equal(gets().length, 8);
  });

  test('is bounded also when every opening brings a message and asks for haste', async () => {
    const { clock, gets } = await connected({ onGet: (seen) => void startEvents(seen).end(eventText(note('x'), { retry: 1 })) });
    await advanceUntil(clock, () => clock.now() >= 20_000, 50);
    assert.ok(gets().length <= 26, `${gets().length} in 20 s`);
  });

  test('does not wait for ever when the server asks for that', async () => {
    const { clock, gets } = await connected({ onGet: (seen) => void startEvents(seen).end(eventText(note('x'), { retry: 1e15 })) });
    assert.equal(await advanceUntil(clock, () => gets().length === 2, 10_000), 300_000);
  });

  test('comes back when the server had been away and answers again', async () => {
    let isDown = true;
    const { peer, clock, gets } = await connected({ onGet: (seen) => void (isDown ? seen.response.writeHead(503).end() : startEvents(seen).write(eventText(note('back')))) });
    isDown = true;
    await until(() => gets().length === 1);
    isDown = false;
    await advanceUntil(clock, () => texts(peer).length === 1);
  });

  test('is opened again by a working request after the network was gone for long', async () => {
    const { server, peer, clock, gets } = await connected({ onGet: (seen) => void seen.response.socket?.destroy() });
    await advanceUntil(clock, () => peer.warnings.length === 1, 1_000);
    const before = gets().length;
    await peer.request('a');
    assert.equal(gets().length, before, 'not at once');
    await clock.advance(61_000);
    await peer.request('b');
    await server.request((seen) => seen.method === 'GET' && server.seen.indexOf(seen) > server.log.indexOf('POST b'));
  });

  test('that does not open in time is tried again', async () => {
    const { clock, gets } = await connected({ onGet: () => undefined });
    await advanceUntil(clock, () => gets().length === 2, 5_000, 60_000);
    await until(() => gets()[0]?.wasAborted === true);
  });

  test('ends with the session that it belongs to, and begins anew with the next', async () => {
    let isGone = false;
    const streams: ServerResponse[] = [];
    const { server, peer, gets } = await connected({
      sessionId: 's1',
      onGet: (seen) => void streams.push(startEvents(seen)),
      handler: (seen) => (isGone ? seen.response.writeHead(404).end() : sendResult(seen)),
    });
    isGone = true;
    await assert.rejects(peer.request('a'), { code: 'session-expired' });
    await until(() => gets()[0]?.wasAborted === true);
    isGone = false;
    await peer.connect();
    await until(() => gets().length === 2);
    assert.equal(server.log.filter((line) => line === 'GET').length, 2);
  });

  test('ends with the transport', async () => {
    const { server, transport, gets } = await connected({ onGet: (seen) => void startEvents(seen) });
    await transport.close();
    await until(() => gets()[0]?.wasAborted === true && server.openConnections === 0);
  });

  test('[E4] does not exist in the modern era', async () => {
    const { server, transport, peer, clock } = await start({});
    await transport.open(peer);
    await peer.request('server/discover', {}, { 'mcp-protocol-version': '2026-07-28' });
    await clock.advance(60_000);
    assert.deepEqual(server.log, ['POST server/discover']);
  });
});

describe('[E4] an answer stream that ends too early', () => {
  const priming = `id: p1\nretry: 700\ndata: \n\n`;

  test('is resumed by GET from its last event when it had one', async () => {
    let streamed = 0;
    const { server, peer, clock, gets } = await connected({
      onGet: (seen) => {
        if (seen.headers['last-event-id'] === undefined) startEvents(seen);
        else if (++streamed === 1) startEvents(seen).end('id: p2\ndata: \n\n');
        else startEvents(seen).write(eventText(note('late')) + eventText({ jsonrpc: '2.0', id: 2, result: { done: true } }));
      },
      handler: (seen) => void startEvents(seen).end(priming + eventText(note('early'), { id: 'e1' })),
    });
    const answer = peer.request('tools/call');
    await server.request(({ rpc }) => rpc?.method === 'tools/call');
    await advanceUntil(clock, () => texts(peer).length === 2);
    assert.deepEqual(await answer, { done: true });
    assert.deepEqual(gets().map(({ headers }) => headers['last-event-id']), [undefined, 'e1', 'p2']);
    assert.deepEqual(texts(peer), ['early', 'late']);
    // Nothing is left of the resumed stream.
    await until(() => gets()[2]?.wasAborted === true);
    assert.deepEqual(peer.lateFailures, []);
  });

  test('waits as long as the server says', async () => {
    const { peer, clock, gets } = await connected({ onGet: (seen) => void startEvents(seen), handler: (seen) => void startEvents(seen).end(priming) });
    void peer.request('a');
    await until(() => clock.pending > 1);
    assert.equal(await advanceUntil(clock, () => gets().length === 2), 700);
  });

  test('fails when resuming is refused', async () => {
    const { peer, clock } = await connected({ handler: (seen) => void startEvents(seen).end(priming) });
    const answer = peer.request('a');
    let error: any;
    answer.catch((reason) => (error = reason));
    await advanceUntil(clock, () => error !== undefined);
    assert.equal(error.code, 'closed');
  });

  test('[E2] fails soon when it broke inside an event that the server does not repeat', async () => {
    const { peer, clock } = await connected({
      onGet: (seen) => void startEvents(seen).write(': open\n\n'),
      handler: (seen) => void startEvents(seen).write(`${priming}id: 2\ndata: {"jsonrpc":"2.0",`, () => seen.response.destroy()),
    });
    let error: any;
    peer.request('a').catch((reason) => (error = reason));
    const waited = await advanceUntil(clock, () => error !== undefined);
    assert.equal(error.code, 'closed');
    assert.ok(waited <= 4_000, `${waited} ms`);
  });

  test('fails at once without event ids', async () => {
    for (const end of ['', ': x\n\n', eventText(note('only')), 'data: {"jsonrpc"']) {
      const { peer } = await connected({ handler: (seen) => void startEvents(seen).end(end) });
      await assert.rejects(peer.request('a'), { code: 'closed', message: /ended the stream/ });
    }
  });

  test('fails at once in the modern era, ids or not', async () => {
    const { server, transport, peer } = await start({ handler: (seen) => void startEvents(seen).end(priming) });
    await transport.open(peer);
    await assert.rejects(peer.request('tools/call'), { code: 'closed' });
    assert.deepEqual(server.log, ['POST tools/call']);
  });

  test('is not resumed for a request that was cancelled', async () => {
    const { transport, peer, clock, gets } = await connected({ onGet: (seen) => void startEvents(seen), handler: (seen) => void startEvents(seen).end(priming) });
    const id = peer.upcomingId;
    void peer.request('a');
    await until(() => clock.pending > 1);
    transport.cancel(id);
    await clock.advance(60_000);
    assert.equal(gets().length, 1);
  });

  test('needs no resuming when the answer comes on another stream', async () => {
    const streams: ServerResponse[] = [];
    const posts: ServerResponse[] = [];
    const { peer } = await connected({ onGet: (seen) => void streams.push(startEvents(seen)), handler: (seen) => void posts.push(startEvents(seen)) });
    const answer = peer.request('a');
    await until(() => posts.length === 1);
    streams[0]?.write(eventText({ jsonrpc: '2.0', id: 2, result: { by: 'get' } }));
    assert.deepEqual(await answer, { by: 'get' });
    posts[0]?.end();
    await peer.transport.close();
    assert.deepEqual(peer.lateFailures, []);
  });
});

describe('[E5] a stream of odd events', () => {
  test('yields its good ones, with one warning of each kind', async () => {
    const { peer } = await connected({
      handler: (seen) => {
        const wrong = eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: { wrong: true } }, { event: 'custom' });
        const bad = eventText('{"broken":') + eventText('<html>\u202e');
        startEvents(seen).end(`: hi\n\n${wrong}${bad}data\n\n${wrong}${bad}${eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: { good: true } })}`);
      },
    });
    assert.deepEqual(await peer.request('a'), { good: true });
    assert.deepEqual(peer.warnings, ['Skipped an event of the unknown type "custom".', 'Skipped an event that is not JSON: {"broken":']);
  });
});

describe('a flood of events', () => {
  test('arrives complete and in order before the answer, and lets others run', async () => {
    const count = 20_000;
    const { peer } = await connected({
      handler: (seen) => {
        const all = Array.from({ length: count }, (_, i) => eventText(note(String(i)))).join('');
        startEvents(seen).end(all + eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: {} }));
      },
    });
    await peer.request('a');
    assert.deepEqual(texts(peer), Array.from({ length: count }, (_, i) => String(i)));
  });
});
