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
