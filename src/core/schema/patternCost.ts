/**
 * Estimates the time of a valid regular expression from its source. `degree` is how the time grows with the length of
 * the text: 0 constant, 1 linear, 2 quadratic …, Infinity when unknown (a repeated group, a back-reference, a
 * look-around, or more than 1,024 ways through choices). `steps` is the number of steps at one position of the text:
 * the characters of the pattern, with fixed repetitions, multiplied by the ways through choices. `[ab]{4000}c` takes
 * 4,001 steps, and `a?b?c?d` 32. The estimate is an upper bound: it may be too high, but never too low.
 * @param flags of the expression. With `m`, `^` also matches after each line break. Default: none.
 */
export function patternCost(source: string, flags = ''): { degree: number; steps: number } {
  let degree = 0;
  let steps = 0;
  let isAnchored = source.startsWith('^') && !flags.includes('m');
  const open: Alternatives[] = [];
  let now: Alternatives = { before: 0, ways: 1, last: 1 };
  for (const { 0: token, groups: { min, comma, max } = {} } of source.matchAll(tokens)) {
    if (refused.test(token)) return unknown;
    if (token.startsWith('(')) {
      open.push(now);
      now = { before: 0, ways: 1, last: 1 };
    } else if (token === ')') {
      const ways = now.before + now.ways;
      const around = open.pop();
      if (!around || ways > maxWays) return unknown;
      now = { ...around, ways: around.ways * ways, last: ways, isGroup: true };
      continue;
    } else if (token === '|') {
      now = { before: now.before + now.ways, ways: 1, last: 1 };
      // Only the first alternative is anchored.
      if (open.length === 0) isAnchored = false;
    } else if (isQuantifier.test(token)) {
      const least = min === undefined ? (token.startsWith('+') ? 1 : 0) : Number(min);
      const most = token.startsWith('?')
        ? 1
        : min !== undefined && comma === undefined
          ? least
          : Number(max || Infinity);
      // With larger numbers, sums would lose their small parts.
      if (least > maxLeast || (now.isGroup === true && most > 1)) return unknown;
      // The token before it was counted once.
      steps += Math.max(0, least - 1);
      if (most - least > maxSpread) degree++;
      else now.ways = (now.ways / now.last) * (now.last + (most - least));
    } else {
      steps++;
      now.last = 1;
    }
    delete now.isGroup;
  }
  // Without an anchor, the engine tries again at every position.
  if (!isAnchored) degree++;
  const ways = now.before + now.ways;
  return !(ways <= maxWays) || open.length > 0 ? unknown : { degree, steps: Math.max(1, steps) * ways };
}

/** The alternatives of a group that is being read. */
interface Alternatives {
  /** The ways through the alternatives before the present one. */
  before: number;
  /** The ways through the present one so far, and through its last part. */
  ways: number;
  last: number;
  /** Whether the last part is a group. */
  isGroup?: true;
}

/** Maximum number of repetitions beyond the fixed ones that count as choices. More grow with the text. */
const maxSpread = 8;
const maxWays = 1_024;
/** Maximum of a fixed repetition, as in common implementations of regular expressions. */
const maxLeast = 2 ** 31;
const unknown = { degree: Infinity, steps: Infinity };

/** The tokens of an expression: escapes, classes, beginnings of groups, quantifiers, and single characters. */
const tokens =
  /\\(?:[1-9k]|[^])|\[(?:[^\]\\]|\\[^])*\]|\((?:\?(?::|<[A-Za-z])?)?|(?:[*+?]|\{(?<min>\d+)(?<comma>,(?<max>\d*))?\})\??|[^]/g;
/** Back-references, and groups other than `(`, `(?:` and `(?<name>`. */
const refused = /^(?:\\[1-9k]|\(\?)$/;
const isQuantifier = /^(?:[*+?]|\{\d)/;
