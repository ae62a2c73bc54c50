import { objectOf } from './objectCopy.js';

/** The text for a value that is nested too deeply. */
export const tooDeepText = '(nested too deeply)';
/** The text for a value that needs too much memory. */
export const tooLargeText = '(too large)';

/**
 * The JSON of a value; a note if the value is nested too deeply for the stack; an empty text if JSON does not support
 * the value.
 * @param indent number of spaces per level; default 0, for one line.
 */
export function jsonText(value: unknown, indent = 0): string {
  try {
    const text: unknown = JSON.stringify(value, undefined, indent);
    return typeof text === 'string' ? text : '';
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(tooDeepText);
    throw error;
  }
}

/** The value of JSON text; undefined for text that is missing or not JSON. */
export function parsedJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum nesting depth, in levels; prevents a stack overflow. */
const maxDepth = 500;

/**
 * JSON with sorted keys, so that equal content gives equal text. Properties that are undefined are omitted. Throws
 * RangeError for values that are nested more than 500 levels deep, including those that contain themselves.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw new RangeError(`The value is nested more than ${maxDepth} levels deep.`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * A copy of a JSON value with sorted keys, so that equal values are shown equally.
 * @param maxDepth deeper values become "…". Default: no limit.
 */
export function withSortedKeys(value: unknown, maxDepth = Infinity): unknown {
  if (maxDepth < 0) return '…';
  if (Array.isArray(value)) return value.map((item) => withSortedKeys(item, maxDepth - 1));
  if (typeof value !== 'object' || value === null) return value;
  return objectOf(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, member]) => [name, withSortedKeys(member, maxDepth - 1)]),
  );
}
