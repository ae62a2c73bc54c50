/** Converts JSON values of any depth to text tokens, and keeps all digits of numbers. */
import { ExactNumber, exactAt, holdsLiterals } from './exactNumbers.js';
import { isObject } from './guards.js';

const pieceLength = 1 << 16;
/** Maximum indentation level. Without it, a small text with a hundred thousand brackets would become gigabytes. */
const maxIndent = 40;
/** Maximum indentation of a text as a whole, in characters. The lines after it are not indented. */
const maxIndentation = 4_000_000;

/** Returns a function that makes the line breaks of one text, with indentation. */
export function lineBreaks(): (depth: number) => string {
  let left = maxIndentation;
  return (depth) => {
    const width = 2 * Math.max(0, Math.min(depth, maxIndent));
    left -= width;
    return left < 0 ? '\n' : `\n${' '.repeat(width)}`;
  };
}

/** Like `JSON.stringify(value)`, but keeps all digits of numbers. */
export function compactJson(value: unknown): string {
  let text = '';
  for (const token of tokensOf(value, true)) text += token;
  return text;
}

/** The text of a message: like `compactJson`, but as fast as `JSON.stringify` for values without long numbers. */
export function exactJson(value: object): string {
  return holdsLiterals(value) ? compactJson(value) : JSON.stringify(value);
}

/** The first `maxLength` characters or slightly more of `compactJson(value)`. The rest of the value is not read. */
export function jsonStart(value: unknown, maxLength: number): string {
  let text = '';
  for (const token of tokensOf(value, true)) {
    text += token;
    if (text.length > maxLength) break;
  }
  return text;
}

/**
 * JSON with indentation and a line break at the end, for a file; undefined if it has more than `maxLength` characters.
 * Indentation can make a deep value hundreds of times longer, so no more of it is made than the limit allows.
 */
export function indentedJson(value: unknown, maxLength: number): string | undefined {
  let text = '';
  for (const token of tokensOf(value)) {
    text += token;
    if (text.length > maxLength) return undefined;
  }
  return `${text}\n`;
}

/** A long string in parts, so that megabytes are not converted at once. */
function* stringTokens(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + pieceLength, text.length);
    // Do not split a surrogate pair: an unpaired surrogate would be written as an escape.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

type Open = { close: '}' | ']'; entries: Iterator<[string | undefined, unknown]>; isFirst: boolean };

/** The tokens of a value, each short; `isCompact` omits white space. */
export function* tokensOf(value: unknown, isCompact = false): Generator<string> {
  const lineBreak = lineBreaks();
  const stack: Open[] = [];
  let next: unknown = value;
  for (;;) {
    const open = opened(next);
    if (open) {
      yield open.close === '}' ? '{' : '[';
      stack.push(open);
    } else if (typeof next === 'string' && next.length > pieceLength) {
      yield* stringTokens(next);
    } else if (next instanceof ExactNumber) {
      yield next.literal;
    } else {
      yield JSON.stringify(next) ?? 'null';
    }
    for (;;) {
      const top = stack.at(-1);
      if (!top) return;
      const entry = top.entries.next();
      if (!entry.done) {
        const [key, inner] = entry.value;
        const name = key === undefined ? '' : `${JSON.stringify(key)}:${isCompact ? '' : ' '}`;
        yield `${top.isFirst ? '' : ','}${isCompact ? '' : lineBreak(stack.length)}${name}`;
        top.isFirst = false;
        next = inner;
        break;
      }
      stack.pop();
      yield top.isFirst || isCompact ? top.close : lineBreak(stack.length) + top.close;
    }
  }
}

function opened(value: unknown): Open | undefined {
  if (Array.isArray(value)) return { close: ']', entries: items(value), isFirst: true };
  return isObject(value) && !(value instanceof ExactNumber)
    ? { close: '}', entries: members(value), isFirst: true }
    : undefined;
}

function* items(values: readonly unknown[]): Generator<[undefined, unknown]> {
  for (const [index, value] of values.entries())
    yield [undefined, typeof value === 'number' ? exactAt(values, index) : value];
}

function* members(value: Record<string, unknown>): Generator<[string, unknown]> {
  // A generator, because a caller that needs only the beginning stops early.
  for (const name in value) {
    const inner = value[name];
    if (inner !== undefined && Object.hasOwn(value, name))
      yield [name, typeof inner === 'number' ? exactAt(value, name) : inner];
  }
}
