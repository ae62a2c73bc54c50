/**
 * A window of a real VS Code for tests: server, browser and page, which are closed together.
 *
 * The browser resolves only the names of this machine, so a test does not depend on the network.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startVsCodeServer, toUriPath, windowUrl } from './vsCodeServer.mjs';
import { launchBrowser } from './browser.mjs';

const themes = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  hc: 'Default High Contrast',
  hcLight: 'Default High Contrast Light',
};
const openTimeoutMs = 60_000;
const quietMs = 5_000;
/** Console lines that VS Code's page prints in every window. */
const noise =
  /\[ChatModelSelection\]|\[AgentHost|\[RemoteAgentHost|\[AccountPolicyGate|builtin extensions|connection token|Creating a socket|status of 404|HTTP response code \(404\)|\[Service Worker\]|reconnection-grace-time|allow-same-origin|same-origin iframe|\[driver\]|\[lifecycle\]/;

/** @typedef {Awaited<ReturnType<typeof openWindow>>} VsCodeWindow */

/**
 * Opens a window and waits until the workbench is restored.
 *
 * @param {object} options
 * @param {string | string[]} [options.vsix] Extensions to install.
 * @param {string[]} [options.extraExtensions] Further extensions: VSIX files, or folders of unpacked extensions.
 * @param {string} [options.extensionDevelopmentPath] An extension to load from its folder.
 * @param {string} [options.extensionTestsPath] CommonJS module with `run()`, run inside the extension host.
 * @param {string} [options.workspace] Folder or `.code-workspace` file; default: an empty window.
 * @param {object} [options.settings] User settings.
 * @param {object} [options.machineSettings] See `startVsCodeServer`.
 * @param {string} [options.profile] Name of a profile of the user to open, with no settings of its own; needs
 *   `extensionDevelopmentPath`. Default: the default profile.
 * @param {string} [options.userFiles] See `startVsCodeServer`.
 * @param {'dark' | 'light' | 'hc' | 'hcLight'} [options.theme]
 * @param {number} [options.reconnectionGraceSeconds] See `startVsCodeServer`.
 * @param {boolean} [options.isOldestVsCode] See `startVsCodeServer`.
 * @param {object} [options.env] For the server and the extension host.
 * @param {{ width: number, height: number }} [options.viewport]
 * @param {number} [options.deviceScaleFactor] 2 for screenshots in the documentation.
 * @param {(line: string) => void} [options.log]
 */
export async function openWindow({
  vsix = [],
  extraExtensions = [],
  extensionDevelopmentPath,
  extensionTestsPath,
  workspace,
  settings = {},
  machineSettings,
  profile,
  userFiles,
  theme = 'dark',
  reconnectionGraceSeconds,
  isOldestVsCode,
  env = {},
  viewport = { width: 1280, height: 800 },
  deviceScaleFactor = 1,
  headless = true,
  log,
} = {}) {
  const isVsix = (file) => file.endsWith('.vsix');
  const server = await startVsCodeServer({
    vsix: [...[vsix].flat(), ...extraExtensions.filter(isVsix)],
    extensionFolders: extraExtensions.filter((file) => !isVsix(file)),
    settings: { 'workbench.colorTheme': themes[theme], ...settings },
    machineSettings,
    userFiles,
    isTestHost: Boolean(extensionDevelopmentPath || extensionTestsPath),
    reconnectionGraceSeconds,
    isOldestVsCode,
    env,
    log,
  });
  const logs = { extensionHost: [], page: [], server: server.output };
  let browser;
  const close = once(async () => {
    let leftovers = [];
    try {
      leftovers = await leaveWindow(browser, server);
      await browser?.close();
    } finally {
      await server.stop();
    }
    return { leftovers };
  });

  try {
    browser = await launchBrowser({
      headless,
      args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2, EXCLUDE localhost'],
      log,
    });
    const context = await browser.newContext({
      viewport,
      deviceScaleFactor,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    if (profile) await addProfile(context, server, profile);
    const page = await context.newPage();
    collectConsole(page, logs);
    // VS Code calls this when `run()` of the tests has ended, or could not be called.
    let reportExit;
    const testsExit = new Promise((resolve) => (reportExit = resolve));
    await page.exposeFunction('codeAutomationExit', (code) => reportExit(code));
    const url = windowUrl(server.origin, {
      workspace,
      development: extensionDevelopmentPath,
      tests: extensionTestsPath,
      profile,
    });
    await page.goto(url);
    await page.waitForFunction(isRestored, undefined, { timeout: openTimeoutMs });
    return {
      page,
      url,
      theme,
      dirs: server.dirs,
      /** `extensionHost` and `page`: console lines so far. `server()`: the output of the server. */
      logs,
      /** With `extensionTestsPath`: resolves with the exit code of the tests, 0 or 1. */
      testsExit,
      /** The server and all processes that run below it now: extension hosts and processes that extensions started. */
      processes: server.processes,
      /** Processes that once ran below the server, lost their parent and still run. */
      orphans: server.orphans,
      /** Ends everything. `leftovers` are processes that the extension host left behind when it ended. */
      close,
    };
  } catch (error) {
    await close();
    error.message += `\n${[...logs.page, ...logs.extensionHost].slice(-40).join('\n')}\n${server.output()}`;
    throw error;
  }
}

/** Stores a profile where the web workbench keeps its list; it cannot create one while it starts. */
async function addProfile(context, { dirs, origin }, name) {
  const folder = path.join(dirs.userData, 'User', 'profiles', 'added');
  mkdirSync(folder, { recursive: true });
  const stored = [{ name, location: { $mid: 1, scheme: 'vscode-remote', path: toUriPath(folder) } }];
  const store = ([window, value]) => {
    if (location.origin === window) localStorage.setItem('userDataProfiles', value);
  };
  await context.addInitScript(store, [origin, JSON.stringify(stored)]);
}

/** Runs in the page. VS Code sets a performance mark for each phase of its start. */
function isRestored() {
  return performance.getEntriesByName('code/LifecyclePhase/Restored').length > 0;
}

/**
 * Closes the window as a user does, so that extensions are deactivated, and waits for the extension host to end.
 * Returns the processes that it left behind.
 */
async function leaveWindow(browser, server) {
  const page = browser?.contexts()[0]?.pages()[0];
  if (!page) return [];
  await page.goto('about:blank').catch(() => {}); // a crashed page is closed already
  await untilEmpty(() => server.processes().filter((one) => one.command.includes('--type=extensionHost')));
  return untilEmpty(server.orphans);
}

/**
 * Waits a short time for a list of processes to become empty, and returns the rest. The end of a process sends no
 * event.
 */
async function untilEmpty(list) {
  const deadline = Date.now() + quietMs;
  for (;;) {
    const left = list();
    if (left.length === 0 || Date.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Sorts the page's console into lines of the extension host and lines of the page. While tests run in the host, VS Code
 * does not mark its lines, and all lines count as the page's.
 */
function collectConsole(page, logs) {
  page.on('console', (message) => {
    // Lines come with styles: "%c[Extension Host] %cthe text color: blue color: ", "%c INFO color: #33f the text"
    const text = message.text();
    const fromHost = /^(?:%c)?\[Extension Host\] ?(?:%c)?([\s\S]*?)(?: color: \w*)*\s*$/.exec(text);
    if (fromHost) logs.extensionHost.push(fromHost[1]);
    else if (!noise.test(text))
      logs.page.push(text.replace(/^%c\s*(\w+) color: #\w+ /, (_all, level) => `${level.toLowerCase()}: `));
  });
  page.on('pageerror', (error) => logs.page.push(`uncaught: ${error.message}`));
}

/** Caches the promise: every call returns the same one. */
function once(fn) {
  let result;
  return () => (result ??= fn());
}
