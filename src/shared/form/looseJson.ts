/**
 * Scans the text of a JSON editor. Finds the first syntax error, and the parts that JSON does not allow but the editor
 * accepts: comments, and a comma before a closing bracket. `JSON.parse` is not enough, because its error messages
 * differ between versions and do not always contain a position.
 */

export interface JsonScan {
  /** The offset of the first invalid character. If the text is incomplete, its length. */
  error?: number;
  /** The comments and the commas before a closing bracket, in the order of the text. */
  extras: readonly TextRange[];
}

/** A part of a text. `to` is exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

const space = /[ \t\n\r]*/y;
const comment = /\/\/[^\n\r]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//y;
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** These patterns match the valid beginning of an invalid string or literal, to locate the error. */
const partOfText = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
const partOfScalar = /[a-z]+|-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?/y;

/** Checks a text as JSON, in linear time. */
export function scanJson(source: string): JsonScan {
  const extras: TextRange[] = [];
  const open: ('{' | '[')[] = [];
  let at = 0;
  /** The offset of the last comma, while no token follows it. */
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
    return { error: at, extras: inOrder(extras) };
  };
  /** Skips spaces and comments. */
  const skip = () => {
    for (take(space); source[at] === '/'; take(space)) {
      const from = at;
      if (!take(comment)) return;
      extras.push({ from, to: at });
    }
  };
  for (;;) {
    skip();
    const char = source[at];
    const top = open.at(-1);
    if (char === undefined) return open.length === 0 && expects === 'next' ? { extras: inOrder(extras) } : fail();
    const closes = top === '{' ? '}' : top === '[' ? ']' : undefined;
    if (char === closes && (expects === 'next' || expects === 'first' || comma !== undefined)) {
      if (comma !== undefined) extras.push({ from: comma, to: comma + 1 });
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

/**
 * Sorts the parts by position. A comma is added when its closing bracket is read, which is after the comments between
 * them were added.
 */
function inOrder(extras: TextRange[]): readonly TextRange[] {
  return extras.sort((a, b) => a.from - b.from);
}

/** The text as strict JSON. Spaces replace comments and superfluous commas, so that all offsets stay the same. */
export function strictJson(source: string, extras: readonly TextRange[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const extra of extras) {
    parts.push(source.slice(from, extra.from), ' '.repeat(extra.to - extra.from));
    from = extra.to;
  }
  return parts.join('') + source.slice(from);
}
