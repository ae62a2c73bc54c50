/**
 * Determines whether files of the workspace decide what a server from the user settings runs (security requirement
 * C28). A list of launchers is never complete, so every server that runs in a workspace folder is treated as affected.
 * The exception is a command line that refers to code outside of the workspace and contains no relative path.
 */
import path from 'node:path';
import { t } from '@vscode/l10n';
import { exactText } from '../base/exactText.js';
import { isWithin } from '../base/folderPath.js';
import { isLoaderVariable } from './loaderVariables.js';
import { beginsLine, lineKindOf } from './programKinds.js';
import { partsOf, variablesIn } from './variableSyntax.js';
import type { VariableContext } from './variables.js';

/** A start in which all variables are filled in except those whose value requires a question to the user. */
export interface PartlyResolvedStart {
  command: string;
  args: readonly string[];
  /** Variables that the definition sets. */
  env: Readonly<Record<string, string>>;
  /** Texts of the definition that contain a variable whose value the workspace decides. */
  fromWorkspace: ReadonlySet<string>;
  /** Working directory, absolute. */
  folder: string;
  /** Workspace folders, absolute. */
  roots: readonly string[];
  userHome: string;
  /** Absolute paths of the env file, as written and with its links resolved. */
  envFiles: readonly string[];
  /** Whether a variable whose value the workspace decides is in the path of the env file. */
  isEnvFileChosen: boolean;
  /** Whether the launcher of the start finds code or settings in its working directory or in a parent of it. */
  isLaunched: boolean;
}

/** How the workspace affects a start. */
export interface WorkspaceInfluence {
  /** The workspace folder. An approval is valid for this folder only. */
  root: string;
  /** A sentence for the approval question. */
  reason: string;
}

/** Maximum number of words that are looked up on the disk as paths. */
const maxLookUps = 50;

/** Looks up absolute paths on the disk. */
export interface DiskLook {
  /** Whether there is a file or folder. */
  exists: (path: string) => Promise<boolean>;
  /** Whether there is a folder, also through links. */
  isFolder: (path: string) => Promise<boolean>;
}

/**
 * How files of the workspace can change what a start runs; undefined if the command line and its files show no such
 * influence.
 */
export async function workspaceInfluenceOf(
  start: PartlyResolvedStart,
  disk: DiskLook,
): Promise<WorkspaceInfluence | undefined> {
  const { command, args, envFiles } = start;
  const runsIn = start.folder === start.userHome ? undefined : rootOf(start.folder, start.roots);
  // Files of the home folder belong to the user, even if the home folder is open as a workspace folder.
  const places: Places = { ...start, runsIn, roots: ownRoots(start.roots, start.userHome) };
  const anyRoot = runsIn ?? places.roots[0];

  const ofFile = envFiles.flatMap((file) => rootOf(file, places.roots) ?? [])[0];
  if (ofFile !== undefined)
    return influence(ofFile, (folder) =>
      t('Its env file is in the folder {0} of this workspace, so the workspace can change it.', folder),
    );
  if (start.isEnvFileChosen && anyRoot !== undefined)
    return influence(anyRoot, (folder) =>
      t('The folder {0} of this workspace determines which env file it reads.', folder),
    );
  const ofVariable = loaderRoot(start.env, places);
  if (ofVariable !== undefined)
    return influence(ofVariable, (folder) =>
      t('An environment variable can make it load or download files from the folder {0} of this workspace.', folder),
    );
  const ofProgram = /[\\/]/.test(command) ? influencingRoot(command, places) : undefined;
  if (ofProgram !== undefined)
    return influence(ofProgram, (folder) => t('Its program is in the folder {0} of this workspace.', folder));

  const line = lineKindOf(command, args);
  const deciding = line.kind === 'named' ? line.deciding : line.kind === 'runner' ? args : [];
  const names = [command, ...deciding, ...(line.kind === 'named' ? line.code : [])];
  const named = names.find((word) => start.fromWorkspace.has(word));
  const ofName = named === undefined ? undefined : (rootIn(named, places.roots) ?? anyRoot);
  if (ofName !== undefined) return influence(ofName, inFolder);
  for (const text of start.fromWorkspace) {
    const ofText = (await isData(text, places.roots, disk)) ? undefined : (rootIn(text, places.roots) ?? anyRoot);
    if (ofText !== undefined) return influence(ofText, readsFile);
  }
  if (runsIn === undefined) return undefined;
  // The value of an unresolved variable is known only at the start, so it may be a path in the folder.
  const isOpen = names.some((word) => word.includes('${'));
  const isKnown =
    !isOpen && !start.isLaunched && (line.kind === 'named' || (line.kind === 'unknown' && path.isAbsolute(command)));
  const isRoot = deciding.some((word) => path.isAbsolute(word) && path.relative(runsIn, word) === '');
  const words = line.kind === 'named' ? [...line.deciding, ...line.rest] : args;
  if (isKnown && !isRoot && !(await namesWorkspaceFile(words, places, disk))) return undefined;
  return influence(runsIn, inFolder);
}

