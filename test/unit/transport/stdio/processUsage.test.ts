import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ProcessInfo } from '../../../../src/core/transport/stdio/processTree.js';
import {
  parseLinuxUsage,
  parsePsUsage,
  parseWindowsUsage,
  treeUsage,
} from '../../../../src/core/transport/stdio/processUsage.js';
import { onlyLinux } from '../../../support/platform.js';

test('the name of a program is shown, not that of its first thread', onlyLinux('it reads /proc'), async () => {
  const script = "process.title = 'MainThread'; console.log('ready'); setInterval(() => {}, 1e6);";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    const [usage] = await treeUsage(child.pid ?? 0, []);
    assert.equal(usage?.name, path.basename(realpathSync(process.execPath)));
  } finally {
    child.kill('SIGKILL');
  }
});

describe('Linux reports', () => {
  const info: ProcessInfo = { pid: 812, parent: 1, group: 812, startedAt: '5123' };
  const stat = (name: string, state = 'S', startedAt = '5123') =>
    `812 (${name}) ${state} 1 812 812 0 -1 4194304 9 0 0 0 150 25 0 0 20 0 11 0 ${startedAt} 1090519040 12000 18446744073709551615`;
  const status = 'Name:\tnode\nVmPeak:\t 1064960 kB\nVmRSS:\t   48000 kB\nThreads:\t11\n';

  test('time in ticks and memory in kB', () => {
    assert.deepEqual(parseLinuxUsage(info, stat('node'), status), {
      ...info,
      name: 'node',
      cpuMs: 1_750,
      memoryBytes: 48_000 * 1_024,
    });
  });

  test('a name that looks like the rest of the line', () => {
    for (const name of ['a) S 1 (b', ') Z 0 0 0', '((', ''])
      assert.deepEqual(
        [parseLinuxUsage(info, stat(name), status)?.name, parseLinuxUsage(info, stat(name), status)?.cpuMs],
        [name, 1_750],
      );
    assert.equal(parseLinuxUsage(info, stat(Buffer.from('dæmon', 'utf8').toString('latin1')), status)?.name, 'dæmon');
  });

  test('nothing for a zombie, for a process that has been replaced, and for other text', () => {
    assert.equal(parseLinuxUsage(info, stat('node', 'Z'), status), undefined);
    assert.equal(parseLinuxUsage(info, stat('node', 'S', '9999'), status), undefined);
    fc.assert(fc.property(fc.string(), fc.string(), (one, other) => parseLinuxUsage(info, one, other) === undefined));
  });

  test('no memory for a process without memory of its own', () => {
    assert.equal(parseLinuxUsage(info, stat('kworker'), 'Name:\tkworker\n')?.memoryBytes, 0);
  });
});

describe('macOS reports in lines of ps', () => {
  const text = [
    '    1     0     1 Ss    14336   2:03.44 Sat Nov  1 09:00:01 2025     /sbin/launchd',
    '  501     1   501 S+    48000   0:01.75 Sat Nov 21 10:11:12 2025     /usr/local/bin/node',
    '  502   501   501 R    102400 125:30.50 Sat Nov 21 10:11:13 2025     /Applications/My Tool.app/Contents/MacOS/My Tool',
    '  503   501   501 Z         0   0:00.00 Sat Nov 21 10:11:13 2025     (node)',
    '',
  ].join('\n');

  test('pid, parent, group, start, program, time and memory; zombies are omitted', () => {
    assert.deepEqual(parsePsUsage(text), [
      {
        pid: 1,
        parent: 0,
        group: 1,
        startedAt: 'Sat Nov  1 09:00:01 2025',
        name: 'launchd',
        cpuMs: 123_440,
        memoryBytes: 14_336 * 1_024,
      },
      {
        pid: 501,
        parent: 1,
        group: 501,
        startedAt: 'Sat Nov 21 10:11:12 2025',
        name: 'node',
        cpuMs: 1_750,
        memoryBytes: 48_000 * 1_024,
      },
      {
        pid: 502,
        parent: 501,
        group: 501,
        startedAt: 'Sat Nov 21 10:11:13 2025',
        name: 'My Tool',
        cpuMs: 7_530_500,
        memoryBytes: 102_400 * 1_024,
      },
    ]);
  });

  test('times of long runs, and in locales with a decimal comma', () => {
    const time = (written: string) => parsePsUsage(`7 1 7 S 1 ${written} Sat Nov 21 10:11:12 2025 x`)[0]?.cpuMs;
    assert.deepEqual(
      [time('00:00:07'), time('2-03:04:05'), time('0:01,25')],
      [7_000, ((2 * 24 + 3) * 3_600 + 4 * 60 + 5) * 1_000, 1_250],
    );
    assert.equal(time('soon'), undefined);
  });

  test('other lines are skipped', () => {
    fc.assert(fc.property(fc.string(), (line) => parsePsUsage(line).length === 0));
  });
});

describe('Windows reports in JSON', () => {
  const row = {
    pid: 4312,
    parent: 900,
    name: 'node.exe',
    memory: 50_331_648,
    time: 17_500_000,
    start: '133769012345678900',
  };
  const expected = {
    pid: 4312,
    parent: 900,
    group: 0,
    startedAt: '133769012345678900',
    name: 'node.exe',
    cpuMs: 1_750,
    memoryBytes: 50_331_648,
  };

  test('a list, and a single process as an object', () => {
    assert.deepEqual(parseWindowsUsage(JSON.stringify([row, { ...row, pid: 1 }])), [expected, { ...expected, pid: 1 }]);
    assert.deepEqual(parseWindowsUsage(JSON.stringify(row)), [expected]);
  });

  test("the system's own, without a start, and incomplete rows are omitted", () => {
    const bad = [
      { ...row, start: '' },
      { ...row, pid: null },
      { ...row, name: 3 },
      { ...row, time: '1' },
      { ...row, memory: undefined },
      null,
      7,
      'x',
      [],
    ];
    assert.deepEqual(parseWindowsUsage(JSON.stringify(bad)), []);
  });

  test('nothing for other output of PowerShell', () => {
    for (const text of ['', 'Get-CimInstance : Access denied', '[', 'null'])
      assert.deepEqual(parseWindowsUsage(text), []);
  });
});
