/**
 * The unpacked bundles: a folder for each, named after the bundle and the SHA-256 of its file, and beside it a record
 * of its files. Bundles are unpacked into a temporary folder, which is renamed when it is complete.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { slugOf } from '../../base/freeName.js';
import { isObject } from '../../base/guards.js';
import { replaceFile } from '../../base/replaceFile.js';
import { onStorage } from '../../base/storageFailure.js';
import { readFileUpTo } from '../../config/smallFile.js';
import type { UnpackedFile } from './bundleArchive.js';
import { BundleArchive } from './bundleArchive.js';
import type { ContentChanges } from './bundleContent.js';
import { contentChanges } from './bundleContent.js';
import type { BundleDownload } from './bundleDownload.js';
import { downloadBundle } from './bundleDownload.js';
import { bundleError } from './bundleError.js';
import { chunksOf, writeHashed } from './bundleFile.js';
import type { BundleInfo } from './bundleInfo.js';
import { readBundleInfo } from './bundleInfo.js';
import { environmentFolder, ownProgram } from './bundleServer.js';
import { removeSignature } from './bundleSignature.js';

/** A bundle that was copied and checked, but is not unpacked yet. */
export interface StagedBundle {
  /** The name of the bundle for messages. */
  label: string;
  info: BundleInfo;
  /** SHA-256 of the file, lower-case hex. */
  sha256: string;
  /** Whether the file has a signature. It is not verified. */
  isSigned: boolean;
  /** The folder that it is unpacked into. */
  folder: string;
  /**
   * Unpacks the bundle, unless it is already unpacked without changes. @throws BundleError, HostError `storage-failed`.
   */
  unpack(signal?: AbortSignal): Promise<void>;
  /** Deletes the copy of the file. */
  dispose(): Promise<void>;
}

/** A server that uses a bundle: the ID of its source, and its name. */
export interface BundleUser {
  source: string;
  name: string;
}

/** A bundle whose files differ from the ones that were unpacked. */
export interface ChangedBundle extends ContentChanges {
  folder: string;
}

const format = 1;
const maxRecordBytes = 20_000_000;
const maxUsersBytes = 1_000_000;
/** Age after which a temporary folder is treated as left behind by a window that was killed, ms. */
const staleMs = 24 * 3_600_000;
const temporary = '.new-';
const folderName = /^[a-z0-9-]{0,60}-[0-9a-f]{16}$/;

export class BundleStore {
  /**
   * @param root an absolute path; created with the first bundle.
   * @param platform the operating system of the machine that runs the bundles.
   */
  constructor(
    private readonly root: string,
    private readonly platform: 'win32' | 'darwin' | 'linux',
  ) {}

  /** Copies and checks a file. @throws BundleError, HostError `storage-failed`; the signal's reason. */
  openFile(file: string, signal?: AbortSignal): Promise<StagedBundle> {
    const label = path.basename(file);
    return this.stage(label, (target) => writeHashed(chunksOf(file, signal), target, label));
  }

  /** Downloads and checks a file. @throws BundleError, HostError `storage-failed`; the signal's reason. */
  download(download: BundleDownload): Promise<StagedBundle> {
    return this.stage(download.label, (target) => downloadBundle(download, target));
  }

