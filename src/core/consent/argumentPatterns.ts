import type { ArgumentTest } from './rule.js';
import { compileWildcard } from './textPattern.js';

/** One argument of a call, which a rule can test. */
export interface ArgumentPlace {
  name: string;
  /** JSON Pointer to the argument. */
  pointer: string;
  /** The text that patterns are matched against; undefined for lists and objects, which are compared as a whole. */
  text: string | undefined;
  value: unknown;
}

/** The arguments of a call, in order, as places that rules can test. */
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
 * The reason that a pattern would not allow the call that is shown: `unusable` with an explanation, or `no-match`. A
 * pattern for a rule must match this call, because the user creates the rule for it.
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
 * The test for one place. If the pattern equals the text, the test is `equals`, so that a star in the text is not a
 * wildcard.
 */
export function testOf({ text, value }: ArgumentPlace, pattern?: string): ArgumentTest {
  return pattern === undefined || pattern === text ? { equals: value } : { wildcard: pattern };
}
