/** What the Test Explorer shows: the lines of cases, the question before a run, and failures as messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseLines, testFailureMessage, outputText, serverLine } from '../../../src/core/testing/failureMessage.js';
import { readTestFile } from '../../../src/core/testing/readTestFile.js';
import { newFilesOf, testActionsOf, runQuestion } from '../../../src/core/testing/testActions.js';
import type { CaseResult, TestFile } from '../../../src/core/testing/testModel.js';
import { outlineOf, serverTags } from '../../../src/core/testing/testOutline.js';

function read(text: string): TestFile {
  const result = readTestFile(text, '/w/a.mcptest.yaml', {});
  assert.ok('test' in result, JSON.stringify(result));
  return result.test;
}

const whole = `server: counter
protocol: [legacy, 2026-07-28]
setup:
  - { call: create, arguments: { name: "\${env:USER_NAME}" } }
tests:
  - name: adds
    tags: [quick]
    call: add
    arguments: { a: 1 }

  - name: \${tool} works
    each: [{ tool: find }, { tool: slow }]
    call: \${tool}
    arguments: { key: "\${env:API_KEY}" }
  - { name: later, skip: not ready, list: tools }
`;

test('a case covers the lines up to the next one, and the rows of a table share theirs', () => {
  assert.deepEqual(
    outlineOf(read(whole), 16).map(({ name, firstLine, lastLine, skip }) => [name, firstLine, lastLine, skip]),
    [
      ['adds', 6, 10, undefined],
      ['find works', 11, 14, undefined],
      ['slow works', 11, 14, undefined],
      ['later', 15, 16, 'not ready'],
    ],
  );
});

test('a case has one item for each era if its file runs in several, and the tags of its server', () => {
  const test = read(whole);
  assert.deepEqual(outlineOf(test, 16)[0]?.eras, ['legacy', '2026-07-28']);
  assert.deepEqual(serverTags(test), ['counter']);
  const other = read('server: { command: node }\ntests: [{ list: tools }]\n');
  assert.deepEqual([outlineOf(other, 2)[0]?.eras, serverTags(other)], [[], []]);
});

test('the question names the server, every tool, and every environment variable whose value is sent', () => {
  assert.deepEqual(testActionsOf(read(whole)), {
    server: 'counter',
    tools: ['add', 'create', 'find', 'slow'],
    variables: ['API_KEY', 'USER_NAME'],
    roots: [],
    answers: [],
  });
  const own = read('server: { url: "http://h/", headers: { K: "${env:TOKEN}" } }\ntests: [{ list: tools }]\n');
  assert.deepEqual(testActionsOf(own), { server: undefined, tools: [], variables: ['TOKEN'], roots: [], answers: [] });
});

test('[C32] the question names the roots that the server receives, and what the file answers in place of the user', () => {
  const asking = read(`server: counter
answers: { roots: [/home] }
tests:
  - { name: a, call: add, answers: { elicitation: { a: 1 }, roots: [/, /home] } }
  - { name: b, call: add, answers: { sampling: yes } }
`);
  const actions = testActionsOf(asking);
  assert.deepEqual(
    [actions.roots, actions.answers],
    [
      ['/', '/home'],
      ['elicitation', 'sampling'],
    ],
  );
  const { detail } = runQuestion([{ file: 'a.mcptest.yaml', actions }]);
  assert.match(detail, /\nRoots: \/, \/home\nAnswers requests of the server: forms, sampling$/);
});

test('[C33] a tool whose name comes from the server is a problem of the file at its line, not a name in the question', () => {
  const text = `server: bank
setup:
  - { list: tools, save: { add: "$.tools[1].name" } }
tests:
  - { name: adds, call: "\${add}" }
  - name: in steps
    steps:
      - { call: echo, save: { x: "$.content[0].text" } }
      - { call: "safe_\${x}" }
  - { name: environment, call: "\${env:TOOL}" }
  - name: a row without the name
    each: [{ tool: find, n: 1 }, { n: 2 }]
    call: \${tool}
  - { name: the text itself, call: "$\${x}" }
  - { name: elsewhere, read: "file:///\${x}", expect: { text: "\${add}" } }
teardown:
  - { call: "\${x}" }
`;
  const result = readTestFile(text, '/w/a.mcptest.yaml', {});
  assert.ok('problems' in result);
  assert.deepEqual(
    result.problems.map(({ line, message }) => `${line} ${message.match(/cannot contain (\S+)\./)?.[1]}`).sort(),
    ['10 ${env:TOOL}', '11 ${tool}', '17 ${x}', '5 ${add}', '9 ${x}'],
  );
});

test('[C32] a question that leaves out a file, a tool, or a part of a name says so, and the whole text has it', () => {
  const file = (name: string, tools: string[]) => ({
    file: name,
    actions: { server: 's', tools, variables: ['KEY'], roots: [], answers: [] },
  });
  const short = runQuestion([file('a.mcptest.yaml', ['a\u202eb\nc'])]);
  assert.equal(short.whole, undefined);
  assert.doesNotMatch(short.detail, /\u202e|b\nc/);
  assert.match(short.detail, /a\.mcptest\.yaml\nServer: s\nTools: "a\\u\{202e\}b\\nc"\nEnvironment variables: KEY$/);
  const tools = Array.from({ length: 50 }, (_one, index) => `tool${index}`);
  const files = Array.from({ length: 6 }, (_one, index) => file(`f${index}`, index === 5 ? ['pay'] : ['list']));
  const longNames = (file: number) => Array.from({ length: 40 }, (_one, index) => `${file}.${index}.${'x'.repeat(50)}`);
  for (const [asked, hidden, hint] of [
    [[file('a', tools)], 'tool49', /tool39, … \(50\)$/m],
    [files, 'pay', /Other files: 1$/],
    [[file('a', [`${'x'.repeat(70)}pay`])], 'pay', /more characters/],
    [
      Array.from({ length: 5 }, (_one, file) => ({
        file: `f${file}`,
        actions: { server: 's', tools: longNames(file), variables: [], roots: [], answers: [] },
      })),
      '4.39.',
      /x$/,
    ],
  ] as const) {
    const { detail, whole } = runQuestion(asked);
    assert.ok(!detail.includes(hidden) && whole?.includes(hidden), hidden);
    assert.match(detail, hint);
    assert.ok(detail.split('\n').length <= 30);
  }
});

test('[C32] two different lists of names have different texts', () => {
  const lists = [
    ['a', 'b'],
    ['a, b'],
    ['a,b'],
    ['a', ' b'],
    ['a  b'],
    ['a b'],
    ['a\u00a0b'],
    ['"a"', 'b'],
    ['a"', '"b'],
  ];
  const texts = lists.flatMap((names) =>
    (['tools', 'roots'] as const).map((field) => {
      const actions = { server: 's', tools: [], variables: [], roots: [], answers: [], [field]: names };
      return runQuestion([{ file: 'f', actions }]).detail;
    }),
  );
  assert.equal(new Set(texts).size, texts.length);
});

test('[C32] the question is about the files that the user has not agreed to, and names all of their tools', () => {
  const file = (name: string, tool: string): TestFile => ({
    ...read(`server: s\ntests: [{ name: a, call: ${tool} }]\n`),
    file: name,
  });
  const namesOf = (tests: TestFile[], agreed = new Set<string>()) => {
    const asked = newFilesOf(tests, agreed);
    assert.ok(asked !== 'tooLong');
    return asked.map(({ test: { file: name }, actions, key }) => ({ name, tools: actions.tools, key }));
  };
  const first = namesOf([file('a', 'x'), file('b', 'x')]);
  assert.deepEqual(
    first.map(({ name, tools }) => [name, ...tools]),
    [
      ['a', 'x'],
      ['b', 'x'],
    ],
  );
  const agreed = new Set(first.map(({ key }) => key));
  const again = namesOf([file('a', 'x'), file('b', 'y'), file('c', 'x')], agreed);
  assert.deepEqual(
    again.map(({ name, tools }) => [name, ...tools]),
    [
      ['b', 'y'],
      ['c', 'x'],
    ],
  );
});

test('[C32] a run of files with more names than a question can show is refused; a smaller one keeps only digests', () => {
  const rows = Array.from({ length: 1_000 }, (_one, index) => `{ a: k${index + 1_000} }`);
  const long = read(`server: s\ntests: [{ name: t, each: [${rows.join()}], call: "${'${a}'.repeat(190)}" }]\n`);
  const asked = newFilesOf([long], new Set());
  assert.ok(asked !== 'tooLong');
  assert.deepEqual(
    asked.map(({ actions, key }) => [actions.tools.length, key.length]),
    [[1_000, 44]],
  );
  let files = 0;
  const many = new Proxy(Array<TestFile>(2_000).fill(long), {
    get: (target, name) => {
      if (/^\d+$/.test(String(name))) files++;
      return Reflect.get(target, name) as unknown;
    },
  });
  assert.equal(newFilesOf(many, new Set()), 'tooLong');
  assert.equal(files, 3, 'it stops at the limit');
});

test('[C32] the output of a run has no control sequences and no forged lines, also from the names of files', () => {
  assert.equal(outputText('a\n\u001b]0;title\u0007b\rc'), 'a\r\n\\u{1b}]0;title\\u{7}b\r\nc\r\n');
});

test('a failure is at its line with both values, and what the server sent is made visible', () => {
  const place = { line: 7, column: 5 };
  assert.deepEqual(testFailureMessage({ ...place, message: 'text: No.', expected: 'a', actual: 'b\u202e' }), {
    text: 'text: No.',
    expected: 'a',
    actual: `b${visible('\u202e')}`,
    line: 6,
    character: 4,
    isSnapshot: false,
  });
  assert.equal(testFailureMessage({ ...place, message: 'No.', actual: 'gone' }).text, 'No.\ngone');
  assert.equal(testFailureMessage({ ...place, message: 'Slow.', expected: '1 s' }).text, 'Slow. Expected: 1 s');
  assert.equal(testFailureMessage({ ...place, message: 'x', isSnapshot: true }).isSnapshot, true);
});

test('the output has one line for each case, its failures, and lines of the server without control characters', () => {
  const one: CaseResult = {
    file: '/w/a.mcptest.yaml',
    era: 'legacy',
    name: 'adds',
    tags: [],
    line: 6,
    column: 5,
    status: 'failed',
    durationMs: 12,
    attempts: 1,
    failures: [{ line: 9, column: 7, message: 'text: No.' }],
  };
  assert.deepEqual(caseLines(one), ['✗ adds (legacy) (12 ms)', '    line 9: text: No.']);
  assert.deepEqual(caseLines({ ...one, era: 'auto', status: 'skipped', reason: 'not ready', failures: [] }), [
    '– adds (not ready)',
  ]);
  assert.doesNotMatch(serverLine('counter', 'a\u001b[31mb\u0007'), /[\u001b\u0007]/);
});

/** How the character is shown in other texts. */
function visible(char: string): string {
  return testFailureMessage({ line: 1, column: 1, message: char }).text;
}
