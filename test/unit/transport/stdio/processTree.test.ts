import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { ProcessInfo } from '../../../../src/core/transport/stdio/processTree.js';
import {
  isAlive,
  isGroupAlive,
  killTree,
  listProcesses,
  startTimeOf,
  treeOf,
} from '../../../../src/core/transport/stdio/processTree.js';
import { onlyPosix } from '../../../support/platform.js';

const info = (pid: number, parent: number, group: number, startedAt = 'now'): ProcessInfo => ({
  pid,
  parent,
  group,
  startedAt,
});
const pids = (tree: ProcessInfo[]) => tree.map(({ pid }) => pid).sort((a, b) => a - b);

describe('[P6] a tree is', () => {
  const running = [info(10, 1, 10), info(11, 10, 10), info(12, 11, 12), info(13, 1, 10), info(20, 1, 20)];

  test('its leader, its descendants, and orphans in its group', () => {
    assert.deepEqual(pids(treeOf(10, false, [], running)), [10, 11, 12, 13]);
  });

  test('the remaining processes when the leader has ended, and those that they started since', () => {
    const known = [info(12, 11, 12), info(14, 11, 14)];
    const later = [info(12, 1, 12), info(15, 12, 15), info(13, 1, 10), info(20, 1, 20)];
    assert.deepEqual(pids(treeOf(10, true, known, later)), [12, 13, 15]);
  });

  test('never another process with a reused pid', () => {
    const known = [info(10, 1, 10, 'before'), info(12, 11, 12, 'before')];
    assert.deepEqual(pids(treeOf(10, true, known, [info(10, 1, 10), info(11, 10, 10), info(12, 1, 12)])), []);
  });
});

/** Runs a shell script in its own process group until the test is over. */
async function shell(
  script: string,
  check: (child: ChildProcess & { pid: number }, firstLine: string) => Promise<void>,
): Promise<void> {
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    await check(child as ChildProcess & { pid: number }, String(line).trim());
  } finally {
    if (child.pid !== undefined && isAlive(-child.pid)) process.kill(-child.pid, 'SIGKILL');
    await exited;
  }
}

test('[P6] a group of zombies is not alive', onlyPosix('there are no process groups'), async () => {
  // With -m a job has its own group; the program that the shell becomes never waits for it.
  await shell('set -m; sleep 0 & echo $!; exec sleep 1000', async (_child, line) => {
    const group = Number(line);
    while ((await startTimeOf(group)) !== undefined) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([isAlive(-group), await isGroupAlive(group)], [true, false]);
  });
});

test('[P6] killing a tree also ends its orphans', onlyPosix('there are no process groups'), async () => {
  await shell('(sleep 1000 & echo $!); exec sleep 1000', async ({ pid }, line) => {
    const orphan = Number(line);
    await killTree(pid, treeOf(pid, false, [], await listProcesses()));
    while (await isGroupAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await startTimeOf(orphan), undefined);
  });
});

test(
  'the process list is the same with ps, which other systems have instead of /proc',
  onlyPosix('there are no process groups'),
  async () => {
    await shell('sleep 1000 & echo $!; wait', async ({ pid }) => {
      const shape = (processes: ProcessInfo[]) =>
        treeOf(pid, false, [], processes).map(({ startedAt, ...rest }) => ({ ...rest, hasStart: startedAt !== '' }));
      const tree = shape(await listProcesses('darwin'));
      assert.deepEqual([tree.length, tree], [2, shape(await listProcesses('linux'))]);
    });
  },
);
