import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { problemsOf } from '../../../src/core/schema/problemText.js';
import { SchemaValidator } from '../../../src/core/schema/schemaValidator.js';
import { assertGrowsLinearly } from '../../support/linearWork.js';
import { patientLimits } from '../../support/patientLimits.js';

type Schema = Record<string, unknown>;

/** For tests of bounded time: a validator with the shipped limits. */
const validator = new SchemaValidator(patientLimits);

/** `path message` of each problem. */
function problems(schema: Schema, value: unknown): string[] {
  const check = validator.check(schema, value);
  assert.deepEqual(check.notices, []);
  return check.problems.map(({ path, message }) => `${path} ${message}`.trim());
}

const person: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 0 },
    mail: { type: 'string', format: 'email' },
  },
  required: ['name'],
  additionalProperties: false,
};

function errorAt(instancePath: string, keyword: string, schemaPath: string, params: Record<string, unknown>) {
  return { instancePath, keyword, schemaPath, params };
}

describe('a check', () => {
  test('finds no problem in a valid value', () => {
    assert.deepEqual(problems(person, { name: 'Ada', age: 36, mail: 'ada@example.org' }), []);
  });

  test('reports all problems with their paths and sentences', () => {
    assert.deepEqual(problems(person, { age: 1.5, mail: 'x', 'a/b': 1 }), [
      '/name is required',
      '/a~1b is not expected here',
      '/age must be an integer',
      '/mail must be an email address',
    ]);
  });

  test('reports limits, choices and constants', () => {
    const schema = {
      properties: {
        least: { minimum: 5 },
        more: { exclusiveMinimum: 5 },
        most: { maximum: 5 },
        less: { exclusiveMaximum: 5 },
        step: { multipleOf: 5 },
        empty: { minLength: 1 },
        long: { maxLength: 1 },
        none: { minItems: 1 },
        many: { maxItems: 1 },
        twice: { uniqueItems: true },
        choice: { enum: ['a', 1, null] },
        fixed: { const: 'x' },
        like: { pattern: '^a' },
        never: false,
      },
    };
    const value = {
      least: 1,
      more: 5,
      most: 6,
      less: 5,
      step: 1,
      empty: '',
      long: 'ab',
      none: [],
      many: [1, 2],
      twice: [1, 2, 1],
      choice: 'b',
      fixed: 'y',
      like: 'b',
      never: 1,
    };
    assert.deepEqual(problems(schema, value), [
      '/least must be at least 5',
      '/more must be more than 5',
      '/most must be at most 5',
      '/less must be less than 5',
      '/step must be a multiple of 5',
      '/empty must not be empty',
      '/long must have at most one character',
      '/none must have at least one item',
      '/many must have at most one item',
      '/twice must not have duplicate items: items 1 and 3 are equal',
      '/choice must be one of "a", 1, null',
      '/fixed must be "x"',
      '/like must match the pattern ^a',
      '/never is not allowed',
    ]);
  });

  test('explains a choice by the most likely branch', () => {
    const schema = {
      properties: {
        nullable: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
        types: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        constants: { oneOf: [{ const: 'x' }, { const: 'y' }] },
        shape: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
              required: ['kind', 'radius'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'square' }, side: { type: 'number' } },
              required: ['kind', 'side'],
            },
          ],
        },
      },
    };
    assert.deepEqual(problems(schema, { nullable: '', types: 5, constants: 'z', shape: { kind: 'circle' } }), [
      '/nullable must not be empty',
      '/types must be text or a list',
      '/constants must be one of "x", "y"',
      '/shape/radius is required',
    ]);
    assert.deepEqual(problems(schema, { nullable: 1, types: [1], shape: { kind: 'line', side: 1 } }).slice(0, 2), [
      '/nullable must be text or null',
      '/types/0 must be text',
    ]);
  });

  test('counts the problems beyond fifty', () => {
    const found = problems(
      { items: { type: 'string' } },
      Array.from({ length: 60 }, () => 1),
    );
    assert.deepEqual([found.length, found.at(-1)], [51, 'has more problems (10)']);
  });

  test('treats a required property with a default as optional, because its server fills it in', () => {
    assert.deepEqual(
      problems({ properties: { scale: { enum: ['css'], default: 'css' }, name: {} }, required: ['scale', 'name'] }, {}),
      ['/name is required'],
    );
  });

  test('changes neither schema nor value', () => {
    const schema = structuredClone(person);
    const value = { name: 'Ada' };
    validator.check(schema, value);
    assert.deepEqual([schema, value], [person, { name: 'Ada' }]);
  });
});

