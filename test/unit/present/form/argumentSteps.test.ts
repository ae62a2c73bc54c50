import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ArgumentStep } from '../../../../src/core/present/form/argumentSteps.js';
import { isSecretArgument } from '../../../../src/shared/form/hints.js';
import {
  answerText,
  asksForAll,
  needsNoArguments,
  needsPanel,
  planArguments,
  readStepValue,
  wholeStep,
  secretArguments,
} from '../../../../src/core/present/form/argumentSteps.js';
import { assertGrowsLinearly } from '../../../support/linearWork.js';

type Schema = Record<string, unknown>;

const plan = (schema: Schema) => planArguments(schema);

/** The step for a schema with the single property `a`. */
function stepOf(property: unknown, rest: Schema = {}): ArgumentStep {
  const { required, optional } = plan({ type: 'object', properties: { a: property }, required: ['a'], ...rest });
  const [step] = [...required, ...optional];
  assert.ok(step);
  return step;
}

const kindOf = (property: unknown, rest?: Schema) => {
  const { kind, isNullable, takesText, options } = stepOf(property, rest);
  return [
    kind,
    ...(isNullable ? ['null'] : []),
    ...(takesText ? ['text'] : []),
    ...options.map(({ title }) => title),
  ].join(' ');
};

describe('the order of the questions', () => {
  test('required ones first, each list in the order of the schema', () => {
    const { required, optional } = plan({
      type: 'object',
      properties: { d: {}, c: {}, b: {}, a: {} },
      required: ['a', 'c'],
    });
    assert.deepEqual(
      [required.map(({ key }) => key), optional.map(({ key }) => key)],
      [
        ['c', 'a'],
        ['d', 'b'],
      ],
    );
  });

  test('a required one with a default is left to the server unless it is chosen', () => {
    const { required, optional } = plan({
      type: 'object',
      properties: { scale: { enum: ['css', 'device'], default: 'css' } },
      required: ['scale'],
    });
    assert.deepEqual(
      [required.length, optional.map(({ key, default: value }) => [key, value])],
      [0, [['scale', 'css']]],
    );
  });

  test('a property with a single possible value is not requested', () => {
    const { required, fixed } = plan({
      type: 'object',
      properties: { version: { const: 2 }, name: { type: 'string' } },
      required: ['version', 'name'],
    });
    assert.deepEqual([required.map(({ key }) => key), fixed], [['name'], { version: 2 }]);
  });

  test('a schema without properties has no questions', () => {
    for (const schema of [{}, { type: 'object' }, { type: 'object', properties: {}, additionalProperties: false }])
      assert.ok(needsNoArguments(plan(schema)));
  });

  test('includes the properties of references and of all parts of an allOf', () => {
    const { required } = plan({
      $ref: '#/$defs/all',
      $defs: {
        all: { allOf: [{ properties: { a: {} }, required: ['a'] }, { $ref: '#/$defs/more' }] },
        more: { type: 'object', properties: { b: {} }, required: ['b'] },
      },
    });
    assert.deepEqual(
      required.map(({ key }) => key),
      ['a', 'b'],
    );
  });
});

describe('schemas requested as one JSON object', () => {
  const cases: [string, Schema, string][] = [
    ['a list', { type: 'array' }, '[]'],
    ['free names', { type: 'object', additionalProperties: true }, '{}'],
    ['a choice of forms', { type: 'object', oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, '{}'],
    ['a reference outside', { $ref: 'https://example.org/schema' }, '{}'],
    [
      'too many required ones',
      many(40),
      JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, '']))),
    ],
  ];
  for (const [name, schema, skeleton] of cases) {
    test(name, () => {
      const { required, optional } = plan(schema);
      assert.deepEqual(
        [required.map(({ key, kind, skeleton: text }) => [key, kind, text]), optional],
        [[[undefined, 'json', skeleton]], []],
      );
    });
  }

  function many(count: number): Schema {
    const names = Array.from({ length: count }, (_, i) => `p${i}`);
    return {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: names,
    };
  }

  test('accepts only an object', () => {
    const step = wholeStep({});
    assert.deepEqual(readStepValue(step, ' {"a": 1} '), { value: { a: 1 } });
    assert.deepEqual(readStepValue(step, '[1]'), { problem: 'must be a JSON object' });
  });
});

