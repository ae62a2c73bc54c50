import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formFromSchema } from '../../../../src/core/formModel.js';
import { newState } from '../../../../src/shared/form/newState.js';
import { stateProblems } from '../../../../src/shared/form/stateProblems.js';

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
