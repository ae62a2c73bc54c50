/** Policies for servers that arrive by an import, a link or a pasted text: a blocked server is not written. */
import type { HostError } from '../base/hostError.js';
import type { ConfigSource, ServerDefinition } from '../config/serverDefinition.js';
import type { Blocked } from '../registry/serverPolicy.js';
import { blockedError } from '../registry/serverPolicy.js';
import { entryAsRead } from './portableDefinition.js';
import type { ImportedServers, PortableServer } from './portableServer.js';

/** Why a policy blocks a server; undefined if it may run. */
export type FindBlocked = (name: string, definition: ServerDefinition) => Blocked | undefined;

const anyFile: ConfigSource = { id: 'arrival', kind: 'vscode', label: '' };

/** The error for a server that a policy blocks; undefined for other servers, and for fields that are not a server. */
export function arrivalRefusal({ name, fields }: PortableServer, find: FindBlocked): HostError | undefined {
  const read = entryAsRead(name, fields, [], anyFile);
  const blocked = read && find(name, read.definition);
  return blocked && blockedError(name, blocked);
}

/**
 * The imported servers without the blocked ones. The blocked ones are listed as unusable, with the reason that
 * `reasonOf` returns.
 */
export function withoutBlocked(
  imported: ImportedServers,
  find: FindBlocked,
  reasonOf: (error: HostError) => string,
): ImportedServers {
  const read = imported.servers.map((server) => ({ server, error: arrivalRefusal(server, find) }));
  return {
    ...imported,
    servers: read.flatMap(({ server, error }) => (error ? [] : [server])),
    unusable: [
      ...imported.unusable,
      ...read.flatMap(({ server, error }) => (error ? [{ name: server.name, reason: reasonOf(error) }] : [])),
    ],
  };
}
