/** The versions of one server. They are requested only when the user wants to see them. */
import type { GalleryEntry } from './galleryEntry.js';
import { entriesOf } from './registryClient.js';
import type { GalleryHttpOptions } from './galleryHttp.js';
import { GalleryHttp } from './galleryHttp.js';

/** Maximum number of versions that are returned. */
const maxVersions = 200;

/**
 * The versions that a registry has of a server, the latest publication first. Empty for a source without versions.
 * @param place the URL or path of the source.
 * @throws the errors of `GalleryHttp.servers`.
 */
export async function serverVersions(
  place: string,
  name: string,
  options: GalleryHttpOptions,
  signal?: AbortSignal,
): Promise<GalleryEntry[]> {
  if (!/^https?:\/\//i.test(place) || place.endsWith('.json')) return [];
  const base = new URL(place);
  const http = new GalleryHttp(base, options);
  try {
    const path = base.pathname.replace(/\/+$/, '').replace(/\/v0(?:\.1)?(?:\/servers)?$/, '');
    for (const version of ['v0.1', 'v0']) {
      const url = new URL(base);
      url.pathname = `${path}/${version}/servers/${encodeURIComponent(name)}/versions`;
      const document = await http.servers(url, signal);
      if (document === undefined) continue;
      const entries = (entriesOf(document) ?? []).filter((entry) => entry.name === name);
      return entries
        .sort((one, other) => ((one.publishedAt ?? '') < (other.publishedAt ?? '') ? 1 : -1))
        .slice(0, maxVersions);
    }
    return [];
  } finally {
    http.dispose();
  }
}
