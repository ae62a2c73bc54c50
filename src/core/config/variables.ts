/**
 * Fills in the variables of a definition, in one pass: what a variable yields is never looked at again, and nothing goes
 * through a shell. A variable that has no value is an error that names it, never an empty text.
 */
import path from 'node:path';
import { HostError } from '../base/hostError.js';
import { parseEnvFile } from './envFile.js';
import type { ServerDefinition } from './serverDefinition.js';

export interface VariableContext {
  /** Name of the server, for messages. */
  serverName: string;
  /** Folder of the file that defines the server; absent for user settings. */
  folderPath?: string | undefined;
  /** Open workspace folders, in order. */
  folders: readonly { name: string; path: string }[];
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  getSetting(key: string): unknown;
  /** Rejects when the user gave up. */
  getInput(id: string): Promise<{ value: string; isSecret: boolean }>;
  /** Reads `envFile`. */
  readFile(path: string): Promise<string>;
  /** The file is a `.mcp.json`: `${NAME}` and `${NAME:-default}` are environment variables there. */
  isPortable: boolean;
}

/** A definition ready to be used. */
export type ResolvedServer =
  | {
      type: 'stdio';
      command: string;
      args: string[];
      /** Absolute. */
      cwd: string;
      /** Configured variables only: env file, then `env`. */
      env: Record<string, string>;
      /** Variables that must not be inherited. */
      removedEnv: string[];
      /** Values to be masked in everything that is shown or logged. */
      secretValues: string[];
    }
  | { type: 'http' | 'sse' | 'ws' | 'auto'; url: string; headers: Record<string, string>; secretValues: string[] };

const variablePattern = /\$\{([^{}$]{1,500})\}/g;

/** Shorter values are not masked: they would blot out half of every line. */
const minSecretLength = 6;

/** The variables that a definition names, as written between the braces, each once. */
export function collectVariables(definition: ServerDefinition): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') for (const [, name] of value.matchAll(variablePattern)) names.add(name ?? '');
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(definition.type === 'stdio' ? [definition.command, definition.args, definition.cwd, definition.envFile, definition.env] : definition.type === 'builtin' ? [] : [definition.url, definition.headers]);
  return [...names];
}

/** Rejects with HostError `bad-configuration`; no message carries a value. */
export async function resolveDefinition(definition: ServerDefinition, context: VariableContext): Promise<ResolvedServer> {
  const secrets = new Set<string>();
  const fill = (text: string) => expand(text, context, secrets);
  if (definition.type === 'builtin') throw new HostError('internal', 'The built-in server has nothing to resolve.');
  if (definition.type !== 'stdio') {
    const headers = await fillAll(definition.headers, fill);
    for (const [name, value] of Object.entries(headers)) if (/authorization|cookie|token|key|secret/i.test(name)) secrets.add(value);
    return { type: definition.type, url: await fill(definition.url), headers, secretValues: maskable(secrets) };
  }
  const cwd = await folderOf(definition.cwd, context, fill);
  const fromFile = definition.envFile === undefined ? {} : await readEnvFile(definition.envFile, cwd, context, fill);
  for (const value of Object.values(fromFile)) secrets.add(value);
  const set = Object.entries(definition.env).filter((entry): entry is [string, string] => entry[1] !== null);
  const env = { ...fromFile, ...(await fillAll(Object.fromEntries(set), fill)) };
  for (const [name, value] of Object.entries(env)) if (/token|key|secret|password|credential/i.test(name)) secrets.add(value);
  return {
    type: 'stdio',
    command: atHome(await fill(definition.command), context),
    args: await Promise.all(definition.args.map(fill)),
    cwd,
    env,
    removedEnv: Object.entries(definition.env).filter(([, value]) => value === null).map(([name]) => name),
    secretValues: maskable(secrets),
  };
}

async function fillAll(values: Record<string, string>, fill: (text: string) => Promise<string>): Promise<Record<string, string>> {
  const filled: [string, string][] = [];
  // One after the other: two questions for inputs must not stand over each other.
  for (const [name, value] of Object.entries(values)) filled.push([name, await fill(value)]);
  return Object.fromEntries(filled);
}

