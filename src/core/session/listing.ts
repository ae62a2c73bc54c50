import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { Params, Result } from '../protocol/jsonRpcPeer.js';
import type { Warn } from '../protocol/resultGuards.js';

/** Pages of one listing before it is cut. */
const maxPages = 500;

/** Items of one listing before it is cut. */
const maxItems = 100_000;

/** How long the fetched list may be taken for current, in milliseconds; 24 hours at most, 0 when the server said nothing. */
export interface Listing<T> {
  items: T[];
  ttlMs: number;
}

/**
 * Fetches every page of a list (specification: server/utilities/pagination). Cursors are opaque, and '' is one like any
 * other; a cursor that comes back, or too many pages or items, end the listing with a warning and keep what was fetched.
 */
export async function listAll<T>(
  method: string,
  send: (method: string, params: Params | undefined) => Promise<Result>,
  read: (result: Result, warn: Warn) => T[],
  warn: Warn,
): Promise<Listing<T>> {
  const first = await send(method, undefined);
  let items = read(first, warn);
  let ttlMs = ttlOf(first);
  let cursor = first['nextCursor'];
  if (typeof cursor !== 'string') return { items, ttlMs };
  items = [...items];
  const seen = new Set<string>();
  for (let page = 1; typeof cursor === 'string'; page++) {
    if (seen.has(cursor)) {
      warn(`${method}: the server repeated the page mark "${visibleLine(cursor, 40)}"; the list was cut after ${items.length} items.`);
      break;
    }
    if (page >= maxPages || items.length >= maxItems) {
      warn(`${method}: the list was cut after ${page} pages and ${items.length} items.`);
      break;
    }
    seen.add(cursor);
    const result: Result = await send(method, { cursor });
    for (const item of read(result, warn)) items.push(item);
    ttlMs = Math.min(ttlMs, ttlOf(result));
    cursor = result['nextCursor'];
  }
  return { items, ttlMs };
}

/** `ttlMs` of a cacheable result (specification 2026-07-28, server/utilities/caching): negative and odd values count as 0. */
export function ttlOf(result: Result): number {
  const ttl = isObject(result) ? result['ttlMs'] : undefined;
  return typeof ttl === 'number' && ttl > 0 ? Math.min(ttl, 86_400_000) : 0;
}
