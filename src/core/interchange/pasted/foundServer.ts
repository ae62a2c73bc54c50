import { isObject, isStringArray } from '../../base/guards.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import type { OwnFile } from '../appFormats.js';
import { splitCommands } from './commandLine.js';

/** A server in a pasted text, before its fields are converted. */
export interface FoundServer {
  /** If it is absent, a name is suggested. */
  name?: string;
  raw: unknown;
}

/** Everything that was read from one part of a pasted text. */
export interface Found {
  servers: FoundServer[];
  /** The list of inputs as written. */
  inputs?: unknown;
  /** Inputs that were created for values that the text leaves open. */
  asked?: InputDefinition[];
  /** The file or setting that the text specifies as the destination. */
  place?: OwnFile;
  /** Parts of the text that have no effect, as sentences. */
  notes?: string[];
}

/** The reason that a text is not a server, as a sentence. */
export interface NotFound {
  problem: string;
}

/** Whether an object has a field that only a server has. */
export function isEntry(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const { command, url, serverUrl, httpUrl, transport } = value;
  return (
    typeof command === 'string' ||
    isStringArray(command) ||
    (isObject(command) && typeof command['path'] === 'string') ||
    [url, serverUrl, httpUrl].some((text) => typeof text === 'string') ||
    (isObject(transport) && isEntry(transport))
  );
}

/** The fields of an entry. The field names and structures of other apps are converted to those of MCP Deck. */
export function normalized(raw: Record<string, unknown>): Record<string, unknown> {
  const { transport, environment, httpUrl, serverUrl, ...rest } = raw;
  const fields: Record<string, unknown> = isObject(transport) ? { ...transport, ...rest } : { ...rest };
  if (typeof transport === 'string') fields['type'] ??= transport;
  if (environment !== undefined) fields['env'] ??= environment;
  if (httpUrl !== undefined) Object.assign(fields, { type: 'http', url: httpUrl });
  if (serverUrl !== undefined) fields['url'] ??= serverUrl;
  if (fields['type'] === 'local' || fields['type'] === 'remote') delete fields['type'];
  const { command, args, env } = fields;
  if (isObject(command) && typeof command['path'] === 'string')
    Object.assign(fields, { command: command['path'], args: args ?? command['args'], env: env ?? command['env'] });
  else if (isStringArray(command))
    Object.assign(fields, { command: command[0] ?? '', args: [...command.slice(1), ...listOf(args)] });
  else if (typeof command === 'string' && args === undefined && isWholeLine(command)) {
    const words = wordsOf(command);
    if (words) Object.assign(fields, { command: words[0], args: words.slice(1) });
  }
  if (typeof fields['args'] === 'string') fields['args'] = wordsOf(fields['args']) ?? [fields['args']];
  if (isStringArray(fields['env']))
    fields['env'] = Object.fromEntries(fields['env'].map((line) => assignmentOf(line) ?? [line, '']));
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The name and the value of `NAME=value`; undefined for other words. */
export function assignmentOf(word: string): [name: string, value: string] | undefined {
  const match = /^([A-Za-z_]\w*)=([^]*)$/.exec(word);
  return match ? [match[1] ?? '', match[2] ?? ''] : undefined;
}

/** Whether `command` contains a program together with its arguments, and is not a path with spaces. */
function isWholeLine(command: string): boolean {
  return /^(?:npx|uvx|uv|node|python3?|docker|podman|bunx|bun|deno|pnpm|yarn|pipx|dnx|dotnet|java|go)\s+\S/.test(
    command,
  );
}

function wordsOf(line: string): string[] | undefined {
  const split = splitCommands(line);
  return 'commands' in split && split.commands.length === 1 ? split.commands[0]?.map(({ text }) => text) : undefined;
}

function listOf(value: unknown): string[] {
  return isStringArray(value) ? value : [];
}
