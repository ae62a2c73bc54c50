/**
 * `npm start`: MCP Deck in a VS Code of its own, on a sample workspace. Nothing of the person's own VS Code is touched:
 * profile, extensions and workspace are throw-away copies.
 *
 *   node test/harness/start.mjs            opens it: the desktop VS Code where it can be had, else one in the browser
 *   node test/harness/start.mjs --web      the one in the browser
 *   node test/harness/start.mjs --check    opens it without a person, waits for the extension's view, takes a picture
 *
 * Takes the newest `mcp-deck-*.vsix` at the root of the repository.
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

/** Opens the window in a headless browser and proves that the extension is there and lists servers. */
async function check() {
  const workspace = copyWorkspace('sample');
  const window = await openWindow({ vsix: newestVsix(), workspace: workspace.path, log });
  try {
    const workbench = new Workbench(window);
    await workbench.openSidebar(containerTitle);
    await workbench.tree(viewTitle).row('workspace').getByText('built-in').waitFor(); // its description once it runs
    const picture = path.join(screenshotsRoot, 'start.png');
    await workbench.takePicture(picture);
    log(`MCP Deck starts: ${path.relative(process.cwd(), picture)} shows it.`);
  } finally {
    await window.close();
    workspace.remove();
  }
}

async function start() {
  process.once('SIGINT', () => process.exit(0)); // Ctrl+C is how this is meant to end
  const vsix = newestVsix();
  const workspace = copyWorkspace('sample');
  if (!flags.has('--web')) {
    const desktop = await startDesktop({ vsix, workspace: workspace.path, log });
    if (desktop) {
      log('MCP Deck is running in a VS Code window of its own. Close it, or press Ctrl+C here, to stop.');
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

/** Opens the address for the person, where there is something that can. */
function openInBrowser(url) {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['explorer.exe', [url]]
        : ['xdg-open', [url]];
  const child = spawn(command, args, { env: envForVsCode(), stdio: 'ignore', detached: true });
  child.once('error', () => {}); // there is no browser, or nothing to open one with: the address is printed
  child.unref();
}
