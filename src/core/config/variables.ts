/**
 * Fills in the variables of a definition in one pass: a filled-in value is not searched for variables, and no shell is
 * involved. A variable without a value is an error whose message names the variable. It never becomes an empty text.
 * `${}` is not a variable and stays unchanged.
 */
import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import type { BadContent, ValuePlace } from '../base/failureKinds.js';
import type { HostErrorData } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { minSecretLength } from '../base/secretFinder.js';
import { isSecretSetting, isTokenText } from '../../shared/secretNames.js';
import { debugpyPathOf } from './dev.js';
import { parseEnvFile } from './envFile.js';
import type { OAuthDefinition } from './oauthDefinition.js';
import { mapOAuthTexts, oauthTexts } from './oauthDefinition.js';
import type {
  InputDefinition,
  RemoteDefinition,
  ServerDefinition,
  StdioDefinition,
  StdioFraming,
} from './serverDefinition.js';

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
  /** Called once for each ID and definition, one after another. Rejects if the user cancels. */
  getInput(id: string): Promise<{ value: string; isSecret: boolean }>;
  /** Reads `envFile` and `caFile`. */
  readFile(path: string): Promise<string>;
  /**
   * Resolves the links of an absolute path; returns the path itself if that is not possible. Default: links are not
   * resolved.
   */
  realPath?: (path: string) => Promise<string>;
  /** Whether the file is a `.mcp.json`, where `${NAME}` and `${NAME:-default}` are environment variables. */
  isPortable: boolean;
  /** On `win32`, names of environment variables ignore case. Default: the platform of this process. */
  platform?: NodeJS.Platform;
}

/** A definition with its variables filled in. */
export type ResolvedServer =
  | {
      type: 'stdio';
      command: string;
      args: string[];
      /**
       * Absolute path. Default: the folder of the file, or the user's home folder for a server from the user settings.
       */
      cwd: string;
      /** Only configured variables: those of the env file, then those of `env`. */
      env: Record<string, string>;
      /** Variables that must not be inherited. */
      removedEnv: string[];
      /** Framing of messages; default: one line each. */
      framing?: StdioFraming;
      /** Values to mask in everything that is shown or logged. */
      secretValues: string[];
    }
  | {
      type: RemoteDefinition['type'];
      url: string;
      headers: Record<string, string>;
      /** Content of `caFile`. */ ca?: string;
      oauth?: OAuthDefinition | false;
      secretValues: string[];
    };

/**
 * Minimum length, in characters, of a value of an env file that is masked wherever it occurs. Shorter values are masked
 * only by the name of their variable, because they occur by chance in many lines.
 */
const minFileValueLength = 6;

/** The variables of a definition, as written between the braces, each once. */
export function collectVariables(definition: ServerDefinition): string[] {
  const names = new Set<string>();
  for (const text of textsOf(definition))
    if (text.includes('${')) for (const part of partsOf(text)) if (part.isVariable) names.add(part.text);
  return [...names];
}

/** `NAME` or `NAME:-default`. */
const portableVariable = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/;

/** Variables that look like variables of `.mcp.json` but have the same meaning in every file. */
const plainVariables: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
]);

/** Whether a variable, as written between the braces, exists only in `.mcp.json`: `NAME` and `NAME:-default`. */
export function isPortableOnly(variable: string): boolean {
  return portableVariable.test(variable) && !plainVariables.has(variable);
}

/** The inputs of a source that the variables of a definition use, in the order of the definition. */
export function inputsNamedBy(
  definition: ServerDefinition,
  inputs: ReadonlyMap<string, InputDefinition>,
): InputDefinition[] {
  if (inputs.size === 0) return [];
  return collectVariables(definition).flatMap((variable) =>
    variable.startsWith('input:') ? (inputs.get(variable.slice('input:'.length)) ?? []) : [],
  );
}

/**
 * Fills in the variables of a definition. Rejects with HostError `bad-configuration` or with the error of `getInput`.
 * No message contains a value.
 */
