/** Finds servers in the stored lists of registries. Contacts no registry. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { GalleryStore } from '../galleryStore.js';
import type { PickedEntries } from '../galleryStore.js';

/** A text that changes when a stored list changes. Empty if there is none. */
export async function listsState(folder: string): Promise<string> {
  const states = (await listFiles(folder)).map(async (file) => {
    const { mtimeMs, size } = await stat(file);
    return `${path.basename(file)} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(states)).join('\n');
}

/**
 * The entries with these names, by list. Lists that cannot be read are left out.
 * @param folder the folder of the lists, as for `GalleryStore`.
 */
export async function storedLists(folder: string, names: ReadonlySet<string>): Promise<PickedEntries[]> {
  const store = new GalleryStore(folder);
  const found: PickedEntries[] = [];
  for (const file of await listFiles(folder)) {
    const picked = await store.pick(file, names);
    if (picked) found.push(picked);
  }
  return found;
}

async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.json.gz')).map((name) => path.join(folder, name));
}
