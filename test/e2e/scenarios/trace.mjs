// The Trace view: every message of a server, filtered, read and exported. For resending see traceResend.mjs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

export const isApart = true;
const chatter = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'chatter.mjs')] };
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { chatter } } };

export async function run({ workbench, step, workspace }) {
  const { quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const view = workbench.webviewOfView();
  const lines = () => view.locator('.rows .row');
  const line = (...texts) => texts.reduce((found, text) => found.filter({ hasText: text }), lines());
  const count = view.locator('.bar .count');
  const filter = view.locator('.filter-text');
  const list = view.getByRole('grid', { name: 'Messages' });
  const details = view.locator('.details');
  const keyboard = workbench.page.keyboard;
  const exported = workspace.file('chatter-trace.jsonl');
  const run = async (tool) => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.find(tool);
  };
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(view), []);

  await step('the view explains its purpose while there is no trace', async () => {
    await workbench.runCommand('MCP Deck Trace: Focus on Trace View');
    await view.getByText('The trace shows every message').waitFor();
    await workbench.screenshot('trace-none');
    await seesNothingWrong();
  });

  await step('a server that is not running can be traced from its first message on', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.chooseFromMenu('chatter', 'Show Trace');
    await view.getByText('"chatter" is not running.').waitFor();
    await workbench.screenshot('trace-idle');
    await seesNothingWrong();
    await view.getByText('Start Server').click();
    await line('initialize').first().waitFor();
    await line('tools/list').first().waitFor();
  });

  await step('every message is a line, with its answer, latency and size', async () => {
    for (const tool of ['fail', 'refuse', 'stray']) {
      await run(tool);
      await line('tools/call', `"name":"${tool}","arguments"`).waitFor();
    }
    await line('not a message', 'Listening on port 3000').waitFor();
    await line('not a message', '{"hello":"world"}').waitFor();
    await line('tools/call', 'There it is.').getByText(/\d ms/).waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.screenshot('trace-list');
    await seesNothingWrong();
  });

  await step('filters by errors, direction, method and text hide the other lines', async () => {
    await view.getByRole('button', { name: 'Errors Only' }).click();
    await line('The disk is full.').waitFor();
    await line('tools/call', '"name":"fail","arguments"').waitFor({ state: 'detached' });
    await workbench.screenshot('trace-errors');
    await view.getByRole('button', { name: 'Errors Only' }).click();
    await view.getByRole('combobox', { name: 'Direction' }).selectOption('sent');
    await line('The disk is full.').waitFor({ state: 'detached' });
    await view.getByRole('combobox', { name: 'Direction' }).selectOption('both');
    await view.getByRole('combobox', { name: 'Method' }).selectOption('tools/call');
    await line('initialize').first().waitFor({ state: 'detached' });
    await filter.fill('nothing like this');
    await view.getByText('No messages match the filter.').waitFor();
    await workbench.screenshot('trace-no-match');
    await seesNothingWrong();
    await view.getByRole('button', { name: 'Clear Filter' }).click();
    await line('initialize').first().waitFor();
    assert.equal(await filter.inputValue(), '');
    assert.equal(await view.getByRole('combobox', { name: 'Method' }).inputValue(), '');
    await filter.fill('disk is FULL');
    await line('The disk is full.').waitFor();
    await view.getByText(/^1 of \d+ messages$/).waitFor();
    await filter.fill('');
    await line('initialize').first().waitFor();
  });

  await step('the keyboard moves through the lines, into a message and back', async () => {
    await filter.press('ArrowDown');
    await keyboard.press('End');
    await keyboard.press('ArrowUp');
    await view.locator('.row[aria-selected="true"]').waitFor();
    const chosen = await view.locator('.row[aria-selected="true"]').getAttribute('id');
    assert.equal(await list.getAttribute('aria-activedescendant'), chosen);
    await line('tools/call', '"name":"fail",').click();
    await keyboard.press('Enter');
    await details.getByRole('heading', { name: 'Request sent' }).waitFor();
    await details.getByRole('heading', { name: 'Response received' }).waitFor();
    await details.getByText('The disk is full.').waitFor();
    await workbench.screenshot('trace-details');
    await seesNothingWrong();
    await keyboard.press('Escape');
    await details.waitFor({ state: 'hidden' });
    await view.locator('.list:focus').waitFor();
  });

  await step('a call becomes a case of a new test file', async () => {
    const file = workspace.file('chatter.mcptest.yaml');
    await line('tools/call', '"name":"fail",').first().dblclick();
    await details.getByRole('button', { name: 'Save as Test…' }).click();
    await quickInput.waitFor({ placeholder: /^Select a test file of/ });
    await quickInput.pick('New File…');
    // The dialog writes its folder into the box after reading it, and overwrites earlier input. It lists folders.
    await quickInput.row('docs').waitFor();
    await quickInput.type(file);
    await quickInput.accept();
    await workbench.waitForEditor('chatter.mcptest.yaml');
    assert.match(readFileSync(file, 'utf8'), /call: fail\n[^]*isError: true/);
    await workbench.screenshot('trace-test');
    await workbench.runCommand('View: Close All Editors');
    await workbench.runCommand('MCP Deck Trace: Focus on Trace View');
    await view.getByRole('button', { name: 'Close Details' }).click();
  });

  await step('a paused view shows nothing new and counts the waiting messages', async () => {
    await view.getByRole('button', { name: 'Pause' }).click();
    await run('fail');
    await view.getByText('Paused. New messages: 2').waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.screenshot('trace-paused');
    await seesNothingWrong();
    await view.getByRole('button', { name: 'Pause' }).click();
    await view.getByText(/^\d+ messages$/).waitFor();
  });

  await step('the captured messages are exported without secrets to the file chosen in the dialog', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Export Trace…', { title: 'Export Trace' });
    // The dialog writes its folder into the box after reading it, and overwrites earlier input.
    await quickInput.row('README.md').waitFor();
    await quickInput.type(exported);
    await quickInput.accept();
    await workbench.statusBarItem(/Exported messages, without secrets: \d+/).waitFor();
    const text = readFileSync(exported, 'utf8');
    assert.ok(text.includes('The disk is full.') && text.includes('"method":"initialize"'), text);
  });

  await step('the file opens through its dialog and shows its lines, which cannot be sent again', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Open Trace File…', { title: 'Open Trace' });
    await quickInput.row('chatter-trace.jsonl').waitFor();
    await quickInput.type(exported);
    await quickInput.accept();
    await view.getByText('chatter-trace.jsonl').first().waitFor();
    await line('initialize').first().waitFor();
    await line('tools/call', 'There it is.').getByText(/\d ms/).waitFor();
    await workbench.screenshot('trace-file');
    await seesNothingWrong();
    await line('tools/call', '"name":"fail",').first().dblclick();
    await details.getByRole('heading', { name: 'Request sent' }).waitFor();
    assert.equal(await details.getByText('Edit and Resend…').count(), 0);
    await keyboard.press('Escape');
  });

  await step('100,000 messages are kept, scroll and can be searched', async () => {
    await servers.chooseFromMenu('chatter', 'Show Trace');
    await line('initialize').first().waitFor();
    await run('flood');
    await view.getByText('the latest 100,000 messages').waitFor({ timeout: 60_000 });
    await line('100500 notifications were sent.').waitFor();
    const follow = view.getByRole('button', { name: 'Follow' });
    assert.equal(await follow.getAttribute('aria-pressed'), 'true');
    await list.focus();
    await keyboard.press('Home');
    await line('"of":100500').first().waitFor();
    await view.locator('.toggle[aria-pressed="false"]', { hasText: 'Follow' }).waitFor();
    await follow.click();
    await line('100500 notifications were sent.').waitFor();
    assert.equal(await follow.getAttribute('aria-pressed'), 'true');
    await list.focus();
    await keyboard.press('Home');
    await line('"of":100500').first().waitFor();
    assert.equal(await list.getAttribute('aria-rowcount'), '100001');
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
    await line(/"number":50\d{3}/)
      .first()
      .waitFor();
    await workbench.screenshot('trace-100000');
    assert.ok((await lines().count()) < 150);
    await filter.fill('"number":77777,');
    await view.getByText('1 of 100,000 messages').waitFor();
    await line('"number":77777,').waitFor();
    await filter.fill('');
    await keyboard.press('Escape');
  });
}
