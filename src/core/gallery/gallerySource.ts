/**
 * One source of servers: a registry, a JSON document at a URL, a folder, or a JSON file. Nothing is read from the
 * network or from files before `update`; `open` reads the stored list only.
 */
import { fileURLToPath } from 'node:url';
import { HostError } from '../base/hostError.js';
import { Sequencer } from '../base/sequencer.js';
import type { GalleryEntry } from './galleryEntry.js';
import { galleryError } from './galleryError.js';
import { readFiles } from './galleryFiles.js';
import type { GalleryHttpOptions } from './galleryHttp.js';
import { GalleryHttp } from './galleryHttp.js';
import { GallerySearch } from './gallerySearch.js';
import type { GalleryList, GalleryStore } from './galleryStore.js';
import { listServers, maxEntries } from './registryClient.js';

export interface GallerySourceOptions extends GalleryHttpOptions {
  /** A URL (http, https, file) or an absolute path. */
  place: string;
  store: GalleryStore;
  /** The time, ms since the epoch. Default `Date.now`. */
  today?: () => number;
  /**
   * Called during an update after each page. Until the list has been read completely for the first time, each page is
   * searchable as soon as it arrives.
   */
  onProgress?: () => void;
}

/** The time, ms, after which all entries are read again, because a registry may not have reported all changes. */
const completeAfterMs = 7 * 24 * 3_600_000;
/** How far before the last known change an update begins, ms, so that other changes in the same second are included. */
const overlapMs = 1_000;
/** Maximum memory of all entries of a source, in bytes. */
const maxBytes = 100_000_000;
/** Characters that need a second byte, as all characters of their text then do. */
const wide = /[^\0-\xff]/;

export class GallerySource {
  private list: GalleryList = { updatedMs: 0, completeMs: 0, entries: new Map() };
  private index: Promise<GallerySearch> | undefined;
  private readonly sequencer = new Sequencer();
  private readonly today: () => number;

  constructor(private readonly options: GallerySourceOptions) {
    this.today = options.today ?? Date.now;
  }

  /** Number of servers in the list. */
  get size(): number {
    return this.list.entries.size;
  }

  /** Age of the list, ms. Undefined if it was never read completely. */
  get ageMs(): number | undefined {
    return this.list.completeMs === 0 ? undefined : Math.max(0, this.today() - this.list.updatedMs);
  }

  /** The servers of the list, by name. They may change after an update. */
  get entries(): Iterable<GalleryEntry> {
    return this.list.entries.values();
  }

  /** Reads the stored list. */
  open(): Promise<void> {
    return this.sequencer.run(async () => {
      const stored = await this.options.store.read(this.options.place);
      if (stored) this.replace(stored);
    });
  }

  /** Finds servers in the list, best first. @param limit default 50. */
  async search(query: string, limit?: number): Promise<GalleryEntry[]> {
    this.index ??= GallerySearch.over(this.list.entries.values());
    return (await this.index).search(query, limit);
  }

  /** The server of this name. */
  find(name: string): GalleryEntry | undefined {
    return this.list.entries.get(name);
  }

  /**
   * Reads what changed since the last update, or everything, and stores the list. If this fails, the list keeps its
   * entries and gets those that arrived before the failure; its age does not change.
   * @throws HostError `registry-failed`, `connection-refused`, `closed`, `storage-failed`, `bad-configuration`; the
   * signal's reason.
   */
  update(signal?: AbortSignal): Promise<void> {
    return this.sequencer.run(async () => {
      const startedMs = this.today();
      const since = this.sinceOf(startedMs);
      try {
        const received = await this.receive(since, signal);
        const entries = since === undefined ? new Map<string, GalleryEntry>() : new Map(this.list.entries);
        for (const entry of received) merge(entries, entry);
        const completeMs = since === undefined ? startedMs : this.list.completeMs;
        await this.save({ updatedMs: startedMs, completeMs, entries });
      } catch (error) {
        // The registry may not know the parameter, or may reject the time.
        const isRejected = error instanceof HostError && error.code === 'registry-failed' && error.data.status === 400;
        if (since === undefined || !isRejected) throw error;
        const entries = new Map<string, GalleryEntry>();
        for (const entry of await this.receive(undefined, signal)) merge(entries, entry);
        await this.save({ updatedMs: startedMs, completeMs: startedMs, entries });
      }
    });
  }

  private async receive(since: string | undefined, signal: AbortSignal | undefined): Promise<GalleryEntry[]> {
    const { place } = this.options;
    const received: GalleryEntry[] = [];
    let bytes = 0;
    const onEntries = (entries: GalleryEntry[]) => {
      for (const entry of entries) {
        bytes += entry.json.length * (wide.test(entry.json) ? 2 : 1);
        if (received.length >= maxEntries || bytes > maxBytes)
          throw galleryError(place, { problem: 'too-many', limit: maxEntries });
        received.push(entry);
      }
      // A first list is searched while it arrives, because a large registry takes a minute.
      if (this.list.completeMs === 0) {
        for (const entry of entries) merge(this.list.entries, entry);
        this.index = undefined;
      }
      this.options.onProgress?.();
    };
    try {
      if (/^https?:\/\//i.test(place)) await this.receiveFromUrl(new URL(place), since, signal, onEntries);
      else await readFiles(place.startsWith('file:') ? fileURLToPath(place) : place, onEntries, signal);
    } catch (error) {
      const entries = new Map(this.list.entries);
      for (const entry of received) merge(entries, entry);
      this.replace({ ...this.list, entries });
      throw error;
    }
    return received;
  }

  private async receiveFromUrl(
    url: URL,
    since: string | undefined,
    signal: AbortSignal | undefined,
    onEntries: (entries: GalleryEntry[]) => void,
  ): Promise<void> {
    const http = new GalleryHttp(url, this.options);
    try {
      await listServers(http, url, {
        onEntries,
        ...(since === undefined ? {} : { since }),
        ...(signal ? { signal } : {}),
      });
    } finally {
      http.dispose();
    }
  }

  /** The time since which changes are requested; undefined for all entries. */
  private sinceOf(nowMs: number): string | undefined {
    const { completeMs, entries } = this.list;
    if (completeMs === 0 || nowMs - completeMs > completeAfterMs) return undefined;
    // The registry's own times count, because the clocks may differ.
    let last = 0;
    for (const { updatedAt } of entries.values())
      if (updatedAt !== undefined) last = Math.max(last, Date.parse(updatedAt));
    // A time in the future would hide all changes until then.
    return last === 0 ? undefined : new Date(Math.min(last, nowMs) - overlapMs).toISOString();
  }

  private async save(list: GalleryList): Promise<void> {
    const sorted = [...list.entries].sort(([one], [other]) => (one < other ? -1 : 1));
    this.replace({ ...list, entries: new Map(sorted) });
    await this.options.store.write(this.options.place, this.list);
  }

  private replace(list: GalleryList): void {
    this.list = list;
    this.index = undefined;
  }
}

/** Adds an entry to the latest versions by name; a deleted one removes its server. */
function merge(entries: Map<string, GalleryEntry>, entry: GalleryEntry): void {
  const present = entries.get(entry.name);
  const isOther = present !== undefined && present.version !== entry.version;
  if (isOther && entry.isLatest === false) return;
  if (isOther && entry.isLatest === undefined && isOlder(entry, present)) return;
  if (entry.status === 'deleted') entries.delete(entry.name);
  else entries.set(entry.name, entry);
}

function isOlder(one: GalleryEntry, other: GalleryEntry): boolean {
  return one.publishedAt !== undefined && other.publishedAt !== undefined && one.publishedAt < other.publishedAt;
}
