import type { Clock } from '../../src/core/base/clock.js';
import { systemClock } from '../../src/core/base/clock.js';

/** Real timers; the test moves the time of day and the monotonic time. */
export interface SteppedTime {
  /** Milliseconds since the epoch. */
  now: () => number;
  clock: Clock;
  pass: (seconds: number) => void;
}

export function steppedTime(): SteppedTime {
  let ms = Date.now();
  const now = () => ms;
  return {
    now,
    clock: { now, after: (delayMs, callback) => systemClock.after(delayMs, callback) },
    pass: (seconds) => void (ms += seconds * 1000),
  };
}
