/** What is written for a value that is nested too deeply to be written. */
export const tooDeepText = '(nested too deeply)';

/**
 * The JSON of a value; a note where it is nested so deeply that the stack does not suffice. '' for what JSON does not
 * have.
 */
export function jsonText(value: unknown): string {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === 'string' ? text : '';
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(tooDeepText);
    throw error;
  }
}
