import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AuthLock } from '../../../src/core/auth/authLock.js';
import { LocalLock } from '../../../src/core/auth/authLock.js';
import type { Clock } from '../../../src/core/base/clock.js';
import { FileLock } from '../../../src/core/auth/fileLock.js';

/** Unlike those of the system clock, these timers keep the process alive, because nothing else does here. */
const clock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
const options = { pollMs: 1, clock };

const { DECK_LOCK: sharedFolder, DECK_COUNTER: counterFile } = process.env;
if (sharedFolder !== undefined && counterFile !== undefined) {
  // When run as a child process: one of several processes that count in one file.
  const lock = new FileLock(sharedFolder, options);
  for (let i = 0; i < 20; i++) {
    await lock.run('count', async () => {
      const count = Number(readFileSync(counterFile, 'utf8'));
      await new Promise<void>((resolve) => setImmediate(resolve));
      writeFileSync(counterFile, String(count + 1));
    });
  }
  process.exit(0);
}

suite('[A13] one holder at a time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deck-lock-'));
  after(() => rmSync(folder, { recursive: true }));
  const windows: Record<string, () => AuthLock[]> = {
    'within a window': () => {
      const lock = new LocalLock();
      return [lock, lock];
    },
    'across windows': () => [
      new FileLock(join(folder, 'a', 'b'), options),
      new FileLock(join(folder, 'a', 'b'), options),
    ],
  };

  for (const [name, open] of Object.entries(windows)) {
    test(name, async () => {
      const locks = open();
      let holders = 0;
      let most = 0;
      const notes: (string | undefined)[] = [];
      await Promise.all(
        Array.from({ length: 30 }, (_unused, i) =>
          (locks[i % 2] as AuthLock).run('x', async ({ lastNote, leaveNote }) => {
            most = Math.max(most, ++holders);
            notes.push(lastNote);
            await new Promise<void>((resolve) => setImmediate(resolve));
            leaveNote(String(i));
            holders--;
          }),
        ),
      );
      assert.equal(most, 1);
      assert.equal(notes.length, 30);
      assert.equal(notes.filter((note) => note === undefined).length, 1);
      assert.equal(new Set(notes).size, 30);
    });

    test(`${name}: other names do not wait, and a failure passes the lock on`, async () => {
      const [one, two] = open() as [AuthLock, AuthLock];
      let held: Promise<void> | undefined;
      const release = await new Promise<() => void>((hasBegun) => {
        held = one.run('held', () => new Promise<void>((resolve) => hasBegun(resolve)));
      });
      assert.equal(await two.run('other', () => Promise.resolve(1)), 1);
      release();
      await held;
      await assert.rejects(
        one.run('held', () => Promise.reject(new Error('no'))),
        /no/,
      );
      assert.equal(await two.run('held', () => Promise.resolve(2)), 2);
    });
  }

  test('across processes', async () => {
    const shared = join(folder, 'processes');
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const children = [0, 1, 2].map(() =>
      fork(fileURLToPath(import.meta.url), {
        env: { ...process.env, DECK_LOCK: shared, DECK_COUNTER: counter, NODE_TEST_CONTEXT: '' },
        execArgv: [],
      }),
    );
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
    assert.deepEqual([codes, readFileSync(counter, 'utf8')], [[0, 0, 0], '60']);
  });

  test('the lock of a crashed window is taken over, and no files are left', async () => {
    const dead = join(folder, 'dead');
    const lock = new FileLock(dead, options);
    await lock.run('x', ({ leaveNote }) => Promise.resolve(leaveNote('n')));
    const note = readdirSync(dead)[0] ?? '';
    const file = join(dead, note.replace('.note', '.lock'));
    // The second time is after now: the clock was set back since then.
    for (const time of [0, Date.now() + 86_400_000]) {
      writeFileSync(file, 'another window');
      utimesSync(file, new Date(time), new Date(time));
      const others = [lock, new FileLock(dead, options), new FileLock(dead, options)];
      const runs = others.map((other, i) => other.run('x', () => Promise.resolve(i)));
      assert.deepEqual(await Promise.all(runs), [0, 1, 2]);
      assert.deepEqual(readdirSync(dead), [note]);
    }
  });
});
