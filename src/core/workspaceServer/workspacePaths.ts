/**
 * Decides which paths from a client refer to a file of the workspace. The paths come from a model or another program,
 * so they are untrusted. A path is refused if it has a URI scheme other than `file:`, leads out of the folder through
 * `..`, is an absolute path outside the folders, names a Windows device or an alternate data stream, or is in `.git`.
 * After that, `resolve` asks the file system and refuses a path that leaves the folder through a symbolic link; all
 * other methods are pure. Paths are displayed relative to their folder with `/`. If there are several folders, the name
 * of the folder comes first.
 */
import { posix, win32 } from 'node:path';

export interface WorkspaceFolder {
  name: string;
  /** Absolute path, in the notation of the platform. */
  path: string;
}

/** A path inside one of the folders. */
export interface WorkspacePath {
  folder: WorkspaceFolder;
  /** The path relative to the folder, with `/`; empty for the folder itself. */
  relative: string;
  absolute: string;
}

/** A path that was checked against the file system. */
export interface ResolvedPath extends WorkspacePath {
  /** The absolute path to open, without symbolic links. */
  real: string;
  /** The location of `real`. If the path contains a symbolic link, it can differ from the given path and its folder. */
  target: Pick<WorkspacePath, 'folder' | 'relative'>;
}

/** Why a path is refused, as a complete sentence. */
export interface PathProblem {
  problem: string;
}

const maxLength = 4_096;

