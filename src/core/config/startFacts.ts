import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { isInOne } from '../base/folderPath.js';
import { HostError } from '../base/hostError.js';
import { WorkLimit } from '../base/workLimit.js';
import type { StartFacts } from './definitionHash.js';
import { parseEnvFile } from './envFile.js';
import { findLaunched, hashOf, lookAt } from './launchedFiles.js';
import { isLoaderVariable } from './loaderVariables.js';
import type { SearchProgram, StartPlace } from './searchInfluence.js';
import { findSearchInfluence, withReal } from './searchInfluence.js';
import type {
  ConfigSource,
  InputDefinition,
  RemoteDefinition,
  ServerDefinition,
  StdioDefinition,
} from './serverDefinition.js';
import type { StartContext } from './variables.js';
import { filledText, inspectionRoom, VariableResolver, withoutQuestions } from './variables.js';
import {
  baseFolder,
  caFilePath,
  envFilePath,
  filePath,
  filesOf,
  inputsOfFiles,
  inputsOfStart,
  startFolder,
} from './definitionPaths.js';
import type { WorkspaceInfluence } from './workspaceInfluence.js';
import {
  influenceOfUnknownPlace,
  namesFolder,
  namesWorkspace,
  ownRoots,
  remoteInfluenceOf,
  workspaceInfluenceOf,
} from './workspaceInfluence.js';
import { withValues } from './variableValues.js';

/** The start to examine. */
export interface StartToInspect {
  /** ID of the server. */
  id: string;
  definition: ServerDefinition;
  source: ConfigSource;
  /** Values that the workspace gives to variables. */
  values: ReadonlyMap<string, string>;
  /**
   * Values of inputs that the start already has, by ID. For a server from the user settings, they are filled in only in
   * the paths of files. Default: none.
   */
  inputs?: ReadonlyMap<string, string>;
  /** The inputs of the configuration. Default: none, so that all arguments with inputs count. */
  declared?: readonly InputDefinition[];
  /** Looks up the program of a local server in PATH. Default: PATH is not examined. */
  search?: SearchProgram;
}

/** The result of examining a start on the disk. */
export interface StartInspection {
  /** The facts that an approval covers in addition to the text of the definition. */
  facts: StartFacts;
  /** The variables in the env file, if it could be read. */
  envFileValues?: Record<string, string>;
  /** The changed files of bundles, if the warnings do not name all of them. */
  changedFiles?: string[];
  /** Warnings about files, settings and folders of the workspace that can change what is run or contacted. */
  warnings: string[];
  /**
   * Whether files of the workspace, or changed files of a bundle, can decide what a server from the user settings runs.
   * Default false.
   */
  isInfluencedByWorkspace?: boolean;
}

/** Each examination can read files of up to 1 MiB, and a configuration can have thousands of servers. */
const examinations = new WorkLimit(4);

/**
 * Reads the files that a definition and its launcher use. Asks no questions. Rejects if a file cannot be read in time.
 * At most four starts are examined at the same time, in all hosts of the process together.
 */
export function inspectStart(start: StartToInspect, context: StartContext): Promise<StartInspection> {
  return examinations.run(() => inspect(start, context));
}

