import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp.js';
import type { ServerIdentity } from '../session/serverIdentity.js';

/** All that one running server offers now. Lists keep the server's order; invalid items were left out with a warning. */
export interface ServerOffer {
  identity: ServerIdentity;
  tools: readonly Tool[];
  resources: readonly Resource[];
  resourceTemplates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
  /** Why a list is shorter than the server may have meant: skipped items, a listing that failed or was cut. */
  warnings: readonly string[];
}
