import type { CallSignal } from './lightAbort.js';
import type { Disposable } from './disposable.js';

/** Time as a port, so that tests need not wait. */
export interface Clock {
  /** The time in ms on a monotonic clock, which never goes backwards. */
  now(): number;
  /** Runs `callback` once after `ms`; dispose to cancel. Never keeps the process alive. */
  after(ms: number, callback: () => void): Disposable;
}

/** The clock of the system. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    // `setTimeout` treats larger delays as 1 ms. So a server's "retry in 10^12" would cause a busy loop.
    const timer = setTimeout(callback, Math.min(ms, 0x7fffffff));
    timer.unref();
    return { dispose: () => clearTimeout(timer) };
  },
};

/** Waits for `ms`. Rejects with the signal's reason if the signal is aborted first. */
export function delay(clock: Clock, ms: number, signal?: CallSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.dispose();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
