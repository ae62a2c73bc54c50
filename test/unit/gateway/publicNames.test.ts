import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce } from '../../../src/core/base/timeSlice.js';
import type { NamedItem } from '../../../src/core/gateway/publicNames.js';
import { PublicNames, maxNameLength } from '../../../src/core/gateway/publicNames.js';

/** A generator of numbers from 0 to 1 that repeats for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const parts = ['a', 'B', '_', '-', '.', '/', ' ', 'é', '名', '\u0000', '\u202e', 'search', 'x'.repeat(30), '2', ''];

function itemFrom(random: () => number): NamedItem {
  const pick = () => parts[Math.floor(random() * parts.length)] ?? '';
  return { server: `server ${pick()}${pick()}`, name: pick() + pick() + pick() };
}

test('[GW1] names of any servers and tools fit every host, are unique, and never change their meaning', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomFrom(seed);
    let names = new PublicNames();
    const given = new Map<string, NamedItem>();
    for (let round = 0; round < 12; round++) {
      const items = Array.from({ length: 10 }, () => itemFrom(random));
      runAtOnce(names.adding(items));
      for (const item of items) {
        const name = names.nameOf(item);
        assert.ok(name !== undefined && /^[a-zA-Z0-9_-]+$/.test(name), `seed ${seed}: ${String(name)}`);
        assert.ok(name.length <= maxNameLength);
        assert.deepEqual(given.get(name) ?? item, item, `seed ${seed}: ${name} had another meaning before`);
        given.set(name, item);
      }
      // A restart.
      if (round % 3 === 2) names = new PublicNames(JSON.parse(JSON.stringify(names.toJson())));
    }
    for (const [name, item] of given) {
      assert.deepEqual(names.find(name), item);
      assert.equal(names.nameOf(item), name);
    }
  }
});

test('[GW1] a unique name is bare, and a later server with the same name gets its own name in front', () => {
  const names = new PublicNames();
  runAtOnce(names.adding([{ server: 'one', name: 'search' }]));
  runAtOnce(names.adding([{ server: 'two', name: 'search' }]));
  assert.equal(names.nameOf({ server: 'one', name: 'search' }), 'search');
  assert.equal(names.nameOf({ server: 'two', name: 'search' }), 'two_search');
});

test('servers that appear together with the same name all get their name in front', () => {
  const names = new PublicNames();
  runAtOnce(
    names.adding([
      { server: 'one', name: 'search' },
      { server: 'two', name: 'search' },
      { server: 'two', name: 'only' },
    ]),
  );
  assert.deepEqual(
    names.toJson().map(([, , name]) => name),
    ['one_search', 'two_search', 'only'],
  );
});

test('long names that differ only at the end stay different', () => {
  const names = new PublicNames();
  const long = 'n'.repeat(70);
  runAtOnce(
    names.adding([
      { server: 's', name: `${long}1` },
      { server: 's', name: `${long}2` },
    ]),
  );
  const [one, two] = names.toJson().map(([, , name]) => name);
  assert.notEqual(one, two);
  assert.equal(one?.length, maxNameLength);
});

const half = (index: number) => String.fromCharCode(0xd800 + (index % 2_048));
for (const [what, count, nameOf] of [
  [
    'become the same when they are made usable',
    20_000,
    (index: number) => `a${'.'.repeat(index % 50)}${index}`.replace(/\d/g, '!') + String.fromCodePoint(0x4e00 + index),
  ],
  [
    'differ only in half surrogate pairs',
    10_000,
    (index: number) => `a${half(index)}${half(Math.floor(index / 2_048))}`,
  ],
] as const)
  test(`[GW1] many names of a server that ${what} cost linear work`, () => {
    const names = new PublicNames();
    const items = Array.from({ length: count }, (_, index) => ({ server: 's', name: nameOf(index) }));
    const before = process.cpuUsage().user;
    runAtOnce(names.adding(items));
    assert.equal(new Set(items.map((item) => names.nameOf(item))).size, items.length);
    // About 0.3 s; quadratic work takes minutes.
    assert.ok(process.cpuUsage().user - before < 10_000_000);
  });

test('[GW1] a server that lists new names again and again does not make the names of others free', () => {
  const names = new PublicNames();
  runAtOnce(names.adding([{ server: 'victim', name: 'read' }]));
  for (let round = 0; round < 30; round++)
    runAtOnce(
      names.adding(Array.from({ length: 1_000 }, (_, index) => ({ server: 'attacker', name: `t${round}_${index}` }))),
    );
  runAtOnce(names.adding([{ server: 'attacker', name: 'read' }]));
  assert.deepEqual(names.find('read'), { server: 'victim', name: 'read' });
  assert.ok(names.toJson().length < 4_000, 'names that are no longer listed are forgotten');
});

test('[GW1] current names are never forgotten, however many there are', () => {
  const names = new PublicNames();
  const items = Array.from({ length: 30_000 }, (_, index) => ({ server: 'one', name: `t${index}` }));
  runAtOnce(names.adding(items));
  runAtOnce(names.adding([...items, { server: 'two', name: 't0' }]));
  assert.ok(items.every((item) => names.nameOf(item) === item.name));
  assert.equal(names.nameOf({ server: 'two', name: 't0' }), 'two_t0');
});

test('a damaged record of names is ignored entry by entry', () => {
  const names = new PublicNames([
    ['one', 'search', 'search'],
    ['two', 'search', 'search'],
    ['three', 'x', 'not a name!'],
    ['four', 'y', 'z'.repeat(47)],
    ['five', 7, 'seven'],
    'text',
    null,
  ]);
  assert.deepEqual(names.toJson(), [['one', 'search', 'search']]);
  assert.deepEqual(new PublicNames('text').toJson(), []);
  const long = new PublicNames();
  Array.from(long.adding([{ server: 'one', name: 'n'.repeat(5_000) }]));
  assert.deepEqual(long.toJson(), [], 'long names of a server do not fill the state of the workspace');
});

test('[GW1] nothing but the names of a tool is kept, and former names of a server only up to a length', () => {
  const names = new PublicNames();
  const tool = { server: 'one', name: 'search', item: { description: 'x'.repeat(1_000) } };
  runAtOnce(names.adding([tool]));
  assert.deepEqual(names.find('search'), { server: 'one', name: 'search' });
  const long = Array.from({ length: 20 }, (_one, index) => ({ server: 'one', name: `${index}${'y'.repeat(100_000)}` }));
  for (const item of long) runAtOnce(names.adding([item, tool]));
  const kept = long.filter((item) => names.nameOf(item) !== undefined);
  assert.deepEqual([kept.length, kept.at(-1) === long.at(-1)], [6, true]);
  assert.equal(names.nameOf(tool), 'search');
});
