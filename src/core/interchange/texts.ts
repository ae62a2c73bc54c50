import { isObject } from '../base/guards.js';
import type { Path } from './portableServer.js';

/** The members of a server that may contain variables. Texts in other members are names and choices. */
const withVariables: ReadonlySet<string> = new Set([
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'url',
  'headers',
  'oauth',
  'caFile',
]);

/**
 * Replaces every text in a server's fields that may contain variables. `path` is the path of the field; all items of a
 * list have the path of the list.
 */
export function mapServerTexts(
  fields: Readonly<Record<string, unknown>>,
  replace: (text: string, path: Path) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      withVariables.has(name) ? mapTexts(value, [name], replace) : value,
    ]),
  );
}

function mapTexts(value: unknown, path: Path, replace: (text: string, path: Path) => string): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value))
    return value.map((item: unknown) => (typeof item === 'string' ? replace(item, path) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, [...path, name], replace)]),
  );
}