export async function resolveDefinition(
  definition: ServerDefinition,
  context: VariableContext,
): Promise<ResolvedServer> {
  if (definition.type === 'builtin') throw new HostError('internal', 'The built-in server has nothing to resolve.');
  const resolver = new Resolver(context);
  if (definition.type === 'stdio') return resolver.stdio(definition);
  const url = await resolver.fill(definition.url);
  const headers = await resolver.fillAll(definition.headers);
  for (const [name, value] of Object.entries(headers)) {
    // A line break in the value could begin a new header.
    if (/[\0\r\n]/.test(value)) throw resolver.unusable(definition.headers[name] ?? '', ['header', name], 'break');
    if (isSecretSetting(name) || isTokenText(value))
      for (const secret of secretsOfHeader(value)) resolver.secrets.add(secret);
  }
  const ca = definition.caFile === undefined ? undefined : await readAuthorities(definition, context, resolver);
  const oauth = definition.oauth && (await mapOAuthTexts(definition.oauth, (text) => resolver.fill(text)));
  for (const secret of oauth ? [oauth.clientSecret, oauth.provider?.clientSecret] : [])
    if (secret !== undefined) resolver.secrets.add(secret);
  return {
    type: definition.type,
    url,
    headers,
    ...(oauth === undefined ? {} : { oauth }),
    ...(ca === undefined ? {} : { ca }),
    secretValues: resolver.maskable(),
  };
}

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
  return path.resolve(baseFolder(context), await new Resolver(context).fillPath(written));
}

/** The path of the env file of a definition, resolved as in a start. Rejects as `resolveDefinition` does. */
export async function envFilePath({ envFile }: StdioDefinition, context: VariableContext): Promise<string | undefined> {
  return envFile === undefined || envFile === '' ? undefined : filePath(envFile, context);
}

/** Whether an input is in the path of a file that a definition names: where it leads is known only after a question. */
export function isFileTypedIn(definition: ServerDefinition): boolean {
  return filesOf(definition).some((file) =>
    [...partsOf(file)].some((part) => part.isVariable && part.text.startsWith('input:')),
  );
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
  return path.resolve(baseFolder(context), await new Resolver(context).fillPath(cwd));
}

/**
 * A debugpy program with its variables filled in. Only a start under the debugger requests its inputs. Rejects with the
 * same errors as `resolveDefinition`.
 */
export async function debugpyProgram(
  written: string,
  context: VariableContext,
): Promise<{ program: string; secretValues: string[] }> {
  const resolver = new Resolver(context);
  const program = await resolver.fillPath(written);
  if (program.trim() === '' || /[\0\r\n]/.test(program))
    throw resolver.unusable(written, ['debugpyPath'], 'nothing-or-break');
  return { program, secretValues: resolver.maskable() };
}

/**
 * The path of the file with certificate authorities, resolved as in a connection. Rejects with the same errors as
 * `resolveDefinition`.
 */
export async function caFilePath(
  { caFile }: RemoteDefinition,
  context: VariableContext,
  resolver = new Resolver(context),
): Promise<string | undefined> {
  return caFile === undefined ? undefined : path.resolve(baseFolder(context), await resolver.fill(caFile));
}

/**
 * The value of one variable, as written between the braces. Undefined if the variable has no value, or only after a
 * question.
 */
export async function valueOfVariable(
  variable: string,
  context: Omit<VariableContext, 'getInput'>,
): Promise<string | undefined> {
  try {
    return await new Resolver({
      ...context,
      getInput: () => Promise.reject(new Error('No question is asked here.')),
    }).fill(`\${${variable}}`);
  } catch {
    // The start reports the problem, so it is ignored here.
    return undefined;
  }
}

/**
 * A text in which variables are filled in if they have a value without a question. All other variables stay as written.
 */
