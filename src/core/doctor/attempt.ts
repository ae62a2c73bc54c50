/** Steps of the doctor have an end, whatever the other side does. */

import { t } from '@vscode/l10n';

/** How long one step may take where nothing else is said. Milliseconds. */
export const defaultStepMs = 10_000;

/** One step with an end: what it found, or that it took longer than `ms`; nothing of it stays open. */
export function attempt<T>(ms: number, begin: (end: (result: T) => void) => { cancel(): void; late(): T }): Promise<T> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (result: T) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve(result);
      // After this turn: the step may not have returned yet.
      setImmediate(() => step.cancel());
    };
    const timer = setTimeout(() => end(step.late()), ms);
    const step = begin(end);
  });
}

/** A span as a sentence has it. */
export function seconds(ms: number): string {
  return t('{0} seconds', ms / 1_000);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : t('no reason given');
}
