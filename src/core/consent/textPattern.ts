import { t } from '@vscode/l10n';
import { messageOf } from '../base/hostError.js';
import { isWildcard, wildcardTest } from '../base/wildcard.js';
import { patternCost } from '../schema/patternCost.js';
import { TimeLimit, TimeLimitError } from '../schema/timeLimit.js';
import { mayTraversePath } from './pathTraversal.js';
import { SharedTime } from './sharedTime.js';

/** Maximum length of a pattern, in UTF-16 code units. */
const maxPatternLength = 500;
/** Maximum length of a text that a pattern is matched against, in UTF-16 code units. */
const maxWildcardText = 20_000;
const maxRegexText = 2_000;
/** Maximum number of steps that a regular expression may need for a text without a time limit. */
const maxDirectSteps = 1_000_000;
/** Maximum length of a wildcard multiplied by that of a text whose comparison is not measured. */
const maxQuickWork = 20_000;
/** Time limit of other regular expressions, for one text, in milliseconds. */
const regexMs = 100;

/** Whether a text matches; undefined if this cannot be decided. The caller must then choose the safe case. */
export type TextTest = (text: string) => boolean | undefined;

/** Why a pattern cannot be used. */
export interface PatternProblem {
  problem: string;
}

/**
 * Compiles a wildcard: `*` matches any text and `?` one character; everything else is literal. The time for each star
 * is linear in the text's length. A match is undecided if the text, as a path, may lead out of its folder
 * (`mayTraversePath`), except for the pattern `*`, which matches any text.
 * @param time reduced by each longer match; a match is undecided without it. Default: no limit.
 */
export function compileWildcard(pattern: string, time = new SharedTime()): TextTest | PatternProblem {
  if (pattern.length > maxPatternLength)
    return { problem: t('a pattern can have at most {0} characters', maxPatternLength) };
  if (!isWildcard(pattern)) return (text) => text === pattern;
  if (pattern === '*') return () => true;
  const test = unlessTraversal(wildcardTest(pattern), maxWildcardText);
  return (text) => (text.length * pattern.length <= maxQuickWork ? test(text) : time.run(() => test(text)));
}

/**
 * The test for patterns. It is undecided if the text has more than `maxText` characters, or if the text matches and,
 * used as a path, may lead out of the folder that it names. An undecided pattern never allows a call.
 */
function unlessTraversal(fits: TextTest, maxText: number): TextTest {
  return (text) => {
    if (text.length > maxText) return undefined;
    const isMatch = fits(text);
    return isMatch === true && mayTraversePath(text) ? undefined : isMatch;
  };
}

/**
 * Compiles a regular expression that must match the whole text. It is refused if its time could grow faster than the
 * square of the text's length, because the caller chooses the text. A match is undecided if it takes too long, or if the
 * text, as a path, may lead out of its folder (`mayTraversePath`).
 * @param time reduced by each match; a match is undecided without it. Default: each match has only its own limit.
 */
export function compileRegex(source: string, time = new SharedTime()): TextTest | PatternProblem {
  if (source.length > maxPatternLength)
    return { problem: t('a regular expression can have at most {0} characters', maxPatternLength) };
  let test: RegExp;
  try {
    // Compiled alone first, so that the source cannot close the group that is added below.
    new RegExp(source, 'u');
    test = new RegExp(`^(?:${source})$`, 'su');
  } catch (error) {
    return { problem: t('not a regular expression: {0}', messageOf(error)) };
  }
  // The full pattern is anchored, so matching starts at one position only, even if the source is not anchored.
  const cost = patternCost(`^${source.replace(/^\^/, '')}`);
  if (cost.degree > 2)
    return { problem: t('matching this regular expression could take too long. Use a simpler one, or a wildcard') };
  const start = literalStart(source);
  const fits = unlessTraversal(timed(test, cost, time), maxRegexText);
  return (text) => text.startsWith(start) && time.run(() => fits(text));
}

/** Created on first use, and only once: each has a JavaScript context of its own, which needs 150 kB. */
let limit: TimeLimit | undefined;

/** The test with a time limit. A text that is as long as one that took too long is undecided at once. */
function timed(test: RegExp, { degree, steps }: ReturnType<typeof patternCost>, time: SharedTime): TextTest {
  let tooLong = Infinity;
  return (text) => {
    if (text.length >= tooLong) return undefined;
    try {
      if (steps * text.length ** degree <= maxDirectSteps) return test.test(text);
      limit ??= new TimeLimit();
      return limit.run(Math.min(regexMs, time.leftMs), () => test.test(text));
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      if (error.limitMs >= regexMs) tooLong = text.length;
      return undefined;
    }
  };
}

/** The text that every match of a wildcard begins with. */
export function beginningOfWildcard(pattern: string): string {
  return /^[^*?]*/.exec(pattern)?.[0] ?? '';
}

/**
 * The text that every match of a regular expression begins with, if it is easy to determine. A comparison with this
 * text excludes most calls quickly.
 */
export function literalStart(source: string): string {
  if (source.includes('|')) return '';
  const plain = /^[\w /-]*/.exec(source)?.[0] ?? '';
  return /^[*+?{]/.test(source.slice(plain.length)) ? plain.slice(0, -1) : plain;
}
