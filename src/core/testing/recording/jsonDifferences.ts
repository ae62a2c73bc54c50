import { isObject } from '../../base/guards.js';
import { literalAt } from '../../base/exactNumbers.js';
import { pointerTo } from '../../../shared/json.js';
import { isRedacted } from './requestKey.js';

/** A place at which two JSON values differ. A missing value is undefined. */
export interface JsonDifference {
  /** JSON Pointer (RFC 6901). */
  path: string;
  expected: unknown;
  actual: unknown;
}

/** Maximum depth that is compared. Values below it are treated as equal. */
const maxDepth = 500;

/**
 * The places at which two JSON values differ, in the order of `expected`, at most `limit`. The order of members does
 * not count. Linear in the values.
 * @param isAny whether an expected value matches every value. Default: a text with a redacted part does.
 */
export function jsonDifferences(
  expected: unknown,
  actual: unknown,
  limit = 20,
  isAny: (expected: unknown) => boolean = isRedacted,
): JsonDifference[] {
  const found: JsonDifference[] = [];
  const compare = (one: unknown, other: unknown, path: string, depth: number): void => {
    if (found.length >= limit || one === other || depth > maxDepth) return;
    if (isAny(one) && other !== undefined) return;
    if (Array.isArray(one) && Array.isArray(other)) {
      const length = Math.max(one.length, other.length);
      for (let index = 0; index < length && found.length < limit; index++)
        member(one, other, index, pointerTo(path, index), depth);
    } else if (isObject(one) && isObject(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
        member(one, other, name, pointerTo(path, name), depth);
    } else found.push({ path, expected: one, actual: other });
  };
  const member = (one: object, other: object, name: string | number, path: string, depth: number): void => {
    const [left, right] = [ownAt(one, name), ownAt(other, name)];
    // Two numbers can be the same double, and still have different digits.
    const isSame = left !== right || typeof left !== 'number' || literalAt(one, name) === literalAt(other, name);
    if (!isSame && found.length < limit)
      found.push({ path, expected: literalAt(one, name) ?? left, actual: literalAt(other, name) ?? right });
    else compare(left, right, path, depth + 1);
  };
  compare(expected, actual, '', 0);
  return found;
}

function ownAt(container: object, name: string | number): unknown {
  return Object.hasOwn(container, name) ? (container as Record<string | number, unknown>)[name] : undefined;
}
