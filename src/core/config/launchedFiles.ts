/** Finds the files of the workspace that a launcher or Python would use in a start. */
import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { exactText } from '../base/exactText.js';
import { foldersUpTo, isInOne, isTooDeep, withParents } from '../base/folderPath.js';
import { HostError } from '../base/hostError.js';
import type { Launch } from './launchers.js';
import { launchOf, programsOf, pythonModuleOf } from './launchers.js';
import { namedFolders } from './namedFolders.js';
import type { StartPlace } from './searchInfluence.js';
import { withReal } from './searchInfluence.js';
import type { ConfigSource, StdioDefinition } from './serverDefinition.js';
import type { StartContext } from './variables.js';
import { filledEnv, filledText, inspectionRoom } from './variables.js';

/**
 * The files of the workspace that a launcher or Python would use instead of downloaded or installed code. Undefined if
 * there are none, except for a start of a Python module in the workspace.
 * @param env the variables of the environment file.
 */
export async function findLaunched(
  definition: StdioDefinition,
  place: StartPlace,
  context: StartContext,
  source: ConfigSource,
  env: Readonly<Record<string, string>>,
): Promise<{ files: Record<string, string>; warning?: string } | undefined> {
  const { folder, roots, userHome } = place;
  const command = await filledText(definition.command, context);
  const room = inspectionRoom();
  const args = await Promise.all(definition.args.map((arg) => filledText(arg, context, room)));
  const launch = launchOf(command, args);
  const module = pythonModuleOf(command, args);
  if (launch === undefined && module === undefined) return undefined;
  const name = launch?.launcher ?? module?.launcher ?? '';
  const homes = await withReal([userHome], context);
  const isOfUser = source.kind === 'user';
  // A server from the user settings runs in the user's home folder by default. For such a server, the files of the home
  // folder belong to the user even if it is open as a workspace folder. For any server, they belong to the user if the
  // home folder is above the workspace folder.
  const isUsersOwn = (one: string) => homes.includes(one) && (isOfUser || !isInOne(one, roots));
  const isInWorkspace = isInOne(folder, roots) && !isUsersOwn(folder);
  const real = await withReal([folder], context);
  const line = { texts: [command, ...args], env: { ...env, ...(await filledEnv(definition.env, context, room)) } };
  const named =
    launch?.isIncomplete === true || isTooDeep(folder)
      ? undefined
      : await namedFolders(line, { ...place, begun: real }, context, isOfUser);
  // The user chose what a line in the user settings does, so only its folder can be of the workspace.
  if (named === undefined) return isInWorkspace || !isOfUser ? unexamined(name) : undefined;
  const chosen = named.filter((one) => !isUsersOwn(one));
  const places = foldersUpTo(folder, roots).filter((one) => !isUsersOwn(one));
  if (places.length === 0 && chosen.length === 0) return undefined;
  // Launchers also follow links and search above the workspace folder, because the workspace folder may be a part of a
  // repository.
  const begun = [...(places.length === 0 ? [] : real), ...chosen];
  const searched = [...new Set(begun.flatMap(withParents))].filter((one) => !isUsersOwn(one));
  // Python searches only the working directory, and so do launchers that run a file. The content of these files is not
  // part of the approval, because it changes with each edit during development.
  const targets = [...(module?.files ?? []), ...(launch?.targets ?? [])];
  const ofLauncher = launch ? [...launch.files, ...launch.present] : [];
  const [ofSearch, ofBegun] = [pathsOf(searched, ofLauncher), pathsOf(begun, targets)];
  if (ofSearch.count + ofBegun.count > maxLookUps || ofSearch.length + ofBegun.length > maxLookedUp)
    return unexamined(name);
  const looks = launch ? searched.flatMap((one) => looksOf(launch, one, context)) : [];
  const present = launch ? searched.flatMap((one) => presenceOf(launch.present, one, context)) : [];
  const modules = [...places.slice(0, 1), ...chosen].flatMap((one) => presenceOf(targets, one, context));
  const kept = await foundOf([...looks, ...modules]);
  const there = new Map([...kept, ...(await foundOf(present))]);
  // A start of a Python module needs approval even if no file was found, because Python also loads imported modules
  // from that folder.
  if (there.size === 0) return module ? { files: {} } : undefined;
  const shown = [...there.keys()].slice(0, maxShown).map((file) => exactText(path.relative(folder, file)));
  const names = [...shown, ...(there.size > maxShown ? ['…'] : [])].join(', ');
  const warning = module
    ? t('{0} may run files of the workspace instead of an installed module: {1}.', module.launcher, names)
    : t('{0} may run or use files of the workspace instead of downloaded ones: {1}.', launch?.launcher ?? '', names);
  // For a server in the user's settings, files that merely exist (`present`) are not part of the approval: the user is
  // asked once per workspace, not again after every installation of packages.
  return { files: Object.fromEntries(isOfUser ? kept : there), warning };
}

/** Maximum number of files that are looked up for a start, and maximum length of all their paths, in characters. */
const maxLookUps = 10_000;
const maxLookedUp = 2_000_000;
/** Maximum number of files that a warning names. */
const maxShown = 20;

/** The number and the length of the paths of files in folders, computed before the first path is made. */
function pathsOf(folders: readonly string[], files: readonly string[]): { count: number; length: number } {
  const total = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
  return {
    count: folders.length * files.length,
    length: total(folders) * files.length + total(files) * folders.length,
  };
}

/** The result for a start that is not examined. No approval applies to the next start. */
function unexamined(launcher: string): { files: Record<string, string>; warning: string } {
  return {
    files: { '': randomUUID() },
    warning: t(
      'The command line has too many words or nested folders to find the files that {0} uses, so MCP Deck asks before each start.',
      launcher,
    ),
  };
}

/** Number of files that are examined at the same time. */
const lookUpsAtOnce = 8;

async function foundOf(looks: readonly (() => Look)[]): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (let at = 0; at < looks.length; at += lookUpsAtOnce)
    for (const [file, kept] of await Promise.all(looks.slice(at, at + lookUpsAtOnce).map((look) => look())))
      if (kept !== undefined) found.push([file, kept]);
  return found;
}

type Look = Promise<readonly [string, string | undefined]>;

function looksOf({ files, manifest }: Launch, place: string, context: StartContext): (() => Look)[] {
  return [
    ...files.map((file) => () => lookAt(path.join(place, ...file.split('/')), context, hashOf)),
    ...(manifest === undefined
      ? []
      : [() => lookAt(path.join(place, manifest), context, (text) => hashOf(programsOf(text)))]),
  ];
}

function presenceOf(files: readonly string[], place: string, context: StartContext): (() => Look)[] {
  return files.map((file) => () => lookAt(path.join(place, file), context, () => 'there'));
}

/**
 * The path of a file, and the part of its content that an approval covers. The second value is an error code if the
 * file cannot be read, and undefined if it does not exist.
 */
export async function lookAt(file: string, context: StartContext, keptOf: (text: string) => string | undefined): Look {
  try {
    return [file, keptOf(await (context.readAnew ?? context.readFile)(file))];
  } catch (error) {
    if (error instanceof HostError) throw error;
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unreadable';
    return [file, /^(?:ENOENT|ENOTDIR|ENAMETOOLONG|ELOOP)$/.test(code) ? undefined : code];
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
