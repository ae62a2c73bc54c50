import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { ReadRequest } from '../../../src/core/testing/readWorker.js';
import type { ParsedFile } from '../../../src/core/testing/readTestFile.js';
import { parseTestFile } from '../../../src/core/testing/readTestFile.js';
import { WorkerCalls } from '../../../src/vscode/ui/workerCalls.js';

const bundle = path.resolve('dist/lib/testReader.js');
const file = '/w/a.mcptest.yaml';
const text = 'server: calculator\ntests:\n  - { call: add, arguments: { a: 1 }, expect: { text: "1" } }\n';

test('a window reads test files in a worker, with the same result as in its own thread', async (t) => {
  const calls = new WorkerCalls<ReadRequest, ParsedFile>(bundle, 'late');
  t.after(() => calls.dispose());
  const { read, root } = parseTestFile(text, file, {});
  const [short, long] = await Promise.all([
    calls.call({ text, file, hasRoot: false }),
    calls.call({ text, file, hasRoot: true }),
  ]);
  assert.deepEqual(short, { read });
  assert.deepEqual(long, { read, root });
});

test('the problems that a worker reports are in the language of the user', async (t) => {
  const calls = new WorkerCalls<ReadRequest, ParsedFile>(bundle, 'late', {
    'The file is empty.': 'Die Datei ist leer.',
  });
  t.after(() => calls.dispose());
  assert.deepEqual((await calls.call({ text: '', file, hasRoot: true })).read, {
    problems: [{ line: 1, column: 1, message: 'Die Datei ist leer.' }],
  });
});
