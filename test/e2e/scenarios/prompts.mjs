// A prompt: its form with the server's completion, its messages with their roles, and the actions on them.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

export const isApart = true;
const library = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'library.mjs')] };
export const window = {
  workspace: 'sample',
  settings: { 'mcpDeck.servers': { library } },
  extensions: ['scripted-model'],
};

export async function run({ workbench, step }) {
  const servers = workbench.tree('Servers');
  const page = workbench.webview();
  const field = (pointer) => page.locator(`.field[data-path="${pointer}"]`);
  const input = (pointer) => field(pointer).locator('input').first();
  const side = page.locator('.result-side');
  const button = (name) => side.getByRole('button', { name, exact: true });
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(page), []);
  const backToPrompt = () => workbench.page.getByRole('tab', { name: 'Recommend a Book' }).first().click();
  const editorHas = (text) =>
    workbench.page.locator('.editor-group-container.active .view-line', { hasText: text }).first().waitFor();

  await step('the tree opens the form of a prompt, ready to be typed into', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('library', /Start/);
    await servers.expand('library', 'Prompts');
    await servers.clickAction('Recommend a Book', /Prompt/);
    await page.getByRole('heading', { name: 'Recommend a Book', exact: true }).waitFor();
    await page.locator('input:focus').waitFor();
    await workbench.screenshot('prompt-empty');
    await seesNothingWrong();
  });

  await step('a missing required argument is reported at its field', async () => {
    await page.getByRole('button', { name: 'Get Messages' }).click();
    await field('/city').getByText('Required').waitFor();
    await seesNothingWrong();
  });

  await step('the server completes what is typed', async () => {
    await input('/city').fill('Ber');
    await page.getByRole('option', { name: 'Bern', exact: true }).waitFor();
    await workbench.screenshot('prompt-completion');
    await seesNothingWrong();
    await input('/city').press('ArrowDown');
    await input('/city').press('ArrowDown');
    await input('/city').press('ArrowDown');
    await input('/city').press('Enter');
    assert.equal(await input('/city').inputValue(), 'Bern');
  });

  await step('the messages appear beside the form with their roles', async () => {
    await input('/city').press('Control+Enter');
    await side.getByText('2 messages').waitFor();
    assert.deepEqual(await side.locator('.result-role').allTextContents(), ['User', 'Assistant']);
    await side.getByText('I am in Bern. What should I read?').waitFor();
    await workbench.screenshot('prompt-messages');
    await seesNothingWrong();
  });

  await step('they open as a document', async () => {
    await button('Open as Document').click();
    await workbench.waitForEditor('recommend - prompt');
    await editorHas('I am in Bern.');
  });

  await step('they are inserted at the cursor of the last editor', async () => {
    await workbench.runCommand('File: New Untitled Text File');
    await workbench.page.keyboard.type('Before. ');
    await backToPrompt();
    await button('Insert at Cursor').click();
    await editorHas('## User');
    assert.match(
      await workbench.editorText(),
      /^Before\. ## User\n[^]*I am in Bern\. What should I read\?[^]*## Assistant/,
    );
  });

  await step('they are copied, by the button and by the palette', async () => {
    await backToPrompt();
    await button('Copy').click();
    await workbench.statusBarItem('Copied').waitFor();
    await workbench.statusBarItem('Copied').waitFor({ state: 'detached' });
    await workbench.runCommand('MCP Deck: Copy Prompt Messages');
    await workbench.statusBarItem('Copied').waitFor();
  });

  await step('the form survives a reload of the window', async () => {
    await input('/mood').fill('curious');
    await workbench.reload();
    await page.getByRole('heading', { name: 'Recommend a Book', exact: true }).waitFor();
    assert.deepEqual([await input('/city').inputValue(), await input('/mood').inputValue()], ['Bern', 'curious']);
    await workbench.screenshot('prompt-restored');
    await seesNothingWrong();
  });

  await step('they are placed in the chat input and not sent', async () => {
    await input('/mood').press('Control+Enter');
    await button('Send to Chat').click();
    await workbench.chat.view
      .locator('.interactive-input-part .view-line', { hasText: 'and feel curious' })
      .first()
      .waitFor();
    assert.equal(await workbench.chat.rows().count(), 0);
    await workbench.screenshot('prompt-chat');
  });
}
