// Calls from tasks and scripts: asked about, allowed by rule, denied, and a tool whose definition changed.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { axeViolations } from '../axe.mjs';
import { Keyboard } from '../keyboard.mjs';

export const isApart = true;
export const window = {
  workspace: 'sample',
  settings: {
    'mcpDeck.servers': {
      changing: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/changing.mjs'] },
    },
  },
};

const task = (label, tool, values) => ({
  type: 'mcpDeck',
  label,
  server: 'changing',
  tool,
  arguments: values,
  problemMatcher: [],
  presentation: { reveal: 'never' },
});
const tasks = [
  task('guide', 'lookup', { word: 'docs/guide.md' }),
  task('notes', 'lookup', { word: 'docs/notes.md' }),
  task('keys', 'lookup', { word: 'keys/id_rsa' }),
  task('whisper', 'whisper', {}),
  task('sign in', 'sign_in', { password: 'hunter2-in-a-task' }),
];

export async function run({ workbench, step, workspace }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const requests = workbench.tree('Requests');
  const rules = workbench.tree('Rules');
  const runs = workbench.tree('Runs');
  const dialog = workbench.dialog();
  const noRequests = () => page.locator('.pane-header[aria-label^="Requests"]').waitFor({ state: 'detached' });
  const runTask = (label) => workbench.runCommandAndPick('Tasks: Run Task', label);
  mkdirSync(path.dirname(workspace.file('.vscode', 'tasks.json')), { recursive: true });
  writeFileSync(workspace.file('.vscode', 'tasks.json'), JSON.stringify({ version: '2.0.0', tasks }));

  await step('[L2] hidden characters are flagged and counted in the tree', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('changing', /Start/);
    await servers.expand('changing', 'Tools');
    await servers.row('Whisper').getByText('8 hidden characters').waitFor();
    await workbench.screenshot('consent-tree');
  });

  await step('[L2] and in the panel of the tool', async () => {
    await servers.clickAction('Whisper', /Panel/);
    const panel = workbench.webview();
    await panel.getByRole('heading', { name: 'Whisper' }).waitFor();
    await panel.getByText('8 hidden characters').first().waitFor();
    await workbench.screenshot('consent-panel');
    assert.deepEqual(await axeViolations(panel), []);
    await page.locator('.tab.active').click({ button: 'middle' });
  });

  await step(
    '[C5, L2] a task waits in the Requests view; the question counts hidden characters, and Enter denies',
    async () => {
      await runTask('whisper');
      await requests.row('changing').getByText('run "whisper" for a task?').waitFor();
      await workbench.screenshot('consent-waits');
      assert.equal(await dialog.count(), 0);
      await requests.click('changing');
      await dialog.getByText("The server's description of the tool contains 8 hidden characters").waitFor();
      await workbench.screenshot('consent-question-hidden');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await noRequests();
      await workbench.screenshot('consent-refused');
    },
  );

  await step('[C7] by keyboard: a call is allowed for the session, which creates a rule', async () => {
    await runTask('guide');
    await requests.row('changing').getByText('run "lookup" for a task?').waitFor();
    await workbench.runCommand('MCP Deck: Answer Request…');
    await dialog.getByText('"word": "docs/guide.md"').waitFor();
    await workbench.screenshot('consent-question');
    await new Keyboard(workbench).answerDialog('Allow for Session');
    await noRequests();
    await workbench.runCommand('MCP Deck: Show Rules');
    await rules.row('Allow: lookup').waitFor();
    await workbench.screenshot('consent-rules');
  });

  await step('the rule is removed in the Rules view, and the next call asks again', async () => {
    await rules.clickAction('Allow: lookup', /Remove/);
    await rules.row('Allow: lookup').waitFor({ state: 'detached' });
    await workbench.screenshot('consent-rules-none');
    await runTask('guide');
    await requests.row('changing').getByText('run "lookup" for a task?').waitFor();
  });

  await step('a call is always allowed for arguments that match a pattern', async () => {
    await requests.click('changing');
    await workbench.answerDialog('Always…');
    await quickInput.waitFor({ title: 'Always, for "lookup" of "changing"' });
    await workbench.screenshot('consent-always');
    await quickInput.pick('Allow arguments that match a pattern…');
    await quickInput.waitFor({ title: 'Pattern for "word"', value: 'docs/guide.md' });
    await quickInput.type('src/*');
    await quickInput.waitFor({ message: 'Does not match docs/guide.md' });
    await workbench.screenshot('consent-pattern');
    await quickInput.type('docs/*');
    await quickInput.waitFor({ message: 'matches any text' });
    await quickInput.accept();
    await quickInput.waitFor({ title: 'Where the rule applies' });
    await quickInput.pick('Everywhere');
    await noRequests();
    await rules.row('Allow: lookup').getByText('docs/*').waitFor();
    await workbench.screenshot('consent-rules-pattern');
    await runTask('notes');
    await runs.rowElements.filter({ hasText: 'Look Up' }).nth(2).waitFor();
    assert.equal(await requests.pane.count(), 0);
    await runTask('keys');
    await requests.row('changing').getByText('run "lookup" for a task?').waitFor();
    await requests.clickAction('changing', /Decline/);
    await noRequests();
  });

  await step(
    'a rule that denies wins over the one that allows, for the user as well, and is removed by keyboard',
    async () => {
      await workbench.runCommand('MCP Deck: Add Rule…');
      for (const [title, label] of [
        ['(1/5)', 'Deny'],
        ['(2/5)', 'changing'],
        ['(3/5)', 'lookup'],
        ['(4/5)', 'Any caller'],
        ['(5/5)', 'This session'],
      ]) {
        await quickInput.waitFor({ title });
        if (title === '(1/5)') await workbench.screenshot('consent-add-rule');
        await quickInput.type(label);
        await quickInput.row(label).first().waitFor();
        await quickInput.accept();
      }
      await rules.row('Deny: lookup').waitFor();
      await runTask('notes');
      await runs.rowElements.filter({ hasText: 'Look Up' }).first().getByText('A rule denies').waitFor();
      await workbench.screenshot('consent-denied');
      await workbench.runCommand('MCP Deck: Show Rules');
      await rules.pane.locator('.monaco-list:focus').waitFor();
      await page.keyboard.press('Home');
      await rules.row('Deny: lookup').and(page.locator('.focused')).waitFor();
      await page.keyboard.press('Shift+F10');
      await page.locator('.monaco-menu').getByRole('menuitem', { name: 'Remove Rule' }).waitFor();
      await workbench.screenshot('consent-rule-menu');
      await page.keyboard.press('ArrowUp'); // the last row
      await page.locator('.monaco-menu .action-item.focused').getByText('Remove Rule').waitFor();
      await page.keyboard.press('Enter');
      await new Keyboard(workbench).answerDialog('Remove Rule');
      await rules.row('Deny: lookup').waitFor({ state: 'detached' });
      await rules.row('Allow: lookup').waitFor();
    },
  );

  await step(
    '[C6] a tool that changes while its server runs is quarantined until its change is read and accepted',
    async () => {
      await servers.clickAction('turn', /Run/);
      // The panel opens instead of a question, and its button runs the tool.
      await workbench.webview().getByRole('button', { name: 'Run', exact: true }).click();
      await servers.row('Look Up').getByText('in quarantine').waitFor();
      await workbench.screenshot('consent-quarantine');
      await servers.click('Look Up');
      const diff = page.locator('.editor-group-container.active .monaco-diff-editor');
      await diff.locator('.view-line', { hasText: 'id_rsa' }).first().waitFor();
      await workbench.notification('has changed since you approved it').first().waitFor();
      await workbench.screenshot('consent-change');
      await workbench.clickNotificationButton('has changed since you approved it', 'Accept Change…');
      await workbench.answerDialog('Accept Change');
      await servers.row('Look Up').getByText('1 hidden character').waitFor();
      await diff.waitFor({ state: 'detached' });
      await workbench.screenshot('consent-accepted');
    },
  );

  await step('[S2] the audit log records every decision and no secret', async () => {
    await runTask('sign in');
    await requests.row('changing').getByText('run "sign_in" for a task?').waitFor();
    await requests.clickAction('changing', /Decline/);
    await noRequests();
    await workbench.runCommand('MCP Deck: View Audit Log');
    await page.locator('.editor-group-container.active .view-line', { hasText: 'sign_in' }).first().waitFor();
    await workbench.screenshot('consent-audit');
    const text = await workbench.editorText();
    for (const part of [
      'refused             changing / sign_in · for a task · your answer',
      'change accepted     changing / lookup',
      'rule added',
      'rule removed',
    ])
      assert.ok(text.includes(part), `"${part}" is missing in ${text}`);
    assert.doesNotMatch(text, /hunter2/);
  });
}
