import type { ServerView } from '../../core/catalog/hostTypes.js';
import { textsOf } from '../../core/config/variableSyntax.js';
import type { BundleUser } from '../../core/gallery/bundles/bundleStore.js';
import { ownPlaces, readOwnPlace } from '../adapters/ownPlaces.js';
import type { ExtensionServices } from './services.js';

/**
 * Deletes the bundles that a server used before it was removed or updated, unless another server uses them. The other
 * server can be in this window or in a workspace that is not open.
 */
export async function releaseBundles(
  { bundles, host }: Pick<ExtensionServices, 'bundles' | 'host'>,
  { id, entry }: Pick<ServerView, 'id' | 'entry'>,
): Promise<void> {
  const texts = textsOf(entry.definition);
  if (bundles.foldersIn(texts).length === 0) return;
  const names = new Map<string, ReadonlySet<string>>();
  for (const place of ownPlaces()) {
    // A file that cannot be read may contain the server.
    const content = await readOwnPlace(place).catch(() => undefined);
    if (content) names.set(place.source.id, new Set(Object.keys(content.servers)));
  }
  const exists = ({ source, name }: BundleUser) => names.get(source)?.has(name);
  const others = host.servers.list().flatMap((view) => (view.id === id ? [] : textsOf(view.entry.definition)));
  await bundles.release(texts, { source: entry.source.id, name: entry.name }, exists, others);
}
