import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';

/** Longest advice that is kept, in UTF-16 units. */
const maxInstructions = 20_000;

/** The advice of a server, bounded with a note of what was cut; nothing where there is none. */
export function readInstructions(given: unknown): { instructions?: string } {
  if (typeof given !== 'string' || given === '') return {};
  return {
    instructions:
      given.length > maxInstructions
        ? `${given.slice(0, maxInstructions)}… (${given.length - maxInstructions} more characters)`
        : given,
  };
}

/** What a server said of itself in the handshake. Display only: nothing here is verified. */
export interface ServerIdentity {
  era: Era;
  revision: Revision;
  info: Implementation;
  capabilities: ServerCapabilities;
  /** Advice of the server to whoever uses it, of bounded length; hostile text. */
  instructions?: string;
  /** `stdio`, `http`, `sse`, `ws`, `socket`, `memory`. */
  transportKind: string;
}
