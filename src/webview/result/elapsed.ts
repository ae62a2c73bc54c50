import { t } from '@vscode/l10n';

/** A duration, such as `84 ms`, `3.2 s`, or `4 min 10 s`. */
export function span(ms: number): string {
  if (ms < 1_000) return t('{0} ms', Math.round(ms));
  return ms < 10_000 ? t('{0} s', (ms / 1_000).toFixed(1)) : elapsedSeconds(ms);
}

/** A duration in whole seconds, such as `4 min 10 s`. */
export function elapsedSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? t('{0} s', seconds) : t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}

/** The duration of a call. Below 10 ms, with a fraction; a dash if it is not known. */
export function callDuration(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 10 ? t('{0} ms', ms < 0.1 ? ms.toFixed(2) : ms.toFixed(1)) : span(ms);
}

/** An elapsed time: seconds at first, then larger units. */
export function uptimeText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return elapsedSeconds(ms);
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? t('{0} h {1} min', hours, minutes % 60) : t('{0} d {1} h', Math.floor(hours / 24), hours % 24);
}
