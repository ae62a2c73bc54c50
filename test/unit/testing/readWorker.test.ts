import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { receiveFile } from '../../../src/core/testing/filePieces.js';
import type { ReadWorkerAnswer, ReadWorkerRequest } from '../../../src/core/testing/readWorker.js';
import { parseTestFile } from '../../../src/core/testing/readTestFile.js';
import type { YamlEntry, YamlNode } from '../../../src/core/testing/yamlTree.js';
import { WorkerCalls } from '../../../src/vscode/ui/workerCalls.js';

const bundle = path.resolve('dist/lib/testReader.js');
const file = '/w/a.mcptest.yaml';
const text = 'server: calculator\ntests:\n  - { call: add, arguments: { a: 1 }, expect: { text: "1" } }\n';

async function receivedFrom(calls: WorkerCalls<ReadWorkerRequest, ReadWorkerAnswer>, request: ReadWorkerRequest) {
  const answer = await calls.call(request);
  assert.ok('file' in answer);
  return receiveFile(answer.file);
}

/** The values of a file as they arrive: without those of the whole file and of the list of its tests. */
function withoutWholeValues({ entries, ...root }: YamlNode): YamlNode {
  const without = ({ node, ...entry }: YamlEntry) =>
    entry.key === 'tests' && node.items ? { ...entry, node: { ...node, value: undefined } } : { ...entry, node };
  return { ...root, value: undefined, entries: entries?.map(without) };
}

test('a window reads test files in a worker, with the same result as in its own thread', async (t) => {
  const calls = new WorkerCalls<ReadWorkerRequest, ReadWorkerAnswer>(bundle, 'late');
  t.after(() => calls.dispose());
  const rows = Array.from({ length: 15 }, (_, at) => `      - { a: ${at} }\n`).join('');
  const cases = Array.from({ length: 35 }, (_, at) => `  - { name: c${at}, call: add, arguments: { a: ${at} } }\n`);
  for (const long of [
    text,
    `${text}${cases.join('')}  - name: row\n    call: add\n    arguments: { a: "\${a}" }\n    each:\n${rows}`,
    'server: calculator\ntests: 3\n',
    '{',
    '',
  ]) {
    const { read, root } = parseTestFile(long, file, {});
    const received = await Promise.all([
      receivedFrom(calls, { kind: 'read', text: long, file, hasRoot: false }),
      receivedFrom(calls, { kind: 'read', text: long, file, hasRoot: true }),
    ]);
    assert.deepEqual(received, [{ read }, { read, ...(root && { root: withoutWholeValues(root) }) }], long);
  }
});

test('a file that arrives in part is refused', async () => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage({ read: parseTestFile(text, file, {}).read });
  await assert.rejects(receiveFile(port2), /ended before it had sent the file/);
});

test('the problems that a worker reports are in the language of the user', async (t) => {
  const calls = new WorkerCalls<ReadWorkerRequest, ReadWorkerAnswer>(bundle, 'late', {
    'The file is empty.': 'Die Datei ist leer.',
  });
  t.after(() => calls.dispose());
  assert.deepEqual(await receivedFrom(calls, { kind: 'read', text: '', file, hasRoot: true }), {
    read: { problems: [{ line: 1, column: 1, message: 'Die Datei ist leer.' }] },
  });
});

test('a case is added in the worker without secrets, and a file with an error is refused', async (t) => {
  const calls = new WorkerCalls<ReadWorkerRequest, ReadWorkerAnswer>(bundle, 'late');
  t.after(() => calls.dispose());
  const values = { a: 'hunter2-secret', b: 2 };
  const recorded = { server: 'calculator', tool: 'add', arguments: values, isError: false, text: 'hunter2-secret' };
  const add = { kind: 'add', file, recorded, secrets: ['hunter2-secret'] } as const;
  const answer = await calls.call({ ...add, text });
  assert.ok('added' in answer);
  assert.match(answer.added.text, /^server: calculator\n/);
  assert.doesNotMatch(answer.added.text, /hunter2/);
  assert.deepEqual(answer.added.omitted, ['a']);
  assert.match(JSON.stringify(await calls.call({ ...add, text: 'tests: 3' })), /"refused":"The file has an error/);
});

test('calls follow each other, a failed worker is replaced, and no call follows the end', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-deck-worker-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = path.join(folder, 'worker.cjs');
  writeFileSync(
    script,
    `const { parentPort } = require('node:worker_threads');
let running = 0;
parentPort.on('message', (text) => {
  running++;
  if (text === 'fail') throw new Error('broken');
  setImmediate(() => parentPort.postMessage(text + ' ' + running--));
});`,
  );
  const calls = new WorkerCalls<string, string>(script, 'late');
  t.after(() => calls.dispose());
  const [first, failed, second, third] = await Promise.allSettled(
    ['a', 'fail', 'b', 'c'].map((one) => calls.call(one)),
  );
  assert.deepEqual(
    [first, second, third].map((one) => one?.status === 'fulfilled' && one.value),
    ['a 1', 'b 1', 'c 1'],
  );
  assert.match(String(failed?.status === 'rejected' && failed.reason), /broken/);
  const late = calls.call('d');
  calls.dispose();
  await assert.rejects(late, /closing/);
  await assert.rejects(calls.call('e'), /closing/);
});
