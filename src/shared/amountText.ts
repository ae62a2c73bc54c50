/** A size as text, such as `1.2 MB`. The units are decimal: 1 kB is 1,000 bytes. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const step = bytes < 1_000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  const digits = value >= 100 || step === 0 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, '');
  return `${digits} ${units[step] ?? ''}`;
}

/** A duration for messages: `250 ms`, `2.5 s`, `60 s`. */
export function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
