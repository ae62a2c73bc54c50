/**
 * Whether a text equals the pattern or matches its `*` (any characters) and `?` (one character). Backtracks only to the
 * last star, so the time is at most proportional to the length of the text multiplied by that of the pattern.
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

const separated = new WeakMap<readonly string[], { names: ReadonlySet<string>; wildcards: readonly string[] }>();

/**
 * Whether a name equals or matches one of the patterns. The time grows only with the number of patterns with `*` or
 * `?`.
 */
export function fitsAny(patterns: readonly string[], name: string): boolean {
  const known = separated.get(patterns) ?? separate(patterns);
  separated.set(patterns, known);
  return known.names.has(name) || known.wildcards.some((pattern) => fitsWildcard(pattern, name));
}

function separate(patterns: readonly string[]): { names: ReadonlySet<string>; wildcards: readonly string[] } {
  const isWildcard = (pattern: string) => /[*?]/.test(pattern);
  return {
    names: new Set(patterns.filter((pattern) => !isWildcard(pattern))),
    wildcards: patterns.filter(isWildcard),
  };
}
