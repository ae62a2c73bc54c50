/**
 * Reads the text of a JSON editor: finds the position where it stops being valid JSON, and the trailing commas, which
 * JSON does not allow. The errors of `JSON.parse` are not used for this, because they differ between engine versions
 * and do not always contain a position.
 */

export interface JsonScan {
  /** The offset of the first character that does not fit. The length of the text if it ends too early. */
  error?: number;
  /** The offsets of trailing commas, which are commas before a closing bracket. */
  commas: readonly number[];
}

const space = /[ \t\n\r]*/y;
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** These patterns match the valid beginning of a broken string or literal. */
const partOfText = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
const partOfScalar = /[a-z]+|-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?/y;

/** Checks a text as JSON, in linear time. */
export function scanJson(source: string): JsonScan {
  const commas: number[] = [];
  const open: ('{' | '[')[] = [];
  let at = 0;
  /** The offset of the last comma, if nothing follows it yet. */
  let comma: number | undefined;
  let expects: 'value' | 'first' | 'name' | 'colon' | 'next' = 'value';
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (!found) return false;
    at += found[0].length;
    return true;
  };
  const fail = (pattern?: RegExp): JsonScan => {
    if (pattern) take(pattern);
    return { error: at, commas };
  };
  for (;;) {
    take(space);
    const char = source[at];
    const top = open.at(-1);
    if (char === undefined) return open.length === 0 && expects === 'next' ? { commas } : fail();
    const closes = top === '{' ? '}' : top === '[' ? ']' : undefined;
    if (char === closes && (expects === 'next' || expects === 'first' || comma !== undefined)) {
      if (comma !== undefined) commas.push(comma);
      open.pop();
      expects = 'next';
    } else if (expects === 'next') {
      if (char !== ',' || top === undefined) return fail();
      comma = at;
      expects = top === '{' ? 'name' : 'value';
      at++;
      continue;
    } else if (expects === 'colon') {
      if (char !== ':') return fail();
      expects = 'value';
    } else if (expects === 'name' || (expects === 'first' && top === '{')) {
      if (!take(text)) return fail(char === '"' ? partOfText : undefined);
      comma = undefined;
      expects = 'colon';
      continue;
    } else if (char === '{' || char === '[') {
      open.push(char);
      expects = 'first';
    } else {
      const isText = char === '"';
      if (!take(isText ? text : scalar)) return fail(isText ? partOfText : partOfScalar);
      comma = undefined;
      expects = 'next';
      continue;
    }
    comma = undefined;
    at++;
  }
}

/** Replaces the trailing commas by spaces, so that all offsets stay the same. */
export function withoutCommas(source: string, commas: readonly number[]): string {
  let result = '';
  let from = 0;
  for (const at of commas) {
    result += `${source.slice(from, at)} `;
    from = at + 1;
  }
  return result + source.slice(from);
}
