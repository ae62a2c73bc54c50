/** Arguments for tools, generated from their schemas by fast-check: valid ones, wrong types, and huge values. */
import type { Arbitrary } from 'fast-check';
import * as fc from 'fast-check';
import { isObject } from '../../../base/guards.js';
import { valueCost } from '../../../base/valueCost.js';
import type { JsonSchema } from '../../../protocol/mcp.js';
import { typesOf } from '../lint/schemaTypes.js';

/** Levels of a schema that are followed. Deeper parts get any value. */
const maxDepth = 4;
/** Length of a huge text, in characters. */
const hugeLength = 100_000;
const maxProperties = 40;
/**
 * Maximum memory of the arguments of one call, and of all calls, bytes. A value of the schema can be repeated, and each
 * copy needs memory in the window.
 */
const maxCallBytes = 2_000_000;
const maxAllBytes = 20_000_000;

type Values = Record<string, unknown>;

/**
 * The arguments of a number of calls. The same schema, seed and count give the same arguments. A call whose arguments
 * would be too large has none.
 * @param seed a whole number.
 */
export function fuzzArguments(schema: JsonSchema, seed: number, count: number): Values[] {
  const valid = objectFor(schema, 0);
  const wrong = valid.chain((values) => changedIn(values, fc.oneof(anything(), fc.constant(null))));
  const huge = valid.chain((values) => changedIn(values, hugeValue()));
  const missing = valid.chain((values) => without(values));
  const all = fc.oneof(
    { weight: 4, arbitrary: valid },
    { weight: 3, arbitrary: wrong },
    { weight: 1, arbitrary: huge },
    { weight: 1, arbitrary: missing },
  );
  let left = maxAllBytes;
  return fc.sample(all, { seed, numRuns: count }).map((values) => {
    const cost = valueCost(values, maxCallBytes);
    if (cost > Math.min(maxCallBytes, left)) return {};
    left -= cost;
    return values;
  });
}

function objectFor(schema: Readonly<Values>, depth: number): Arbitrary<Values> {
  const { properties, required } = schema;
  const names = isObject(properties) ? Object.keys(properties).slice(0, maxProperties) : [];
  const model = Object.fromEntries(
    names.map((name) => [name, valueFor(isObject(properties) ? properties[name] : undefined, depth + 1)]),
  );
  const needed = Array.isArray(required) ? names.filter((name) => required.includes(name)) : [];
  return fc.record(model, { requiredKeys: needed, noNullPrototype: true });
}

function valueFor(schema: unknown, depth: number): Arbitrary<unknown> {
  if (!isObject(schema) || depth > maxDepth) return anything();
  const { enum: values, const: constant, anyOf, oneOf } = schema;
  if (constant !== undefined) return fc.constant(constant);
  if (Array.isArray(values) && values.length > 0) return fc.constantFrom(...(values as unknown[]));
  const parts = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(parts)) return fc.oneof(...parts.slice(0, 20).map((part) => valueFor(part, depth + 1)));
  const types = typesOf(schema);
  if (!types || types.length === 0) return anything();
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)));
}

function ofType(type: string, schema: Readonly<Values>, depth: number): Arbitrary<unknown> {
  const limit = (key: string, otherwise: number) => (typeof schema[key] === 'number' ? schema[key] : otherwise);
  switch (type) {
    case 'string': {
      const minLength = Math.max(0, Math.min(1_000, Math.floor(limit('minLength', 0))));
      const maxLength = Math.max(minLength, Math.min(2_000, Math.floor(limit('maxLength', 60))));
      return fc.oneof(fc.string({ minLength, maxLength }), fc.string({ minLength, maxLength, unit: 'binary' }));
    }
    case 'integer': {
      const min = Math.ceil(limit('minimum', -(2 ** 31)));
      return fc.integer({ min, max: Math.max(min, Math.floor(limit('maximum', Math.max(min, 2 ** 31 - 1)))) });
    }
    case 'number': {
      const min = limit('minimum', -1e9);
      return fc.double({ min, max: Math.max(min, limit('maximum', Math.max(min, 1e9))), noNaN: true });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const minLength = Math.max(0, Math.min(20, Math.floor(limit('minItems', 0))));
      const maxLength = Math.max(minLength, Math.min(20, Math.floor(limit('maxItems', 5))));
      return fc.array(valueFor(schema['items'], depth + 1), { minLength, maxLength });
    }
    case 'object':
      return objectFor(schema, depth);
    default:
      return anything();
  }
}

function anything(): Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 3 });
}

function hugeValue(): Arbitrary<unknown> {
  return fc.constantFrom<unknown>(
    'x'.repeat(hugeLength),
    Number.MAX_SAFE_INTEGER,
    -1e308,
    Array.from({ length: 10_000 }, (_, index) => index),
    JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`),
  );
}

/** The values with one of them replaced by `other`. If there are no values, `other` is added under a new name. */
function changedIn(values: Values, other: Arbitrary<unknown>): Arbitrary<Values> {
  const names = Object.keys(values);
  const name = names.length === 0 ? fc.constant('unexpected') : fc.constantFrom(...names);
  return fc.tuple(name, other).map(([changed, value]) => ({ ...values, [changed]: value }));
}

function without(values: Values): Arbitrary<Values> {
  const names = Object.keys(values);
  if (names.length === 0) return fc.constant(values);
  return fc
    .constantFrom(...names)
    .map((name) => Object.fromEntries(Object.entries(values).filter(([other]) => other !== name)));
}
