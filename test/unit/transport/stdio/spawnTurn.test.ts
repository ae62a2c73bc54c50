import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { listProcesses } from '../../../../src/core/transport/stdio/processTree.js';
import { spawnTurn } from '../../../../src/core/transport/stdio/spawnTurn.js';
import { StdioTransport } from '../../../../src/core/transport/stdio/stdioTransport.js';

/** Counts turns of the event loop until it is stopped. */
function countTurns(): { now: () => number; stop: () => void } {
  let turns = 0;
  let isOver = false;
  void (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  return { now: () => turns, stop: () => (isOver = true) };
}

test('the first process starts at once, and each further one in a later turn, in order', async () => {
  await setImmediate();
  const turns = countTurns();
  assert.equal(spawnTurn(), undefined);
  const started = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => (await spawnTurn(), { name, turn: turns.now() })),
  );
  turns.stop();
  assert.deepEqual(
    started.map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  );
  for (const [index, { turn }] of started.entries())
    assert.ok(turn > (started[index - 1]?.turn ?? 0), `${index}: ${turn}`);
});

test('after an idle turn the next process starts at once again', async () => {
  await setImmediate();
  for (let round = 0; round < 3; round++) {
    assert.equal(spawnTurn(), undefined);
    await spawnTurn();
    await setImmediate();
    await setImmediate();
  }
});

const transport = (): StdioTransport =>
  new StdioTransport({
    command: process.execPath,
    args: ['-e', 'process.stdin.resume()'],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: process.cwd(),
    graceMs: 300,
  });
const sink = {
  onMessage: () => undefined,
  onWarning: () => undefined,
  onStderr: () => undefined,
  onClose: () => undefined,
};

test('many servers that start at once all start, each in a separate turn', async () => {
  const all = Array.from({ length: 8 }, transport);
  const turns = countTurns();
  const startedAt: number[] = [];
  await Promise.all(
    all.map(async (one) => {
      const opening = one.open(sink);
      while (one.describe().pid === undefined) await setImmediate();
      startedAt.push(turns.now());
      await opening;
    }),
  );
  turns.stop();
  assert.equal(new Set(startedAt).size, all.length, startedAt.join(' '));
  await Promise.all(
    all.map((one) => {
      const closing = one.close();
      one.kill();
      return closing;
    }),
  );
});

test('a process that is closed before its turn never starts', async () => {
  await setImmediate();
  assert.equal(spawnTurn(), undefined);
  const one = transport();
  const opening = one.open(sink);
  const closing = one.close();
  await assert.rejects(opening, { code: 'closed' });
  await closing;
  assert.deepEqual(
    (await listProcesses()).filter(({ parent }) => parent === process.pid),
    [],
  );
});
