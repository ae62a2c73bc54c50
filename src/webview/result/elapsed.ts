import { t } from '@vscode/l10n';

/** A duration, such as `84 ms`, `3.2 s`, or `4 min 10 s`. */
export function span(ms: number): string {
  if (ms < 1_000) return t('{0} ms', Math.round(ms));
  return ms < 10_000 ? t('{0} s', (ms / 1_000).toFixed(1)) : elapsedSeconds(ms);
}

/** The duration of an operation that still runs, in whole seconds. */
export function elapsedSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? t('{0} s', seconds) : t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}
