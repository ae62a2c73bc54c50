import type { Clock } from '../../src/core/base/clock.js';
import { systemClock } from '../../src/core/base/clock.js';

/** The system's clock, `factor` times as fast: for pauses of minutes that a test only waits out. */
export function fastClock(factor: number): Clock {
  return { now: () => systemClock.now() * factor, after: (ms, callback) => systemClock.after(ms / factor, callback) };
}
