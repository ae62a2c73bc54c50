import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { indentedJson } from '../../../src/core/base/jsonTokens.js';

test('indented JSON is that of JSON.stringify, up to its limit', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = `${JSON.stringify(value, undefined, 2)}\n`;
      assert.equal(indentedJson(value, text.length), text);
      assert.equal(indentedJson(value, text.length - 2), undefined);
    }),
  );
});

test('[LOCK2] no more of a value is read than its limit allows', () => {
  const items = Array.from({ length: 1_000 }, () => 'text');
  Object.defineProperty(items, 900, { get: () => assert.fail('the item was read') });
  assert.equal(indentedJson(items, 1_000), undefined);
});
