import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isObject } from '../../core/base/guards.js';
import {
  isPrivateFolder,
  makePrivateFolder,
  readPrivateFile,
  writePrivateFile,
} from '../../core/gateway/door/privateFiles.js';
import { listMembers } from '../../core/protocol/mcp.js';

/** Maximum size of the lists of one client, bytes. Longer lists are not stored. */
const maxBytes = 16 * 1024 * 1024;

/** Maximum number of stored clients; the oldest ones are removed. */
const maxClients = 100;

/**
 * The lists that a client received last, stored on disk so that the door can return them while no window is open. Lists
 * are stored for each client, because presets and approvals decide what a client sees.
 */
export class KnownLists {
  private readonly file: string;
  private items: Promise<Map<string, unknown[]>> | undefined;
  private stored: string | undefined;
  private writing: Promise<void> = Promise.resolve();

  /** @param identity everything that decides what the client sees. */
  constructor(
    private readonly folder: string,
    identity: readonly (string | undefined)[],
  ) {
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    this.file = path.join(folder, `${name}.json`);
  }

  /** The items of a list. Empty if the client has not received it yet. */
  async list(method: string): Promise<readonly unknown[]> {
    return (await this.read()).get(listMembers[method] ?? '') ?? [];
  }

  /**
   * Keeps a list that the client received.
   * @param isFirst whether the result is the first page of the list.
   */
  async keep(method: string, isFirst: boolean, result: unknown): Promise<void> {
    const member = listMembers[method];
    if (member === undefined || !isObject(result)) return;
    const page = result[member];
    if (!Array.isArray(page)) return;
    const items = await this.read();
    items.set(member, isFirst ? (page as unknown[]) : [...(items.get(member) ?? []), ...(page as unknown[])]);
    // A list that cannot be written to the disk is kept in memory until this process ends.
    this.writing = this.writing.then(() => this.write(items)).catch(() => undefined);
    await this.writing;
  }

  private read(): Promise<Map<string, unknown[]>> {
    return (this.items ??= this.load());
  }

  private async load(): Promise<Map<string, unknown[]>> {
    const text = (await isPrivateFolder(this.folder)) ? await readPrivateFile(this.file, maxBytes) : undefined;
    const items = new Map<string, unknown[]>();
    if (text === undefined) return items;
    try {
      const value: unknown = JSON.parse(text);
      for (const member of Object.values(listMembers)) {
        const kept: unknown = isObject(value) ? value[member] : undefined;
        if (Array.isArray(kept)) items.set(member, kept as unknown[]);
      }
      this.stored = text;
    } catch {
      // A damaged file is replaced when the client receives its lists again.
    }
    return items;
  }

  private async write(items: ReadonlyMap<string, unknown[]>): Promise<void> {
    const text = JSON.stringify(Object.fromEntries(items));
    if (text === this.stored || Buffer.byteLength(text) > maxBytes) return;
    await makePrivateFolder(this.folder);
    await writePrivateFile(this.file, text);
    this.stored = text;
    await this.removeOldest();
  }

  private async removeOldest(): Promise<void> {
    const names = await readdir(this.folder);
    if (names.length <= maxClients) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.folder, name);
        return { file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    files.sort((one, other) => one.at - other.at);
    for (const { file } of files.slice(0, files.length - maxClients)) await rm(file, { force: true });
  }
}
