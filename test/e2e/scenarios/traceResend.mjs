// Edit and resend in the Trace view: a sent request is changed and sent again as a new request.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

const chatter = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'chatter.mjs')] };
const rules = [{ effect: 'deny', tool: 'say', arguments: { '/text': 'forbidden' } }];
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { chatter }, 'mcpDeck.rules': rules } };

export async function run({ workbench, step }) {
  const { quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const view = workbench.webviewOfView();
  const line = (...texts) => texts.reduce((found, text) => found.filter({ hasText: text }), view.locator('.rows .row'));
  const details = view.locator('.details');
  const keyboard = workbench.page.keyboard;
  /** Opens the editor with the parameters of the first request whose line has these texts. */
  const edit = async (method, ...texts) => {
    await line(method, ...texts)
      .first()
      .dblclick();
    await details.getByText('Edit and Resend…').click();
    const editor = details.getByRole('textbox', { name: `Parameters of ${method}` });
    await editor.waitFor();
    return editor;
  };
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(view), []);

  await step('a call is traced', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.chooseFromMenu('chatter', 'Show Trace');
    await view.getByText('Start Server').click();
    await line('tools/list').first().waitFor();
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.find('fail');
    await line('tools/call', 'The disk is full.').waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  await step('invalid JSON is not sent, and the error shows its position', async () => {
    const editor = await edit('tools/call', '"name":"fail",');
    assert.match(await editor.inputValue(), /"name": "fail"/, 'the editor begins with what was sent');
    await editor.fill('{ "name": "say", ');
    await editor.press('Control+Enter');
    await details.getByText('This text is not JSON').waitFor();
    const below = await details
      .getByText('This text is not JSON')
      .evaluate((element) => element.getBoundingClientRect().bottom - window.innerHeight);
    assert.ok(below < 1, `it ends ${below} pixels below the view`);
    await workbench.screenshot('trace-resend-problem');
    await seesNothingWrong();
  });

  await step('a request is changed and sent again as a new request', async () => {
    const editor = details.getByRole('textbox', { name: 'Parameters of tools/call' });
    await editor.fill('{ "name": "say", "arguments": { "text": "once more", "password": "hunter2-hunter2" } }');
    await workbench.screenshot('trace-resend');
    await editor.press('Control+Enter');
    await line('You said: once more').waitFor();
    await editor.waitFor({ state: 'detached' });
    assert.equal(await line('hunter2').count(), 0);
    await line('tools/call', '"name":"fail",').first().waitFor(); // the first request is unchanged
    await workbench.screenshot('trace-resent');
    await keyboard.press('Escape');
  });

  await step('a request that calls no tool is sent again unchanged', async () => {
    const before = await line('tools/list').count();
    const editor = await edit('tools/list');
    await editor.press('Control+Enter');
    await line('tools/list').nth(before).waitFor();
    await editor.waitFor({ state: 'detached' });
    await keyboard.press('Escape');
  });

  await step('a call that a rule denies is not sent, even when the user edited it', async () => {
    const editor = await edit('tools/call', 'once more');
    await editor.fill('{ "name": "say", "arguments": { "text": "forbidden" } }');
    await details.getByRole('button', { name: 'Send', exact: true }).click();
    await workbench.notification('A rule denies the call to "say"').waitFor();
    await workbench.screenshot('trace-resend-denied');
    assert.equal(await line('forbidden').count(), 0);
    await workbench.runCommand('Notifications: Clear All Notifications');
    await details.getByRole('button', { name: 'Close Details' }).click();
  });

  await step('nothing is sent to a stopped server, and the typed text stays', async () => {
    await servers.clickAction('chatter', /Stop/);
    // The process that answered the era probe has ended already. The line of the server shows that this one has ended
    // too.
    await servers.row('chatter').filter({ hasText: 'stopped' }).waitFor();
    const editor = await edit('tools/call', 'once more');
    await details.getByText('Secrets are replaced by dots.').waitFor();
    await editor.press('Control+Enter');
    await details.getByText('A secret was omitted.').waitFor();
    await editor.fill('{ "name": "say" }');
    await editor.press('Control+Enter');
    await details.getByText('"chatter" is not running').waitFor();
    assert.equal(await editor.inputValue(), '{ "name": "say" }');
  });
}
