import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import { objectOf } from '../base/objectCopy.js';
import { valueCost } from '../base/valueCost.js';

/** The values that texts of a case can use, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** How values are written in texts: `${name}`, or `{{name}}` in files of mcp-assert. `$${` produces `${`. */
const notations = { mcptest: /\$\$\{|\$\{([^{}]*)\}/g, 'mcp-assert': /\{\{\s*([\w.-]+)\s*\}\}/g } as const;
export type Notation = keyof typeof notations;

/** The names that the texts of a value use, at any depth. */
export function usedNames(value: unknown, notation: Notation): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(notations[notation])].flatMap(([, name]) => (name === undefined ? [] : [name]));
  if (Array.isArray(value)) return value.flatMap((item) => usedNames(item, notation));
  return isObject(value)
    ? Object.entries(value).flatMap((member) => member.flatMap((part) => usedNames(part, notation)))
    : [];
}

/**
 * A copy in which names are replaced by values, at any depth. A text that is only one name gets the value with its
 * type. A name without a value stays as it is. Inserted texts are not searched for names.
 * @param room the room for inserted texts, which other values can share. Default: `roomForValues()`.
 * @throws UserError if there is not enough room.
 */
export function filledIn(value: unknown, values: Values, notation: Notation, room = roomForValues()): unknown {
  if (typeof value === 'string') return filledText(value, values, notation, room);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, values, notation, room));
  if (!isObject(value)) return value;
  return objectOf(
    Object.entries(value).map(([key, item]) => [
      asText(filledText(key, values, notation, room)),
      filledIn(item, values, notation, room),
    ]),
  );
}

/** The room for inserted texts. A value can be repeated, so their total length is limited. */
export interface Room {
  /** In UTF-16 code units. */
  readonly limit: number;
  left: number;
}

/** @param limit default: 10,000,000 */
export function roomForValues(limit = 10_000_000): Room {
  return { limit, left: limit };
}

function filledText(text: string, values: Values, notation: Notation, room: Room): unknown {
  const pattern = notations[notation];
  const [only] = text.matchAll(pattern);
  if (only?.[0] === text && only[1] !== undefined && Object.hasOwn(values, only[1])) {
    const value = values[only[1]];
    // Each use becomes a text of its own when the request is sent.
    take(room, valueCost(value, room.left));
    return value;
  }
  return text.replace(pattern, (written, name: string | undefined) => {
    if (written === '$${') return '${';
    if (name === undefined || !Object.hasOwn(values, name)) return written;
    const value = asText(values[name]);
    take(room, value.length);
    return value;
  });
}

function take(room: Room, length: number): void {
  room.left -= length;
  if (room.left < 0) throw new UserError(t('The values that are filled in have more than {0} characters.', room.limit));
}

/** A value inside of a text: texts as they are, other values as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
