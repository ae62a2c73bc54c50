import path from 'node:path';

/**
 * Maximum number of nested folders that are returned. Each path contains those above it, so that all paths of a folder
 * with thousands of levels would need hundreds of megabytes.
 */
const maxLevels = 200;

/** Maximum length of a path that is examined, in UTF-16 code units. Most systems refuse longer paths. */
export const maxPathLength = 4_096;

/** Whether a path is too long, or has too many nested folders, to be examined. */
export function isTooDeep(folder: string): boolean {
  return folder.length > maxPathLength || withParents(folder).length === maxLevels;
}

/** The folder and its parents, up to the root of the file system; at most `maxLevels`. */
export function withParents(folder: string): string[] {
  const found = [folder];
  for (
    let parent = path.dirname(folder);
    parent !== found.at(-1) && found.length < maxLevels;
    parent = path.dirname(parent)
  )
    found.push(parent);
  return found;
}

/** Whether `folder` is `root` or inside it. Compares only the paths, which must both be absolute. */
export function isWithin(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** Whether `folder` is in one of the folders. */
export function isInOne(folder: string, roots: readonly string[]): boolean {
  return roots.some((root) => isWithin(folder, root));
}

/**
 * The folder and its parents, up to and including the outermost workspace folder that contains them; empty outside of
 * the workspace. If there are more than `maxLevels`, those in the middle are omitted.
 */
export function foldersUpTo(folder: string, roots: readonly string[]): string[] {
  const root = roots.filter((candidate) => isWithin(folder, candidate)).sort((a, b) => a.length - b.length)[0];
  return root === undefined
    ? []
    : [...withParents(path.resolve(folder)).filter((one) => isWithin(one, root) && !isWithin(root, one)), root];
}
