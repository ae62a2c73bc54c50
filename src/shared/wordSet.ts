/**
 * Splits a text at spaces and line breaks into a set of words. Used for word lists that would take many lines as
 * arrays.
 */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
