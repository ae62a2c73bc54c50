import { parseArgs } from 'node:util';
import { messageOf } from '../core/base/hostError.js';
import { nearestName } from '../core/base/editDistance.js';
import { usageError } from './cliError.js';

/** One option of the command line. */
export interface CliOption {
  /** The name of the value in the help; absent for a flag. */
  value?: string;
  isRepeated?: boolean;
  /** The description of the option in the help. */
  help: string;
}

/** Options of every command. */
export const commonOptions = {
  json: { help: 'Write one JSON document to stdout.' },
  'no-color': { help: 'Write without colors.' },
  verbose: { help: "Write the log, and the server's error output, to stderr." },
  help: { help: 'Show this help.' },
} satisfies Record<string, CliOption>;

/** Options of the commands that start a server. */
export const serverOptions = {
  command: { value: 'COMMAND', help: 'The command line of the server, instead of a name.' },
  url: { value: 'URL', help: 'The URL of the server, instead of a name.' },
  env: { value: 'NAME=VALUE', isRepeated: true, help: 'An environment variable for --command.' },
  header: { value: 'NAME: VALUE', isRepeated: true, help: 'A header for --url.' },
  config: { value: 'FILE', help: 'The file with the servers. Default: .vscode/mcp.json, .mcp.json, and mcp.json.' },
  protocol: { value: 'VERSION', help: 'auto (default), legacy, or 2026-07-28.' },
  timeout: { value: 'SECONDS', help: 'Time limit of a request, in seconds. Default: 60.' },
  yes: { help: 'Run the commands of files without asking you.' },
} satisfies Record<string, CliOption>;

/** The values of the options, and the arguments that are not options. */
export interface ParsedOptions {
  values: Readonly<Record<string, string | boolean | string[] | undefined>>;
  words: string[];
}

/** Reads the arguments of a command. Throws a usage error, which names the nearest option if an option is unknown. */
export function readOptions(args: string[], options: Readonly<Record<string, CliOption>>): ParsedOptions {
  const names = Object.keys(options);
  const end = args.indexOf('--');
  for (const arg of end === -1 ? args : args.slice(0, end)) {
    const name = /^--([^=]+)/.exec(arg)?.[1];
    if (name === undefined || names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw usageError(
      `The option --${name} is not known.${nearest === undefined ? '' : ` Did you mean --${nearest}?`} Use --help to see all options.`,
    );
  }
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: Object.fromEntries(
        names.map((name) => {
          const { value, isRepeated = false } = options[name] ?? { value: undefined };
          return [name, { type: value === undefined ? 'boolean' : 'string', multiple: isRepeated }] as const;
        }),
      ),
    });
    return { values: values as ParsedOptions['values'], words: positionals };
  } catch (error) {
    // Only some messages of Node end with a period.
    const [problem = ''] = messageOf(error).split('\n');
    throw usageError(`${problem.replace(/\.?$/, '.')} Use --help to see all options.`);
  }
}

/** The text of an option; undefined if it is not set. */
export function optionText({ values }: ParsedOptions, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a repeated option. */
export function optionTexts({ values }: ParsedOptions, name: string): string[] {
  const value = values[name];
  return Array.isArray(value) ? value : [];
}

/** The whole number of an option within limits; undefined if it is not set. */
export function optionNumber(parsed: ParsedOptions, name: string, min: number, max: number): number | undefined {
  const text = optionText(parsed, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw usageError(`--${name} must be a whole number from ${min} to ${max}.`);
  return number;
}
