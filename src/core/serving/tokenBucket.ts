import type { Clock } from '../base/clock.js';

/** Limits the rate of an event: `burst` events at once, and `perSecond` events per second after that. */
export class TokenBucket {
  private left: number;
  private at: number;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
    private readonly burst: number = perSecond,
  ) {
    this.left = burst;
    this.at = clock.now();
  }

  /** Counts one event. @returns undefined if it is within the limit; otherwise the seconds to wait, at least 1. */
  take(): number | undefined {
    const wait = this.wait();
    if (wait === undefined) this.left--;
    return wait;
  }

  /** Like `take`, without counting an event. */
  wait(): number | undefined {
    const now = this.clock.now();
    this.left = Math.min(this.burst, this.left + ((now - this.at) / 1_000) * this.perSecond);
    this.at = now;
    return this.left >= 1 ? undefined : Math.max(1, Math.ceil((1 - this.left) / this.perSecond));
  }
}
