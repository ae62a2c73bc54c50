/** True when a name is the pattern, or fits its `*` (any characters) and `?` (one). Linear in practice: no backtracking over stars. */
export function fitsPattern(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    const char = pattern.charAt(p);
    if (char === '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.length && (char === '?' || char === name.charAt(n))) {
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
  return patterns.some((pattern) => fitsPattern(pattern, name));
}
