import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formFromSchema, formToValue, validate, valueToForm } from '../../../../src/core/formModel.js';
import { jsonErrorAt, jsonProblem, jsonText, parseJson } from '../../../../src/shared/form/formJson.js';
import { anyJson, anySchema } from './anySchema.js';

const runs = { numRuns: 400 };

function roundTrip(schema: unknown, value: any): any {
  const form = formFromSchema(schema);
  return formToValue(form, valueToForm(form, value));
}

test('every value survives the round trip through the form of every schema, matching or not', () => {
  fc.assert(
    fc.property(anySchema, anyJson, (schema, value) => {
      const back = roundTrip(schema, value);
      assert.deepStrictEqual(back, value);
      assert.equal(JSON.stringify(back), JSON.stringify(value), 'the order of names');
    }),
    runs,
  );
});

test('[X2][L5] any input as a schema gives a form of plain data, and Object.prototype stays unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(anySchema, anyJson), anyJson, (schema, value) => {
      const form = formFromSchema(schema);
      assert.equal(JSON.stringify(JSON.parse(JSON.stringify(form))), JSON.stringify(form));
      const state = valueToForm(form, value);
      assert.deepStrictEqual(formToValue(form, structuredClone(state)), value, 'across to a page');
      validate(schema, value);
      assert.deepEqual(Object.keys(Object.prototype), []);
    }),
    runs,
  );
});

test('absent, null, an empty text and the default are four different states', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'], default: 'x' } } };
  for (const value of [{}, { a: null }, { a: '' }, { a: 'x' }]) assert.deepStrictEqual(roundTrip(schema, value), value);
  assert.equal(roundTrip(schema, undefined), undefined);
});

test('numbers keep every digit', () => {
  for (const value of [
    0, -0, 0.1, 1e21, -1e-7, 5e-324, 1.7976931348623157e308, 9007199254740991, 9007199254740993, 12345678901234567890,
  ]) {
    assert.ok(Object.is(roundTrip({ type: 'number' }, value), value), String(value));
    assert.ok(Object.is(roundTrip({ type: 'string' }, { a: [value] }).a[0], value), `${value} as JSON`);
  }
});

test('JSON with an integer that would lose digits is not accepted, and the message names the number', () => {
  for (const [text, number] of [
    ['{"id": 9007199254740993}', '9007199254740993'],
    ['[1, -12345678901234567891]', '-12345678901234567891'],
    ['{ // it\'s "1234567890123456789"\n "id": 12345678901234567891, }', '12345678901234567891'],
    [`[${'9'.repeat(500)}]`, `${'9'.repeat(40)}…`],
  ] as const) {
    assert.equal(parseJson(text), undefined, text);
    assert.equal(jsonProblem(text), `the number ${number} is too large to be sent exactly`);
    assert.ok(text.slice(jsonErrorAt(text)).startsWith(number.replace('…', '')), text);
  }
  for (const text of [
    '{"id": "12345678901234567891", "\\"9007199254740993": 0.12345678901234567891}',
    '[9007199254740992, 1e30, 12345678901234567000] // 9007199254740993',
    '{"a": "// \\\\", "b": 1}',
  ]) {
    assert.ok(parseJson(text), text);
    assert.equal(jsonProblem(text), undefined);
  }
});

test('the JSON text of any value is accepted', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = jsonText(value);
      if (text !== undefined) assert.deepStrictEqual(parseJson(text)?.value, JSON.parse(text));
    }),
  );
});

test('incomplete input in a number field is kept, and a text that looks like a number stays a text', () => {
  for (const value of ['1e', '-', '', 'abc', '12', '1.0', ' 7 ', '12345678901234567891'])
    assert.strictEqual(roundTrip({ type: 'number' }, value), value);
});

test('only the part that does not match becomes JSON', () => {
  const form = formFromSchema({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'array', items: { type: 'boolean' } } },
    additionalProperties: false,
  });
  assert.deepEqual(valueToForm(form, { b: [true, 'no'], a: { x: 1 }, more: 1 }), {
    kind: 'object',
    members: [
      {
        name: 'b',
        state: {
          kind: 'list',
          items: [
            { id: 1, state: { kind: 'value', value: true } },
            { id: 2, state: { kind: 'json', text: '"no"' } },
          ],
        },
      },
      { name: 'a', state: { kind: 'json', text: '{\n  "x": 1\n}' } },
      { name: 'more', id: 1, state: { kind: 'variant', index: 1, state: { kind: 'number', text: '1' } } },
    ],
  });
});

test('values too deep or too large to be drawn are kept as JSON', () => {
  const deep = JSON.parse('['.repeat(500) + ']'.repeat(500));
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]));
  const long = Array.from({ length: 100_000 }, (_, index) => index);
  for (const value of [deep, wide, long, [long, wide]]) assert.deepStrictEqual(roundTrip(true, value), value);
  const abyss = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  const form = formFromSchema(true);
  let depth = 0;
  for (let inner: any = formToValue(form, valueToForm(form, abyss)); inner !== undefined; inner = inner[0]) depth++;
  assert.equal(depth, 50_000);
});
