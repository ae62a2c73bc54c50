/** The types for moving servers between the configurations of different apps. */
import type { InputDefinition } from '../config/serverDefinition.js';
import { isObject, valueAt } from '../base/guards.js';
import { objectOf } from '../base/objectCopy.js';

/**
 * A server during a conversion. Its fields and values are those of our own files. Variables have the notation of
 * `.vscode/mcp.json`, plus `${env:NAME:-default}`, which only some files support.
 */
export interface PortableServer {
  name: string;
  fields: Readonly<Record<string, unknown>>;
}

/** A difference between the server before and after the conversion. */
export interface Loss {
  server: string;
  /** The field as spelled in the file that was read or written; empty if the loss concerns the whole server. */
  field: string;
  /** What happened to the field, as a sentence. */
  message: string;
}

/** The result of reading the servers of another app. */
export interface ImportedServers {
  servers: readonly PortableServer[];
  /** The inputs that the servers refer to. */
  inputs: readonly InputDefinition[];
  losses: readonly Loss[];
  /** Servers that MCP Deck cannot use, with the reason. */
  unusable: readonly { name: string; reason: string }[];
}

/** The path of a member in an object, as a list of property names. */
export type Path = readonly string[];

/** A copy of `object` with a value at a path. */
export function withValueAt(
  object: Readonly<Record<string, unknown>>,
  [first, ...rest]: Path,
  value: unknown,
): Record<string, unknown> {
  if (first === undefined) return { ...object };
  const inner = valueAt(object, [first]);
  const next =
    rest.length === 0
      ? value
      : withValueAt(
          typeof inner === 'object' && inner !== null && !Array.isArray(inner)
            ? (inner as Record<string, unknown>)
            : {},
          rest,
          value,
        );
  return objectOf([...Object.entries(object).filter(([name]) => name !== first), [first, next]]);
}

/** The paths of all values without members, one after the other. A list is one value. */
export function* leavesOf(value: unknown, path: Path = []): Generator<Path> {
  const members = isObject(value) ? Object.entries(value) : [];
  if (members.length === 0) yield path;
  for (const [name, member] of members) yield* leavesOf(member, [...path, name]);
}

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

/** The only text with variables in the field `dev`. */
const debugpyPath: Path = ['dev', 'debug', 'debugpyPath'];

/**
 * Replaces every text in a server's fields that may contain variables. `path` is the path of the field; all items of a
 * list have the path of the list.
 */
export function mapServerTexts(
  fields: Readonly<Record<string, unknown>>,
  replace: (text: string, path: Path) => string,
): Record<string, unknown> {
  const mapped = objectOf(
    Object.entries(fields).map(([name, value]) => [
      name,
      withVariables.has(name) ? mapTexts(value, [name], replace) : value,
    ]),
  );
  const debugpy = valueAt(fields, debugpyPath);
  return typeof debugpy === 'string' ? withValueAt(mapped, debugpyPath, replace(debugpy, debugpyPath)) : mapped;
}

function mapTexts(value: unknown, path: Path, replace: (text: string, path: Path) => string): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value))
    return value.map((item: unknown) => (typeof item === 'string' ? replace(item, path) : item));
  if (!isObject(value)) return value;
  return objectOf(Object.entries(value).map(([name, member]) => [name, mapTexts(member, [...path, name], replace)]));
}
