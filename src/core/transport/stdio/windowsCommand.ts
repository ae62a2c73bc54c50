/**
 * Starting .cmd and .bat files on Windows (npx, uvx): they run through cmd.exe, which has quoting rules of its own, and
 * Node refuses them without a shell since CVE-2024-27980. Every character that cmd.exe gives a meaning to is escaped, so
 * that arguments arrive as they are written and can start nothing.
 */
import path from 'node:path';
import { HostError } from '../../base/hostError.js';

export interface SpawnCommand {
  command: string;
  args: string[];
  /** Passed on to spawn: the arguments are quoted already. */
  windowsVerbatimArguments: boolean;
}

/**
 * A program of Windows itself, by its full path: neither a variable nor a file of the same name in the working folder may
 * take its place.
 * @param file below the system folder, as `taskkill.exe`.
 */
export function systemProgram(file: string): string {
  return path.win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', file);
}

/** How to start `file` on Windows. */
export function windowsCommand(file: string, args: readonly string[]): SpawnCommand {
  if (!/\.(?:cmd|bat)$/i.test(file)) return { command: file, args: [...args], windowsVerbatimArguments: false };
  // A line break ends the command line for cmd.exe, and no quoting carries one; the value may be secret and is not
  // repeated.
  if ([file, ...args].some((part) => /[\0\r\n]/.test(part))) {
    throw new HostError(
      'bad-configuration',
      'An argument with a line break or a NUL cannot be given to a .cmd or .bat file.',
      {
        data: { problem: 'batch-argument' },
        hint: 'Take the line break out, or start the program itself instead of its batch file.',
      },
    );
  }
  // Batch files of npm pass their arguments through cmd.exe a second time.
  const line = [escapeMeta(`"${file}"`), ...args.map((arg) => escapeMeta(escapeMeta(quote(arg))))].join(' ');
  return { command: systemProgram('cmd.exe'), args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** The rules of CommandLineToArgvW: backslashes count only before a quotation mark. */
function quote(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
}

function escapeMeta(text: string): string {
  return text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
