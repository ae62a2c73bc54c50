// Windows that end in every way a window can, with servers that do not want to: no process is left, and the next window is
// as if nothing had been.
import assert from 'node:assert/strict';
import path from 'node:path';
import { repoRoot } from '../../harness/paths.mjs';
import { areGone, extensionHosts, serverProcesses, untilServers } from '../servers.mjs';
import { Workbench } from '../workbench.mjs';

const odd = (mode) => ({ command: 'node', args: [path.join(repoRoot, 'test/fixtures/servers/odd.mjs'), mode] });
/** Each with the number of its processes: a child that ignores SIGTERM with a grandchild; a wrapper that leaves its grandchild behind. */
const servers = { neighbour: odd('ok'), stubborn: odd('ignore-sigterm'), wrapper: odd('grandchild') };
const processCount = 5;
const cycles = 10;

export const isApart = true;
export const themes = ['dark'];
export const window = {
  workspace: null,
  settings: { 'mcpDeck.autoStart': 'always', 'mcpDeck.stopGrace': 0.3, 'mcpDeck.servers': servers },
  reconnectionGraceSeconds: 1,
};

export async function run({ workbench, step, window }) {
  const { page, url } = window;

  /** Waits until the tree shows every server as running, and exactly their processes run. */
  async function untilAllRun(bench) {
    await bench.openSidebar('MCP Deck');
    const tree = bench.tree('Servers');
    for (const name of Object.keys(servers)) await tree.row(name).getByText('stdio · 1 tool').waitFor();
    return untilServers(window, `${processCount} server processes run`, (all) => all.length === processCount);
  }

  await step('the servers start with the window', () => untilAllRun(workbench));

  await step(
    '[P7] the extension host is killed: its servers go, the next host starts them anew, and the tree is right',
    async () => {
      const before = serverProcesses(window);
      const [host] = extensionHosts(window);
      process.kill(host.pid, 'SIGKILL');
      await untilServers(window, 'the servers of the dead host are gone', (all) => areGone(before, all));
      await untilAllRun(workbench);
      assert.equal(extensionHosts(window).length, 1);
    },
  );

  await step(
    `[P7] ${cycles} windows come and go: each takes its servers with it, and the last leaves as many processes as the first had`,
    async () => {
      const count = () => window.processes().length + window.orphans().length;
      const first = count();
      for (let i = 0; i < cycles; i++) {
        const before = serverProcesses(window);
        await page.reload({ waitUntil: 'commit' }); // the next opens while the one before still closes
        await untilServers(
          window,
          'the servers are those of the new window',
          (all) => all.length === processCount && areGone(before, all),
        );
      }
      await untilAllRun(workbench);
      await untilServers(
        window,
        `there are no more processes than the ${first} of the first window`,
        () => count() <= first,
      );
    },
  );

  await step('[P7] the page crashes: when VS Code stops waiting for it, no process is left', async () => {
    await page.goto('chrome://crash').catch(() => {}); // there is nobody left to answer
    await untilServers(window, 'no server process is left', (all) => all.length === 0);
  });

  await step('the next page shows the same servers, running', async () => {
    const next = await page.context().newPage();
    await page.close();
    await next.goto(url);
    await untilAllRun(new Workbench({ ...window, page: next }));
  });

  await step("[P7] VS Code's server is killed: no process is left", async () => {
    const [server] = window.processes();
    process.kill(server.pid, 'SIGKILL');
    await untilServers(window, 'no server process is left', (all) => all.length === 0);
  });
}
