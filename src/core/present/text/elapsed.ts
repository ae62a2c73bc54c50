import { t } from '@vscode/l10n';

/** A duration for the user: `3 s`, `4 min`, `2 h 5 min`, `3 d 1 h`. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('{0} min', minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? t('{0} h', hours) : t('{0} h {1} min', hours, minutes % 60);
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? t('{0} d', days) : t('{0} d {1} h', days, hours % 24);
}
