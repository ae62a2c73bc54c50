/**
 * Checks the paths in a bundle. Only paths that mean the same file on Windows, macOS and Linux are unpacked, so that a
 * path can neither leave the folder of the bundle nor replace another of its files.
 */
import { countHidden } from '../../base/hostileText.js';
import type { BundleProblem } from './bundleError.js';

/** Limits of a path and its key: UTF-16 code units, number of names, and bytes of one name. */
const maxPath = 400;
const maxDepth = 40;
const maxNameBytes = 200;

/** Device names of Windows, with or without an extension. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/** The names in a path, or the reason why the path is refused. */
export type CheckedPath = { names: readonly string[]; isFolder: boolean } | { problem: BundleProblem };

/** Checks one path of an archive. A final `/` means a folder. */
export function checkPath(path: string): CheckedPath {
  const isFolder = path.endsWith('/');
  const names = (isFolder ? path.slice(0, -1) : path).split('/');
  if (path.length > maxPath || names.length > maxDepth) return { problem: 'path-name' };
  // Compatibility characters, such as full-width dots, become the characters that they look like.
  const plain = path.normalize('NFKC');
  if (/^[\\/]|^[A-Za-z]:|\\/.test(plain) || plain.split('/').includes('..')) return { problem: 'path-escape' };
  // One character can become 18 others in the key, which is kept for each path.
  return keyOf(path).length <= maxPath && names.every(isPortableName) ? { names, isFolder } : { problem: 'path-name' };
}

function isPortableName(name: string): boolean {
  const plain = name.normalize('NFKC');
  return (
    name !== '' &&
    name !== '.' &&
    Buffer.byteLength(name) <= maxNameBytes &&
    countHidden(name) === 0 &&
    // Windows removes dots and blanks at the end of a name, and reads a colon as the start of a stream.
    [name, plain].every((text) => !/[<>:"|?*\\/\p{Cc}]|[. ]$|^ /u.test(text) && !device.test(text))
  );
}

/** Finds paths that are the same on a file system that ignores case or normalizes names. */
export class PathSet {
  private readonly files = new Set<string>();
  /** Folders with the spelling of their first use. */
  private readonly folders = new Map<string, string>();

  /** Number of files and folders. */
  get size(): number {
    return this.files.size + this.folders.size;
  }

  /** Adds a path with its folders. Returns false if it clashes with an earlier path. */
  add(names: readonly string[], isFolder: boolean): boolean {
    let key = '';
    let spelling = '';
    for (const [index, name] of names.entries()) {
      key += `/${keyOf(name)}`;
      spelling += `/${name}`;
      if (this.files.has(key)) return false;
      if (index === names.length - 1 && !isFolder) break;
      const known = this.folders.get(key);
      if (known !== undefined && known !== spelling) return false;
      this.folders.set(key, spelling);
    }
    if (isFolder) return true;
    if (this.folders.has(key)) return false;
    this.files.add(key);
    return true;
  }
}

/** The form in which names are compared, for one name or a path. */
function keyOf(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
