// A server asks its user: a form, a page to open, and a language model.
import assert from 'node:assert/strict';
import { axeViolations } from '../axe.mjs';

export const window = {
  workspace: 'sample',
  extensions: ['scripted-model'],
  settings: {
    'mcpDeck.servers': { asking: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/asking.mjs'] } },
  },
};

export async function run({ workbench, step }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const requests = workbench.tree('Requests');
  const form = workbench.webview();
  const field = (pointer) => form.locator(`.field[data-path="${pointer}"]`);
  const input = (pointer) => field(pointer).locator('input, textarea').first();
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(form), []);
  /** The result of a call that took long, while its user was elsewhere, is offered instead of opened. */
  const editorHas = async (text) => {
    const line = page.locator('.editor-group-container.active .view-line', { hasText: text }).first();
    const offer = page.getByRole('button', { name: 'Show Result' });
    await line.or(offer.first()).first().waitFor();
    if (!(await line.isVisible())) await offer.last().click();
    await line.waitFor();
  };
  const run = async (tool) => {
    await workbench.runCommandAndPick('MCP Deck: Run Tool…', tool);
  };
  /** Runs a tool and clicks the row of what it asks, once that of the request before is gone: it may read the same. */
  const runAndAnswer = async (tool, message) => {
    await requests.row('asking').waitFor({ state: 'hidden' });
    await run(tool);
    await requests.row('asking').filter({ hasText: message }).click();
  };

  await step('[C11] a request shows as a message and a row, and takes no focus', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('asking', /Start/);
    await servers.row('asking').getByText('11 tools').waitFor();
    await run('ask_form');
    await requests.row('asking').getByText('How shall the release be announced?').waitFor();
    assert.match(await workbench.notificationText('How shall'), /"asking" asks: How shall the release be announced\?/);
    assert.equal(await quickInput.widget.isVisible(), false);
    await workbench.screenshot('request-waits');
  });

  await step('a form with many fields is a page: who asks, why, and three ways to answer', async () => {
    await requests.click('asking');
    await form.getByRole('heading', { name: 'asking asks' }).waitFor();
    await form.locator('input:focus').waitFor();
    await workbench.screenshot('request-page-form');
    await seesNothingWrong();
    await input('/title').fill('No');
    await field('/title').getByText('must have at least 3 characters').waitFor();
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.locator('.problem-line').waitFor();
    await seesNothingWrong();
    await input('/title').fill('Deck 1.0');
    await field('/channels').getByLabel('chat').check();
    await field('/audience').locator('vscode-single-select').click();
    await form.getByRole('option', { name: 'Everyone' }).click();
    await input('/title').press('Control+Enter');
    await editorHas('Deck 1.0');
    const text = (await workbench.editorText()).replaceAll(/\s/g, '');
    for (const part of ['"action":"accept"', '"audience":"all"', '"chat"', '"urgent":false'])
      assert.ok(text.includes(part), `${part} is missing in ${text}`);
  });

  await step(
    'every type of field has its default and its control, and what looks like a secret is flagged',
    async () => {
      await runAndAnswer('ask_everything', 'What shall the badge show?');
      await form.getByText('"Door code" looks like a secret.').waitFor();
      await form.getByText('It is printed for <b>you</b>.').waitFor();
      assert.equal(await input('/name').inputValue(), 'Ada');
      assert.equal(await input('/weight').inputValue(), '7.5');
      assert.equal(await field('/days').getByLabel('Mon').isChecked(), true);
      await input('/email').fill('ada@');
      await field('/email').locator('.field-error').getByText(/email/).waitFor();
      await input('/email').fill('ada@example.org');
      await form.locator('.problem-line').waitFor({ state: 'hidden' });
      await workbench.screenshot('request-page-everything');
      await seesNothingWrong();
    },
  );

  await step('what is typed outlives a tab that is closed', async () => {
    await page.getByRole('tab', { name: 'asking asks' }).getByRole('button', { name: /Close/ }).click();
    await page.getByRole('tab', { name: 'asking asks' }).waitFor({ state: 'detached' });
    await requests.click('asking');
    await form.getByRole('heading', { name: 'asking asks' }).waitFor();
    assert.equal(await input('/email').inputValue(), 'ada@example.org');
  });

  await step('declining and dismissing are two answers', async () => {
    await form.getByRole('button', { name: 'Decline' }).click();
    await editorHas('"decline"');
    await runAndAnswer('ask_everything', 'What shall the badge show?');
    await form.getByRole('button', { name: 'Dismiss' }).click();
    await editorHas('"cancel"');
  });

  await step('a request that is answered elsewhere leaves what was typed and says so', async () => {
    await runAndAnswer('ask_everything', 'What shall the badge show?');
    await input('/homepage').fill('https://example.org');
    await requests.clickAction('asking', /Decline/);
    await editorHas('"decline"'); // of the tool that had asked
    await page.getByRole('tab', { name: 'asking asks' }).click();
    await form.getByText('"asking" no longer waits for this answer.').waitFor();
    assert.equal(await form.getByRole('button', { name: 'Submit' }).isVisible(), false);
    assert.equal(await input('/homepage').inputValue(), 'https://example.org');
    await seesNothingWrong();
    await workbench.screenshot('request-page-over');
  });

  await step('a form of few fields is answered one by one', async () => {
    await runAndAnswer('ask_small', 'How is it called?');
    await quickInput.waitFor({ title: 'asking asks', placeholder: 'How is it called?' });
    await workbench.screenshot('request-choice');
    await quickInput.pick('Answer…');
    await quickInput.waitFor({ title: 'asking asks' });
    await quickInput.type('No');
    await quickInput.waitFor({ message: 'character' });
    await workbench.screenshot('request-field');
    await quickInput.type('Deck 1.0');
    await quickInput.accept();
    await quickInput.waitFor({ placeholder: 'Audience' });
    await quickInput.pick('Everyone');
    await quickInput.waitFor({ placeholder: 'Urgent' });
    await quickInput.accept();
    await editorHas('Deck 1.0');
    assert.match(await workbench.editorText(), /"audience":\s*"all"/);
  });

  await step(
    '[V3] a page is opened only after its whole address was shown, and its reason is no link that runs a command',
    async () => {
      await requests.row('asking').waitFor({ state: 'hidden' });
      await run('ask_page');
      assert.match(
        await workbench.notificationText('Confirm the payment'),
        /\[Pay\] \(command:workbench\.action\.toggleZenMode\)/,
      );
      assert.equal(
        await workbench.notification('Confirm the payment').locator('.notification-list-item-message a').count(),
        0,
      );
      await requests.row('asking').filter({ hasText: 'Confirm the payment there.' }).click();
      const dialog = workbench.dialog();
      await dialog.getByText('https://pay.example/confirm?id=42').waitFor();
      await workbench.screenshot('request-page');
      await workbench.answerDialog('Decline');
      await page.locator('.editor-group-container.active .view-line', { hasText: 'decline' }).first().waitFor();
    },
  );

  await step('sampling is reviewed as a document', async () => {
    await runAndAnswer('ask_model', 'Name this project.');
    await page
      .locator('.editor-group-container.active .view-line', { hasText: 'Name this project.' })
      .first()
      .waitFor();
    await workbench.screenshot('request-sampling');
    await workbench.runCommand('MCP Deck: Ask a Language Model');
    await workbench.answerDialog('Ask the Model');
    await quickInput.waitFor({ title: 'Model for' });
    await workbench.screenshot('request-model');
    await quickInput.pick('Scripted Two');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'The answer to' }).first().waitFor();
    await workbench.screenshot('request-answer');
    await workbench.runCommand('MCP Deck: Send Answer');
    await workbench.answerDialog('Send Answer');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'scripted-2' }).first().waitFor();
  });

  await step('a flood is one message and one list', async () => {
    await run('ask_many');
    await requests.row('asking').waitFor();
    await workbench.notification('"asking" sent you 20 requests.').first().waitFor();
    await workbench.screenshot('request-flood');
    await requests.chooseFromMenu('asking', 'Decline All Requests of This Server');
    await page.locator('.pane-header[aria-label^="Requests"]').waitFor({ state: 'detached' });
  });
}
