import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { exactText } from '../base/exactText.js';
import { HostError } from '../base/hostError.js';
import type { StartFacts } from './definitionHash.js';
import { parseEnvFile } from './envFile.js';
import type { Launch } from './launchers.js';
import { foldersUpTo, launchOf, offersCommand, programsOf, pythonModuleOf } from './launchers.js';
import { isLoaderVariable } from './loaderVariables.js';
import type { ConfigSource, ServerDefinition, StdioDefinition } from './serverDefinition.js';
import type { VariableContext } from './variables.js';
import { caFilePath, envFilePath, filledText, startFolder } from './variables.js';
import type { WorkspaceLead } from './workspaceLead.js';
import { workspaceLeadOf } from './workspaceLead.js';
import type { StartContext } from './workspaceValues.js';
import { withValues } from './workspaceValues.js';

/** The start to examine. */
export interface LookedAtStart {
  /** Id of the server. */
  id: string;
  definition: ServerDefinition;
  source: ConfigSource;
  /** Values that the workspace gives to variables. */
  values: ReadonlyMap<string, string>;
}

/** What was found on the disk. */
export interface FoundStart {
  /** The facts that an approval covers in addition to the text of the definition. */
  facts: StartFacts;
  /** Names of the variables in the env file, if it could be read. */
  envFileNames?: string[];
  /** Warnings about files in the working directory. */
  warnings: string[];
  /** Whether files of the workspace can decide what a server from the user settings runs. Default false. */
  isLedByWorkspace?: boolean;
}

/** Reads the files that a definition and its launcher use. Asks no questions. Rejects if a file does not answer. */
export async function findStart(start: LookedAtStart, context: StartContext): Promise<FoundStart> {
  const { id, definition, source, values } = start;
  const facts: StartFacts = { server: id, ...(values.size === 0 ? {} : { values: Object.fromEntries(values) }) };
  if (definition.type === 'builtin') return { facts, warnings: [] };
  const silent: VariableContext = {
    ...context,
    getInput: () => Promise.reject(new Error('No question is asked here.')),
  };
  if (definition.type !== 'stdio') {
    if (definition.caFile === undefined) return { facts, warnings: [] };
    const { hash } = await readApproved(() => caFilePath(definition, silent), source, context);
    return { facts: { ...facts, caFileHash: hash }, warnings: [] };
  }
  const envFile =
    definition.envFile === undefined
      ? undefined
      : await readApproved(() => envFilePath(definition, silent), source, context);
  const filled = (await withValues(definition, values)) as StdioDefinition;
  // Uses the definition as written, because filled-in values contain no variables.
  const place = await placeOf(() => startFolder(definition, silent), source, silent);
  const launched = place && (await findLaunched(filled, place, silent, source));
  const lead = source.kind === 'user' && place ? await findLead(definition, place, envFile?.file, silent) : undefined;
  const isLed = launched !== undefined || lead !== undefined || setsLoaders(envFile, rootsOf(source, context));
  return {
    facts: {
      ...facts,
      ...(envFile === undefined ? {} : { envFileHash: envFile.hash }),
      ...(launched === undefined ? {} : { launcherFiles: launched.files }),
      ...(lead === undefined ? {} : { leadingFolder: lead.root }),
    },
    ...(envFile?.text === undefined ? {} : { envFileNames: Object.keys(parseEnvFile(envFile.text)) }),
    warnings: [launched?.warning, lead?.reason].filter((text) => text !== undefined),
    isLedByWorkspace: isLed,
  };
}

/** The working directory of a local server, and the workspace folders. */
interface StartPlace {
  folder: string;
  roots: string[];
  userHome: string;
}

/** Undefined if the folder cannot be determined, which the start reports. Links into the workspace are resolved. */
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
  if (!realPath || folder === context.userHome || foldersUpTo(folder, written.roots).length > 0) return written;
  const [real, roots, userHome] = await Promise.all([
    realPath(folder),
    Promise.all(written.roots.map(realPath)),
    realPath(context.userHome),
  ]);
  return foldersUpTo(real, roots).length > 0 ? { folder: real, roots, userHome } : written;
}

/** How the workspace affects a server from the user settings. */
async function findLead(
  definition: StdioDefinition,
  place: StartPlace,
  envFile: string | undefined,
  context: VariableContext,
): Promise<WorkspaceLead | undefined> {
  const fromWorkspace = new Set<string>();
  const fill = async (text: string) => {
    const filled = await filledText(text, context);
    if (/\$\{workspaceFolder[:}]/.test(text)) fromWorkspace.add(filled);
    return filled;
  };
  const command = await fill(definition.command.replace(/^~(?=[\\/])/, () => context.userHome));
  const args = await Promise.all(definition.args.map(fill));
  const set = Object.entries(definition.env).filter((pair): pair is [string, string] => pair[1] !== null);
  const env = Object.fromEntries(
    await Promise.all(set.map(async ([name, value]) => [name, await fill(value)] as const)),
  );
  const start = { ...place, command, args, env, fromWorkspace, ...(envFile === undefined ? {} : { envFile }) };
  return workspaceLeadOf(start, async (file) => (await lookAt(file, context, () => 'there'))[1] !== undefined);
}

