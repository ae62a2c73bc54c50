/**
 * Reads and writes JSON text. Minus zero, which `JSON.stringify` changes, is kept. An integer that JavaScript cannot
 * represent is not accepted, because it would be sent with other digits.
 */
import { t } from '@vscode/l10n';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import { scanJson, strictJson } from './looseJson.js';

/** The JSON text of a value, indented by `indent` spaces (default 0). Undefined if the value is nested too deeply. */
export function jsonText(value: JsonValue, indent = 0): string | undefined {
  try {
    return write(value, indent, '');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function write(value: JsonValue, indent: number, margin: string): string {
  if (value === null || typeof value !== 'object')
    return Object.is(value, -0) ? '-0' : (JSON.stringify(value) ?? 'null');
  const inner = margin + ' '.repeat(indent);
  const space = indent > 0 ? ' ' : '';
  const parts = Array.isArray(value)
    ? value.map((item) => write(item, indent, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${JSON.stringify(name)}:${space}${write(item, indent, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  return indent > 0
    ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`
    : open + parts.join(',') + close;
}

/**
 * The value of a JSON text. Comments and commas before a closing bracket are allowed. Undefined if the text is not
 * valid JSON, or has an integer that JavaScript cannot represent.
 */
export function parseJson(text: string): { value: JsonValue } | undefined {
  if (roundedInteger(text) !== undefined) return undefined;
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    // The text has comments or a trailing comma, or it is invalid. `jsonProblem` reports where it stops being valid.
    const { error, extras } = scanJson(text);
    return error === undefined ? { value: JSON.parse(strictJson(text, extras)) as JsonValue } : undefined;
  }
}

/** The offset at which `parseJson` does not accept a text. Undefined for accepted JSON. */
export function jsonErrorAt(text: string): number | undefined {
  return scanJson(text).error ?? roundedInteger(text)?.index;
}

/** A short description of why and where `parseJson` does not accept a text. Undefined for accepted JSON. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return t('it is empty');
  const at = scanJson(text).error;
  if (at === undefined) {
    const rounded = roundedInteger(text);
    return rounded && t('the number {0} is too large to be sent exactly', shortNumber(rounded[0]));
  }
  if (at >= text.length) return t('it ends too early');
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const shown = /[\p{C}\p{Z}]/u.test(char) ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char;
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return before.length === 1
    ? t('unexpected "{0}" at character {1}', shown, column)
    : t('unexpected "{0}" at line {1}, column {2}', shown, before.length, column);
}

/** Comments, strings, and numbers of a JSON text. */
const commentOrValue = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The first integer of a JSON text that would lose digits. */
function roundedInteger(text: string): RegExpExecArray | undefined {
  // Shorter numbers are exact, and most texts contain no longer numbers.
  if (!/\d{16}/.test(text)) return undefined;
  for (const match of text.matchAll(commentOrValue))
    if (/^-?\d/.test(match[0]) && !isExact(match[0], Number(match[0]))) return match;
  return undefined;
}

function shortNumber(digits: string): string {
  return digits.length > 40 ? `${digits.slice(0, 40)}…` : digits;
}

/** Whether two values are equal, including the order of property names. */
export function isIdenticalJson(a: JsonValue, b: JsonValue): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const text = jsonText(a);
  return text !== undefined && text === jsonText(b);
}

/**
 * The number of nested values in `value`. Undefined if the value is too large for a form: more than `maxNodes` values
 * (default 2,000), 50 levels, or 100,000 characters.
 */
export function sizeOf(value: unknown, maxNodes = 2_000): number | undefined {
  let nodes = 0;
  let characters = 0;
  const waiting: [unknown, number][] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [current, depth] = next;
    if (++nodes > maxNodes || depth > 50) return undefined;
    if (typeof current === 'string') characters += current.length;
    else if (Array.isArray(current)) {
      if (current.length > maxNodes) return undefined;
      for (const item of current as unknown[]) waiting.push([item, depth + 1]);
    } else if (isObject(current)) {
      const names = Object.keys(current);
      if (names.length > maxNodes) return undefined;
      for (const name of names) {
        characters += name.length;
        waiting.push([current[name], depth + 1]);
      }
    }
    if (characters > 100_000) return undefined;
  }
  return nodes;
}

/**
 * The number in a text. Undefined if the text is not a number, or if it is an integer that JavaScript cannot represent.
 */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!isNumberText(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) && isExact(trimmed, value) ? value : undefined;
}

/** The text of a number. The inverse of `readNumber`. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/**
 * Why a text is not a valid number, as words that follow the name of the field in a sentence. Undefined if the number
 * is valid.
 */
export function numberProblem(text: string, isInteger: boolean): string | undefined {
  if (readNumber(text) !== undefined) return undefined;
  if (isNumberText(text.trim())) return t('is too large to be sent exactly');
  return isInteger ? t('must be an integer') : t('must be a number');
}

function isNumberText(text: string): boolean {
  return text.length <= 400 && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?$/i.test(text);
}

/**
 * Whether an integer keeps all its digits. Integers above 2^53 can lose their last digits in JavaScript. Numbers with a
 * fraction or an exponent are not checked, because users expect that they are rounded.
 */
function isExact(text: string, value: number): boolean {
  if (Number.isSafeInteger(value) || /[.e]/i.test(text)) return true;
  if (!Number.isFinite(value)) return false;
  const digits = text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  return digits === String(value) || BigInt(digits) === BigInt(value);
}
