// The details of a server: its activity and resource use, its last error, its limits and its environment.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

export const isApart = true;
const secret = 'hunter2-hunter2';
const chatter = {
  // A wrapper process, as many servers have.
  command: 'bash',
  args: [
    '-c',
    '"$0" "$@"; exit $?',
    process.execPath,
    path.join(fixturesRoot, 'servers', 'chatter.mjs'),
    `--token=${secret}`,
  ],
  dev: { watch: ['src/**/*.ts', '!src/generated/**'], debug: { type: 'node' } },
  env: { LOG_LEVEL: 'debug', API_TOKEN: secret, CACHE: '${userHome}/.cache', LANG: null },
  timeoutMs: 30_000,
};
const failing = {
  command: process.execPath,
  args: [path.join(fixturesRoot, 'servers', 'odd.mjs'), 'exit-on-start'],
  restartOnCrash: false,
};
export const window = {
  workspace: 'plain',
  settings: { 'mcpDeck.servers': { chatter, failing }, 'mcpDeck.stopGrace': 0.5 },
};

export async function run({ workbench, step }) {
  const servers = workbench.tree('Servers');
  const view = workbench.webview();
  const button = (name) => view.locator('.buttons vscode-button').filter({ hasText: name });
  const state = view.locator('.state');
  const calls = view.getByRole('table', { name: 'Calls by tool' });
  const row = (tool) => calls.locator('tbody tr').filter({ has: view.locator('th').getByText(tool, { exact: true }) });
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(view), []);

  await step('the details of a stopped server show how it will be started', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.chooseFromMenu('chatter', 'Show Server Details');
    await state.getByText('stopped').waitFor();
    await view.getByText('No tool has been called since the window opened.').waitFor();
    await view.getByRole('table', { name: 'Environment' }).getByText('API_TOKEN').waitFor();
    await view.getByText('definition, "timeoutMs"').waitFor();
    await workbench.screenshot('details-stopped');
    await seesNothingWrong();
  });

  await step('a running server shows its process and no secret', async () => {
    await button('Start').click();
    await state.getByText('running').waitFor();
    await view.getByText('MCP 2025-11-25').waitFor();
    const processes = view.getByRole('table', { name: 'Processes' }).locator('tbody tr');
    await processes
      .filter({ hasText: 'bash' })
      .getByText(/^[\d.]+%$/)
      .waitFor();
    await processes
      .filter({ hasText: 'node' })
      .getByText(/^[\d.]+ MB$/)
      .waitFor();
    assert.ok(!(await view.locator('html').innerHTML()).includes(secret));
  });

  await step('its page begins with what it says about itself, and the answer of its handshake', async () => {
    const overview = view.locator('.overview');
    await overview.getByRole('heading', { name: 'chatter' }).waitFor();
    await overview.getByText('Version 1').waitFor();
    await overview.getByText('Tools', { exact: true }).waitFor();
    await overview.getByText('Result of "initialize" as JSON').click();
    await overview.locator('.answer pre').getByText('"protocolVersion": "2025-11-25"').waitFor();
    await workbench.screenshot('details-overview');
    await seesNothingWrong();
  });

  await step('a call is typed in full, and a mistake is named under the box', async () => {
    const { quickInput } = workbench;
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.type('chatter.say {"a": }');
    await quickInput.widget.getByText('Invalid JSON: unexpected "}" at character 7').waitFor();
    await workbench.screenshot('run-tool-typed-mistake');
    await quickInput.accept();
    await quickInput.type('chatter.say {"text": "deck"}');
    await quickInput.widget.getByText('Run say').waitFor();
    await quickInput.accept();
    await workbench.waitForEditor('say');
    await view.getByText('You said: deck').waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  await step('words in any order find a tool, and its menu shows its schema', async () => {
    const { quickInput } = workbench;
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.type('stray chatter');
    await quickInput.row('stray').first().waitFor();
    await quickInput.row('refuse').waitFor({ state: 'detached' });
    await quickInput.cancel();
    await view.getByRole('button', { name: 'More Actions', exact: true }).click();
    await view.getByRole('menuitem', { name: 'Show Schema' }).click();
    await workbench.waitForEditor('say - schema');
    await workbench.runCommandAndPick('MCP Deck: Show Server Details', 'chatter');
  });

  await step('calls are counted by tool and can be sorted', async () => {
    for (const tool of ['refuse', 'stray']) await workbench.runCommandAndPick('MCP Deck: Run Tool…', tool);
    await workbench.waitForEditor('stray');
    await workbench.runCommandAndPick('MCP Deck: Show Server Details', 'chatter');
    for (const tool of ['refuse', 'stray']) await row(tool).getByText('1', { exact: true }).first().waitFor();
    await view.locator('.error-box').getByText('No such thing').waitFor();
    await view.locator('.error-box').getByText('in refuse').waitFor();
    const byName = calls.getByRole('button', { name: 'Tool', exact: true });
    await byName.press('Enter');
    await calls.locator('th[aria-sort="ascending"]').getByText('Tool').waitFor();
    assert.equal(await calls.locator('tbody th').first().textContent(), 'refuse');
    await byName.press('Enter');
    await calls.locator('th[aria-sort="descending"]').getByText('Tool').waitFor();
    assert.equal(await calls.locator('tbody th').first().textContent(), 'stray');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.screenshot('details-running');
    await seesNothingWrong();
  });

  await step('the page survives a reload of the window with its sort order', async () => {
    await workbench.reload();
    await workbench.waitForEditor('chatter');
    await view.getByRole('table', { name: 'Environment' }).getByText('API_TOKEN').waitFor();
    // No tool was called in this window yet, so the table exists but is hidden.
    await view.locator('.calls th[aria-sort="descending"]').getByText('Tool').waitFor({ state: 'attached' });
  });

  await step('a failed server shows the reason, its output and what to do', async () => {
    await workbench.runCommandAndPick('MCP Deck: Show Server Details', 'failing');
    await workbench.waitForEditor('failing');
    await button('Start').click();
    await view.locator('.error-box').getByText('cannot find the configuration').first().waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.screenshot('details-failed');
    await seesNothingWrong();
  });
}
