import { isDeepStrictEqual } from 'node:util';
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { withSortedKeys } from '../base/jsonText.js';
import { objectOf } from '../base/objectCopy.js';
import { beginningOf, jsonPieces } from '../present/text/jsonPieces.js';
import { patternCost } from '../schema/patternCost.js';
import { TimeLimit, TimeLimitError } from '../schema/timeLimit.js';
import { asText } from './values.js';

/** A difference between the expected and the received value. */
export interface Mismatch {
  message: string;
  expected?: string;
  actual?: string;
}

/** The keys of a matcher. */
export const matcherKeys = [
  'equals',
  'contains',
  'matches',
  'not',
  'subset',
  'count',
  'type',
  'above',
  'below',
] as const;
type MatcherKey = (typeof matcherKeys)[number];

/** Whether a value is a matcher and not a value to compare with. */
export function isMatcher(value: unknown): value is Partial<Record<MatcherKey, unknown>> {
  const keys = isObject(value) ? Object.keys(value) : [];
  return keys.length > 0 && keys.every((key) => (matcherKeys as readonly string[]).includes(key));
}

/** Maximum length of a value in a failure, in characters. */
const maxShown = 20_000;
/** Maximum depth of a value in a failure; deeper parts are shown as "…". */
const maxShownDepth = 300;

/** A value as it is shown in a failure: texts as they are, other values as JSON with sorted keys. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'undefined';
  // Indentation can make the text of a deep value much longer than the value, so only its beginning is made.
  const pieces = typeof value === 'string' ? [value] : jsonPieces(withSortedKeys(value, maxShownDepth));
  const { text, isWhole } = beginningOf(pieces, maxShown);
  return isWhole ? text : `${text}…`;
}

/** A pattern as a regular expression; undefined if it is invalid. Flags at its start, such as `(?i)`, are allowed. */
export function patternOf(pattern: string): RegExp | undefined {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)([^]*)$/.exec(pattern) ?? [];
  const source = rest.replaceAll('(?P<', '(?<');
  for (const mode of ['u', '']) {
    try {
      return new RegExp(source, [...new Set(flags)].join('') + mode);
    } catch {
      // Unicode mode refuses unnecessary escapes, so the pattern is also tried without it.
    }
  }
  return undefined;
}

/** Maximum number of steps that run without a time limit. Less work takes a few milliseconds at most. */
const maxDirectSteps = 1_000_000;
/** Time limit of one pattern, in milliseconds. */
const patternMs = 500;
const limit = new TimeLimit();

/**
 * Whether a pattern matches a text. False for an invalid pattern.
 * @throws UserError if it takes too long, because both the pattern and the text can be hostile.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const expression = patternOf(pattern);
  if (!expression) return false;
  const { degree, steps } = patternCost(expression.source, expression.flags);
  if (steps * text.length ** degree <= maxDirectSteps) return expression.test(text);
  try {
    return limit.run(patternMs, () => expression.test(text));
  } catch (error) {
    // A SyntaxError: an expression that is too large is refused when it is used.
    if (!(error instanceof TimeLimitError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new UserError(t('Matching the pattern {0} takes too long.', visibleLine(pattern)));
  }
}

/** Compares a value with a matcher or an exact value. Undefined if it matches. */
export function mismatchOf(actual: unknown, expected: unknown): Mismatch | undefined {
  if (!isMatcher(expected)) return equalMismatch(actual, expected);
  for (const [key, wanted] of Object.entries(expected)) {
    const found = matcherMismatch(key as MatcherKey, actual, wanted);
    if (found) return found;
  }
  return undefined;
}

function equalMismatch(actual: unknown, expected: unknown): Mismatch | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  return {
    message: actual === undefined ? t('There is no value.') : t('The values differ.'),
    expected: shownValue(expected),
    actual: shownValue(actual),
  };
}

function matcherMismatch(key: MatcherKey, actual: unknown, wanted: unknown): Mismatch | undefined {
  const unless = (isFine: boolean, message: string): Mismatch | undefined =>
    isFine ? undefined : { message, expected: `${key}: ${shownValue(wanted)}`, actual: shownValue(actual) };
  const all = Array.isArray(wanted) ? (wanted as unknown[]) : [wanted];
  switch (key) {
    case 'equals':
      return equalMismatch(actual, wanted);
    case 'contains': {
      const missing = all.find((one) => !contains(actual, one));
      return unless(missing === undefined, t('The value does not contain {0}.', JSON.stringify(missing) ?? ''));
    }
    case 'matches': {
      const missing = all.find((one) => !matchesPattern(asText(one), asText(actual ?? '')));
      return unless(missing === undefined, t('The value does not match {0}.', asText(missing)));
    }
    case 'not':
      return unless(mismatchOf(actual, wanted) !== undefined, t('The value matches, although it should not.'));
    case 'subset':
      return subsetMismatch(actual, wanted);
    case 'count':
      return countMismatch(sizeOf(actual), wanted);
    case 'type':
      return unless(typeOf(actual) === wanted, t('The type of the value is {0}.', typeOf(actual)));
    case 'above':
      return unless(
        typeof actual === 'number' && actual > Number(wanted),
        t('The value is not greater than {0}.', asText(wanted)),
      );
    case 'below':
      return unless(
        typeof actual === 'number' && actual < Number(wanted),
        t('The value is not less than {0}.', asText(wanted)),
      );
  }
}

function contains(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(actual)) return actual.some((item) => isSubset(item, wanted));
  return actual !== undefined && asText(actual).includes(asText(wanted));
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) || typeof value === 'string'
    ? value.length
    : isObject(value)
      ? Object.keys(value).length
      : 0;
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Compares a number with an exact number, or with `min` and `max`. */
export function countMismatch(actual: number, wanted: unknown): Mismatch | undefined {
  const { min = 0, max = Infinity } = isObject(wanted) ? wanted : { min: wanted, max: wanted };
  if (actual >= Number(min) && actual <= Number(max)) return undefined;
  return { message: t('The actual number is {0}.', actual), expected: shownValue(wanted), actual: String(actual) };
}

/**
 * Whether every member of `wanted` is in `actual`. Lists have the same length, and their items are compared in order.
 */
function isSubset(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => isSubset(actual[index], item))
    );
  if (!isObject(wanted)) return isDeepStrictEqual(actual, wanted);
  return isObject(actual) && Object.entries(wanted).every(([key, item]) => isSubset(actual[key], item));
}

/** Compares with a part of a value: members that are not named are ignored. */
export function subsetMismatch(actual: unknown, wanted: unknown): Mismatch | undefined {
  if (isSubset(actual, wanted)) return undefined;
  return {
    message: actual === undefined ? t('There is no value.') : t('The values differ.'),
    expected: shownValue(wanted),
    actual: shownValue(likeShape(actual, wanted)),
  };
}

/** The members of `actual` that `wanted` names, so that a difference shows only what was compared. */
function likeShape(actual: unknown, wanted: unknown): unknown {
  if (!isObject(wanted) || !isObject(actual)) return actual;
  return objectOf(
    Object.entries(wanted)
      .filter(([key]) => Object.hasOwn(actual, key))
      .map(([key, item]) => [key, likeShape(actual[key], item)]),
  );
}
