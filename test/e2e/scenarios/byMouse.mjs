// Managing servers by mouse: keys only fill in fields.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { governedWindow, writeGoverned } from '../governed.mjs';
import { chooseFromWindowMenu } from '../menu.mjs';

export const isApart = true;
export const window = governedWindow;

export async function run({ workbench, step, workspace }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const requests = workbench.tree('Requests');
  const runs = workbench.tree('Runs');
  const dialog = workbench.dialog();
  const diff = page.locator('.editor-group-container.active .monaco-diff-editor');
  const pages = page.frameLocator('iframe.webview.ready:visible');
  const panel = pages.first().frameLocator('#active-frame');
  const trace = pages.last().frameLocator('#active-frame');
  const lines = (text) => trace.locator('.rows .row', { hasText: text });
  const details = trace.locator('.details');
  const editorHas = (text) =>
    page.locator('.editor-group-container.active .view-line', { hasText: text }).first().waitFor();
  const picture = (name) => workbench.screenshot(`mouse-${name}`);
  const ask = async (task) => {
    await chooseFromWindowMenu(page, 'Terminal', /^Run Task/);
    await quickInput.pick(task);
    await requests.click('changing');
    await dialog.waitFor();
    await picture(`${task}-question`);
  };
  const openChange = async () => {
    await servers.clickAction('Look Up', /Review Change/);
    await diff.locator('.view-line', { hasText: 'id_rsa' }).first().waitFor();
    await workbench.notification('has changed since you approved it').first().waitFor();
  };
  const clickTraceTitle = (action) =>
    page.locator('.part.panel .title-actions').getByRole('button', { name: action }).click();
  writeGoverned(workspace);

  await step('a call is refused', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('changing', /Start/);
    await servers.row('changing').getByText('6 tools').waitFor();
    await ask('notes');
    await workbench.answerDialog('Deny');
    await requests.pane.waitFor({ state: 'detached' });
    await runs.rowElements.filter({ hasText: 'You denied the call' }).first().waitFor();
    await picture('refused');
  });

  await step('a call is approved', async () => {
    await ask('guide');
    await workbench.answerDialog('Allow Once');
    await requests.pane.waitFor({ state: 'detached' });
    await runs.rowElements.filter({ hasText: 'docs/guide.md' }).first().waitFor();
    await picture('approved');
  });

  await step(
    'a tool that changes while its server runs is quarantined, its change is read, and it stays quarantined',
    async () => {
      await servers.expand('changing', 'Tools');
      await servers.clickAction('turn', /Run/);
      // The panel opens instead of a question, and its button runs the tool.
      await workbench.webview().getByRole('button', { name: 'Run', exact: true }).click();
      await servers.row('Look Up').getByText('in quarantine').waitFor();
      await openChange();
      await picture('change');
      await workbench.clickNotificationButton('has changed since you approved it', 'Keep in Quarantine');
      await diff.waitFor({ state: 'detached' });
      await servers.row('Look Up').getByText('in quarantine').waitFor();
      await picture('change-kept');
    },
  );

  await step('its change is accepted in the title of the comparison', async () => {
    await openChange();
    await page
      .locator('.editor-group-container.active .editor-actions')
      .getByRole('button', { name: 'Accept Change' })
      .click();
    await servers.row('Look Up').getByText('1 hidden character').waitFor();
    await diff.waitFor({ state: 'detached' });
    await picture('change-accepted');
    await workbench.closeNotifications();
  });

  await step('the title of the view runs any tool, whichever line has the focus', async () => {
    await servers.click('turn_back');
    await servers.clickTitle('Run Tool…');
    await quickInput.waitFor({ title: 'Run Tool' });
    await quickInput.row('turn').waitFor();
    await picture('run-any');
    await quickInput.pick('turn');
    await workbench.resultHas('turn {}');
  });

  await step('presets are switched from the status bar, and from the menu of the view', async () => {
    await workbench.statusBarItem(/\d\/\d/).click();
    await quickInput.waitFor({ title: 'MCP Deck' });
    await picture('presets');
    await quickInput.pick('review');
    await servers.row('turn').getByText('not in the preset').waitFor();
    await workbench.statusBarItem('review').waitFor();
    await picture('preset');
    await servers.chooseFromTitle('Switch Preset…');
    await quickInput.waitFor({ title: 'Switch Preset' });
    await quickInput.pick('No Preset');
    await workbench.answerDialog('Turn Off');
    await servers.row('turn').getByText('not in the preset').waitFor({ state: 'detached' });
  });

  await step('selected servers are imported from the menu of the view', async () => {
    await servers.chooseFromTitle('Import Servers…');
    await quickInput.waitFor({ title: 'Import Servers', placeholder: 'Select an app' });
    await picture('import-apps');
    await quickInput.pick('Cursor (sample)');
    await quickInput.waitFor({ placeholder: 'Select the servers to import' });
    await quickInput.check('spare');
    await quickInput.row('spare').and(page.locator('[aria-checked="false"]')).waitFor();
    await picture('import-servers');
    await quickInput.pressButton('OK');
    await quickInput.waitFor({ placeholder: 'Where should the server be saved' });
    await quickInput.pick('User settings');
    await dialog.getByText('to your user settings?').waitFor();
    await picture('import-question');
    await workbench.answerDialog('Add to User Settings');
    await editorHas('Nothing was started');
    await servers.row('library').getByText('stopped').waitFor();
    assert.equal(await servers.row('spare').count(), 0);
    await picture('import-report');
  });

  await step('a call in the trace is edited and sent again', async () => {
    await servers.click('Look Up');
    await panel.locator('.field[data-path="/word"] input').first().fill('deck');
    await servers.chooseFromMenu('changing', 'Show Trace');
    await trace.getByRole('grid', { name: 'Messages' }).waitFor();
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await lines('"arguments":{"word":"deck"}').first().dblclick();
    await details.getByRole('heading', { name: 'Request sent' }).waitFor();
    await details.locator('vscode-button', { hasText: 'Edit and Resend…' }).click();
    await details
      .getByRole('textbox', { name: 'Parameters of tools/call' })
      .fill('{ "name": "lookup", "arguments": { "word": "once more" } }');
    await picture('resend');
    await details.getByRole('button', { name: 'Send', exact: true }).click();
    await lines('once more').nth(1).waitFor();
    await details.getByRole('button', { name: 'Close Details' }).click();
    await details.waitFor({ state: 'hidden' });
    await picture('resent');
  });

  await step('the trace is followed, exported and opened again by its buttons', async () => {
    const follow = trace.getByRole('button', { name: 'Follow' });
    await follow.click();
    await trace.locator('.toggle[aria-pressed="false"]', { hasText: 'Follow' }).waitFor();
    await follow.click();
    await trace.locator('.toggle[aria-pressed="true"]', { hasText: 'Follow' }).waitFor();
    await clickTraceTitle('Export Trace…');
    await quickInput.waitFor({ title: 'Export Trace', value: 'changing-trace.jsonl' });
    await picture('trace-export');
    await quickInput.pressButton('OK');
    await workbench.statusBarItem(/Exported messages/).waitFor();
    assert.match(readFileSync(workspace.file('changing-trace.jsonl'), 'utf8'), /once more/);
    await clickTraceTitle('Open Trace File…');
    await quickInput.waitFor({ title: 'Open Trace' });
    await picture('trace-open');
    await quickInput.pick('changing-trace.jsonl');
    await trace.getByText('changing-trace.jsonl').first().waitFor();
    await lines('once more').first().waitFor();
    await picture('trace-opened');
  });
}
