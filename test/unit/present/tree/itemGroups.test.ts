import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupItems } from '../../../../src/core/present/tree/itemGroups.js';

test('a list that fits stays flat', () => {
  assert.deepEqual(
    shape(names('github_', 200)),
    Array.from({ length: 200 }, (_, index) => `github_${index}`),
  );
});

test('a long list is grouped by the prefix of its names, the groups before the other lines', () => {
  assert.deepEqual(shape([...names('github_', 150), 'lonely', ...names('jira.', 100), ...names('slackPost', 3)]), [
    'github (150)',
    'jira (100)',
    'slack (3)',
    'lonely',
  ]);
});

test('a long list without prefixes is grouped by position', () => {
  assert.deepEqual(shape(names('t', 250)), ['t0 … t99 (100)', 't100 … t199 (100)', 't200 … t249 (50)']);
});

test('lines are not grouped if all have the same prefix, or each has its own', () => {
  assert.equal(shape(names('one_', 201))[0], 'one_0 … one_99 (100)');
  assert.equal(
    shape(
      Array.from({ length: 300 }, (_, index) => `prefix${String.fromCharCode(97 + (index % 26))}${index}_x`),
    )[0]?.endsWith('(100)'),
    true,
  );
});

test('no level is longer than 200 lines, for any length', () => {
  for (const length of [201, 5_000, 30_000, 100_000])
    assert.ok(shape(names('t', length)).length <= 200, String(length));
});

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

function shape(items: readonly string[]): string[] {
  return groupItems(items, (item) => item).map((part) =>
    'item' in part ? part.item : `${part.group.label} (${part.group.items.length})`,
  );
}
