import type { ArgumentTest } from './rule.js';
import { compileWildcard } from './textPattern.js';

/** One argument of a call that a rule can be about. */
export interface ArgumentPlace {
  name: string;
  /** JSON Pointer to it. */
  pointer: string;
  /** What patterns are held against; undefined for lists and objects, which are compared as a whole. */
  text: string | undefined;
  value: unknown;
}

/** The arguments of a call, in their order, as places of a rule. */
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
 * Why a pattern is not one that this call would have been allowed by: `unusable` with the reason, or `no-match`. A rule
 * that does not fit what its user has before them is not what they meant.
 */
export function patternProblem(
  pattern: string,
  text: string,
): { kind: 'unusable'; reason: string } | { kind: 'no-match' } | undefined {
  const test = compileWildcard(pattern);
  if ('problem' in test) return { kind: 'unusable', reason: test.problem };
  return test(text) === true ? undefined : { kind: 'no-match' };
}

/** The test for one place: exact where the pattern is the very text, so that a text with a star in it stays itself. */
export function testOf({ text, value }: ArgumentPlace, pattern?: string): ArgumentTest {
  return pattern === undefined || pattern === text ? { equals: value } : { wildcard: pattern };
}
