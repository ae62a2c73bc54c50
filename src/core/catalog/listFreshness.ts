import type { ListKind } from '../protocol/mcp.js';
import type { Clock } from '../base/clock.js';

/** Minimum time before an expired `ttlMs` causes another listing of the same kind, ms. */
const minRefetchMs = 10_000;

/**
 * Which lists of a server are stale (specification 2026-07-28, server/utilities/caching). A list becomes stale when its
 * `ttlMs` has passed, but not earlier than 10 seconds after it was fetched. A list without a positive `ttlMs` never
 * becomes stale: many servers always send 0, and the client decides how often it fetches such a list.
 */
export class ListFreshness {
  private readonly staleAt = new Map<ListKind, number>();

  constructor(private readonly clock: Clock) {}

  /** Records a fetched list. @param ttls the `ttlMs` of each of its parts, ms; the shortest one applies. */
  fetched(kind: ListKind, ttls: readonly number[]): void {
    const given = ttls.filter((ttl) => ttl > 0);
    if (given.length === 0) this.staleAt.delete(kind);
    else this.staleAt.set(kind, this.clock.now() + Math.max(minRefetchMs, Math.min(...given)));
  }

  /** Records that a stale list could not be fetched. The list becomes stale again after 10 seconds. */
  failed(kind: ListKind): void {
    this.staleAt.set(kind, this.clock.now() + minRefetchMs);
  }

  /** Returns whether the list is stale. If so, the caller must fetch the list; later calls return false until then. */
  takeStale(kind: ListKind): boolean {
    // Every tool call runs this check, so the clock is read only if the server sent a `ttlMs` for this list.
    const staleAt = this.staleAt.size === 0 ? undefined : this.staleAt.get(kind);
    if (staleAt === undefined || this.clock.now() < staleAt) return false;
    this.staleAt.delete(kind);
    return true;
  }
}
