/**
 * Explains why a process could not be started. Errors of Node are not kept, not even as a cause, because they contain
 * the arguments, which may be secret.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { HostErrorData } from '../../base/hostError.js';
import { HostError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { findCommand, remedyFor } from './findCommand.js';

/** The process that could not be started. */
export interface SpawnRequest {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/**
 * The error for a process that could not be started: HostError `spawn-failed`, or `bad-configuration` if one of its
 * texts contains a NUL character. A HostError is returned unchanged.
 */
export function spawnFailure(error: unknown, request: SpawnRequest, platform: NodeJS.Platform): HostError {
  if (error instanceof HostError) return error;
  const { command, cwd, env } = request;
  const errno = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (errno === 'ERR_INVALID_ARG_VALUE') return nulFailure(request);
  const shown = visibleLine(command, 300);
  const data = { command, errno };
  // For a missing working directory, the system reports a missing command.
  if (!isFolder(cwd)) {
    return new HostError(
      'spawn-failed',
      `The working directory of "${shown}" is not an existing folder: ${visibleLine(cwd, 300)}`,
      {
        data: { ...data, why: 'no-folder', cwd },
        hint: 'Correct "cwd" in the configuration.',
      },
    );
  }
  if (errno === 'ENOENT') {
    const { found, folders } = findCommand(command, env, cwd, platform);
    if (found !== undefined) return runnerFailure(shown, found, { command });
    const isPath = command.includes('/') || command.includes('\\');
    return new HostError(
      'spawn-failed',
      `Command not found: ${shown}${isPath ? '' : ` (looked in the ${folders.length} folders of PATH)`}.`,
      { data: { ...data, folders, why: 'not-found' }, hint: remedyFor(command) },
    );
  }
  if (errno === 'EACCES') {
    return new HostError('spawn-failed', `"${shown}" cannot be run: permission denied.`, {
      data: { ...data, why: 'not-permitted' },
      hint: 'Make the file executable, or start it through its interpreter.',
    });
  }
  return new HostError('spawn-failed', `The system refused to run "${shown}" (${errno}).`, {
    data: { ...data, why: 'refused' },
  });
}

/**
 * The error for a command, an argument, or a variable with a NUL character, which ends a string in system calls. The
 * message names the affected text but never shows its content.
 */
function nulFailure({ command, args, env }: SpawnRequest): HostError {
  const hasNul = (text: string) => text.includes('\0');
  const argument = args.findIndex(hasNul);
  const variable = Object.keys(env).find((name) => hasNul(name) || hasNul(env[name] ?? ''));
  let what = 'command or folder';
  let data: HostErrorData['bad-configuration'] = { problem: 'nul-command' };
  if (!hasNul(command) && argument !== -1) {
    what = `argument ${argument + 1}`;
    data = { problem: 'nul-argument', subject: String(argument + 1) };
  } else if (!hasNul(command) && variable !== undefined) {
    what = `environment variable ${visibleLine(variable, 80)}`;
    data = { problem: 'nul-variable', subject: variable };
  }
  return new HostError(
    'bad-configuration',
    `The server cannot be started: its ${what} contains a NUL character, which cannot be passed to a program.`,
    { data, hint: 'Remove it from the configuration.' },
  );
}

/** The error for a file that exists but is reported as "not found": its interpreter is missing. */
function runnerFailure(shown: string, file: string, data: { command: string }): HostError {
  const firstLine = /^#![ \t]*(\S+)[^\r\n]*(\r?)/.exec(headOf(file));
  if (!firstLine) {
    return new HostError(
      'spawn-failed',
      `"${shown}" exists, but the operating system cannot run it, because a component that it needs is missing.`,
      { data: { ...data, why: 'part-missing' }, hint: 'It may have been built for another system.' },
    );
  }
  const interpreter = visibleLine(firstLine[1] ?? '', 100);
  if (firstLine[2] === '\r') {
    return new HostError(
      'spawn-failed',
      `The first line of "${shown}" has a Windows line ending, so ${interpreter} is not found.`,
      {
        data: { ...data, why: 'line-ending', interpreter },
        hint: 'Save the script with line feeds (LF) as line endings.',
      },
    );
  }
  return new HostError('spawn-failed', `The first line of "${shown}" specifies ${interpreter}, which does not exist.`, {
    data: { ...data, why: 'no-interpreter', interpreter },
    hint: 'Install that program, or correct the first line of the script.',
  });
}

function headOf(file: string): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const start = Buffer.alloc(256);
      return start.toString('utf8', 0, readSync(handle, start));
    } finally {
      closeSync(handle);
    }
  } catch {
    return ''; // The file may be executable but not readable, so its content is unknown.
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
