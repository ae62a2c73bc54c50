import type { Command } from './commands/command.js';
import { commonOptions } from './options.js';
import type { CliOption } from './options.js';

const exitCodes = `Exit codes:
  0  Success.
  1  A test, a check, or a call failed.
  2  The command could not be carried out, for example because a server does not start.
`;

/** The help of the program. */
export function programHelp(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(
    ([name, { words, help }]) => [words === '' ? name : `${name} ${words}`, help] as const,
  );
  return `Usage: mcp-deck <command> [options]

Commands:
${table(rows)}
Use mcp-deck <command> --help for its options and examples.

${exitCodes}`;
}

/** The help of a command. */
export function commandHelp(name: string, { words, help, options, examples }: Command): string {
  const rows = Object.entries<CliOption>({ ...options, ...commonOptions }).map(
    ([option, { value, help: text }]) => [`--${option}${value === undefined ? '' : ` ${value}`}`, text] as const,
  );
  return `Usage: mcp-deck ${name}${words === '' ? '' : ` ${words}`} [options]

${help}

Options:
${table(rows)}
Examples:
${examples.map((example) => `  ${example}\n`).join('')}
${exitCodes}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
}
