/**
 * A lock across windows by files in one folder: `<name>.lock` exists while somebody holds the lock, `<name>.note` keeps
 * the last note. Creating a file exclusively is atomic on every platform. A lock that is older than `staleMs` belonged to
 * a window that died: it is renamed away, which only one of the waiting windows can do.
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
  /** How long a holder may take at most, milliseconds; default 60,000. */
  staleMs?: number;
  /** Wait between two looks, milliseconds; default 50. */
  pollMs?: number;
  clock?: Clock;
}

export class FileLock implements AuthLock {
  // Within the window nobody has to look at files to wait.
  private readonly local = new LocalLock();

  /** @param folder shared by all windows of the user; made when needed. */
  constructor(
    private readonly folder: string,
    private readonly options: FileLockOptions = {},
  ) {}

  run<T>(name: string, work: (turn: LockTurn) => Promise<T>): Promise<T> {
    return this.local.run(name, async () => {
      const path = join(this.folder, createHash('sha256').update(name).digest('hex').slice(0, 32));
      const release = await this.acquire(`${path}.lock`).catch((error: unknown) => {
        // A disk that takes no lock must not keep anybody from signing in; within this window the lock holds all the
        // same.
        if (!storageProblem(error)) throw error;
        return () => Promise.resolve();
      });
      let note: string | undefined;
      try {
        const lastNote = await readFile(`${path}.note`, 'utf8').catch(() => undefined);
        return await work({ lastNote, leaveNote: (text) => (note = text) });
      } finally {
        // A lost note costs a short wait at most; the work itself is done.
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
          // Whoever took longer than `staleMs` has lost the lock to somebody else, whose file must stay.
          if ((await readFile(path, 'utf8').catch(() => '')) === owner) await rm(path, { force: true });
        };
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        // On Windows a file that is just being removed cannot be created yet.
        if (code !== 'EEXIST' && ((code !== 'EPERM' && code !== 'EBUSY') || clock.now() - since > staleMs)) throw error;
      }
      const age = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > staleMs) {
        const aside = `${path}.${randomUUID()}`;
        // Somebody else may have been quicker; then there is nothing left to rename.
        await rename(path, aside)
          .then(() => rm(aside, { force: true }))
          .catch(() => undefined);
      } else await delay(clock, pollMs);
    }
  }
}
