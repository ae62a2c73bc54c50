import type { ArgumentTest } from './rule.js';
import { compileWildcard } from './textPattern.js';

/** One argument of a call that a rule can test. */
export interface ArgumentPlace {
  name: string;
  /** JSON Pointer to the argument. */
  pointer: string;
  /** The text that patterns are matched against; undefined for lists and objects, which are compared as a whole. */
  text: string | undefined;
  value: unknown;
}

/** The arguments of a call, in order, as places for rules. */
export function argumentPlaces(values: Readonly<Record<string, unknown>>): ArgumentPlace[] {
  return Object.entries(values).map(([name, value]) => ({
    name,
    pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    text:
      typeof value === 'object' && value !== null
        ? undefined
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
    value,
  }));
}

/**
 * Why a pattern would not have allowed this call: `unusable` with the reason, or `no-match`. A rule that does not match
 * the call on the screen is not what the user intended.
 */
export function patternProblem(
  pattern: string,
  text: string,
): { kind: 'unusable'; reason: string } | { kind: 'no-match' } | undefined {
  const test = compileWildcard(pattern);
  if ('problem' in test) return { kind: 'unusable', reason: test.problem };
  return test(text) === true ? undefined : { kind: 'no-match' };
}

/**
 * The test for one place. It is exact if the pattern equals the text, so that a text with a star is not treated as a
 * wildcard.
 */
export function testOf({ text, value }: ArgumentPlace, pattern?: string): ArgumentTest {
  return pattern === undefined || pattern === text ? { equals: value } : { wildcard: pattern };
}
