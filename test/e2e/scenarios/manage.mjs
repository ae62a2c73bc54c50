// A new user imports servers from Cursor, runs a tool, switches to a preset, and finds out why a server fails.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { axeViolations } from '../axe.mjs';

export const isApart = true;
export const window = {
  workspace: 'sample',
  settings: { 'mcpDeck.servers': { sick: { command: 'no-such-program-of-mcp-deck' } } },
};

const token = 'tok_0123456789abcdef0123';
const cursor = {
  mcpServers: {
    brought: {
      command: 'node',
      args: ['${env:MCP_DECK_REPO}/node_modules/@modelcontextprotocol/server-everything/dist/index.js'],
      env: { DEMO_TOKEN: token },
      autoApprove: ['echo'],
    },
  },
};
const presets = {
  presets: {
    review: { description: 'Look, change nothing', servers: ['brought'], tools: { brought: ['echo', 'get-*'] } },
  },
};

export async function run({ workbench, step, workspace, window: { dirs } }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const editor = (text) => page.locator('.editor-group-container.active .view-line', { hasText: text }).first();
  const write = (content, ...parts) => {
    mkdirSync(path.dirname(workspace.file(...parts)), { recursive: true });
    writeFileSync(workspace.file(...parts), JSON.stringify(content, null, 2));
  };
  write(cursor, '.cursor', 'mcp.json');
  await workbench.openSidebar('MCP Deck');
  const started = Date.now();

  await step('the servers of Cursor are imported, their secret moves, and nothing starts', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Import Servers…', {
      title: 'Import Servers',
      placeholder: 'Select an app',
    });
    await workbench.screenshot('manage-import-apps');
    await quickInput.pick('Cursor (sample)');
    await quickInput.waitFor({ placeholder: 'Select the servers to import' });
    await workbench.screenshot('manage-import-servers');
    await quickInput.accept();
    await quickInput.waitFor({ placeholder: 'Where should the server be saved' });
    // A file of the project, so the project's folder comes first.
    const [first] = await quickInput.rows();
    assert.match(first.label, /mcp\.json$/);
    await quickInput.pick('User settings');
    await quickInput.waitFor({ placeholder: 'look like secrets' });
    await workbench.screenshot('manage-import-secrets');
    await quickInput.pick('Move Secrets to Secret Storage');
    const question = page.getByRole('dialog').filter({ hasText: 'to your user settings?' });
    await question.waitFor();
    await workbench.screenshot('manage-import-question');
    await question.getByRole('button', { name: 'Add to User Settings' }).click();
    await editor('Nothing was started').waitFor();
    await workbench.screenshot('manage-import-report');
    assert.match(await workbench.editorText(), /autoApprove: .*run without asking you/s);
    await servers.row('brought').getByText('stopped').waitFor();
  });

  await step('a tool of an imported server runs', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.pick('brought');
    await quickInput.row('Echo Tool').first().waitFor();
    await quickInput.pick('Echo Tool');
    await quickInput.waitFor({ title: 'Echo Tool' });
    await quickInput.type('from Cursor');
    await quickInput.accept();
    await workbench.resultHas('Echo: from Cursor');
    console.log(`  from import to result: ${((Date.now() - started) / 1_000).toFixed(1)} s`);
  });

  await step('a preset is switched from the status bar, and dims the tools that it excludes', async () => {
    write(presets, '.vscode', 'mcp-deck.json');
    await workbench.statusBarItem(/\d\/\d/).click();
    await quickInput.waitFor({ title: 'MCP Deck' });
    await quickInput.row('review').first().waitFor();
    await workbench.screenshot('manage-menu');
    await quickInput.pick('review');
    await workbench.statusBarItem(/review/).waitFor();
    await servers.expand('brought', 'Tools');
    await servers.row('Toggle Simulated Logging').getByText('not in the preset').waitFor();
    await workbench.screenshot('manage-preset');
  });

  await step('a server that starts again shows its tools again if they were open', async () => {
    await servers.clickAction('brought', /^Stop/);
    await servers.row('Toggle Simulated Logging').waitFor({ state: 'detached' });
    await servers.clickAction('brought', /^Start/);
    await servers.row('Toggle Simulated Logging').waitFor();
  });

  await step('the doctor names the missing command', async () => {
    await servers.clickAction('sick', /Start/);
    await servers.row('sick').getByText('not found').waitFor();
    await servers.clickAction('sick', /Diagnose/);
    const command = workbench
      .webview()
      .locator('.check', { hasText: '"no-such-program-of-mcp-deck" is not in any of' });
    await command.getByText('Check the spelling of the command').waitFor();
    await workbench.screenshot('manage-doctor');
  });

  await step('the file has states and actions above its servers', async () => {
    await workbench.runCommandAndPick('MCP Deck: Open Configuration', '.vscode/mcp.json');
    await page.locator('.editor-group-container.active .codelens-decoration', { hasText: 'Stopped' }).first().waitFor();
    await workbench.screenshot('manage-lenses');
  });

  await step('its definition opens as a form that shows problems at their fields and survives a reload', async () => {
    await servers.chooseFromMenu('brought', 'Edit Server…');
    const form = workbench.webview();
    const field = (pointer) => form.locator(`.field[data-path="${pointer}"]`);
    await form.getByRole('heading', { name: 'Edit "brought"' }).waitFor();
    await field('/timeoutMs').locator('input').first().fill('-5');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await field('/timeoutMs').locator('.field-error').waitFor();
    await workbench.screenshot('manage-edit');
    assert.deepEqual(await axeViolations(form), []);
    await field('/timeoutMs').locator('input').first().fill('61000');
    await form.locator('.problem-line').waitFor({ state: 'hidden' });
    await workbench.reload();
    await field('/timeoutMs').locator('input').first().waitFor();
    assert.equal(await field('/timeoutMs').locator('input').first().inputValue(), '61000');
    await field('/timeoutMs').locator('input').first().press('Control+Enter');
    // This VS Code keeps secrets in memory, so the reload removed the value.
    await quickInput.waitFor({ title: '"brought" needs a value' });
    await quickInput.type(token);
    await quickInput.accept();
    await page.getByRole('tab', { name: 'Edit "brought"' }).waitFor({ state: 'detached' });
    await servers.row('brought').getByText('19 tools').waitFor();
    const saved = JSON.parse(readFileSync(path.join(dirs.userData, 'User', 'settings.json'), 'utf8'))['mcpDeck.servers']
      .brought;
    assert.deepEqual([saved.timeoutMs, saved.env], [61_000, { DEMO_TOKEN: '${input:brought-demo-token}' }]);
  });
}
