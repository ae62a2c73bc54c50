import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientTasks } from '../../../src/core/session/clientTasks.js';

test('[X6] the parameters of tasks that a server starts have a limit together until their work has ended', async () => {
  const tasks = new ClientTasks(() => undefined);
  const ends: (() => void)[] = [];
  const start = () =>
    tasks.start(
      { task: {}, _meta: { large: 'x'.repeat(25 * 1024 * 1024) } },
      () => new Promise((resolve) => ends.push(() => resolve({}))),
    );
  await start();
  await start();
  assert.throws(start, /The open tasks are too large together/);
  // The request was answered, but its parameters are held until the end.
  assert.equal(ends.length, 2);
  ends[0]?.();
  await new Promise(setImmediate);
  await start();
  assert.throws(start, /too large together/);
});
