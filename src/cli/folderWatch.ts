import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable } from '../core/base/disposable.js';
import { messageOf } from '../core/base/hostError.js';

/** Maximum number of watched folders. The system has a limit for all programs together. */
const maxFolders = 4_000;

/**
 * Watches files by their folders, because editors replace files instead of writing to them. Each folder has its own
 * watcher: Node's recursive watchers also watch `node_modules`, which can have 100,000 files.
 */
export class FolderWatch implements Disposable {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly deep = new Set<string>();
  /** Why some folders are not watched; undefined if all are. */
  problem: string | undefined;

  /** @param onDidChange receives the absolute path of a file or folder that was written, made, renamed or removed. */
  constructor(private readonly onDidChange: (file: string) => void) {}

  /**
   * Watches a folder, and with `isDeep` its subfolders, except `node_modules` and those whose name begins with a dot.
   */
  async add(folder: string, isDeep: boolean): Promise<void> {
    const waiting = [folder];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!this.open(next)) return;
      if (!isDeep || this.deep.has(next)) continue;
      this.deep.add(next);
      const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
      for (const entry of entries)
        if (entry.isDirectory() && isWatched(entry.name)) waiting.push(path.join(next, entry.name));
    }
  }

  dispose(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  /** Returns false if the folder cannot be watched. */
  private open(folder: string): boolean {
    if (this.watchers.has(folder)) return true;
    if (this.watchers.size >= maxFolders) {
      this.problem ??= `Only the first ${maxFolders} folders are watched.`;
      return false;
    }
    try {
      const watcher = watch(folder, (kind, name) => this.changed(folder, kind, name));
      watcher.on('error', () => this.close(folder));
      this.watchers.set(folder, watcher);
    } catch (error) {
      this.problem ??= `The folder ${folder} cannot be watched: ${messageOf(error)}`;
      return false;
    }
    return true;
  }

  private changed(folder: string, kind: string, name: string | null): void {
    if (name === null) return;
    const file = path.join(folder, name);
    this.onDidChange(file);
    if (kind === 'rename' && this.deep.has(folder) && isWatched(name)) void this.addNew(file);
  }

  /** Watches a new folder. Its files can be older than the watcher, so they are reported. */
  private async addNew(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
    if (!entries) return this.close(folder);
    // A folder with the same name may have been watched earlier and replaced.
    this.close(folder);
    await this.add(folder, true);
    for (const entry of entries) if (entry.isFile()) this.onDidChange(path.join(folder, entry.name));
  }

  private close(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
    this.deep.delete(folder);
  }
}

function isWatched(name: string): boolean {
  return name !== 'node_modules' && !name.startsWith('.');
}
