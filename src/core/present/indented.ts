/** Spaces that no line is broken at: before a word longer than the line, others would stand on a line of their own. */
const indent = '\u00a0'.repeat(4);

/** A line of a dialog's detail that stands below its heading. */
export function indented(line: string): string {
  return indent + line;
}
