/** Completions, hovers and problems of test files, with and without the running server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { completionsAt } from '../../../src/core/testing/language/completions.js';
import { cursorPlace } from '../../../src/core/testing/language/cursorPlace.js';
import { problemsOf } from '../../../src/core/testing/language/fileProblems.js';
import { parseTestFile } from '../../../src/core/testing/readTestFile.js';
import { hoverAt as hoverOf } from '../../../src/core/testing/language/hoverText.js';
import { readYaml } from '../../../src/core/testing/yamlTree.js';
import type { LiveServers } from '../../../src/core/testing/language/liveServer.js';
import type { KeyPlace } from '../../../src/core/testing/language/testKeys.js';
import { keysOf } from '../../../src/core/testing/language/testKeys.js';

const number = { type: 'number' };
const servers: LiveServers = {
  names: ['calculator', 'my files'],
  find: (name) =>
    name === 'calculator'
      ? {
          tools: [
            {
              name: 'add',
              description: 'Adds two numbers.',
              inputSchema: {
                type: 'object',
                properties: {
                  a: { ...number, description: 'The first one.' },
                  b: number,
                  mode: { enum: ['fast', 'on'] },
                },
                required: ['a', 'b'],
              },
              outputSchema: { type: 'object', properties: { sum: number } },
            },
          ],
          prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
          resources: [{ uri: 'calc://guide', name: 'guide' }],
        }
      : undefined,
};

/** Splits a text at the cursor, which is `|`. */
const hoverAt = (text: string, position: { line: number; character: number }) =>
  hoverOf(text, position, servers, () => Promise.resolve(readYaml(text).root));

function at(marked: string): [text: string, position: { line: number; character: number }] {
  const offset = marked.indexOf('|');
  const before = marked.slice(0, offset).split('\n');
  return [
    marked.slice(0, offset) + marked.slice(offset + 1),
    { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
  ];
}

const labels = (marked: string) => completionsAt(...at(marked), servers).items.map(({ label }) => label);
const inserts = (marked: string) => completionsAt(...at(marked), servers).items.map(({ insert }) => insert);

test('the place of the cursor is found in blocks, in lists with the indentation of their key, and in brackets', () => {
  const places: [string, string, string | undefined, string][] = [
    ['ser|', '', undefined, 'ser'],
    ['server: ca|', '', 'server', 'ca'],
    ['tests:\n  - |', 'tests -', undefined, ''],
    ['tests:\n- name: x\n  ca|', 'tests -', undefined, 'ca'],
    ['tests:\n  - name: x\n    expect:\n      text: { con|', 'tests - expect text', undefined, 'con'],
    ['tests:\n  - { call: add, arguments: { a: 1, |', 'tests - arguments', undefined, ''],
    ['tests:\n  - { call: add, expect: { isError: t|', 'tests - expect', 'isError', 't'],
    ['protocol: [legacy, 2|', '', 'protocol', '2'],
    ['tests:\n  - call: add\n    arguments:\n      a: 1\n  - |', 'tests -', undefined, ''],
    ['tests:\n  - steps:\n      - call: a|', 'tests - steps -', 'call', 'a'],
  ];
  for (const [marked, path, key, prefix] of places) {
    const [text, { line, character }] = at(marked);
    const place = cursorPlace(text.split('\n'), line, character);
    assert.deepEqual([place.path.join(' '), place.key, place.prefix], [path, key, prefix], marked);
  }
});

test('any text has a place of the cursor, suggestions and a hover without an exception', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(...'a:-{}[]\'" \n,#$'), maxLength: 120 }),
      fc.nat(5),
      fc.nat(20),
      async (text, line, character) => {
        completionsAt(text, { line, character }, servers);
        await hoverAt(text, { line, character });
      },
    ),
  );
});

test('hostile lines are read in linear time', async () => {
  const blanks = `a${' '.repeat(200_000)}b`;
  const text = [blanks, '- '.repeat(100_000), `"${':'.repeat(200_000)}`, 'x'].join('\n');
  // Quadratic time would be minutes, and the test would not end.
  for (let line = 0; line < 4; line++) {
    completionsAt(text, { line, character: 150_000 }, servers);
    await hoverAt(text, { line, character: 5 });
  }
});

test('keys are suggested by their place', () => {
  assert.deepEqual(labels('|'), ['server', 'protocol', 'timeout', 'answers', 'setup', 'teardown', 'tests']);
  assert.ok(labels('tests:\n  - |').includes('each'));
  assert.ok(!labels('setup:\n  - |').includes('each'));
  assert.deepEqual(labels('answers:\n  |'), ['elicitation', 'sampling', 'roots']);
  assert.deepEqual(labels('tests:\n  - call: add\n    expect:\n      text: { |').slice(0, 3), [
    'equals',
    'contains',
    'matches',
  ]);
});

