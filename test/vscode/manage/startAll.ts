import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { pressing, pressNotifications } from '../support/dialogs.js';
import { WorkspaceFile, command, defineServers, findServer, stateOf, until } from '../support/host.js';

const presetFile = new WorkspaceFile('.vscode/mcp-deck.json');
const serverFile = new WorkspaceFile('.vscode/mcp.json');
const failing = (word: string) => ({
  command: 'node',
  args: ['-e', `console.error("Error: no ${word}"); process.exit(3)`],
});
const presets = {
  one: { servers: ['tea'] },
  two: { servers: ['tea', 'milk'] },
  brought: { servers: ['brought'] },
  none: { servers: [] },
};

/** Runs "Start All" like a user in the palette, and records the messages with their buttons. */
async function startAll(): Promise<string[]> {
  const { showErrorMessage, showWarningMessage } = vscode.window;
  const shown: string[] = [];
  const show = (text: string, ...buttons: readonly { title: string }[]) => {
    shown.push(`${text} [${buttons.map(({ title }) => title).join('] [')}]`);
    return Promise.resolve(undefined);
  };
  Object.assign(vscode.window, { showErrorMessage: show, showWarningMessage: show });
  try {
    await vscode.commands.executeCommand('mcpDeck.startAllServers');
    return shown;
  } finally {
    Object.assign(vscode.window, { showErrorMessage, showWarningMessage });
  }
}

suite('"Start All"', () => {
  let forget: () => Promise<void>;
  beforeAll(async () => {
    await presetFile.write({ presets });
    await serverFile.write({ servers: { brought: failing('trust') } });
    forget = await defineServers({ tea: failing('tea'), milk: failing('milk') });
    await until('the server of the workspace is listed', () => findServer('brought'));
    await until('the presets are read', () => command('mcpDeck.switchPreset', { preset: 'one' }).then(() => true));
  });
  afterEach(() => pressing('Turn Off', () => command('mcpDeck.switchPreset', { preset: null })));
  afterAll(async () => {
    await command('mcpDeck.stopAllServers');
    await forget();
    await presetFile.restore();
    await serverFile.restore();
  });

  test('starts only servers of the active preset, and shows the cause and the buttons of a single failure', async () => {
    await command('mcpDeck.switchPreset', { preset: 'one' });
    const shown = await startAll();
    assert.deepEqual([await stateOf('demo'), await stateOf('milk'), shown.length], ['stopped', 'stopped', 1]);
    assert.match(shown[0] ?? '', /^The server "tea" exited with code 3: Error: no tea\. .*\[Show Log\] \[Diagnose\]$/);
  });

  test('says in an information, not in a warning, that there is nothing to start', async () => {
    await command('mcpDeck.switchPreset', { preset: 'none' });
    const news = pressNotifications('showInformationMessage', () => undefined);
    try {
      const shown = await startAll();
      assert.deepEqual([shown, news.messages], [[], ['All servers of the preset "none" are already running.']]);
    } finally {
      news.restore();
    }
  });

  test('lists several failures in one message', async () => {
    await command('mcpDeck.switchPreset', { preset: 'two' });
    assert.match((await startAll())[0] ?? '', /^2 of 2 servers did not start: [^.]+\. .* \[Show Servers\]$/);
  });

  test('a server that needs approval has not failed', async () => {
    await command('mcpDeck.switchPreset', { preset: 'brought' });
    assert.deepEqual(await startAll(), ['1 server needs your approval: brought [Review…]']);
  });
});
