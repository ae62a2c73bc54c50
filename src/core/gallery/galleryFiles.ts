/** Servers from files: a folder with JSON files, or one JSON file. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { onStorage } from '../base/storageFailure.js';
import { readFileUpTo } from '../config/smallFile.js';
import { readEntry } from './galleryEntry.js';
import { galleryError } from './galleryError.js';
import { parseList } from './listJson.js';
import type { OnEntries } from './registryClient.js';
import { entriesOf, maxEntries } from './registryClient.js';

/** Maximum size of one file, bytes. */
const maxFileBytes = 50_000_000;
/** Maximum number of nested folders. */
const maxDepth = 6;

/**
 * Reads a JSON file, or all `*.json` files of a folder and its subfolders. Links are not followed. In a folder, a file
 * that cannot be read, is not JSON, or has no servers is skipped.
 * @throws HostError `storage-failed`, `registry-failed`.
 */
export async function readFiles(place: string, onEntries: OnEntries, signal?: AbortSignal): Promise<void> {
  await onStorage({ operation: 'read', thing: place }, async () => {
    const isFolder = (await stat(place)).isDirectory();
    if (!isFolder) {
      const entries = await readServers(place);
      if (entries === undefined) throw galleryError(place, { problem: 'wrong-shape' });
      onEntries(entries);
      return;
    }
    let count = 0;
    for await (const file of jsonFiles(place, 0)) {
      signal?.throwIfAborted();
      if (++count > maxEntries) throw galleryError(place, { problem: 'too-many', limit: maxEntries });
      const entries = await readServers(file).catch(() => undefined);
      if (entries) onEntries(entries);
    }
  });
}

async function* jsonFiles(folder: string, depth: number): AsyncGenerator<string> {
  const children = await readdir(folder, { withFileTypes: true });
  for (const child of children.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = path.join(folder, child.name);
    if (child.isDirectory() && depth < maxDepth) yield* jsonFiles(file, depth + 1);
    else if (child.isFile() && child.name.endsWith('.json')) yield file;
  }
}

async function readServers(file: string): Promise<ReturnType<typeof entriesOf>> {
  const text = await readFileUpTo(file, maxFileBytes);
  try {
    return entriesOf(await parseList(text, readEntry));
  } catch (error) {
    throw galleryError(file, { problem: 'not-json' }, error);
  }
}
