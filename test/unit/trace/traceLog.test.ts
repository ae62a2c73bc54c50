import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMessages } from '../../../src/core/trace/recentMessages.js';
import { TraceLog } from '../../../src/core/trace/traceLog.js';
import { TraceRecorder } from '../../../src/core/trace/traceRecorder.js';
import { Traces } from '../../../src/core/trace/traces.js';

/** Random numbers determined only by the seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function recorder(log: TraceLog): TraceRecorder {
  let now = 1_000;
  return new TraceRecorder(log, () => now++);
}

function message(value: object): [unknown, string] {
  const whole = { jsonrpc: '2.0', ...value };
  return [whole, JSON.stringify(whole)];
}

test('a full trace drops its oldest lines, by number', () => {
  const log = new TraceLog({ maxEntries: 3 });
  const tap = recorder(log);
  for (let id = 1; id <= 5; id++) tap.sent(message({ id, method: 'ping' })[1], {});
  const held = [0, 1, 2, 3, 4, 5].map((seq) => log.get(seq)?.id);
  assert.deepEqual(
    { held, first: log.first, end: log.end, forgotten: log.forgotten },
    { held: [undefined, undefined, 3, 4, 5, undefined], first: 2, end: 5, forgotten: 2 },
  );
});

test('a full trace drops its oldest lines, by bytes, and always keeps the newest', () => {
  const log = new TraceLog({ maxCharacters: 10_000, maxTextLength: 20_000 });
  const tap = recorder(log);
  for (let id = 1; id <= 50; id++)
    tap.sent(message({ id, method: 'ping', params: { text: 'x'.repeat(1_000) } })[1], {});
  assert.ok(log.characters <= 10_000);
  assert.equal(log.get(log.end - 1)?.id, 50);
  tap.sent(message({ id: 51, method: 'ping', params: { text: 'x'.repeat(15_000) } })[1], {});
  assert.deepEqual({ held: log.end - log.first, id: log.get(log.first)?.id }, { held: 1, id: 51 });
});

test('a long message is stored with its beginning and the omitted length', () => {
  const log = new TraceLog({ maxTextLength: 100 });
  const [value, text] = message({ id: 1, result: { text: 'é'.repeat(1_000) } });
  recorder(log).received(value, text);
  const entry = log.get(0);
  assert.deepEqual(
    { kept: entry?.text, cut: entry?.cut, size: entry?.size },
    { kept: text.slice(0, 100), cut: text.length - 100, size: Buffer.byteLength(text) },
  );
});

test('requests and responses are linked by id, in both directions', () => {
  const log = new TraceLog();
  const tap = recorder(log);
  tap.sent(message({ id: 1, method: 'tools/call', params: {} })[1], {});
  tap.received(...message({ id: 1, method: 'roots/list' }));
  tap.sent(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { roots: [] } }), {});
  tap.received(...message({ id: 1, result: { content: [], isError: true } }));
  tap.received(...message({ id: 1, result: {} }));
  assert.deepEqual(
    [0, 1, 2, 3, 4]
      .map((seq) => log.get(seq))
      .map((entry) => ({
        pair: entry?.pair,
        method: entry?.method,
        latency: entry?.latencyMs,
        failed: entry?.hasFailed,
        isError: entry?.isError,
      })),
    [
      { pair: 3, method: 'tools/call', latency: undefined, failed: true, isError: false },
      { pair: 2, method: 'roots/list', latency: undefined, failed: false, isError: false },
      { pair: 1, method: 'roots/list', latency: 1, failed: undefined, isError: false },
      { pair: 0, method: 'tools/call', latency: 3, failed: undefined, isError: true },
      { pair: undefined, method: undefined, latency: undefined, failed: undefined, isError: false },
    ],
  );
});

test('the text "1" and the number 1 are different ids, and 0 is a valid id', () => {
  const log = new TraceLog();
  const tap = recorder(log);
  for (const id of [0, 1, '1']) tap.received(...message({ id, method: 'ping' }));
  for (const id of ['1', 0, 1]) tap.sent(JSON.stringify({ jsonrpc: '2.0', id, result: {} }), {});
  assert.deepEqual(
    [3, 4, 5].map((seq) => log.get(seq)?.pair),
    [2, 0, 1],
  );
});

test('an answer on another connection does not match', () => {
  const log = new TraceLog();
  const tap = recorder(log);
  tap.sent(message({ id: 1, method: 'ping' })[1], {});
  tap.opened('stdio');
  tap.received(...message({ id: 1, result: {} }));
  assert.equal(log.get(2)?.pair, undefined);
});

test('lines that are not messages are stored and marked', () => {
  const log = new TraceLog();
  const tap = recorder(log);
  tap.unreadable('Listening on port 3000');
  for (const value of [
    null,
    7,
    'text',
    {},
    { jsonrpc: '1.0', id: 1, result: {} },
    { jsonrpc: '2.0' },
    { jsonrpc: '2.0', id: null, result: {} },
    { jsonrpc: '2.0', id: 1, result: {}, error: {} },
    { jsonrpc: '2.0', method: 5 },
  ]) {
    tap.received(value, undefined);
  }
  assert.deepEqual([...new Set(Array.from({ length: log.end }, (_, seq) => log.get(seq)?.kind))], ['invalid']);
  assert.equal(log.get(0)?.text, 'Listening on port 3000');
});

test('the members of a batch are separate lines', () => {
  const log = new TraceLog();
  const tap = recorder(log);
  const batch = [message({ id: 1, method: 'ping' })[0], message({ method: 'notifications/x' })[0]];
  tap.received(batch, JSON.stringify(batch));
  assert.deepEqual(
    [0, 1].map((seq) => log.get(seq)?.kind),
    ['request', 'notification'],
  );
});

test('property: for any order of messages, pairs are mutual, have one id, and are a request and the response of the other side', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const next = randomNumbers(seed);
    const log = new TraceLog({ maxEntries: 40 });
    const tap = recorder(log);
    for (let step = 0; step < 300; step++) {
      const id = next(2) === 0 ? next(6) : String(next(6));
      const body =
        [{ id, method: 'a/b' }, { id, result: {} }, { id, error: { code: 1, message: 'no' } }, { method: 'n' }][
          next(4)
        ] ?? {};
      if (next(40) === 0) tap.opened('stdio');
      if (next(2) === 0) tap.sent(message(body)[1], {});
      else tap.received(...message(body));
    }
    for (let seq = log.first; seq < log.end; seq++) {
      const entry = log.get(seq);
      const other = entry?.pair === undefined ? undefined : log.get(entry.pair);
      if (!entry || !other) continue;
      assert.equal(other.pair, entry.seq);
      assert.equal(other.id, entry.id);
      assert.notEqual(other.direction, entry.direction);
      assert.deepEqual([entry.kind, other.kind].sort(), ['request', 'response']);
      assert.ok(entry.seq > other.seq === (entry.kind === 'response'));
    }
    assert.ok(log.end - log.first <= 40);
  }
});

test('captured messages stay after the stop, and a log exists only after a start', () => {
  const traces = new Traces();
  const slot = traces.slotOf('s');
  assert.deepEqual([traces.isCapturing('s'), traces.log('s')], [false, undefined]);
  traces.start('s');
  slot.current?.unreadable('x');
  traces.stop('s');
  slot.current?.unreadable('y');
  assert.deepEqual([traces.isCapturing('s'), traces.log('s')?.end], [false, 1]);
  traces.start('s');
  assert.equal(traces.log('s')?.end, 2);
  traces.forget('s');
  assert.equal(slot.current, undefined);
  traces.dispose();
});

test('a trace begins with the 200 messages before its start, with their times and pairs', () => {
  let at = 1_000;
  const recent = new RecentMessages(() => at++);
  for (let id = 0; id < 300; id++) {
    recent.sent(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{}}`, {});
    recent.received({}, `{"jsonrpc":"2.0","id":${id},"result":{}}`);
  }
  const log = new TraceLog();
  recent.moveTo(log);
  assert.equal(log.end, 200);
  const [request, answer] = [log.get(0), log.get(1)];
  assert.deepEqual(
    [request?.id, request?.method, request?.at, request?.pair, answer?.method, answer?.latencyMs],
    [200, 'tools/call', 1_400, 1, 'tools/call', 1],
  );
  recent.moveTo(log);
  assert.equal(log.end, 200);
});

test('the messages from before the start are bounded in characters; a long one keeps its kind and size', () => {
  const recent = new RecentMessages(() => 0);
  const long = `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(100_000)}"}}`;
  for (let index = 0; index < 20; index++) recent.received(JSON.parse(long), long);
  const log = new TraceLog();
  recent.moveTo(log);
  assert.equal(log.end, 8);
  const last = log.get(7);
  assert.deepEqual(
    [last?.kind, last?.id, last?.text.length, last?.size, (last?.cut ?? 0) + (last?.text.length ?? 0)],
    ['response', 1, 64 << 10, long.length, long.length],
  );
});

test('the setting captures every server from its first message on; changes of other settings stop no capture', () => {
  let isOn = true;
  const traces = new Traces(() => isOn);
  assert.ok(traces.slotOf('a').current);
  isOn = false;
  traces.applyAlwaysOn();
  assert.equal(traces.isCapturing('a'), false);
  traces.start('a');
  traces.applyAlwaysOn();
  assert.equal(traces.isCapturing('a'), true);
});

test('[X1] IDs and methods of any length are cut in the ring and in the log, and nothing throws', () => {
  const name = 'a'.repeat(10_000_000);
  const recent = new RecentMessages();
  const log = new TraceLog();
  for (const tap of [recent, new TraceRecorder(log)]) {
    tap.sent(`{"jsonrpc":"2.0","id":"${name}","result":{}}`, {});
    tap.sent(`{"jsonrpc":"2.0","id":"${name}`, {});
    tap.sent(`{"jsonrpc":"2.0","id":1,"method":"${name}"}`, {});
    tap.received({ jsonrpc: '2.0', id: name, method: name }, `{"jsonrpc":"2.0","id":"${name}","method":"${name}"}`);
    tap.received({ jsonrpc: '2.0', id: name, method: name }, undefined);
    tap.unreadable(`{"jsonrpc":"2.0","id":"${name}`);
    tap.closed(name);
  }
  const held = (recent as unknown as { ring: (object | undefined)[] }).ring.filter((one) => one !== undefined);
  assert.equal(held.length, 7);
  assert.ok(JSON.stringify(held).length < 7 * (65 << 10), 'the ring holds only beginnings');
  const moved = new TraceLog();
  recent.moveTo(moved);
  for (const { get } of [{ get: (seq: number) => moved.get(seq) }, { get: (seq: number) => log.get(seq) }])
    assert.deepEqual(
      [0, 2, 3, 4].map((seq) => [get(seq)?.kind, String(get(seq)?.id).length, get(seq)?.method?.length]),
      [
        ['response', 200, undefined],
        ['request', 1, 200],
        ['request', 200, 200],
        ['request', 200, 200],
      ],
    );
});
