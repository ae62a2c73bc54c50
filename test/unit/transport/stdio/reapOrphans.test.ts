import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { reapOrphans } from '../../../../src/core/transport/stdio/processRecords.js';
import { listProcesses, startTimeOf } from '../../../../src/core/transport/stdio/processTree.js';
import { onlyPosix } from '../../../support/platform.js';
import { ProcessRecords, remainsOf } from '../../../../src/core/transport/stdio/processRecords.js';

const odd = path.resolve('test/fixtures/servers/odd.mjs');
const deadOwner = { pid: 2 ** 22 + 1, startedAt: '1' };

/**
 * Processes as a crashed window would have left them: a wrapper in its own group, and the grandchild that it started.
 */
async function startWrapper(): Promise<{ wrapper: ChildProcess; pid: number; startedAt: string; grandchild: number }> {
  const wrapper = spawn(process.execPath, [odd, 'grandchild'], { detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  const [line] = (await once(createInterface(wrapper.stderr), 'line')) as [string];
  const pid = wrapper.pid ?? 0;
  return { wrapper, pid, startedAt: (await startTimeOf(pid)) ?? '', grandchild: Number(line.split(' ')[1]) };
}

/** Resolves when the process has ended; the timeout of the test is the limit. */
async function gone(pid: number): Promise<void> {
  while (await runs(pid)) await new Promise((resolve) => setImmediate(resolve));
}

const runs = async (pid: number) => (await listProcesses()).some((info) => info.pid === pid);

describe('[P7] processes of a killed window are ended by the next', onlyPosix('there are no process groups'), () => {
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

  test('with all their child processes', async () => {
    note([{ pid: left.pid, startedAt: left.startedAt, server: 'wrapped' }]);
    assert.deepEqual(
      (await reapOrphans(folder)).map(({ server }) => server),
      ['wrapped'],
    );
    await Promise.all([gone(left.pid), gone(left.grandchild)]);
    assert.equal(existsSync(file), false);
  });

  test('also when the wrapper ended with its window and only its children are left', async () => {
    const records = new ProcessRecords(folder);
    records.add(left.pid, 'wrapped');
    await records.look(left.pid);
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.json'));
    const { children } = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as {
      children: { members: { pid: number }[] }[];
    };
    assert.deepEqual(
      children[0]?.members.map(({ pid }) => pid),
      [left.grandchild],
    );
    records.remove(left.pid);
    records.dispose();
    note([{ ...children[0], startedAt: left.startedAt }]);
    left.wrapper.stdin?.end();
    await once(left.wrapper, 'exit');
    assert.equal(await runs(left.grandchild), true);
    assert.deepEqual(
      (await reapOrphans(folder)).map(({ server }) => server),
      ['wrapped'],
    );
    await gone(left.grandchild);
  });

  test('but not a group of another program whose leader had the same pid and has also ended', async () => {
    note([
      {
        pid: left.pid,
        startedAt: 'before',
        server: 'wrapped',
        members: [{ pid: left.grandchild, startedAt: 'before' }],
      },
    ]);
    left.wrapper.stdin?.end();
    await once(left.wrapper, 'exit');
    assert.deepEqual(await reapOrphans(folder), []);
    assert.deepEqual([await runs(left.grandchild), existsSync(file)], [true, false]);
  });

  test('but no other process with a reused pid, or its group', async () => {
    note([{ pid: left.pid, startedAt: 'another time', server: 'wrapped' }]);
    assert.deepEqual(await reapOrphans(folder), []);
    assert.deepEqual([await runs(left.pid), await runs(left.grandchild), existsSync(file)], [true, true, false]);
  });

  test('but no record of a living window, even if the clock was set forward after it was written', async () => {
    const owner = { pid: process.pid, startedAt: await startTimeOf(process.pid) };
    writeFileSync(file, JSON.stringify({ owner, children: [] }));
    utimesSync(file, new Date(0), new Date(0));
    await reapOrphans(folder);
    assert.ok(existsSync(file));
  });

  test('but no process recorded before the last boot', async () => {
    note([{ pid: left.pid, startedAt: left.startedAt, server: 'wrapped' }]);
    const before = Date.now() / 1_000 - os.uptime() - 60;
    utimesSync(file, before, before);
    assert.deepEqual(await reapOrphans(folder), []);
    assert.deepEqual([await runs(left.pid), await runs(left.grandchild), existsSync(file)], [true, true, false]);
  });
});

describe('[P7] the remains of a recorded process are', () => {
  const info = (pid: number, parent: number, group: number, startedAt = 'now') => ({ pid, parent, group, startedAt });
  const members = [
    { pid: 11, startedAt: 'now' },
    { pid: 12, startedAt: 'now' },
  ];
  const remains = (processes: ReturnType<typeof info>[]) =>
    remainsOf({ pid: 10, startedAt: 'now', server: 's', members }, processes).map(({ pid }) => pid);
  const cases: { name: string; processes: ReturnType<typeof info>[]; left: number[] }[] = [
    {
      name: 'the whole tree while it still runs',
      processes: [info(10, 1, 10), info(11, 10, 10), info(13, 10, 10), info(20, 1, 20)],
      left: [10, 11, 13],
    },
    {
      name: 'its whole group while a recorded process is in it',
      processes: [info(11, 1, 10), info(13, 1, 10)],
      left: [11, 13],
    },
    {
      name: 'a recorded process that left the group, and not a group with the same id',
      processes: [info(12, 1, 12), info(14, 12, 12), info(13, 1, 10)],
      left: [12, 14],
    },
    {
      name: 'nothing if only the ids are the same',
      processes: [info(11, 1, 10, 'later'), info(12, 1, 10, 'later')],
      left: [],
    },
    {
      name: 'nothing if another program has its pid',
      processes: [info(10, 1, 10, 'later'), info(13, 10, 10, 'later')],
      left: [],
    },
  ];
  for (const { name, processes, left } of cases)
    test(name, () => assert.deepEqual(remains(processes).toSorted(), left));
});