/** The folders whose files belong to the workspace. */
function rootsOf(source: ConfigSource, context: StartContext): string[] {
  return [...context.folders.map((root) => root.path), ...(source.folderPath === undefined ? [] : [source.folderPath])];
}

function setsLoaders(envFile: ApprovedFile | undefined, roots: readonly string[]): boolean {
  if (envFile?.text === undefined || envFile.file === undefined) return false;
  return (
    foldersUpTo(path.dirname(envFile.file), roots).length > 0 &&
    Object.keys(parseEnvFile(envFile.text)).some(isLoaderVariable)
  );
}

/**
 * What a launcher or Python would use from the workspace instead of downloaded or installed code; undefined if there is
 * nothing.
 */
async function findLaunched(
  definition: StdioDefinition,
  { folder, roots, userHome }: StartPlace,
  context: VariableContext,
  source: ConfigSource,
): Promise<{ files: Record<string, string>; warning?: string } | undefined> {
  const launch = launchOf(definition.command, definition.args);
  const module = pythonModuleOf(definition.command, definition.args);
  if (launch === undefined && module === undefined) return undefined;
  // A server from the user settings runs in the user's home folder. If that is open as a folder, its files still belong
  // to the user.
  const isUsersOwn = (place: string) => source.kind === 'user' && place === userHome;
  const places = foldersUpTo(folder, roots).filter((place) => !isUsersOwn(place));
  const looks = launch ? places.flatMap((place) => looksOf(launch, place, context)) : [];
  // For Python only the folder itself counts. The content of modules is not part of the approval: it changes with each
  // edit during development.
  const modules = places
    .slice(0, 1)
    .flatMap((place) => (module?.files ?? []).map((file) => lookAt(path.join(place, file), context, () => 'there')));
  const there = (await Promise.all([...looks, ...modules])).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  // Python also loads every imported module from that folder.
  if (there.length === 0) return module && places.length > 0 ? { files: {} } : undefined;
  const names = there.map(([file]) => exactText(path.relative(folder, file))).join(', ');
  const warning = module
    ? `${module.launcher} runs files of the workspace instead of an installed module: ${names}.`
    : `${launch?.launcher ?? ''} runs or uses files of the workspace instead of downloaded ones: ${names}.`;
  return { files: Object.fromEntries(there), warning };
}

type Look = Promise<readonly [string, string | undefined]>;

function looksOf({ files, manifest }: Launch, place: string, context: VariableContext): Look[] {
  const looks = files.map((file) => lookAt(path.join(place, ...file.split('/')), context, hashOf));
  if (manifest === undefined) return looks;
  return [
    ...looks,
    lookAt(path.join(place, manifest.file), context, (text) =>
      offersCommand(text, manifest.commands) ? hashOf(programsOf(text)) : undefined,
    ),
  ];
}

/**
 * The part of a file's content that an approval covers; if the file cannot be read, the reason; undefined if there is
 * no file.
 */
async function lookAt(file: string, context: StartContext, keptOf: (text: string) => string | undefined): Look {
  try {
    return [file, keptOf(await context.readFile(file))];
  } catch (error) {
    if (error instanceof HostError) throw error;
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unreadable';
    return [file, code === 'ENOENT' || code === 'ENOTDIR' ? undefined : code];
  }
}

/** A file that a definition names: the hash of its content, and both path and content if it could be read. */
interface ApprovedFile {
  hash: string;
  text?: string;
  file?: string;
}

/** Content that cannot be known without a question, or is on another machine, is not part of an approval. */
async function readApproved(
  findPath: () => Promise<string | undefined>,
  source: ConfigSource,
  context: StartContext,
): Promise<ApprovedFile> {
  let file: string | undefined;
  try {
    file = await findPath();
  } catch {
    return { hash: randomUUID() };
  }
  if (file === undefined) return { hash: 'none' };
  const isElsewhere = /^(?:\\\\|\/\/)/.test(file) && !file.startsWith(source.folderPath ?? context.userHome);
  if (isElsewhere) return { hash: randomUUID() };
  try {
    const text = await context.readFile(file);
    return { hash: hashOf(text), text, file };
  } catch (error) {
    // A file that does not answer is different from a missing file.
    if (error instanceof HostError) throw error;
    // A missing file needs no approval; the start itself reports that it is missing.
    return { hash: 'absent' };
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
