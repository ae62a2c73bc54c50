import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternCost } from '../../../src/core/schema/patternCost.js';

test('[X2] the cost of a pattern is never underestimated', () => {
  const expected: [string, number][] = [
    ['^abc$', 0],
    ['^\\d{4}-\\d{2}-\\d{2}$', 0],
    ['^[a-z]+$', 1],
    ['abc', 1],
    ['[a-z]+', 2],
    ['^a+b*$', 2],
    ['^[*+?(]{3}$', 0],
    ['^\\(+$', 1],
    ['^(?:abc)?$', 0],
    ['^(?<year>\\d{4})$', 0],
    ['^a|b+$', 2],
    ['^a{2,}$', 1],
    ['^a{1,100}$', 1],
    ['^a{,3}$', 0],
    ['^(a+)+$', Infinity],
    ['^(a|a)*$', Infinity],
    ['^(ab){2}$', Infinity],
    ['^(\\w+\\s?)*$', Infinity],
    ['^(a)\\1$', Infinity],
    ['^(?=a+)b$', Infinity],
    [`^${'a?'.repeat(30)}$`, Infinity],
  ];
  assert.deepEqual(
    expected.map(([source]) => [source, patternCost(source).degree]),
    expected,
  );
});

test('[X2] fixed repetitions and choices count as steps at each position', () => {
  const stepsOf = (source: string) => patternCost(source).steps;
  assert.deepEqual(['abc', '^a*$', '[ab]{4000}c', 'a{10,}b{5}', 'a?b?c?d', 'a{99}(b|c)', '(a|b)*'].map(stepsOf), [
    1,
    1,
    4_001,
    16,
    8,
    200,
    Infinity,
  ]);
});
