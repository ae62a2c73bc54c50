import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, test } from 'node:test';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler, SeenRequest } from '../../../support/httpTestServer.js';
import { eventText, HttpTestServer, legacyServer, sendResult, startEvents } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { ManualClock } from '../../../support/manualClock.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

const connectTimeoutMs = 33_333;
/** Intervals of timers unrelated to reconnecting: gate, sweep, response, excerpt, replay. */
const otherTimers: ReadonlySet<number> = new Set([10_000, 15_000, connectTimeoutMs, 5_000, 3_000]);

/** A clock that only the test moves; records the transport's waits before reconnecting. */
class WaitClock extends ManualClock {
  readonly waits: number[] = [];

  override after(ms: number, callback: () => void) {
    if (!otherTimers.has(ms)) this.waits.push(ms);
    return super.after(ms, callback);
  }

  /** Waits until the `n`th wait (from 1) has started, then lets it pass. */
  async pass(n: number): Promise<number> {
    await until(() => this.waits.length >= n);
    const ms = this.waits[n - 1] as number;
    await this.advance(ms);
    return ms;
  }
}

interface Parts {
  server: HttpTestServer;
  transport: HttpTransport;
  peer: HttpTestPeer;
  clock: WaitClock;
  /** The GET requests so far. */
  gets: () => SeenRequest[];
}

