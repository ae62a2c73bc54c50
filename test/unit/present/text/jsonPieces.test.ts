import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSameJson, jsonPieces, parseJsonText, reindentPieces } from '../../../../src/core/present/text/jsonPieces.js';

const print = (value: unknown) => [...jsonPieces(value)].join('');
const reindent = (text: string) => [...reindentPieces(text)].join('');

/** Without characters that are escaped. */
const plain = fc
  .jsonValue({ noUnicodeString: true })
  .map((value) => JSON.parse(JSON.stringify(value).replace(/[^\x20-\x7e]|\\u[0-9a-f]{4}/g, 'x')) as unknown);

test('values are printed as JSON.stringify prints them', () => {
  fc.assert(fc.property(plain, (value) => assert.equal(print(value), JSON.stringify(value, null, 2))));
});

test('JSON text gets the same format as a value', () => {
  fc.assert(
    fc.property(plain, fc.constantFrom(undefined, 1, '\t', 3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.equal(reindent(text), JSON.stringify(value, null, 2));
      assert.equal(
        reindent(`\r\n ${text.replaceAll(':', ' :  ')} `).replaceAll(' ', ''),
        JSON.stringify(value, null, 2).replaceAll(' ', ''),
      );
    }),
  );
});

test('text keeps numbers, escapes and repeated names as they were sent', () => {
  const text = '{"big":12345678901234567890,"one":1.0,"e":1E+2,"a":"\\u0041\\/","a":[ ],"o":{\n}}';
  assert.equal(
    reindent(text),
    '{\n  "big": 12345678901234567890,\n  "one": 1.0,\n  "e": 1E+2,\n  "a": "\\u0041\\/",\n  "a": [],\n  "o": {}\n}',
  );
});

test('[L2] hidden characters are written as escapes of the same value', () => {
  const value = { 'a\u202e': 'b\u200b\u{e0041}\u007f\u00a0c\u001b' };
  const expected = '{\n  "a\\u202e": "b\\u200b\\udb40\\udc41\\u007f\u00a0c\\u001b"\n}';
  assert.deepEqual([print(value), reindent(JSON.stringify(value)), JSON.parse(expected)], [expected, expected, value]);
});

test('a large value is produced in pieces, and a deep one is cut', () => {
  const list = Array.from({ length: 50_000 }, (_, i) => ({ i }));
  const pieces = [...jsonPieces(list)];
  assert.ok(pieces.length > 5 && pieces.every((piece) => piece.length < 200_000));
  assert.deepEqual(JSON.parse(pieces.join('')), list);
  const deep = '['.repeat(5_000) + ']'.repeat(5_000);
  for (const text of [print(JSON.parse(deep)), reindent(deep)]) {
    assert.ok(text.length < 1_000_000);
    assert.equal(text.replace(/\s/g, ''), deep);
  }
});

test('only objects and lists count as JSON text', () => {
  assert.deepEqual(
    ['{"a":1}', ' [1] ', '5', '"x"', '{a}', '[see below]', ''].map((text) => parseJsonText(text)?.value),
    [{ a: 1 }, [1], undefined, undefined, undefined, undefined, undefined],
  );
});

test('equal values are the same in any order of names', () => {
  const cases: [unknown, unknown, boolean][] = [
    [{ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }, true],
    [{ a: 1 }, { a: 1, b: undefined }, false],
    [[1, 2], [2, 1], false],
    [{}, [], false],
    [JSON.parse('{"__proto__":1}'), {}, false],
    [{}, JSON.parse('{"__proto__":1}'), false],
    [null, undefined, false],
  ];
  assert.deepEqual(
    cases.map(([a, b]) => isSameJson(a, b)),
    cases.map(([, , expected]) => expected),
  );
});

test('[L2] the indentation of a deep value is limited as a whole', () => {
  let value: unknown = Array.from({ length: 100_000 }, () => 0);
  for (let depth = 0; depth < 60; depth++) value = [value];
  const text = print(value);
  assert.ok(text.length < 4_500_000, `${text.length} characters`);
  assert.equal(reindent(JSON.stringify(value)), text);
  assert.deepEqual(JSON.parse(text), value);
});
