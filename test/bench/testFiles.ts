/**
 * Measures how long reading a test file with 100 cases blocks the thread that asks for it: on this thread, as the
 * command line reads it, and in the worker of a window. Prints the first reading and the median of the others. Where
 * Node has the CPU time of a thread (Node 24), the figures do not contain the time in which other programs ran.
 */
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { receiveFile } from '../../src/core/testing/filePieces.js';
import type { ReadWorkerAnswer, ReadWorkerRequest } from '../../src/core/testing/readWorker.js';
import type { ParsedFile } from '../../src/core/testing/readTestFile.js';
import { parseTestFile } from '../../src/core/testing/readTestFile.js';
import { WorkerCalls } from '../../src/vscode/ui/workerCalls.js';

const file = '/bench/a.mcptest.yaml';

export async function printTestFiles(cases = 100, readings = 10): Promise<void> {
  const text = `server: demo\ntests:\n${Array.from({ length: cases }, (_, at) => caseText(at)).join('')}`;
  const calls = new WorkerCalls<ReadWorkerRequest, ReadWorkerAnswer>(path.resolve('dist/lib/testReader.js'), 'late');
  const inWorker = async () => {
    const answer = await calls.call({ kind: 'read', text, file, hasRoot: true });
    if (!('file' in answer)) throw new Error('The file was not read.');
    return receiveFile(answer.file);
  };
  for (const [name, read] of [
    ['on the thread', () => Promise.resolve(parseTestFile(text, file, {}))],
    ['in the worker', inWorker],
  ] as const) {
    const blocked: number[] = [];
    for (let at = 0; at < readings; at++) blocked.push(await longestTurn(read));
    const [first = 0, ...others] = blocked;
    const median = others.sort((a, b) => a - b)[Math.floor(others.length / 2)] ?? 0;
    console.log(
      `test file with ${cases} cases, read ${name}: blocks for ${first.toFixed(1)} ms at first, then ${median.toFixed(1)} ms`,
    );
  }
  calls.dispose();
}

/** The longest time in ms between two turns of the event loop while a file is read. */
async function longestTurn(read: () => Promise<ParsedFile>): Promise<number> {
  let isDone = false;
  let longest = 0;
  let before = threadMs();
  const reading = read().then(({ read: result }) => {
    if ('problems' in result) throw new Error(result.problems[0]?.message);
    isDone = true;
  });
  do {
    await nextTurn();
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
  } while (!isDone);
  await reading;
  return longest;
}

const { threadCpuUsage } = process as { threadCpuUsage?: () => { user: number; system: number } };

/** The time that this thread has worked, in ms; without support of Node, the time of the clock. */
function threadMs(): number {
  const used = threadCpuUsage?.call(process);
  return used ? (used.user + used.system) / 1_000 : performance.now();
}

function caseText(at: number): string {
  return [
    `  - name: case ${at}`,
    '    call: echo',
    `    arguments: { text: "hello ${at}", count: ${at} }`,
    '    expect:',
    '      isError: false',
    `      structured: { text: "hello ${at}", count: ${at} }`,
    '',
  ].join('\n');
}
