/**
 * Reads a bundle, which is a zip archive, without trusting anything in it. The whole directory is checked before the
 * first file is unpacked, and every file is checked again while it is unpacked.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import type * as Yauzl from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { messageOf } from '../../base/hostError.js';
import { sizeText } from '../../../shared/amountText.js';
import type { BundleFacts, BundleProblem } from './bundleError.js';
import { BundleError, bundleError } from './bundleError.js';
import { checkPath, PathSet } from './bundlePaths.js';

/** Maximum number of files and folders of a bundle. */
const maxFiles = 50_000;
/** Maximum size of all unpacked files, bytes. */
const maxUnpackedBytes = 2_000_000_000;
const maxManifestBytes = 1_000_000;
/** Unpacked size up to which the compression ratio of a file is not limited, bytes. */
const freeBytes = 8_000_000;
/** Maximum compression ratio of a larger file. */
const maxRatio = 100;
/** Maximum size of the extra fields of a file in the directory, and of its comment, bytes. Tools write less than 100. */
const maxExtraBytes = 4_096;
/** Maximum size of the extra fields and comments of all files, bytes. */
const maxAllExtraBytes = 8_000_000;
/** Size of a local file header without its name, in bytes. */
const headerBytes = 30;

/** The type of a file in the upper half of its attributes, as in `stat`. */
const typeMask = 0o170000;
const regular = 0o100000;
const directory = 0o040000;

/** One unpacked file. */
export interface UnpackedFile {
  bytes: number;
  /** SHA-256, lower-case hex. */
  sha256: string;
}

/** A file of the archive. */
interface ArchiveFile {
  entry: Entry;
  names: readonly string[];
  isExecutable: boolean;
}

export class BundleArchive {
  private readonly files: ArchiveFile[] = [];
  private readonly folders: (readonly string[])[] = [];

  private constructor(
    private readonly zip: ZipFile,
    private readonly label: string,
  ) {}

  /**
   * Opens an archive and checks its directory.
   * @param file must not change while the archive is open.
   * @param label the name of the bundle in error messages.
   * @throws BundleError.
   */
  static async open(file: string, label: string): Promise<BundleArchive> {
    const { default: library } = (await import('yauzl')) as unknown as { default: typeof Yauzl };
    let zip: ZipFile;
    try {
      zip = await library.openPromise(file, { autoClose: false, lazyEntries: true, decodeStrings: false });
    } catch (error) {
      throw bundleError(label, 'not-a-zip', { subject: messageOf(error), cause: error });
    }
    const archive = new BundleArchive(zip, label);
    try {
      await archive.readDirectory();
      return archive;
    } catch (error) {
      archive.close();
      throw error instanceof BundleError
        ? error
        : archive.error('not-a-zip', { subject: messageOf(error), cause: error });
    }
  }

  /** The text of `manifest.json`. @throws BundleError. */
  async manifest(): Promise<string> {
    const file = this.files.find(({ names }) => names.length === 1 && names[0] === 'manifest.json');
    if (!file) throw this.error('no-manifest');
    if (file.entry.uncompressedSize > maxManifestBytes)
      throw this.error('bad-manifest', { subject: t('it is larger than {0}', sizeText(maxManifestBytes)) });
    const chunks: Buffer[] = [];
    for await (const chunk of this.contentOf(file)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  /**
   * Unpacks all files into a folder. Files and folders get permissions for their owner only. Of the permissions in the
   * archive, only the permission to execute a file is used. If the promise rejects, the folder contains some of the
   * files.
   * @param folder exists and is empty.
   * @param executable a path that gets the permission to execute even if the archive does not give it.
   * @returns the files by path, with `/`.
   */
  async unpack(folder: string, executable?: string, signal?: AbortSignal): Promise<Map<string, UnpackedFile>> {
    const unpacked = new Map<string, UnpackedFile>();
    const made = new Set<string>();
    const makeFolder = async (names: readonly string[]) => {
      const target = path.join(folder, ...names);
      if (made.has(target)) return;
      made.add(target);
      await mkdir(target, { recursive: true, mode: 0o700 });
    };
    for (const names of this.folders) await makeFolder(names);
    for (const file of this.files) {
      signal?.throwIfAborted();
      await makeFolder(file.names.slice(0, -1));
      const name = file.names.join('/');
      const mode = file.isExecutable || name === executable ? 0o700 : 0o600;
      unpacked.set(name, await this.unpackFile(file, path.join(folder, ...file.names), mode, signal));
    }
    return unpacked;
  }

  close(): void {
    this.zip.close();
  }

  private async unpackFile(
    file: ArchiveFile,
    target: string,
    mode: number,
    signal: AbortSignal | undefined,
  ): Promise<UnpackedFile> {
    // Fails if the file exists, so that a file is never written through a link or over another one.
    const handle = await open(target, 'wx', mode);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of this.contentOf(file)) {
        signal?.throwIfAborted();
        hash.update(chunk);
        bytes += chunk.length;
        await handle.write(chunk);
      }
    } finally {
      await handle.close();
    }
    // The mode of `open` is reduced by the umask of the process.
    await chmod(target, mode);
    return { bytes, sha256: hash.digest('hex') };
  }

