/**
 * Lists the servers of a registry. API: https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/api,
 * version v0.1, otherwise v0.
 */
import { valueAt } from '../base/guards.js';
import type { GalleryEntry } from './galleryEntry.js';
import { readEntry } from './galleryEntry.js';
import type { GalleryHttp } from './galleryHttp.js';
import type { ServerDocument } from './listJson.js';

/** Maximum number of entries of one source. */
export const maxEntries = 50_000;
/** Entries per page; the API allows up to 100. */
const pageSize = 100;
/**
 * Pages without a new entry after which the list is considered endless. A registry that changes during the reading has
 * few such pages.
 */
const maxRepeats = 3;
/** Maximum number of pages. */
const maxPages = 5_000;
/** Maximum length of a cursor, in UTF-16 code units. */
const maxCursor = 4_000;
const versions = ['v0.1', 'v0'] as const;

/** A page of entries, in the order of the registry. */
export type OnEntries = (entries: GalleryEntry[]) => void;

/**
 * Reads all pages of a list. Pages that were passed on remain valid if a later one fails.
 * @param base the URL of the registry, with or without the version of its API; or the URL of a single JSON document.
 * @param since reads only entries that changed or were deleted after this time (ISO 8601).
 * @throws HostError `registry-failed` and the errors of `GalleryHttp.servers`.
 */
export async function listServers(
  http: GalleryHttp,
  base: URL,
  { since, signal, onEntries }: { since?: string; signal?: AbortSignal; onEntries: OnEntries },
): Promise<void> {
  if (base.pathname.endsWith('.json')) {
    const document = await http.servers(base, signal);
    if (document === undefined) throw http.error({ problem: 'status', status: 404 });
    onEntries(entriesOf(document) ?? fail(http));
    return;
  }
  for (const version of versions) {
    const list = listUrl(base, version, since);
    const first = await http.servers(list, signal);
    if (first === undefined) continue;
    await readPages(http, list, first, signal, onEntries);
    return;
  }
  throw http.error({ problem: 'no-api' });
}

async function readPages(
  http: GalleryHttp,
  list: URL,
  first: ServerDocument,
  signal: AbortSignal | undefined,
  onEntries: OnEntries,
): Promise<void> {
  const cursors = new Set<string>();
  const known = new Set<string>();
  let repeats = 0;
  for (let page = first; ;) {
    const { items, rest } = page;
    if (!items || Array.isArray(rest)) throw http.error({ problem: 'wrong-shape' });
    const entries = items.filter((entry) => entry !== undefined);
    // Otherwise, a list without a usable entry would replace the present one.
    if (entries.length === 0 && items.length > 0) throw http.error({ problem: 'wrong-shape' });
    const before = known.size;
    for (const { name, version } of entries) known.add(JSON.stringify([name, version]));
    if (known.size > maxEntries) throw http.error({ problem: 'too-many', limit: maxEntries });
    onEntries(entries);
    const cursor = valueAt(rest, ['metadata', 'nextCursor']) ?? valueAt(rest, ['metadata', 'next_cursor']);
    if (typeof cursor !== 'string' || cursor === '') return;
    repeats = known.size > before ? 0 : repeats + 1;
    if (cursors.has(cursor) || repeats >= maxRepeats || cursors.size >= maxPages || cursor.length > maxCursor)
      throw http.error({ problem: 'endless' });
    cursors.add(cursor);
    const next = new URL(list);
    next.searchParams.set('cursor', cursor);
    const following = await http.servers(next, signal);
    if (!following) throw http.error({ problem: 'wrong-shape' });
    page = following;
  }
}

function listUrl(base: URL, version: string, since: string | undefined): URL {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v0(?:\.1)?(?:\/servers)?$/, '');
  url.pathname = `${path}/${version}/servers`;
  url.searchParams.set('limit', String(pageSize));
  url.searchParams.set('version', 'latest');
  if (since !== undefined) url.searchParams.set('updated_since', since);
  return url;
}

/**
 * The entries of a document: `{ servers: […] }`, a list of entries, one entry, or one `server.json`. Undefined if it is
 * none of these.
 */
export function entriesOf({ items, rest }: ServerDocument): GalleryEntry[] | undefined {
  if (items) return items.slice(0, maxEntries).filter((entry) => entry !== undefined);
  const entry = readEntry(rest);
  return entry && [entry];
}

function fail(http: GalleryHttp): never {
  throw http.error({ problem: 'wrong-shape' });
}
