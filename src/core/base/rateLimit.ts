import type { Clock } from './clock.js';

/** Allows a number of calls per interval; the others are dropped, and their number is reported in the next interval. */
export class RateLimit {
  private windowStart = -Infinity;
  private count = 0;
  private dropped = 0;

  constructor(
    private readonly clock: Clock,
    private readonly limit: number,
    private readonly intervalMs: number,
  ) {}

  /** Calls `pass`, or counts the call as dropped; `tellDropped` receives the count once the next interval begins. */
  run(pass: () => void, tellDropped: (dropped: number) => void): void {
    const now = this.clock.now();
    if (now - this.windowStart > this.intervalMs) {
      this.windowStart = now;
      this.count = 0;
      if (this.dropped > 0) tellDropped(this.dropped);
      this.dropped = 0;
    }
    if (this.count++ < this.limit) pass();
    else this.dropped++;
  }
}
