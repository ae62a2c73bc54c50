/**
 * A running VS Code server with a temporary profile: settings, extensions and logs are in a temporary folder that is
 * removed with it. A browser that opens one of its addresses shows a VS Code window.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from './atEnd.mjs';
import { envForVsCode, pathKey } from './cleanEnv.mjs';
import { defaultSettings } from './defaultSettings.mjs';
import { repoRoot } from './paths.mjs';
import { watchProcesses } from './processWatch.mjs';
import { ensureVsCode } from './realVsCode.mjs';
import { runToEnd } from './runToEnd.mjs';
import { makeTempDir } from './tempDir.mjs';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

/**
 * Starts a server and waits until it listens.
 *
 * @param {object} options
 * @param {string[]} [options.vsix] VSIX files to install.
 * @param {string[]} [options.extensionFolders] Unpacked extensions to install too (copied).
 * @param {object} [options.settings] User settings; they override `defaultSettings`.
 * @param {object} [options.machineSettings] Settings of the remote machine, as written by a dev container.
 * @param {string} [options.userFiles] Folder with further files for the profile's `User` folder, such as those of an
 * earlier window.
 * @param {boolean} [options.isTestHost] Accept extensions under development and tests (see `windowUrl`). VS Code then
 *   shows no notifications.
 * @param {number} [options.reconnectionGraceSeconds] Seconds that an extension host waits for a disconnected window;
 *   default three hours.
 * @param {boolean} [options.isOldestVsCode] Use the oldest supported VS Code; default false, the newest known release.
 * @param {object} [options.env] Added to the environment of the server, and so of the extension host.
 * @param {(line: string) => void} [options.log] Receives progress messages.
 */
