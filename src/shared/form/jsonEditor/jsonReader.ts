/**
 * Reads JSON text that the user is writing. The text may contain comments, and errors anywhere. Returns every token
 * with its position in the value. The time is linear in the length of the text.
 */
import { pointerTo } from '../../json.js';
import type { TextRange } from '../looseJson.js';

/** One token of the text. Strings, numbers, and literals such as `true` have kind `scalar`. */
export interface JsonToken extends TextRange {
  kind: 'open' | 'close' | 'comma' | 'colon' | 'scalar' | 'comment';
  text: string;
}

/** An object or list whose content is being read. */
export interface JsonFrame {
  parent: JsonFrame | undefined;
  /** JSON Pointer of the object or list. */
  pointer: string;
  /** Number of objects and lists from the root to this one, including itself; 0 for the frame around the root value. */
  depth: number;
  isList: boolean;
  /** The kind of token that is valid next. `comma` also allows the end of the object or list. */
  expects: 'name' | 'colon' | 'value' | 'comma';
  /** The name of the current property. */
  name: string;
  /** The index of the current item. */
  index: number;
  /** Offset of the end of the last value. */
  valueEnd: number;
}

/** One token with its role. `frame` is the frame before the token. It is changed when the next token is read. */
export interface JsonStep {
  token: JsonToken;
  role: 'name' | 'value' | 'open' | 'close' | 'comma' | 'colon' | 'comment';
  frame: JsonFrame;
}

const anyToken =
  /[ \t\n\r]+|"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"?|\/\/[^\n\r]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?|[{}[\]:,]|[^ \t\n\r{}[\]:,"/]+|[^]/g;
const kinds: Record<string, JsonToken['kind']> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ',': 'comma',
  ':': 'colon',
};

function* tokensOf(source: string): Generator<JsonToken> {
  for (const { 0: text, index: from } of source.matchAll(anyToken)) {
    if (/^[ \t\n\r]/.test(text)) continue;
    const isComment = text.startsWith('//') || text.startsWith('/*');
    yield { kind: isComment ? 'comment' : (kinds[text] ?? 'scalar'), text, from, to: from + text.length };
  }
}

/** Reads all tokens of a text with their roles. After a syntax error, a role is only a guess. */
export function* readJson(source: string): Generator<JsonStep> {
  let frame = rootFrame();
  for (const token of tokensOf(source)) {
    const role = roleOf(token, frame);
    yield { token, role, frame };
    frame = after(token, role, frame);
  }
}

/** The frame around the root value. It is treated like a list with one item. */
export function rootFrame(): JsonFrame {
  return {
    parent: undefined,
    pointer: '',
    depth: 0,
    isList: true,
    expects: 'value',
    name: '',
    index: 0,
    valueEnd: 0,
  };
}

function roleOf({ kind }: JsonToken, { isList, expects }: JsonFrame): JsonStep['role'] {
  if (kind !== 'scalar') return kind;
  // In an object, a scalar after a missing comma is read as a name, and after a missing colon as a value, so that the
  // rest of the text keeps its meaning.
  return !isList && (expects === 'name' || expects === 'comma') ? 'name' : 'value';
}

function after(token: JsonToken, role: JsonStep['role'], frame: JsonFrame): JsonFrame {
  switch (role) {
    case 'name':
      frame.name = tokenText(token.text);
      frame.expects = 'colon';
      return frame;
    case 'value':
      nextItem(frame);
      frame.expects = 'comma';
      frame.valueEnd = token.to;
      return frame;
    case 'open': {
      const pointer = pointerOf(frame);
      nextItem(frame);
      return {
        ...rootFrame(),
        parent: frame,
        pointer,
        depth: frame.depth + 1,
        isList: token.text === '[',
        expects: token.text === '[' ? 'value' : 'name',
      };
    }
    case 'close': {
      const { parent = frame } = frame;
      parent.expects = 'comma';
      parent.valueEnd = token.to;
      return parent;
    }
    case 'comma':
      if (frame.parent && frame.isList) frame.index++;
      frame.expects = frame.isList ? 'value' : 'name';
      return frame;
    case 'colon':
      if (!frame.isList) frame.expects = 'value';
      return frame;
    case 'comment':
      return frame;
  }
}

/** Counts an item even if the comma before it is missing. */
function nextItem(frame: JsonFrame): void {
  if (frame.parent && frame.isList && frame.expects === 'comma') frame.index++;
}

/**
 * JSON Pointer of the value at the current position. Where a comma is missing after an item of a list, the pointer of
 * the next item.
 */
export function pointerOf({ parent, pointer, isList, index, expects, name }: JsonFrame): string {
  if (!parent) return '';
  return pointerTo(pointer, isList ? (expects === 'comma' ? index + 1 : index) : name);
}

/** The text of a string token, complete or not. Other tokens are returned as they are. */
export function tokenText(token: string): string {
  if (!token.startsWith('"')) return token;
  const isWhole = isEnded(token);
  try {
    return JSON.parse(isWhole ? token : `${token}"`) as string;
  } catch {
    // The token contains an incomplete or invalid escape sequence, so the escapes are kept.
    return token.slice(1, isWhole ? -1 : undefined);
  }
}

/** Whether a string token has its closing quote. */
export function isEnded(token: string): boolean {
  return token.length > 1 && /[^\\](?:\\\\)*"$/.test(token);
}