  /** The folders of bundles that a definition with these texts uses. This is the only place that decides it. */
  foldersIn(texts: readonly string[]): string[] {
    const prefix = this.root + path.sep;
    const found = new Set<string>();
    for (const text of texts)
      for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
        const [name = ''] = text.slice(at + prefix.length).split(/[\\/]/, 1);
        if (folderName.test(name)) found.add(path.join(this.root, name));
      }
    return [...found];
  }

  /**
   * The bundles among these folders whose files changed since they were unpacked. All files of a bundle without
   * a record count as added.
   * @param folders results of `foldersIn`.
   */
  async changed(folders: readonly string[], signal?: AbortSignal): Promise<ChangedBundle[]> {
    const changed: ChangedBundle[] = [];
    for (const folder of folders) {
      const changes = await contentChanges(folder, await this.record(folder), signal);
      if (changes) changed.push({ folder, ...changes });
    }
    return changed;
  }

  private async removeFiles(folder: string): Promise<void> {
    // The folder is renamed first, so that a deletion that fails halfway does not leave a part of a bundle.
    const aside = path.join(this.root, `${temporary}${randomBytes(6).toString('hex')}`);
    await rename(folder, aside).catch(ignoreMissing);
    await Promise.all([removeAll(aside), removeAll(recordOf(folder))]);
  }

  /** Records that a server uses a bundle. @throws HostError `storage-failed`. */
  async use(folder: string, user: BundleUser): Promise<void> {
    const users = (await usersOf(folder)).filter((one) => !isSame(one, user));
    await onStorage({ operation: 'write', thing: folder }, () => writeUsers(folder, [...users, user]));
  }

  /**
   * Deletes the bundles of a removed server that no other server uses.
   * @param texts the texts of the removed definition.
   * @param exists whether a recorded user still exists; undefined if that is unknown, because its workspace is closed.
   * @param others the texts of all other definitions of the window.
   * @throws HostError `storage-failed`.
   */
  async release(
    texts: readonly string[],
    user: BundleUser,
    exists: (user: BundleUser) => boolean | undefined,
    others: readonly string[],
  ): Promise<void> {
    const used = new Set(this.foldersIn(others));
    for (const folder of this.foldersIn(texts)) {
      const users = (await usersOf(folder)).filter((one) => !isSame(one, user) && exists(one) !== false);
      if (users.length > 0 || used.has(folder)) {
        await onStorage({ operation: 'write', thing: folder }, () => writeUsers(folder, users));
        continue;
      }
      await onStorage({ operation: 'remove', thing: folder }, async () => {
        await this.removeFiles(folder);
        await Promise.all([environmentFolder(folder), usersFile(folder)].map(removeAll));
      });
    }
  }

  private async stage(label: string, fetch: (target: string) => Promise<string>): Promise<StagedBundle> {
    const draft = path.join(this.root, `${temporary}${randomBytes(6).toString('hex')}`);
    const file = path.join(draft, 'bundle.mcpb');
    const dispose = () => removeAll(draft);
    try {
      return await onStorage({ operation: 'write', thing: this.root }, async () => {
        await mkdir(draft, { recursive: true, mode: 0o700 });
        await this.removeStale();
        const sha256 = await fetch(file);
        const isSigned = await removeSignature(file);
        const archive = await BundleArchive.open(file, label);
        const info = await archive
          .manifest()
          .then((text) => readBundleInfo(text, label))
          .finally(() => archive.close());
        if (info.platforms?.includes(this.platform) === false)
          throw bundleError(label, 'platform', { subject: info.platforms.join(', ') });
        const folder = path.join(this.root, `${slugOf(info.name).slice(0, 60)}-${sha256.slice(0, 16)}`);
        const unpack = (signal?: AbortSignal) => this.unpack({ label, info, folder, draft, file }, signal);
        return { label, info, sha256, isSigned, folder, unpack, dispose };
      });
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  private async unpack(
    {
      label,
      info,
      folder,
      draft,
      file,
    }: Pick<StagedBundle, 'label' | 'info' | 'folder'> & Record<'draft' | 'file', string>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await onStorage({ operation: 'write', thing: folder }, async () => {
      const record = await this.record(folder);
      if (record.size > 0 && !(await contentChanges(folder, record, signal))) return;
      const content = path.join(draft, 'content');
      await removeAll(content);
      await mkdir(content, { mode: 0o700 });
      const archive = await BundleArchive.open(file, label);
      const files = await archive
        .unpack(content, ownProgram(info, this.platform), signal)
        .finally(() => archive.close());
      await this.removeFiles(folder);
      await replaceFile(recordOf(folder), JSON.stringify({ format, files: [...files] }), 0o600);
      await rename(content, folder);
    });
  }

  /** The unpacked files of a bundle by path; empty if there is no record. */
  private async record(folder: string): Promise<Map<string, UnpackedFile>> {
    try {
      const value: unknown = JSON.parse(await readFileUpTo(recordOf(folder), maxRecordBytes));
      if (isObject(value) && value['format'] === format && Array.isArray(value['files']))
        return new Map(value['files'] as [string, UnpackedFile][]);
    } catch {
      // A damaged record is treated like a missing one.
    }
    return new Map();
  }

  private async removeStale(): Promise<void> {
    for (const name of await readdir(this.root)) {
      if (!name.startsWith(temporary)) continue;
      const full = path.join(this.root, name);
      const changedMs = await stat(full).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      if (Date.now() - changedMs > staleMs) await removeAll(full);
    }
  }
}

/** The recorded users of a bundle; none if the file is missing or damaged. */
async function usersOf(folder: string): Promise<BundleUser[]> {
  try {
    const value: unknown = JSON.parse(await readFileUpTo(usersFile(folder), maxUsersBytes));
    return Array.isArray(value) ? value.filter(isUser) : [];
  } catch {
    return [];
  }
}

function writeUsers(folder: string, users: readonly BundleUser[]): Promise<void> {
  return replaceFile(usersFile(folder), JSON.stringify(users), 0o600);
}

function isUser(value: unknown): value is BundleUser {
  return isObject(value) && typeof value['source'] === 'string' && typeof value['name'] === 'string';
}

function isSame(one: BundleUser, other: BundleUser): boolean {
  return one.source === other.source && one.name === other.name;
}

function usersFile(folder: string): string {
  return `${folder}.users.json`;
}

function recordOf(folder: string): string {
  return `${folder}.json`;
}

function removeAll(file: string): Promise<void> {
  return rm(file, { recursive: true, force: true, maxRetries: 3 });
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
