import { sizeText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { Sequencer } from '../base/sequencer.js';
import { valueCost } from '../base/valueCost.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { Warn } from '../protocol/resultGuards.js';

/** Maximum number of pages of one listing. */
const maxPages = 500;

/** Maximum number of items of one listing. */
const maxItems = 100_000;

/** Memory limit of all lists of one server together, bytes: ten thousand tools with detailed schemas. */
export const usualListBytes = 24 * 1024 * 1024;

/**
 * Memory limit of one item, bytes: the largest known tools need 5% of it. A call, a question or a view can keep its item
 * after the list was replaced, so items must be much smaller than a list.
 */
const usualItemBytes = 1024 * 1024;

/** The approximate memory of the lists of one method, bytes. */
class MethodLists {
  /** Memory of the latest complete list. */
  kept = 0;
  /** Memory of the list that is being listed. */
  loading = 0;
  readonly queue = new Sequencer();
}

/**
 * The approximate memory of the lists of one server, which share a limit. While a list is listed again, the former list
 * is still kept, and the larger of the two counts, so the memory is at most twice the limit.
 */
export class ListBudget {
  private readonly methods = new Map<string, MethodLists>();
  /** Limit of one item, bytes. */
  readonly maxItemBytes: number;

  /** @param maxBytes limit of all lists together; default 24 MiB. */
  constructor(readonly maxBytes = usualListBytes) {
    this.maxItemBytes = Math.min(usualItemBytes, maxBytes);
  }

  /** What the lists of the other methods leave for the list of a method, bytes. */
  leftFor(method: string): number {
    let left = this.maxBytes;
    for (const [other, { kept, loading }] of this.methods) if (other !== method) left -= Math.max(kept, loading);
    return left;
  }

  /**
   * Runs one listing of a method at a time. The former list counts until `load` resolves; if it rejects, the caller may
   * keep that list.
   * @param load receives a function that notes the memory of the new list so far, bytes.
   */
  async list<T>(method: string, load: (note: (bytes: number) => void) => Promise<T>): Promise<T> {
    let lists = this.methods.get(method);
    if (!lists) this.methods.set(method, (lists = new MethodLists()));
    const { queue } = lists;
    return queue.run(async () => {
      try {
        const list = await load((bytes) => (lists.loading = bytes));
        lists.kept = lists.loading;
        return list;
      } finally {
        lists.loading = 0;
      }
    });
  }
}

/** A list with the items of all its pages. */
export interface FetchedList<T> {
  items: T[];
  /** How long the list is fresh, ms: the shortest time of its pages, at most 24 hours; 0 if one page states none. */
  ttlMs: number;
  /** What was left out or cut because of the limits, one line each. */
  missing: string[];
}

/**
 * Fetches every page of a list (specification: server/utilities/pagination). Cursors are opaque, and '' is a valid
 * cursor. A repeated cursor, or too many pages, items or bytes, end the listing with a warning; the fetched items that
 * fit are kept. Items above the limit of one item are left out with one warning; they end the listing only if they need
 * more memory than all lists may.
 * @param budget the limit that all lists of the server share.
 */
export function listAll<T>(
  method: string,
  send: (method: string, params: Params | undefined) => Promise<Result>,
  read: (result: Result, warn: Warn) => T[],
  warn: Warn,
  budget = new ListBudget(),
): Promise<FetchedList<T>> {
  return budget.list(method, (note) => listPages(method, send, read, warn, budget, note));
}

async function listPages<T>(
  method: string,
  send: (method: string, params: Params | undefined) => Promise<Result>,
  read: (result: Result, warn: Warn) => T[],
  warn: Warn,
  budget: ListBudget,
  note: (bytes: number) => void,
): Promise<FetchedList<T>> {
  const items: T[] = [];
  const missing: string[] = [];
  const warnMissing = (line: string): void => {
    missing.push(line);
    warn(line);
  };
  let bytes = 0;
  const { maxBytes, maxItemBytes } = budget;
  const leftOut = { count: 0, first: '', bytes: 0 };
  /** Adds the items of a page that fit. Returns false if the list ends with them. */
  const add = (found: readonly T[]): boolean => {
    const left = budget.leftFor(method);
    for (const item of found) {
      const cost = valueCost(item, maxItemBytes);
      if (cost > maxItemBytes) {
        if (leftOut.count++ === 0) leftOut.first = shownName(item);
        leftOut.bytes += valueCost(item);
      } else if (bytes + cost > left) {
        warnMissing(
          `${method}: the list was cut after ${items.length} items: with the other lists, they would need more than ${sizeText(maxBytes)} of memory.`,
        );
        return false;
      } else {
        items.push(item);
        bytes += cost;
        note(bytes);
      }
    }
    return true;
  };
  let ttlMs = Number.POSITIVE_INFINITY;
  /**
   * Takes the items of a page. Returns the cursor of the next one; undefined if the list ends. No page is kept while the
   * server prepares the next one, because the items that were left out do not count.
   */
  const take = (page: Result): unknown => {
    ttlMs = Math.min(ttlMs, ttlOf(page));
    return add(read(page, warn)) ? page['nextCursor'] : undefined;
  };
  let cursor = await send(method, undefined).then(take);
  const seen = new Set<string>();
  for (let page = 1; typeof cursor === 'string'; page++) {
    if (seen.has(cursor)) {
      warnMissing(
        `${method}: the server repeated the cursor "${visibleLine(cursor, 40)}"; the list was cut after ${items.length} items.`,
      );
      break;
    }
    // Cursors are counted, too: they are stored, and the server decides their length.
    bytes += valueCost(cursor);
    const isTooLarge = bytes > budget.leftFor(method);
    // Otherwise, a server could send the largest possible message for each page.
    const isTooMuchLeftOut = leftOut.bytes > maxBytes;
    if (isTooLarge || isTooMuchLeftOut || page >= maxPages || items.length >= maxItems) {
      const reason = isTooLarge
        ? `: with the other lists, they would need more than ${sizeText(maxBytes)} of memory`
        : isTooMuchLeftOut
          ? `: the items that were left out need more than ${sizeText(maxBytes)} of memory`
          : `: the limits are ${maxPages} pages and ${maxItems} items`;
      warnMissing(`${method}: the list was cut after ${page} pages and ${items.length} items${reason}.`);
      break;
    }
    seen.add(cursor);
    cursor = await send(method, { cursor }).then(take);
  }
  if (leftOut.count > 0)
    warnMissing(
      `${method}: left out ${leftOut.count} ${leftOut.count === 1 ? 'item' : 'items'} above the memory limit of one item, ${sizeText(maxItemBytes)}; the first ${leftOut.first}.`,
    );
  return { items, ttlMs, missing };
}

/**
 * `ttlMs` of a cacheable result (specification 2026-07-28, server/utilities/caching): negative and invalid values
 * become 0, and the maximum is one day.
 */
export function ttlOf(result: Result): number {
  const ttl = isObject(result) ? result['ttlMs'] : undefined;
  return typeof ttl === 'number' && ttl > 0 ? Math.min(ttl, 86_400_000) : 0;
}

/** Names an item at the end of a sentence about it. */
function shownName(item: unknown): string {
  const name = isObject(item) ? item['name'] : undefined;
  return typeof name === 'string' ? `is "${visibleLine(name, 60)}"` : 'has no name';
}
