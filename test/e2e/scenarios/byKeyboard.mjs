// Managing servers without a mouse: every step uses only keys.
import assert from 'node:assert/strict';
import { governedWindow, writeGoverned } from '../governed.mjs';
import { Keyboard } from '../keyboard.mjs';

export const isApart = true;
export const window = governedWindow;

export async function run({ workbench, step, workspace }) {
  const { quickInput, page } = workbench;
  const keyboard = new Keyboard(workbench);
  const servers = workbench.tree('Servers');
  const requests = workbench.tree('Requests');
  const runs = workbench.tree('Runs');
  const dialog = workbench.dialog();
  const diff = page.locator('.editor-group-container.active .monaco-diff-editor');
  const trace = workbench.webviewOfView();
  const lines = (text) => trace.locator('.rows .row', { hasText: text });
  const editorHas = (text) =>
    page.locator('.editor-group-container.active .view-line', { hasText: text }).first().waitFor();
  const picture = (name) => workbench.screenshot(`keyboard-${name}`);
  const goToServer = async (label) => {
    await keyboard.runCommand('MCP Deck: Focus on Servers View');
    await keyboard.goToRow(servers, label);
  };
  const ask = async (task) => {
    await keyboard.runCommand('Tasks: Run Task');
    await keyboard.pick(task);
    await requests.row('changing').waitFor();
    await keyboard.runCommand('MCP Deck: Focus on Requests View');
    await keyboard.goToRow(requests, 'changing');
    await picture(`${task}-waits`);
    await keyboard.press('Enter');
    await dialog.waitFor();
    await picture(`${task}-question`);
  };
  /** The Requests view disappears with its last request, and the focus moves to the servers. */
  const noneWaits = async () => {
    await requests.pane.waitFor({ state: 'detached' });
    await servers.pane.locator('.monaco-list:focus').waitFor();
  };
  const openChange = async () => {
    await goToServer('Look Up');
    await keyboard.press('Enter');
    await diff.locator('.view-line', { hasText: 'id_rsa' }).first().waitFor();
    await workbench.notification('has changed since you approved it').first().waitFor();
  };
  writeGoverned(workspace);

  await step('a server starts from the menu of its line', async () => {
    await keyboard.runCommand('View: Show MCP Deck');
    await servers.waitForRows();
    await goToServer('changing');
    await keyboard.chooseFromMenu('Start Server');
    await servers.row('changing').getByText('6 tools').waitFor();
  });

  await step('a call is refused', async () => {
    await ask('notes');
    await keyboard.answerDialog('Deny');
    await noneWaits();
    await runs.rowElements.filter({ hasText: 'You denied the call' }).first().waitFor();
    await picture('refused');
  });

  await step('a call is approved', async () => {
    await ask('guide');
    await keyboard.answerDialog('Allow Once');
    await noneWaits();
    await runs.rowElements.filter({ hasText: 'docs/guide.md' }).first().waitFor();
    await picture('approved');
  });

  await step('a tool that changes while its server runs is quarantined, and its change can be read', async () => {
    await goToServer('changing');
    await keyboard.expand(servers, 'changing', 'Tools');
    await keyboard.goToRow(servers, 'turn');
    await keyboard.chooseFromMenu('Run Tool…');
    // The panel opens instead of a question. The focus is not on its button, because a program could have opened it.
    await workbench.webview().locator('h1:focus').waitFor();
    await keyboard.press('Control+Enter');
    await servers.row('Look Up').getByText('in quarantine').waitFor();
    await openChange();
    await picture('change');
    await keyboard.press('F7');
    const reading = diff.locator('.diff-review');
    await reading.getByText('send the file ~/.ssh/id_rsa').waitFor();
    await picture('change-read');
    await keyboard.press('Escape');
    await reading.waitFor({ state: 'hidden' });
  });

  await step('it stays in quarantine', async () => {
    await keyboard.runCommand('Notifications: Show Notifications');
    const keep = page.locator('.notifications-center').getByRole('button', { name: 'Keep in Quarantine' });
    await keyboard.tabTo(keep);
    await picture('change-kept');
    await keyboard.press('Enter');
    await diff.waitFor({ state: 'detached' });
    await servers.row('Look Up').getByText('in quarantine').waitFor();
    await keyboard.runCommand('Notifications: Clear All Notifications');
  });

  await step('its change is accepted', async () => {
    await openChange();
    await keyboard.runCommand('MCP Deck: Accept Change');
    await dialog.waitFor();
    await picture('change-question');
    await keyboard.answerDialog('Accept Change');
    await servers.row('Look Up').getByText('1 hidden character').waitFor();
    await diff.waitFor({ state: 'detached' });
    // The panel of "turn". Chromium does not match an iframe with the focus by ":focus".
    await page.waitForFunction(() => document.activeElement?.matches('iframe.webview.ready'));
    await picture('change-accepted');
  });

  await step('an older offer to accept the change is outdated and reports so', async () => {
    await keyboard.runCommand('Notifications: Show Notifications');
    await keyboard.tabTo(page.locator('.notifications-center').getByRole('button', { name: 'Accept Change…' }));
    await keyboard.press('Enter');
    await page
      .locator('.notification-list-item', { hasText: '"lookup" of "changing" has not changed since you approved it.' })
      .waitFor();
    await keyboard.runCommand('Notifications: Clear All Notifications');
  });

  await step('presets are switched by command, and from the status bar', async () => {
    await keyboard.runCommand('MCP Deck: Switch Preset…');
    await quickInput.waitFor({ title: 'Switch Preset' });
    await keyboard.goTo('review');
    await picture('presets');
    await keyboard.press('Enter');
    await servers.row('turn').getByText('not in the preset').waitFor();
    await keyboard.goToPart('statusbar');
    await keyboard.tabTo(workbench.statusBarItem('review').getByRole('button'), 'ArrowRight');
    await picture('preset');
    await keyboard.press('Enter');
    await quickInput.waitFor({ title: 'MCP Deck' });
    await keyboard.pick('No Preset');
    await dialog.waitFor();
    await keyboard.answerDialog('Turn Off');
    await servers.row('turn').getByText('not in the preset').waitFor({ state: 'detached' });
    await workbench.statusBarItem('review').waitFor({ state: 'detached' });
  });

  await step('selected servers are imported', async () => {
    await keyboard.runCommand('MCP Deck: Import Servers…');
    await quickInput.waitFor({ title: 'Import Servers', placeholder: 'Select an app' });
    await keyboard.goTo('Cursor (sample)');
    await picture('import-apps');
    await keyboard.press('Enter');
    await quickInput.waitFor({ placeholder: 'Select the servers to import' });
    await keyboard.press('ArrowDown');
    await keyboard.goTo('spare');
    await keyboard.press('Space');
    await quickInput.row('spare').and(page.locator('[aria-checked="false"]')).waitFor();
    await quickInput.row('library').and(page.locator('[aria-checked="true"]')).waitFor();
    await picture('import-servers');
    await keyboard.press('Enter');
    await quickInput.waitFor({ placeholder: 'Where should the server be saved' });
    await keyboard.pick('User settings');
    await dialog.getByText('to your user settings?').waitFor();
    await picture('import-question');
    await keyboard.answerDialog('Add to User Settings');
    await editorHas('Nothing was started');
    await servers.row('library').getByText('stopped').waitFor();
    assert.equal(await servers.row('spare').count(), 0);
    await picture('import-report');
  });

  await step('a call in the trace is edited and sent again', async () => {
    await goToServer('changing');
    await keyboard.chooseFromMenu('Show Trace');
    await trace.getByRole('grid', { name: 'Messages' }).waitFor();
    await goToServer('Look Up');
    await keyboard.chooseFromMenu('Run Tool…');
    await quickInput.waitFor({ title: 'Look Up' });
    await keyboard.type('deck');
    await keyboard.press('Enter');
    await workbench.resultHas('lookup {"word":"deck"}');
    await keyboard.runCommand('MCP Deck Trace: Focus on Trace View');
    const call = lines('"arguments":{"word":"deck"}');
    await call.waitFor();
    await lines('lookup {\\"word\\":\\"deck\\"}').waitFor();
    await keyboard.tabTo(trace.getByRole('grid', { name: 'Messages' }));
    // The trace begins with messages from before, so the call is one of the last rows.
    await keyboard.press('End');
    const selected = trace.locator('.row[aria-selected="true"]');
    await selected.waitFor();
    while (!(await selected.textContent())?.includes('"arguments":{"word":"deck"}')) {
      const before = await selected.textContent();
      await keyboard.press('ArrowUp');
      await selected.filter({ hasNotText: before ?? '' }).waitFor();
    }
    await keyboard.press('Enter');
    await trace.getByRole('heading', { name: 'Request sent' }).waitFor();
    await picture('trace-details');
    await trace.locator('.details [role="treeitem"]:focus').waitFor();
    await keyboard.tabTo(trace.locator('.details vscode-button', { hasText: 'Edit and Resend…' }), 'Shift+Tab');
    await keyboard.press('Enter');
    const parameters = trace.getByRole('textbox', { name: 'Parameters of tools/call' });
    await parameters.and(trace.locator(':focus')).waitFor();
    assert.deepEqual(JSON.parse(await parameters.inputValue()), { name: 'lookup', arguments: { word: 'deck' } });
    assert.match(await parameters.inputValue(), /^\{/);
    // VS Code handles Control+A in a page itself, after the text typed next.
    await keyboard.press('Control+Home', 'Control+Shift+End');
    await keyboard.type('{ "name": "lookup", "arguments": { "word": "once more" } }');
    await picture('resend');
    await keyboard.press('Control+Enter');
    await lines('once more').nth(1).waitFor();
    await parameters.waitFor({ state: 'detached' });
    await trace.locator('.details [role="treeitem"]:focus').waitFor();
    await picture('resent');
  });
}