async function inspect(start: StartToInspect, context: StartContext): Promise<StartInspection> {
  const { id, definition, source, values } = start;
  const facts: StartFacts = {
    server: id,
    ...(values.size === 0 ? {} : { values: Object.fromEntries(values) }),
    ...enteredValues(start),
  };
  if (definition.type === 'builtin') return { facts, warnings: [] };
  const ofFiles = start.inputs === undefined ? context : { ...context, inputs: start.inputs };
  // For a server from the user settings, a folder that is known only after a question counts as unknown.
  const ofPlace = source.kind === 'user' ? context : ofFiles;
  if (definition.type !== 'stdio') {
    const authorities =
      definition.caFile === undefined
        ? undefined
        : await readApproved(() => caFilePath(definition, withoutQuestions(ofFiles)), start, context);
    const influence = source.kind === 'user' ? await findRemoteInfluence(definition, ofFiles) : undefined;
    return {
      facts: {
        ...facts,
        ...(authorities === undefined ? {} : { caFileHash: authorities.hash }),
        ...(influence === undefined ? {} : { leadingFolder: influence.root }),
      },
      warnings: influence === undefined ? [] : [influence.reason],
      isInfluencedByWorkspace: influence !== undefined,
    };
  }
  const envFile =
    definition.envFile === undefined
      ? undefined
      : await readApproved(() => envFilePath(definition, withoutQuestions(ofFiles)), start, context);
  const filled = (await withValues(definition, values)) as StdioDefinition;
  // Uses the definition as written, because a filled-in definition contains no variables.
  const found = await placeOf(() => startFolder(definition, withoutQuestions(ofPlace)), source, context);
  // A working directory that the workspace chooses is treated as a folder of the workspace, even if it is outside of
  // it.
  const place =
    found && (await isFolderChosen(definition.cwd ?? '', source, ofPlace))
      ? { ...found, roots: [...found.roots, found.folder] }
      : found;
  const envFileValues = valuesOf(envFile?.text);
  const launched = place && (await findLaunched(filled, place, ofPlace, source, envFileValues));
  const ofFolder =
    source.kind !== 'user'
      ? undefined
      : place
        ? await findInfluence(
            definition,
            place,
            { envFile: envFile?.file, isLaunched: launched !== undefined },
            ofPlace,
          )
        : influenceOfUnknownPlace(ownRoots(rootsOf(source, context), context.userHome));
  const ofSearch =
    place && start.search && (await findSearchInfluence(definition, place, envFileValues, start.search, ofPlace));
  const influence = ofFolder ?? ofSearch;
  const isInfluenced =
    launched !== undefined ||
    influence !== undefined ||
    setsLoaders(envFile?.file, envFileValues, rootsOf(source, context));
  return {
    facts: {
      ...facts,
      ...(envFile === undefined ? {} : { envFileHash: envFile.hash }),
      ...(launched === undefined ? {} : { launcherFiles: launched.files }),
      ...(influence === undefined ? {} : { leadingFolder: influence.root }),
    },
    ...(envFile?.text === undefined ? {} : { envFileValues }),
    warnings: [launched?.warning, ofFolder?.reason, ofSearch?.reason].filter((text) => text !== undefined),
    isInfluencedByWorkspace: isInfluenced,
  };
}

/** The variables of an environment file. None if it has too many, because the start itself fails and reports it. */
function valuesOf(text = ''): Record<string, string> {
  try {
    return parseEnvFile(text);
  } catch {
    return {};
  }
}

/** The values that the user entered for a server of a workspace, as far as they decide what it runs or contacts. */
function enteredValues({ definition, source, inputs, declared = [] }: StartToInspect): StartFacts {
  if (!inputs || source.kind === 'user') return {};
  const known = [...inputsOfStart(definition, declared)].flatMap((id) => {
    const value = inputs.get(id);
    return value === undefined ? [] : [[id, value] as const];
  });
  return known.length === 0 ? {} : { entered: Object.fromEntries(known) };
}

/**
 * A digest of the environment file, whose variables can lead a value to another address, or of the file with the trusted
 * authorities, which can let another server answer. Undefined if there is no file, or if it cannot be read without a
 * question. Rejects if it cannot be read in time.
 */
export async function fileDigest(
  definition: ServerDefinition,
  source: ConfigSource,
  context: StartContext,
): Promise<string | undefined> {
  if (definition.type === 'builtin') return undefined;
  const { text, hash } = await examinations.run(() =>
    readApproved(
      () =>
        definition.type === 'stdio'
          ? envFilePath(definition, withoutQuestions(context))
          : caFilePath(definition, withoutQuestions(context)),
      { definition, source },
      context,
    ),
  );
  return text === undefined ? undefined : hash;
}

/** Whether the workspace chooses the working directory: by a variable, or because it is relative to one of its folders. */
async function isFolderChosen(cwd: string, source: ConfigSource, context: StartContext): Promise<boolean> {
  const roots = rootsOf(source, context);
  if (namesWorkspace(cwd, context) || namesFolder(cwd, context.env, roots)) return true;
  const sources = withoutQuestions(context);
  return isInOne(baseFolder(sources), roots) && !path.isAbsolute(await new VariableResolver(sources).fillPath(cwd));
}

/**
 * The place of a start; undefined if its folder cannot be determined, which the start itself reports. Links into the
 * workspace are resolved.
 */
async function placeOf(
  startFolderOf: () => Promise<string>,
  source: ConfigSource,
  context: StartContext,
): Promise<StartPlace | undefined> {
  let folder: string;
  try {
    folder = await startFolderOf();
  } catch {
    return undefined;
  }
  const written = { folder, roots: rootsOf(source, context), userHome: context.userHome };
  const { realPath } = context;
  if (!realPath || folder === context.userHome || isInOne(folder, written.roots)) return written;
  const [real, roots, userHome] = await Promise.all([
    realPath(folder),
    Promise.all(written.roots.map(realPath)),
    realPath(context.userHome),
  ]);
  return isInOne(real, roots) ? { folder: real, roots, userHome } : written;
}

