// Requests of a server to its user: a form, a page to open, and a model response by hand or by a language model.
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
  /** The panel of the tool shows its result. */
  const resultHas = async (...texts) => {
    for (const text of texts) await form.getByText(text).first().waitFor();
  };
  const heightOf = async (view) => {
    const pane = page.locator('.pane', { has: page.locator(`.pane-header[aria-label^="${view}"]`) });
    return (await pane.last().boundingBox()).height;
  };
  const run = async (tool) => {
    await workbench.runCommandAndPick('MCP Deck: Run Tool…', tool);
  };
  /**
   * Runs a tool and clicks the row of its request, once the row of the previous request is gone, because both may have
   * the same text.
   */
  const runAndAnswer = async (tool, message) => {
    await requests.row('asking').waitFor({ state: 'hidden' });
    await run(tool);
    await requests.row('asking').filter({ hasText: message }).click();
  };

  await step('[C11] a request appears as a message and a row, and does not take the focus', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('asking', /Start/);
    await servers
      .row('asking')
      .getByText(/\d tools/)
      .waitFor();
    await run('ask_form');
    await requests.row('asking').getByText('How shall the release be announced?').waitFor();
    assert.match(
      await workbench.notificationText('How shall'),
      /^Answer… · Decline – "asking" asks: How shall the release be announced\?/,
    );
    await page.locator('.statusbar-item', { hasText: '"asking" is waiting for your answer' }).waitFor();
    const [above, below] = await Promise.all([heightOf('Servers'), heightOf('Requests')]);
    assert.ok(above > 2 * below, `Servers has ${above} px, Requests ${below} px`);
    assert.equal(await quickInput.widget.isVisible(), false);
    await workbench.screenshot('request-waits');
  });

  await step('a form with many fields is a page with the server, its reason, and three ways to answer', async () => {
    await requests.click('asking');
    await form.getByRole('heading', { name: 'Request from "asking"' }).waitFor();
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
    await resultHas('"Deck 1.0"', '"accept"', '"all"', '"chat"', 'false');
    // The message closes with its request, so its links never lead to a request that has ended.
    await workbench.notification('How shall').waitFor({ state: 'detached' });
  });

  await step(
    'every type of field has its default and its control, and a field that looks like a secret is flagged',
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

  await step('typed values survive a closed tab', async () => {
    await page.getByRole('tab', { name: 'Request from "asking"' }).getByRole('button', { name: /Close/ }).click();
    await page.getByRole('tab', { name: 'Request from "asking"' }).waitFor({ state: 'detached' });
    await requests.click('asking');
    await form.getByRole('heading', { name: 'Request from "asking"' }).waitFor();
    assert.equal(await input('/email').inputValue(), 'ada@example.org');
  });

  await step('declining and dismissing are different answers', async () => {
    await form.getByRole('button', { name: 'Decline' }).click();
    await resultHas('"decline"');
    await runAndAnswer('ask_everything', 'What shall the badge show?');
    await form.getByRole('button', { name: 'Dismiss' }).click();
    await resultHas('"cancel"');
    await requests.row('asking').waitFor({ state: 'hidden' });
    await run('ask_everything');
    await workbench.notification('What shall').first().getByText('Decline', { exact: true }).click();
    await resultHas('"decline"');
  });

  await step('a request that is answered elsewhere keeps the typed values and reports it', async () => {
    await runAndAnswer('ask_everything', 'What shall the badge show?');
    await input('/homepage').fill('https://example.org');
    await requests.clickAction('asking', /Decline/);
    await resultHas('"decline"'); // from the tool that sent the request
    await page.getByRole('tab', { name: 'Request from "asking"' }).click();
    await form.getByText('"asking" no longer waits for this answer.').waitFor();
    assert.equal(await form.getByRole('button', { name: 'Submit' }).isVisible(), false);
    assert.equal(await input('/homepage').inputValue(), 'https://example.org');
    await seesNothingWrong();
    await workbench.screenshot('request-page-over');
  });

  await step('a form with few fields is answered field by field', async () => {
    await runAndAnswer('ask_small', 'How is it called?');
    await quickInput.waitFor({ title: '"asking" asks: How is it called?' });
    await quickInput.type('No');
    await quickInput.waitFor({ message: 'character' });
    await workbench.screenshot('request-field');
    await quickInput.type('Deck 1.0');
    await quickInput.accept();
    await quickInput.waitFor({ placeholder: 'Audience' });
    await quickInput.pick('Everyone');
    await quickInput.waitFor({ placeholder: 'Urgent' });
    await quickInput.accept();
    await workbench.dialog().getByText('Title: "Deck 1.0"').waitFor();
    await workbench.answerDialog('Send Answer');
    await resultHas('"Deck 1.0"', '"all"');
    await runAndAnswer('ask_small', 'How is it called?');
    await quickInput.waitFor({ title: '"asking" asks: How is it called?' });
    await quickInput.widget.getByRole('button', { name: 'Decline', exact: true }).click();
    await resultHas('"decline"');
  });

  await step(
    '[V3] a page opens only after its full address was shown, and its reason cannot contain a command link',
    async () => {
      await requests.row('asking').waitFor({ state: 'hidden' });
      await run('ask_page');
      assert.match(
        await workbench.notificationText('Confirm the payment'),
        /\[Pay\] \(command:workbench\.action\.toggleZenMode\)/,
      );
      const links = workbench.notification('Confirm the payment').locator('.notification-list-item-message a');
      assert.deepEqual(await links.allTextContents(), ['Answer…', 'Decline']);
      await requests.row('asking').filter({ hasText: 'Confirm the payment there.' }).click();
      const dialog = workbench.dialog();
      await dialog.getByText('https://pay.example/confirm?id=42').waitFor();
      await workbench.screenshot('request-page');
      await workbench.answerDialog('Decline');
      await resultHas('"decline"');
    },
  );

  await step('sampling by hand: what is typed is the answer', async () => {
    const effort = { clicks: 0, keys: 0 };
    await requests.row('asking').waitFor({ state: 'hidden' });
    await run('ask_model');
    const toast = workbench.notification('requests a model response').first();
    await toast.waitFor();
    await workbench.screenshot('request-sampling-toast');
    const [outer, link] = await Promise.all([
      toast.boundingBox(),
      toast.getByText('Decline', { exact: true }).boundingBox(),
    ]);
    assert.ok(link.x + link.width < outer.x + outer.width, 'the buttons of the notification are visible');
    await requests.row('asking').filter({ hasText: 'Name this project.' }).click();
    effort.clicks++;
    await form.getByRole('heading', { name: '"asking" requests a model response' }).waitFor();
    await form.getByText('At most 50 tokens').waitFor();
    await form.getByText('Requested while "ask_model" runs').waitFor();
    await form.locator('textarea.own-answer:focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await form.getByRole('alert').getByText('The answer is empty.').waitFor();
    await workbench.screenshot('request-sampling-empty');
    await seesNothingWrong();
    await page.keyboard.type('Deck');
    effort.keys += 'Deck'.length;
    await workbench.screenshot('request-sampling');
    await page.keyboard.press('Control+Enter');
    effort.keys++;
    await resultHas('"human"', '"Deck"');
    console.log(
      `sampling by hand: ${effort.clicks} clicks, ${effort.keys} keys (the review: 3 clicks, and the text was lost)`,
    );
    assert.ok(effort.clicks <= 1, 'a click on the request is enough');
  });

  await step('a model gets the edited request, and its answer is reviewed', async () => {
    await runAndAnswer('ask_model', 'Name this project.');
    await form.getByRole('textbox', { name: 'User, message 1' }).fill('Name my boat.');
    await form.getByRole('button', { name: 'Remove System prompt' }).click();
    await form.getByRole('button', { name: 'Ask Model' }).click();
    await quickInput.waitFor({ title: 'Model for' });
    await workbench.screenshot('request-model');
    await quickInput.pick('Scripted Two');
    await form.getByRole('heading', { name: 'Answer from Scripted Two' }).waitFor();
    await workbench.screenshot('request-answer');
    await seesNothingWrong();
    await form.getByRole('textbox', { name: 'Assistant' }).fill('Boaty');
    await form.getByRole('button', { name: 'Send' }).click();
    await resultHas('"scripted-2"', '"Boaty"');
  });

  await step('a flood of requests is one message and one list', async () => {
    await run('ask_many');
    await requests.row('asking').waitFor();
    await workbench.notification('"asking" sent you 20 requests.').first().waitFor();
    await workbench.screenshot('request-flood');
    await requests.chooseFromMenu('asking', 'Decline All Requests of This Server');
    await page.locator('.pane-header[aria-label^="Requests"]').waitFor({ state: 'detached' });
  });
}
