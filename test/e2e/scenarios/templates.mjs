// A resource template: its form with the server's completion, the address while typing, and the actions on it. Also the
// form of a tool whose server has never run.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

export const isApart = true;
const library = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'library.mjs')] };
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { library } } };

export async function run({ workbench, step, window }) {
  const servers = workbench.tree('Servers');
  const page = workbench.webview();
  const field = (pointer) => page.locator(`.field[data-path="${pointer}"]`);
  const input = (pointer) => field(pointer).locator('input').first();
  const button = (name) => page.getByRole('button', { name, exact: true });
  const address = (text) => page.locator('.address').getByText(text, { exact: true }).waitFor();
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(page), []);
  const backToTemplate = () => workbench.page.getByRole('tab', { name: 'Branch', exact: true }).first().click();
  const editorHas = (text) =>
    workbench.page.locator('.editor-group-container.active .view-line', { hasText: text }).first().waitFor();

  await step('the form of a tool whose server never ran says so, and appears when the server runs', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.row('library').waitFor();
    // A script opens the panel without starting the server.
    writeFileSync(
      path.join(window.dirs.userData, 'User', 'keybindings.json'),
      JSON.stringify([
        { key: 'ctrl+alt+shift+l', command: 'mcpDeck.openToolPanel', args: { server: 'library', tool: 'change' } },
      ]),
    );
    await workbench.reload();
    await workbench.openSidebar('MCP Deck');
    await servers.row('library').waitFor();
    await workbench.page.keyboard.press('Control+Alt+Shift+L');
    await page.getByText('The form appears when the server runs and offers this item.').waitFor();
    await workbench.screenshot('form-waiting');
    await seesNothingWrong();
    await button('Start Server').click();
    await field('/uri').waitFor();
    await workbench.runCommand('View: Close All Editors');
    await servers.clickAction('library', /Stop/);
    await servers.row('library').getByText('stopped').waitFor();
  });

  await step('the tree opens the form of a template, ready to be typed into', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('library', /Start/);
    await servers.expand('library', 'Resources', 'Templates');
    await servers.clickAction('Branch', /Open Resource/);
    await page.getByRole('heading', { name: 'Branch', exact: true }).waitFor();
    await page.locator('input:focus').waitFor();
    await address('library://branch//');
    await workbench.screenshot('template-empty');
    await seesNothingWrong();
  });

  await step('a missing value is reported at its field', async () => {
    await input('/city').press('Control+Enter');
    await field('/city').getByText('Required').waitFor();
    await field('/year').getByText('Required').waitFor();
    await workbench.screenshot('template-problems');
    await seesNothingWrong();
  });

  await step('the server completes a value, and another one based on it; the address updates', async () => {
    await input('/city').fill('Ber');
    await address('library://branch/Ber/');
    await page.getByRole('option', { name: 'Bern', exact: true }).click();
    await address('library://branch/Bern/');
    await input('/year').press('ArrowDown');
    await page.getByRole('option', { name: '1848', exact: true }).waitFor();
    await workbench.screenshot('template-completion');
    await seesNothingWrong();
    await input('/year').press('ArrowDown');
    await input('/year').press('Enter');
    await address('library://branch/Bern/1848');
  });

  await step('the resource opens in an editor', async () => {
    await input('/year').press('Control+Enter');
    await editorHas('The branch of Bern in 1848');
    await workbench.screenshot('template-opened');
  });

  await step('a failed read is reported on the page, and the typed values stay', async () => {
    await backToTemplate();
    await input('/year').fill('');
    await field('/year')
      .getByRole('button', { name: /^More actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Set to Empty Text' }).click();
    await button('Open').click();
    await page
      .getByRole('alert')
      .getByText(/No book at library:\/\/branch\/Bern\//)
      .waitFor();
    assert.equal(await input('/city').inputValue(), 'Bern');
    await workbench.screenshot('template-refused');
    await seesNothingWrong();
  });

  await step('it is compared with a file, and its address copied', async () => {
    await input('/year').fill('1902');
    await address('library://branch/Bern/1902');
    await button('Copy URI').click();
    await button('Compare with File…').click();
    await workbench.quickInput.waitFor({ title: 'Compare With' });
    await workbench.quickInput.cancel();
  });

  await step('the form survives a reload of the window and a stop of the server', async () => {
    await workbench.reload();
    await page.getByRole('heading', { name: 'Branch', exact: true }).waitFor();
    assert.deepEqual([await input('/city').inputValue(), await input('/year').inputValue()], ['Bern', '1902']);
    await address('library://branch/Bern/1902');
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('library', /Stop/);
    await button('Start Server').waitFor();
    assert.deepEqual([await input('/city').inputValue(), await input('/year').inputValue()], ['Bern', '1902']);
    await workbench.screenshot('template-stopped');
    await seesNothingWrong();
  });

  await step('opening starts the server', async () => {
    await button('Open').click();
    await editorHas('The branch of Bern in 1902');
  });
}
