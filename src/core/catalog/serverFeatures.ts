import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp.js';
import type { SkillEntry } from '../skills/skillEntry.js';
import type { ServerIdentity } from '../session/serverIdentity.js';

/**
 * The current features of one running server. Lists keep the server's order; invalid items are left out with a warning.
 */
export interface ServerFeatures {
  identity: ServerIdentity;
  tools: readonly Tool[];
  resources: readonly Resource[];
  resourceTemplates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
  /** Present when the server declares the Skills extension. */
  skills?: SkillList;
  /**
   * Declared lists that could not be loaded. They are empty, although the server may have items. Absent if all lists
   * were loaded.
   */
  failedLists?: readonly FailedList[];
  /** Why a list may be incomplete: skipped items, or a listing that failed or was truncated. */
  warnings: readonly string[];
}

/** A list that could not be loaded. */
export interface FailedList {
  list: 'tools' | 'resources' | 'prompts';
  /** The reason from the error message, on one line, with hidden characters made visible. */
  reason: string;
  /**
   * Whether the server answered "method not found" although it declares the capability, which is usually a mistake in
   * the server.
   */
  isUnknown: boolean;
  /** The entry of `warnings` about this list. */
  warning: string;
}

/**
 * True when a running server must not be shown as healthy: a list failed unexpectedly, or a list failed and no other
 * list has an item.
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

/** The listed skills; their files have not been read. A server may serve skills that it does not list. */
export interface SkillList {
  entries: readonly SkillEntry[];
  /**
   * Why the list is missing or was not updated, from the error message. It is shown below a row that states which list
   * is missing.
   */
  problem?: string;
}
