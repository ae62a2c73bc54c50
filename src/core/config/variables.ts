/**
 * Fills in the variables of a definition in one pass: a filled-in value is not searched for variables, and no shell is
 * involved. A variable without a value is an error whose message names the variable. It never becomes an empty text.
 * `${}` is not a variable and stays unchanged.
 */
import path from 'node:path';
import type { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { minSecretLength } from '../base/secretFinder.js';
import type { NoValue } from './variableErrors.js';
import { tooLong, unresolvedVariable, whyUnknown } from './variableErrors.js';
import { isPortableOnly, partsOf, portableVariable } from './variableSyntax.js';

/** The sources of variable values. */
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
  /** Called once for each input ID of a definition, one call at a time. Rejects if the user cancels. */
  getInput(id: string): Promise<{ value: string; isSecret: boolean }>;
  /** Reads a file that the definition names, or that its launcher would use. */
  readFile(path: string): Promise<string>;
  /** Reads a file without keeping it, for files that only matter if they exist. Default: `readFile`. */
  readAnew?: (path: string) => Promise<string>;
  /**
   * Resolves the links of an absolute path; returns the path itself if that is not possible. Default: links are not
   * resolved.
   */
  realPath?: (path: string) => Promise<string>;
  /** Whether there is a folder at an absolute path, also through links. Default: no path is known to be a folder. */
  isFolder?: (path: string) => Promise<boolean>;
  /** IDs of the inputs whose value a command of VS Code gives. Default: none. */
  commandInputs?: ReadonlySet<string>;
  /** Whether the file is a `.mcp.json`, where `${NAME}` and `${NAME:-default}` are environment variables. */
  isPortable: boolean;
  /** On `win32`, names of environment variables ignore case. Default: the platform of this process. */
  platform?: NodeJS.Platform;
}

/** The variable context for inspecting a start. It has no `getInput`, because an inspection must not ask the user. */
export type StartContext = Omit<VariableContext, 'getInput'> & {
  /** The values of inputs that the user has already entered, by ID. Default: none. */
  inputs?: ReadonlyMap<string, string>;
};

/** These sources for functions that need the values of inputs. An input without a value rejects. */
export function withoutQuestions(context: StartContext): VariableContext {
  return {
    ...context,
    getInput: (id) => {
      const value = context.inputs?.get(id);
      return value === undefined
        ? Promise.reject(new Error('Inspecting a start asks no questions.'))
        : Promise.resolve({ value, isSecret: false });
    },
  };
}

/**
 * The value of one variable, as written between the braces. Undefined if the variable has no value, or if its value
 * requires a question to the user.
 */
export async function valueOfVariable(variable: string, context: StartContext): Promise<string | undefined> {
  try {
    return await new VariableResolver(withoutQuestions(context)).fill(`\${${variable}}`);
  } catch {
    // The start reports the problem, so it is ignored here.
    return undefined;
  }
}

/** Maximum length of a setting in a text that is inspected, in UTF-16 code units. A longer one is no path. */
const maxSettingLength = 4_096;

/**
 * Maximum length of all texts with variables of a definition after they are filled in, in UTF-16 code units. It is more
 * than the longest command line.
 */
const maxFilledTotal = 4 * 1024 * 1024;

/** Maximum length of all values that are filled in to inspect a start, in UTF-16 code units. */
const maxInspectedTotal = 1024 * 1024;

/** Returns the room for the values of several texts; see `filledText`. */
export function inspectionRoom(): { left: number } {
  return { left: maxInspectedTotal };
}

/**
 * Fills in those variables of a text that have a value without asking the user. Others stay as written, also those
 * whose values exceed the limits.
 * @param room the room that these values share with those of other texts. Default: they share it with none.
 */
export async function filledText(text: string, context: StartContext, room = inspectionRoom()): Promise<string> {
  if (!text.includes('${')) return text;
  let result = '';
  for (const part of partsOf(text)) {
    const value = part.isVariable ? await valueOfVariable(part.text, context) : part.text;
    const maxLength = part.text.startsWith('config:') ? Math.min(maxSettingLength, room.left) : room.left;
    const isUnknown = value === undefined || (part.isVariable && value.length > maxLength);
    if (part.isVariable && !isUnknown) room.left -= value.length;
    result += isUnknown ? `\${${part.text}}` : value;
  }
  return result;
}

/** The variables that a definition sets, filled in like `filledText`. Without those that it removes. */
export async function filledEnv(
  env: Readonly<Record<string, string | null>>,
  context: StartContext,
  room = inspectionRoom(),
): Promise<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== null) filled[name] = await filledText(value, context, room);
  return filled;
}

