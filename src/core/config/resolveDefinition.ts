import path from 'node:path';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { parsedUrl } from '../base/parsedUrl.js';
import { secretsOfArguments } from './argumentSecrets.js';
import { isSecretQuery, isSecretSetting, isTokenText } from '../../shared/secretNames.js';
import { readAuthorities } from './certificateAuthorities.js';
import { baseFolder } from './definitionPaths.js';
import { parseEnvFile } from './envFile.js';
import type { OAuthDefinition } from './oauthDefinition.js';
import { mapOAuthTexts } from './oauthDefinition.js';
import type { RemoteDefinition, ServerDefinition, StdioDefinition, StdioFraming } from './serverDefinition.js';
import { unusableValue } from './variableErrors.js';
import type { VariableContext } from './variables.js';
import { VariableResolver } from './variables.js';

/** A definition with its variables filled in. */
export type ResolvedServer =
  | {
      type: 'stdio';
      command: string;
      args: string[];
      /**
       * Absolute path. Default: the workspace folder of the file, or the user's home folder for a server from the user
       * settings.
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

/**
 * Fills in the variables of a definition. Rejects with HostError `bad-configuration` or with the error of `getInput`.
 * No message contains a value.
 */
export async function resolveDefinition(
  definition: ServerDefinition,
  context: VariableContext,
): Promise<ResolvedServer> {
  if (definition.type === 'builtin') throw new HostError('internal', 'A built-in server has nothing to resolve.');
  const resolver = new VariableResolver(context);
  if (definition.type === 'stdio') return resolveLocal(definition, context, resolver);
  const url = await resolver.fill(definition.url);
  const headers = await resolver.fillAll(definition.headers);
  for (const [name, value] of Object.entries(headers)) {
    // A line break in the value could begin a new header.
    if (/[\0\r\n]/.test(value))
      throw unusableValue(context.serverName, definition.headers[name] ?? '', ['header', name], 'break');
    if (isSecretSetting(name) || isTokenText(value))
      for (const secret of secretsOfHeader(value)) resolver.secrets.add(secret);
  }
  for (const secret of secretsOfQuery(url)) resolver.secrets.add(secret);
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

async function resolveLocal(
  definition: StdioDefinition,
  context: VariableContext,
  resolver: VariableResolver,
): Promise<ResolvedServer> {
  const command = await resolver.fillPath(definition.command);
  if (command.trim() === '') throw unusableValue(context.serverName, definition.command, ['command'], 'nothing');
  if (/[\0\r\n]/.test(command)) throw unusableValue(context.serverName, definition.command, ['command'], 'break');
  const args: string[] = [];
  // Sequential, here and below, because two questions for inputs must not be open at the same time.
  for (const arg of definition.args) {
    const value = await resolver.fill(arg);
    if (/[\0\r\n]/.test(value)) throw unusableValue(context.serverName, arg, ['argument'], 'break');
    args.push(value);
  }
  for (const secret of secretsOfArguments(args)) resolver.secrets.add(secret);
  const base = baseFolder(context);
  const cwd = path.resolve(base, await resolver.fillPath(definition.cwd ?? ''));
  const fromFile =
    definition.envFile === undefined || definition.envFile === ''
      ? {}
      : await readEnvFile(definition.envFile, base, context, resolver);
  for (const value of Object.values(fromFile)) if (value.length >= minFileValueLength) resolver.secrets.add(value);
  const written = Object.entries(definition.env);
  const set = written.filter((entry): entry is [string, string] => entry[1] !== null);
  const removedEnv = written.filter(([, value]) => value === null).map(([name]) => name);
  const removed = new Set(removedEnv.map((name) => resolver.envKey(name)));
  const filled = await resolver.fillAll(Object.fromEntries(set));
  const ofFile = Object.entries(fromFile).filter(([name]) => !removed.has(resolver.envKey(name)));
  const env = Object.fromEntries([...ofFile, ...Object.entries(filled)]);
  for (const [name, value] of Object.entries(env)) {
    if (value.includes('\0'))
      throw unusableValue(context.serverName, definition.env[name] ?? '', ['environment', name], 'nul');
    if (isSecretSetting(name) || isTokenText(value)) resolver.secrets.add(value);
    const password = passwordOfUrl(value);
    if (password !== undefined) resolver.secrets.add(password);
  }
  return {
    type: 'stdio',
    command,
    args,
    cwd,
    env,
    removedEnv,
    ...(definition.framing === undefined ? {} : { framing: definition.framing }),
    secretValues: resolver.maskable(),
  };
}

async function readEnvFile(
  file: string,
  base: string,
  context: VariableContext,
  resolver: VariableResolver,
): Promise<Record<string, string>> {
  const full = path.resolve(base, await resolver.fillPath(file));
  try {
    return parseEnvFile(await context.readFile(full));
  } catch (error) {
    if (error instanceof HostError) throw error;
    // The message shows the path as written, because the value of a variable may be secret. Node's own message
    // contains the full path.
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    throw new HostError(
      'bad-configuration',
      `The envFile of "${visibleLine(context.serverName)}" could not be read${code === undefined ? '' : ` (${code})`}: ${visibleLine(file)}`,
      {
        data: { problem: 'env-file', subject: file, ...(code === undefined ? {} : { errno: code }) },
        hint: 'Correct the path, or create the file.',
      },
    );
  }
}

/** The password in a URL, such as the URL of a database. */
function passwordOfUrl(text: string): string | undefined {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#:]*:([^/?#]*)@/i.exec(text)?.[1] ?? '';
  try {
    return password === '' ? undefined : decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** Minimum length of the value of a cookie that is secret, in characters; shorter ones are usually switches. */
const minCookieLength = 8;

/** The secret parameters in the query of a URL, such as `?api_key=…`. */
function secretsOfQuery(url: string): string[] {
  return [...(parsedUrl(url)?.searchParams ?? [])]
    .filter(([name, value]) => isSecretQuery(name, value))
    .map(([, value]) => value);
}

/**
 * The value of a header, and its parts: the text after the scheme, and the values of cookies. All are secret, because a
 * server may repeat each of them.
 */
function secretsOfHeader(value: string): string[] {
  const cookies = /^[^\s=;]+=[^;]*(?:;|$)/.test(value)
    ? value.split(';').map((one) => one.slice(one.indexOf('=') + 1))
    : [];
  if (cookies.length > 0)
    return [value, ...cookies.map((one) => one.trim()).filter(({ length }) => length >= minCookieLength)];
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]*) +(\S+)$/.exec(value.trim()) ?? [];
  if (rest === '') return [value];
  const password = /^basic$/i.test(scheme)
    ? Buffer.from(rest, 'base64').toString('utf8').split(':').slice(1).join(':')
    : '';
  return [value, rest, ...(password === '' ? [] : [password])];
}