describe('[X4] dialects', () => {
  for (const dialect of [
    undefined,
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/draft-06/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ]) {
    test(`${dialect ?? 'none'} is supported, with the idioms of its version and of others`, () => {
      const schema = {
        ...(dialect === undefined ? {} : { $schema: dialect }),
        id: 'urn:old',
        type: 'object',
        properties: {
          above: { minimum: 0, exclusiveMinimum: true, id: 'x' },
          pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
          maybe: { type: 'string', nullable: true },
          old: { $ref: '#/definitions/old' },
          flag: { type: 'boolean', required: true },
          any: true,
        },
        dependencies: { above: ['pair'] },
        definitions: { old: { type: 'integer' } },
      };
      assert.deepEqual(problems(schema, { above: 1, pair: ['a', 1], maybe: null, old: 1, any: {} }), []);
      assert.deepEqual(problems(schema, { above: 0, old: 'x' }), [
        '/pair is required when "above" is set',
        '/above must be more than 0',
        '/old must be an integer',
      ]);
      assert.deepEqual(problems(schema, { pair: ['a', 'b', 'c'] }), [
        '/pair/1 must be a number',
        '/pair must have at most 2 items',
      ]);
    });
  }

  test('of 2019-09 and 2020-12 work: recursion, dynamic references, dependent and unevaluated properties', () => {
    const recursive = {
      $recursiveAnchor: true,
      type: 'object',
      properties: { kids: { items: { $recursiveRef: '#' } } },
    };
    assert.deepEqual(problems(recursive, { kids: [{ kids: [5] }] }), ['/kids/0/kids/0 must be an object']);
    const dynamic = { $dynamicAnchor: 'n', type: 'object', properties: { kids: { items: { $dynamicRef: '#n' } } } };
    assert.deepEqual(problems(dynamic, { kids: [{ kids: [5] }] }), ['/kids/0/kids/0 must be an object']);
    const late = {
      dependentRequired: { a: ['b'] },
      properties: { a: {}, b: {} },
      unevaluatedProperties: false,
      prefixItems: [{ type: 'string' }],
    };
    assert.deepEqual(problems(late, { a: 1, c: 1 }), ['/b is required when "a" is set', '/c is not expected here']);
  });

  test('that are unknown are reported', () => {
    const { refusal } = validator.compile({ $schema: 'https://example.invalid/my-dialect', type: 'object' });
    assert.equal(
      refusal,
      'The schema cannot be used: its dialect "https://example.invalid/my-dialect" is not supported.',
    );
  });
});

