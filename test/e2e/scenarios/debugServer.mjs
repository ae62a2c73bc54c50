// A TypeScript server under the debugger: Run in the tool panel hits a breakpoint, and the result follows.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';

// The window's own Node runs TypeScript directly.
const calculator = { command: 'node', args: ['${workspaceFolder}/src/server.ts'], timeoutMs: 3_000 };
export const isApart = true;
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { calculator } } };

export async function run({ workbench, step, workspace }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const panel = workbench.webview();
  const heldLine = page.locator('.debug-top-stack-frame-line').first();
  copyFileSync(path.join(fixturesRoot, 'servers', 'calculator', 'server.ts'), workspace.file('src', 'server.ts'));

  await step('a breakpoint is set in the source of the server', async () => {
    await workbench.runCommandThatAsks('Go to File...');
    await quickInput.type('src/server.ts:13');
    await quickInput.rowElements.first().waitFor();
    await quickInput.accept();
    await workbench.waitForEditor('server.ts');
    await page.locator('.view-line', { hasText: 'const sum' }).waitFor();
    await workbench.runCommand('Debug: Toggle Breakpoint');
    await page.locator('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified').first().waitFor();
  });

  await step('the menu of the server starts it under the debugger, after showing how', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.chooseFromMenu('calculator', 'Debug Server…');
    await quickInput.waitFor({ title: 'Debug "calculator"' });
    await workbench.screenshot('debug-choice');
    const [first] = await quickInput.rows();
    assert.match(first.detail, /^node --inspect-brk=127\.0\.0\.1:0 /);
    await quickInput.pick('Start and run to the first breakpoint');
    // The user defined the server, but its source is a file of the workspace.
    await workbench.dialog().getByText('with settings or files of this workspace').waitFor();
    await workbench.answerDialog('Start Server');
    await servers.row('calculator').getByText('debugging').waitFor();
  });

  await step('Run in the panel of a tool stops at the breakpoint', async () => {
    await servers.expand('calculator', 'Tools');
    await servers.clickAction('add', /Panel/);
    await panel.locator('.field[data-path="/a"] input').fill('20');
    await panel.locator('.field[data-path="/b"] input').fill('22');
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await heldLine.waitFor();
    await workbench.openSidebar('MCP Deck');
    await servers.row('calculator').getByText('paused in the debugger').waitFor();
    await workbench.screenshot('debug-paused');
  });

  await step('the result appears when the program continues', async () => {
    await workbench.runCommand('Debug: Continue');
    await heldLine.waitFor({ state: 'detached' });
    await page.locator('.tab', { hasText: 'add' }).first().click();
    await panel.getByText('Done', { exact: true }).first().waitFor();
    await panel.locator('.result-side').getByText('42').first().waitFor();
    await workbench.screenshot('debug-result');
  });

  await step('stopping the server ends its debug session', async () => {
    await page.locator('.debug-toolbar').waitFor();
    await workbench.openSidebar('MCP Deck');
    await servers.chooseFromMenu('calculator', 'Stop Server');
    await servers.row('calculator').getByText('stopped').waitFor();
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });
}
