/** The files and folders that a definition names, resolved as in a start. */
import path from 'node:path';
import { debugpyPathOf } from './dev.js';
import { isLoaderVariable, variablesOfShell } from './loaderVariables.js';
import type { InputDefinition, RemoteDefinition, ServerDefinition, StdioDefinition } from './serverDefinition.js';
import { signInPlaces } from './receiver.js';
import { unusableValue } from './variableErrors.js';
import type { VariableContext } from './variables.js';
import { VariableResolver } from './variables.js';
import { partsOf, variablesIn } from './variableSyntax.js';

/**
 * The folder that relative paths start from. For servers from the user settings it is not a workspace folder, because
 * programs read settings and code from their working directory, and files of the workspace do not belong to the user
 * (security requirement C3).
 */
export function baseFolder({ folderPath, userHome }: Pick<VariableContext, 'folderPath' | 'userHome'>): string {
  return folderPath ?? userHome;
}

/** The absolute path of a file that a definition names. Rejects as `resolveDefinition` does. */
export async function filePath(written: string, context: VariableContext): Promise<string> {
  return path.resolve(baseFolder(context), await new VariableResolver(context).fillPath(written));
}

/** The path of the env file of a definition, resolved as in a start. Rejects as `resolveDefinition` does. */
export async function envFilePath({ envFile }: StdioDefinition, context: VariableContext): Promise<string | undefined> {
  return envFile === undefined || envFile === '' ? undefined : filePath(envFile, context);
}

/** The IDs of the inputs in the paths of files. Such a path is known only after the user is asked. */
export function inputsOfFiles(definition: ServerDefinition): Set<string> {
  return variablesIn(filesOf(definition), 'input:');
}

/**
 * The IDs of the inputs that decide what a start runs or contacts. Other environment variables, headers, and the query
 * of a URL only contain what the server receives. Arguments, and the variables that a command line uses, often contain
 * keys, names and choices. There, only the results of commands count: the user types the others, or the question shows
 * them as choices and defaults.
 * @param declared the inputs of the configuration.
 */
export function inputsOfStart(definition: ServerDefinition, declared: readonly InputDefinition[]): Set<string> {
  if (definition.type === 'builtin') return new Set();
  const files = filesOf(definition);
  if (definition.type !== 'stdio')
    return variablesIn([beforeQuery(definition.url), files, signInPlaces(definition.oauth)], 'input:');
  const { command, args, cwd, env } = definition;
  const valuesOf = (isWanted: (name: string) => boolean) =>
    Object.entries(env).flatMap(([name, value]) => (isWanted(name) ? [value] : []));
  const ids = variablesIn([command, cwd, valuesOf(isLoaderVariable), debugpyPathOf(definition), files], 'input:');
  const used = variablesOfShell([command, ...args]);
  for (const id of variablesIn([args, valuesOf((name) => used.has(name.toLowerCase()))], 'input:')) {
    const input = declared.find((one) => one.id === id);
    if (input === undefined || input.type === 'command') ids.add(id);
  }
  return ids;
}

/** The IDs of the inputs in the command line of a local server. */
export function inputsOfLine(definition: ServerDefinition): Set<string> {
  return definition.type === 'stdio' ? variablesIn([definition.command, definition.args], 'input:') : new Set();
}

/** The parts of a URL up to its query. A question mark in the name of a variable is not the beginning of the query. */
function beforeQuery(url: string): string[] {
  const parts = [...partsOf(url)];
  const end = parts.findIndex(({ isVariable, text }) => !isVariable && /[?#]/.test(text));
  return parts
    .slice(0, end === -1 ? undefined : end)
    .map(({ isVariable, text }) => (isVariable ? `\${${text}}` : text));
}

/** The paths of the files that a definition names, as written, without its program and its working directory. */
export function filesOf(definition: ServerDefinition): string[] {
  if (definition.type === 'builtin') return [];
  const { oauth } = definition.type === 'stdio' ? {} : definition;
  const named =
    definition.type === 'stdio'
      ? [definition.envFile]
      : [definition.caFile, ...(oauth ? [oauth.privateKeyFile, oauth.idTokenFile, oauth.tokenFile] : [])];
  return named.filter((file): file is string => file !== undefined && file !== '');
}

/**
 * The working directory of a local server, resolved as in a start. Rejects with the same errors as `resolveDefinition`.
 */
export async function startFolder({ cwd = '' }: StdioDefinition, context: VariableContext): Promise<string> {
  return path.resolve(baseFolder(context), await new VariableResolver(context).fillPath(cwd));
}

/**
 * A debugpy program with its variables filled in. Only a start under the debugger requests its inputs. Rejects with the
 * same errors as `resolveDefinition`.
 */
export async function debugpyProgram(
  written: string,
  context: VariableContext,
): Promise<{ program: string; secretValues: string[] }> {
  const resolver = new VariableResolver(context);
  const program = await resolver.fillPath(written);
  if (program.trim() === '' || /[\0\r\n]/.test(program))
    throw unusableValue(context.serverName, written, ['debugpyPath'], 'nothing-or-break');
  return { program, secretValues: resolver.maskable() };
}

/**
 * The path of the file with certificate authorities, resolved as in a connection. Rejects with the same errors as
 * `resolveDefinition`.
 */
export async function caFilePath(
  { caFile }: RemoteDefinition,
  context: VariableContext,
  resolver = new VariableResolver(context),
): Promise<string | undefined> {
  return caFile === undefined ? undefined : path.resolve(baseFolder(context), await resolver.fill(caFile));
}
