import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import type { Params, Result } from '../protocol/jsonRpcPeer.js';
import { formatBytes } from '../protocol/lineSplitter.js';
import type { Warn } from '../protocol/resultGuards.js';

/** Pages of one listing before it is cut. */
const maxPages = 500;

/** Items of one listing before it is cut. */
const maxItems = 100_000;

/**
 * Memory that the pages of one listing may take together, in bytes; what one message may hold is let through in any
 * case.
 */
const defaultMaxListBytes = 64 * 1024 * 1024;

/**
 * How long the fetched list may be taken for current, in milliseconds; 24 hours at most, 0 when the server said
 * nothing.
 */
export interface Listing<T> {
  items: T[];
  ttlMs: number;
}

/**
 * Fetches every page of a list (specification: server/utilities/pagination). Cursors are opaque, and '' is one like any
 * other; a cursor that comes back, or too many pages, items or bytes, end the listing with a warning and keep what was fetched.
 * @param maxBytes about how much memory the items of all pages may take; default 64 MiB. The first page is kept whole.
 */
export async function listAll<T>(
  method: string,
  send: (method: string, params: Params | undefined) => Promise<Result>,
  read: (result: Result, warn: Warn) => T[],
  warn: Warn,
  maxBytes = defaultMaxListBytes,
): Promise<Listing<T>> {
  const first = await send(method, undefined);
  let items = read(first, warn);
  let ttlMs = ttlOf(first);
  let cursor = first['nextCursor'];
  if (typeof cursor !== 'string') return { items, ttlMs };
  items = [...items];
  let bytes = valueCost(items, maxBytes);
  const seen = new Set<string>();
  for (let page = 1; typeof cursor === 'string'; page++) {
    if (seen.has(cursor)) {
      warn(
        `${method}: the server repeated the page mark "${visibleLine(cursor, 40)}"; the list was cut after ${items.length} items.`,
      );
      break;
    }
    // The marks are kept too, and a server decides how long they are.
    bytes += valueCost(cursor);
    const isTooLarge = bytes > maxBytes;
    if (isTooLarge || page >= maxPages || items.length >= maxItems) {
      warn(
        `${method}: the list was cut after ${page} pages and ${items.length} items${isTooLarge ? `: together they would take more than ${formatBytes(maxBytes)} of memory` : ''}.`,
      );
      break;
    }
    seen.add(cursor);
    const result: Result = await send(method, { cursor });
    ttlMs = Math.min(ttlMs, ttlOf(result));
    const found = read(result, warn);
    const fitting = fittingItems(found, maxBytes - bytes);
    for (const item of fitting.items) items.push(item);
    bytes += fitting.bytes;
    cursor = result['nextCursor'];
    if (fitting.items.length < found.length) {
      warn(
        `${method}: the list was cut after ${items.length} items: together they would take more than ${formatBytes(maxBytes)} of memory.`,
      );
      break;
    }
  }
  return { items, ttlMs };
}

/**
 * `ttlMs` of a cacheable result (specification 2026-07-28, server/utilities/caching): negative and odd values count
 * as 0.
 */
export function ttlOf(result: Result): number {
  const ttl = isObject(result) ? result['ttlMs'] : undefined;
  return typeof ttl === 'number' && ttl > 0 ? Math.min(ttl, 86_400_000) : 0;
}

/** The items that `maxBytes` suffice for, from the first one on, and about how much they take. */
function fittingItems<T>(items: readonly T[], maxBytes: number): { items: readonly T[]; bytes: number } {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    const cost = valueCost(item, maxBytes - bytes);
    if (bytes + cost > maxBytes) return { items: items.slice(0, index), bytes };
    bytes += cost;
  }
  return { items, bytes };
}
