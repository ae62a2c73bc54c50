/**
 * Starts .cmd and .bat files on Windows (npx, uvx). They run through cmd.exe, which has special quoting rules, and
 * since CVE-2024-27980 Node refuses them without a shell. Every character with a meaning for cmd.exe is escaped, so
 * that arguments arrive unchanged and cannot start other programs.
 */
import path from 'node:path';
import { HostError } from '../../base/hostError.js';

export interface SpawnCommand {
  command: string;
  args: string[];
  /** Tells `spawn` not to quote the arguments, because they are already quoted. */
  windowsVerbatimArguments: boolean;
}

/**
 * The full path of a program of Windows, so that neither PATH nor a file in the working directory can replace the
 * program.
 * @param file the path relative to the folder System32, such as `taskkill.exe`.
 */
export function systemProgram(file: string): string {
  return path.win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', file);
}

/** The command to start `file` on Windows. */
export function windowsCommand(file: string, args: readonly string[]): SpawnCommand {
  if (!/\.(?:cmd|bat)$/i.test(file)) return { command: file, args: [...args], windowsVerbatimArguments: false };
  // A line break ends the command line of cmd.exe and cannot be quoted. The error does not show the argument, because
  // it may be secret.
  if ([file, ...args].some((part) => /[\0\r\n]/.test(part))) {
    throw new HostError(
      'bad-configuration',
      'An argument with a line break or a NUL character cannot be passed to a .cmd or .bat file.',
      {
        data: { problem: 'batch-argument' },
        hint: 'Remove the character, or start the program itself instead of its batch file.',
      },
    );
  }
  // The batch files of npm pass their arguments through cmd.exe a second time, so the arguments are escaped twice.
  const line = [escapeMeta(`"${file}"`), ...args.map((arg) => escapeMeta(escapeMeta(quote(arg))))].join(' ');
  return { command: systemProgram('cmd.exe'), args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** Quotes an argument by the rules of CommandLineToArgvW: backslashes are special only before a quotation mark. */
function quote(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
}

function escapeMeta(text: string): string {
  return text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
