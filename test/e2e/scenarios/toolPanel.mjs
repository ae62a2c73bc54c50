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
  await step('run', async () => {
    await page.getByRole('button', { name: 'Run' }).click();
    await workbench.screenshot('panel-problems');
  });
}
