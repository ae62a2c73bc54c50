/** What is written for a value that is nested too deeply to be written. */
export const tooDeepText = '(nested too deeply)';

/**
 * The JSON of a value; a note where it is nested so deeply that the stack does not suffice. '' for what JSON does not
 * have.
 * @param indent blanks for each level; default 0: all on one line.
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
