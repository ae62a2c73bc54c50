import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  headerParameters,
  paramHeaders,
} from '../../../src/core/protocol/headerEncoding.js';

const tool = (properties: Record<string, unknown>, extra: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...extra,
});
const marked = (header: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': header });

describe('[H1] marked parameters', () => {
  test('are found at any depth of nested objects, in the order of the schema', () => {
    const schema = tool({
      region: marked('Region'),
      plain: { type: 'string' },
      where: tool({ zone: marked('Zone', 'integer'), deep: tool({ flag: marked('Flag', 'boolean') }) }),
    });
    assert.deepEqual(headerParameters(schema), {
      ok: [
        { path: ['region'], header: 'Region' },
        { path: ['where', 'zone'], header: 'Zone' },
        { path: ['where', 'deep', 'flag'], header: 'Flag' },
      ],
    });
  });

  test('are absent in a schema without marks, and in invalid schemas', () => {
    for (const schema of [tool({ a: { type: 'string' } }), {}, null, 'x', [marked('A')]])
      assert.deepEqual(headerParameters(schema), { ok: [] });
  });

  test('may be named like keywords, and data that looks like a mark is not one', () => {
    const schema = tool({
      items: marked('Items'),
      'x-mcp-header': { type: 'string' },
      choice: {
        enum: [{ 'x-mcp-header': 'A' }],
        default: { 'x-mcp-header': '' },
        const: { 'x-mcp-header': 1 },
        examples: [{ 'x-mcp-header': 2 }],
      },
    });
    assert.deepEqual(headerParameters(schema), { ok: [{ path: ['items'], header: 'Items' }] });
  });

  const broken: Record<string, unknown> = {
    'an empty name': tool({ a: marked('') }),
    'a name that is no text': tool({ a: marked(5) }),
    'a space in the name': tool({ a: marked('My Region') }),
    'a colon in the name': tool({ a: marked('Region:Primary') }),
    'a line break in the name': tool({ a: marked('Evil\r\nX-Injected: 1') }),
    'a tab in the name': tool({ a: marked('Region\t1') }),
    'a letter beyond ASCII': tool({ a: marked('Région') }),
    'the same name twice': tool({ a: marked('Region'), b: marked('Region') }),
    'the same name in other case': tool({ a: marked('MyField'), b: tool({ c: marked('myfield') }) }),
    'a number': tool({ a: marked('N', 'number') }),
    'an object': tool({ a: marked('O', 'object') }),
    'an array': tool({ a: marked('A', 'array') }),
    'a null': tool({ a: marked('Z', 'null') }),
    'no type': tool({ a: { 'x-mcp-header': 'T' } }),
    'several types': tool({ a: marked('T', ['string', 'null']) }),
    'the root': tool({}, { 'x-mcp-header': 'Root' }),
    'array items': tool({ a: { type: 'array', items: marked('X') } }),
    'tuple items': tool({ a: { type: 'array', prefixItems: [marked('X')] } }),
    oneOf: tool({ a: { oneOf: [marked('X')] } }),
    anyOf: tool({}, { anyOf: [tool({ a: marked('X') })] }),
    allOf: tool({}, { allOf: [tool({ a: marked('X') })] }),
    not: tool({ a: { not: marked('X') } }),
    then: tool({}, { if: {}, then: tool({ a: marked('X') }) }),
    else: tool({}, { else: tool({ a: marked('X') }) }),
    $defs: tool({ a: { $ref: '#/$defs/a' } }, { $defs: { a: marked('X') } }),
    patternProperties: tool({}, { patternProperties: { '^a': marked('X') } }),
    additionalProperties: tool({}, { additionalProperties: marked('X') }),
    dependentSchemas: tool({}, { dependentSchemas: { a: tool({ b: marked('X') }) } }),
  };
  for (const [name, schema] of Object.entries(broken)) {
    test(`are refused: ${name}`, () => assert.ok('problem' in headerParameters(schema)));
  }

  test('are searched without recursion, and with a limit', () => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let depth = 0; depth < 15_000; depth++) schema = { type: 'object', properties: { a: schema } };
    assert.deepEqual(headerParameters(schema), { ok: [] });
    const wide = tool(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, {}])));
    assert.ok('problem' in headerParameters(wide));
  });
});

describe('parameter headers', () => {
  test('carry text, integers and booleans, and omit other values', () => {
    const args = { s: 'us-west1', i: 42, b: false, n: null, f: 1.5, o: {}, big: 2 ** 53, nested: { x: ' y' } };
    const parameters = ['s', 'i', 'b', 'n', 'f', 'o', 'big', 'absent'].map((name) => ({ path: [name], header: name }));
    parameters.push({ path: ['nested', 'x'], header: 'X' });
    assert.deepEqual(paramHeaders(parameters, args), {
      'mcp-param-s': 'us-west1',
      'mcp-param-i': '42',
      'mcp-param-b': 'false',
      'mcp-param-x': '=?base64?IHk=?=',
    });
  });

  test('never come from a prototype', () => {
    assert.deepEqual(
      paramHeaders(
        [
          { path: ['constructor', 'name'], header: 'A' },
          { path: ['toString'], header: 'B' },
        ],
        {},
      ),
      {},
    );
  });
});

describe('header values', () => {
  test('are unchanged if safe', () => {
    for (const text of ['us-west1', 'us west 1', '~!@#$%^&*()', '=?base64?', 'file:///a%20b'])
      assert.equal(encodeHeaderValue(text), text);
  });

  test('are encoded if not safe', () => {
    for (const text of ['', ' a', 'a ', '\ta', 'a\tb', 'a\nb', 'a\r\nX: 1', 'é', '世界', '\u007f', '=?base64?eA==?=']) {
      assert.match(encodeHeaderValue(text), /^=\?base64\?[A-Za-z0-9+/]*=*\?=$/);
    }
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary-ascii' }),
    fc.string({ unit: 'binary' }),
    fc.string().map((s) => `=?base64?${s}?=`),
  );

  test('are always legal and survive the round trip', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = encodeHeaderValue(text);
        assert.match(value, /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
        assert.equal(decodeHeaderValue(value), text);
      }),
    );
  });
});
