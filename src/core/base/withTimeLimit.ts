import type { CallSignal } from './lightAbort.js';
import type { Clock } from './clock.js';
import { HostError } from './hostError.js';

/**
 * Settles like `work`, but rejects with `onLimit()` after `limitMs`, or with the signal's reason if the signal is
 * aborted first.
 */
export function withTimeLimit<T>(
  work: PromiseLike<T>,
  limitMs: number,
  onLimit: () => Error,
  clock: Clock,
  signal?: CallSignal,
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

function reasonOf(signal: CallSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new HostError('cancelled', 'Canceled.');
}

/** Settles like `work`, but rejects with the signal's reason if the signal is aborted first. */
export function untilAborted<T>(work: PromiseLike<T>, signal: CallSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(reasonOf(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    // A later rejection of the work is handled in either case.
    work.then(resolve, reject).then(
      () => signal.removeEventListener('abort', onAbort),
      () => undefined,
    );
  });
}

/** The items of a stream until it ends. Rejects with the signal's reason as soon as the signal is aborted. */
export async function* itemsUntilAborted<T>(stream: AsyncIterable<T>, signal: CallSignal): AsyncGenerator<T> {
  const items = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await untilAborted(items.next(), signal);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Runs the work after `wait`, or at once if there is nothing to wait for. */
export function after<T>(wait: Promise<void> | undefined, work: () => T | Promise<T>): T | Promise<T> {
  return wait ? wait.then(work) : work();
}
