/**
 * A lock across windows, with files in one folder: `<name>.lock` exists while the lock is held, `<name>.note` keeps the
 * last note. Exclusive creation of a file is atomic on every platform. A lock file older than `staleMs` belongs to a
 * window that has crashed. The waiting windows try to rename it, and only one of them succeeds.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { delay, systemClock } from '../base/clock.js';
import { storageProblem } from '../base/storageFailure.js';
import type { AuthLock, LockTurn } from './authLock.js';
import { LocalLock } from './authLock.js';

export interface FileLockOptions {
  /** Maximum time that a holder may keep the lock, ms; default 60,000. */
  staleMs?: number;
  /** Interval between checks of the lock file, ms; default 50. */
  pollMs?: number;
  clock?: Clock;
}

export class FileLock implements AuthLock {
  // Callers within this window wait for each other here, without checks of the lock file.
  private readonly local = new LocalLock();

  /** @param folder shared by all windows of the user; created when needed. */
  constructor(
    private readonly folder: string,
    private readonly options: FileLockOptions = {},
  ) {}

  run<T>(name: string, work: (turn: LockTurn) => Promise<T>): Promise<T> {
    return this.local.run(name, async () => {
      const path = join(this.folder, createHash('sha256').update(name).digest('hex').slice(0, 32));
      const release = await this.acquire(`${path}.lock`).catch((error: unknown) => {
        // A sign-in must work even on a disk that cannot store lock files. The lock then applies only within this
        // window.
        if (!storageProblem(error)) throw error;
        return () => Promise.resolve();
      });
      let note: string | undefined;
      try {
        const lastNote = await readFile(`${path}.note`, 'utf8').catch(() => undefined);
        return await work({ lastNote, leaveNote: (text) => (note = text) });
      } finally {
        // A failure to write the note is ignored: `work` is done, and without the note, the next holder only waits for
        // a short time.
        if (note !== undefined) await writeFile(`${path}.note`, note, { mode: 0o600 }).catch(() => undefined);
        await release();
      }
    });
  }

  private async acquire(path: string): Promise<() => Promise<void>> {
    const { staleMs = 60_000, pollMs = 50, clock = systemClock } = this.options;
    const owner = randomUUID();
    const since = clock.now();
    await mkdir(this.folder, { recursive: true });
    for (;;) {
      try {
        const file = await open(path, 'wx', 0o600);
        await file.writeFile(owner).finally(() => file.close());
        return async () => {
          // A holder that took longer than `staleMs` has lost the lock to another one, whose file must not be removed.
          if ((await readFile(path, 'utf8').catch(() => '')) === owner) await rm(path, { force: true });
        };
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        // On Windows, a file that is being removed cannot be created yet.
        if (code !== 'EEXIST' && ((code !== 'EPERM' && code !== 'EBUSY') || clock.now() - since > staleMs)) throw error;
      }
      const age = await stat(path).then(
        // If the clock was set back, the modification time is in the future. Then the difference counts as the age.
        ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
        () => 0,
      );
      if (age > staleMs) {
        const aside = `${path}.${randomUUID()}`;
        // An error means that another window has renamed the file first, so it is ignored.
        await rename(path, aside)
          .then(() => rm(aside, { force: true }))
          .catch(() => undefined);
      } else await delay(clock, pollMs);
    }
  }
}
