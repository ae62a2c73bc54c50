/**
 * Glob patterns as in VS Code's settings: `*` and `?` within a segment, `**` across segments, `{a,b}`, `[a-z]` and
 * `[!a]`.
 */

/**
 * Maximum length of patterns and of paths, in UTF-16 code units. A longer pattern is too complex to compile, and a
 * longer path matches no pattern.
 */
const maxPatternLength = 2_000;
const maxPathLength = 20_000;
/** Maximum nesting of groups `{…}`; a deeper pattern is too complex. */
const maxDepth = 16;
/**
 * Maximum number of steps to test one path with all its patterns; takes less than 10 ms. Typical patterns need a few
 * hundred steps.
 */
export const maxSteps = 100_000;
/**
 * Maximum number of steps to compile the patterns of one setting, about one per character and state, which take less
 * than 10 ms. Typical settings need a few thousand steps.
 */
export const maxCompileSteps = 40_000;
/** The cost, in steps, of a character set, which is compiled to a regular expression. */
const stepsOfSet = 50;

/**
 * Compiles a pattern to a function that tests paths with `/`. A pattern with an unclosed group or set matches only a
 * path with the same characters. All states of the pattern are followed in parallel, so the time of a test is at most
 * proportional to the product of the lengths of pattern and path. A pattern that is too complex matches no path, and a
 * path that needs more steps than are left does not match. Default: `maxSteps` for each path.
 */
export function compileGlob(pattern: string, ignoreCase = false): (path: string, steps?: { left: number }) => boolean {
  const follow = compileRule(pattern, ignoreCase, { left: maxCompileSteps });
  return (path, steps = { left: maxSteps }) => follow?.(path, steps)?.at(-1) === path.length;
}

/**
 * A compiled pattern. Returns the lengths of the prefixes of a path that the pattern matches, each ending at a `/` or
 * at the end of the path; undefined if no steps are left.
 */
export type PrefixMatcher = (path: string, steps: { left: number }) => number[] | undefined;

/**
 * Compiles a pattern. Undefined if the pattern is too complex: it is longer than 2,000 UTF-16 code units, its groups
 * are nested deeper than 16, or compiling it needs more steps than are left.
 */
export function compileRule(pattern: string, ignoreCase: boolean, steps: { left: number }): PrefixMatcher | undefined {
  // Leading and trailing slashes have no meaning in the setting.
  const trimmed = withoutSlashes(pattern);
  const machine = new GlobMachine(ignoreCase, steps);
  let end: number;
  try {
    if (trimmed.length > maxPatternLength) throw new TooComplex();
    end = machine.read(trimmed, machine.newState());
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    return (path) => (path === trimmed || path.startsWith(`${trimmed}/`) ? [trimmed.length] : []);
  }
  return (path, left) => (path.length <= maxPathLength ? machine.follow(path, end, left) : []);
}

class TooComplex extends Error {}

function withoutSlashes(pattern: string): string {
  let start = 0;
  let end = pattern.length;
  while (pattern.charAt(start) === '/') start++;
  while (end > start && pattern.charAt(end - 1) === '/') end--;
  return pattern.slice(start, end);
}

type CharTest = (char: string) => boolean;

/** A nondeterministic automaton over the characters of a path; starts in state 0. */
class GlobMachine {
  /** For each state, the states that it reaches without a character. */
  private readonly free: number[][] = [];
  /** For each state, the states that it reaches with a matching character. */
  private readonly steps: { test: CharTest; to: number }[][] = [];

  constructor(
    private readonly ignoreCase: boolean,
    private readonly compileSteps: { left: number },
  ) {}

  newState(): number {
    this.spend(1);
    this.free.push([]);
    return this.steps.push([]) - 1;
  }

  private spend(steps: number): void {
    if ((this.compileSteps.left -= steps) < 0) throw new TooComplex();
  }

