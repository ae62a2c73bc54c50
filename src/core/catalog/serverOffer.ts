import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp.js';
import type { SkillEntry } from '../skills/skillEntry.js';
import type { ServerIdentity } from '../session/serverIdentity.js';

/** All that one running server offers now. Lists keep the server's order; invalid items were left out with a warning. */
export interface ServerOffer {
  identity: ServerIdentity;
  tools: readonly Tool[];
  resources: readonly Resource[];
  resourceTemplates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
  /** Present where the server declares the extension Skills. */
  skills?: SkillList;
  /** Why a list is shorter than the server may have meant: skipped items, a listing that failed or was cut. */
  warnings: readonly string[];
}

/** Skills as listed; no file of them was read. A server may serve more than it lists. */
export interface SkillList {
  entries: readonly SkillEntry[];
  /** Why there is no list, in the words of what failed. It stands below a row that says what is missing. */
  problem?: string;
}