  /** The unpacked content of a file. Rejects as soon as it has more bytes than the directory states. */
  private async *contentOf({ entry, names }: ArchiveFile): AsyncGenerator<Buffer> {
    const subject = names.join('/');
    let bytes = 0;
    try {
      const stream = await this.zip.openReadStreamPromise(entry);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > entry.uncompressedSize) throw this.error('wrong-size', { subject });
        yield chunk;
      }
    } catch (error) {
      // The library counts the bytes as well.
      if (error instanceof Error && /bytes in the stream/.test(error.message))
        throw this.error('wrong-size', { subject, cause: error });
      if (error instanceof BundleError || isOfDisk(error)) throw error;
      throw this.error('not-a-zip', { subject: messageOf(error), cause: error });
    }
    if (bytes !== entry.uncompressedSize) throw this.error('wrong-size', { subject });
  }

  private async readDirectory(): Promise<void> {
    const { zip } = this;
    if (zip.entryCount > maxFiles) throw this.error('too-many-files', { limit: maxFiles });
    const paths = new PathSet();
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    let bytes = 0;
    let extraBytes = 0;
    for await (const entry of zip.eachEntry()) {
      const subject = entry.fileNameRaw.toString('utf8');
      const name = decoded(utf8, entry.fileNameRaw);
      const checked = name === undefined ? { problem: 'path-name' as const } : checkPath(name);
      if ('problem' in checked) throw this.error(checked.problem, { subject });
      const { names, isFolder } = checked;
      this.checkEntry(entry, subject, isFolder);
      extraBytes += entry.extraFieldLength + entry.fileCommentLength;
      if (extraBytes > maxAllExtraBytes) throw this.error('extra-data', { subject });
      bytes += entry.uncompressedSize;
      if (bytes > maxUnpackedBytes) throw this.error('too-large', { limit: maxUnpackedBytes });
      if (!paths.add(names, isFolder)) throw this.error('duplicate', { subject });
      if (paths.size > maxFiles) throw this.error('too-many-files', { limit: maxFiles });
      if (isFolder) this.folders.push(names);
      else
        this.files.push({
          entry: withoutTexts(entry),
          names,
          isExecutable: ((entry.externalFileAttributes >>> 16) & 0o100) !== 0,
        });
    }
    this.checkOverlaps();
  }

  private checkEntry(entry: Entry, subject: string, isFolder: boolean): void {
    const { compressedSize, uncompressedSize, compressionMethod, externalFileAttributes } = entry;
    const type = (externalFileAttributes >>> 16) & typeMask;
    // Archives that were made on Windows have no type.
    if (type !== 0 && type !== (isFolder ? directory : regular)) throw this.error('link', { subject });
    if (entry.extraFieldLength > maxExtraBytes || entry.fileCommentLength > maxExtraBytes)
      throw this.error('extra-data', { subject });
    if (entry.isEncrypted()) throw this.error('encrypted', { subject });
    if (compressionMethod !== 0 && compressionMethod !== 8) throw this.error('compression', { subject });
    if (isFolder && uncompressedSize !== 0) throw this.error('wrong-size', { subject });
    if (uncompressedSize > freeBytes && uncompressedSize > compressedSize * maxRatio)
      throw this.error('zip-bomb', { subject });
  }

  /** Throws if files share their data, because such files unpack to much more than the size of the archive. */
  private checkOverlaps(): void {
    const parts = this.files
      .map(({ entry, names }) => ({
        start: entry.relativeOffsetOfLocalHeader,
        end: entry.relativeOffsetOfLocalHeader + headerBytes + entry.fileNameLength + entry.compressedSize,
        names,
      }))
      .sort((one, other) => one.start - other.start);
    for (const [index, { start, names }] of parts.entries())
      if (index > 0 && start < (parts[index - 1]?.end ?? 0)) throw this.error('overlap', { subject: names.join('/') });
  }

  private error(problem: BundleProblem, facts: BundleFacts = {}): BundleError {
    return bundleError(this.label, problem, facts);
  }
}

/**
 * The entry with its numbers only, which are what the library needs to unpack the file. One buffer has the name, the
 * extra fields and the comment, so none of them may stay.
 */
function withoutTexts(entry: Entry): Entry {
  const none = Buffer.alloc(0);
  return Object.assign(entry, {
    extraFields: [],
    extraFieldRaw: none,
    fileNameRaw: none,
    fileName: none,
    fileCommentRaw: none,
    fileComment: none,
    comment: none,
  });
}

function decoded(utf8: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    // The encodings of old archives are not supported, because programs decode names in them differently.
    return undefined;
  }
}

/**
 * Whether a system call failed or the work was aborted. The property `code` is not checked, because errors of zlib have
 * it too.
 */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || error.name === 'AbortError');
}
