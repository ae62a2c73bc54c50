/**
 * Analyzes the position of the cursor in JSON text that the user is writing: what can be inserted there, and which
 * range a completion replaces.
 */
import type { JsonValue } from '../../json.js';
import { parseJson } from '../formJson.js';
import type { TextRange } from '../looseJson.js';
import type { JsonFrame, JsonStep } from './jsonReader.js';
import { isEnded, pointerOf, readJson, rootFrame, tokenText } from './jsonReader.js';

export interface JsonCursor {
  expects: 'name' | 'value';
  /** If a name is expected, the JSON Pointer of its object; otherwise, the JSON Pointer of the value. */
  pointer: string;
  /** The range of the name or value at the cursor. Empty if there is none. */
  range: TextRange;
  /** The part of the name or value before the cursor, without its opening quotation mark. */
  typed: string;
  /** The names of the object's other properties. */
  names: ReadonlySet<string>;
  hasColon: boolean;
  /** The end of the previous value, if the comma after it is missing. */
  commaAt: number | undefined;
  needsCommaAfter: boolean;
}

/**
 * The position of the cursor. Undefined if nothing can be completed: in a comment, where a colon is expected, and after
 * the end of the whole value.
 */
export function jsonCursor(source: string, offset: number): JsonCursor | undefined {
  const steps = [...readJsonWithState(source)];
  const at = steps.findIndex(({ token }) => token.to >= offset);
  const touched = steps.slice(Math.max(0, at)).find((step) => at >= 0 && isTouched(step, offset));
  if (touched?.role === 'comment') return undefined;
  const next = touched ? steps[steps.indexOf(touched) + 1] : steps.find(({ token }) => token.from >= offset);
  const last = steps.at(-1);
  const state = touched ?? next ?? (last && { ...last, ...stateAfter(source) }) ?? { frame: rootFrame() };
  const frame = state.frame;
  const expects = expectsAt(touched, frame);
  if (expects === undefined) return undefined;
  const range = touched ? { from: touched.token.from, to: touched.token.to } : { from: offset, to: offset };
  const follower = steps.find(({ token, role }) => token.from >= range.to && role !== 'comment');
  const missing = frame.expects === 'comma' ? frame.valueEnd : undefined;
  return {
    expects,
    pointer: expects === 'name' ? frame.pointer : pointerOf(frame),
    range,
    typed: touched ? tokenText(source.slice(range.from, offset)) : '',
    names: namesIn(steps, frame, range),
    hasColon: follower?.role === 'colon',
    commaAt: missing,
    needsCommaAfter: follower !== undefined && !['close', 'comma', 'colon'].includes(follower.role),
  };
}

/** Each step with its own copy of the frame, because the reader changes a frame with each token. */
function* readJsonWithState(source: string): Generator<JsonStep> {
  for (const step of readJson(source)) yield { ...step, frame: { ...step.frame } };
}

/** The frame at the end of a text. */
function stateAfter(source: string): { frame: JsonFrame } {
  // The added token `:` does not change the state, so its step contains the state at the end of the text.
  const last = [...readJsonWithState(`${source}\n:`)].at(-1);
  return { frame: last?.role === 'comment' ? rootFrame() : (last?.frame ?? rootFrame()) };
}

function isTouched({ token, role }: JsonStep, offset: number): boolean {
  if (role === 'comment')
    return token.from < offset && (offset < token.to || (offset === token.to && !token.text.endsWith('*/')));
  if (token.kind !== 'scalar') return false;
  if (!token.text.startsWith('"')) return token.from <= offset && offset <= token.to;
  return token.from < offset && (offset < token.to || !isEnded(token.text));
}

function expectsAt(touched: JsonStep | undefined, frame: JsonFrame): JsonCursor['expects'] | undefined {
  if (touched) return touched.role === 'name' ? 'name' : 'value';
  if (frame.expects === 'colon' || (!frame.parent && frame.expects === 'comma')) return undefined;
  if (frame.expects === 'value' || frame.isList) return 'value';
  return 'name';
}

function namesIn(steps: readonly JsonStep[], { pointer, depth, isList }: JsonFrame, range: TextRange): Set<string> {
  const own = steps.filter(
    ({ token, role, frame }) =>
      !isList &&
      role === 'name' &&
      frame.depth === depth &&
      frame.pointer === pointer &&
      !(token.from === range.from && token.to === range.to),
  );
  return new Set(own.map(({ token }) => tokenText(token.text)));
}

/**
 * The properties of the object at a JSON Pointer that are strings, numbers, or literals, by name. They show which
 * variant the object belongs to.
 */
export function plainMembers(source: string, pointer: string): Map<string, JsonValue> {
  const members = new Map<string, JsonValue>();
  for (const { token, role, frame } of readJson(source)) {
    if (role !== 'value' || frame.isList || frame.pointer !== pointer || frame.expects !== 'value') continue;
    const parsed = parseJson(token.text);
    if (parsed) members.set(frame.name, parsed.value);
  }
  return members;
}

/**
 * The ranges of the values with these JSON Pointers. If a value does not exist, the range of the innermost existing
 * object or list around it. The range of an object or list is its opening bracket.
 */
export function rangesOf(source: string, pointers: readonly string[]): (TextRange | undefined)[] {
  const wanted = new Set(
    pointers.flatMap((pointer) => {
      const steps = pointer.split('/');
      return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
    }),
  );
  const found = new Map<string, TextRange>();
  for (const { token, role, frame } of readJson(source)) {
    if (role !== 'value' && role !== 'open') continue;
    const pointer = pointerOf(frame);
    if (wanted.has(pointer) && !found.has(pointer)) found.set(pointer, { from: token.from, to: token.to });
  }
  return pointers.map((pointer) => {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const range = found.get(at);
      if (range !== undefined || at === '') return range;
    }
  });
}