/** Fills in the variables of one definition: requests each input once and collects the values to mask. */
export class VariableResolver {
  readonly secrets = new Set<string>();
  private readonly inputs = new Map<string, string>();
  private filledTotal = 0;

  constructor(private readonly context: VariableContext) {}

  async fill(text: string): Promise<string> {
    if (!text.includes('${')) return text;
    let result = '';
    for (const part of partsOf(text)) {
      const value = part.isVariable ? await this.valueOf(part.text) : part.text;
      this.filledTotal += value.length;
      if (this.filledTotal > maxFilledTotal) throw tooLong(this.context.serverName);
      result += value;
    }
    return result;
  }

  async fillAll(values: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const filled: [string, string][] = [];
    for (const [name, value] of Object.entries(values)) filled.push([name, await this.fill(value)]);
    return Object.fromEntries(filled);
  }

  maskable(): string[] {
    return [...this.secrets].filter((value) => value.length >= minSecretLength);
  }

  /** `~` is replaced only if it was written, not if it is the value of a variable. */
  async fillPath(text: string): Promise<string> {
    const isAtHome = text === '~' || text.startsWith('~/') || text.startsWith('~\\');
    return isAtHome ? path.join(this.context.userHome, await this.fill(text.slice(1))) : this.fill(text);
  }

  private async valueOf(variable: string): Promise<string> {
    const { context } = this;
    if (context.isPortable && isPortableOnly(variable)) {
      const [, plainName = '', fallback] = portableVariable.exec(variable) ?? [];
      return this.environment(variable, plainName, fallback);
    }
    const colon = variable.indexOf(':');
    const name = colon === -1 ? variable : variable.slice(0, colon);
    const argument = colon === -1 ? undefined : variable.slice(colon + 1);
    switch (name) {
      case 'workspaceFolder':
        return this.folder(variable, argument);
      case 'workspaceFolderBasename':
        return path.basename(this.folder(variable, argument));
      case 'userHome':
        return context.userHome;
      case 'pathSeparator':
      case '/':
        return path.sep;
    }
    if (argument !== undefined && argument !== '') {
      switch (name) {
        case 'env':
          return this.environment(variable, argument);
        case 'config': {
          const value = context.getSetting(argument);
          if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
            return String(value);
          throw this.noValue(
            variable,
            { why: 'setting', subject: argument },
            `The setting "${visibleLine(argument, 100)}" has no value that is a string, a number, true, or false.`,
          );
        }
        case 'input':
          return this.input(argument);
      }
    }
    throw this.noValue(variable, ...whyUnknown(name, argument, context.isPortable));
  }

  private async input(id: string): Promise<string> {
    const known = this.inputs.get(id);
    if (known !== undefined) return known;
    const { value, isSecret } = await this.context.getInput(id);
    if (isSecret) this.secrets.add(value);
    this.inputs.set(id, value);
    return value;
  }

  private environment(variable: string, name: string, fallback?: string): string {
    const { env } = this.context;
    let value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined && this.isWindows)
      value = Object.entries(env).find(([other]) => this.envKey(other) === this.envKey(name))?.[1];
    if (value !== undefined) {
      this.secrets.add(value);
      return value;
    }
    if (fallback !== undefined) return fallback;
    throw this.noValue(
      variable,
      { why: 'environment', subject: name },
      `The environment variable ${visibleLine(name, 100)} is not set where VS Code was started.`,
    );
  }

  private folder(variable: string, name: string | undefined): string {
    const { folders, folderPath } = this.context;
    if (name !== undefined) {
      const [found, second] = folders.filter((candidate) => candidate.name === name);
      if (found && !second) return found.path;
      throw this.noValue(
        variable,
        { why: found ? 'folders-same-name' : 'no-folder-name', subject: name },
        found
          ? `Several workspace folders are named "${visibleLine(name, 100)}".`
          : `No workspace folder is named "${visibleLine(name, 100)}".`,
      );
    }
    if (folderPath !== undefined) return folderPath;
    const [only, second] = folders;
    if (only && !second) return only.path;
    throw this.noValue(
      variable,
      { why: only ? 'several-folders' : 'no-folder' },
      only ? `Several folders are open: write \${${variable}:name}.` : 'No folder is open.',
    );
  }

  private noValue(variable: string, data: NoValue, why: string): HostError {
    return unresolvedVariable(this.context.serverName, variable, data, why);
  }

  private get isWindows(): boolean {
    return (this.context.platform ?? process.platform) === 'win32';
  }

  /** The name of an environment variable in the spelling by which the platform compares names. */
  envKey(name: string): string {
    return this.isWindows ? name.toUpperCase() : name;
  }
}