export async function filledText(text: string, context: Omit<VariableContext, 'getInput'>): Promise<string> {
  if (!text.includes('${')) return text;
  let result = '';
  for (const part of partsOf(text))
    result += part.isVariable ? ((await valueOfVariable(part.text, context)) ?? `\${${part.text}}`) : part.text;
  return result;
}

/** The password in an address, such as the address of a database. */
function passwordOfUrl(text: string): string | undefined {
  const { password = '' } = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(text) && URL.canParse(text) ? new URL(text) : {};
  try {
    return password === '' ? undefined : decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** The value of a header, and its part after the scheme. Both are secret, because a server may repeat either. */
function secretsOfHeader(value: string): string[] {
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]*) +(\S+)$/.exec(value.trim()) ?? [];
  if (rest === '') return [value];
  const password = /^basic$/i.test(scheme)
    ? Buffer.from(rest, 'base64').toString('utf8').split(':').slice(1).join(':')
    : '';
  return [value, rest, ...(password === '' ? [] : [password])];
}

async function readAuthorities(
  definition: RemoteDefinition,
  context: VariableContext,
  resolver: Resolver,
): Promise<string> {
  const file = (await caFilePath(definition, context, resolver)) ?? '';
  const name = visibleLine(context.serverName);
  let text: string;
  try {
    text = await context.readFile(file);
  } catch (error) {
    if (error instanceof HostError) throw error;
    // The message shows the path as written, as for the env file.
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
    throw new HostError(
      'bad-configuration',
      `The "caFile" of "${name}" could not be read${code === '' ? '' : ` (${code})`}: ${visibleLine(definition.caFile ?? '')}`,
      {
        cause: error,
        data: { problem: 'ca-unreadable', subject: definition.caFile ?? '', ...(code === '' ? {} : { errno: code }) },
        hint: 'Correct the path, or remove the field.',
      },
    );
  }
  // Checked here, because Node ignores certificates that it cannot read, and every connection would then fail with a
  // misleading error.
  const certificates =
    text.match(/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g) ??
    [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new HostError(
      'bad-configuration',
      `The "caFile" of "${name}" contains ${certificates.length === 0 ? 'no certificate' : 'a certificate that cannot be read'}: ${visibleLine(definition.caFile ?? '')}`,
      {
        data: { problem: certificates.length === 0 ? 'ca-empty' : 'ca-broken', subject: definition.caFile ?? '' },
        hint: 'It must be a PEM file with the certificates of the authorities.',
      },
    );
  }
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== '';
  } catch {
    return false;
  }
}

/** A part of a text. */
export interface Part {
  isVariable: boolean;
  /** Plain text or, for a variable, the text between the braces. */
  text: string;
}

/**
 * Splits a text in linear time. A `${` that is not closed yields a variable up to the end of the text. That variable
 * has no value.
 */
export function* partsOf(text: string): Generator<Part> {
  let at = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', at)) {
    const close = text.indexOf('}', open + 2);
    if (close === open + 2) {
      yield { isVariable: false, text: text.slice(at, close + 1) };
    } else {
      yield { isVariable: false, text: text.slice(at, open) };
      yield { isVariable: true, text: text.slice(open + 2, close === -1 ? text.length : close) };
      if (close === -1) return;
    }
    at = close + 1;
  }
  yield { isVariable: false, text: text.slice(at) };
}

function textsOf(definition: ServerDefinition): string[] {
  if (definition.type === 'builtin') return [];
  if (definition.type !== 'stdio')
    return [
      definition.url,
      definition.caFile ?? '',
      ...Object.values(definition.headers),
      ...(definition.oauth ? oauthTexts(definition.oauth) : []),
    ];
  const { command, args, cwd, envFile, env } = definition;
  return [
    command,
    ...args,
    cwd ?? '',
    envFile ?? '',
    debugpyPathOf(definition) ?? '',
    ...Object.values(env).map((value) => value ?? ''),
  ];
}

