import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { reapOrphans } from '../../../../src/core/transport/stdio/processRecords.js';
import { listProcesses, startTimeOf } from '../../../../src/core/transport/stdio/processTree.js';
import { onlyPosix } from '../../../support/platform.js';

const odd = path.resolve('test/fixtures/servers/odd.mjs');
const deadOwner = { pid: 2 ** 22 + 1, startedAt: '1' };

/** A process as a dead window would have left it: a wrapper in a group of its own, and the grandchild that it started. */
async function startWrapper(): Promise<{ wrapper: ChildProcess; pid: number; startedAt: string; grandchild: number }> {
  const wrapper = spawn(process.execPath, [odd, 'grandchild'], { detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  const [line] = (await once(createInterface(wrapper.stderr), 'line')) as [string];
  const pid = wrapper.pid ?? 0;
  return { wrapper, pid, startedAt: (await startTimeOf(pid)) ?? '', grandchild: Number(line.split(' ')[1]) };
}

/** Resolves when the process is gone; the test's own time-out is the limit. */
async function gone(pid: number): Promise<void> {
  while (await runs(pid)) await new Promise((resolve) => setImmediate(resolve));
}

const runs = async (pid: number) => (await listProcesses()).some((info) => info.pid === pid);

describe('[P7] what a killed window left behind is ended by the next', onlyPosix('there are no process groups'), () => {
  let folder: string;
  let file: string;
  let left: Awaited<ReturnType<typeof startWrapper>>;
  const note = (children: object[]) => writeFileSync(file, JSON.stringify({ owner: deadOwner, children }));

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-records-'));
    file = path.join(folder, 'dead.json');
    left = await startWrapper();
  });
  afterEach(async () => {
    left.wrapper.kill('SIGKILL');
    if (await runs(left.grandchild)) process.kill(left.grandchild, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('with all that it started', async () => {
    note([{ pid: left.pid, startedAt: left.startedAt, server: 'wrapped' }]);
    assert.deepEqual((await reapOrphans(folder)).map(({ server }) => server), ['wrapped']);
    await Promise.all([gone(left.pid), gone(left.grandchild)]);
    assert.equal(existsSync(file), false);
  });

  test('also when the wrapper itself ended with its window and only its children are left', async () => {
    note([{ pid: left.pid, startedAt: left.startedAt, server: 'wrapped' }]);
    left.wrapper.stdin?.end();
    await once(left.wrapper, 'exit');
    assert.equal(await runs(left.grandchild), true);
    assert.deepEqual((await reapOrphans(folder)).map(({ server }) => server), ['wrapped']);
    await gone(left.grandchild);
  });

  test('but no stranger that has the pid now, nor its group', async () => {
    note([{ pid: left.pid, startedAt: 'another time', server: 'wrapped' }]);
    assert.deepEqual(await reapOrphans(folder), []);
    assert.deepEqual([await runs(left.pid), await runs(left.grandchild), existsSync(file)], [true, true, false]);
  });

  test('and nothing that was noted before the system was started', async () => {
    note([{ pid: left.pid, startedAt: left.startedAt, server: 'wrapped' }]);
    const before = Date.now() / 1_000 - os.uptime() - 60;
    utimesSync(file, before, before);
    assert.deepEqual(await reapOrphans(folder), []);
    assert.deepEqual([await runs(left.pid), await runs(left.grandchild), existsSync(file)], [true, true, false]);
  });
});
