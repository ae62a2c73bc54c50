import type { SearchableTool } from './toolFields.js';
import type { ToolHit } from './toolIndex.js';
import { ToolIndex } from './toolIndex.js';

/** A search over a fixed list of tools. */
export interface ToolSearch {
  /** The tools that fit the query best, best first. @param limit maximum number of tools; default 10. */
  search(query: string, limit?: number): ToolHit[];
}

/** Reads the tools once. Make a new index when the list changes. */
export function createIndex(tools: readonly SearchableTool[]): ToolSearch {
  return new ToolIndex(tools);
}
