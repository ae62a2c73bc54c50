import type { Clock } from './clock.js';
import { HostError } from './hostError.js';

/**
 * Settles like `work`, but rejects with `onLimit()` after `limitMs`, or with the signal's reason if the signal is
 * aborted first.
 */
export function within<T>(
  work: PromiseLike<T>,
  limitMs: number,
  onLimit: () => Error,
  clock: Clock,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      timer.dispose();
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = () => {
      finish();
      reject(reasonOf(signal));
    };
    const timer = clock.after(limitMs, () => {
      finish();
      reject(onLimit());
    });
    if (signal?.aborted === true) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        finish();
        resolve(value);
      },
      (error: unknown) => {
        finish();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new HostError('cancelled', 'Canceled.');
}

/**
 * The time budget for the preparation of a start: reading files, stores and the login shell counts, waiting for the
 * user does not. Every step ends at once when the signal is aborted.
 */
export class StartTime {
  private usedMs = 0;
  private active = 0;
  private since = 0;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Waits for a step. @param onLimit creates the error when the time is over. */
  async step<T>(work: () => PromiseLike<T>, onLimit: (waitedMs: number) => Error): Promise<T> {
    this.signal?.throwIfAborted();
    if (this.active++ === 0) this.since = this.clock.now();
    try {
      return await within(
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

  /** Waits for the user without a time limit. */
  question<T>(ask: () => PromiseLike<T>): Promise<T> {
    this.signal?.throwIfAborted();
    return untilAborted(ask(), this.signal);
  }
}

/** Settles like `work`, but rejects with the signal's reason if the signal is aborted first. */
function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(reasonOf(signal));
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).then(
      () => signal.removeEventListener('abort', onAbort),
      () => undefined,
    );
  });
}
