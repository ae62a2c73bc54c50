import { t } from '@vscode/l10n';
import { elapsedSeconds, span } from '../result/elapsed.js';

/** Duration of a call. Fast calls are shown with fractions. */
export function timeText(ms: number | undefined): string {
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
