import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settingValue } from '../../../src/vscode/adapters/settingPolicy.js';
import { writtenSetting } from '../../../src/vscode/adapters/writtenSetting.js';
import { makeRun, suite, test } from '../runner.js';
import { answerModals } from '../support/dialogs.js';
import { command, deckApi, failureOf, until, untilState } from '../support/host.js';

const list = 'workbench.settings.applyToAllProfiles';

suite('a profile of the user in a remote window', () => {
  test('[C27] VS Code takes the list of settings for all profiles from the user settings only', () => {
    const { globalLocalValue, globalRemoteValue, globalValue } = writtenSetting(list);
    assert.deepEqual(
      [globalLocalValue, globalRemoteValue, globalValue, vscode.workspace.getConfiguration().get(list)],
      [undefined, undefined, ['mcpDeck.rules', 'mcpDeck.autoStart'], ['mcpDeck.rules', 'mcpDeck.autoStart']],
    );
  });

  test('[C27] where the remote machine has a value, VS Code hides that of the user, and MCP Deck takes the narrowest', () => {
    const { globalLocalValue, globalRemoteValue, globalValue, isHidden } = writtenSetting('mcpDeck.autoStart');
    assert.deepEqual(
      [globalLocalValue, globalRemoteValue, globalValue, isHidden],
      [undefined, 'always', 'always', true],
    );
    assert.equal(settingValue('mcpDeck.autoStart', writtenSetting('mcpDeck.autoStart')), 'never');
  });

  test('[C27, N3] where the rules of the user are hidden, every call is asked about', async () => {
    await command('mcpDeck.startServer', { server: 'changing' });
    await untilState('changing', 'running');
    // Without a rule, a call by the API runs. The user denies this tool.
    const api = await deckApi();
    const call = failureOf(api.runTool({ server: 'changing', tool: 'remove', arguments: {} }));
    const dialogs = answerModals(() => 'Deny');
    try {
      await until('the call is asked about', async () => {
        await vscode.commands.executeCommand('mcpDeck.answerRequest');
        return dialogs.asked.length > 0;
      });
    } finally {
      dialogs.restore();
    }
    assert.equal((await call).code, 'call-refused');
    await command('mcpDeck.stopServer', { server: 'changing' });
  });
});

export const run = makeRun();
