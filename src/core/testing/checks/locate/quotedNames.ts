/** Where a name is written in quotes in a source file, zero-based. */
export interface QuotedPlace {
  line: number;
  character: number;
  endCharacter: number;
}

/** The names that can be found: those that need no escapes in the quotes of any language. */
const quoted = /(["'`])([\w./-]{1,128})\1/g;

/**
 * Finds the first place of each name in quotes in a source text, in one pass. A name of a tool in quotes is almost
 * always its registration.
 */
export function quotedNames(text: string, names: ReadonlySet<string>): Map<string, QuotedPlace> {
  const found = new Map<string, QuotedPlace>();
  let line = 0;
  let lineStart = 0;
  let seen = 0;
  for (const match of text.matchAll(quoted)) {
    const name = match[2] ?? '';
    if (!names.has(name) || found.has(name)) continue;
    for (let at = text.indexOf('\n', seen); at !== -1 && at < match.index; at = text.indexOf('\n', at + 1)) {
      line++;
      lineStart = at + 1;
    }
    seen = match.index;
    const character = match.index + 1 - lineStart;
    found.set(name, { line, character, endCharacter: character + name.length });
  }
  return found;
}
