import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';

/** What a server said of itself in the handshake. Display only: nothing here is verified. */
export interface ServerIdentity {
  era: Era;
  revision: Revision;
  info: Implementation;
  capabilities: ServerCapabilities;
  /** Advice of the server to whoever uses it; hostile text. */
  instructions?: string;
  /** `stdio`, `http`, `sse`, `ws`, `socket`, `memory`. */
  transportKind: string;
}
