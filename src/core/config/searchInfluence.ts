/**
 * Determines whether the workspace decides which program a local server runs: the PATH of the server contains a folder
 * of the workspace, or the program found in PATH is a link into the workspace. A shell, a virtual environment or npm
 * can add such a folder to the PATH that VS Code was started with.
 */
import type { StdioDefinition } from './serverDefinition.js';
import type { StartContext } from './variables.js';
import { filledEnv, filledText } from './variables.js';
import type { WorkspaceInfluence } from './workspaceInfluence.js';
import { influenceOfLongPath, influenceOfSearch, ownRoots } from './workspaceInfluence.js';

/** The working directory of a local server, and the workspace folders. */
export interface StartPlace {
  folder: string;
  roots: readonly string[];
  userHome: string;
}

/** The parts of a start that decide how its program is found. */
export interface SearchedStart {
  command: string;
  /** Variables that the definition and its env file set. */
  env: Readonly<Record<string, string>>;
  /** Variables that the process does not inherit. */
  removedEnv: readonly string[];
  /** Working directory, absolute. */
  cwd: string;
}

/** Looks up a program as its start does. Starts nothing. */
export type SearchProgram = (start: SearchedStart) => Promise<{
  /** Absolute path of the program; undefined if there is none. */
  found: string | undefined;
  /** The folders of PATH, absolute. */
  folders: readonly string[];
  /** False if PATH has more folders than are searched. */
  isWhole: boolean;
}>;

/** How the workspace decides, through PATH, which program a local server runs; undefined if it does not decide this. */
export async function findSearchInfluence(
  definition: StdioDefinition,
  place: StartPlace,
  envFileValues: Readonly<Record<string, string>>,
  search: SearchProgram,
  context: StartContext,
): Promise<WorkspaceInfluence | undefined> {
  const roots = await withReal(ownRoots(place.roots, place.userHome), context);
  if (roots.length === 0) return undefined;
  const command = await filledText(definition.command, context);
  const filled = await filledEnv(definition.env, context);
  const { found, folders, isWhole } = await search({
    command,
    env: { ...envFileValues, ...filled },
    removedEnv: Object.entries(definition.env).flatMap(([name, value]) => (value === null ? [name] : [])),
    cwd: place.folder,
  });
  const [first = ''] = roots;
  if (!isWhole) return influenceOfLongPath(first);
  // A path in the definition is the user's choice; only a plain name is looked up in PATH.
  const program = found === undefined || /[\\/]/.test(command) ? [] : [found];
  return influenceOfSearch(
    { folders: await withReal(folders, context), program: await withReal(program, context) },
    roots,
  );
}

/** The given paths, followed by their real paths if these differ because of links. */
export async function withReal(paths: readonly string[], { realPath }: StartContext): Promise<string[]> {
  const real = realPath ? await Promise.all(paths.map((one) => realPath(one))) : [];
  return [...new Set([...paths, ...real])];
}
