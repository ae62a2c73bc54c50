import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { compactJson } from '../../../../src/core/base/jsonTokens.js';
import { eventText, startEvents } from '../../../support/httpTestServer.js';
import { until } from '../../../support/httpUntil.js';
import { startLegacyServer } from './legacyServer.js';

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
      const { server, transport, peer, streams } = await startLegacyServer({
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
    const { transport, peer, server } = await startLegacyServer({
      onGet: ({ response }) => Boolean(response.writeHead(204).end()),
    });
    await assert.rejects(transport.open(peer), { code: 'invalid-message' });
    assert.deepEqual(server.log, ['GET']);
  });

  test('is not ended by an event with the name of one of its own events', async () => {
    const { peer, streams } = await startLegacyServer();
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
    const { peer, streams } = await startLegacyServer();
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
    const { peer, streams } = await startLegacyServer();
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
    const { peer, streams } = await startLegacyServer();
    await peer.connect();
    peer.messages.length = 0;
    const all = Array.from({ length: 2_000 }, (_, index) => eventText(note(index))).join('');
    streams[0]?.write(`${all}data: {"jsonrpc":"2.0","method":"cut"}`, () => streams[0]?.end());
    await until(() => peer.closes.length === 1);
    assert.deepEqual([peer.messages.length, peer.messages.at(-1)?.params.index], [2_000, 1_999]);
  });

  test('[E1] may have events that end in CR before anything follows, and characters split into bytes', async () => {
    const { peer, streams } = await startLegacyServer({ endpoint: 'event: endpoint\rdata: /messages?s=1\r\r' });
    await peer.connect();
    for (const byte of Buffer.from(eventText({ ...note(0), params: { text: 'Grüße 你好 🎉' } })))
      streams[0]?.write(Buffer.of(byte));
    await until(() => peer.messages.some(({ params }) => params?.text === 'Grüße 你好 🎉'));
  });

  test('may be compressed without a request for it, and then no event waits for the next one', async () => {
    const zip = createGzip();
    const { peer, server } = await startLegacyServer({
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
    const { peer } = await startLegacyServer({
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
    const { transport, peer, streams } = await startLegacyServer();
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
    const { transport, peer, streams, server } = await startLegacyServer();
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
    const { transport, peer, server } = await startLegacyServer();
    const opening = transport.open(peer);
    void transport.close();
    await assert.rejects(opening, { code: 'closed' });
    assert.deepEqual([server.seen.length, peer.closes], [0, []]);
  });
});