  /**
   * Adds a pattern that starts in a state; returns the state in which it ends. Throws SyntaxError when a group or set
   * is not closed, and TooComplex.
   */
  read(pattern: string, start: number, depth = 0): number {
    if (depth > maxDepth) throw new TooComplex();
    // This loop reads each character once. Within a group, the search for the alternatives reads it again.
    this.spend(pattern.length);
    let now = start;
    for (let i = 0; i < pattern.length; i++) {
      const char = pattern.charAt(i);
      const isAtStart = i === 0 || pattern.charAt(i - 1) === '/';
      if (char === '/' && pattern.slice(i) === '/**')
        return this.optional(now, (inner) => this.loop(this.step(inner, isSlash), always));
      if (char === '*') {
        const isWhole =
          isAtStart && pattern.startsWith('**', i) && (i + 2 === pattern.length || pattern.charAt(i + 2) === '/');
        if (isWhole && i + 2 === pattern.length) return this.loop(now, always);
        if (isWhole) {
          now = this.optional(now, (inner) => this.step(this.loop(this.step(inner, always), always), isSlash));
          i += 2;
          continue;
        }
        now = this.loop(now, isNoSlash);
        while (pattern.charAt(i + 1) === '*') i++;
      } else if (char === '?') now = this.step(now, isNoSlash);
      else if (char === '{') {
        const close = closing(pattern, i);
        this.spend(pattern.length - i);
        if (close === -1) throw new SyntaxError('unclosed group');
        const end = this.newState();
        for (const alternative of alternatives(pattern.slice(i + 1, close))) {
          const begin = this.newState();
          this.free[now]?.push(begin);
          this.free[this.read(alternative, begin, depth + 1)]?.push(end);
        }
        now = end;
        i = close;
      } else if (char === '[') {
        const close = pattern.indexOf(']', i + 2);
        if (close === -1) throw new SyntaxError('unclosed set');
        now = this.step(now, this.set(pattern.slice(i + 1, close)));
        i = close;
      } else {
        const whole = String.fromCodePoint(pattern.codePointAt(i) ?? 0);
        now = this.step(now, this.literal(whole));
        i += whole.length - 1;
      }
    }
    return now;
  }

  /** Finds all matching prefixes in one pass over the path. */
  follow(path: string, end: number, steps: { left: number }): number[] | undefined {
    const accepted: number[] = [];
    let length = 0;
    let now = this.withFree([0]);
    for (const char of path) {
      if (char === '/' && now.has(end)) accepted.push(length);
      if ((steps.left -= now.size) < 0) return undefined;
      const next: number[] = [];
      for (const state of now) for (const { test, to } of this.steps[state] ?? []) if (test(char)) next.push(to);
      if (next.length === 0) return accepted;
      now = this.withFree(next);
      length += char.length;
    }
    if (now.has(end)) accepted.push(length);
    return accepted;
  }

  private withFree(states: readonly number[]): Set<number> {
    const all = new Set(states);
    // Iteration over a Set includes the elements that are added during the iteration.
    for (const state of all) for (const to of this.free[state] ?? []) all.add(to);
    return all;
  }

  private step(from: number, test: CharTest): number {
    const to = this.newState();
    this.steps[from]?.push({ test, to });
    return to;
  }

  private loop(from: number, test: CharTest): number {
    const to = this.newState();
    this.free[from]?.push(to);
    this.steps[to]?.push({ test, to });
    return to;
  }

  private optional(from: number, add: (inner: number) => number): number {
    const last = add(from);
    // The end needs a state of its own: a loop in the last state must not apply when the optional part is skipped.
    const end = this.newState();
    this.free[last]?.push(end);
    this.free[from]?.push(end);
    return end;
  }

  private literal(char: string): CharTest {
    if (!this.ignoreCase) return (one) => one === char;
    const folded = foldCase(char);
    return (one) => one === char || foldCase(one) === folded;
  }

  private set(text: string): CharTest {
    this.spend(stepsOfSet + text.length);
    const isNot = text.startsWith('!') || text.startsWith('^');
    const test = new RegExp(
      `^[${isNot ? '^/' : ''}${(isNot ? text.slice(1) : text).replace(/[\\\]^[]/g, '\\$&')}]$`,
      this.ignoreCase ? 'isu' : 'su',
    );
    return (one) => test.test(one);
  }
}

/** The folded form of a character: characters that differ only in case have the same one. */
function foldCase(char: string): string {
  return char.toUpperCase().toLowerCase();
}

const always: CharTest = () => true;
const isSlash: CharTest = (char) => char === '/';
const isNoSlash: CharTest = (char) => char !== '/';

function closing(pattern: string, open: number): number {
  let depth = 0;
  for (let i = open; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return i;
  }
  return -1;
}

function alternatives(body: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < body.length; i++) {
    const char = body.charAt(i);
    if (char === '{') depth++;
    else if (char === '}') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(body.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, body.slice(start)];
}

/** Escapes `text` so that a glob matches it literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?{}[\]]/g, '[$&]');
}
