/**
 * Reads PATH from the login shell. A window that was started from a desktop icon has a minimal PATH, because version
 * managers (nvm, fnm, mise) extend PATH only in shell profiles. So the login shell is run once.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { durationText } from '../../../shared/amountText.js';
import { messageOf } from '../../base/hostError.js';
import { killTree, listProcesses, treeOf } from './processTree.js';

/** Maximum length of the shell output, in UTF-16 code units; longer output is rejected. */
const maxOutput = 4 * 1024 * 1024;

/** Maximum time to read the last output of the shell after it has exited, ms. */
const drainMs = 200;

export interface ShellEnvironmentOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Timeout of the login shell, including its profiles, in ms; default 10,000. */
  timeoutMs?: number;
}

export interface ShellEnvironment {
  env: Record<string, string | undefined>;
  /**
   * Why PATH was not read from the shell, as a sentence for the log. If present, `env` is the environment of the
   * window.
   */
  problem?: string;
}

/**
 * Whether the window was started from a shell, so that its PATH is already complete. VS Code's command line sets
 * VSCODE_CLI, and terminals set TERM. A start from the desktop sets neither.
 */
function cameFromShell(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['VSCODE_CLI'] === '1' || env['TERM'] !== undefined;
}

/**
 * The environment of the window, with PATH from the login shell. Never rejects. If the shell does not print its PATH,
 * the environment is returned unchanged, with the reason.
 */
export async function resolveShellEnvironment({
  env,
  platform,
  timeoutMs = 10_000,
}: ShellEnvironmentOptions): Promise<ShellEnvironment> {
  const shell = env['SHELL'];
  if (platform === 'win32' || cameFromShell(env) || !shell) return { env: { ...env } };
  const marker = `mcp-deck-${randomUUID()}`;
  try {
    const output = await askShell(shell, marker, env, timeoutMs);
    const start = output.indexOf(marker);
    const end = output.lastIndexOf(marker);
    // Profiles may print anything around the two markers.
    const body = output.slice(start + marker.length, end);
    const path = body.split('\0').find((line) => line.startsWith('PATH='));
    if (start === -1 || end <= start || path === undefined)
      return {
        env: { ...env },
        problem: `The login shell ${shell} did not print its PATH; commands are searched for in the PATH of the window.`,
      };
    return { env: { ...env, PATH: path.slice('PATH='.length) } };
  } catch (error) {
    return {
      env: { ...env },
      problem: `The login shell ${shell} could not provide its PATH (${messageOf(error)}); commands are searched for in the PATH of the window.`,
    };
  }
}

/**
 * Resolves to the shell output when it contains both markers, or after the shell has exited. It does not wait for the
 * end of the stream, because a background process of a profile may keep the pipe open forever. Before the promise
 * settles, all processes of the shell are ended, including background jobs of the profiles.
 */
async function askShell(
  shell: string,
  marker: string,
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs: number,
): Promise<string> {
  const script = `printf '%s' '${marker}'; command env -0; printf '%s' '${marker}'`;
  // The shell leads its own process group, so that its background jobs can be found after it has exited.
  const child = spawn(shell, ['-l', '-i', '-c', script], {
    env: { ...env, TERM: 'dumb' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${durationText(timeoutMs)}`)), timeoutMs);
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.indexOf(marker) !== output.lastIndexOf(marker)) resolve(output);
        else if (output.length > maxOutput) reject(new Error('its profile prints too much'));
      });
      child.on('error', reject);
      child.on('exit', () => setTimeout(() => resolve(output), drainMs));
    });
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    const { pid } = child;
    if (pid !== undefined) await killTree(pid, treeOf(pid, hasExited(), [], await listProcesses()));
  }
}