describe('the kind of a question', () => {
  const cases: [string, unknown, string, Schema?][] = [
    ['text', { type: 'string' }, 'text'],
    ['text by its rules', { minLength: 1 }, 'text'],
    ['text or null', { type: ['string', 'null'] }, 'text null'],
    ['text or null, as a choice', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text null'],
    ['text or null, in OpenAPI', { type: 'string', nullable: true }, 'text null'],
    ['number', { type: 'number' }, 'number'],
    ['number by its rules', { minimum: 1 }, 'number'],
    ['whole number', { type: 'integer' }, 'integer'],
    ['number of either type', { type: ['integer', 'number'] }, 'number'],
    ['switch', { type: 'boolean' }, 'boolean true false'],
    ['switch or null', { type: ['boolean', 'null'] }, 'boolean true false null'],
    ['choices', { enum: ['a', 1, null] }, 'enum a 1 null'],
    ['choices with names', { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] }, 'enum First Second'],
    ['titled constants', { oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, 'enum First b'],
    ['constants or null', { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }, 'enum a b null'],
    ['several choices', { type: 'array', items: { enum: ['a', 'b'] } }, 'multi-enum a b'],
    ['list', { type: 'array', items: { type: 'string' } }, 'json'],
    ['object', { type: 'object' }, 'json'],
    ['text or number', { type: ['string', 'number'] }, 'json text'],
    ['text or list', { anyOf: [{ type: 'string' }, { type: 'array' }] }, 'json text'],
    [
      'texts of several forms',
      {
        anyOf: [
          { type: 'string', pattern: 'a' },
          { type: 'string', pattern: 'b' },
        ],
      },
      'text',
    ],
    ['anything', {}, 'json text'],
    ['anything, as true', true, 'json text'],
    [
      'behind a reference',
      { $ref: '#/$defs/x' },
      'integer',
      { $defs: { x: { $ref: '#/$defs/y' }, y: { type: 'integer' } } },
    ],
    [
      'behind an escaped reference',
      { $ref: '#/$defs/a~1b%20c' },
      'integer',
      { $defs: { 'a/b c': { type: 'integer' } } },
    ],
    ['behind a reference to itself', { $ref: '#/$defs/x' }, 'json text', { $defs: { x: { $ref: '#/$defs/x' } } }],
    ['behind a reference to the whole', { $ref: '#' }, 'json'],
    ['behind a reference to nothing', { $ref: '#/$defs/none' }, 'json text'],
    ['in a single allOf', { allOf: [{ type: 'integer' }] }, 'integer'],
  ];
  for (const [name, property, expected, rest] of cases)
    test(name, () => assert.equal(kindOf(property, rest), expected));

  test('keywords beside a reference override the referenced schema', () => {
    const { title, prompt, kind } = stepOf(
      { $ref: '#/$defs/x', description: 'here' },
      { $defs: { x: { type: 'string', title: 'X', description: 'there' } } },
    );
    assert.deepEqual([title, prompt, kind], ['X (a)', 'here', 'text']);
  });
});

describe('the texts', () => {
  test('examples, limits and formats are the placeholder of the field', () => {
    const placeholders = [
      { type: 'string', examples: ['x', 'y'] },
      { type: 'integer', minimum: 1, maximum: 9 },
      { type: 'string', format: 'date' },
      { type: 'array', items: { type: 'string' } },
      { type: ['string', 'number'] },
    ].map((property) => stepOf(property).placeholder);
    assert.deepEqual(placeholders, ['for example x, y', '1 to 9', '2026-11-21', 'a, b, c, or JSON', 'text or JSON']);
  });

  test('[L2] text of the server is harmless and short', () => {
    const { title, prompt } = stepOf({ title: 'a\u202eb\nc', description: `line\n\u001b[31mred ${'x'.repeat(5_000)}` });
    assert.equal(title, 'a\\u{202e}b c (a)');
    assert.match(prompt, /^line \\u\{1b\}\[31mred x+… \(\d+ more characters\)$/);
    assert.ok(prompt.length < 600);
  });

  test('an object starts with the required properties', () => {
    const { skeleton } = stepOf({
      type: 'object',
      properties: {
        name: { type: 'string' },
        count: { type: 'integer', minimum: 3 },
        kind: { enum: ['x'] },
        list: { type: 'array', items: { type: 'object' } },
        extra: {},
      },
      required: ['name', 'count', 'kind', 'list'],
    });
    assert.equal(skeleton, '{"name":"","count":3,"kind":"x","list":[{}]}');
  });
});

describe('an answer', () => {
  const read = (property: unknown, text: string) => readStepValue(stepOf(property), text);

  test('is read by its kind', () => {
    assert.deepEqual(
      [
        read({ type: 'string' }, ' a '),
        read({ type: 'string' }, ''),
        read({ type: ['string', 'null'] }, ''),
        read({ type: 'number' }, ' -1.5e3 '),
        read({ type: 'number' }, '.5'),
        read({ type: 'integer' }, '12'),
        read({ type: ['integer', 'null'] }, ''),
        read({ type: 'object' }, '{"a":[1]}'),
        read({ type: ['string', 'number'] }, '5'),
        read({ type: ['string', 'number'] }, 'five'),
        read({ type: 'array', items: { type: 'string' } }, 'a, b c ,d'),
        read({ type: 'array', items: { type: 'string' } }, '["a, b"]'),
        read({ type: 'array', items: { type: 'string' } }, ''),
      ].map((answer) => ('value' in answer ? answer.value : answer)),
      [' a ', '', null, -1500, 0.5, 12, null, { a: [1] }, 5, 'five', ['a', 'b c', 'd'], ['a, b'], []],
    );
  });

  test('that is invalid gives the reason', () => {
    const problems = [
      read({ type: 'number' }, 'x'),
      read({ type: 'number' }, ''),
      read({ type: 'number' }, 'Infinity'),
      read({ type: 'number' }, '0x10'),
      read({ type: 'integer' }, '1.5'),
      read({ type: 'integer' }, '9007199254740993'),
      read({ type: 'object' }, ''),
      read({ type: 'object' }, '{"a":'),
      read({ type: 'object' }, '{a}'),
    ].map((answer) => ('problem' in answer ? answer.problem : answer));
    assert.deepEqual(problems.slice(0, 8), [
      'must be a number',
      'must be a number',
      'must be a number',
      'must be a number',
      'must be an integer',
      'is too large to be sent exactly',
      'must not be empty',
      'is not valid JSON: it ends too early',
    ]);
    assert.match(
      JSON.stringify(problems[8]).slice(1, -1).replaceAll('\\', ''),
      /^is not valid JSON: (unexpected "a" at character 2|it ends too early)$/,
    );
  });

  test('is read back from the text of its value', () => {
    const properties: [unknown, fc.Arbitrary<unknown>][] = [
      [{ type: 'string' }, fc.string()],
      [
        { type: 'number' },
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .filter((value) => !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))),
      ],
      [{ type: 'integer' }, fc.integer()],
      [{ type: 'object' }, fc.dictionary(fc.string(), fc.jsonValue())],
      [{ type: 'array', items: { type: 'string' } }, fc.array(fc.string())],
      [{ type: ['string', 'number'] }, fc.oneof(fc.string(), fc.integer())],
    ];
    for (const [property, values] of properties) {
      const step = stepOf(property);
      fc.assert(
        fc.property(values, (value) =>
          assert.deepEqual(
            JSON.parse(JSON.stringify(readStepValue(step, answerText(step, value)))),
            JSON.parse(JSON.stringify({ value })),
          ),
        ),
      );
    }
  });
});

