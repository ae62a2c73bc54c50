// The tool panel: opened, filled in, run, reloaded.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';

export const themes = ['dark', 'light', 'hc'];
const forms = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'forms.mjs')] };
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { forms } } };

export async function run({ workbench, step }) {
  const { quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const page = workbench.webview();

  await step('the tree opens the panel of a tool', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('forms', /Start/);
    await servers.expand('forms', 'Tools');
    await servers.clickAction('Plan Trip', /Panel/);
    await page.getByRole('heading', { name: 'Plan Trip' }).waitFor();
    await workbench.screenshot('panel-empty');
  });

  await step('a tool runs, and its result stands beside the form', async () => {
    await servers.clickAction('Greet', /Panel/);
    await page.getByRole('heading', { name: 'Greet' }).waitFor();
    await page.getByLabel('Arguments as JSON').fill('{ "name": "Ada" }');
    await page.getByLabel('Arguments as JSON').press('Control+Enter');
    await page.getByText('Hello Ada').waitFor();
    await workbench.screenshot('panel-result');
  });
}
