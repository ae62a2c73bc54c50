/** Maximum number of variables, so that a small file does not use many times its size. */
const maxVariables = 10_000;

/**
 * Parses a dotenv file: `NAME=value` lines, optional `export`, `#` comments, single quotes (literal) and double quotes
 * (escapes \n \r \t \" \\); quoted values may span lines. If a name occurs twice, the later value is used. All other
 * lines are skipped. Values are never expanded: `$OTHER` is literal. Throws an error with the code `EFBIG` if the file has
 * more than 10,000 variables.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const values: [string, string][] = [];
  const source = (text.startsWith('\ufeff') ? text.slice(1) : text).replace(/\r\n?/g, '\n');
  const start = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/;
  let at = 0;
  while (at < source.length) {
    const lineEnd = endOfLine(source, at);
    const match = start.exec(source.slice(at, lineEnd));
    if (!match?.[1]) {
      at = lineEnd + 1;
      continue;
    }
    if (values.length >= maxVariables)
      throw Object.assign(new Error(`It has more than ${maxVariables.toLocaleString('en-US')} variables.`), {
        code: 'EFBIG',
      });
    const valueAt = at + match[0].length;
    const quote = source[valueAt];
    const closing = quote === '"' || quote === "'" ? closingQuote(source, valueAt, quote) : -1;
    if (closing !== -1) {
      const inner = source.slice(valueAt + 1, closing);
      values.push([match[1], quote === '"' ? unescape(inner) : inner]);
      at = endOfLine(source, closing) + 1;
    } else {
      const value = source.slice(valueAt, lineEnd);
      const comment = value.search(/(?:^|[ \t])#/);
      values.push([match[1], value.slice(0, comment === -1 ? undefined : comment).trim()]);
      at = lineEnd + 1;
    }
  }
  return Object.fromEntries(values);
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** The position of the closing quote; -1 if there is none. */
function closingQuote(text: string, open: number, quote: string): number {
  for (let i = open + 1; i < text.length; i++) {
    if (quote === '"' && text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return -1;
}

function unescape(text: string): string {
  return text.replace(
    /\\([nrt"\\])/g,
    (_whole, char: string) => ({ n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' })[char] ?? char,
  );
}
