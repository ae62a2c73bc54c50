/** Maximum number of patterns with `?` in a list, and of their length, because they take more time; see `fitsWildcard`. */
export const maxSlowPatterns = 10;
export const maxSlowLength = 100;

/** Counts the patterns with `?` of a list. Returns a function that is false for those beyond the limits. */
export function slowPatterns(): (pattern: string) => boolean {
  let left = maxSlowPatterns;
  return (pattern) => !pattern.includes('?') || (pattern.length <= maxSlowLength && left-- > 0);
}

/** Whether a pattern contains `*` or `?`. */
export function isWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/**
 * Whether a text equals the pattern or matches its `*` (any characters) and `?` (one character). With `?`, the time is
 * at most proportional to the length of the text multiplied by that of the pattern, because matching backtracks only to
 * the last star.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  if (!pattern.includes('?')) return fitsParts(pattern.split('*'), text);
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

/** The same as `fitsWildcard`, prepared for many texts. */
export function wildcardTest(pattern: string): (text: string) => boolean {
  if (pattern.includes('?')) return (text) => fitsWildcard(pattern, text);
  const parts = pattern.split('*');
  return (text) => fitsParts(parts, text);
}

/**
 * Whether a text matches the parts of a pattern without `?`: the first and the last part must match the two ends of the
 * text, and the other parts must occur between them in order.
 */
function fitsParts(parts: readonly string[], text: string): boolean {
  const [start = ''] = parts;
  if (parts.length === 1) return text === start;
  const end = parts.at(-1) ?? '';
  if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) return false;
  let at = start.length;
  for (let i = 1; i < parts.length - 1; i++) {
    const part = parts[i] ?? '';
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - end.length;
}

/** A list of patterns, prepared for many comparisons. */
interface SeparatedPatterns {
  names: ReadonlySet<string>;
  wildcards: readonly ((name: string) => boolean)[];
}

const separated = new WeakMap<readonly string[], SeparatedPatterns>();

/**
 * Whether a name equals or matches one of the patterns. The time grows only with the number of patterns with `*` or
 * `?`.
 */
export function fitsAny(patterns: readonly string[], name: string): boolean {
  let known = separated.get(patterns);
  if (!known) separated.set(patterns, (known = separate(patterns)));
  return known.names.has(name) || known.wildcards.some((fits) => fits(name));
}

function separate(patterns: readonly string[]): SeparatedPatterns {
  return {
    names: new Set(patterns.filter((pattern) => !isWildcard(pattern))),
    wildcards: patterns.filter(isWildcard).map(wildcardTest),
  };
}
