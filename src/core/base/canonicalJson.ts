/** Deeper values are refused rather than risking the stack. */
const maxDepth = 500;

/**
 * JSON with sorted keys, so that equal content gives equal text. Members that are undefined do not count.
 * Throws RangeError for what is nested more than 500 levels deep, which a value that contains itself is.
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
