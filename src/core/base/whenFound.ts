import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import type { Event } from './event.js';

/** Time limit, ms: a host reads a written file again within this time. */
const readWithinMs = 10_000;

/**
 * The first result of `find` that is defined: at once, or after one of the changes. Undefined after 10 s. Used after a
 * file was written, until the host has read it.
 */
export function whenFound<T>(
  onDidChange: Event<unknown>,
  find: () => T | undefined,
  clock: Clock = systemClock,
): Promise<T | undefined> {
  const there = find();
  if (there !== undefined) return Promise.resolve(there);
  return new Promise((resolve) => {
    const end = (result: T | undefined) => {
      timer.dispose();
      listener.dispose();
      resolve(result);
    };
    const timer = clock.after(readWithinMs, () => end(undefined));
    const listener = onDidChange(() => {
      const now = find();
      if (now !== undefined) end(now);
    });
  });
}
