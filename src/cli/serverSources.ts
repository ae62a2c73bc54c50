import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { neverEvent } from '../core/base/event.js';
import { isObject } from '../core/base/guards.js';
import { messageOf } from '../core/base/hostError.js';
import type { ConfigurationSource, ConfigurationText } from '../core/config/configurationSource.js';
import type { ConfigSource } from '../core/config/serverDefinition.js';
import { readFileUpTo } from '../core/config/smallFile.js';
import { splitCommands } from '../core/interchange/pasted/commandLine.js';
import { CliError, usageError } from './cliError.js';
import type { ParsedOptions } from './options.js';
import { optionText, optionTexts } from './options.js';

/** The files that are read without `--config`, relative to the working directory, with the kind of their format. */
const files = [
  ['.vscode/mcp.json', 'vscode'],
  ['.mcp.json', 'portable'],
  ['mcp.json', 'vscode'],
] as const;

/**
 * Maximum size of a file with servers, in bytes. A repository can contain a link to an endless device or a pipe instead
 * of a file.
 */
const maxBytes = 5 * 1024 * 1024;

/** The name of the server of `--command` and `--url`. */
export const namelessServer = 'server';

/**
 * The ID of the source of `--command` and `--url`. A server of these options needs no approval, because the user typed
 * it.
 */
export const commandLineSource = 'command-line';

/** Whether the options describe the server. The command then has no argument for its name. */
export function isOnCommandLine(options: ParsedOptions): boolean {
  return optionText(options, 'command') !== undefined || optionText(options, 'url') !== undefined;
}

/** The servers that the options select: the server of `--command` or `--url`, or the servers of the files. */
export function serverSources(options: ParsedOptions, folder: string): ConfigurationSource {
  const own = definitionOf(options, folder);
  if (own) {
    const source: ConfigSource = { id: commandLineSource, kind: 'user', label: 'the command line' };
    return { read: () => Promise.resolve([{ source, value: { [namelessServer]: own } }]), onDidChange: neverEvent };
  }
  const named = optionText(options, 'config');
  return {
    read: () => (named === undefined ? readFiles(folder) : readNamed(path.resolve(folder, named), folder)),
    onDidChange: neverEvent,
  };
}

function definitionOf(options: ParsedOptions, folder: string): Record<string, unknown> | undefined {
  const command = optionText(options, 'command');
  const url = optionText(options, 'url');
  if (command !== undefined && url !== undefined) throw usageError('Use either --command or --url, not both.');
  const protocol = protocolOf(options);
  const more = protocol === undefined ? {} : { protocol };
  if (url !== undefined) return { url, headers: pairs(optionTexts(options, 'header'), /^([^:]+):\s*(.*)$/s), ...more };
  if (command === undefined) return undefined;
  const split = splitCommands(command);
  if ('problem' in split) throw usageError(`--command cannot be read: ${split.problem}`);
  const [words, ...others] = split.commands;
  const [program, ...args] = (words ?? []).map(({ text }) => text);
  if (program === undefined || others.length > 0) throw usageError('--command must have exactly one command.');
  const env = pairs(optionTexts(options, 'env'), /^([^=]+)=(.*)$/s);
  return { command: program, args, env, cwd: folder, ...more };
}

/** The value of `--protocol`. */
export function protocolOf(options: ParsedOptions): string | undefined {
  const protocol = optionText(options, 'protocol');
  if (protocol !== undefined && !['auto', 'legacy', '2026-07-28'].includes(protocol))
    throw usageError('--protocol must be auto, legacy, or 2026-07-28.');
  return protocol;
}

function pairs(texts: readonly string[], pattern: RegExp): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = pattern.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw usageError(`"${text}" must have the form NAME=VALUE, or NAME: VALUE for a header.`);
      return [name.trim(), value];
    }),
  );
}

async function readFiles(folder: string): Promise<ConfigurationText[]> {
  const read = files.map(async ([file, kind]): Promise<ConfigurationText[]> => {
    const full = path.join(folder, file);
    const source = sourceOf(full, kind, file, folder);
    try {
      return [{ source, text: await readFileUpTo(full, maxBytes) }];
    } catch (error) {
      if (isMissing(error)) return [];
      return [{ source, unreadable: messageOf(error) }];
    }
  });
  return (await Promise.all(read)).flat();
}

async function readNamed(file: string, folder: string): Promise<ConfigurationText[]> {
  const kind = path.basename(file) === '.mcp.json' ? 'portable' : 'vscode';
  try {
    return [
      { source: sourceOf(file, kind, path.relative(folder, file), folder), text: await readFileUpTo(file, maxBytes) },
    ];
  } catch (error) {
    throw new CliError(2, 'no-configuration', `The file ${file} cannot be read: ${messageOf(error)}`);
  }
}

function sourceOf(file: string, kind: 'vscode' | 'portable', label: string, folder: string): ConfigSource {
  return {
    id: `${kind}:${file}`,
    kind,
    label,
    fileUri: pathToFileURL(file).href,
    folderPath: folder,
    folderName: path.basename(folder),
  };
}

function isMissing(error: unknown): boolean {
  return isObject(error) && (error['code'] === 'ENOENT' || error['code'] === 'ENOTDIR');
}
