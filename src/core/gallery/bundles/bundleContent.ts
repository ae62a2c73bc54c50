/** Compares the current files of a bundle with the record of the files that were unpacked. */
import { createHash, randomUUID } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../base/jsonText.js';
import type { UnpackedFile } from './bundleArchive.js';
import { chunksOf } from './bundleFile.js';

/** Number of added files after which the comparison ends. A package of a server has up to a few thousand files. */
const maxAdded = 20_000;

/** How the files of a bundle differ from the unpacked ones: paths with `/`. */
export interface ContentChanges {
  changed: string[];
  missing: string[];
  added: string[];
  /**
   * SHA-256 of the differences, lower-case hex. If there are too many additional files to compare all of them, the
   * digest is different each time, so that no approval covers the files that were not compared.
   */
  digest: string;
}

/**
 * The differences; undefined if there are none. Each file is read in small parts, so that other work continues. Files
 * that were added count as well, because a program may load them.
 * @param folder the folder of the bundle.
 * @param files the unpacked files by path.
 */
export async function contentChanges(
  folder: string,
  files: ReadonlyMap<string, UnpackedFile>,
  signal?: AbortSignal,
): Promise<ContentChanges | undefined> {
  const left = new Set(files.keys());
  const found: Record<string, string> = {};
  const changes: Omit<ContentChanges, 'digest'> = { changed: [], missing: [], added: [] };
  const isFolder = await lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder)
    for await (const name of filesIn(folder, '')) {
      signal?.throwIfAborted();
      const expected = files.get(name);
      if (expected) left.delete(name);
      else changes.added.push(name);
      const actual = await fileDigest(path.join(folder, ...name.split('/')), expected?.bytes, signal);
      if (actual !== expected?.sha256) found[name] = actual;
      if (expected && actual !== expected.sha256) changes.changed.push(name);
      if (changes.added.length > maxAdded) {
        found['not compared'] = randomUUID();
        break;
      }
    }
  changes.missing.push(...left);
  if (changes.changed.length + changes.missing.length + changes.added.length === 0) return undefined;
  const digest = createHash('sha256')
    .update(canonicalJson({ found, missing: changes.missing }))
    .digest('hex');
  return { ...changes, digest };
}

/** Every entry that is not a folder, links included. Links are not followed. */
async function* filesIn(folder: string, prefix: string): AsyncGenerator<string> {
  const children = await readdir(folder, { withFileTypes: true });
  for (const child of children.sort((one, other) => (one.name < other.name ? -1 : 1)))
    if (child.isDirectory()) yield* filesIn(path.join(folder, child.name), `${prefix}${child.name}/`);
    else yield `${prefix}${child.name}`;
}

/**
 * The SHA-256 of a regular file of the expected size. Otherwise, a text with the size and time of the file, or a note
 * that it is not a regular file.
 */
async function fileDigest(file: string, bytes: number | undefined, signal?: AbortSignal): Promise<string> {
  const stats = await lstat(file);
  if (!stats.isFile()) return 'no file';
  // An added file is identified by its size and time, because its content may be of any length.
  if (bytes === undefined) return `${stats.size} bytes of ${stats.mtimeMs}`;
  if (stats.size !== bytes) return `${stats.size} bytes of ${stats.mtimeMs}`;
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(file, signal)) hash.update(chunk);
  return hash.digest('hex');
}
