/** The reader of test files: it never throws, accepts what it writes itself, and places its problems inside the file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { isPath, placesAt, selectedBy, valueAtPath } from '../../../src/core/testing/jsonPath.js';
import { mismatchOf, subsetMismatch } from '../../../src/core/testing/matchers.js';
import { jsonIn } from '../../../src/core/testing/outcome.js';
import { readYaml } from '../../../src/core/testing/yamlTree.js';
import { readTestFile } from '../../../src/core/testing/readTestFile.js';
import { filledIn } from '../../../src/core/testing/values.js';
import { heapBytes } from '../../support/heapBytes.js';

const read = (text: string, file = '/w/a.mcptest.yaml') => readTestFile(text, file, {});
const problemsOf = (text: string): string[] => {
  const result = read(text);
  return 'problems' in result ? result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
};

/** A part of a file, with keys that the format has and others. */
const key = fc.constantFrom('tests', 'server', 'call', 'expect', 'text', 'each', 'save', 'name', 'steps', 'x', '$.a');
const part = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', '${a}', '$.b', 'tools', true, 1, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('any text and any map is read without an exception, and every problem has a place inside of the file', () => {
  const isPlaced = (text: string, file: string) => {
    const result = read(text, file);
    if ('test' in result) return true;
    const lines = text.split('\n').length;
    return (
      result.problems.length > 0 &&
      result.problems.every(({ line, column }) => line >= 1 && line <= lines + 1 && column >= 1)
    );
  };
  const name = fc.constantFrom('/w/a.mcptest.yaml', '/w/a.yaml');
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), name, isPlaced));
  fc.assert(fc.property(part, name, (value, file) => isPlaced(stringify(value), file)));
});

test('a file with valid parts is read with their values, in YAML and in JSON', () => {
  const value = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string({ maxLength: 10 }).filter((text) => !text.includes('$')),
  );
  const cases = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z ]{1,12}$/),
      call: fc.stringMatching(/^[a-z]{1,8}$/),
      arguments: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), value, { maxKeys: 3 }),
    }),
    { selector: ({ name }) => name, maxLength: 5 },
  );
  fc.assert(
    fc.property(cases, fc.boolean(), (tests, isJson) => {
      const file = { server: 'calculator', tests };
      const result = read(isJson ? JSON.stringify(file) : stringify(file));
      assert.ok('test' in result, JSON.stringify(result));
      assert.deepEqual(
        result.test.tests.map(({ name, steps }) => [name, steps.map(({ request }) => request)]),
        tests.map((one) => [one.name, [{ kind: 'call', tool: one.call, arguments: { ...one.arguments } }]]),
      );
    }),
  );
});

test('a mistyped key is reported at its line with the key that was meant', () => {
  const keys = ['server', 'protocol', 'timeout', 'answers', 'teardown'] as const;
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.nat(), (name, seed) => {
      const at = seed % (name.length - 1);
      const typed = name.slice(0, at) + name.slice(at + 1);
      const [problem = ''] = problemsOf(`# one\ntests: []\n${typed}: x\n`).filter((text) =>
        text.includes('Did you mean'),
      );
      assert.equal(problem, `3:1 The key "${typed}" is not known here. Did you mean "${name}"?`);
    }),
  );
});

const refused: [string, string, RegExp][] = [
  ['anchors', 'server: &a x\ntests: []', /^1:12 Anchors/],
  ['references', 'server: x\ntests: [{ call: *a }]', /^2:17 /],
  ['tags', 'server: !!js x\ntests: []', /^1:14 Tags/],
  ['a key that is written twice', 'server: x\nserver: y\ntests: []', /^2:1 .*unique/],
  ['several documents', 'server: x\n---\ntests: []', /^2:1 .*multiple documents/],
  ['a very deep file', `server: x\ntests: ${'['.repeat(5_000)}`, /nested more than 60 levels/],
  ['a deep file', `server: x\ntests: ${'['.repeat(200)}${']'.repeat(200)}`, /nested more than 60 levels/],
  ['a huge file', `server: x # ${'x'.repeat(1_000_000)}`, /more than 1000000 characters/],
  ['a missing server', 'tests: []', /^1:1 The key "server" is missing/],
  ['a definition that mcp.json refuses', 'server: { args: [a] }\ntests: []', /^1:9 /],
];
for (const [what, text, message] of refused) {
  test(`${what} is a problem, and the file has no tests`, () => {
    assert.match(problemsOf(text)[0] ?? '', message);
  });
}

test('anchors that multiply values are refused in files of mcp-assert, and other anchors are read', () => {
  const rows = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
  const bomb = `a0: &a0 [x, x]\n${rows.join('\n')}\nassert: { tool: x }\n`;
  assert.ok('problems' in read(bomb, '/w/a.yaml'));
  const shared = 'name: a\nx: &s { command: node }\nserver: *s\nassert: { tool: x, expect: {} }\n';
  assert.ok('test' in read(shared, '/w/a.yaml'));
});

