import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';

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
 */
export function filledIn(value: unknown, values: Values, notation: Notation): unknown {
  if (typeof value === 'string') return filledText(value, values, notation);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, values, notation));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      asText(filledText(key, values, notation)),
      filledIn(item, values, notation),
    ]),
  );
}

/** Maximum length of a text with its values, in UTF-16 code units: a value can be repeated in it. */
const maxFilled = 10_000_000;

function filledText(text: string, values: Values, notation: Notation): unknown {
  const pattern = notations[notation];
  const [only] = text.matchAll(pattern);
  if (only?.[0] === text && only[1] !== undefined && Object.hasOwn(values, only[1])) return values[only[1]];
  let length = text.length;
  return text.replace(pattern, (written, name: string | undefined) => {
    if (written === '$${') return '${';
    if (name === undefined || !Object.hasOwn(values, name)) return written;
    const value = asText(values[name]);
    length += value.length;
    if (length > maxFilled)
      throw new UserError(t('After its values are filled in, a text has more than {0} characters.', maxFilled));
    return value;
  });
}

/** A value inside of a text: texts as they are, other values as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
