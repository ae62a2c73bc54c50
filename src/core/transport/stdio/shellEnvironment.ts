/**
 * The environment of the login shell. A window that was started from a desktop icon has a minimal PATH, because version
 * managers (nvm, fnm, mise) extend PATH only in shell profiles. So the login shell is run once.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { durationText } from '../../base/durationText.js';
import { messageOf } from '../../base/hostError.js';
import { killTree, listProcesses, treeOf } from './processTree.js';

/** Maximum length of the shell output, in UTF-16 units; longer output is not an environment. */
const maxOutput = 4 * 1024 * 1024;

/** After the exit of the shell: maximum time to read its last output, ms. */
const drainMs = 200;

export interface ShellEnvironmentOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** Timeout for running the shell profiles, ms; default 10,000. */
  timeoutMs?: number;
}

export interface ShellEnvironment {
  env: Record<string, string | undefined>;
  /** Why the environment of the window was used unchanged, as a sentence for the log. */
  problem?: string;
}

/**
 * Whether the window was started from a shell, and therefore already has the complete environment. VS Code's command
 * line sets VSCODE_CLI, and terminals set TERM. Desktops set neither.
 */
function cameFromShell(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['VSCODE_CLI'] === '1' || env['TERM'] !== undefined;
}

/**
 * The environment of the login shell. Never rejects. If the shell does not answer, the result is the given environment
 * with the reason.
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
        problem: `The login shell ${shell} did not print its PATH; commands are searched in the PATH of the window.`,
      };
    return { env: { ...env, PATH: path.slice('PATH='.length) } };
  } catch (error) {
    return {
      env: { ...env },
      problem: `The login shell ${shell} could not provide its PATH (${messageOf(error)}); commands are searched in the PATH of the window.`,
    };
  }
}

/**
 * Resolves to the output of the shell up to the second marker. It does not wait for the end of the output, because a
 * background process of a profile may keep the pipe open forever. When the promise settles, all processes have ended,
 * including background jobs of the profile.
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
