import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretArguments } from '../../../src/core/present/form/argumentSteps.js';
import { schemaForm } from '../../../src/core/present/form/schemaForm.js';
import type { SecretPlace } from '../../../src/core/trace/secretPlaces.js';
import { secretPlaces } from '../../../src/core/trace/secretPlaces.js';
import { lengthOfSecrets, toolSecrets } from '../../../src/core/trace/toolSecrets.js';

const password = { type: 'string', format: 'password' };
const type = 'object' as const;

/** Schemas whose member `x` is a password. */
const schemas: Record<string, Record<string, unknown>> = {
  property: { type, properties: { x: password } },
  'a percent-encoded pointer': {
    type,
    $defs: { 'Box<T>': password },
    properties: { x: { $ref: '#/$defs/Box%3CT%3E' } },
  },
  'an anchor': { type, $defs: { p: { $anchor: 'p', ...password } }, properties: { x: { $ref: '#p' } } },
  'a relative identifier': {
    type,
    $id: 'https://x/s',
    $defs: { p: { $id: 'p', ...password } },
    properties: { x: { $ref: 'p' } },
  },
  'a whole identifier': {
    type,
    $id: 'https://x/s',
    $defs: { p: password },
    properties: { x: { $ref: 'https://x/s#/$defs/p' } },
  },
  'a dynamic reference': {
    type,
    $defs: { p: { $dynamicAnchor: 'p', ...password } },
    properties: { x: { $dynamicRef: '#p' } },
  },
  'a chain of references': {
    type,
    $defs: { a: { $ref: '#/$defs/b' }, b: password },
    properties: { x: { $ref: '#/$defs/a' } },
  },
  'a reference of the whole': { $defs: { r: { type, properties: { x: password } } }, $ref: '#/$defs/r' },
  'a branch': { type, anyOf: [{ properties: { x: password } }, {}] },
  'a condition': { type, if: {}, then: { properties: { x: password } } },
  'dependent schemas': { type, properties: { a: {} }, dependentSchemas: { a: { properties: { x: password } } } },
  dependencies: { type, properties: { a: {} }, dependencies: { a: { properties: { x: password } }, b: ['a'] } },
  'other properties': { type, properties: { a: {} }, additionalProperties: password },
  'unevaluated properties': { type, properties: { a: {} }, unevaluatedProperties: password },
  'a pattern': { type, patternProperties: { '^x': password } },
  items: { type, properties: { x: { type: 'array', items: password } } },
  'unevaluated items': { type, properties: { x: { type: 'array', unevaluatedItems: password } } },
  'contained items': { type, properties: { x: { type: 'array', contains: password } } },
  'additional items': { type, properties: { x: { type: 'array', items: [{}], additionalItems: password } } },
  'many properties before it': {
    type,
    properties: { ...Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`f${at}`, {}])), x: password },
  },
  'a schema of 40 levels': { type, properties: { x: nested(40, password) } },
  'a reference that has no target': { type, properties: { x: { $ref: '#/$defs/none' } } },
  'an external reference': { type, properties: { x: { $ref: 'https://elsewhere.example/s' } } },
};

function nested(levels: number, inner: unknown): unknown {
  let schema = inner;
  for (let level = 0; level < levels; level++) schema = { type, properties: { a: schema } };
  return schema;
}

describe('[S2] a secret argument is found by', () => {
  for (const [name, schema] of Object.entries(schemas))
    test(name, () => {
      assert.ok(secretArguments(schema, { a: 1, x: 'correct horse' }).has('x'));
    });
});

test('[S2] each field that the form masks is a secret argument', () => {
  let masked = 0;
  for (const [name, schema] of Object.entries(schemas)) {
    if (!JSON.stringify(schemaForm(schema)).includes('"isSecret":true')) continue;
    masked++;
    assert.notEqual(secretPlaces(schema), undefined, name);
  }
  assert.ok(masked > 10, String(masked));
});

test('[S2] schemas without secrets mark none, also those that contain themselves', () => {
  const tree = { type, properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } } };
  for (const schema of [tree, { type, properties: { a: tree, b: { $ref: '#' } } }, nested(60, {})])
    assert.equal(secretPlaces(schema), undefined);
  assert.deepEqual([...secretArguments(tree, { name: 'a', children: [] })], []);
});

test('[S2] a secret in a schema that contains itself is found at each level', () => {
  const tree = { type, properties: { pin: { type: 'number' }, name: {}, next: { $ref: '#' } } };
  let place: SecretPlace | undefined = secretPlaces(tree);
  for (let level = 0; level < 10; level++) {
    assert.deepEqual([place?.members?.get('pin'), place?.members?.get('name')], [{ isSecret: true }, undefined]);
    place = place?.members?.get('next');
  }
  for (let level = 10; level < 40; level++) place = place?.isSecret === true ? place : place?.members?.get('next');
  assert.deepEqual(place, { isSecret: true }, 'below the limit, the whole value is secret');
});

test('[S2] each schema that describes a member adds to its secrets', () => {
  const inner = { type, properties: { b: password } };
  const schema = { allOf: [{ properties: { x: inner } }, { additionalProperties: { properties: { c: password } } }] };
  assert.deepEqual([...(secretPlaces(schema)?.members?.get('x')?.members?.keys() ?? [])].sort(), ['b', 'c']);
});

test('[S2] the places of a schema do not multiply, and a place beyond the limit is secret as a whole', () => {
  const levels = 4;
  const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
  const $defs: Record<string, unknown> = { chain0: password };
  for (let level = 1; level < levels; level++)
    $defs[`chain${level}`] = { additionalProperties: { $ref: `#/$defs/chain${level - 1}` } };
  for (let level = 1; level <= levels; level++)
    $defs[`level${level}`] = {
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/chain${level - 1}` }])),
      ...(level === 1 ? {} : { patternProperties: { '.': { $ref: `#/$defs/level${level - 1}` } } }),
    };
  let count = 0;
  const waiting = [secretPlaces({ type, $ref: `#/$defs/level${levels}`, $defs })];
  assert.ok(waiting[0]);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    count++;
    for (const inner of [...(place.members?.values() ?? []), place.rest, place.items]) if (inner) waiting.push(inner);
  }
  assert.ok(count < 50_000, String(count));
});

test('[S2] the length of the names of secrets is counted once for a place that others share', () => {
  const levels = 20;
  const $defs: Record<string, unknown> = { level0: { properties: { p: password } } };
  for (let level = 1; level <= levels; level++)
    $defs[`level${level}`] = {
      properties: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { properties: { p: password } }])),
      patternProperties: { '.': { additionalProperties: { $ref: `#/$defs/level${level - 1}` } } },
    };
  const secrets = toolSecrets({ type, $ref: `#/$defs/level${levels}`, $defs });
  const length = lengthOfSecrets(secrets);
  assert.ok(length > 0 && length < 10_000, String(length));
});
