import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PeerHandler } from '../../../src/core/protocol/jsonRpcPeer.js';
import { settle } from '../../support/manualClock.js';
import { answer, makePeer } from './makePeer.js';

describe('[batch, F6] a batch', () => {
  test('is handled element by element, and its requests are answered together', async () => {
    const notified: string[] = [];
    const { peer, sent } = makePeer({ onNotification: (method) => notified.push(method) });
    const result = peer.request('a');
    peer.receive([
      { jsonrpc: '2.0', method: 'notifications/one' },
      answer(1, { ok: true }),
      { jsonrpc: '2.0', id: 'x', method: 'ping' },
      { jsonrpc: '2.0', id: 'y', method: 'ping' },
      42,
    ]);
    peer.receive([]);
    await settle();
    assert.deepEqual(
      [await result, notified, sent[1].map(({ id }: any) => id)],
      [{ ok: true }, ['notifications/one'], ['x', 'y']],
    );
  });
});

describe('[batch, F6] a batch is answered, although one of its requests', () => {
  const request = (id: unknown, method = 'ping') => ({ jsonrpc: '2.0', id, method });
  const never = new Promise<never>(() => undefined);
  const cases: [string, unknown[], Partial<PeerHandler>, unknown?][] = [
    ...[null, true, {}, [1]].map((id): [string, unknown[], Partial<PeerHandler>] => [
      `has the ID ${JSON.stringify(id)}`,
      [request(id), request('x'), request('y')],
      {},
    ]),
    ['has no method', [request('z', 7 as never), request('x'), request('y')], {}],
    [
      'is not accepted from servers',
      [request('z', 'no'), request('x'), request('y')],
      { onRequest: (method) => (method === 'no' ? undefined : Promise.resolve({})) },
    ],
    [
      'is canceled and never ends',
      [request('z', 'slow'), request('x'), request('y')],
      { onRequest: (method) => (method === 'slow' ? never : Promise.resolve({})) },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'z' } },
    ],
  ];
  for (const [name, messages, handler, after] of cases)
    test(name, async () => {
      const { peer, sent } = makePeer(handler);
      peer.receive(messages);
      if (after !== undefined) peer.receive(after);
      await settle();
      assert.deepEqual(
        sent.map((message) => message.map(({ id }: any) => id)),
        [['x', 'y']],
      );
    });

  test('repeats the ID of another one: all responses are in one batch', async () => {
    const { peer, sent } = makePeer();
    peer.receive([request('x'), request('x'), request('y')]);
    await settle();
    assert.deepEqual(
      sent.map((message) => message.map(({ id, error }: any) => [id, error !== undefined])),
      [
        [
          ['x', true],
          ['x', false],
          ['y', false],
        ],
      ],
    );
  });

  test('is open when the connection ends: nothing is sent', async () => {
    const { peer, sent } = makePeer({ onRequest: (method) => (method === 'slow' ? never : Promise.resolve({})) });
    peer.receive([request('x'), request('y', 'slow')]);
    await settle();
    peer.end(new Error('closed'));
    await settle();
    assert.deepEqual(sent, []);
  });
});

/** Objects that count how often their members are read. */
function counted(count: number, members: Record<string, unknown>) {
  const reads = { count: 0 };
  const items = Array.from({ length: count }, () =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(members).map(([name, value]) => [
          name,
          { enumerable: true, configurable: true, get: () => (reads.count++, value) },
        ]),
      ),
    ),
  );
  return { items, reads };
}

describe('[F11] a message of many parts', () => {
  test('that is a batch is handled up to its first 1,000 messages, and one warning counts the rest', async () => {
    const { peer, warnings } = makePeer();
    const result = peer.request('a');
    const { items, reads } = counted(200_000, { jsonrpc: '1.0' });
    peer.receive([answer(1, { ok: true }), ...items]);
    assert.deepEqual(await result, { ok: true });
    assert.ok(reads.count <= 5_000, `${reads.count} members were read`);
    assert.ok(warnings.length <= 12, `${warnings.length} warnings`);
    assert.match(warnings.join('\n'), /Dropped 199,001 messages of a batch of 200,001: at most 1,000 are handled\./);
  });

  test('that is no message is quoted without reading it to its end', () => {
    const remarks: unknown[] = [];
    const { peer, warnings } = makePeer({ onRemark: (remark) => remarks.push(remark) });
    const { items, reads } = counted(200_000, { a: 1 });
    peer.receive({ items });
    peer.receive(answer(7, items));
    peer.receive({ ...answer(8), id: items });
    assert.deepEqual([warnings.length, remarks.length], [3, 3]);
    assert.match(warnings[0] ?? '', /^Dropped a message that is not JSON-RPC 2\.0: \{"items":\[\{"a":1\},/);
    assert.ok(reads.count <= 500, `${reads.count} members were read`);
  });
});

test('[F3] invalid JSON-RPC is dropped with a warning and has no other effect', async () => {
  const { peer, warnings } = makePeer();
  const result = peer.request('a');
  for (const odd of [
    null,
    42,
    'x',
    {},
    { jsonrpc: '1.0' },
    { jsonrpc: '2.0', method: 7 },
    { jsonrpc: '2.0', id: {}, method: 'x' },
    [[]],
  ])
    peer.receive(odd);
  peer.receive(answer(1, { ok: 1 }));
  assert.deepEqual([await result, warnings.length], [{ ok: 1 }, 8]);
});

test('[R9] methods named like members of Object.prototype are unknown methods', async () => {
  const seen: string[] = [];
  const { peer } = makePeer({ onNotification: (method) => seen.push(method) });
  for (const method of ['__proto__', 'constructor', 'toString']) peer.receive({ jsonrpc: '2.0', method });
  assert.deepEqual(seen, ['__proto__', 'constructor', 'toString']);
});

test('[X6] a request with an ID of megabytes is dropped, and an ID of 1,000 characters is answered', async () => {
  const { peer, sent, warnings } = makePeer();
  for (const length of [1_000, 1_001, 10_000_000])
    peer.receive({ jsonrpc: '2.0', id: 'a'.repeat(length), method: 'ping' });
  await settle();
  assert.deepEqual(
    sent.map(({ id }) => id.length),
    [1_000],
  );
  assert.match(warnings.join('\n'), /Dropped the request ping with an ID of 10000000 characters\./);
});
