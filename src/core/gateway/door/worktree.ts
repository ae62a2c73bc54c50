import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/** The Git worktree that a folder belongs to. */
export interface Worktree {
  /** The top folder of the worktree. */
  top: string;
  /** The folder that all worktrees of the repository share. */
  repository: string;
}

/** Maximum size of the files that Git writes for a worktree, bytes. */
const maxBytes = 4_096;

/** The worktree of a folder, read from its files without starting Git. Undefined outside of a repository. */
export async function worktreeOf(folder: string): Promise<Worktree | undefined> {
  for (let top = folder; ; top = path.dirname(top)) {
    const mark = path.join(top, '.git');
    const stats = await lstat(mark).catch(() => undefined);
    if (stats?.isDirectory()) return { top, repository: await real(mark) };
    if (stats?.isFile() && stats.size <= maxBytes) {
      const own = await pathIn(mark, /^gitdir: (.+)$/m, top);
      if (own !== undefined) {
        const shared = (await pathIn(path.join(own, 'commondir'), /^(.+)$/m, own)) ?? own;
        return { top, repository: await real(shared) };
      }
    }
    if (path.dirname(top) === top) return undefined;
  }
}

/** The path that a small file contains, relative to `base`. */
async function pathIn(file: string, pattern: RegExp, base: string): Promise<string | undefined> {
  const stats = await lstat(file).catch(() => undefined);
  if (!stats?.isFile() || stats.size > maxBytes) return undefined;
  const found = pattern.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]?.trim();
  // A file of the workspace must not make Windows connect to another computer.
  return found === undefined || /^[\\/]{2}/.test(found) ? undefined : path.resolve(base, found);
}

function real(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}
