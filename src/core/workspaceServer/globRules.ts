/**
 * Glob patterns in the way VS Code's settings use them: `*` and `?` within a segment, `**` across segments, `{a,b}`,
 * `[a-z]` and `[!a]`. And `files.exclude`: what is hidden from the user is hidden from tools.
 */

/** `files.exclude` as it is written: hidden, shown, or hidden only next to another file. */
export type ExcludeRules = Readonly<Record<string, boolean | { when: string }>>;

/** Longer patterns and paths are compared as they stand. UTF-16 units. */
const maxPatternLength = 2_000;
const maxPathLength = 20_000;

/**
 * Makes a pattern into a test on paths with `/`. A pattern that is not closed properly matches itself only. The states of the
 * pattern are followed side by side, so a test takes time in the product of the two lengths at most, whoever wrote them.
 */
export function compileGlob(pattern: string, ignoreCase = false): (path: string) => boolean {
  // Slashes at the ends carry no meaning in settings.
  const trimmed = pattern.replace(/^\/+|\/+$/g, '');
  const machine = new GlobMachine(ignoreCase);
  let end: number;
  try {
    if (trimmed.length > maxPatternLength) throw new SyntaxError('too long');
    end = machine.read(trimmed, machine.newState());
  } catch {
    return (path) => path === trimmed;
  }
  return (path) => path.length <= maxPathLength && machine.accepts(path, end);
}

type CharTest = (char: string) => boolean;

/** A nondeterministic automaton over the characters of a path; state 0 is the first. */
class GlobMachine {
  /** By state: where it leads without a character. */
  private readonly free: number[][] = [];
  /** By state: where it leads with a character that passes. */
  private readonly steps: { test: CharTest; to: number }[][] = [];

  constructor(private readonly ignoreCase: boolean) {}

  newState(): number {
    this.free.push([]);
    return this.steps.push([]) - 1;
  }

  /** Adds a pattern that begins in a state; returns the state in which it ends. Throws SyntaxError where it is not closed. */
  read(pattern: string, start: number): number {
    let now = start;
    for (let i = 0; i < pattern.length; i++) {
      const char = pattern.charAt(i);
      const isAtStart = i === 0 || pattern.charAt(i - 1) === '/';
      if (char === '/' && pattern.slice(i) === '/**') return this.optional(now, (inner) => this.loop(this.step(inner, isSlash), always));
      if (char === '*') {
        const isWhole = isAtStart && pattern.startsWith('**', i) && (i + 2 === pattern.length || pattern.charAt(i + 2) === '/');
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
        if (close === -1) throw new SyntaxError('unclosed group');
        const end = this.newState();
        for (const alternative of alternatives(pattern.slice(i + 1, close))) {
          const begin = this.newState();
          this.free[now]?.push(begin);
          this.free[this.read(alternative, begin)]?.push(end);
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

  accepts(path: string, end: number): boolean {
    let now = this.withFree([0]);
    for (const char of path) {
      const next: number[] = [];
      for (const state of now) for (const { test, to } of this.steps[state] ?? []) if (test(char)) next.push(to);
      if (next.length === 0) return false;
      now = this.withFree(next);
    }
    return now.has(end);
  }

  private withFree(states: readonly number[]): Set<number> {
    const all = new Set(states);
    // A set is walked in the order of insertion, also over what is added meanwhile.
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
    // A state of its own: the last one may have a loop, which is not for whoever skips it.
    const end = this.newState();
    this.free[last]?.push(end);
    this.free[from]?.push(end);
    return end;
  }

  private literal(char: string): CharTest {
    if (!this.ignoreCase) return (one) => one === char;
    const test = new RegExp(`^${char.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&')}$`, 'iu');
    return (one) => one === char || test.test(one);
  }

  private set(text: string): CharTest {
    const isNot = text.startsWith('!') || text.startsWith('^');
    const test = new RegExp(`^[${isNot ? '^/' : ''}${(isNot ? text.slice(1) : text).replace(/[\\\]^[]/g, '\\$&')}]$`, this.ignoreCase ? 'isu' : 'su');
    return (one) => test.test(one);
  }
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

/** Writes `text` so that a glob takes it literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?{}[\]]/g, '[$&]');
}

/**
 * Whether `files.exclude` hides a file.
 * @param relative below its folder, with `/`.
 * @param exists asked about files next to it, for rules with a condition.
 */
export async function isExcluded(relative: string, rules: ExcludeRules, exists: (relative: string) => Promise<boolean>, ignoreCase = false): Promise<boolean> {
  const segments = relative.split('/');
  // Who hides a folder hides what is in it.
  const prefixes = segments.map((_segment, i) => segments.slice(0, i + 1).join('/'));
  for (const [pattern, rule] of Object.entries(rules)) {
    if (rule === false) continue;
    const matches = compileGlob(pattern, ignoreCase);
    for (const prefix of prefixes) {
      if (!matches(prefix)) continue;
      if (rule === true || (await exists(sibling(prefix, rule.when)))) return true;
    }
  }
  return false;
}

function sibling(path: string, when: string): string {
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash);
  const dot = name.lastIndexOf('.');
  return path.slice(0, slash) + when.replaceAll('$(basename)', dot > 0 ? name.slice(0, dot) : name);
}
