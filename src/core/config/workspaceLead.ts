/**
 * Whether files of the workspace decide what a server from the user settings runs (security requirement C28). A list of
 * launchers is never complete, so a server that runs in a workspace folder counts as affected, unless its command line
 * names code outside of the workspace and nothing relative.
 */
import path from 'node:path';
import { exactText } from '../base/exactText.js';
import { isWithin } from './launchers.js';
import { isLoaderVariable } from './loaderVariables.js';
import { beginsLine, lineKindOf } from './programKinds.js';

/** A start with all variables filled in that need no question. */
export interface LedStart {
  command: string;
  args: readonly string[];
  /** Variables that the definition sets. */
  env: Readonly<Record<string, string>>;
  /** Those of these texts that name a workspace folder through a variable. */
  fromWorkspace: ReadonlySet<string>;
  /** Working directory, absolute. */
  folder: string;
  /** Workspace folders, absolute. */
  roots: readonly string[];
  userHome: string;
  /** Absolute path of the env file. */
  envFile?: string;
}

/** How the workspace affects a start. */
export interface WorkspaceLead {
  /** The workspace folder. An approval is valid for this folder only. */
  root: string;
  /** A sentence for the approval question. */
  reason: string;
}

/** Maximum number of words that are looked up on the disk. */
const maxLookUps = 50;

/**
 * How files of the workspace can change what a start runs; undefined if the command line shows no way.
 * @param exists whether there is a file or folder at an absolute path.
 */
export async function workspaceLeadOf(
  start: LedStart,
  exists: (file: string) => Promise<boolean>,
): Promise<WorkspaceLead | undefined> {
  const { command, args, envFile } = start;
  const runsIn = start.folder === start.userHome ? undefined : rootOf(start.folder, start.roots);
  // Files of the home folder belong to the user, even if it is open as a workspace folder.
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

/** The root that occurs in a text. */
function rootIn(text: string, roots: readonly string[]): string | undefined {
  return roots.find((root) => text.includes(root));
}

/**
 * The root that a path leads into. A server that runs outside of the workspace is affected only through a variable that
 * names the workspace: a full path in the user settings is a file that the user chose.
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

/** Whether a part of a value is relative: not a full path, an address, a number, or a word such as `on` or `true`. */
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
      // The folder itself is excluded: servers that read files get it as data.
      const root = rootOf(value, places.runsIn === undefined ? [] : [places.runsIn, ...places.roots]);
      if (root !== undefined && path.relative(root, value) !== '') return true;
    } else if (looksLikePath(value)) return true;
    else if (value !== '' && !value.startsWith('-')) bare.push(value);
  }
  if (bare.length > maxLookUps) return true;
  return (await Promise.all(bare.map((word) => exists(path.join(places.folder, word))))).includes(true);
}

/** A separator, a file extension of letters, or dots that name a folder. */
function looksLikePath(word: string): boolean {
  return word === '.' || /[\\/]/.test(word) || /\.[a-z]\w*$/i.test(word) || beginsLine(word);
}
