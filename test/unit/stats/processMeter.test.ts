import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ProcessMeter, compare } from '../../../src/core/stats/processMeter.js';
import type { ProcessUsage } from '../../../src/core/transport/stdio/processUsage.js';
import { onlyPosix } from '../../support/platform.js';

const usage = (pid: number, parent: number, cpuMs: number, memoryBytes = 1_000, startedAt = 'now'): ProcessUsage => ({
  pid,
  parent,
  group: 0,
  startedAt,
  name: `p${pid}`,
  cpuMs,
  memoryBytes,
});

describe('between two samples', () => {
  test('each process has used the growth of its CPU time, a new one all of it', () => {
    const before = [usage(1, 0, 1_000), usage(2, 1, 500)];
    const after = [usage(1, 0, 1_500), usage(2, 1, 500), usage(3, 2, 250, 4_000)];
    assert.deepEqual(compare(before, after, 1_000), {
      processes: [
        { pid: 1, name: 'p1', depth: 0, cpu: 0.5, memoryBytes: 1_000 },
        { pid: 2, name: 'p2', depth: 1, cpu: 0, memoryBytes: 1_000 },
        { pid: 3, name: 'p3', depth: 2, cpu: 0.25, memoryBytes: 4_000 },
      ],
      cpu: 0.75,
      memoryBytes: 6_000,
    });
  });

  test('a reused pid starts at zero', () => {
    assert.equal(compare([usage(1, 0, 9_000, 0, 'before')], [usage(1, 0, 100, 0, 'later')], 1_000).cpu, 0.1);
  });

  test('the first sample has only memory', () => {
    const { cpu, memoryBytes, processes } = compare(undefined, [usage(1, 0, 9_000)], 0);
    assert.deepEqual([cpu, memoryBytes, processes[0]?.cpu], [undefined, 1_000, undefined]);
  });

  test('every process is listed once, below its parent, for any parent ids', () => {
    const tree = fc
      .uniqueArray(fc.nat(30), { minLength: 1 })
      .chain((pids) =>
        fc.tuple(
          ...pids.map((pid, index) =>
            fc
              .integer({ min: -1, max: index - 1 })
              .map((parent) => usage(pid, parent < 0 ? 99 : (pids[parent] ?? 99), 0)),
          ),
        ),
      );
    fc.assert(
      fc.property(tree, (processes) => {
        const shown = compare(undefined, processes, 0).processes;
        assert.deepEqual(shown.map(({ pid }) => pid).sort(), processes.map(({ pid }) => pid).sort());
        for (const [index, { pid, depth }] of shown.entries()) {
          const parent = processes.find((process) => process.pid === pid)?.parent;
          const above = shown.slice(0, index).findLast((one) => one.depth === depth - 1);
          assert.equal(depth === 0 ? 99 : above?.pid, parent);
        }
      }),
    );
  });

  test('concurrent samples are one sample', async () => {
    let looks = 0;
    const meter = new ProcessMeter(1, () => {
      looks++;
      return Promise.resolve([usage(1, 0, 0)]);
    });
    const [one, other] = await Promise.all([meter.sample(), meter.sample()]);
    assert.deepEqual([looks, one], [1, other]);
  });
});

test(
  'a child that uses CPU and memory is reported with both, below the process that started it',
  onlyPosix('it ends a process group'),
  async () => {
    const busy = "const held = Buffer.alloc(96e6, 1); process.send?.(0); console.log('busy'); for (;;) held[0]++;";
    const script = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(busy)}], { stdio: ['ignore', 'inherit', 'ignore'] }); setInterval(() => undefined, 1000);`;
    const leader = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = once(leader, 'exit');
    const { pid } = leader;
    assert.ok(pid !== undefined);
    try {
      await once(leader.stdout, 'data');
      const meter = new ProcessMeter(pid);
      await meter.sample();
      for (;;) {
        const { processes, cpu = 0, memoryBytes } = await meter.sample();
        const [first, second] = processes;
        assert.deepEqual([first?.pid, first?.depth, second?.depth, processes.length], [pid, 0, 1, 2]);
        if ((second?.cpu ?? 0) > 0.02 && (second?.memoryBytes ?? 0) > 90e6) {
          assert.ok(cpu >= (second?.cpu ?? 0) && memoryBytes > 90e6);
          assert.match(second?.name ?? '', /node|MainThread/i);
          break;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      process.kill(-pid, 'SIGKILL');
      await exited;
    }
    // The child may take a moment longer.
    while ((await new ProcessMeter(pid).sample()).processes.length > 0)
      await new Promise((resolve) => setImmediate(resolve));
  },
);
