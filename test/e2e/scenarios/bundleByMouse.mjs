// A bundle by mouse: dragged from the Explorer to the Servers view, configured, installed, run, and removed.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';
import { writeBundle } from '../bundleFile.mjs';

export const isApart = true;
export const window = { workspace: 'plain', settings: {} };

const secretText = 'tok_0123456789abcdef';
const manifest = {
  manifest_version: '0.3',
  name: 'prices',
  display_name: 'Prices',
  version: '1.0.0',
  description: 'Calculates prices.',
  author: { name: 'Example' },
  server: {
    type: 'node',
    entry_point: 'server/index.mjs',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/server/index.mjs', '${user_config.folder}'],
      env: { PRICES_KEY: '${user_config.key}', PRICES_LIMIT: '${user_config.limit}' },
    },
  },
  tools: [{ name: 'total', description: 'Calculates the total.' }],
  user_config: {
    key: { type: 'string', title: 'Key', description: 'The key of your account', sensitive: true, required: true },
    folder: { type: 'directory', title: 'Folder', description: 'Where the lists are', default: '${HOME}' },
    limit: { type: 'number', title: 'Limit', description: 'Calls per hour', min: 1, max: 100, default: 10 },
  },
};

export async function run({ workbench, step, window: { dirs }, workspace }) {
  const { page } = workbench;
  const servers = workbench.tree('Servers');
  const view = workbench.webview();
  const button = (name) => view.getByRole('button', { name, exact: true });
  const settingsFile = path.join(dirs.userData, 'User', 'settings.json');
  const settings = () => JSON.parse(readFileSync(settingsFile, 'utf8'));
  const script = pathToFileURL(path.join(fixturesRoot, 'servers', 'prices.mjs')).href;
  writeBundle(workspace.file('prices.mcpb'), {
    'manifest.json': JSON.stringify(manifest),
    'server/index.mjs': `await import(${JSON.stringify(script)});\n`,
  });
  const center = async (locator) => {
    const { x, y, width, height } = await locator.boundingBox();
    return [x + width / 2, y + height / 2];
  };

  await step('a bundle is dragged from the Explorer to the Servers view with the mouse', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.row('workspace').waitFor();
    await workbench.openSidebar('Explorer');
    const file = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'prices.mcpb' });
    await file.waitFor();
    await page.mouse.move(...(await center(file)));
    await page.mouse.down();
    // Held over the icon, the file opens the other side bar.
    const icon = page.locator('.activitybar').getByRole('tab', { name: 'MCP Deck' });
    await page.mouse.move(...(await center(icon)), { steps: 10 });
    await servers.row('workspace').waitFor();
    const [x, y] = await center(servers.row('workspace'));
    await page.mouse.move(x, y, { steps: 10 });
    await workbench.screenshot('bundle-1-drag');
    await page.mouse.up();
    await view.getByText(/Prices, version 1\.0\.0, by Example according to its manifest/).waitFor();
    await view.getByText(/It will run: node/).waitFor();
    await workbench.screenshot('bundle-2-page');
    assert.deepEqual(await axeViolations(view), []);
  });

  await step('its settings are a form, and nothing is unpacked without the required one', async () => {
    await button('Unpack and Continue').click();
    await view
      .getByText(/Key is required/)
      .first()
      .waitFor();
    await workbench.screenshot('bundle-3-required');
    await view.locator('input[type="password"]').fill(secretText);
    await button('Unpack and Continue').click();
    await button('Save and Start').waitFor();
    await workbench.screenshot('bundle-4-definition');
    assert.deepEqual(await axeViolations(view), []);
  });

  await step('[paste.secrets] the server runs, and its secret is in no file', async () => {
    await button('Save and Start').click();
    await servers.row('prices').getByText('1 tool').waitFor();
    await workbench.screenshot('bundle-5-running');
    assert.deepEqual(settings()['mcpDeck.servers'].prices.env, {
      PRICES_KEY: '${input:prices-key}',
      PRICES_LIMIT: '10',
    });
    assert.ok(!readFileSync(settingsFile, 'utf8').includes(secretText));
  });

  await step('the server is removed together with its files', async () => {
    const [, folder] = /^(.+)[\\/]server[\\/]/.exec(settings()['mcpDeck.servers'].prices.args[0]);
    assert.ok(readdirSync(folder).includes('manifest.json'));
    await servers.chooseFromMenu('prices', 'Remove Server…');
    await workbench.dialog().getByText('Remove "prices"').waitFor();
    await workbench.screenshot('bundle-6-remove');
    await workbench.answerDialog('Remove and Forget');
    await servers.row('prices').waitFor({ state: 'detached' });
    assert.deepEqual(readdirSync(path.dirname(folder)), []);
  });
}
