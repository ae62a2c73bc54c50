import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';

/** Maximum length of instructions, in UTF-16 units. */
const maxInstructions = 20_000;

/** The instructions of a server, cut to the limit with a note; empty if there are none. */
export function readInstructions(given: unknown): { instructions?: string } {
  if (typeof given !== 'string' || given === '') return {};
  return {
    instructions:
      given.length > maxInstructions
        ? `${given.slice(0, maxInstructions)}… (${given.length - maxInstructions} more characters)`
        : given,
  };
}

/** The identity that a server stated in the handshake. It is not verified, so it is for display only. */
export interface ServerIdentity {
  era: Era;
  revision: Revision;
  info: Implementation;
  capabilities: ServerCapabilities;
  /** Instructions of the server for its users, limited in length; untrusted text. */
  instructions?: string;
  /** The kind of transport: `stdio`, `http`, `sse`, `ws`, `socket` or `memory`. */
  transportKind: string;
}
