/** How waiting times grow between tries. All times in milliseconds. */
export interface BackoffOptions {
  /** First wait; default 1,000. */
  initialMs?: number;
  /** Longest wait; default 30,000. */
  maxMs?: number;
  /** Growth per failed try; default 2. */
  factor?: number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  random?: () => number;
}

/**
 * Exponential waiting times with jitter: each is drawn from the upper half of its step, so that many clients do not
 * return together.
 */
export class Backoff {
  private step = 0;

  constructor(private readonly options: BackoffOptions = {}) {}

  /** Failed tries since the last `reset`. */
  get attempts(): number {
    return this.step;
  }

  /** The next wait in milliseconds. */
  nextMs(): number {
    const { initialMs = 1_000, maxMs = 30_000, factor = 2, random = Math.random } = this.options;
    const full = Math.min(maxMs, initialMs * factor ** this.step++);
    return Math.round(full / 2 + (random() * full) / 2);
  }

  /** To be called after real success, not after a connection that was only accepted. */
  reset(): void {
    this.step = 0;
  }
}