/** Resolves one definition: requests each input once and collects the values to mask. */
class Resolver {
  readonly secrets = new Set<string>();
  private readonly inputs = new Map<string, string>();

  constructor(private readonly context: VariableContext) {}

  async stdio(definition: StdioDefinition): Promise<ResolvedServer> {
    const { context } = this;
    const command = await this.fillPath(definition.command);
    if (command.trim() === '') throw this.unusable(definition.command, ['command'], 'nothing');
    if (/[\0\r\n]/.test(command)) throw this.unusable(definition.command, ['command'], 'break');
    const args: string[] = [];
    // Done one after another, here and below, because two input questions must not be open at the same time.
    for (const arg of definition.args) {
      const value = await this.fill(arg);
      if (/[\0\r\n]/.test(value)) throw this.unusable(arg, ['argument'], 'break');
      args.push(value);
    }
    const base = baseFolder(context);
    const cwd = path.resolve(base, await this.fillPath(definition.cwd ?? ''));
    const fromFile =
      definition.envFile === undefined || definition.envFile === '' ? {} : await this.envFile(definition.envFile, base);
    for (const value of Object.values(fromFile)) if (value.length >= minFileValueLength) this.secrets.add(value);
    const written = Object.entries(definition.env);
    const set = written.filter((entry): entry is [string, string] => entry[1] !== null);
    const removedEnv = written.filter(([, value]) => value === null).map(([name]) => name);
    const removed = new Set(removedEnv.map((name) => this.envKey(name)));
    const filled = await this.fillAll(Object.fromEntries(set));
    const ofFile = Object.entries(fromFile).filter(([name]) => !removed.has(this.envKey(name)));
    const env = Object.fromEntries([...ofFile, ...Object.entries(filled)]);
    for (const [name, value] of Object.entries(env)) {
      if (value.includes('\0')) throw this.unusable(definition.env[name] ?? '', ['environment', name], 'nul');
      if (isSecretSetting(name) || isTokenText(value)) this.secrets.add(value);
      const password = passwordOfUrl(value);
      if (password !== undefined) this.secrets.add(password);
    }
    return {
      type: 'stdio',
      command,
      args,
      cwd,
      env,
      removedEnv,
      ...(definition.framing === undefined ? {} : { framing: definition.framing }),
      secretValues: this.maskable(),
    };
  }

  async fill(text: string): Promise<string> {
    if (!text.includes('${')) return text;
    let result = '';
    for (const part of partsOf(text)) result += part.isVariable ? await this.valueOf(part.text) : part.text;
    return result;
  }

  async fillAll(values: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const filled: [string, string][] = [];
    for (const [name, value] of Object.entries(values)) filled.push([name, await this.fill(value)]);
    return Object.fromEntries(filled);
  }

  /** `text` is the text as written, with the names of its variables. The message never shows their values. */
  unusable(text: string, [place, name]: [ValuePlace, name?: string], content: BadContent): HostError {
    const variables = [...partsOf(text)].filter(({ isVariable }) => isVariable).map((part) => shown(part.text));
    const names = [...new Set(variables)];
    const from = names.length === 0 ? '' : `, which comes from ${names.join(', ')}`;
    const what = placeText[place].replace('{0}', () => visibleLine(name ?? '', 60));
    return new HostError(
      'bad-configuration',
      `"${this.serverName}" cannot be started: ${what} would contain ${contentText[content]}${from}.`,
      {
        data: {
          problem: 'unusable-value',
          place,
          content,
          variables: names,
          ...(name === undefined ? {} : { subject: name }),
        },
        hint: 'Correct that value, then start it again.',
      },
    );
  }

  maskable(): string[] {
    return [...this.secrets].filter((value) => value.length >= minSecretLength);
  }

  private get serverName(): string {
    return visibleLine(this.context.serverName);
  }

