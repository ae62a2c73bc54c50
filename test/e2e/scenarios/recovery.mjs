// Windows that end in every possible way, with servers that resist: no process is left, and the next window works
// normally.
import assert from 'node:assert/strict';
import path from 'node:path';
import { repoRoot } from '../../harness/paths.mjs';
import { areGone, extensionHosts, serverProcesses, untilServers } from '../servers.mjs';
import { Workbench } from '../workbench.mjs';

const odd = (mode) => ({ command: 'node', args: [path.join(repoRoot, 'test/fixtures/servers/odd.mjs'), mode] });
/**
 * Each with the number of its processes: a child that ignores SIGTERM and has a grandchild; a wrapper that leaves its
 * grandchild behind.
 */
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
    '[P7] the extension host is killed: its servers end, the next host starts them again, and the tree is right',
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
    `[P7] ${cycles} windows open and close: each ends its servers, and the last has as many processes as the first`,
    async () => {
      const count = () => window.processes().length + window.orphans().length;
      const first = count();
      for (let i = 0; i < cycles; i++) {
        const before = serverProcesses(window);
        await page.reload({ waitUntil: 'commit' }); // the next one opens while the previous one still closes
        await untilServers(
          window,
          'the servers are those of the new window',
          (all) => all.length === processCount && areGone(before, all),
        );
      }
      await untilAllRun(workbench);
      await untilServers(
        window,
        `there are no more processes than in the first window (${first})`,
        () => count() <= first,
      );
    },
  );

  await step('[P7] the page crashes: when VS Code stops waiting for it, no process is left', async () => {
    await page.goto('chrome://crash').catch(() => {}); // the crashed page does not answer
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
