/** Parsing of YAML that stops after a number of errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from '../../../src/core/schema/boundedYaml.js';

test('[F12] parsing stops after 100 errors, and reports these', () => {
  const many = 100_000;
  for (const part of ['"" ', '!a ', '&a ', `"'`]) {
    const { document, errors } = parseYaml(`a: ${part.repeat(many)}`);
    assert.deepEqual([document, errors.length], [undefined, 100], part);
  }
  const { document, errors } = parseYaml(`a: "${'\\q'.repeat(many)}"`);
  assert.deepEqual([document, errors.length], [undefined, 100]);
  assert.match(errors[0]?.message ?? '', /Invalid escape sequence/);
});

test('a text with fewer errors is parsed, and another document after the first one is not', () => {
  const { document, errors, hasMore } = parseYaml('a: "\\q"\n---\nb: 1\n');
  assert.deepEqual([document?.toJS(), errors.length, hasMore], [{ a: '\\q' }, 1, true]);
  assert.deepEqual(parseYaml('').document?.toJS(), null);
});
