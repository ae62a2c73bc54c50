import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, nearestName } from '../../../src/core/base/editDistance.js';

test('an edit inserts, deletes, replaces or swaps, and above the limit the count stops', () => {
  for (const [one, other, distance] of [
    ['', '', 0],
    ['same', 'same', 0],
    ['count', 'cont', 1],
    ['cont', 'count', 1],
    ['count', 'coint', 1],
    ['count', 'cuont', 1],
    ['aab', 'aba', 1],
    ['kitten', 'sitting', 3],
    ['abcdef', 'badcfe', 3],
    ['', 'abc', 3],
    ['abcd', 'wxyz', 4],
    ['a', 'abcdefgh', 4],
  ] as const)
    assert.deepEqual(
      [editDistance(one, other, 3), editDistance(other, one, 3)],
      [distance, distance],
      `${one} ${other}`,
    );
});

test('the nearest name is one of the available names', () => {
  assert.equal(nearestName('cuont', ['list', 'mount', 'count']), 'count');
  assert.equal(
    nearestName('Cuont', ['list', 'mount', 'Count'], (name) => name !== 'Count'),
    'mount',
  );
  assert.equal(nearestName('search', ['list', 'mount']), undefined);
});

for (const [what, asked, nameOf] of [
  ['begin like the mistyped one', `y://${'a'.repeat(84)}999999zz`, (index: string) => `x://${'a'.repeat(84)}${index}`],
  ['differ at both ends', `y${'ab'.repeat(44)}zzzz`, (index: string) => `x${'ab'.repeat(44)}${index.slice(-4)}`],
] as const)
  test(`[GW16] the nearest of 100,000 names that ${what} is searched without delay`, () => {
    const names = Array.from({ length: 100_000 }, (_, index) => nameOf(String(index).padStart(8, '0')));
    const before = process.cpuUsage().user;
    nearestName(asked, names);
    // Less than 20 ms; to compare all names in full takes 13 s.
    assert.ok(process.cpuUsage().user - before < 1_000_000);
  });
