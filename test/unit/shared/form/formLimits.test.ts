import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formFromSchema } from '../../../../src/core/formModel.js';
import { newState } from '../../../../src/shared/form/newState.js';
import { stateProblems } from '../../../../src/shared/form/stateProblems.js';
import { assertGrowsLinearly } from '../../../support/linearWork.js';

type Schema = Record<string, unknown>;

function group(properties: Schema, rest: Schema = {}): Schema {
  return { type: 'object', properties, ...rest };
}

/** The given number of members, named `k0`, `k1`… */
function many(count: number, make: (index: number) => unknown): Schema {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, make(index)]));
}

function nested(count: number, wrap: (inner: unknown) => unknown): unknown {
  let schema: unknown = { type: 'string' };
  for (let i = 0; i < count; i++) schema = wrap(schema);
  return schema;
}

/** Each definition refers twice to the next: `count` definitions, 2 to the power of `count` paths. */
function doubling(count: number, make: (next: Schema) => Schema): Schema {
  const definitions = many(count, (index) => make({ $ref: `#/$defs/k${index + 1}` }));
  return { $ref: '#/$defs/k0', $defs: { ...definitions, [`k${count}`]: { type: 'string' } } };
}

describe('[X2] schemas that would grow without bound', () => {
  const schemas: Record<string, unknown> = {
    'objects nested deeply': nested(10_000, (inner) => group({ a: inner })),
    'allOf nested deeply, twice each time': nested(5_000, (inner) => ({ allOf: [inner, inner] })),
    'anyOf nested deeply': nested(3_000, (inner) => ({ anyOf: [inner, { type: 'number' }] })),
    'references to pairs of references': doubling(3_000, (next) => group({ left: next, right: next })),
    'choices of pairs of choices': doubling(50, (next) => ({ anyOf: [next, { minLength: 1, allOf: [next] }] })),
    'choices that hold each other': {
      $ref: '#/$defs/a',
      $defs: {
        a: { anyOf: [{ $ref: '#/$defs/b' }, { type: 'string' }] },
        b: { minLength: 1, anyOf: [{ $ref: '#/$defs/a' }, { type: 'number' }] },
      },
    },
    'a hundred choices at once': {
      allOf: Array.from({ length: 100 }, () => ({
        anyOf: Array.from({ length: 100 }, (_, index) => group({ [`p${index}`]: {} })),
      })),
    },
    'many properties': group(many(100_000, () => ({ type: 'string', description: 'words' }))),
    'many properties in many variants': group(
      many(5_000, () => ({ type: 'string' })),
      { oneOf: Array.from({ length: 100 }, (_, index) => ({ properties: { t: { const: index } } })) },
    ),
    'one long list of values in many places': group(
      many(5_000, () => ({ $ref: '#/$defs/long' })),
      { $defs: { long: { enum: Array.from({ length: 50_000 }, (_, index) => index) } } },
    ),
    'a large default in many places': group(
      many(5_000, () => ({ $ref: '#/$defs/list' })),
      { $defs: { list: { type: 'array', default: Array.from({ length: 1_500 }, () => 0) } } },
    ),
    'a long tuple': { type: 'array', items: Array.from({ length: 100_000 }, () => ({ type: 'string' })) },
    'a long list of values in one of two choices': {
      anyOf: [{ enum: Array.from({ length: 300_000 }, (_, index) => index) }, { const: 'other' }],
    },
    'it requires itself': { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] },
  };

  for (const [name, schema] of Object.entries(schemas)) {
    test(`${name}: a bounded form`, () => {
      const form = formFromSchema(schema);
      assert.ok(form.nodes.length <= 2_100, `${form.nodes.length} nodes`);
      assert.ok(JSON.stringify(form).length < 5_000_000);
      const start = newState(form);
      assert.ok(JSON.stringify(start).length < 1_000_000);
      stateProblems(form, start);
    });
  }
});

describe('[X2] a form takes linear time for', () => {
  const names = (count: number, value: unknown) => many(count, () => value);
  const list = (count: number, value: unknown) => Array.from({ length: count }, () => value);
  /** Schemas with `count` parts. */
  const large: Record<string, (count: number) => Schema> = {
    'forbidden properties': (count) => ({ properties: names(count, false) }),
    'dependencies of properties': (count) => ({ dependentRequired: names(count, ['a']) }),
    'conditions on many properties': (count) => ({ if: { properties: names(count, true) }, then: {} }),
    'patterns of names': (count) => ({ patternProperties: names(count, true) }),
    'choices that only require properties': (count) => ({ anyOf: list(count, { required: ['a'] }) }),
    'choices that are null or anything': (count) => ({
      anyOf: list(count, true),
      oneOf: list(count, { type: 'null' }),
    }),
    'values of two lists': (count) => ({
      allOf: [{ enum: Array.from({ length: count }, (_, index) => index) }, { enum: [1, 2] }],
    }),
    'one long reference': (count) => ({ $ref: `#/${'a/'.repeat(count)}` }),
  };

  for (const [name, make] of Object.entries(large)) {
    test(`${name}, in many places`, () => {
      const build = (count: number) => {
        const places = many(count / 10, (index) => ({
          allOf: [{ title: 'a', minLength: index }, { $ref: '#/$defs/a' }],
        }));
        formFromSchema(group(places, { $defs: { a: make(count) } }));
      };
      assertGrowsLinearly(build, 20_000, name);
    });
  }

  test('dependencies on one schema with many names', () => {
    const build = (count: number) =>
      formFromSchema({
        type: 'object',
        dependentSchemas: many(count, () => ({ $ref: '#/$defs/a' })),
        $defs: { a: { properties: names(count, true), required: Object.keys(names(count, true)) } },
      });
    assertGrowsLinearly(build, 4_000, 'dependencies');
  });
});
