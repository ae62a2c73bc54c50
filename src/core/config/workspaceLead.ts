/**
 * Whether files of the workspace decide what a server of the user's own settings runs (security requirement C28). A list
 * of launchers can never be complete, so a server that runs in a folder of the workspace counts as led by it, unless its
 * command line names code outside of the workspace and nothing relative.
 */
import path from 'node:path';
import { exactText } from '../base/exactText.js';
import { isWithin } from './launchers.js';
import { isLoaderVariable } from './loaderVariables.js';
import { beginsLine, lineKindOf } from './programKinds.js';

/** A start whose variables are filled in as far as that needs no question. */
export interface LedStart {
  command: string;
  args: readonly string[];
  /** Variables that the definition sets. */
  env: Readonly<Record<string, string>>;
  /** Those of these texts that name a folder of the workspace by a variable. */
  fromWorkspace: ReadonlySet<string>;
  /** Folder that it runs in, absolute. */
  folder: string;
  /** Folders of the workspace, absolute. */
  roots: readonly string[];
  userHome: string;
  /** Absolute path of the env file. */
  envFile?: string;
}

/** How the workspace leads a start. */
export interface WorkspaceLead {
  /** The folder of the workspace. An approval is for this folder only. */
  root: string;
  /** A sentence for the question. */
  reason: string;
}

/** More words than this are not looked up on the disk. */
const maxLookUps = 50;

/**
 * How files of the workspace can change what a start runs; undefined where they cannot as far as the command line
 * tells.
 * @param exists whether there is a file or folder at an absolute path.
 */
export async function workspaceLeadOf(
  start: LedStart,
  exists: (file: string) => Promise<boolean>,
): Promise<WorkspaceLead | undefined> {
  const { command, args, envFile } = start;
  const runsIn = start.folder === start.userHome ? undefined : rootOf(start.folder, start.roots);
  // Files of the home directory are the user's, also where it is open as a folder.
  const places: Places = { ...start, runsIn, roots: start.roots.filter((root) => !isWithin(start.userHome, root)) };

  const ofFile = envFile === undefined ? undefined : rootOf(envFile, places.roots);
  if (ofFile !== undefined)
    return lead(ofFile, 'Its env file is in the folder {0} of this workspace, so the workspace can change it.');
  const ofVariable = loaderRoot(start.env, places);
  if (ofVariable !== undefined)
    return lead(ofVariable, 'A variable makes it load or fetch from the folder {0} of this workspace.');
  const ofProgram = /[\\/]/.test(command) ? leadingRoot(command, places) : undefined;
  if (ofProgram !== undefined) return lead(ofProgram, 'Its program is in the folder {0} of this workspace.');

  const line = lineKindOf(command, args);
  const deciding = line.kind === 'named' ? line.deciding : line.kind === 'runner' ? args : [];
  const named = deciding.find((word) => start.fromWorkspace.has(word));
  const ofName = named === undefined ? undefined : (rootIn(named, places.roots) ?? runsIn);
  if (ofName !== undefined) return lead(ofName, inFolder);
  if (runsIn === undefined) return undefined;
  const isKnown = line.kind === 'named' || (line.kind === 'unknown' && path.isAbsolute(command));
  const isRoot = deciding.some((word) => path.isAbsolute(word) && path.relative(runsIn, word) === '');
  const words = line.kind === 'named' ? [...line.deciding, ...line.rest] : args;
  if (isKnown && !isRoot && !(await leadsAny(words, places, exists))) return undefined;
  return lead(runsIn, inFolder);
}

const inFolder = 'It runs with files in the folder {0} of this workspace, so the workspace can change what it runs.';

function lead(root: string, reason: string): WorkspaceLead {
  return { root, reason: reason.replace('{0}', () => exactText(root)) };
}

interface Places {
  folder: string;
  roots: readonly string[];
  /** The root that the start runs in. */
  runsIn: string | undefined;
  fromWorkspace: ReadonlySet<string>;
}

function rootOf(file: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isWithin(file, root)).sort((a, b) => a.length - b.length)[0];
}

/** The root that is written somewhere in a text. */
function rootIn(text: string, roots: readonly string[]): string | undefined {
  return roots.find((root) => text.includes(root));
}

/**
 * The root that a path leads into. Outside of the workspace only a path that names the workspace by a variable counts:
 * a full path in the user's settings is a file that the user chose.
 */
function leadingRoot(written: string, { folder, roots, runsIn, fromWorkspace }: Places): string | undefined {
  if (runsIn === undefined && !fromWorkspace.has(written)) return undefined;
  return rootOf(path.resolve(folder, written), runsIn === undefined ? roots : [runsIn, ...roots]);
}

function loaderRoot(env: Readonly<Record<string, string>>, places: Places): string | undefined {
  for (const [name, value] of Object.entries(env)) {
    if (!isLoaderVariable(name)) continue;
    if (places.fromWorkspace.has(value)) return rootIn(value, places.roots) ?? places.runsIn;
    if (places.runsIn !== undefined && isRelativeValue(value)) return places.runsIn;
  }
  return undefined;
}

/** Whether a part of a value is neither a full path, an address, a number nor a word that switches something. */
function isRelativeValue(value: string): boolean {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return value.toLowerCase().startsWith('file:');
  if (/^(?:[\d.]+|true|false|on|off|yes|no)?$/i.test(value)) return false;
  return value
    .split(path.delimiter === ';' ? /[;\s]/ : /[:\s]/)
    .some((part) => !path.isAbsolute(part) && !part.startsWith('${'));
}

async function leadsAny(
  words: readonly string[],
  places: Places,
  exists: (file: string) => Promise<boolean>,
): Promise<boolean> {
  const bare: string[] = [];
  for (const word of words) {
    const value = /^-{1,2}[\w-]+=(.*)$/s.exec(word)?.[1] ?? word;
    const isVariable = value.includes('${');
    if (isVariable || (/^[a-z][a-z0-9+.-]+:\/\//i.test(value) && !/^file:/i.test(value))) continue;
    if (path.isAbsolute(value)) {
      // The folder itself is named as data by servers that read files.
      const root = rootOf(value, places.runsIn === undefined ? [] : [places.runsIn, ...places.roots]);
      if (root !== undefined && path.relative(root, value) !== '') return true;
    } else if (looksLikePath(value)) return true;
    else if (value !== '' && !value.startsWith('-')) bare.push(value);
  }
  if (bare.length > maxLookUps) return true;
  return (await Promise.all(bare.map((word) => exists(path.join(places.folder, word))))).includes(true);
}

/** A separator, an ending of letters, or a folder by its dots. */
function looksLikePath(word: string): boolean {
  return word === '.' || /[\\/]/.test(word) || /\.[a-z]\w*$/i.test(word) || beginsLine(word);
}