/** How the workspace affects a server from the user settings. */
async function findInfluence(
  definition: StdioDefinition,
  place: StartPlace,
  found: { envFile: string | undefined; isLaunched: boolean },
  context: StartContext,
): Promise<WorkspaceInfluence | undefined> {
  const fromWorkspace = new Set<string>();
  const roots = ownRoots(await withReal(place.roots, context), context.userHome);
  const room = inspectionRoom();
  const fill = async (text: string) => {
    const filled = await filledText(text, context, room);
    // A link outside of the workspace counts as a file of the workspace if its target is in the workspace.
    const target = path.isAbsolute(filled) ? ((await context.realPath?.(filled)) ?? filled) : filled;
    const shown = isInOne(target, roots) && !isInOne(filled, roots) ? target : filled;
    if (namesWorkspace(text, context) || namesFolder(text, context.env, roots)) fromWorkspace.add(shown);
    return shown;
  };
  const command = await fill(definition.command.replace(/^~(?=[\\/])/, () => context.userHome));
  const args = await Promise.all(definition.args.map(fill));
  const set = Object.entries(definition.env).filter((pair): pair is [string, string] => pair[1] !== null);
  const env = Object.fromEntries(
    await Promise.all(set.map(async ([name, value]) => [name, await fill(value)] as const)),
  );
  const { envFile, isLaunched } = found;
  const envFiles = envFile === undefined ? [] : await withReal([envFile], context);
  const start = {
    ...place,
    roots: envFile === undefined ? place.roots : await withReal(place.roots, context),
    command,
    args,
    env,
    fromWorkspace,
    isLaunched,
    isEnvFileChosen:
      namesWorkspace(definition.envFile ?? '', context) || namesFolder(definition.envFile ?? '', context.env, roots),
    envFiles,
  };
  return workspaceInfluenceOf(start, {
    exists: async (file) => (await lookAt(file, context, () => 'there'))[1] !== undefined,
    isFolder: async (file) => (await context.isFolder?.(file)) === true,
  });
}

/**
 * How the workspace affects a remote server from the user settings: through its URL, or through a file that its
 * connection reads.
 */
async function findRemoteInfluence(
  definition: RemoteDefinition,
  context: StartContext,
): Promise<WorkspaceInfluence | undefined> {
  const found = await Promise.all(
    filesOf(definition).map(async (file) => {
      const full = await filePath(file, withoutQuestions(context)).catch(() => knownPath(file, context));
      return { isChosen: namesWorkspace(file, context), paths: await withReal([full], context) };
    }),
  );
  const roots = await withReal(
    context.folders.map((root) => root.path),
    context,
  );
  return remoteInfluenceOf(
    { isAddressChosen: namesWorkspace(definition.url, context), files: found },
    ownRoots(roots, context.userHome),
  );
}

/** The absolute path of a file. Variables that have no value yet stay as written in the path. */
async function knownPath(file: string, context: StartContext): Promise<string> {
  const filled = await filledText(file, context);
  return path.resolve(
    baseFolder(context),
    filled.replace(/^~(?=[\\/])/, () => context.userHome),
  );
}

/** The folders whose files belong to the workspace. */
function rootsOf(source: ConfigSource, context: StartContext): string[] {
  return [...context.folders.map((root) => root.path), ...(source.folderPath === undefined ? [] : [source.folderPath])];
}

/** Whether an environment file of the workspace sets variables that change what programs load. */
function setsLoaders(
  file: string | undefined,
  values: Readonly<Record<string, string>>,
  roots: readonly string[],
): boolean {
  return file !== undefined && isInOne(path.dirname(file), roots) && Object.keys(values).some(isLoaderVariable);
}

/** A file that a definition refers to: the hash of its content and, if it could be read, its path and content. */
interface ApprovedFile {
  hash: string;
  text?: string;
  file?: string;
}

/**
 * A file that a definition refers to, as an approval covers it. If the user enters a part of its path, another approval
 * is necessary when it is known. If the path cannot be determined, or if the file is on another machine, the hash is
 * random, so that no approval applies to the next start.
 */
async function readApproved(
  findPath: () => Promise<string | undefined>,
  { definition, source }: Pick<StartToInspect, 'definition' | 'source'>,
  context: StartContext,
): Promise<ApprovedFile> {
  let file: string | undefined;
  try {
    file = await findPath();
  } catch {
    return { hash: inputsOfFiles(definition).size > 0 ? 'entered' : randomUUID() };
  }
  if (file === undefined) return { hash: 'none' };
  const isElsewhere = /^(?:\\\\|\/\/)/.test(file) && !file.startsWith(source.folderPath ?? context.userHome);
  if (isElsewhere) return { hash: randomUUID() };
  try {
    const text = await context.readFile(file);
    return { hash: hashOf(text), text, file };
  } catch (error) {
    // A file that cannot be read in time is different from a missing file.
    if (error instanceof HostError) throw error;
    // A file that is missing or cannot be read needs no approval, because the start itself fails and reports the file.
    return { hash: 'absent' };
  }
}