test('secrets are known by format or name', () => {
  const names = [
    'password',
    'userPassword',
    'api_key',
    'apiKey',
    'accessToken',
    'auth-token',
    'client_secret',
    'token',
    'bearerToken',
    'max_tokens',
    'keyword',
    'path',
  ];
  assert.deepEqual(
    names.filter((name) => isSecretArgument(name, {})),
    names.slice(0, 9),
  );
  assert.ok(isSecretArgument('x', { format: 'password' }));
  assert.deepEqual(
    [stepOf({ type: 'string', format: 'password' }).isSecret, stepOf({ type: 'boolean', writeOnly: true }).isSecret],
    [true, false],
  );
});

test('[L5] an argument called __proto__ is an argument', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"const":1},"constructor":{"type":"string"}},"required":["__proto__","constructor"]}',
  ) as Schema;
  const { required, fixed } = plan(schema);
  assert.deepEqual([required.map(({ key }) => key), JSON.stringify(fixed)], [['constructor'], '{"__proto__":1}']);
  assert.equal(({} as Schema)['1'], undefined);
});

test('[X2] never throws and stays small for any schema', () => {
  let deep: Schema = { type: 'string' };
  for (let i = 0; i < 20_000; i++) deep = i % 2 === 0 ? { anyOf: [deep, { type: 'null' }] } : { allOf: [deep] };
  assert.equal(plan({ properties: { a: deep } }).optional.length, 1);
  assert.equal(plan(deep).required.length, 1);
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    '$ref',
    'anyOf',
    'oneOf',
    'allOf',
    'default',
    'examples',
    'title',
    'description',
    '$defs',
    'minimum',
  );
  const schema = fc.letrec<{ schema: Schema; part: unknown }>((tie) => ({
    schema: fc.dictionary(keyword, tie('part'), { maxKeys: 5 }),
    part: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>('string', 'object', 'array', '#', '#/properties', '#/$defs/a', true, null, 0, []),
      fc.jsonValue(),
      tie('schema'),
      fc.array(tie('schema') as fc.Arbitrary<unknown>, { maxLength: 2 }),
    ),
  })).schema;
  fc.assert(
    fc.property(schema, (any) => {
      const { required, optional } = plan(any);
      for (const step of [...required, ...optional]) answerText(step, step.default);
      return required.length <= 30 && optional.length <= 500;
    }),
    { numRuns: 500 },
  );
});

