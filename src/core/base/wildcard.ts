/**
 * Whether a text equals the pattern or matches its `*` (any characters) and `?` (one character). Backtracks only to the
 * last star, so the time is at most the length of the text multiplied by the number of stars.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < text.length) {
    const char = pattern.charAt(p);
    if (char === '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.length && (char === '?' || char === text.charAt(n))) {
      p++;
      n++;
    } else if (star !== -1) {
      p = star + 1;
      n = ++resume;
    } else return false;
  }
  while (pattern.charAt(p) === '*') p++;
  return p === pattern.length;
}

export function fitsAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => fitsWildcard(pattern, name));
}
