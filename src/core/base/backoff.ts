/** Delays between attempts. All times are in ms. */
export interface BackoffOptions {
  /** First delay; default 1,000. */
  initialMs?: number;
  /** Longest delay; default 30,000. */
  maxMs?: number;
  /** Factor by which the delay grows after each failed attempt; default 2. */
  factor?: number;
  /** Returns random numbers in [0, 1); default `Math.random`. */
  random?: () => number;
}

/**
 * Exponential delays with jitter: each is drawn from the upper half of its step, so that many clients do not reconnect
 * together.
 */
export class Backoff {
  private step = 0;

  constructor(private readonly options: BackoffOptions = {}) {}

  /** Number of failed attempts since the last `reset`. */
  get attempts(): number {
    return this.step;
  }

  /** The next delay, ms. */
  nextMs(): number {
    const { initialMs = 1_000, maxMs = 30_000, factor = 2, random = Math.random } = this.options;
    const full = Math.min(maxMs, initialMs * factor ** this.step++);
    return Math.round(full / 2 + (random() * full) / 2);
  }

  /**
   * Starts again with the first delay. Call it only after an attempt has truly succeeded: a connection that was merely
   * accepted is not a success.
   */
  reset(): void {
    this.step = 0;
  }
}
