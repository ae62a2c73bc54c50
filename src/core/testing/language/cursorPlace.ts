/**
 * Where the cursor is in a test file. The text is incomplete while the user types, so the place is read from the
 * indentation of the lines and the brackets of the cursor's line, and not from a parsed file.
 */

export interface CursorPlace {
  /** The keys of the maps around the cursor; list items are `-`. */
  path: readonly string[];
  /** The key whose value the cursor is in. Undefined if the cursor is at a key. */
  key: string | undefined;
  /** The part of the key or the value that is before the cursor. */
  prefix: string;
}

/** A key or a dash (`-`) at the beginning of a line. */
interface Opener {
  indent: number;
  name: string;
}

// A bare key is trimmed afterwards, because a pattern for its blanks would take quadratic time.
const keyPattern = /^(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s:#,[\]{}"'-][^:#,[\]{}]*)):(?=\s|$)/;

/** Maximum part of a line that is read, in characters. A file can be hostile. */
const maxLine = 10_000;

/** The place of the cursor. Lines and characters begin at 0. */
export function cursorPlace(lines: readonly string[], line: number, character: number): CursorPlace {
  const stack: Opener[] = [];
  for (let at = 0; at < line; at++) {
    const text = lines[at] ?? '';
    if (text.trim() !== '' && !text.trimStart().startsWith('#')) open(stack, openersOf(text).openers);
  }
  const before = (lines[line] ?? '').slice(0, character);
  const { openers, rest, indent } = openersOf(before);
  open(stack, openers);
  const last = openers.at(-1);
  if (last === undefined || last.name === '-') close(stack, { indent, name: '' });
  const key = last === undefined || last.name === '-' ? undefined : stack.pop()?.name;
  const path = stack.map(({ name }) => name);
  const flow = readFlow(rest, key);
  return { path: [...path, ...flow.path], key: flow.key, prefix: flow.prefix };
}

/** Removes the openers that end before this one: those with the same or a larger indentation. */
function close(stack: Opener[], { indent, name }: Opener): void {
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    // The dashes of a list can have the same indentation as its key.
    const isOwnList = name === '-' && top.name !== '-' && top.indent === indent;
    if (top.indent < indent || isOwnList) return;
    stack.pop();
  }
}

function open(stack: Opener[], openers: readonly Opener[]): void {
  for (const opener of openers) {
    close(stack, opener);
    stack.push(opener);
  }
}

/** The dashes and the key at the beginning of a line, what follows them, and where it begins. */
function openersOf(line: string): { openers: Opener[]; rest: string; indent: number } {
  const text = line.slice(0, maxLine);
  const openers: Opener[] = [];
  let at = /^\s*/.exec(text)?.[0].length ?? 0;
  for (let dash = /^-(?:\s+|$)/.exec(text.slice(at)); dash; dash = /^-(?:\s+|$)/.exec(text.slice(at))) {
    openers.push({ indent: at, name: '-' });
    at += dash[0].length;
  }
  const match = keyPattern.exec(text.slice(at));
  if (!match) return { openers, rest: text.slice(at), indent: at };
  openers.push({ indent: at, name: match[1] ?? match[2] ?? match[3]?.trim() ?? '' });
  return { openers, rest: text.slice(at + match[0].length).trimStart(), indent: at };
}

/** Reads the brackets after a key: after `a: { b: 1, c: { d`, the cursor is below `a` and `c`, at a key. */
function readFlow(text: string, outer: string | undefined): CursorPlace {
  /** The open brackets, each with the key before it. */
  const stack: { isList: boolean; key: string | undefined }[] = [];
  let key = outer;
  let word = '';
  let quote = '';
  for (const char of text) {
    const isList = stack.at(-1)?.isList === true;
    if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if ((char === '"' || char === "'") && word.trim() === '') {
      quote = char;
      word = '';
    } else if (char === '{' || char === '[') {
      stack.push({ isList: char === '[', key });
      key = undefined;
      word = '';
    } else if (char === '}' || char === ']') {
      key = stack.pop()?.key ?? '';
      word = '';
    } else if (char === ',' && stack.length > 0) {
      key = undefined;
      word = '';
    } else if (char === ':' && stack.length > 0 && !isList && key === undefined) {
      key = word.trim();
      word = '';
    } else word += char;
  }
  const inner = stack.at(-1);
  const path = stack.flatMap(({ isList, key: name }) => [
    ...(name === undefined ? [] : [name]),
    ...(isList ? ['-'] : []),
  ]);
  // An item of a list is a value of the key before the bracket.
  if (inner?.isList) return { path: path.slice(0, -2), key: inner.key, prefix: word.trimStart() };
  return { path, key, prefix: word.trimStart() };
}
