/**
 * The login shell's environment. A window that was started from a desktop icon has a bare PATH, and version managers (nvm,
 * fnm, mise) only extend it in shell profiles; so the shell is asked once.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { messageOf } from '../base/hostError.js';

export interface ShellEnvironmentOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** How long profiles may take, in milliseconds; default 10,000. */
  timeoutMs?: number;
}

export interface ShellEnvironment {
  env: Record<string, string | undefined>;
  /** Why the given environment had to do, as a sentence for the log. */
  problem?: string;
}

/** Started from a shell, the environment is complete already: VS Code's command line sets VSCODE_CLI, terminals set TERM, desktops set neither. */
function cameFromShell(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['VSCODE_CLI'] === '1' || env['TERM'] !== undefined;
}

/** Never rejects: without an answer the given environment is returned, with the reason. */
export async function resolveShellEnvironment({ env, platform, timeoutMs = 10_000 }: ShellEnvironmentOptions): Promise<ShellEnvironment> {
  const shell = env['SHELL'];
  if (platform === 'win32' || cameFromShell(env) || !shell) return { env: { ...env } };
  const marker = `mcp-deck-${randomUUID()}`;
  try {
    const output = await askShell(shell, marker, env, timeoutMs);
    const start = output.indexOf(marker);
    const end = output.lastIndexOf(marker);
    // Profiles may print anything around the two marks.
    const body = output.slice(start + marker.length, end);
    const path = body.split('\0').find((line) => line.startsWith('PATH='));
    if (start === -1 || end <= start || path === undefined) return { env: { ...env }, problem: `The login shell ${shell} did not tell its PATH; commands are looked up on the window's own.` };
    return { env: { ...env, PATH: path.slice('PATH='.length) } };
  } catch (error) {
    return { env: { ...env }, problem: `The login shell ${shell} could not be asked for its PATH (${messageOf(error)}); commands are looked up on the window's own.` };
  }
}

function askShell(shell: string, marker: string, env: Readonly<Record<string, string | undefined>>, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = `printf '%s' '${marker}'; command env -0; printf '%s' '${marker}'`;
    const child = spawn(shell, ['-l', '-i', '-c', script], { env: { ...env, TERM: 'dumb' }, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs / 1_000} s`));
      if (child.pid !== undefined) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // It ended in the same moment.
        }
      }
    }, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
