import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp.js';
import type { SkillEntry } from '../skills/skillEntry.js';
import type { ServerIdentity } from '../session/serverIdentity.js';

/**
 * All that one running server offers now. Lists keep the server's order; invalid items were left out with a warning.
 */
export interface ServerFeatures {
  identity: ServerIdentity;
  tools: readonly Tool[];
  resources: readonly Resource[];
  resourceTemplates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
  /** Present where the server declares the extension Skills. */
  skills?: SkillList;
  /**
   * Lists that the server says it has and that could not be had; absent: none. They are empty, which says nothing of
   * what there is.
   */
  failedLists?: readonly FailedList[];
  /** Why a list is shorter than the server may have meant: skipped items, a listing that failed or was cut. */
  warnings: readonly string[];
}

/** A list that could not be had. */
export interface FailedList {
  list: 'tools' | 'resources' | 'prompts';
  /** Why, in the words of what failed; harmless, one line. */
  reason: string;
  /** The server does not know the request, though it says that it has such things: mostly a slip of its author's. */
  isUnknown: boolean;
  /** The warning about it among `warnings`. */
  warning: string;
}

/**
 * True where the green of a running server would be wrong: nothing at all could be listed, or something failed that
 * should not.
 */
export function isTroubled({
  failedLists = [],
  tools,
  resources,
  resourceTemplates,
  prompts,
}: ServerFeatures): boolean {
  const isEmpty = tools.length + resources.length + resourceTemplates.length + prompts.length === 0;
  return failedLists.length > 0 && (isEmpty || failedLists.some(({ isUnknown }) => !isUnknown));
}

/** Skills as listed; no file of them was read. A server may serve more than it lists. */
export interface SkillList {
  entries: readonly SkillEntry[];
  /** Why there is no list, in the words of what failed. It stands below a row that says what is missing. */
  problem?: string;
}