describe('an unusable schema accepts every value and gives the reason', () => {
  const cases: [string, Schema, RegExp][] = [
    [
      '[X3] reference to the web',
      { properties: { a: { $ref: 'http://127.0.0.1:9/schema' } } },
      /reference "http:\/\/127\.0\.0\.1:9\/schema" is outside the schema and is not fetched/,
    ],
    ['[X3] reference to a file', { $ref: 'file:///etc/passwd' }, /reference "file:\/\/\/etc\/passwd" is outside/],
    ['[X3] reference to data', { $ref: 'data:application/json,{}' }, /outside the schema/],
    ['[X3] dialect on the web', { $schema: 'http://127.0.0.1:9/' }, /not supported/],
    [
      'reference to nothing',
      { $ref: '#/$defs/Missing' },
      /reference "#\/\$defs\/Missing" does not exist in the schema/,
    ],
    ['unknown type', { type: 'wat' }, /wat/],
    ['required that is text', { required: 'a' }, /required/],
    ['properties that are a list', { properties: [] }, /properties/],
    ['null for a schema', { properties: { a: null } }, /not a schema: null/],
    ['number for a pattern', { pattern: 5 }, /pattern/],
    ['endless nesting', nest(200), /more than 100 levels/],
    ['endless width', { enum: Array.from({ length: 30_000 }, (_, i) => i) }, /more than 20000 parts/],
  ];
  for (const [name, schema, reason] of cases) {
    test(name, () => {
      const { problems: found, notices } = validator.check(schema, { any: 'thing' });
      assert.deepEqual([found, notices.length], [[], 1]);
      assert.match(notices[0] ?? '', reason);
    });
  }

  function nest(depth: number): Schema {
    let schema: Schema = {};
    for (let i = 0; i < depth; i++) schema = { anyOf: [schema] };
    return schema;
  }
});