/** Names of Windows devices, which are reserved in every folder, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\.|$)/i;

export class WorkspacePaths {
  private readonly labels: ReadonlyMap<WorkspaceFolder, string>;
  private readonly isWindows: boolean;
  /** Real paths of the folders, read once. */
  private roots: Promise<(string | undefined)[]> | undefined;

  constructor(
    private readonly folders: readonly WorkspaceFolder[],
    platform: NodeJS.Platform = process.platform,
  ) {
    this.isWindows = platform === 'win32';
    this.labels = uniqueLabels(folders);
  }

  /** The path that `text` refers to, determined without access to the file system. */
  locate(text: string): WorkspacePath | PathProblem {
    if (this.folders.length === 0) return { problem: 'No folder is open.' };
    if (text === '') return { problem: 'The path is empty.' };
    if (text.length > maxLength) return { problem: `The path is longer than ${maxLength} characters.` };
    if (text.includes('\0')) return { problem: 'The path contains a NUL character.' };
    const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
    if (scheme !== undefined && scheme !== 'file')
      return { problem: `Only files of the workspace can be named, not "${scheme}:" URIs.` };
    const plain = scheme === 'file' ? this.fromFileUri(text) : text;
    if (typeof plain !== 'string') return plain;
    const slashed = this.isWindows ? plain.replaceAll('\\', '/') : plain;
    const isAbsolute = slashed.startsWith('/') || (this.isWindows && /^[a-z]:/i.test(slashed));
    return isAbsolute ? this.locateAbsolute(slashed) : this.locateRelative(slashed);
  }

  /** The displayed path of a file. Clients can pass it back unchanged. Undefined for a file outside the folders. */
  display(absolute: string): string | undefined {
    const found = this.folderOf(this.isWindows ? absolute.replaceAll('\\', '/') : absolute);
    return found && this.label(found);
  }

  /** The displayed form of a located path. */
  label({ folder, relative }: Pick<WorkspacePath, 'folder' | 'relative'>): string {
    if (this.folders.length === 1) return relative === '' ? '.' : relative;
    const label = this.labels.get(folder) ?? folder.name;
    return relative === '' ? label : `${label}/${relative}`;
  }

  /**
   * The path that `text` refers to, checked against the file system.
   * @param realpath the real path of an existing file or folder; rejects when it does not exist.
   */
  async resolve(text: string, realpath: (path: string) => Promise<string>): Promise<ResolvedPath | PathProblem> {
    const located = this.locate(text);
    if ('problem' in located) return located;
    const shown = this.label(located);
    let real: string;
    try {
      real = await realpath(located.absolute);
    } catch {
      return { problem: `There is no file "${shown}".` };
    }
    const target = await this.targetOf(real, realpath);
    if (!target) return { problem: `"${shown}" leads out of the workspace through a symbolic link.` };
    // Check the real path, too, because a symbolic link inside the workspace may lead to .git.
    const problem = this.segmentsProblem(target.relative.split('/'));
    return problem === undefined ? { ...located, real, target } : { problem };
  }

  /** The innermost folder that contains a real path. */
  private async targetOf(
    real: string,
    realpath: (path: string) => Promise<string>,
  ): Promise<ResolvedPath['target'] | undefined> {
    this.roots ??= Promise.all(this.folders.map((folder) => realpath(folder.path).catch(() => undefined)));
    const roots = await this.roots;
    let best: ResolvedPath['target'] | undefined;
    for (const [index, folder] of this.folders.entries()) {
      const root = roots[index];
      const relative = root === undefined ? undefined : this.relativeTo(root, real);
      if (relative !== undefined && (!best || relative.length < best.relative.length)) best = { folder, relative };
    }
    return best;
  }

  private fromFileUri(text: string): string | PathProblem {
    const noFile: PathProblem = { problem: 'This file: URI does not name a file of this machine.' };
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      return noFile;
    }
    // A URL with a host refers to a network share, which must not be accessed.
    if (url.host !== '' || url.search !== '' || url.hash !== '') return noFile;
    if (/%(2f|5c|00)/i.test(url.pathname)) return noFile;
    try {
      const path = decodeURIComponent(url.pathname);
      return this.isWindows ? path.replace(/^\/+(?=[a-z]:)/i, '') : path;
    } catch {
      return noFile;
    }
  }

  private locateAbsolute(path: string): WorkspacePath | PathProblem {
    const outside: PathProblem = { problem: 'The path leads out of the workspace.' };
    // Device paths, paths relative to the current folder of a drive, and network shares are refused, except for a share
    // that contains a workspace folder. Some of these paths would access the network.
    if (this.isWindows && (path.startsWith('/') || !/^[a-z]:\//i.test(path))) {
      const isWorkspaceShare = path.startsWith('//') && this.folderOf(path) !== undefined;
      if (!isWorkspaceShare) return outside;
    }
    const root =
      this.isWindows && !path.startsWith('//')
        ? path.slice(0, 3)
        : path.startsWith('//') && this.isWindows
          ? '//'
          : '/';
    const segments = normalized(path.slice(root.length));
    if (!segments) return outside;
    const found = this.folderOf(root + segments.join('/'));
    if (!found) return outside;
    const problem = this.segmentsProblem(found.relative.split('/'));
    return problem === undefined ? found : { problem };
  }

  private locateRelative(path: string): WorkspacePath | PathProblem {
    const segments = normalized(path);
    if (!segments) return { problem: 'The path leads out of the workspace.' };
    const problem = this.segmentsProblem(segments);
    if (problem !== undefined) return { problem };
    const [only] = this.folders;
    if (only && this.folders.length === 1) return this.below(only, segments);
    const [first, ...rest] = segments;
    for (const [folder, label] of this.labels) if (label === first) return this.below(folder, rest);
    const names = [...this.labels.values()].map((label) => `"${label}"`).join(', ');
    return { problem: `The path must start with the name of a workspace folder: ${names}.` };
  }

  private below(folder: WorkspaceFolder, segments: readonly string[]): WorkspacePath {
    return {
      folder,
      relative: segments.join('/'),
      absolute: (this.isWindows ? win32 : posix).join(folder.path, ...segments),
    };
  }

  /** The innermost folder that contains an absolute path written with `/`. */
  private folderOf(path: string): WorkspacePath | undefined {
    let best: WorkspacePath | undefined;
    for (const folder of this.folders) {
      const relative = this.relativeTo(folder.path, path);
      if (relative !== undefined && (!best || folder.path.length > best.folder.path.length)) {
        best = this.below(folder, relative === '' ? [] : relative.split('/'));
      }
    }
    return best;
  }

  /** `path` relative to `root`: '' for `root` itself, and undefined for a path outside. On Windows, case is ignored. */
  private relativeTo(root: string, path: string): string | undefined {
    const base = (this.isWindows ? root.replaceAll('\\', '/') : root).replace(/\/+$/, '');
    const whole = this.isWindows ? path.replaceAll('\\', '/') : path;
    const start = whole.slice(0, base.length);
    const isSame = this.isWindows ? start.toLowerCase() === base.toLowerCase() : start === base;
    if (!isSame) return undefined;
    const rest = whole.slice(base.length);
    if (rest === '') return '';
    return rest.startsWith('/') ? rest.replace(/^\/+|\/+$/g, '') : undefined;
  }

  private segmentsProblem(segments: readonly string[]): string | undefined {
    for (const segment of segments) {
      // The name is normalized, because file systems may ignore case and some invisible characters, and may offer a
      // short name for a file.
      const plain = segment
        .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
        .toLowerCase()
        .replace(/[. ]+$/, '');
      if (plain === '.git' || plain === 'git~1') return 'The folder .git is not served.';
      if (!this.isWindows) continue;
      if (device.test(segment)) return `"${segment}" is the name of a device.`;
      if (/[<>:"|?*\u0000-\u001f]/.test(segment) || /[. ]$/.test(segment))
        return `"${segment}" is not a file name on Windows.`;
    }
    return undefined;
  }
}

/** The segments without `.` and `..`; undefined if they lead above the start. */
function normalized(path: string): string[] | undefined {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments;
}

/** The names of the folders, with a suffix where two folders have the same name. */
function uniqueLabels(folders: readonly WorkspaceFolder[]): ReadonlyMap<WorkspaceFolder, string> {
  const labels = new Map<WorkspaceFolder, string>();
  const taken = new Set<string>();
  for (const folder of folders) {
    const name = folder.name.replaceAll('/', '_');
    let label = name;
    for (let i = 2; taken.has(label); i++) label = `${name}~${i}`;
    taken.add(label);
    labels.set(folder, label);
  }
  return labels;
}