  /** `~` is replaced only if it was written, not if it is the value of a variable. */
  async fillPath(text: string): Promise<string> {
    const isAtHome = text === '~' || text.startsWith('~/') || text.startsWith('~\\');
    return isAtHome ? path.join(this.context.userHome, await this.fill(text.slice(1))) : this.fill(text);
  }

  private async envFile(file: string, base: string): Promise<Record<string, string>> {
    const full = path.resolve(base, await this.fillPath(file));
    let text: string;
    try {
      text = await this.context.readFile(full);
    } catch (error) {
      if (error instanceof HostError) throw error;
      // The message shows the path as written, because the value of a variable may be secret. Node's own message
      // contains the full path.
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
      throw new HostError(
        'bad-configuration',
        `The envFile of "${this.serverName}" could not be read${code === undefined ? '' : ` (${code})`}: ${visibleLine(file)}`,
        {
          data: { problem: 'env-file', subject: file, ...(code === undefined ? {} : { errno: code }) },
          hint: 'Correct the path, or create the file.',
        },
      );
    }
    return parseEnvFile(text);
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
          throw this.unresolved(
            variable,
            { why: 'setting', subject: argument },
            `The setting "${visibleLine(argument, 100)}" has no plain value.`,
          );
        }
        case 'input':
          return this.input(argument);
      }
    }
    throw this.unresolved(variable, ...this.whyUnknown(name, argument));
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
    throw this.unresolved(
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
      throw this.unresolved(
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
    throw this.unresolved(
      variable,
      { why: only ? 'several-folders' : 'no-folder' },
      only ? `Several folders are open: write \${${variable}:name}.` : 'No folder is open.',
    );
  }

  private whyUnknown(name: string, argument: string | undefined): [NoValue, string] {
    if (name === 'env' || name === 'config' || name === 'input')
      return [{ why: 'no-name', subject: name }, `Write \${${name}:…} with a name after the colon.`];
    if (name.includes('${'))
      return [{ why: 'nested' }, 'A variable cannot be inside another one, and each needs its closing brace.'];
    // `${TOKEN}` and `${TOKEN:-default}` work only in .mcp.json, but users copy them to other files.
    if (
      !this.context.isPortable &&
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) &&
      (argument === undefined || argument.startsWith('-'))
    )
      return [
        { why: 'write-env', subject: name },
        `There is no such variable. For an environment variable write \${env:${visibleLine(name, 100)}}.`,
      ];
    return [{ why: 'unknown' }, 'There is no such variable.'];
  }

  private unresolved(variable: string, data: NoValue, why: string): HostError {
    return new HostError(
      'bad-configuration',
      `"${this.serverName}" uses ${shown(variable)}, which has no value. ${why}`,
      {
        data: { problem: 'no-value', variable: withoutDefault(variable), ...data },
        hint: 'Correct the configuration, then start it again.',
      },
    );
  }

  private get isWindows(): boolean {
    return (this.context.platform ?? process.platform) === 'win32';
  }

  private envKey(name: string): string {
    return this.isWindows ? name.toUpperCase() : name;
  }
}

/** Why a variable has no value, and the name that the sentence needs. */
type NoValue = Pick<HostErrorData['bad-configuration'], 'why' | 'subject'>;

const placeText: Readonly<Record<ValuePlace, string>> = {
  header: 'the header "{0}"',
  debugpyPath: '"debugpyPath"',
  command: '"command"',
  argument: 'an item of "args"',
  environment: 'the environment variable "{0}"',
};

const contentText: Readonly<Record<BadContent, string>> = {
  nothing: 'nothing',
  'nothing-or-break': 'nothing, a line break or a NUL character',
  break: 'a line break or a NUL character',
  nul: 'a NUL character',
};

function shown(variable: string): string {
  return `\${${visibleLine(withoutDefault(variable), 100)}}`;
}

/** Removes the text after `:-`, because it is a value. */
function withoutDefault(variable: string): string {
  const at = variable.indexOf(':-');
  return at === -1 ? variable : variable.slice(0, at);
}
