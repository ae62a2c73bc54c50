/** The words of a text, which spaces or line breaks separate. For lists that would be long as arrays. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
