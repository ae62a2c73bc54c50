/**
 * One running VS Code server with a throw-away profile: settings, extensions and logs live in a temporary folder that
 * goes with it. A browser that opens one of its addresses is a VS Code window.
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
 * @param {string[]} [options.extensionFolders] Unpacked extensions to install as well (copied).
 * @param {object} [options.settings] User settings, over `defaultSettings`.
 * @param {object} [options.machineSettings] Settings of the remote machine, as a dev container's file has them written.
 * @param {string} [options.userFiles] Folder with more of the profile's `User` folder, such as what an earlier window left there.
 * @param {boolean} [options.isTestHost] Accept extensions under development and tests (see `windowUrl`). VS Code then
 *   shows no notifications.
 * @param {number} [options.reconnectionGraceSeconds] How long an extension host waits for a window that went without a word;
 *   default three hours.
 * @param {boolean} [options.isOldestVsCode] Take the oldest VS Code that is supported; default false, the newest known here.
 * @param {object} [options.env] Added to the environment of the server, and so of the extension host.
 * @param {(line: string) => void} [options.log] Progress in sentences.
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
    '--force-disable-user-env', // otherwise a login shell is asked, and PATH is what /etc/profile says
    ...['--user-data-dir', dirs.userData],
    ...['--server-data-dir', dirs.server],
    ...['--extensions-dir', dirs.extensions],
  ];
  let stop = async () => temp.remove();
  try {
    // Folders first: VS Code lists what it finds there only as long as nothing was installed by command.
    for (const folder of extensionFolders) copyExtension(folder, dirs.extensions);
    if (vsix.length > 0) {
      const install = vsix.flatMap((file) => ['--install-extension', path.resolve(file)]);
      await runToEnd(node, [...args, ...install], { env: serverEnv, timeoutMs: startTimeoutMs });
    }

    args.push('--host', '127.0.0.1', '--port', '0', '--without-connection-token');
    if (reconnectionGraceSeconds !== undefined)
      args.push('--reconnection-grace-time', String(reconnectionGraceSeconds));
    if (isTestHost) args.push('--enable-smoke-test-driver');
    // In a group of its own: Ctrl+C comes to the harness, which ends things in order.
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
      /** Resolves when the server has ended, for whatever reason. */
      ended,
      /** What the server printed so far. */
      output,
      /** The server and everything that runs below it now, as `{ pid, ppid, command }`. */
      processes: watch.look,
      /** What once ran below the server, lost its parent and still runs. */
      orphans: watch.orphans,
      /** Ends the server and everything that it ever started, and removes the folders. */
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The folders of a profile below `root`, with the settings written: VS Code reads them when it starts. */
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

/** Returns the function that sends the guard away. */
function startGuard(pid, mark, folder) {
  const guard = spawn(
    process.execPath,
    [fileURLToPath(new URL('guard.mjs', import.meta.url)), String(pid), mark, folder],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  guard.once('error', () => {}); // it is a second net: without it the first one still holds
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
  return url.href.replaceAll('%2F', '/'); // people read it
}

/** The path of a file as in an address. */
export function toUriPath(file) {
  return process.platform === 'win32' ? `/${file.replaceAll('\\', '/')}` : file;
}

/**
 * The Node of VS Code comes first on PATH: a stdio server that is started as `node` should not depend on the machine.
 * Without a gallery VS Code does not go looking for newer versions of its own extensions.
 */
function envOfServer(node) {
  const env = envForVsCode();
  const key = pathKey(env);
  const withItsNode = `${path.dirname(node)}${path.delimiter}${env[key] ?? ''}`;
  return { ...env, [key]: withItsNode, MCP_DECK_REPO: repoRoot, EXTENSIONS_GALLERY: '{}' };
}

/**
 * Temporary files of the server go with its folder. Only where the path is short: VS Code puts sockets there, whose
 * paths are limited to about a hundred characters.
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

/** Returns a function that returns what the process has printed so far. */
function collectOutput(child) {
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => output.push(text));
  }
  return () => output.join('');
}

/** Resolves with the port that the server says it listens on. */
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
