import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/** How often to look at the wall clock, and how large a jump means that the machine slept. Milliseconds. */
const tickMs = 10_000;
const jumpMs = 30_000;

/**
 * Calls `onWake` after the machine slept: timers stand still then, so a tick that comes much later than asked for tells.
 * Sockets may be dead by then without anyone having said so.
 */
export function watchSleep(clock: Clock, wallClock: () => number, onWake: () => void): Disposable {
  let last = wallClock();
  let timer: Disposable;
  const tick = () => {
    const now = wallClock();
    const slept = now - last > tickMs + jumpMs;
    last = now;
    timer = clock.after(tickMs, tick);
    if (slept) onWake();
  };
  timer = clock.after(tickMs, tick);
  return { dispose: () => timer.dispose() };
}
