/** Random JSON Schemas, values, and values that are not schemas. */
import fc from 'fast-check';

type Schema = boolean | Record<string, unknown>;

const name = fc.oneof(
  fc.constantFrom('a', 'b', 'path', 'maxResults', '__proto__', 'constructor', '', '1', 'a/b~c'),
  fc.string({ maxLength: 6 }),
);
const scalar = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** Plain objects with arbitrary names, `__proto__` included. */
function named<T>(value: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<Record<string, T>> {
  return fc.array(fc.tuple(name, value), { maxLength }).map((entries) => Object.fromEntries(entries));
}

export const anyJson = fc.letrec<{ value: any }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    named(tie('value'), 4),
  ),
})).value;

const typeName = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'int', 'any');

export const anySchema: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => {
  const schema = tie('schema');
  const list = fc.array(schema, { maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(typeName, fc.array(typeName, { maxLength: 3 })),
          title: fc.string({ maxLength: 5 }),
          default: anyJson,
          examples: fc.oneof(fc.array(anyJson, { maxLength: 2 }), anyJson),
          enum: fc.array(anyJson, { maxLength: 4 }),
          const: anyJson,
          properties: named(schema, 4),
          required: fc.array(name, { maxLength: 3 }),
          additionalProperties: schema,
          patternProperties: fc.dictionary(fc.constantFrom('^x-', '(a+)+$', '[', '.*'), schema, { maxKeys: 2 }),
          propertyNames: schema,
          dependentRequired: named(fc.array(name, { maxLength: 2 }), 2),
          dependentSchemas: named(schema, 2),
          items: fc.oneof(schema, list),
          prefixItems: list,
          minItems: fc.nat(3),
          uniqueItems: fc.boolean(),
          minimum: fc.integer(),
          exclusiveMinimum: fc.oneof(fc.integer(), fc.boolean()),
          format: fc.constantFrom('date', 'uri', 'password', 'nonsense'),
          nullable: fc.boolean(),
          anyOf: list,
          oneOf: list,
          allOf: list,
          if: schema,
          then: schema,
          else: schema,
          not: schema,
          $ref: fc.constantFrom(
            '#',
            '#/properties/a',
            '#/$defs/a',
            '#/$defs/b',
            'http://example.org/other.json',
            '#anchor',
          ),
          $defs: named(schema, 2),
        },
        { requiredKeys: [] },
      ),
    ),
  };
}).schema;
