// Configuration files by mouse: lenses, hovers, duplicating, exporting, and the audit log entries of these actions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { governedWindow, writeGoverned } from '../governed.mjs';

export const isApart = true;
export const window = governedWindow;

export async function run({ workbench, step, workspace }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const rules = workbench.tree('Rules');
  const dialog = workbench.dialog();
  const editor = page.locator('.editor-group-container.active');
  const lens = editor.locator('.codelens-decoration').first();
  const editorHas = (text) => editor.locator('.view-line', { hasText: text }).first().waitFor();
  const picture = (name) => workbench.screenshot(`files-${name}`);
  const exportChanging = async () => {
    await servers.chooseFromTitle('Export Servers…');
    await quickInput.waitFor({ title: 'Export Servers', placeholder: 'Select the servers to export' });
    await quickInput.check('changing');
    await quickInput.pressButton('OK');
    await quickInput.waitFor({ placeholder: 'Select the target file' });
    await picture('export-apps');
    await quickInput.rowElements.filter({ hasText: 'sample/.cursor' }).click();
    await dialog.getByText('Some values cannot be written for Cursor').waitFor();
    await picture('export-question');
  };
  writeGoverned(workspace);

  await step('a variable in the configuration file explains itself on hover', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('changing', /Start/);
    await servers.row('changing').getByText('6 tools').waitFor();
    await servers.chooseFromTitle('Open Configuration');
    await quickInput.pick('.vscode/mcp.json');
    await lens.getByText('MCP Deck: Stopped').waitFor();
    const variable = editor.locator('.view-line', { hasText: '{env:MCP_DECK_REPO}' }).last();
    const { x, y } = await variable.boundingBox();
    await page.mouse.move(x + 180, y + 9);
    await page.mouse.move(x + 220, y + 9, { steps: 4 });
    await page.locator('.monaco-hover').getByText('An environment variable of VS Code. Current value:').waitFor();
    await picture('hover');
  });

  await step('one lens starts the server, another runs one of its tools', async () => {
    // the other one, before or after it, belongs to VS Code
    await lens.locator('a:not(:has(.codicon))', { hasText: /^MCP Deck: Start$/ }).click();
    await dialog.getByText('Start the server "everything" of this workspace?').waitFor();
    await picture('lens-question');
    await workbench.answerDialog('Start Server');
    await lens.getByText('MCP Deck: Running').waitFor();
    await picture('lenses');
    await lens.getByRole('button', { name: 'Run Tool…' }).click();
    await quickInput.waitFor({ title: 'Run Tool' });
    await quickInput.pick('Print Environment Tool');
    await workbench.resultHas('PATH');
    await picture('lens-result');
  });

  await step('a server is duplicated, and its copy moved', async () => {
    await servers.chooseFromMenu('changing', 'Duplicate Server…');
    await quickInput.waitFor({ title: 'Duplicate Server', value: 'changing-2' });
    await picture('duplicate');
    await quickInput.accept(); // VS Code's input box has no button
    await dialog.getByText('Add "changing-2"').waitFor();
    await workbench.answerDialog('Add Server');
    await servers.row('changing-2').getByText('stopped').waitFor();
    await servers.chooseFromMenu('changing-2', 'Move Server…');
    await quickInput.waitFor({ title: 'Move Server' });
    await picture('move');
    await quickInput.pick('.vscode/mcp.json');
    await dialog.getByText('Move the server anyway?').waitFor();
    await picture('move-question');
    await workbench.answerDialog('Move Server');
    await editorHas('"changing-2" was moved to .vscode/mcp.json.');
    await picture('move-report');
    assert.match(readFileSync(workspace.file('.vscode', 'mcp.json'), 'utf8'), /"changing-2"/);
  });

  await step('a tool is disabled and enabled', async () => {
    await servers.expand('changing', 'Tools');
    await servers.chooseFromMenu('remove', 'Disable Tool');
    await servers.row('remove').getByText('disabled').waitFor();
    await picture('tool-disabled');
    await servers.clickAction('remove', /Enable Tool/);
    await workbench.answerDialog('Enable Tool');
    await servers.row('remove').getByText('Removes a word').waitFor();
  });

  await step('losses are reported before a server is exported to another app', async () => {
    await exportChanging();
    await workbench.answerDialog('Cancel');
    assert.doesNotMatch(readFileSync(workspace.file('.cursor', 'mcp.json'), 'utf8'), /changing/);
    await exportChanging();
    await workbench.answerDialog('Export Servers');
    await editorHas('restartOnCrash');
    await picture('exported');
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(workspace.file('.cursor', 'mcp.json'), 'utf8')).mcpServers), [
      'library',
      'spare',
      'changing',
    ]);
  });

  await step('the audit log opens from the title of the Rules view and contains the export', async () => {
    await rules.header.click();
    await rules.clickTitle('View Audit Log');
    await workbench.waitForEditor('Audit Log');
    await editorHas('changing-2');
    await editorHas('tool disabled');
    await picture('audit');
  });
}
