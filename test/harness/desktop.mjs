/**
 * The desktop VS Code with a temporary profile, for machines with a display and access to Microsoft's download server.
 * On all other machines `startDesktop` returns undefined, and the VS Code from npm is used.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SilentReporter, downloadAndUnzipVSCode, resolveCliPathFromVSCodeExecutablePath } from '@vscode/test-electron';
import { atEnd } from './atEnd.mjs';
import { envForVsCode } from './cleanEnv.mjs';
import { defaultSettings } from './defaultSettings.mjs';
import { cacheRoot, repoRoot } from './paths.mjs';
import { killTree } from './processTree.mjs';
import { runToEnd } from './runToEnd.mjs';
import { makeTempDir } from './tempDir.mjs';

const connectTimeoutMs = 15_000;

/** A temporary profile: the VS Code arguments that select it, and `remove()`. */
export function makeDesktopProfile(settings = {}) {
  const temp = makeTempDir('vsc'); // short: VS Code puts a socket below it, whose path macOS limits to 103 characters
  const userData = path.join(temp.path, 'user');
  mkdirSync(path.join(userData, 'User'), { recursive: true });
  writeFileSync(
    path.join(userData, 'User', 'settings.json'),
    JSON.stringify({ ...defaultSettings, ...settings }, null, 2),
  );
  return {
    args: [`--user-data-dir=${userData}`, `--extensions-dir=${path.join(temp.path, 'ext')}`],
    remove: temp.remove,
  };
}

/**
 * Opens `workspace` with `vsix` installed. Resolves with `ended` when VS Code runs, or with nothing when it cannot run.
 */
export async function startDesktop({ vsix, workspace, log = () => {} }) {
  if (!hasDisplay()) return undefined;
  const profile = makeDesktopProfile();
  try {
    log('Looking for the desktop VS Code …');
    const executable = await downloadDesktop();
    const cli = resolveCliPathFromVSCodeExecutablePath(executable);
    const env = { ...envForVsCode(), MCP_DECK_REPO: repoRoot };
    await runToEnd(cli, [...profile.args, ...rootArgs(), '--install-extension', vsix], { env, timeoutMs: 120_000 });
    const args = [
      workspace,
      ...profile.args,
      ...rootArgs(),
      '--skip-welcome',
      '--skip-release-notes',
      '--disable-updates',
    ];
    const child = spawn(executable, args, { env, stdio: 'ignore', detached: process.platform !== 'win32' });
    const forget = atEnd(() => killTree(child.pid));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    ended.then(() => {
      forget();
      profile.remove();
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return { ended };
  } catch (error) {
    profile.remove();
    log(
      `No desktop VS Code here (${String(error?.message ?? error).split('\n')[0]}), so the one from npm runs in a browser.`,
    );
    return undefined;
  }
}

/** The executable of a desktop VS Code in `.vscode-test/`, downloaded on first use. */
export async function downloadDesktop(version = 'stable') {
  return downloadAndUnzipVSCode({
    version,
    cachePath: cacheRoot,
    reporter: new SilentReporter(),
    timeout: connectTimeoutMs,
  });
}

function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** VS Code does not start as root without these arguments. */
function rootArgs() {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