export async function startVsCodeServer({
  vsix = [],
  extensionFolders = [],
  settings = {},
  machineSettings,
  userFiles,
  isTestHost = false,
  reconnectionGraceSeconds,
  isOldestVsCode = false,
  env = {},
  log,
} = {}) {
  const { serverMain, node } = await ensureVsCode({ isOldestVsCode, log });
  const temp = makeTempDir('vscode');
  const dirs = makeProfile(temp.path, { settings, machineSettings, userFiles });
  const serverEnv = { ...envOfServer(node), ...tempEnv(temp.path), ...env, MCP_DECK_WINDOW: temp.path };
  const args = [
    serverMain,
    '--accept-server-license-terms',
    ...['--telemetry-level', 'off'],
    '--force-disable-user-env', // otherwise VS Code runs a login shell, and PATH comes from /etc/profile
    ...['--user-data-dir', dirs.userData],
    ...['--server-data-dir', dirs.server],
    ...['--extensions-dir', dirs.extensions],
  ];
  let stop = async () => temp.remove();
  try {
    // Folders first: VS Code reads the folder only as long as no extension was installed by command.
    for (const folder of extensionFolders) copyExtension(folder, dirs.extensions);
    if (vsix.length > 0) {
      const install = vsix.flatMap((file) => ['--install-extension', path.resolve(file)]);
      await runToEnd(node, [...args, ...install], { env: serverEnv, timeoutMs: startTimeoutMs });
    }

    args.push('--host', '127.0.0.1', '--port', '0', '--without-connection-token');
    if (reconnectionGraceSeconds !== undefined)
      args.push('--reconnection-grace-time', String(reconnectionGraceSeconds));
    if (isTestHost) args.push('--enable-smoke-test-driver');
    // In its own process group: Ctrl+C reaches only the harness, which ends everything in order.
    const child = spawn(node, args, {
      env: serverEnv,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    const mark = `MCP_DECK_WINDOW=${temp.path}`;
    const watch = watchProcesses(child.pid, mark);
    const dismissGuard = startGuard(child.pid, mark, temp.path);
    const forget = atEnd(watch.killAll);
    stop = async () => {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(stopTimeoutMs)]);
      watch.killAll();
      await ended;
      forget();
      dismissGuard();
      temp.remove();
    };

    const output = collectOutput(child);
    const port = await listeningPort(child, ended, output);
    return {
      port,
      origin: `http://127.0.0.1:${port}`,
      dirs,
      /** Resolves when the server has ended, for any reason. */
      ended,
      /** The output of the server so far. */
      output,
      /** The server and all processes that run below it now, as `{ pid, ppid, command }`. */
      processes: watch.look,
      /** Processes that once ran below the server, lost their parent and still run. */
      orphans: watch.orphans,
      /** Ends the server and every process that it started, and removes the folders. */
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the folders of a profile below `root` and writes its settings: VS Code reads them when it starts. */
function makeProfile(root, { settings, machineSettings, userFiles }) {
  const dirs = {
    root,
    userData: path.join(root, 'data'),
    server: path.join(root, 'server'),
    extensions: path.join(root, 'extensions'),
  };
  const file = path.join(dirs.userData, 'User', 'settings.json');
  mkdirSync(path.dirname(file), { recursive: true });
  if (userFiles) cpSync(userFiles, path.dirname(file), { recursive: true });
  mkdirSync(dirs.extensions);
  writeFileSync(file, JSON.stringify({ ...defaultSettings, ...settings }, null, 2));
  if (machineSettings) {
    mkdirSync(path.join(dirs.userData, 'Machine'));
    writeFileSync(path.join(dirs.userData, 'Machine', 'settings.json'), JSON.stringify(machineSettings, null, 2));
  }
  return dirs;
}

/** Returns the function that dismisses the guard. */
function startGuard(pid, mark, folder) {
  const guard = spawn(
    process.execPath,
    [fileURLToPath(new URL('guard.mjs', import.meta.url)), String(pid), mark, folder],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  guard.once('error', () => {}); // the guard is only a fallback
  guard.stdin.once('error', () => {}); // likewise
  guard.unref();
  guard.stdin.unref();
  return () => guard.stdin.end('done');
}

/**
 * The address that opens `workspace` (a folder, a `.code-workspace` file or nothing) in a window. `development` is an
 * extension's folder to load in place, `tests` is a module with `run()`: what `@vscode/test-electron` passes on the
 * command line. The web workbench accepts these only from a server with `isTestHost`, and only one of each: it keeps
 * the payload in a map. `profile` is the name of a profile for the window; default: the default one.
 */
export function windowUrl(origin, { workspace, development, tests, profile } = {}) {
  const url = new URL('/', origin);
  if (!workspace) url.searchParams.set('ew', 'true');
  else url.searchParams.set(workspace.endsWith('.code-workspace') ? 'workspace' : 'folder', toUriPath(workspace));
  const remote = (file) => `vscode-remote://${url.host}${toUriPath(path.resolve(file))}`;
  const payload = [
    ...(development ? [['extensionDevelopmentPath', remote(development)]] : []),
    ...(tests ? [['extensionTestsPath', remote(tests)]] : []),
    ...(profile ? [['profile', profile]] : []),
  ];
  if (payload.length > 0)
    url.searchParams.set('payload', JSON.stringify([['enableSmokeTestDriver', 'true'], ...payload]));
  return url.href.replaceAll('%2F', '/'); // for readability
}

/** The path of a file as in an address. */
export function toUriPath(file) {
  return process.platform === 'win32' ? `/${file.replaceAll('\\', '/')}` : file;
}

/**
 * Puts VS Code's Node first on PATH, so that a stdio server started as `node` does not depend on the machine. Without a
 * gallery VS Code does not look for newer versions of its own extensions.
 */
function envOfServer(node) {
  const env = envForVsCode();
  const key = pathKey(env);
  const withItsNode = `${path.dirname(node)}${path.delimiter}${env[key] ?? ''}`;
  return { ...env, [key]: withItsNode, MCP_DECK_REPO: repoRoot, EXTENSIONS_GALLERY: '{}' };
}

/**
 * The server's temporary files are in its folder and removed with it. Only if the path is short: VS Code puts sockets
 * there, whose paths are limited to about 100 characters.
 */
function tempEnv(root) {
  if (process.platform !== 'linux' || root.length > 40) return {};
  const folder = path.join(root, 'tmp');
  mkdirSync(folder);
  return { TMPDIR: folder };
}

function copyExtension(folder, extensionsDir) {
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  cpSync(folder, path.join(extensionsDir, `${publisher}.${name}-${version}`.toLowerCase()), { recursive: true });
}

/** Returns a function that returns the output of the process so far. */
function collectOutput(child) {
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => output.push(text));
  }
  return () => output.join('');
}

/** Resolves with the port that the server prints. */
function listeningPort(child, ended, output) {
  const port = () => /Extension host agent listening on (\d+)/.exec(output())?.[1];
  const listening = new Promise((resolve) => child.stdout.on('data', () => port() && resolve(Number(port()))));
  const failed = (what) => {
    throw new Error(`VS Code's server ${what}.\n${output()}`);
  };
  return Promise.race([
    listening,
    ended.then((code) => failed(`ended with ${code}`)),
    delay(startTimeoutMs).then(() => failed(`did not listen within ${startTimeoutMs / 1000} s`)),
  ]);
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
