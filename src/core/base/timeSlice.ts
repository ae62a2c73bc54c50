import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum time of one turn, in milliseconds, so that a thread stays responsive during long work. */
const sliceMs = 8;

/**
 * Runs the steps of a generator in turns of at most 8 ms each, and lets other work run between two turns. One step is
 * never divided. Rejects with the error of a step, or with the signal's reason when it is aborted.
 */
export async function runInSlices<T>(steps: Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
  let end = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < end) continue;
    await nextTurn();
    signal?.throwIfAborted();
    end = performance.now() + sliceMs;
  }
}

/** Runs the steps of a generator in one turn. */
export function runAtOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
