import path from 'node:path';

/** The folder and all its parents, up to the root of the file system. */
export function withParents(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** Whether `folder` is `root` or inside it. Compares only the paths, which must both be absolute. */
export function isWithin(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/**
 * The folder and its parents, up to and including the outermost workspace folder that contains them; empty outside of
 * the workspace.
 */
export function foldersUpTo(folder: string, roots: readonly string[]): string[] {
  const root = roots.filter((candidate) => isWithin(folder, candidate)).sort((a, b) => a.length - b.length)[0];
  if (root === undefined) return [];
  const steps = path
    .relative(root, folder)
    .split(path.sep)
    .filter((name) => name !== '');
  return [...steps.keys()].map((index) => path.join(root, ...steps.slice(0, steps.length - index))).concat(root);
}
