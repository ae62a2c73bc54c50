/**
 * `npm start`: opens MCP Deck in a separate VS Code on a sample workspace. The user's own VS Code is not touched:
 * profile, extensions and workspace are temporary copies.
 *
 *   node test/harness/start.mjs            opens the desktop VS Code if available, otherwise VS Code in the browser
 *   node test/harness/start.mjs --web      opens VS Code in the browser
 *   node test/harness/start.mjs --check    opens it headless, waits for the extension's view, takes a screenshot
 *
 * Uses the newest `mcp-deck-*.vsix` at the root of the repository.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { Workbench } from '../e2e/workbench.mjs';
import { envForVsCode } from './cleanEnv.mjs';
import { startDesktop } from './desktop.mjs';
import { newestVsix } from './newestVsix.mjs';
import { screenshotsRoot } from './paths.mjs';
import { startVsCodeServer, windowUrl } from './vsCodeServer.mjs';
import { openWindow } from './window.mjs';
import { copyWorkspace } from './workspaces.mjs';

const containerTitle = 'MCP Deck';
const viewTitle = 'Servers';
const flags = new Set(process.argv.slice(2));
const log = (line) => console.log(line);

if (flags.has('--check')) await check();
else await start();

/** Opens the window in a headless browser and checks that the extension is installed and lists servers. */
async function check() {
  const workspace = copyWorkspace('sample');
  const window = await openWindow({ vsix: newestVsix(), workspace: workspace.path, log });
  try {
    const workbench = new Workbench(window);
    await workbench.openSidebar(containerTitle);
    // the row shows "built-in" once the server runs
    await workbench.tree(viewTitle).row('workspace').getByText('built-in').waitFor();
    const picture = path.join(screenshotsRoot, 'start.png');
    await workbench.takePicture(picture);
    log(`MCP Deck starts: ${path.relative(process.cwd(), picture)} shows it.`);
  } finally {
    await window.close();
    workspace.remove();
  }
}

async function start() {
  process.once('SIGINT', () => process.exit(0)); // Ctrl+C is the normal way to end this script
  const vsix = newestVsix();
  const workspace = copyWorkspace('sample');
  if (!flags.has('--web')) {
    const desktop = await startDesktop({ vsix, workspace: workspace.path, log });
    if (desktop) {
      log('MCP Deck is running in a separate VS Code window. Close it, or press Ctrl+C here, to stop.');
      await desktop.ended;
      return;
    }
  }
  const server = await startVsCodeServer({ vsix: [vsix], log });
  const url = windowUrl(server.origin, { workspace: workspace.path });
  log(`MCP Deck is running in VS Code at ${url}  Ctrl+C stops it.`);
  openInBrowser(url);
  await server.ended;
}

/** Opens the address in the user's browser, if there is one. */
function openInBrowser(url) {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['explorer.exe', [url]]
        : ['xdg-open', [url]];
  const child = spawn(command, args, { env: envForVsCode(), stdio: 'ignore', detached: true });
  child.once('error', () => {}); // no browser is available: the address is printed
  child.unref();
}
