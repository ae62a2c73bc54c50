import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.js';
import { untilAborted, withTimeLimit } from './withTimeLimit.js';

/**
 * The time budget for the preparation of a start: time for reading files, stores and the login shell counts, but time
 * for questions to the user does not. An aborted signal ends every step at once.
 */
export class StartTimeBudget {
  private usedMs = 0;
  private active = 0;
  private since = 0;

  /** @param onQuestion called when the user is asked, and again with false after the answer. */
  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    private readonly signal: AbortSignal | undefined,
    private readonly onQuestion?: (isAsking: boolean) => void,
  ) {
    // Many files are read in parallel, each with its own listener; Node would warn about more than 10.
    if (signal) setMaxListeners(0, signal);
  }

  /** Waits for a step. @param onLimit creates the error when the time is over. */
  async step<T>(work: () => PromiseLike<T>, onLimit: (waitedMs: number) => Error): Promise<T> {
    this.signal?.throwIfAborted();
    if (this.active++ === 0) this.since = this.clock.now();
    try {
      return await withTimeLimit(
        work(),
        Math.max(0, this.limitMs - this.usedMs),
        () => onLimit(this.limitMs),
        this.clock,
        this.signal,
      );
    } finally {
      if (--this.active === 0) this.usedMs += this.clock.now() - this.since;
    }
  }

  /** Waits for work without a time limit, because it has steps of its own and can wait for other starts. */
  steps<T>(work: () => PromiseLike<T>): Promise<T> {
    return untilAborted(work(), this.signal);
  }

  /** Waits for the user without a time limit. */
  async question<T>(ask: () => PromiseLike<T>): Promise<T> {
    this.signal?.throwIfAborted();
    this.onQuestion?.(true);
    try {
      return await untilAborted(ask(), this.signal);
    } finally {
      this.onQuestion?.(false);
    }
  }
}