async function start(handlers: { onGet?: HttpHandler; handler?: HttpHandler; sessionId?: string }): Promise<Parts> {
  const server = await HttpTestServer.start(legacyServer(handlers));
  open.push(server);
  const clock = new WaitClock();
  // The random factor is at its maximum, so waits are exactly their full step.
  const transport = new HttpTransport(parseRemoteAddress(server.url), { clock, connectTimeoutMs, random: () => 1 });
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

/** The error of a request, as soon as it fails. */
function failure(answer: Promise<unknown>): { error?: any } {
  const outcome: { error?: any } = {};
  answer.catch((error: unknown) => (outcome.error = error));
  return outcome;
}

const note = (text: string) => ({ jsonrpc: '2.0', method: 'note', params: { text } });
const texts = (peer: HttpTestPeer) =>
  peer.messages.filter(({ method }) => method === 'note').map(({ params }) => params.text);

describe('[E3] the GET stream', () => {
  test('is opened once the handshake is accepted, in the session', async () => {
    const { server, peer } = await connected({
      sessionId: 's1',
      onGet: (seen) => void startEvents(seen).write(eventText(note('hello'))),
    });
    await until(() => peer.messages.length === 2);
    assert.deepEqual(texts(peer), ['hello']);
    assert.deepEqual(server.log.slice(0, 3), ['POST initialize', 'POST notifications/initialized', 'GET']);
    const { headers } = server.seen[2] as SeenRequest;
    assert.deepEqual(
      [headers.accept, headers['mcp-session-id'], headers['mcp-protocol-version'], headers['last-event-id']],
      ['text/event-stream', 's1', '2025-11-25', undefined],
    );
  });

  test('delivers the answers of a server that only accepts POSTs (202), which is reported once', async () => {
    let stream: ServerResponse | undefined;
    const { peer, transport } = await connected({
      sessionId: 's1',
      onGet: (seen) => void (stream = startEvents(seen)),
      handler: ({ response, rpc }) => {
        response.writeHead(202).end();
        setImmediate(() => stream?.write(eventText({ jsonrpc: '2.0', id: rpc?.id, result: { of: rpc?.method } })));
      },
    });
    await until(() => stream !== undefined);
    assert.deepEqual(await Promise.all([peer.request('a'), peer.request('b')]), [{ of: 'a' }, { of: 'b' }]);
    assert.deepEqual(
      peer.warnings.map((line) => /not MCP/.test(line)),
      [true],
    );
    assert.deepEqual(peer.lateFailures, []);
    await transport.close();
  });

  test('that ends permanently fails the requests whose answers it would deliver', async () => {
    let isRefused = false;
    const { peer, gets } = await connected({
      onGet: ({ response }) => void until(() => isRefused).then(() => response.writeHead(405).end()),
      handler: ({ response }) => response.writeHead(202).end(),
    });
    const outcome = failure(peer.request('a'));
    await until(() => peer.warnings.length === 1);
    assert.ok(!('error' in outcome));
    isRefused = true;
    await until(() => outcome.error !== undefined);
    assert.match(outcome.error.message, /status 202 and an empty body/);
    assert.equal(gets().length, 1);
  });

  test('that the server does not have (405) is not requested again, and is not reported', async () => {
    const { peer, clock, gets } = await connected({});
    await clock.advance(600_000);
    await peer.request('a');
    assert.deepEqual({ gets: gets().length, warnings: peer.warnings }, { gets: 1, warnings: [] });
  });

  test('that is refused otherwise is not requested again, with a warning', async () => {
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

  test('continues from the last event after a loss, at the time that the server gives', async () => {
    const { peer, clock, gets } = await connected({
      onGet: (seen) => {
        const last = seen.headers['last-event-id'];
        const response = startEvents(seen);
        if (last === undefined) response.end(eventText(note('one'), { id: 'é1', retry: 500 }));
        else response.write(eventText(note(Buffer.from(String(last), 'latin1').toString('utf8'))));
      },
    });
    assert.equal(await clock.pass(1), 500);
    await until(() => texts(peer).length === 2);
    assert.deepEqual({ texts: texts(peer), gets: gets().length }, { texts: ['one', 'é1'], gets: 2 });
  });

  test('is not reopened too fast when it flaps, and finally closed', async () => {
    const { peer, clock, gets } = await connected({ onGet: (seen) => void startEvents(seen).end() });
    for (let n = 1; n <= 7; n++) await clock.pass(n);
    await until(() => peer.warnings.length === 1);
    assert.deepEqual(clock.waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await clock.advance(600_000);
    await peer.request('a');
    assert.equal(gets().length, 8);
  });

  test('is limited also if every stream delivers a message and asks for a fast reconnect', async () => {
    const { clock } = await connected({
      onGet: (seen) => void startEvents(seen).end(eventText(note('x'), { retry: 1 })),
    });
    for (let n = 1; n <= 10; n++) await clock.pass(n);
    assert.deepEqual(clock.waits.slice(0, 10), [100, 100, 100, 100, 100, 1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  test('does not wait forever when the server asks for it', async () => {
    const { server, clock } = await connected({
      onGet: (seen) => void startEvents(seen).end(eventText(note('x'), { retry: 1e15 })),
    });
    assert.equal(await clock.pass(1), 300_000);
    await until(() => server.log.filter((line) => line === 'GET').length === 2);
  });

  test('reconnects when the server was down, and waits as long as the server asked', async () => {
    let isDown = true;
    const { peer, clock } = await connected({
      onGet: (seen) =>
        void (isDown
          ? seen.response.writeHead(503, { 'retry-after': '7' }).end()
          : startEvents(seen).write(eventText(note('back')))),
    });
    await until(() => clock.waits.length === 1);
    isDown = false;
    assert.equal(await clock.pass(1), 7_000);
    await until(() => texts(peer).length === 1);
  });

  test('is opened again by a working request after a long network failure', async () => {
    const { server, peer, clock, gets } = await connected({ onGet: (seen) => void seen.response.socket?.destroy() });
    for (let n = 1; n <= 7; n++) await clock.pass(n);
    await until(() => peer.warnings.length === 1);
    const before = gets().length;
    await peer.request('a');
    await clock.advance(61_000);
    assert.equal(gets().length, before, 'no immediate or automatic reconnect');
    await peer.request('b');
    await server.request((seen) => seen.method === 'GET' && server.seen.indexOf(seen) > server.log.indexOf('POST b'));
  });

  test('that does not open in time is retried', async () => {
    const { clock, gets } = await connected({ onGet: () => undefined });
    await clock.advance(connectTimeoutMs);
    await until(() => gets()[0]?.wasAborted === true);
    await clock.pass(1);
    await until(() => gets().length === 2);
  });

  test('ends when a new session replaces the one that it belongs to, and starts again with it', async () => {
    let isGone = false;
    const streams: ServerResponse[] = [];
    const { server, peer, gets } = await connected({
      sessionId: 's1',
      onGet: (seen) => void streams.push(startEvents(seen)),
      handler: (seen) => (isGone ? seen.response.writeHead(404).end() : sendResult(seen)),
    });
    isGone = true;
    await assert.rejects(peer.request('a'), { code: 'session-expired' });
    isGone = false;
    await peer.connect();
    await until(() => gets()[0]?.wasAborted === true && gets().length === 2);
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
    const { peer, clock, gets } = await connected({
      onGet: (seen) => {
        if (seen.headers['last-event-id'] === undefined) startEvents(seen);
        else if (++streamed === 1) startEvents(seen).end('id: p2\ndata: \n\n');
        else
          startEvents(seen).write(
            eventText(note('late')) + eventText({ jsonrpc: '2.0', id: 2, result: { done: true } }),
          );
      },
      handler: (seen) => void startEvents(seen).end(priming + eventText(note('early'), { id: 'e1' })),
    });
    const answer = peer.request('tools/call');
    await clock.pass(1);
    await clock.pass(2);
    assert.deepEqual(await answer, { done: true });
    assert.deepEqual(
      gets().map(({ headers }) => headers['last-event-id']),
      [undefined, 'e1', 'p2'],
    );
    assert.deepEqual(texts(peer), ['early', 'late']);
    // Nothing of the resumed stream is left.
    await until(() => gets()[2]?.wasAborted === true);
    assert.deepEqual(peer.lateFailures, []);
  });

  test('waits as long as the server asks', async () => {
    const { peer, clock, gets } = await connected({
      onGet: (seen) => void startEvents(seen),
      handler: (seen) => void startEvents(seen).end(priming),
    });
    void peer.request('a');
    assert.equal(await clock.pass(1), 700);
    await until(() => gets().length === 2);
  });

  test('fails when resuming is refused', async () => {
    const { peer, clock } = await connected({ handler: (seen) => void startEvents(seen).end(priming) });
    const outcome = failure(peer.request('a'));
    await clock.pass(1);
    await until(() => outcome.error !== undefined);
    assert.equal(outcome.error.code, 'closed');
  });

  test('[E2] fails soon when it broke within an event that the server does not repeat', async () => {
    const { peer, clock, gets } = await connected({
      onGet: (seen) => void startEvents(seen).write(': open\n\n'),
      handler: (seen) =>
        void startEvents(seen).write(`${priming}id: 2\ndata: {"jsonrpc":"2.0",`, () => seen.response.destroy()),
    });
    const outcome = failure(peer.request('a'));
    await clock.pass(1);
    await until(() => gets().length === 2);
    // The three seconds start when the response has arrived, which the server cannot observe.
    while (outcome.error === undefined) await clock.advance(1_000);
    assert.equal(outcome.error.code, 'closed');
  });

  test('fails at once without event ids', async () => {
    for (const end of ['', ': x\n\n', eventText(note('only')), 'data: {"jsonrpc"']) {
      const { peer } = await connected({ handler: (seen) => void startEvents(seen).end(end) });
      await assert.rejects(peer.request('a'), { code: 'closed', message: /ended the stream/ });
    }
  });

  test('fails at once in the modern era, with or without ids', async () => {
    const { server, transport, peer } = await start({ handler: (seen) => void startEvents(seen).end(priming) });
    await transport.open(peer);
    await assert.rejects(peer.request('tools/call'), { code: 'closed' });
    assert.deepEqual(server.log, ['POST tools/call']);
  });

  test('is not resumed for a request that was canceled', async () => {
    const { transport, peer, clock, gets } = await connected({
      onGet: (seen) => void startEvents(seen),
      handler: (seen) => void startEvents(seen).end(priming),
    });
    const id = peer.upcomingId;
    void peer.request('a');
    await until(() => clock.waits.length === 1);
    transport.cancel(id);
    await clock.advance(60_000);
    assert.equal(gets().length, 1);
  });

  test('is not resumed when the answer comes on another stream', async () => {
    const streams: ServerResponse[] = [];
    const posts: ServerResponse[] = [];
    const { peer } = await connected({
      onGet: (seen) => void streams.push(startEvents(seen)),
      handler: (seen) => void posts.push(startEvents(seen)),
    });
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
  test('delivers the valid ones, with one warning of each kind', async () => {
    const { peer } = await connected({
      handler: (seen) => {
        const wrong = eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: { wrong: true } }, { event: 'custom' });
        const bad = eventText('{"broken":') + eventText('<html>\u202e');
        startEvents(seen).end(
          `: hi\n\n${wrong}${bad}data\n\n${wrong}${bad}${eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: { good: true } })}`,
        );
      },
    });
    assert.deepEqual(await peer.request('a'), { good: true });
    assert.deepEqual(peer.warnings, [
      'Skipped an event of the unknown type "custom".',
      'Skipped an event that is not JSON: {"broken":',
    ]);
  });
});

describe('a flood of events', () => {
  test('arrives complete and in order before the answer, and lets other work run', async () => {
    const count = 20_000;
    const { peer } = await connected({
      handler: (seen) => {
        const all = Array.from({ length: count }, (_, i) => eventText(note(String(i)))).join('');
        startEvents(seen).end(all + eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result: {} }));
      },
    });
    await peer.request('a');
    assert.deepEqual(
      texts(peer),
      Array.from({ length: count }, (_, i) => String(i)),
    );
  });
});