/**
 * The extensions of files that are data for any program. A file with another extension, or none, may be settings or
 * code.
 */
const dataExtensions: ReadonlySet<string> = new Set([
  ...['db', 'db3', 'sqlite', 'sqlite3', 'duckdb', 'csv', 'tsv', 'parquet', 'log', 'md', 'pdf'],
  ...['gif', 'jpeg', 'jpg', 'png', 'webp'],
]);
/** What can come before the only path of a text: the name of an option, the scheme of a URI, a mount of a container. */
const beforePath = /^(?:-{1,2}[\w-]+=)?(?:[a-z][\w+.-]*:\/\/|type=bind,(?:src|source)=)?$/i;
/** What can follow the only path of a text: the place where a container mounts the path. */
const afterPath = /^(?::[^:,]*(?::[\w,]+)?|,(?:dst|destination|target)=[^,]*(?:,(?:ro|readonly))?)?$/;

/**
 * Whether a text that the workspace determines gives only data to a server: a name, an existing folder, or a file with
 * an extension of data. Any other text may lead to a program or to settings that name one.
 */
async function isData(text: string, roots: readonly string[], { isFolder }: DiskLook): Promise<boolean> {
  // The rest of the text is known only at the start.
  if (text.includes('${')) return false;
  if (!/[\\/]/.test(text)) return true;
  const root = rootIn(text, roots);
  if (root === undefined) return false;
  const start = text.indexOf(root);
  const [rest = ''] = /^[^:,#?"'\s;&|=]*/.exec(text.slice(start + root.length)) ?? [];
  const file = root + rest;
  const after = text.slice(start + file.length);
  if (!beforePath.test(text.slice(0, start)) || !afterPath.test(after) || rootIn(after, roots) !== undefined)
    return false;
  return (after === '' && dataExtensions.has(path.extname(file).slice(1).toLowerCase())) || isFolder(file);
}

const readsFile = (folder: string) =>
  t(
    'It reads a file that the folder {0} of this workspace contains or specifies, so the workspace can change it.',
    folder,
  );

const inFolder = (folder: string) =>
  t('It runs with files in the folder {0} of this workspace, so the workspace can change what it runs.', folder);

/**
 * Whether a text contains a variable whose value the workspace decides: a folder, or an input whose value a command of
 * VS Code gives, because settings and files of the workspace can decide what the command returns.
 */
export function namesWorkspace(text: string, { commandInputs }: Pick<VariableContext, 'commandInputs'>): boolean {
  return [...partsOf(text)].some(
    ({ isVariable, text: name }) =>
      isVariable &&
      (/^workspaceFolder(?:Basename)?(?::|$)/.test(name) ||
        (name.startsWith('input:') && commandInputs?.has(name.slice('input:'.length)) === true)),
  );
}

/**
 * Whether a text contains an environment variable whose value is in a folder of the workspace, such as `${env:PWD}` in
 * a window that was opened from a terminal. A list of folders matches if one of them is in a workspace folder.
 */
export function namesFolder(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  roots: readonly string[],
): boolean {
  return [...variablesIn(text, 'env:')].some((name) =>
    (env[name] ?? '')
      .split(path.delimiter)
      .some((value) => path.isAbsolute(value) && rootOf(value, roots) !== undefined),
  );
}

/** The workspace folders without those that contain the user's home folder, whose files belong to the user. */
export function ownRoots(roots: readonly string[], userHome: string): string[] {
  return roots.filter((root) => !isWithin(userHome, root));
}

/**
 * The result if the working directory of the server is known only when the server starts. Undefined if there is no
 * workspace folder.
 */
export function influenceOfUnknownPlace(roots: readonly string[]): WorkspaceInfluence | undefined {
  if (roots.length === 0) return undefined;
  // The approval is valid for exactly this set of folders, because it is unknown which one the server will run in.
  return {
    root: JSON.stringify(roots),
    reason: t(
      'The folder that it runs in is known only when it starts, so it may run with files of this workspace ({0}).',
      roots.map((root) => exactText(root)).join(', '),
    ),
  };
}

/**
 * How the workspace decides what a command without a folder runs.
 * @param found the folders of PATH and the program, as absolute paths, as found and with their links resolved.
 */
export function influenceOfSearch(
  { folders, program }: { folders: readonly string[]; program: readonly string[] },
  roots: readonly string[],
): WorkspaceInfluence | undefined {
  const ofFolder = folders.flatMap((folder) => rootOf(folder, roots) ?? [])[0];
  if (ofFolder !== undefined)
    return influence(ofFolder, (folder) =>
      t(
        'A folder of its PATH is in the folder {0} of this workspace, so the workspace can change what it runs.',
        folder,
      ),
    );
  const ofProgram = program.flatMap((file) => rootOf(file, roots) ?? [])[0];
  return ofProgram === undefined
    ? undefined
    : influence(ofProgram, (folder) =>
        t('The program that was found with PATH is in the folder {0} of this workspace.', folder),
      );
}

/** The result if PATH has too many folders, because a folder that was not looked at may be in the workspace. */
export function influenceOfLongPath(root: string): WorkspaceInfluence {
  return influence(root, (folder) =>
    t(
      'Its PATH has too many folders, so it was not checked whether one is in the folder {0} of this workspace.',
      folder,
    ),
  );
}

/** The parts of a remote server that the workspace may decide. */
export interface RemoteParts {
  isAddressChosen: boolean;
  /**
   * The files that the server's connection uses: whether the path contains a variable of the workspace, and the path
   * with and without resolved links.
   */
  files: readonly { isChosen: boolean; paths: readonly string[] }[];
}

/** How the workspace decides where a remote server is, or which files its connection trusts or sends. */
export function remoteInfluenceOf(
  { isAddressChosen, files }: RemoteParts,
  roots: readonly string[],
): WorkspaceInfluence | undefined {
  const [first] = roots;
  if (first === undefined) return undefined;
  if (isAddressChosen)
    return influence(first, (folder) =>
      t('The folder {0} of this workspace determines a part of the URL of the server.', folder),
    );
  const found = files.flatMap(({ isChosen, paths }) => [
    ...paths.flatMap((file) => rootOf(file, roots) ?? []),
    ...(isChosen ? [first] : []),
  ])[0];
  return found === undefined ? undefined : influence(found, readsFile);
}

function influence(root: string, reason: (folder: string) => string): WorkspaceInfluence {
  return { root, reason: reason(exactText(root)) };
}

interface Places {
  folder: string;
  roots: readonly string[];
  /** The workspace folder that the start runs in. */
  runsIn: string | undefined;
  fromWorkspace: ReadonlySet<string>;
}

function rootOf(file: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isWithin(file, root)).sort((a, b) => a.length - b.length)[0];
}

