/** Limits the time of the doctor's steps. */

import { t } from '@vscode/l10n';

/** Default time limit of one step, in milliseconds. */
export const defaultStepMs = 10_000;

/**
 * Runs one step with a time limit. Resolves to the result of the step, or to `late()` after `ms` milliseconds. Then
 * releases the resources of the step.
 */
export function attempt<T>(ms: number, begin: (end: (result: T) => void) => { cancel(): void; late(): T }): Promise<T> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (result: T) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve(result);
      // Deferred, because `begin` may report its result before it returns.
      setImmediate(() => step.cancel());
    };
    const timer = setTimeout(() => end(step.late()), ms);
    const step = begin(end);
  });
}

/** A duration in words, for use in a sentence. */
export function seconds(ms: number): string {
  return t('{0} seconds', ms / 1_000);
}

/** The code of a system error, such as `ECONNREFUSED`. Without a code: "no reason given". */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : t('no reason given');
}
