/** What travels between the configurations of different apps. */
import type { InputDefinition } from '../config/serverDefinition.js';
import { valueAt } from '../base/guards.js';

/**
 * A server on its way: the fields of our own files, with their values as they are written there. In texts variables have
 * the notation of `.vscode/mcp.json`; `${env:NAME:-default}` besides, for what only some files can say.
 */
export interface PortableServer {
  name: string;
  fields: Readonly<Record<string, unknown>>;
}

/** Something that is not the same behind the way as before it. */
export interface Loss {
  server: string;
  /** Which field, as the file that was read or written spells it; empty for the whole server. */
  field: string;
  /** What became of it: a sentence. */
  message: string;
}

/** The outcome of reading the servers of another app. */
export interface ImportedServers {
  servers: readonly PortableServer[];
  /** Those that the servers name. */
  inputs: readonly InputDefinition[];
  losses: readonly Loss[];
  /** Servers that cannot be used here at all, with the reason. */
  unusable: readonly { name: string; reason: string }[];
}

/** Members that have no rule of their own are carried by nobody. */
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
  // By entries: a member named `__proto__` stays a member.
  return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== first), [first, next]]);
}

/** The paths of everything in a value that has no members of its own; lists count as a whole. */
export function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}
