// A newcomer with an empty workspace finds a server in a registry, reads what it runs, installs it, and runs a tool.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { axeViolations } from '../axe.mjs';
import { startRegistry } from '../registry.mjs';

const repository = path.resolve('.');
/** The goal of the review: the first result within a minute. */
const goalSeconds = 60;

export const isApart = true;
export const window = {
  workspace: 'plain',
  settings: { 'mcpDeck.builtInServer.enabled': false, 'mcpDeck.registries': [] },
  // `npx` starts a server of this repository instead of a package.
  env: { PATH: `${path.join(repository, 'test/fixtures/bin')}${path.delimiter}${process.env.PATH}` },
};

export async function run({ workbench, step, window: { dirs } }) {
  const { page } = workbench;
  const servers = workbench.tree('Servers');
  const view = workbench.webview();
  const list = view.getByRole('listbox', { name: 'Servers' });
  const option = (name) => list.getByRole('option', { name });
  const button = (name) => view.getByRole('button', { name, exact: true });
  const settingsFile = path.join(dirs.userData, 'User', 'settings.json');
  const settings = () => JSON.parse(readFileSync(settingsFile, 'utf8'));
  const registry = await startRegistry();
  const since = Date.now();
  let clicks = 0;
  let keys = 0;

  try {
    await step('nothing is read from a registry before the page opens', async () => {
      writeFileSync(settingsFile, JSON.stringify({ ...settings(), 'mcpDeck.registries': [registry.url] }));
      await workbench.openSidebar('MCP Deck');
      clicks++;
      await page.getByRole('button', { name: 'Find a Server…' }).first().waitFor();
      await workbench.screenshot('gallery-1-welcome');
      assert.deepEqual(registry.requests, []);
    });

    await step('the button of the welcome view opens the page, ready to be typed into', async () => {
      await page.locator('.welcome-view-content').getByRole('button', { name: 'Find a Server…' }).click();
      clicks++;
      await view.locator('input:focus').waitFor();
      await option(/Everything/).waitFor();
      await workbench.screenshot('gallery-2-list');
      assert.deepEqual(await axeViolations(view), []);
    });

    await step('results appear while typing, and Enter leads to the list and to the details', async () => {
      await page.keyboard.type('everything');
      keys += 'everything'.length;
      await option(/Everything/)
        .first()
        .waitFor();
      await view.getByRole('heading', { name: 'Everything' }).waitFor();
      await view.getByText('npx -y @example/everything@1.4.0').waitFor();
      await workbench.screenshot('gallery-3-details');
      assert.deepEqual(await axeViolations(view), []);
    });

    await step('one click saves and starts the server, and its tools are in the view', async () => {
      await button('Save and Start').click();
      clicks++;
      await view
        .getByText(/is running with \d+ tools/)
        .first()
        .waitFor();
      await servers.row('everything').getByText(/tools/).waitFor();
      assert.deepEqual(settings()['mcpDeck.servers'].everything.args, ['-y', '@example/everything@1.4.0']);
      await workbench.screenshot('gallery-4-running');
    });

    await step('a tool of the new server runs', async () => {
      await servers.click('Echo Tool');
      clicks++;
      await view.locator('input:focus, textarea:focus').waitFor();
      await page.keyboard.type('hello');
      await page.keyboard.press('Control+Enter');
      keys += 'hello'.length + 1;
      await view.getByText('Echo: hello').first().waitFor();
      const seconds = (Date.now() - since) / 1_000;
      console.log(`  from the icon to the first result: ${clicks} clicks, ${keys} keys, ${seconds.toFixed(1)} s`);
      // The duration is the goal of the review on an idle machine; a loaded one may take longer.
      if (seconds > goalSeconds) console.log(`  more than ${goalSeconds} s`);
    });

    await step('a package with inputs has a form with their types and choices', async () => {
      await workbench.runCommand('MCP Deck: Find a Server…');
      await view.locator('input[type="search"]').fill('io.example/weather');
      await view.getByRole('heading', { name: 'Weather', exact: true }).waitFor();
      await view.getByText('npx -y @example/weather@1.4.0 --units metric').waitFor();
      await workbench.screenshot('gallery-5-inputs');
      assert.deepEqual(await axeViolations(view), []);
    });

    await step('texts of a registry are shown as text, with hidden characters visible', async () => {
      await view.locator('input[type="search"]').fill('ignore all rules');
      await view.getByRole('heading', { name: /<b>Fr/ }).waitFor();
      await view.getByText('\\u{202e}').first().waitFor();
      assert.equal(await view.locator('.details-side img, .details-side b').count(), 0);
      await workbench.screenshot('gallery-7-hostile');
      assert.deepEqual(await axeViolations(view), []);
    });

    await step('a package whose server listens at a URL shows the command and the URL', async () => {
      await view.locator('input[type="search"]').fill('listener');
      await view.getByText('npx -y @example/listener@1.4.0 --port 8931').waitFor();
      await view.getByText('http://127.0.0.1:8931/mcp').waitFor();
      await workbench.screenshot('gallery-9-listener');
      assert.deepEqual(await axeViolations(view), []);
    });

    await step('a search without results says what to do next', async () => {
      await view.locator('input[type="search"]').fill('qqqqzzzz');
      await view.getByText('No server matches "qqqqzzzz".').waitFor();
      await workbench.screenshot('gallery-10-nothing');
      assert.deepEqual(await axeViolations(view), []);
    });

    await step('without the network, the stored list is searched, and "Try It" starts a server of it', async () => {
      await registry.close();
      await workbench.runCommand('MCP Deck: Find a Server…');
      await button('Update Lists').click();
      await view.getByText('The page shows the list that was read last.').waitFor();
      await view.locator('input[type="search"]').fill('old weather');
      await view.getByText('Deprecated: Use io.example/weather.').waitFor();
      await workbench.screenshot('gallery-8-offline');
      assert.deepEqual(await axeViolations(view), []);
      await button('Try It').click();
      await view
        .getByText(/"old-weather" is running with \d+ tools/)
        .first()
        .waitFor();
      assert.equal(settings()['mcpDeck.servers']['old-weather'], undefined);
    });
  } finally {
    await registry.close();
  }
}
