import type { Clock } from '../base/clock.js';
import { valueCost } from '../base/valueCost.js';
import type { ReadResourceResult } from '../protocol/mcp.js';

/** Maximum number of kept results. */
const maxResults = 64;
/** Maximum memory of one result, bytes. */
const maxResultBytes = 1 << 20;
/** Maximum memory of all results, bytes. */
const maxBytes = 8 << 20;

interface CachedRead {
  result: ReadResourceResult;
  /** The time when the result expires, in milliseconds of the clock. */
  until: number;
  bytes: number;
}

/** Results of `resources/read` that the server lets the client keep for a time (`ttlMs`, MCP 2026-07-28, caching). */
export class ReadCache {
  private readonly reads = new Map<string, CachedRead>();
  private bytes = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** The result for this URI; undefined if none is kept or if it has expired. */
  get(uri: string): ReadResourceResult | undefined {
    const cached = this.reads.get(uri);
    return cached && cached.until > this.clock.now() ? cached.result : undefined;
  }

  /** Keeps a small result. Expired results are removed first, then the oldest ones. */
  set(uri: string, result: ReadResourceResult, ttlMs: number): void {
    this.delete(uri);
    const bytes = valueCost([uri, result], maxResultBytes);
    if (bytes > maxResultBytes) return;
    const now = this.clock.now();
    for (const [key, { until }] of this.reads) if (until <= now) this.delete(key);
    this.reads.set(uri, { result, until: now + ttlMs, bytes });
    this.bytes += bytes;
    for (const oldest of this.reads.keys()) {
      if (this.reads.size <= maxResults && this.bytes <= maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(uri: string): void {
    this.bytes -= this.reads.get(uri)?.bytes ?? 0;
    this.reads.delete(uri);
  }

  clear(): void {
    this.reads.clear();
    this.bytes = 0;
  }
}