/** Without limits none of these tests would end. */
describe('[X2] work is bounded', () => {
  test('a short pattern with many fixed repetitions is stopped as well', () => {
    const { problems, notices } = new SchemaValidator().check({ pattern: '[ab]{4000}c' }, 'a'.repeat(2_000_000));
    assert.deepEqual([problems, notices.length], [[], 1]);
    assert.match(notices[0] ?? '', /Matching the pattern \[ab\]\{4000\}c takes too long/);
  });

  test('a short pattern with many choices is stopped as well, also if the schema uses it many times', () => {
    for (const [schema, length] of [
      [{ pattern: `${'a?'.repeat(10)}a{99}b` }, 20_000],
      [{ allOf: Array.from({ length: 40 }, () => ({ pattern: `${'a?'.repeat(10)}a{99}b` })) }, 4_000],
    ] as const) {
      const { problems, notices } = new SchemaValidator().check(schema, 'a'.repeat(length));
      assert.deepEqual([problems, notices.length], [[], 1]);
      assert.match(notices[0] ?? '', /Matching the pattern .* takes too long/);
    }
  });

  test('a small schema and a large value are stopped as well', () => {
    const schema = { items: { anyOf: Array.from({ length: 38 }, () => false) } };
    const value = Array.from({ length: 2_000_000 }, () => 0);
    const { problems, notices } = new SchemaValidator({ checkMs: 1 }).check(schema, value);
    assert.deepEqual(problems, []);
    assert.match(notices[0] ?? '', /takes too long/);
  });

  test('a pattern that takes too long is stopped, named, and not retried; the rest is still checked', () => {
    const schema = { properties: { p: { type: 'string', pattern: '^(a+)+$' }, n: { type: 'number' } } };
    const value = { p: `${'a'.repeat(40)}!`, n: 'x' };
    assert.deepEqual(problems(schema, { p: 'aaa' }), []);
    assert.deepEqual(problems(schema, { p: 'b' }), ['/p must match the pattern ^(a+)+$']);
    const before = process.cpuUsage();
    const first = validator.check(schema, value);
    const tried = process.cpuUsage(before).user;
    assert.deepEqual(first, {
      problems: [{ path: '/n', message: 'must be a number' }],
      notices: ['Matching the pattern ^(a+)+$ takes too long, so it was not checked.'],
    });
    const between = process.cpuUsage();
    for (let i = 0; i < 10; i++) assert.deepEqual(validator.check(schema, value), first);
    assert.ok(process.cpuUsage(between).user / 10 < tried / 2, 'the pattern was tried again');
  });

  test('a pattern that was stopped never causes a refusal', () => {
    const value = { [`${'a'.repeat(40)}!`]: 'x' };
    const { problems: found, notices } = validator.check(
      { patternProperties: { '^(a+)+$': { type: 'number' } }, additionalProperties: false },
      value,
    );
    assert.deepEqual([found, notices.length], [[], 1]);
  });

  test('a pattern in another notation is skipped with a notice', () => {
    const { problems: found, notices } = validator.check({ pattern: '(?P<name>x)' }, 'y');
    assert.deepEqual([found, notices], [[], ['The pattern (?P<name>x) is not supported and was not checked.']]);
  });

  test('needless escapes in a pattern are accepted', () => {
    assert.deepEqual(problems({ pattern: '^[\\w\\-\\@]+$' }, 'a b'), ['must match the pattern ^[\\w\\-\\@]+$']);
  });

  test('for references that double at each step', () => {
    const $defs: Record<string, unknown> = { a0: { type: 'string' } };
    for (let i = 1; i < 40; i++)
      $defs[`a${i}`] = { allOf: [{ $ref: `#/$defs/a${i - 1}` }, { $ref: `#/$defs/a${i - 1}` }] };
    // Compilation may take long on a busy machine; only the check must end in time.
    const { notices } = new SchemaValidator({ compileMs: 60_000 }).check({ $defs, $ref: '#/$defs/a39' }, 'x');
    assert.match(notices[0] ?? '', /takes too long/);
  });

  test('for a schema that only refers to itself', () => {
    assert.match(validator.check({ $ref: '#' }, 1).notices[0] ?? '', /refers to itself/);
  });

  test('for equal items among fifty thousand objects', () => {
    const value = Array.from({ length: 50_000 }, (_, i) => ({ i, list: [i] }));
    assert.match(new SchemaValidator().check({ uniqueItems: true }, value).notices[0] ?? '', /takes too long/);
  });

  test('a million wrong items give the first problem', () => {
    const value = Array.from({ length: 1_000_000 }, () => 'x');
    assert.deepEqual(validator.check({ items: { type: 'number' } }, value).problems, [
      { path: '/0', message: 'must be a number' },
    ]);
  });

  test('so many errors in a small value that only the first problem is of use', () => {
    const condition = { if: { type: 'number' }, then: { type: 'string' } };
    const value = Array.from({ length: 10_000 }, () => 0);
    const found = validator.check({ items: { allOf: [condition, condition, condition, condition] } }, value);
    assert.deepEqual(found, { problems: [{ path: '/0', message: 'must be text' }], notices: [] });
  });

  const conditions = (count: number) =>
    Array.from({ length: count }, (_, item) => [
      errorAt(`/${item}`, 'type', '#/items/then/type', { type: 'string' }),
      errorAt(`/${item}`, 'if', '#/items/if', { failingKeyword: 'then' }),
    ]).flat();
  const references = (count: number) => [
    ...Array.from({ length: count }, () => errorAt('/a', 'type', '#/$defs/a/properties/a/type', { type: 'string' })),
    {
      ...errorAt('', 'anyOf', '#/anyOf', {}),
      schema: Array.from({ length: count }, (_, index) => ({ $ref: index === 0 ? '#/$defs/a' : 1 })),
    },
  ];
  for (const [subject, errors, length] of [
    ['conditions', conditions, 40_000],
    ['a choice with many branches', references, 20_000],
  ] as const)
    test(`the errors of ${subject} become problems in linear time`, () => {
      assertGrowsLinearly((count) => void problemsOf(errors(count)), length, `the errors of ${subject}`);
    });

  test('for problems with long texts', () => {
    const schema = { items: { const: Array.from({ length: 15_000 }, () => 'a long text'.repeat(20)) } };
    const value = Array.from({ length: 9_000 }, () => 0);
    assert.match(new SchemaValidator({ compileMs: 60_000 }).check(schema, value).notices[0] ?? '', /takes too long/);
  });

  test('for a value deeper than the stack', () => {
    let value: unknown = 1;
    for (let i = 0; i < 100_000; i++) value = { self: value };
    assert.match(
      validator.check({ type: 'object', properties: { self: { $ref: '#' } } }, value).notices[0] ?? '',
      /too deeply/,
    );
  });

  test('for thousands of small copies of a large definition', () => {
    const large = {
      properties: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`q${i}`, { type: 'string' }])),
    };
    const properties = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, i) => [`p${i}`, { $ref: '#/$defs/large' }]),
    );
    assert.deepEqual(validator.check({ $defs: { large }, properties }, {}).problems, []);
  });
});

