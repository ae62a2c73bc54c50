import { fitsWildcard } from '../base/wildcard.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** Those names or patterns, of lists of tools, that mean no server there is: perhaps a slip, and then the lists do nothing. */
export function strayLists(names: readonly string[], servers: readonly Pick<ServerEntry, 'id' | 'name'>[]): string[] {
  return names.filter((pattern) => pattern !== '*' && !servers.some(({ id, name }) => fitsWildcard(pattern, name) || fitsWildcard(pattern, id)));
}
