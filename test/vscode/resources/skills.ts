import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { resourcePath } from '../../../src/core/resources/resourcePath.js';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerTypedPicks } from '../support/dialogs.js';
import { command, drawn, failureOf, textOf, until } from '../support/host.js';

const server = 'skills';
const uriOf = (uri: string) => vscode.Uri.from({ scheme: 'mcpdeck', path: resourcePath({ server, uri }) });
const call = async (tool: string) => textOf(await command('mcpDeck.runTool', { server, tool, arguments: {} }));
const asked = async () => JSON.parse(await call('asked')) as string[];
const active = () => vscode.window.activeTextEditor?.document;

suite('skills', () => {
  beforeAll(() => command('mcpDeck.startServer', { server }));
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('[extensions] skills appear in the tree with the omitted ones, and none of their files is read', async () => {
    const lines = (await drawn(server)).split('\n');
    const start = lines.findIndex((line) => line.trim().startsWith('(mortar-board)'));
    assert.ok(start > 0, lines.join('\n'));
    assert.deepEqual(await asked(), []);
    assert.ok(
      lines.some((line) => line.includes('skill://climber/SKILL.md')),
      lines.join('\n'),
    );
  });

  test('a skill opens as a read-only document, and its links open beside it', async () => {
    const picks = answerTypedPicks(() => ({ take: 'git-workflow' }));
    try {
      await vscode.commands.executeCommand('mcpDeck.openSkill');
    } finally {
      picks.restore();
    }
    await until('the skill is open', () => active()?.getText().includes('Start from') === true);
    assert.deepEqual(
      [active()?.uri.path, vscode.workspace.fs.isWritableFileSystem('mcpdeck')],
      ['/skills/skill/git-workflow/SKILL.md', false],
    );
    await until('the language has no links', () => active()?.languageId === 'mcpdeck-markdown');
    const other = await vscode.workspace.openTextDocument(
      vscode.Uri.joinPath(uriOf('skill://git-workflow/SKILL.md'), '../references/branches.md'),
    );
    assert.match(other.getText(), /One for each change/);
  });

  test('a file with a wrong digest is not shown, and the reason is given', async () => {
    for (const [uri, reason] of [
      ['skill://tampered/SKILL.md', /digest differs/],
      ['skill://masked/SKILL.md', /front matter differs/],
    ] as const) {
      assert.match((await failureOf(Promise.resolve(vscode.workspace.fs.readFile(uriOf(uri))))).message, reason);
      assert.match((await failureOf(command('mcpDeck.openSkill', { server, uri }))).message, reason);
      assert.match((await failureOf(command('mcpDeck.readResource', { server, uri }))).message, reason);
    }
  });

  test('a script gets a skill by its address, listed or not', async () => {
    const { text, frontmatter } = await command<{ text: string; frontmatter: Record<string, unknown> }>(
      'mcpDeck.openSkill',
      { server, uri: 'skill://on-request/SKILL.md' },
    );
    assert.deepEqual([frontmatter['name'], text.includes('You found it.')], ['on-request', true]);
    assert.match(
      (await failureOf(command('mcpDeck.openSkill', { server, uri: 'skill://none/SKILL.md' }))).message,
      /has no skill/,
    );
  });

  test('a changed skill is shown with its new content, and a changed list is requested again', async () => {
    await call('edit');
    const { text } = await command<{ text: string }>('mcpDeck.openSkill', {
      server,
      uri: 'skill://git-workflow/SKILL.md',
    });
    assert.match(text, /Edited meanwhile/);
    await call('publish');
    await until('the new skill is listed', async () => (await drawn(server)).includes('Listed later than the others'));
  });
});