test('paths are those of RFC 9535, lead to own members and items only, and others are refused', () => {
  const value = { a: [{ b: 1 }, { b: 2, title: 'x' }], title: 'y', 'odd key': true };
  assert.equal(valueAtPath(value, '$.a[-1].b'), 2);
  assert.equal(valueAtPath(value, "$['odd key']"), true);
  assert.equal(valueAtPath(value, '$.constructor'), undefined);
  assert.equal(valueAtPath(value, '$.a.length'), undefined);
  assert.equal(valueAtPath({ 'a-b': { c: 1 } }, '$.a-b.c'), 1);
  assert.deepEqual(selectedBy(value, '$.a[?@.b > 1].title'), ['x']);
  assert.equal(selectedBy(value, '$.a[1].title'), 'x');
  assert.deepEqual(
    [...placesAt(value, ['$..title', '$.a[0].b', '$'])],
    [
      [value, new Set(['title'])],
      [value.a[1], new Set(['title'])],
      [value.a[0], new Set(['b'])],
    ],
  );
  assert.deepEqual(
    ['$', '$.a[0]', '$.a-b', '$..a', '$.a[*]', '$.a[?@.b]', '$.a[0:1]', '$.a[', 'a'].map((path) => [
      isPath(path, true),
      isPath(path, false),
    ]),
    [
      [true, true],
      [true, true],
      [true, true],
      [false, true],
      [false, true],
      [false, true],
      [false, true],
      [false, false],
      [false, false],
    ],
  );
});

test('a path that would take hours, select millions of values, or exhaust the stack ends with a message [CLI2]', () => {
  const deep: unknown = JSON.parse(`${'[1,'.repeat(300)}0${']'.repeat(300)}`);
  const deeper: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const text = `${'a'.repeat(40)}!`;
  for (const [value, path] of [
    [deep, '$..*..*..*..*..*'],
    [deeper, '$..a'],
    [{ a: [{ b: text }] }, "$.a[?search(@.b, '(a+)+$')]"],
  ] as const) {
    assert.throws(() => selectedBy(value, path), /takes too long, or the path selects too many values/);
  }
});

test('the failure of a deep value keeps little memory [CLI2]', async () => {
  const deep: unknown = JSON.parse(`${'['.repeat(450)}${'1,'.repeat(2_000)}1${']'.repeat(450)}`);
  const start = await heapBytes();
  const kept = Array.from({ length: 20 }, () => mismatchOf(deep, { equals: 1 }));
  assert.ok((await heapBytes()) - start < 4_000_000);
  assert.equal(kept[0]?.actual?.length, 20_001);
});

test('a pattern with many fixed repetitions ends with a message for a long text [CLI2]', () => {
  const matches = (text: string) => mismatchOf(text, { matches: '[ab]{4000}c' });
  assert.ok(matches('a'));
  assert.throws(() => matches('a'.repeat(2_000_000)), /takes too long/);
});

test('a pattern that tries again on each line has a time limit [CLI2]', () => {
  const lines = '\n'.repeat(200_000);
  assert.throws(() => mismatchOf(lines, { matches: '(?m)^[^]*x' }), /takes too long/);
});

test('JSON is found in the lines of a text, of which only the first 1,000 that look like JSON are parsed [CLI2]', (t) => {
  assert.deepEqual([' [1]', 'null', 'a\n  {"b": 1}\r\n[2]', '{\n[3]', '"a"', '1\n2'].map(jsonIn), [
    [1],
    null,
    { b: 1 },
    [3],
    'a',
    undefined,
  ]);
  assert.deepEqual(jsonIn(`${'{\n'.repeat(900)}[4]`), [4]);
  const parse = t.mock.method(JSON, 'parse');
  assert.equal(jsonIn(`${'{\n'.repeat(100_000)}[5]`), undefined);
  assert.equal(jsonIn('\n'.repeat(1_000_000)), undefined);
  assert.equal(parse.mock.callCount(), 1_002);
  assert.equal(jsonIn(`x${'\r['.repeat(1_000)}`), undefined);
  assert.equal(parse.mock.callCount(), 1_003, 'only a line feed ends a line');
});

