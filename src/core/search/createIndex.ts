import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchableTool } from './toolFields.js';
import type { ToolHit } from './toolIndex.js';
import { ToolIndex } from './toolIndex.js';

/** A search over a fixed list of tools. */
export interface ToolSearch {
  /** The tools that fit the query best, best first. @param limit maximum number of tools; default 10. */
  search(query: string, limit?: number): ToolHit[];
}

/** Reads the tools once. Create a new index when the list changes. */
export function createIndex(tools: readonly SearchableTool[]): ToolSearch {
  const reading = ToolIndex.reading(tools);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** Time for reading in one turn of the event loop, in milliseconds. A garbage collection adds up to 12 ms. */
const turnMs = 4;

/** As `createIndex`, in turns of the event loop that are short enough for the extension host. */
export async function createIndexInTurns(tools: readonly SearchableTool[]): Promise<ToolSearch> {
  const reading = ToolIndex.reading(tools);
  for (let end = performance.now() + turnMs; ;) {
    const step = reading.next();
    if (step.done) return step.value;
    if (performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + turnMs;
  }
}
