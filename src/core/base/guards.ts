import { objectOf } from './objectCopy.js';

/** Whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of an object without the members with these names. */
export function without(value: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return objectOf(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Whether a value is an array in which every item is a string. */
export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * The value at a path of object members; undefined if there is none. Follows only own properties, so `constructor` is
 * not found.
 */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}