test('names and arguments are those of the running server', () => {
  assert.deepEqual(inserts('server: |'), ['calculator', '"my files"']);
  assert.deepEqual(labels('server: calculator\ntests:\n  - call: |'), ['add']);
  assert.deepEqual(labels('server: calculator\ntests:\n  - { get: |'), ['greet']);
  assert.deepEqual(inserts('server: calculator\ntests:\n  - read: |'), ['"calc://guide"']);
  assert.deepEqual(labels('server: calculator\ntests:\n  - call: add\n    arguments:\n      |'), ['a', 'b', 'mode']);
  assert.deepEqual(labels('server: calculator\ntests:\n  - { call: add, arguments: { a: 1, |'), ['a', 'b', 'mode']);
  assert.deepEqual(inserts('server: calculator\ntests:\n  - call: add\n    arguments:\n      mode: |'), [
    'fast',
    '"on"',
  ]);
  assert.deepEqual(labels('server: calculator\ntests:\n  - get: greet\n    arguments: { |'), ['who']);
  assert.deepEqual(labels('server: other\ntests:\n  - call: |'), []);
});

test('expectations are suggested from the output schema', () => {
  const marked = 'server: calculator\ntests:\n  - call: add\n    expect:\n      |';
  assert.ok(labels(marked).includes('"$.structuredContent.sum"'));
  assert.deepEqual(labels(`${marked.slice(0, -1)}structured: { |`), ['sum']);
});

test('a hover describes a key, or a tool with its arguments', async () => {
  assert.match((await hoverAt(...at('ser|ver: x')))?.text ?? '', /name of a configured server/);
  assert.equal(
    (await hoverAt(...at('server: calculator\ntests:\n  - { call: a|dd }')))?.text,
    'Adds two numbers.\na: number (required)\nb: number (required)\nmode',
  );
  assert.equal(await hoverAt(...at('server: oth|er')), undefined);
});

const problems = (text: string) =>
  problemsOf(parseTestFile(text, '/w/a.mcptest.yaml', {}), servers).map(
    ({ line, column, message, severity }) => `${severity} ${line}:${column} ${message}`,
  );

test('a mistake of the format is an error, and hides the comparison with the server', () => {
  assert.deepEqual(problems('server: calculator\ntests:\n  - { cal: ad }\n'), [
    'error 3:7 The key "cal" is not known here. Did you mean "call"?',
    'error 3:5 A step must have exactly one of: call, read, get, list, complete.',
  ]);
});

test('unknown names and arguments are warnings at their place, unless the test expects a failure', () => {
  assert.deepEqual(
    problems(`server: calculator
tests:
  - { name: a, call: ad, arguments: {} }
  - { name: b, call: add, arguments: { a: 1, c: 2 } }
  - { name: c, get: gret }
  - { name: d, call: nothing, expect: { error: true } }
  - { name: e, call: add, expect: { isError: true } }
`),
    [
      'warning 3:22 "ad" is not known in this window. Did you mean "add"?',
      'warning 4:46 The tool has no argument "c". Did you mean "a"?',
      'warning 4:22 The tool requires these arguments: b.',
      'warning 5:21 "gret" is not known in this window. Did you mean "greet"?',
    ],
  );
  assert.deepEqual(problems('server: calc\ntests: [{ list: tools }]\n'), [
    'warning 1:9 "calc" is not known in this window.',
  ]);
});

test('a secret in the file is reported at its value', () => {
  assert.deepEqual(
    problems('server: { command: node, env: { API_TOKEN: abcdefgh12345678 } }\ntests: [{ list: tools }]\n'),
    ['warning 1:44 This value looks like a secret. Use an environment variable, such as ${env:NAME}.'],
  );
});

test('the JSON Schema of the format has the same keys', () => {
  interface Schema {
    properties?: Record<string, unknown>;
    $defs: Record<string, { properties?: Record<string, unknown> }>;
  }
  const schema = JSON.parse(readFileSync('media/mcptest.schema.json', 'utf8')) as Schema;
  const keys = (part: { properties?: Record<string, unknown> } | undefined) =>
    Object.keys(part?.properties ?? {}).sort();
  assert.deepEqual(keys(schema), Object.keys(keysOf('file')).sort());
  for (const place of [
    'case',
    'step',
    'expect',
    'matcher',
    'answers',
    'complete',
    'error',
    'count',
  ] satisfies KeyPlace[])
    assert.deepEqual(keys(schema.$defs[place]), Object.keys(keysOf(place)).sort(), place);
});

test('[CLI2] the problems of a file with many steps are found in linear time, however many tools the server has', () => {
  let reads = 0;
  const tools = Array.from({ length: 2_000 }, (_, index) => ({
    get name() {
      reads++;
      return `tool ${index}`;
    },
    inputSchema: { type: 'object' },
  }));
  const known: LiveServers = { names: ['many'], find: () => ({ tools, prompts: [], resources: [] }) };
  const steps = Array.from({ length: 2_000 }, (_, index) => `  - { name: "${index}", call: tool ${index} }\n`);
  const found = problemsOf(parseTestFile(`server: many\ntests:\n${steps.join('')}`, '/w/a.mcptest.yaml', {}), known);
  assert.deepEqual(found, []);
  assert.ok(reads <= 4 * tools.length, `${reads} names were read`);
});