/** The workspace folder whose path occurs in a text. */
function rootIn(text: string, roots: readonly string[]): string | undefined {
  return roots.find((root) => text.includes(root));
}

/**
 * The workspace folder that contains the target of a path. For a server that runs outside of the workspace, a path
 * counts only if it contains a variable whose value the workspace decides: the user chose all other paths.
 */
function influencingRoot(written: string, { folder, roots, runsIn, fromWorkspace }: Places): string | undefined {
  if (runsIn === undefined && !fromWorkspace.has(written)) return undefined;
  return rootOf(path.resolve(folder, written), runsIn === undefined ? roots : [runsIn, ...roots]);
}

function loaderRoot(env: Readonly<Record<string, string>>, places: Places): string | undefined {
  for (const [name, value] of Object.entries(env)) {
    if (!isLoaderVariable(name)) continue;
    if (places.fromWorkspace.has(value)) return rootIn(value, places.roots) ?? places.runsIn ?? places.roots[0];
    if (places.runsIn !== undefined && isRelativeValue(value)) return places.runsIn;
  }
  return undefined;
}

/** Whether a part of a value is relative: not an absolute path, a URL, a number, or a word such as `on` or `true`. */
function isRelativeValue(value: string): boolean {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return value.toLowerCase().startsWith('file:');
  if (/^(?:[\d.]+|true|false|on|off|yes|no)?$/i.test(value)) return false;
  return value.split(path.delimiter === ';' ? /[;\s]/ : /[:\s]/).some((part) => !path.isAbsolute(part));
}

async function namesWorkspaceFile(words: readonly string[], places: Places, { exists }: DiskLook): Promise<boolean> {
  const bare: string[] = [];
  for (const word of words) {
    const value = /^-{1,2}[\w-]+=(.*)$/s.exec(word)?.[1] ?? word;
    const isVariable = value.includes('${');
    if (isVariable || (/^[a-z][a-z0-9+.-]+:\/\//i.test(value) && !/^file:/i.test(value))) continue;
    if (path.isAbsolute(value)) {
      // The folder itself is ignored, because servers that read files receive it as data.
      const root = rootOf(value, places.runsIn === undefined ? [] : [places.runsIn, ...places.roots]);
      if (root !== undefined && path.relative(root, value) !== '') return true;
    } else if (looksLikePath(value)) return true;
    else if (value !== '' && !value.startsWith('-')) bare.push(value);
  }
  if (bare.length > maxLookUps) return true;
  return (await Promise.all(bare.map((word) => exists(path.join(places.folder, word))))).includes(true);
}

/**
 * Whether a word may name a file: it contains a separator or a file extension of letters, is `.`, or is the name of a
 * program that runs code.
 */
function looksLikePath(word: string): boolean {
  return word === '.' || /[\\/]/.test(word) || /\.[a-z]\w*$/i.test(word) || beginsLine(word);
}
