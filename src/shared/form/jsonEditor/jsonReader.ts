/**
 * Reads JSON text that the user is writing, with comments, and with errors anywhere: every token with its place in the
 * value. Linear in the text.
 */
import { pointerTo } from '../../json.js';
import type { TextRange } from '../looseJson.js';

/** A string, number or word has kind `scalar`, and a string is `isText`. */
export interface JsonToken extends TextRange {
  kind: 'open' | 'close' | 'comma' | 'colon' | 'scalar' | 'comment';
  text: string;
}

/** An object or list around a token. */
export interface JsonFrame {
  parent: JsonFrame | undefined;
  /** JSON Pointer of the object or list. */
  pointer: string;
  /** The names and indexes that lead to it. */
  depth: number;
  isList: boolean;
  /** What fits next. `comma` also means the end of the object or list. */
  expects: 'name' | 'colon' | 'value' | 'comma';
  /** The name of the current property. */
  name: string;
  /** The index of the current item. */
  index: number;
  /** The end of the last value. */
  valueEnd: number;
}

/** One token with its meaning. The frame is the one before the token is applied, and changes with the next token. */
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

/** All tokens of a text, each with its meaning. After an error, a meaning can be unknown. */
export function* readJson(source: string): Generator<JsonStep> {
  let frame = rootFrame();
  for (const token of tokensOf(source)) {
    const role = roleOf(token, frame);
    yield { token, role, frame };
    frame = after(token, role, frame);
  }
}

/** The frame of the whole text is like a list with one item. */
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
  // A missing comma or colon is no reason to lose the meaning of the rest.
  return !isList && (expects === 'name' || expects === 'comma') ? 'name' : 'value';
}

function after(token: JsonToken, role: JsonStep['role'], frame: JsonFrame): JsonFrame {
  switch (role) {
    case 'name':
      frame.name = textOf(token.text);
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

/** Two items without a comma between them are two items. */
function nextItem(frame: JsonFrame): void {
  if (frame.parent && frame.isList && frame.expects === 'comma') frame.index++;
}

/** JSON Pointer of the value that fits next, or follows without a comma. */
export function pointerOf({ parent, pointer, isList, index, expects, name }: JsonFrame): string {
  if (!parent) return '';
  return pointerTo(pointer, isList ? (expects === 'comma' ? index + 1 : index) : name);
}

/** The text of a string token, complete or not. Other tokens are returned as they are. */
export function textOf(token: string): string {
  if (!token.startsWith('"')) return token;
  const isWhole = isEnded(token);
  try {
    return JSON.parse(isWhole ? token : `${token}"`) as string;
  } catch {
    // An incomplete escape sequence.
    return token.slice(1, isWhole ? -1 : undefined);
  }
}

/** Whether a string token has its closing quote. */
export function isEnded(token: string): boolean {
  return token.length > 1 && /[^\\](?:\\\\)*"$/.test(token);
}
