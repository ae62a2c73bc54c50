import type { ServerIdentity } from '../../session/serverIdentity.js';

/** Transport and revision in the fewest characters: `stdio · MCP 2025-11-25`, with the era where it is the stateless one. */
export function revisionBadge(identity: ServerIdentity): string {
  return `${identity.transportKind} · MCP ${identity.revision}${identity.era === 'modern' ? ' · stateless' : ''}`;
}
