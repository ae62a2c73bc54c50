import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Maximum number of folders of PATH that are searched, and of endings that are tried in each of them. */
const maxFolders = 1_000;
const maxEndings = 30;

export interface CommandSearch {
  /** Absolute path of the program; undefined if not found. */
  found: string | undefined;
  /** The searched folders, in order. */
  folders: string[];
}

/**
 * Finds a command as the operating system does. A path is resolved from the working directory. A plain name is searched
 * for in the folders of PATH (on Windows with PATHEXT).
 */
export function findCommand(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): CommandSearch {
  const isWindows = platform === 'win32';
  const paths = isWindows ? path.win32 : path.posix;
  const endings = isWindows ? programEndings(command, valueOf(env, 'PATHEXT')) : [''];
  const tries = (base: string) => endings.map((ending) => base + ending).find((file) => isProgram(file, isWindows));
  if (command.includes('/') || (isWindows && command.includes('\\'))) {
    const full = paths.resolve(cwd, command);
    return { found: tries(full), folders: [paths.dirname(full)] };
  }
  const { folders } = pathFolders(env, cwd, platform);
  for (const folder of folders) {
    const found = tries(paths.join(folder, command));
    if (found) return { found, folders };
  }
  return { found: undefined, folders };
}

/**
 * The first 1,000 different folders of PATH as absolute paths, in order. A relative folder is resolved against the working directory of the
 * process. On POSIX, an empty entry means that working directory (POSIX.1-2017, 8.3). `isWhole` is false if there are
 * more.
 */
export function pathFolders(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): { folders: string[]; isWhole: boolean } {
  const isWindows = platform === 'win32';
  const paths = isWindows ? path.win32 : path.posix;
  const folders = new Set(valueOf(env, 'PATH')?.split(paths.delimiter) ?? []);
  if (isWindows) folders.delete('');
  const searched = [...folders].slice(0, maxFolders).map((folder) => paths.resolve(cwd, folder));
  return { folders: [...new Set(searched)], isWhole: folders.size <= maxFolders };
}

/** The environment with a PATH that contains neither relative folders nor `node_modules/.bin` folders of projects. */
export function withoutProjectPrograms(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (name.toUpperCase() !== 'PATH' || value === undefined) return [name, value];
      const isKept = (folder: string) => path.isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]*$/.test(folder);
      return [name, value.split(path.delimiter).filter(isKept).join(path.delimiter)];
    }),
  );
}

/**
 * The extensions that Windows tries for a program, in order. A bare name is a program only if it has one of these
 * extensions: next to `npx.cmd` there is a shell script `npx`, which Windows cannot run.
 */
export function programEndings(command: string, pathExt = '.COM;.EXE;.BAT;.CMD'): string[] {
  const endings = [...new Set(pathExt.split(';'))].filter(Boolean).slice(0, maxEndings);
  const lower = command.toLowerCase();
  return endings.some((ending) => lower.endsWith(ending.toLowerCase())) ? ['', ...endings] : endings;
}

function valueOf(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isProgram(file: string, isWindows: boolean): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    if (!isWindows) accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A sentence that tells the user what to do about a command that was not found.
 * @param t translates the sentence; default: English.
 */
export function remedyFor(command: string, t = (text: string): string => text): string {
  switch (path.posix.basename(command.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat)$/i, '')) {
    case 'npx':
    case 'node':
      return t('Install Node.js, or make sure that it is in the PATH of your login shell.');
    case 'uvx':
    case 'uv':
      return t('Install uv (docs.astral.sh/uv), and then restart the server.');
    case 'python':
      return t('Install Python, or use "python3".');
    case 'python3':
      return t('Install Python.');
    case 'docker':
      return t('Install Docker and start it.');
    case 'bunx':
      return t('Install Bun.');
    case 'deno':
      return t('Install Deno.');
    default:
      return t('Check the spelling of the command, install the program, or enter its full path.');
  }
}
