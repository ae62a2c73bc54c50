/**
 * Estimates the time of a valid regular expression from its source. `degree` is how the time grows with the length of
 * the text: 0 constant, 1 linear, 2 quadratic …, Infinity when unknown (a repeated group, a back-reference, a
 * look-around, or more than 10 choices). `steps` is the number of steps that characters, fixed repetitions and choices
 * take at one position: `[ab]{4000}c` takes 4,001 steps at each position of the text, and `a?b?c?d` 32. The estimate is
 * an upper bound: it may be too high, but never too low.
 * @param flags of the expression. With `m`, `^` also matches after each line break. Default: none.
 */
export function patternCost(source: string, flags = ''): { degree: number; steps: number } {
  let degree = 0;
  // Number of choices. Each may double the number of ways to match, and a dozen in sequence is as slow as a nested
  // repetition.
  let choices = 0;
  let steps = 0;
  let depth = 0;
  let isAnchored = source.startsWith('^') && !flags.includes('m');
  let previous = '';
  for (const { 0: token, groups: { min, comma, max } = {} } of source.matchAll(tokens)) {
    if (refused.test(token)) return unknown;
    if (token.startsWith('(')) depth++;
    else if (token === ')') depth--;
    else if (token === '|') {
      choices++;
      // Only the first alternative is anchored.
      if (depth === 0) isAnchored = false;
    } else if (isQuantifier.test(token)) {
      const least = min === undefined ? (token.startsWith('+') ? 1 : 0) : Number(min);
      const most = token.startsWith('?')
        ? 1
        : min !== undefined && comma === undefined
          ? least
          : Number(max || Infinity);
      if (previous === ')' && most > 1) return unknown;
      const spread = most - least;
      // The token before it was counted once.
      steps += Math.max(0, least - 1);
      if (spread > 8) degree++;
      else choices += spread;
    } else steps++;
    previous = token;
  }
  // Without an anchor, the engine tries again at every position.
  if (!isAnchored) degree++;
  return choices > maxChoices ? unknown : { degree, steps: Math.max(1, steps) * 2 ** choices };
}

const maxChoices = 10;
const unknown = { degree: Infinity, steps: Infinity };

/** The tokens of an expression: escapes, classes, beginnings of groups, quantifiers, and single characters. */
const tokens =
  /\\(?:[1-9k]|[^])|\[(?:[^\]\\]|\\[^])*\]|\((?:\?(?::|<[A-Za-z])?)?|(?:[*+?]|\{(?<min>\d+)(?<comma>,(?<max>\d*))?\})\??|[^]/g;
/** Back-references, and groups other than `(`, `(?:` and `(?<name>`. */
const refused = /^(?:\\[1-9k]|\(\?)$/;
const isQuantifier = /^(?:[*+?]|\{\d)/;
