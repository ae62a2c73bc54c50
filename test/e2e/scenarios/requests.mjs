// A server asks its user: a form, a page to open, and a language model.
import assert from 'node:assert/strict';

export const themes = ['dark', 'light'];
export const window = {
  workspace: 'sample',
  extensions: ['scripted-model'],
  settings: { 'mcpDeck.servers': { asking: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/asking.mjs'] } } },
};

export async function run({ workbench, step }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const requests = workbench.tree('Requests');
  const run = async (tool) => {
    await workbench.runCommand('MCP Deck: Run Tool…');
    await quickInput.waitFor();
    await quickInput.type(tool);
    await quickInput.pick(tool);
  };

  await step('a request shows as a message and a row, and takes no focus', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('asking', /Start/);
    await servers.row('asking').getByText('7 tools').waitFor();
    await run('ask_form');
    await requests.row('asking').getByText('How shall the release be announced?').waitFor();
    assert.match(await workbench.notificationText('How shall'), /"asking" asks: How shall the release be announced\?/);
    assert.equal(await quickInput.widget.isVisible(), false);
    await workbench.screenshot('request-waits');
  });

  await step('a form is answered field by field', async () => {
    await requests.click('asking');
    await quickInput.waitFor({ title: 'asking asks', placeholder: 'How shall the release' });
    await workbench.screenshot('request-choice');
    await quickInput.pick('Answer…');
    await quickInput.waitFor({ title: 'asking asks' });
    await quickInput.type('No');
    await quickInput.waitFor({ message: 'character' });
    await workbench.screenshot('request-field');
    await quickInput.type('Deck 1.0');
    await quickInput.accept();
    await quickInput.waitFor({ placeholder: 'Channels' });
    await quickInput.pick('chat');
    await quickInput.accept();
    await quickInput.waitFor({ placeholder: 'Audience' });
    await quickInput.pick('Everyone');
    await quickInput.waitFor({ placeholder: 'Urgent' });
    await quickInput.accept();
    await page.locator('.editor-group-container.active .view-line', { hasText: 'Deck 1.0' }).first().waitFor();
    const text = await workbench.editorText();
    assert.match(text, /"title":\s*"Deck 1\.0"/);
    assert.match(text, /"audience":\s*"all"/);
    assert.match(text, /chat/);
  });

  await step('a page is opened only after its whole address was shown', async () => {
    await run('ask_page');
    await requests.click('asking');
    const dialog = workbench.dialog();
    await dialog.getByText('https://pay.example/confirm?id=42').waitFor();
    await workbench.screenshot('request-page');
    await workbench.answerDialog('Decline');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'decline' }).first().waitFor();
  });

  await step('sampling is reviewed as a document', async () => {
    await run('ask_model');
    await requests.click('asking');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'Name this project.' }).first().waitFor();
    await workbench.screenshot('request-sampling');
    await workbench.runCommand('MCP Deck: Ask a Language Model');
    await quickInput.waitFor({ title: 'Model for' });
    await workbench.screenshot('request-model');
    await quickInput.pick('Scripted Two');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'The answer for' }).first().waitFor();
    await workbench.screenshot('request-answer');
    await workbench.runCommand('MCP Deck: Send Answer');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'scripted-2' }).first().waitFor();
  });

  await step('a flood is one message and one list', async () => {
    await run('ask_many');
    await requests.row('asking').waitFor();
    await workbench.notification('asks you').first().waitFor();
    assert.match(await workbench.notificationText('asks you'), /"asking" asks you 20 things\./);
    await workbench.screenshot('request-flood');
    await requests.chooseFromMenu('asking', 'Decline All Requests of This Server');
    await page.locator('.pane-header[aria-label^="Requests"]').waitFor({ state: 'detached' });
  });
}
