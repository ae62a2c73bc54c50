import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/** The interval between checks of the wall clock, and the minimum delay of a check that indicates sleep. Both in ms. */
const tickMs = 10_000;
const jumpMs = 30_000;

/**
 * Calls `onWake` after the computer was asleep. Timers stop during sleep, so a late tick indicates sleep. Connections
 * may have been lost in the meantime without an error.
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
