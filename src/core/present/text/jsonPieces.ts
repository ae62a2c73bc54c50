/**
 * Formats JSON for reading, in pieces, so that a result of many megabytes never blocks the editor: other work can run
 * between two pieces. The value stays exactly the same; hidden characters are written as escapes.
 */
import { escapeHiddenInJson } from '../../base/hostileText.js';
import { literalAt, parseExact } from '../../base/exactNumbers.js';
import { isObject } from '../../base/guards.js';
import { lineBreaks, tokensOf } from '../../base/jsonTokens.js';

const pieceLength = 1 << 16;

/** Like `JSON.stringify(value, null, 2)`, but without a depth limit, and with all digits of numbers. */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const token of tokensOf(value)) {
    piece += token;
    if (piece.length < pieceLength) continue;
    yield escapeHiddenInJson(piece);
    piece = '';
  }
  yield escapeHiddenInJson(piece);
}

/** The first `maxLength` characters of a text in pieces. No more pieces are created than are needed. */
export function beginningOf(pieces: Iterable<string>, maxLength: number): { text: string; isWhole: boolean } {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length > maxLength) return { text: text.slice(0, maxLength), isWhole: false };
  }
  return { text, isWhole: true };
}

/**
 * The same JSON text with line breaks and indentation. Numbers and strings keep every character; parsing and printing
 * would round large numbers. In text that is not valid JSON, only white space changes.
 */
export function* reindentPieces(json: string): Generator<string> {
  const lineBreak = lineBreaks();
  let piece = '';
  let depth = 0;
  for (let i = 0; i < json.length;) {
    const char = json[i] as string;
    if (char === '"') {
      const end = endOfString(json, i);
      piece += json.slice(i, end);
      i = end;
    } else if (char === '{' || char === '[') {
      const next = skipSpace(json, i + 1);
      if (json[next] === '}' || json[next] === ']') {
        piece += char + (json[next] as string);
        i = next + 1;
      } else {
        depth++;
        piece += char + lineBreak(depth);
        i = next;
      }
    } else if (char === '}' || char === ']') {
      depth--;
      piece += lineBreak(depth) + char;
      i++;
    } else if (char === ',') {
      piece += char + lineBreak(depth);
      i = skipSpace(json, i + 1);
    } else if (char === ':') {
      piece += ': ';
      i = skipSpace(json, i + 1);
    } else if (isSpace(char)) {
      i++;
    } else {
      piece += char;
      i++;
    }
    if (piece.length >= pieceLength) {
      yield escapeHiddenInJson(piece);
      piece = '';
    }
  }
  yield escapeHiddenInJson(piece);
}

function endOfString(json: string, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    const char = json[i];
    if (char === '\\') i++;
    else if (char === '"') return i + 1;
  }
  return json.length;
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

function skipSpace(json: string, start: number): number {
  let i = start;
  while (isSpace(json[i])) i++;
  return i;
}

/** The value if the text is a JSON object or array. Other JSON is more readable as plain text. */
export function parseJsonText(text: string): { value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: parseExact(text) };
  } catch {
    // The text is not valid JSON, so it is treated as plain text.
    return undefined;
  }
}

/** Whether two JSON values are equal. All digits are compared; the order of properties is ignored. */
export function isSameJson(a: unknown, b: unknown): boolean {
  const waiting: [unknown, unknown][] = [[a, b]];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (const [index, item] of left.entries()) {
        if (typeof item === 'number' && literalAt(left, index) !== literalAt(right, index)) return false;
        waiting.push([item, right[index]]);
      }
    } else if (isObject(left)) {
      if (!isObject(right)) return false;
      const keys = Object.keys(left);
      if (keys.length !== Object.keys(right).length || !keys.every((key) => Object.hasOwn(right, key))) return false;
      for (const key of keys) {
        if (typeof left[key] === 'number' && literalAt(left, key) !== literalAt(right, key)) return false;
        waiting.push([left[key], right[key]]);
      }
    } else return false;
  }
  return true;
}

/** All arguments as exact JSON, with hidden characters as escapes. */
export function argumentsText(values: object): string {
  return [...jsonPieces(values)].join('');
}