describe('[X2] the questions of a schema that multiplies its parts', () => {
  const list = (count: number, value: unknown) => Array.from({ length: count }, () => value);
  const members = (count: number, make: (index: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, make(index)]));
  const a = { $ref: '#/$defs/a' };
  /** Schemas with `count` references to a part of the size `count`. */
  const schemas: Record<string, (count: number) => Schema> = {
    'references to a long allOf': (count) => ({
      properties: { x: { type: 'string' } },
      allOf: list(count, a),
      $defs: { a: { allOf: list(count, { type: 'object' }) } },
    }),
    'references to many properties': (count) => ({
      properties: members(count, (index) => ({ allOf: [a, { title: `${index}` }] })),
      $defs: { a: { properties: members(count, () => true), required: list(count, 'k0') } },
    }),
    'references to many keywords': (count) => ({
      properties: members(count, () => a),
      $defs: { a: members(count, (index) => index) },
    }),
    'references to long choices': (count) => ({
      properties: members(count, () => a),
      $defs: { a: { anyOf: list(count, { type: 'null' }) } },
    }),
    'references to a long default': (count) => ({
      properties: members(count, () => a),
      $defs: { a: { default: list(count, 1), examples: [list(count, 1)] } },
    }),
    'a long reference': (count) => ({
      properties: members(count, () => a),
      $defs: { a: { $ref: `#/${'a/'.repeat(count)}` } },
    }),
  };

  for (const [name, make] of Object.entries(schemas)) {
    test(`${name}: they take linear time, and are one question`, () => {
      assertGrowsLinearly((count) => void plan(make(count)), 4_000, name);
      const { required, optional } = plan(make(4_000));
      assert.equal(required.length + optional.length, 1);
    });
  }

  test('a part that is used several times is read once', () => {
    const { required } = plan({ allOf: list(20, a), $defs: { a: { properties: { x: true }, required: ['x'] } } });
    assert.deepEqual(
      required.map(({ key }) => key),
      ['x'],
    );
  });

  test('the choices of an argument are limited together', () => {
    const long = Array.from({ length: 500 }, (_, index) => index);
    assert.deepEqual(stepOf({ anyOf: list(500, { enum: long }) }).options, []);
  });
});

test('an argument that contains a secret anywhere is a secret', () => {
  const schema = {
    properties: {
      connection: { properties: { login: { properties: { pass: { type: 'string', format: 'password' } } } } },
      plain: { type: 'object' },
      list: { items: { $ref: '#/$defs/key' } },
    },
    $defs: { key: { properties: { value: { writeOnly: true } } } },
  };
  const values = {
    connection: { login: { pass: 'x' } },
    plain: { a: [1, { b: 2 }] },
    list: [{ value: 'y' }],
    free: { deep: [{ apiKey: 'z' }] },
    token: 't',
    city: 'Oslo',
  };
  assert.deepEqual([...secretArguments(schema, values)].sort(), ['connection', 'free', 'list', 'token']);
});

test('up to three arguments are asked for one by one if all are optional; an empty answer leaves an optional one out', () => {
  const planOf = (names: string[], required: string[] = []) =>
    planArguments({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
      required,
    });
  assert.deepEqual(
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ].map((names) => [asksForAll(planOf(names)), needsPanel(planOf(names))]),
    [
      [true, false],
      [false, true],
    ],
  );
  assert.equal(asksForAll(planOf(['a', 'b'], ['a'])), false);
  const { required, optional } = planOf(['a', 'b'], ['a']);
  assert.deepEqual(
    optional.map((step) => readStepValue(step, ' ')),
    [{ value: undefined }],
  );
  assert.deepEqual(
    required.map((step) => 'problem' in readStepValue(step, ' ')),
    [true],
  );
});

test('a tool that can destroy data is run from its panel, which shows that, unless it has no arguments', () => {
  const one = plan({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] });
  const annotations = [{ destructiveHint: true }, { destructiveHint: true, readOnlyHint: true }, {}];
  assert.deepEqual(
    annotations.map((claims) => needsPanel(one, claims)),
    [true, false, false],
  );
  assert.equal(needsPanel(plan({ type: 'object' }), { destructiveHint: true }), false);
});

test('a question for a whole answer to a request does not mention arguments', () => {
  assert.equal(wholeStep({}).prompt, 'All arguments as one JSON object');
  assert.equal(wholeStep({}, 'answer').prompt, 'The whole answer as one JSON object');
  const [step] = planArguments({ anyOf: [{ type: 'object' }, { type: 'string' }] }, 'answer').required;
  assert.equal(step?.prompt, 'The whole answer as one JSON object');
});
