import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolRun } from '../../../src/core/runs/runMemory.js';
import { RunMemory } from '../../../src/core/runs/runMemory.js';

/** The stored value after a restart, which goes through JSON. */
class MemoryState {
  text: string | undefined;
  get(): unknown {
    return this.text === undefined ? undefined : JSON.parse(this.text);
  }
  set(_key: string, value: unknown): Promise<void> {
    this.text = JSON.stringify(value);
    return Promise.resolve();
  }
}

const remember = (memory: RunMemory, run: ToolRun, kept = run.arguments) => memory.remember(run, kept);

test('the newest run is first, each tool is listed once, also in the next window', async () => {
  const state = new MemoryState();
  const memory = new RunMemory(state);
  await remember(memory, { server: 's', tool: 'a', arguments: { n: 1 } });
  await remember(memory, { server: 's', tool: 'b', arguments: {} });
  await remember(memory, { server: 's', tool: 'a', arguments: { n: 2 } });
  for (const reader of [memory, new RunMemory(state)]) {
    assert.deepEqual(
      reader.recent().map(({ tool }) => tool),
      ['a', 'b'],
    );
    assert.deepEqual(
      [reader.last()?.arguments, reader.argumentsOf('s', 'b'), reader.argumentsOf('t', 'a')],
      [{ n: 2 }, {}, undefined],
    );
  }
});

test('[S1] secrets are kept in this window and never stored', async () => {
  const state = new MemoryState();
  const memory = new RunMemory(state);
  await remember(memory, { server: 's', tool: 'a', arguments: { user: 'u', password: 'hush' } }, { user: 'u' });
  await remember(memory, { server: 's', tool: 'b', arguments: {} });
  assert.deepEqual(memory.argumentsOf('s', 'a'), { user: 'u', password: 'hush' });
  assert.ok(!state.text?.includes('hush'));
  assert.deepEqual(new RunMemory(state).argumentsOf('s', 'a'), { user: 'u' });
});

test('large values are not stored, old runs are removed, and an unreadable store counts as empty', async () => {
  const state = new MemoryState();
  const memory = new RunMemory(state);
  await remember(memory, { server: 's', tool: 'big', arguments: { text: 'x'.repeat(20_000) } });
  assert.deepEqual(new RunMemory(state).argumentsOf('s', 'big'), {});
  for (let i = 0; i < 60; i++) await remember(memory, { server: 's', tool: `t${i}`, arguments: {} });
  assert.deepEqual([memory.recent().length, new RunMemory(state).recent().length], [50, 50]);
  state.text = '[null,{"server":1},{"server":"s","tool":"a"},{"server":"s","tool":"a","arguments":{}}]';
  assert.equal(new RunMemory(state).recent().length, 1);
});
