/** Cases that are written from recorded calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RecordedCase } from '../../../src/core/testing/newCase.js';
import { withNewCase } from '../../../src/core/testing/newCase.js';
import { readTestFile } from '../../../src/core/testing/readTestFile.js';
import { filledIn } from '../../../src/core/testing/values.js';

const file = '/w/a.mcptest.yaml';
const hides = (text: string) => text.includes('hunter2');
const add: RecordedCase = {
  server: 'calculator',
  tool: 'add',
  arguments: { a: 1, b: 2 },
  isError: false,
  structured: { sum: 3 },
};

test('a new file has the server and the case', () => {
  assert.deepEqual(withNewCase(undefined, file, add, hides), {
    text: `server: calculator
tests:
  - name: add
    call: add
    arguments:
      a: 1
      b: 2
    expect:
      structured:
        sum: 3
`,
    line: 3,
    omitted: [],
  });
});

test('a case is added after the last one with its indentation, and comments and other keys stay', () => {
  const text = `# Sums
server: calculator
tests:
- name: add   # the first
  call: add
  expect: { structured: { sum: 3 } }   # three

# The end
timeout: 5s
`;
  const result = withNewCase(text, file, { ...add, structured: undefined, text: 'It is ${3}' }, hides);
  assert.equal(
    result.text,
    `# Sums
server: calculator
tests:
- name: add   # the first
  call: add
  expect: { structured: { sum: 3 } }   # three
- name: add-2
  call: add
  arguments:
    a: 1
    b: 2
  expect:
    text: It is $\${3}

# The end
timeout: 5s
`,
  );
  assert.equal(result.line, 7);
});

test('a list in brackets gets the case too', () => {
  const { text } = withNewCase('server: calculator\ntests: [{ list: tools }]\n', file, add, hides);
  const read = readTestFile(text, file, {});
  assert.deepEqual('test' in read && read.test.tests.map(({ name }) => name), ['list tools', 'add']);
});

test('secrets are left out of arguments and expectations', () => {
  const values = { a: 1, apiKey: 'abcdefgh12345678', note: 'it is hunter2' };
  const { text, omitted } = withNewCase(
    undefined,
    file,
    { ...add, arguments: values, structured: undefined, text: 'hunter2' },
    hides,
  );
  assert.deepEqual(omitted, ['apiKey', 'note']);
  assert.doesNotMatch(text, /hunter2|abcdefgh/);
  assert.match(text, /expect:\n {6}isError: false/);
});

test('a long result is a snapshot, and an error is expected as such', () => {
  const long = { ...add, structured: undefined, text: 'x'.repeat(1_000), isError: true };
  assert.match(withNewCase(undefined, file, long, hides).text, /isError: true\n {6}snapshot: true/);
});

test('a file with a mistake is not changed', () => {
  assert.throws(() => withNewCase('server: calculator\ntests: [{ cal: a }]\n', file, add, hides), /error on line 2/);
});

test('every written case is read back as it was recorded', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const values = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 2 })), {
    maxKeys: 3,
  });
  fc.assert(
    fc.property(text, values, text, (tool, given, answer) => {
      const recorded = { ...add, tool, arguments: given, structured: undefined, text: answer };
      const first = withNewCase(undefined, file, recorded, () => false);
      const second = withNewCase(first.text, file, recorded, () => false);
      const read = readTestFile(second.text, file, {});
      assert.ok('test' in read, JSON.stringify(read));
      const left = Object.fromEntries(Object.entries(given).filter(([name]) => !second.omitted.includes(name)));
      for (const { steps } of read.test.tests)
        assert.deepEqual(filledIn(steps[0]?.request, {}, 'mcptest'), { kind: 'call', tool, arguments: left });
    }),
    { numRuns: 200 },
  );
});

test('a text that ends with a no-break space is written completely', () => {
  const recorded = { ...add, structured: undefined, text: 'a\u00a0' };
  const first = withNewCase(undefined, file, recorded, hides);
  assert.equal(withNewCase(first.text, file, recorded, hides).text.match(/a\u00a0\n/g)?.length, 2);
});

test('a case gets the line breaks of the file', () => {
  const text = 'server: calculator\r\ntests:\r\n  - name: a\r\n    call: x\r\n    expect:\r\n      isError: false\r\n';
  const result = withNewCase(text, file, add, hides);
  assert.ok(result.text.startsWith(text.trimEnd()), result.text);
  assert.doesNotMatch(result.text.replaceAll('\r\n', ''), /[\r\n]/);
  assert.equal(result.text.split('\r\n')[result.line - 1], '  - name: add');
});