test('the time of reading YAML is linear in its length, also with many keys, anchors and errors [CLI2]', () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1\n`).join('');
  const aliases = `a: &a 1\nb:\n${'- *a\n'.repeat(20_000)}`;
  assert.deepEqual(readYaml(keys, true).problems, []);
  assert.deepEqual(readYaml(aliases, true).problems, []);
  const repeated = [
    '"',
    '"a" ',
    '[',
    '{a: ',
    '- ',
    '? ',
    '|\n a\n',
    '> a\n\n',
    '&a ',
    '*a ',
    '#\n',
    ' \n',
    'a\n',
    "'a\n",
  ];
  for (const text of [keys, aliases, ...repeated.map((one) => `a: ${one.repeat(100_000 / one.length)}`)]) {
    const before = process.cpuUsage();
    readYaml(text, true);
    // Linear work takes below one second, and quadratic work takes minutes.
    assert.ok(process.cpuUsage(before).user < 20_000_000, JSON.stringify(text.slice(0, 20)));
  }
  assert.match(readYaml('- '.repeat(200)).problems[0]?.message ?? '', /levels deep/);
  assert.match(readYaml('a: 1\n'.repeat(150_000)).problems[0]?.message ?? '', /too many parts/);
});

test('tables and steps that multiply, and limits that no timer has, are problems [CLI2]', () => {
  const rows = `[${Array.from({ length: 4_000 }, () => '{}').join(', ')}]`;
  const three = Array.from({ length: 3 }, (_, i) => `  - { name: n${i}, call: x, each: ${rows} }\n`).join('');
  assert.match(problemsOf(`server: s\ntests:\n${three}`)[0] ?? '', /^5:5 A file can have at most 10000 tests/);
  const steps = `[${Array.from({ length: 30 }, () => '{ call: x }').join(', ')}]`;
  assert.match(problemsOf(`server: s\ntests:\n  - { each: ${rows}, steps: ${steps} }\n`)[0] ?? '', /^3:5 .* steps/);
  assert.match(problemsOf('server: s\ntimeout: 99999999m\ntests: []')[0] ?? '', /^2:10 .*duration/);
});

test('a value matches itself, and a part of it matches as a subset', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(fc.property(json, (value) => mismatchOf(value, { equals: value }) === undefined));
  fc.assert(fc.property(json, (value) => subsetMismatch(value, value) === undefined));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json, { minKeys: 1 }), (value) => {
      const [first = ''] = Object.keys(value);
      assert.equal(subsetMismatch(value, Object.fromEntries([[first, value[first]]])), undefined);
      assert.ok(subsetMismatch(value, { ...value, [`${first}+`]: 'other' }) ?? Object.hasOwn(value, `${first}+`));
    }),
  );
});

test('a variable that is the whole text keeps the type of its value, and its value is not searched for variables', () => {
  const values = { n: 5, text: '${n}', list: [1] };
  assert.deepEqual(filledIn({ a: '${n}', b: 'n=${n}', c: '${text}', d: '$${n}', e: '${list}' }, values, 'mcptest'), {
    a: 5,
    b: 'n=5',
    c: '${n}',
    d: '${n}',
    e: [1],
  });
});

test('the names of tests and tools are short, also after values are filled in', () => {
  const rows = [1, 2].map((row) => `      - { a: "${'x'.repeat(400)}${row}" }`).join('\n');
  const read = (name: string, call: string) =>
    readTestFile(
      `server: s\ntests:\n  - name: "${name}"\n    call: "${call}"\n    each:\n${rows}\n`,
      '/w/a.mcptest.yaml',
      {},
    );
  assert.ok('test' in read('${a}', '${a}'));
  for (const [name, call] of [
    ['${a}${a}${a}', 'tool'],
    ['${a}', '${a}${a}${a}'],
    ['${a}', 'x'.repeat(1_001)],
  ] as const) {
    const found = read(name, call);
    const problems = 'problems' in found ? found.problems.map(({ message }) => message) : [];
    assert.deepEqual(problems, [
      'The names of tests and tools can have at most 1000 characters, and 1000000 together.',
    ]);
  }
});

test('the names of all tests and tools of a file are limited together', () => {
  const rows = Array.from({ length: 1_200 }, (_, row) => `      - { a: ${row} }`).join('\n');
  const name = `${'x'.repeat(450)}\${a}`;
  const found = readTestFile(
    `server: s\ntests:\n  - name: "${name}"\n    call: "${name}"\n    each:\n${rows}\n`,
    '/w/a.mcptest.yaml',
    {},
  );
  assert.match('problems' in found ? (found.problems[0]?.message ?? '') : '', /and 1000000 together/);
});

test('the values that are filled into all texts of a value have a total length', () => {
  const texts = Array.from({ length: 20 }, () => '${a}${a}');
  const values = { a: 'x'.repeat(300_000) };
  assert.throws(() => filledIn(texts, values, 'mcptest'), /The values that are filled in have more than 10000000/);
  assert.equal((filledIn(texts.slice(0, 10), values, 'mcptest') as unknown[]).length, 10);
  const alone = Array.from({ length: 40 }, () => '${a}');
  assert.throws(() => filledIn(alone, values, 'mcptest'), /have more than 10000000/, 'also if a text is only a value');
});

test('a file whose values need much memory when they are sent to the window is refused', () => {
  const text = `server: s\ntests:\n  - name: a\n    call: t\n    arguments: { x: [${'{ 1023: 1 }, '.repeat(3_000)}1] }\n`;
  assert.match(readYaml(text).problems[0]?.message ?? '', /too many parts/);
});