async function folderOf(cwd: string | undefined, context: VariableContext, fill: (text: string) => Promise<string>): Promise<string> {
  const base = context.folderPath ?? context.folders[0]?.path ?? context.userHome;
  return cwd === undefined || cwd === '' ? base : path.resolve(base, atHome(await fill(cwd), context));
}

async function readEnvFile(file: string, cwd: string, context: VariableContext, fill: (text: string) => Promise<string>): Promise<Record<string, string>> {
  const full = path.resolve(context.folderPath ?? cwd, atHome(await fill(file), context));
  try {
    return parseEnvFile(await context.readFile(full));
  } catch (error) {
    throw new HostError('bad-configuration', `The envFile of "${context.serverName}" could not be read: ${full}`, { cause: error, hint: 'Correct the path, or create the file.' });
  }
}

function atHome(text: string, { userHome }: VariableContext): string {
  return text === '~' || text.startsWith('~/') || text.startsWith('~\\') ? path.join(userHome, text.slice(1)) : text;
}

async function expand(text: string, context: VariableContext, secrets: Set<string>): Promise<string> {
  if (!text.includes('${')) return text;
  let result = '';
  let at = 0;
  for (const match of text.matchAll(variablePattern)) {
    result += text.slice(at, match.index) + (await valueOf(match[1] ?? '', context, secrets));
    at = match.index + match[0].length;
  }
  return result + text.slice(at);
}

async function valueOf(variable: string, context: VariableContext, secrets: Set<string>): Promise<string> {
  const colon = variable.indexOf(':');
  const name = colon === -1 ? variable : variable.slice(0, colon);
  const argument = colon === -1 ? undefined : variable.slice(colon + 1);
  switch (name) {
    case 'workspaceFolder':
      return folder(argument, context).path;
    case 'workspaceFolderBasename':
      return path.basename(folder(argument, context).path);
    case 'userHome':
      return context.userHome;
    case 'pathSeparator':
    case '/':
      return path.sep;
    case 'env':
      return environment(argument ?? '', undefined, context, secrets);
    case 'config': {
      const value = context.getSetting(argument ?? '');
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
      throw unresolved(variable, context, `The setting "${argument ?? ''}" has no plain value.`);
    }
    case 'input': {
      const { value, isSecret } = await context.getInput(argument ?? '');
      if (isSecret) secrets.add(value);
      return value;
    }
  }
  if (context.isPortable) {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(variable);
    if (match?.[1]) return environment(match[1], match[2], context, secrets);
  }
  throw unresolved(variable, context, 'There is no such variable.');
}

function environment(name: string, fallback: string | undefined, context: VariableContext, secrets: Set<string>): string {
  const value = Object.hasOwn(context.env, name) ? context.env[name] : undefined;
  if (value !== undefined) {
    secrets.add(value);
    return value;
  }
  if (fallback !== undefined) return fallback;
  throw unresolved(`env:${name}`, context, `The environment variable ${name} is not set where VS Code was started.`);
}

function folder(name: string | undefined, context: VariableContext): { path: string } {
  if (name !== undefined) {
    const found = context.folders.find((candidate) => candidate.name === name);
    if (found) return found;
    throw unresolved(`workspaceFolder:${name}`, context, `No workspace folder is named "${name}".`);
  }
  if (context.folderPath !== undefined) return { path: context.folderPath };
  const [only, second] = context.folders;
  if (only && !second) return only;
  throw unresolved('workspaceFolder', context, only ? 'Several folders are open: write ${workspaceFolder:name}.' : 'No folder is open.');
}

function unresolved(variable: string, { serverName }: VariableContext, why: string): HostError {
  return new HostError('bad-configuration', `"${serverName}" uses \${${variable}}, which has no value. ${why}`, { data: { variable }, hint: 'Correct the configuration, then start it again.' });
}

function maskable(secrets: ReadonlySet<string>): string[] {
  return [...secrets].filter((value) => value.length >= minSecretLength);
}
