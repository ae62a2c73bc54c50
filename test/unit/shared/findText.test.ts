import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonNodesOf } from '../../../src/core/present/result/jsonNodes.js';
import {
  hitsInJson,
  hitsInText,
  linesWithHits,
  nodesWithHits,
  patternOf,
} from '../../../src/shared/result/findText.js';
import { tableOf } from '../../../src/shared/result/jsonTable.js';
import type { JsonNode } from '../../../src/shared/result/resultModel.js';
import { cellTest, filterRows } from '../../../src/shared/result/tableFilter.js';

const nodeOf = (value: unknown): JsonNode => jsonNodesOf(JSON.stringify(value))?.root ?? assert.fail('no JSON');
const find = (value: unknown, query: string) =>
  hitsInJson(nodeOf(value), patternOf(query) ?? assert.fail('no pattern')).map(({ path, part }) => [...path, part]);

describe('find', () => {
  test('a text is found in any case, wherever it is, and whatever characters it has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), fc.string(), (before, query, after) => {
        const pattern = patternOf(query) ?? assert.fail('no pattern');
        const text = `${before}${query}${after}`;
        const hits = hitsInText(text, pattern);
        for (const { start, end } of hits) {
          pattern.lastIndex = 0;
          assert.match(text.slice(start, end), pattern);
        }
        return hits.length > 0;
      }),
    );
    assert.deepEqual(hitsInText('Ab ab', patternOf('AB') ?? /x/g), [
      { start: 0, end: 2 },
      { start: 3, end: 5 },
    ]);
    assert.equal(patternOf(''), undefined);
    assert.equal(hitsInText('a'.repeat(100), patternOf('a') ?? /x/g, 7).length, 7);
  });

  test('JSON is searched in names and values, in the order of its tree, with the path of each hit', () => {
    const value = { user: { name: 'Ada', tags: ['user', 'admin'] }, count: 12 };
    assert.deepEqual(find(value, 'user'), [
      ['user', 'key'],
      ['user', 'tags', 0, 'value'],
    ]);
    assert.deepEqual(find(value, '12'), [['count', 'value']]);
  });

  test('a filter keeps what contains a hit, with everything around it and everything below a found name', () => {
    const root = nodeOf({ a: { b: 1, c: 'deep' }, found: { d: 2 }, e: 3 });
    const shown = nodesWithHits(root, patternOf('deep') ?? /x/g);
    const below = nodesWithHits(root, patternOf('found') ?? /x/g);
    const at = (...path: string[]) =>
      path.reduce<JsonNode>(
        (node, key) =>
          (node.kind === 'object' ? node.entries.find((entry) => entry.key === key)?.value : undefined) ??
          assert.fail(key),
        root,
      );
    assert.deepEqual(
      [at('a'), at('a', 'c'), at('a', 'b'), at('e')].map((node) => shown.has(node)),
      [true, true, false, false],
    );
    assert.deepEqual([below.has(at('found', 'd')), below.has(at('a'))], [true, false]);
    assert.equal(linesWithHits('one\nTwo\nthree two', patternOf('two') ?? /x/g), 'Two\nthree two');
  });

  test('columns filter by text, also inside objects, and by comparison', () => {
    const table = tableOf(
      nodeOf([
        { name: 'Oslo', people: 700, owner: { login: 'ada' } },
        { name: 'Rome', people: 2800, owner: { login: 'bob' } },
        { name: 'Null', people: null },
      ]),
    );
    assert.ok(table);
    const names = (...filters: [number, string][]) =>
      filterRows(
        table.rows,
        new Map(filters.map(([column, text]) => [column, cellTest(text) ?? assert.fail('no test')])),
      ).map(({ index }) => index);
    assert.deepEqual(names([0, 'o']), [0, 1]);
    assert.deepEqual(names([1, '> 700']), [1]);
    assert.deepEqual(names([1, '>=700'], [0, 'osl']), [0]);
    assert.deepEqual(names([2, 'BOB']), [1]);
    assert.equal(cellTest('  '), undefined);
  });
});
