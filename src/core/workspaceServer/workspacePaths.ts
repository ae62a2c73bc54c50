/**
 * Which paths of a caller mean a file of the workspace. The words come from a model or from another program, so every
 * spelling that could mean something else is refused by name: other schemes, `..` past the folder, absolute paths to
 * elsewhere, Windows devices and alternate streams, anything in `.git`. After that the file system has its say: what
 * leads out by a symbolic link is out.
 *
 * The first half is pure; `resolve` asks for real paths. Paths are shown relative to their folder with `/`, and with the
 * folder's name in front when there is more than one.
 */
import { posix, win32 } from 'node:path';

export interface WorkspaceFolder {
  name: string;
  /** Absolute, in the spelling of the platform. */
  path: string;
}

/** A path inside one of the folders. */
export interface WorkspacePath {
  folder: WorkspaceFolder;
  /** Below the folder, with `/`; empty for the folder itself. */
  relative: string;
  absolute: string;
}

/** Why a path is not served: a whole sentence. */
export interface PathProblem {
  problem: string;
}

const maxLength = 4_096;

/** Names that Windows gives to devices, in every folder and with any extension. */
const device = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\.|$)/i;

export class WorkspacePaths {
  private readonly labels: ReadonlyMap<WorkspaceFolder, string>;
  private readonly isWindows: boolean;
  /** Real paths of the folders, asked for once. */
  private roots: Promise<(string | undefined)[]> | undefined;

  constructor(
    private readonly folders: readonly WorkspaceFolder[],
    platform: NodeJS.Platform = process.platform,
  ) {
    this.isWindows = platform === 'win32';
    this.labels = uniqueLabels(folders);
  }

  /** The path that `text` means, as far as its letters say; nothing is looked up. */
  locate(text: string): WorkspacePath | PathProblem {
    if (this.folders.length === 0) return { problem: 'No folder is open.' };
    if (text === '') return { problem: 'The path is empty.' };
    if (text.length > maxLength) return { problem: `The path is longer than ${maxLength} characters.` };
    if (text.includes('\0')) return { problem: 'The path contains a NUL character.' };
    const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
    if (scheme !== undefined && scheme !== 'file')
      return { problem: `Only files of the workspace can be named, not "${scheme}:" addresses.` };
    const plain = scheme === 'file' ? this.fromFileUri(text) : text;
    if (typeof plain !== 'string') return plain;
    const slashed = this.isWindows ? plain.replaceAll('\\', '/') : plain;
    const isAbsolute = slashed.startsWith('/') || (this.isWindows && /^[a-z]:/i.test(slashed));
    return isAbsolute ? this.locateAbsolute(slashed) : this.locateRelative(slashed);
  }

  /** How a file is shown to callers, who can give it back as it is; undefined for what lies outside. */
  display(absolute: string): string | undefined {
    const found = this.folderOf(this.isWindows ? absolute.replaceAll('\\', '/') : absolute);
    return found && this.label(found);
  }

  /** The shown form of a located path. */
  label({ folder, relative }: Pick<WorkspacePath, 'folder' | 'relative'>): string {
    if (this.folders.length === 1) return relative === '' ? '.' : relative;
    const label = this.labels.get(folder) ?? folder.name;
    return relative === '' ? label : `${label}/${relative}`;
  }

  /**
   * The path that `text` means, checked against the file system.
   * @param realpath the real path of an existing file or folder; rejects when there is none.
   * @returns with `real`, the path to open: it contains no link any more.
   */
  async resolve(
    text: string,
    realpath: (path: string) => Promise<string>,
  ): Promise<(WorkspacePath & { real: string }) | PathProblem> {
    const located = this.locate(text);
    if ('problem' in located) return located;
    const shown = this.label(located);
    let real: string;
    try {
      real = await realpath(located.absolute);
    } catch {
      return { problem: `There is no file "${shown}".` };
    }
    this.roots ??= Promise.all(this.folders.map((folder) => realpath(folder.path).catch(() => undefined)));
    for (const root of await this.roots) {
      const below = root === undefined ? undefined : this.relativeTo(root, real);
      if (below === undefined) continue;
      // The real name counts too: a link inside the workspace may lead into .git.
      const problem = this.segmentsProblem(below.split('/'));
      return problem === undefined ? { ...located, real } : { problem };
    }
    return { problem: `"${shown}" is a link that leads out of the workspace.` };
  }

  private fromFileUri(text: string): string | PathProblem {
    const noFile: PathProblem = { problem: 'This file address does not name a file of this machine.' };
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      return noFile;
    }
    // A host would be a share on the network, which must not even be looked at.
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
    // Shares, device paths, and paths relative to a drive's current folder: none is inside a folder, some reach the
    // network.
    if (this.isWindows && (path.startsWith('/') || !/^[a-z]:\//i.test(path))) {
      const isShareOfOurs = path.startsWith('//') && this.folderOf(path) !== undefined;
      if (!isShareOfOurs) return outside;
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
    return { problem: `The path has to begin with the name of a workspace folder: ${names}.` };
  }

  private below(folder: WorkspaceFolder, segments: readonly string[]): WorkspacePath {
    return {
      folder,
      relative: segments.join('/'),
      absolute: (this.isWindows ? win32 : posix).join(folder.path, ...segments),
    };
  }

  /** The innermost folder that an absolute path, written with `/`, lies in. */
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

  /** `path` below `root`, or undefined when it is not. Windows does not care about case. */
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
      // File systems fold case, drop some invisible characters, and know a short name for it.
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

/** The segments without `.` and `..`; undefined when they lead above where they began. */
function normalized(path: string): string[] | undefined {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments;
}

/** Names of folders, made different where two are alike. */
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
