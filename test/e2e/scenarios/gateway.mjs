// An agent outside of VS Code connects to the gateway of the window, is approved, and calls a tool.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { repoRoot } from '../../harness/paths.mjs';

export const isApart = true;
export const window = { workspace: 'sample' };

/** A client of the official SDK as a process, which sends one request at a time. */
function startAgent({ url, headers }, name) {
  const script = path.join(repoRoot, 'test', 'support', 'gatewayClient.mjs');
  const token = headers.Authorization.replace('Bearer ', '');
  const child = spawn('node', [script, url, token, 'legacy', name], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ready: async () => void (await lines.next()),
    ask: async (method, params = {}) => {
      child.stdin.write(`${JSON.stringify({ id: 1, method, params })}\n`);
      const { result, error } = JSON.parse((await lines.next()).value);
      if (error) throw new Error(error.message);
      return result;
    },
    end: () => child.kill(),
  };
}

export async function run({ workbench, step }) {
  const { page } = workbench;
  const gateway = workbench.tree('Gateway');
  const requests = workbench.tree('Requests');
  let agent;
  try {
    await step('the gateway is off, and its view says what it is for', async () => {
      await workbench.openSidebar('MCP Deck');
      await page.locator('.pane-header[aria-label^="Gateway"]').click();
      await gateway.pane.getByText('Let agents such as Claude Code').waitFor();
      await workbench.screenshot('gateway-off');
    });

    await step('it starts after a question, and its configuration is copied from the title of the view', async () => {
      await gateway.pane.locator('a', { hasText: 'start the gateway' }).click();
      await workbench.answerDialog('Start Gateway');
      await gateway.row('Gateway').getByText('no agent has connected yet').waitFor();
      await gateway.clickTitle(/Copy/);
      await workbench.answerDialog('Copy Configuration');
      await workbench.statusBarItem('Copied the configuration').waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      agent = startAgent(JSON.parse(text).mcpServers['mcp-deck'], 'claude-code');
      await agent.ready();
    });

    await step('[GW10] a new agent waits for its approval, and then lists the tools of the servers', async () => {
      const listing = agent.ask('list');
      await requests.row('claude-code').waitFor();
      await gateway.row('claude-code').getByText('waits for your approval').waitFor();
      await workbench.screenshot('gateway-waits');
      await requests.click('claude-code');
      await workbench.dialog().getByText('MCP Deck cannot verify its name').waitFor();
      await workbench.screenshot('gateway-question');
      await workbench.answerDialog('Allow');
      assert.ok((await listing).some(({ name }) => name === 'find_files'));
    });

    await step('its call is counted, and appears in Runs with its name', async () => {
      const result = await agent.ask('call', { name: 'find_files', arguments: { pattern: '**/*.md' } });
      assert.match(JSON.stringify(result), /greetings\.md/);
      await workbench.tree('Runs').row('Find Files').getByText('claude-code').waitFor();
      await gateway.row('claude-code').getByText('1 call').waitFor();
      await workbench.screenshot('gateway-agent');
    });
  } finally {
    agent?.end();
  }
}
