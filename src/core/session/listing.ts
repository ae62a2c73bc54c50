import { sizeText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { Warn } from '../protocol/resultGuards.js';

/** Maximum number of pages of one listing. */
const maxPages = 500;

/** Maximum number of items of one listing. */
const maxItems = 100_000;

/**
 * Memory limit of all pages of one listing, bytes. The first page is always kept: it is limited by the size of a
 * message.
 */
const defaultMaxListBytes = 64 * 1024 * 1024;

/** A list with the items of all its pages. */
export interface FetchedList<T> {
  items: T[];
  /** How long the list is fresh, ms: the shortest time of its pages, at most 24 hours; 0 if one page states none. */
  ttlMs: number;
}

/**
 * Fetches every page of a list (specification: server/utilities/pagination). Cursors are opaque, and '' is a valid
 * cursor. A repeated cursor, or too many pages, items or bytes, end the listing with a warning; the fetched items are
 * kept.
 * @param maxBytes approximate memory limit for the items of all pages; default 64 MiB. The first page is kept whole.
 */
export async function listAll<T>(
  method: string,
  send: (method: string, params: Params | undefined) => Promise<Result>,
  read: (result: Result, warn: Warn) => T[],
  warn: Warn,
  maxBytes = defaultMaxListBytes,
): Promise<FetchedList<T>> {
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
        `${method}: the server repeated the cursor "${visibleLine(cursor, 40)}"; the list was cut after ${items.length} items.`,
      );
      break;
    }
    // Cursors are counted, too: they are stored, and the server decides their length.
    bytes += valueCost(cursor);
    const isTooLarge = bytes > maxBytes;
    if (isTooLarge || page >= maxPages || items.length >= maxItems) {
      const reason = isTooLarge
        ? `: together they would need more than ${sizeText(maxBytes)} of memory`
        : `: the limits are ${maxPages} pages and ${maxItems} items`;
      warn(`${method}: the list was cut after ${page} pages and ${items.length} items${reason}.`);
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
        `${method}: the list was cut after ${items.length} items: together they would need more than ${sizeText(maxBytes)} of memory.`,
      );
      break;
    }
  }
  return { items, ttlMs };
}

/**
 * `ttlMs` of a cacheable result (specification 2026-07-28, server/utilities/caching): negative and invalid values
 * become 0, and the maximum is one day.
 */
export function ttlOf(result: Result): number {
  const ttl = isObject(result) ? result['ttlMs'] : undefined;
  return typeof ttl === 'number' && ttl > 0 ? Math.min(ttl, 86_400_000) : 0;
}

/** The first items that fit into `maxBytes`, and their approximate size. */
function fittingItems<T>(items: readonly T[], maxBytes: number): { items: readonly T[]; bytes: number } {
  let bytes = 0;
  for (let index = 0; index < items.length; index++) {
    const cost = valueCost(items[index], maxBytes - bytes);
    if (bytes + cost > maxBytes) return { items: items.slice(0, index), bytes };
    bytes += cost;
  }
  return { items, bytes };
}
