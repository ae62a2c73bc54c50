/** The text for a value that is nested too deeply. */
export const tooDeepText = '(nested too deeply)';

/**
 * The JSON of a value, or a note if the value is nested too deeply for the stack. An empty text for values that JSON
 * does not support.
 * @param indent blanks per level; default 0: one line.
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

/** Maximum nesting depth, which protects the stack. */
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
