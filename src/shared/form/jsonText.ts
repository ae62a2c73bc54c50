/**
 * JSON texts that keep every value exactly: minus zero too, which `JSON.stringify` does not. What is typed as a number is
 * read here as well, by the same rule: either it is exactly the number that would be sent, or it is none.
 */
import { t } from '@vscode/l10n';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';

/**
 * The text of a value, indented by `indent` spaces (default 0). Undefined when it is nested too deeply to be written.
 */
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

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): { value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    // Half-typed; `jsonProblem` tells where.
    return undefined;
  }
}

/**
 * Where a text ends to be JSON, in few words; undefined when it is JSON. The engine's own message differs from
 * version to version.
 */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return t('it is empty');
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (position === undefined || Number(position) >= text.length) return t('it ends too early');
    const char = String.fromCodePoint(text.codePointAt(Number(position)) ?? 0);
    const shown = /[\p{C}\p{Z}]/u.test(char) ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char;
    return t('unexpected "{0}" at character {1}', shown, Number(position) + 1);
  }
}

/** Whether two values are the same, the order of names included. */
export function isSameJson(a: JsonValue, b: JsonValue): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const text = jsonText(a);
  return text !== undefined && text === jsonText(b);
}

/**
 * Whether a value may be kept in a form: not more than `maxNodes` parts (default 2,000), 50 levels and 100,000 characters.
 * Returns its size, or undefined.
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
 * The number that a text means; undefined when it is none yet, or when the number would not be the one that is
 * written.
 */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!isNumberText(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) && isExact(trimmed, value) ? value : undefined;
}

/** What a number is typed as: the way back from `readNumber`. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Why a text is no number; completes a sentence that begins with the name of the field. Undefined when it is one. */
export function numberProblem(text: string, isInteger: boolean): string | undefined {
  if (readNumber(text) !== undefined) return undefined;
  if (isNumberText(text.trim())) return t('is too large to be sent exactly');
  return isInteger ? t('must be a whole number') : t('must be a number');
}

function isNumberText(text: string): boolean {
  return text.length <= 400 && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?$/i.test(text);
}

/**
 * Whole numbers beyond 2^53 lose their last digits when they become a JSON number; fractions are rounded as
 * everywhere.
 */
function isExact(text: string, value: number): boolean {
  if (Number.isSafeInteger(value) || /[.e]/i.test(text)) return true;
  const digits = text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  return digits === String(value) || BigInt(digits) === BigInt(value);
}
