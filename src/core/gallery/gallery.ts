/**
 * All sources of servers together: one search over their lists, and the state of each source. Nothing is read from the
 * network or from the files of a source before `update`.
 */
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { GalleryEntry } from './galleryEntry.js';
import { GallerySearch } from './gallerySearch.js';
import { GallerySource } from './gallerySource.js';
import type { GallerySourceOptions } from './gallerySource.js';

/** A source with its name for the user. */
export interface NamedSource extends Omit<GallerySourceOptions, 'onProgress'> {
  name: string;
  /** Why the source cannot be read now, for example because the value of a header is missing. */
  problem?: unknown;
}

/** The state of a source. */
export interface SourceState {
  /** The URL or path, which identifies the source. */
  place: string;
  name: string;
  /** Number of servers in its list. */
  size: number;
  /** Age of the list, ms. Undefined if it was never read completely. */
  ageMs: number | undefined;
  isUpdating: boolean;
  /** The error of the last update, or why the source cannot be read now. The list is still usable. */
  error?: unknown;
}

export interface GalleryMatch {
  place: string;
  entry: GalleryEntry;
}

interface Part {
  named: NamedSource;
  source: GallerySource;
  isUpdating: boolean;
  error: unknown;
}

export class Gallery implements Disposable {
  private readonly changed = new Emitter<void>();
  /** Fires when a list or the state of a source changes. During an update, it fires after each page. */
  readonly onDidChange = this.changed.event;
  private readonly parts: readonly Part[];
  private readonly abort = new AbortController();
  private index: Promise<{ search: GallerySearch; places: ReadonlyMap<GalleryEntry, string> }> | undefined;
  private opening: Promise<void> | undefined;

  /** @param sources in the order of their priority: of servers with the same name, only the first one is listed. */
  constructor(sources: readonly NamedSource[]) {
    this.parts = sources.map((named) => {
      const source = new GallerySource({ ...named, onProgress: () => this.touch() });
      return { named, source, isUpdating: false, error: named.problem };
    });
  }

  get states(): SourceState[] {
    return this.parts.map(({ named: { place, name }, source, isUpdating, error }) => ({
      place,
      name,
      size: source.size,
      ageMs: source.ageMs,
      isUpdating,
      ...(error === undefined ? {} : { error }),
    }));
  }

  /** Reads the stored lists, once. */
  open(): Promise<void> {
    this.opening ??= Promise.all(this.parts.map(({ source }) => source.open())).then(() => this.touch());
    return this.opening;
  }

  /** Updates the lists of all sources that can be read. Never rejects: `states` has the errors. */
  async update(): Promise<void> {
    await this.open();
    await Promise.all(this.parts.map((part) => this.updateOne(part)));
  }

  /** Finds servers in all lists, best first. @param limit default 50. */
  async search(query: string, limit?: number): Promise<GalleryMatch[]> {
    this.index ??= this.indexed();
    const { search, places } = await this.index;
    return search.search(query, limit).flatMap((entry) => {
      const place = places.get(entry);
      return place === undefined ? [] : [{ place, entry }];
    });
  }

  /** The server of this name in the list of a source. */
  find(place: string, name: string): GalleryEntry | undefined {
    return this.parts.find(({ named }) => named.place === place)?.source.find(name);
  }

  /** The options of a source, for further requests to it. */
  source(place: string): NamedSource | undefined {
    return this.parts.find(({ named }) => named.place === place)?.named;
  }

  dispose(): void {
    this.abort.abort();
    this.changed.dispose();
  }

  private async updateOne(part: Part): Promise<void> {
    if (part.named.problem !== undefined || part.isUpdating) return;
    part.isUpdating = true;
    part.error = undefined;
    this.touch();
    try {
      await part.source.update(this.abort.signal);
    } catch (error) {
      if (!this.abort.signal.aborted) part.error = error;
    }
    part.isUpdating = false;
    this.touch();
  }

  private touch(): void {
    this.index = undefined;
    this.changed.fire();
  }

  private async indexed() {
    const places = new Map<GalleryEntry, string>();
    const names = new Set<string>();
    for (const { named, source } of this.parts)
      for (const entry of source.entries) {
        if (names.has(entry.name)) continue;
        names.add(entry.name);
        places.set(entry, named.place);
      }
    return { search: await GallerySearch.over(places.keys()), places };
  }
}
