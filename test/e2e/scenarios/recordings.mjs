// Recordings: a server is recorded, and its recording is served and compared.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations, iconContrast } from '../axe.mjs';

export const isApart = true;
const chatter = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'chatter.mjs')] };
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { chatter } } };

export async function run({ workbench, step, workspace }) {
  const { quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const panel = workbench.webview();
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(panel), []);
  const recording = workspace.file('chatter.mcprecording.jsonl');
  /** Answers the dialog of VS Code for a file, which writes its folder into the box after reading it. It lists folders. */
  const chooseFile = async (file) => {
    await quickInput.row('docs').waitFor();
    await quickInput.type(file);
    await quickInput.accept();
  };

  await step('a recording is shown in the tree and in the status bar', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.chooseFromMenu('chatter', 'Record…');
    await workbench.notification('Recording "chatter".').waitFor();
    await servers.row('chatter').getByText('recording · stdio').waitFor();
    await workbench.statusBarItem('Recording chatter').waitFor();
    await workbench.screenshot('recordings-recording');
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.find('fail');
    await workbench.waitForEditor('fail');
    await workbench.resultHas('The disk is full.');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.screenshot('recordings-recorded-run');
    await seesNothingWrong();
    const contrast = await iconContrast(panel.locator('.server-running .state'));
    assert.ok(contrast >= 3, `the icon of a running server has a contrast of 3, not ${contrast}`);
  });

  await step('the item in the status bar stops the recording, and asks for its file', async () => {
    await workbench.statusBarItem('Recording chatter').click();
    await quickInput.waitFor({ title: 'Save Recording' });
    await chooseFile(recording);
    await workbench.notification('Requests recorded for "chatter"').waitFor();
    await workbench.statusBarItem('Recording chatter').waitFor({ state: 'detached' });
    assert.match(readFileSync(recording, 'utf8'), /The disk is full\./);
    await servers.row('chatter').getByText('recording · stdio').waitFor({ state: 'detached' });
    await workbench.screenshot('recordings-saved');
    await seesNothingWrong();
  });

  await step('the recording becomes a server of the tree', async () => {
    await workbench.clickNotificationButton('Requests recorded for "chatter"', 'Start Mock…');
    await quickInput.waitFor({ title: 'Start Mock' });
    await workbench.screenshot('recordings-options');
    await quickInput.accept();
    await workbench.dialog().getByText('Start the mock server "chatter-mock"?').waitFor();
    await workbench.screenshot('recordings-question');
    await workbench.answerDialog('Start Server');
    await servers.row('chatter-mock').getByText('mock · 5 tools').waitFor();
    await workbench.screenshot('recordings-mock');
  });

  await step('the answers that differ from the recording are shown side by side', async () => {
    writeFileSync(recording, readFileSync(recording, 'utf8').replace('The disk is full.', 'There is room.'));
    await servers.chooseFromMenu('chatter', 'Compare with Recording…');
    await quickInput.pick('chatter.mcprecording.jsonl');
    await workbench.dialog().getByText('Send the recorded requests to "chatter"?').waitFor();
    await workbench.screenshot('recordings-compare-question');
    await workbench.answerDialog('Send Requests');
    await workbench.notification('Answers of "chatter" that match the recording').waitFor();
    await workbench.waitForEditor('chatter.mcprecording.jsonl (recorded) ↔ chatter (now)');
    const differences = workbench.page.locator('.editor-group-container.active .monaco-diff-editor');
    await differences.locator('.editor.original').getByText('There is room.').waitFor();
    await differences.locator('.editor.modified').getByText('The disk is full.').waitFor();
    await workbench.notification('Comparing "chatter"').waitFor({ state: 'detached' });
    await workbench.screenshot('recordings-differences');
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  await step('the run becomes a case of a new test file', async () => {
    const file = workspace.file('chatter.mcptest.yaml');
    await workbench.runCommandThatAsks('MCP Deck: Save as Test…', { title: 'Save as Test' });
    await quickInput.pick('fail');
    await quickInput.waitFor({ placeholder: /^Select a test file of/ });
    await quickInput.pick('New File…');
    await chooseFile(file);
    await workbench.waitForEditor('chatter.mcptest.yaml');
    assert.match(readFileSync(file, 'utf8'), /call: fail\n[^]*isError: true/);
    await workbench.screenshot('recordings-test');
  });

  await step('a tool of the mock gives the recorded answer in its panel', async () => {
    await servers.expand('chatter-mock', 'Tools');
    await servers.clickAction('fail', /Panel/);
    await panel.getByText('chatter-mock', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await workbench.resultHas('The disk is full.');
    await workbench.screenshot('recordings-mock-panel');
    await seesNothingWrong();
  });
}
