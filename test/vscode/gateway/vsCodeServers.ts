/** VS Code's own copies of servers, in a window where VS Code reads the same `.vscode/mcp.json`. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, suite, test } from '../runner.js';
import { approveStart, pressing, pressNotifications } from '../support/dialogs.js';
import { serverProcesses } from '../support/processes.js';
import { command, until, untilState, WorkspaceFile } from '../support/host.js';

const settings = () => vscode.workspace.getConfiguration();
const set = (key: string, value: unknown) => settings().update(key, value, vscode.ConfigurationTarget.Global);
const autoStart = () => settings().get('chat.mcp.autostart');
// VS Code's names of tools begin with the name that the server states.
const copyInVsCode = () => vscode.lm.tools.find(({ name }) => name === 'mcp_heard_heard');
const restores: (() => unknown)[] = [];

/** The processes of the server, those of VS Code and of MCP Deck. */
const processes = async () => (await serverProcesses()).filter((args) => args.endsWith(' copied'));

async function found(): Promise<string> {
  const result = await vscode.lm.invokeTool('mcpDeck_listServers', { input: {}, toolInvocationToken: undefined });
  return (result.content[0] as vscode.LanguageModelTextPart).value;
}

suite("VS Code's own copies of servers", () => {
  afterAll(async () => {
    for (const restore of restores.splice(0).reverse()) await restore();
  });

  test('[LM5] are found, switched off with an offer, and switched on again; MCP Deck uses each server only once', async () => {
    const before = autoStart();
    restores.push(() => set('chat.mcp.autostart', before));
    restores.push(() => set('mcpDeck.vsCodeAgent', undefined));
    const told = pressNotifications('showInformationMessage', () => undefined);
    restores.push(() => told.restore());
    await set('chat.mcp.autostart', 'newAndOutdated');
    await set('mcpDeck.vsCodeAgent', 'tools');
    const file = new WorkspaceFile('.vscode/mcp.json');
    restores.push(() => file.restore());
    const repo = process.env['MCP_DECK_REPO'] ?? '';
    await file.write({
      servers: { copied: { command: 'node', args: [`${repo}/test/fixtures/servers/heard.mjs`, 'copied'] } },
    });
    await untilState('copied', 'stopped');
    await until('VS Code runs its copy', () => {
      void vscode.commands.executeCommand('workbench.mcp.startServer', 'mcp.config.ws0.copied', {
        autoTrustChanges: true,
      });
      return copyInVsCode();
    });
    await approveStart('copied');
    await command('mcpDeck.startServer', { server: 'copied' });
    await until('the user is told', () =>
      told.messages.includes('VS Code also runs these servers for the agent in the chat: copied.'),
    );
    assert.doesNotMatch(await found(), /"copied"/);

    assert.equal((await processes()).length, 2);
    const { asked } = await pressing('Turn Off', () => command('mcpDeck.switchVsCodeServers'));
    assert.match(asked[0]?.detail ?? '', /Both VS Code and MCP Deck can run these servers: copied\./);
    assert.equal(autoStart(), 'never');
    assert.equal((await processes()).length, 1);
    assert.ok(told.messages.some((message) => message.includes('Reload the window to remove their tools')));
    assert.match(await found(), /"name":"copied","state":"running"/);

    await pressing('Turn On', () => command('mcpDeck.switchVsCodeServers'));
    assert.equal(autoStart(), 'newAndOutdated');
    assert.doesNotMatch(await found(), /"copied"/);
  });
});
