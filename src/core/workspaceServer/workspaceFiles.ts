/**
 * Finds, checks and reads files of the workspace for a client. The tools, the resources and the prompt use this class;
 * no other code of this server opens a file.
 */
import { constants } from 'node:fs';
import { access, open, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { UserError } from '../base/hostError.js';
import type { Disposable } from '../base/disposable.js';
import type { Log } from '../base/log.js';
import { nullLog } from '../base/log.js';
import { visibleLine } from '../base/hostileText.js';
import { Exclusions } from './exclusions.js';
import { compileGlob } from './globRules.js';
import type { PathProblem, ResolvedPath, WorkspaceFolder, WorkspacePath } from './workspacePaths.js';
import { Turns } from './turns.js';
import { WorkspacePaths } from './workspacePaths.js';
import type { WorkspaceAccess } from './workspaceAccess.js';

/** Size limit of a file that is opened, in bytes. */
const maxFileBytes = 32 * 1024 * 1024;

/** Factor by which a search requests more files than its limit, because some of them will be filtered out. */
const searchSlack = 2;

export type SafePath = ResolvedPath;

export class WorkspaceFiles implements Disposable {
  /** The compiled `files.exclude` of each folder, by the path of the folder. Cleared when a setting changes. */
  private readonly exclusions = new Map<string, Exclusions>();
  private readonly listener: Disposable;
  /** Shared by all folders, because the settings of many folders together could block the extension host. */
  private readonly turns = new Turns();

  constructor(
    readonly access: WorkspaceAccess,
    private readonly platform: NodeJS.Platform = process.platform,
    private readonly log: Log = nullLog,
  ) {
    this.listener = access.onDidChangeExcludes(() => this.exclusions.clear());
  }

  dispose(): void {
    this.listener.dispose();
  }

  /** The current folders. */
  get paths(): WorkspacePaths {
    return new WorkspacePaths(this.access.folders(), this.platform);
  }

  /** The file that `text` refers to. Rejects with a UserError that states why the file is not available. */
  async locate(text: string): Promise<SafePath> {
    const { paths } = this;
    const found: SafePath | PathProblem = await paths.resolve(text, realPath);
    if ('problem' in found) throw new UserError(found.problem);
    if (await this.isHidden(found))
      throw new UserError(`"${paths.label(found)}" is hidden by the setting files.exclude.`);
    return found;
  }

  /** Whether clients are allowed to learn that a file exists. */
  async isServed(absolute: string): Promise<boolean> {
    try {
      await this.locate(absolute);
      return true;
    } catch (error) {
      if (error instanceof UserError) return false;
      throw error;
    }
  }

  /**
   * The available files that match a glob, in the order of their paths.
   * @param glob starts with the name of a folder if there are several folders. A pattern that starts with `**` or has
   * no `/` searches all folders.
   */
  async find(
    glob: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ files: { path: string; absolute: string }[]; isTruncated: boolean }> {
    const { paths } = this;
    const folders = this.access.folders();
    const found: { path: string; absolute: string }[] = [];
    for (const folder of folders) {
      const pattern = folders.length === 1 ? glob : inFolder(glob, paths.label({ folder, relative: '' }));
      if (pattern === undefined) continue;
      const matches = await this.access.findFiles(folder, pattern, limit * searchSlack + 1, signal);
      signal.throwIfAborted();
      // The search excludes files by their given path only. This check also covers symbolic links and .git.
      const located = await Promise.all(matches.map((absolute) => this.servedFile(paths, absolute)));
      for (const file of located) if (file) found.push({ path: paths.label(file), absolute: file.absolute });
    }
    found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    return { files: found.slice(0, limit), isTruncated: found.length > limit };
  }

  /**
   * The text of a file: from its editor if the file is loaded, otherwise from the disk. Rejects with a UserError if the
   * file on the disk is not text, is too large, or cannot be read.
   */
  async readText(file: SafePath): Promise<{ text: string; isUnsaved: boolean }> {
    const loaded = this.access.loadedText(file.absolute);
    if (loaded) return { text: loaded.text, isUnsaved: loaded.isDirty };
    const shown = this.paths.label(file);
    const bytes = await readRegularFile(file.real, shown);
    if (isBinary(bytes))
      throw new UserError(`"${shown}" is a binary file of ${bytes.length} bytes; only text can be read.`);
    return { text: await this.access.decode(bytes, file.absolute), isUnsaved: false };
  }

  /** The file at a path; undefined if it does not exist or clients may not access it. */
  private async servedFile(paths: WorkspacePaths, absolute: string): Promise<SafePath | undefined> {
    const found = await paths.resolve(absolute, realPath);
    return 'problem' in found || (await this.isHidden(found)) ? undefined : found;
  }

  /** Whether `files.exclude` hides a file, by its written path or by its real location. */
  private async isHidden(file: SafePath): Promise<boolean> {
    if (await this.isExcluded(file)) return true;
    const { folder, relative } = file.target;
    return (folder !== file.folder || relative !== file.relative) && this.isExcluded(file.target);
  }

  private isExcluded({ folder, relative }: Pick<WorkspacePath, 'folder' | 'relative'>): Promise<boolean> {
    if (relative === '') return Promise.resolve(false);
    const exists = (sibling: string): Promise<boolean> =>
      access(posix.join(folder.path, sibling)).then(
        () => true,
        () => false,
      );
    return this.exclusionsOf(folder).hides(relative, exists);
  }

  private exclusionsOf(folder: WorkspaceFolder): Exclusions {
    const known = this.exclusions.get(folder.path);
    if (known) return known;
    const onTooComplex = () =>
      this.log.write(
        'warn',
        `The built-in server serves no file of the folder "${visibleLine(folder.name, 80)}": its setting files.exclude is too complex. Use fewer or shorter patterns, with fewer groups in braces.`,
      );
    const made = new Exclusions(this.access.excludes(folder), this.platform === 'win32', onTooComplex, this.turns);
    this.exclusions.set(folder.path, made);
    return made;
  }
}

/** The pattern relative to a folder, or undefined if it applies to other folders. */
function inFolder(glob: string, label: string): string | undefined {
  if (glob.startsWith('**')) return glob;
  const slash = glob.indexOf('/');
  // A pattern without a folder matches file names at any depth.
  if (slash === -1) return glob === label ? '**' : `**/${glob}`;
  return compileGlob(glob.slice(0, slash))(label) ? glob.slice(slash + 1) : undefined;
}

function realPath(path: string): Promise<string> {
  return realpath(path);
}

/**
 * Reads a regular file. Does not follow a symbolic link that was created after the check of the path, and does not
 * block on a pipe or a device.
 */
async function readRegularFile(real: string, shown: string): Promise<Buffer> {
  let handle;
  try {
    handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EISDIR') throw new UserError(`"${shown}" is a folder.`);
    throw new UserError(`"${shown}" cannot be read (${code ?? 'unknown error'}).`);
  }
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new UserError(`"${shown}" is a folder.`);
    if (!stat.isFile()) throw new UserError(`"${shown}" is not a regular file.`);
    if (stat.size > maxFileBytes)
      throw new UserError(`"${shown}" has ${stat.size} bytes; files of more than ${maxFileBytes} bytes are not read.`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Whether the first 8,192 bytes contain a NUL and the file does not begin with a byte order mark of UTF-16. */
function isBinary(bytes: Buffer): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, 8_192).includes(0);
}