describe('[L5] names that every object inherits', () => {
  test('are absent unless they are present as own properties', () => {
    const schema = { required: ['toString', 'constructor'], properties: { constructor: { type: 'string' } } };
    assert.deepEqual(problems(schema, {}), ['/toString is required', '/constructor is required']);
  });

  test('`__proto__` in schema and value is plain data', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"number"},"x":{"default":{"__proto__":{"polluted":true}}}},"__proto__":{"polluted":true}}',
    ) as Schema;
    assert.deepEqual(problems(schema, JSON.parse('{"__proto__":{"polluted":true}}')), []);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.deepEqual(problems({ additionalProperties: false }, JSON.parse('{"__proto__":1}')), [
      '/__proto__ is not expected here',
    ]);
  });

  test('`$async` does not make every value valid', () => {
    assert.deepEqual(problems({ $async: true, type: 'object' }, 5), ['must be an object']);
  });
});

test('a schema is compiled once, and only the latest are kept', () => {
  const small = new SchemaValidator({ cached: 2 });
  const [a, b, c] = [{ type: 'string' }, { type: 'number' }, { type: 'null' }];
  const first = small.compile(a);
  small.compile(b);
  assert.equal(small.compile(a), first);
  small.compile(c);
  assert.equal(small.compile(a), first);
  const again = small.compile(b);
  small.compile(c);
  assert.notEqual(small.compile(a), first);
  assert.ok(again);
});

test('a repeated schema is not compiled again', () => {
  const make = (type: string): Schema => ({ type: 'object', properties: { x: { type } } });
  const first = validator.compile(make('string'));
  assert.equal(validator.compile(make('string')), first);
  assert.notEqual(validator.compile(make('number')), first);
  const large = (): Schema => ({ enum: Array.from({ length: 5_000 }, (_, i) => `a value of the number ${i}`) });
  assert.deepEqual([problems(large(), 'a value of the number 7'), problems(large(), 7).length], [[], 1]);
  const circular: Schema = {};
  circular['not'] = circular;
  assert.match(validator.compile(circular).refusal ?? '', /cannot be used/);
});

test('identifiers of two schemas do not collide', () => {
  const make = (type: string): Schema => ({
    $id: 'https://example.org/same',
    $defs: { x: { type } },
    $ref: '#/$defs/x',
  });
  assert.deepEqual(
    [problems(make('string'), 1), problems(make('number'), 'x')],
    [['must be text'], ['must be a number']],
  );
});

test('a check never throws for any schema and value', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    '$ref',
    'anyOf',
    'allOf',
    'not',
    'pattern',
    'format',
    'minimum',
    '$defs',
    'if',
    'default',
    'id',
    '$id',
    '$anchor',
    'dependencies',
    'additionalProperties',
    'nullable',
  );
  const junk = fc.oneof(
    fc.constantFrom<unknown>('string', 'object', '#', '#/$defs/a', true, null, 0, [], {}),
    fc.json().map((text) => JSON.parse(text) as unknown),
  );
  const schema = fc.letrec<{ schema: Schema; part: unknown }>((tie) => ({
    schema: fc.dictionary(keyword, tie('part'), { maxKeys: 4 }),
    part: fc.oneof(
      { depthSize: 'small' },
      junk,
      tie('schema'),
      fc.array(tie('schema') as fc.Arbitrary<unknown>, { maxLength: 2 }),
    ),
  })).schema;
  fc.assert(
    fc.property(schema, fc.jsonValue(), (any, value) => {
      const { problems: found, notices } = validator.check(any, value);
      return Array.isArray(found) && Array.isArray(notices);
    }),
    { numRuns: 300 },
  );
});
