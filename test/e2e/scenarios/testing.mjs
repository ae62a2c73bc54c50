// The author of a server writes a test, sees it fail, debugs and fixes the server, and sees the test pass, all in the
// window.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { clickMenuItem } from '../menu.mjs';

const testText = readFileSync(path.join(fixturesRoot, 'prices.mcptest.yaml'), 'utf8');

const debuggerMs = 120_000;

export const isApart = true;
export const themes = ['dark', 'light'];
// Text that is inserted as a whole keeps its own indentation.
const settings = {
  'mcpDeck.builtInServer.enabled': false,
  // VS Code on a remote machine otherwise saves after a delay, and the user of this scenario saves.
  'files.autoSave': 'off',
  '[yaml]': { 'editor.autoIndent': 'none' },
  'typescript.disableAutomaticTypeAcquisition': true,
};
export const window = { workspace: 'plain', settings };

export async function run({ workbench, step, workspace }) {
  const { page, quickInput } = workbench;
  const editor = page.locator('.editor-group-container.active .monaco-editor[role="code"]').first();
  const failureInLine = page.locator('.test-error-content-widget').first();
  const heldLine = page.locator('.debug-top-stack-frame-line').first();
  const mark = (state) => page.locator(`.testing-run-glyph.codicon-testing-${state}-icon`).first();
  const show = async (file) => {
    await page.locator('.tab', { hasText: file }).click();
    await workbench.waitForEditor(file);
  };
  const save = async () => {
    await page.locator('.tab.active.dirty').waitFor();
    await page.keyboard.press('Control+s');
    await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
  };
  copyFileSync(path.join(fixturesRoot, 'servers', 'prices.mjs'), workspace.file('prices.mjs'));

  await step('a new test file has a run button at its test after it was typed and saved', async () => {
    await workbench.runCommand('File: New Untitled Text File');
    await workbench.waitForEditor('Untitled-');
    await editor.click();
    await page.keyboard.press('Control+s');
    // The dialog fills in the path after it opened.
    await quickInput.waitFor({ title: 'Save As', value: /Untitled-/ });
    await quickInput.type(workspace.file('prices.mcptest.yaml'));
    await quickInput.waitFor({ title: 'Save As', value: /prices\.mcptest\.yaml$/ });
    await quickInput.accept();
    await workbench.waitForEditor('prices.mcptest.yaml');
    await editor.click();
    await page.keyboard.insertText(testText);
    await save();
    await mark('run').waitFor();
    assert.equal(readFileSync(workspace.file('prices.mcptest.yaml'), 'utf8'), testText);
    await workbench.screenshot('testing-1-written');
  });

  await step('the run asks with what it will use and start, and fails at the line of the expectation', async () => {
    await mark('run').click();
    await workbench.dialog().getByText('Run these tests of servers?').waitFor();
    await workbench.screenshot('testing-2-question');
    // The next dialog can replace this one at once.
    await workbench.dialog().getByRole('button', { name: 'Run Tests', exact: true }).click();
    await workbench.dialog().getByText('prices.mjs').first().waitFor();
    await workbench.screenshot('testing-3-start');
    await workbench.answerDialog('Start Server');
    await mark('failed').waitFor();
    await failureInLine.getByText('"total": 65').waitFor();
    const expectation = page.locator('.view-line', { hasText: 'structured' });
    const [line, failure] = await Promise.all([expectation.boundingBox(), failureInLine.boundingBox()]);
    assert.ok(Math.abs(line.y - failure.y) < line.height / 2, 'the failure is in the line of its expectation');
    await workbench.screenshot('testing-4-failed');
  });

  await step('Debug stops at a breakpoint in the server, and the test waits', async () => {
    await workbench.runCommandThatAsks('Go to File...');
    await quickInput.type('prices.mjs:7');
    await quickInput.row('prices.mjs').and(page.locator('.focused')).waitFor();
    await quickInput.accept();
    await workbench.waitForEditor('prices.mjs');
    // A key, because the palette can run a command twice on a busy machine, which removes the breakpoint.
    await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await page.keyboard.press('F9');
    await page.locator('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified').first().waitFor();
    await show('prices.mcptest.yaml');
    await mark('failed').click({ button: 'right' });
    await clickMenuItem(page, 'Debug Test');
    // The debugger of VS Code is loaded for its first session.
    await heldLine.waitFor({ timeout: debuggerMs });
    await workbench.waitForEditor('prices.mjs');
    await workbench.screenshot('testing-5-paused');
    await workbench.runCommand('Debug: Continue');
    await heldLine.waitFor({ state: 'detached' });
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });

  await step('the server is fixed in the editor, and the test passes', async () => {
    await show('prices.mjs');
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText('return sum - discount;');
    await save();
    await show('prices.mcptest.yaml');
    await mark('failed').click();
    await mark('passed').waitFor();
    await failureInLine.waitFor({ state: 'detached' });
    await workbench.screenshot('testing-6-passed');
  });

  await step('the Testing view shows that the file passed', async () => {
    await workbench.openSidebar('Testing');
    await page
      .locator('.test-explorer')
      .getByRole('treeitem', { name: /prices\.mcptest\.yaml.*passed/i })
      .waitFor();
    await workbench.screenshot('testing-7-view');
  });
}
