import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RequestTable } from '../../../src/core/protocol/requestTable.js';

interface Request {
  id: number;
}

function open(table: RequestTable<Request>): Request {
  const request = { id: table.nextId() };
  table.add(request);
  return request;
}

test('the table behaves like a map with increasing keys, for any order of requests', () => {
  const step = fc.oneof({ weight: 3, arbitrary: fc.constant('open' as const) }, { weight: 2, arbitrary: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new RequestTable<Request>();
      const expected = new Map<number, Request>();
      let last = 0;
      for (const one of steps) {
        if (one === 'open') {
          const request = open(table);
          assert.ok(request.id > last);
          last = request.id;
          expected.set(request.id, request);
        } else {
          const request = [...expected.values()][one % Math.max(expected.size, 1)];
          if (!request) continue;
          expected.delete(request.id);
          assert.equal(table.delete(request), true);
          assert.equal(table.delete(request), false);
          assert.equal(table.get(request.id), undefined);
        }
        assert.equal(table.size, expected.size);
      }
      for (const [id, request] of expected) assert.equal(table.get(id), request);
      assert.deepEqual(
        table.all().sort((a, b) => a.id - b.id),
        [...expected.values()],
      );
    }),
  );
});

test('values that are not ids match no request', () => {
  const table = new RequestTable<Request>();
  const { id } = open(table);
  for (const wrong of [
    String(id),
    id + 0.5,
    -id,
    id + 8,
    id + 2 ** 32,
    id + 2 ** 31,
    Number.NaN,
    Infinity,
    null,
    undefined,
    true,
    {},
    [id],
    '__proto__',
    'length',
  ]) {
    assert.equal(table.get(wrong), undefined, JSON.stringify(wrong));
  }
});

test('a request that stays open does not make the table grow', () => {
  const table = new RequestTable<Request>();
  const stream = open(table);
  for (let i = 0; i < 100_000; i++) table.delete(open(table));
  assert.equal(table.get(stream.id), stream);
  assert.ok(open(table).id - stream.id < 120_000, 'few ids are left out for it');
});

test('two ids assigned before either request was added both work', () => {
  const table = new RequestTable<Request>();
  const ids = Array.from({ length: 100 }, () => table.nextId());
  for (const id of ids) table.add({ id });
  assert.deepEqual(
    table
      .all()
      .map(({ id }) => id)
      .sort((a, b) => a - b),
    ids,
  );
});

test('a request with the id of another replaces it', () => {
  const table = new RequestTable<Request>();
  const first = open(table);
  const second = { id: first.id };
  table.add(second);
  assert.equal(table.get(first.id), second);
  assert.deepEqual([table.size, table.delete(first), table.delete(second), table.size], [1, false, true, 0]);
});

test('thousands of requests are added and removed at once', () => {
  const table = new RequestTable<Request>();
  const many = Array.from({ length: 5_000 }, () => open(table));
  assert.equal(table.all().length, 5_000);
  for (const request of many) assert.equal(table.delete(request), true);
  assert.deepEqual([table.size, table.all()], [0, []]);
  const { id } = open(table);
  assert.equal(id, (many[0]?.id ?? 0) + 5_000);
});

test('[R5] ids start at a random number, so that an answer written before its request was read matches none', () => {
  const firstIds = new Set(Array.from({ length: 20 }, () => new RequestTable<Request>().nextId()));
  assert.ok(firstIds.size > 10, 'they can be guessed');
  // Larger ids are no small integers in V8, and no 32-bit integers in some servers.
  assert.ok([...firstIds].every((id) => id > 1_000 && id < 2 ** 29));
});
