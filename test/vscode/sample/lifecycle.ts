import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeEach, suite, test } from '../runner.js';
import { pressing } from '../support/dialogs.js';
import { command, deckApi, drawn, failureOf, findServer, stateOf, until, untilState } from '../support/host.js';
import { serverProcesses } from '../support/processes.js';

suite('lifecycle', () => {
  beforeEach(() => Promise.all(['mine', 'demo'].map((server) => command('mcpDeck.stopServer', { server }))));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('startServer starts a stopped server and returns its summary', async () => {
    const summary = await command<{ state: string; tools: string[] }>('mcpDeck.startServer', { server: 'mine' });
    assert.deepEqual([summary.state, summary.tools.includes('environment')], ['running', true]);
  });

  test('a server that has not answered yet is starting', async () => {
    const started = failureOf(command('mcpDeck.startServer', { server: 'hangs' }));
    await untilState('hangs', 'starting');
    await command('mcpDeck.stopServer', { server: 'hangs' });
    await started;
  });

  test('stopServer stops a running server', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    await command('mcpDeck.stopServer', { server: 'mine' });
    assert.equal(await stateOf('mine'), 'stopped');
  });

  test('stopServer while a server starts leaves it stopped', async () => {
    const started = failureOf(command('mcpDeck.startServer', { server: 'hangs' }));
    await untilState('hangs', 'starting');
    await command('mcpDeck.stopServer', { server: 'hangs' });
    await started;
    assert.equal(await stateOf('hangs'), 'stopped');
  });

  test('stopServer while a server starts leaves no process', async () => {
    const started = failureOf(command('mcpDeck.startServer', { server: 'hangs' }));
    await untilState('hangs', 'starting');
    await command('mcpDeck.stopServer', { server: 'hangs' });
    await started;
    assert.deepEqual(await serverProcesses(), []);
  });

  test('restartServer leaves a running server running, with what it offers', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    await command('mcpDeck.restartServer', { server: 'mine' });
    assert.ok((await findServer('mine'))?.tools?.includes('environment'));
  });

  test('restartServer starts a stopped server', async () => {
    await command('mcpDeck.restartServer', { server: 'mine' });
    assert.equal(await stateOf('mine'), 'running');
  });

  test('two starts at once start one process', async () => {
    await Promise.all([1, 2].map(() => command('mcpDeck.startServer', { server: 'mine' })));
    assert.equal((await serverProcesses()).length, 1);
  });

  test('a server that is stopped leaves no process', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    await command('mcpDeck.stopServer', { server: 'mine' });
    assert.deepEqual(await serverProcesses(), []);
  });

  test('stopAllServers stops every server, the built-in one too', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    await command('mcpDeck.stopAllServers');
    const live = (await (await deckApi()).listServers()).filter(({ state }) => state !== 'stopped');
    await command('mcpDeck.startServer', { server: 'workspace' });
    assert.deepEqual(live, []);
  });

  test('a running server is drawn with its transport and its number of tools', async () => {
    await command('mcpDeck.startServer', { server: 'demo' });
    assert.match(await drawn('demo'), /^\(circle-filled\) demo {2}stdio · \d+ tools\n {2}\(tools\) Tools {2}\d+\n/);
  });

  test('a running server is drawn with its resources', async () => {
    await command('mcpDeck.startServer', { server: 'demo' });
    assert.match(await drawn('demo'), /\n {2}\(\S+\) Resources {2}\d+/);
  });

  test('a running server is drawn with its prompts', async () => {
    await command('mcpDeck.startServer', { server: 'demo' });
    assert.match(await drawn('demo'), /\n {2}\(\S+\) Prompts {2}\d+/);
  });

  test('a stopped server keeps none of its lists', async () => {
    await command('mcpDeck.startServer', { server: 'demo' });
    await command('mcpDeck.stopServer', { server: 'demo' });
    assert.equal((await drawn('demo')).includes('Tools'), false);
  });

  test('a server that ignores SIGTERM is gone with its whole tree after stopServer', async () => {
    await command('mcpDeck.startServer', { server: 'stubborn' });
    const before = await serverProcesses();
    await command('mcpDeck.stopServer', { server: 'stubborn' });
    const after = await serverProcesses();
    assert.deepEqual([before.length, after.length], [2, 0], JSON.stringify({ before, after }));
  });
});

suite('disabling servers', () => {
  afterEach(async () => {
    await pressing('Enable Server', () => command('mcpDeck.enableServer', { server: 'mine' }));
    await command('mcpDeck.stopServer', { server: 'mine' });
  });

  test('disableServer stops a running server', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    await command('mcpDeck.disableServer', { server: 'mine' });
    await untilState('mine', 'stopped');
  });

  test('a disabled server is drawn as disabled', async () => {
    await command('mcpDeck.disableServer', { server: 'mine' });
    assert.match(await drawn('mine'), /^\(circle-slash\) mine {2}disabled$/m);
  });

  test('a disabled server does not start, and the error says how to enable it', async () => {
    await command('mcpDeck.disableServer', { server: 'mine' });
    const error = await failureOf(command('mcpDeck.startServer', { server: 'mine' }));
    assert.match(error.message, /disabled.*Enable the server first/);
  });

  test('an enabled server starts again', async () => {
    await command('mcpDeck.disableServer', { server: 'mine' });
    await pressing('Enable Server', () => command('mcpDeck.enableServer', { server: 'mine' }));
    await command('mcpDeck.startServer', { server: 'mine' });
    assert.equal(await stateOf('mine'), 'running');
  });

  test('[N3] a command with arguments enables it only when the user agrees, and the audit log records it', async () => {
    await command('mcpDeck.disableServer', { server: 'mine' });
    const refused = await pressing('Cancel', () => failureOf(command('mcpDeck.enableServer', { server: 'mine' })));
    assert.deepEqual(
      [refused.value.name, refused.asked.map(({ message }) => message)],
      ['Canceled', ['Enable the server "mine"?']],
    );
    assert.match(await drawn('mine'), /^\(circle-slash\) mine {2}disabled$/m);
    await command('mcpDeck.showAuditLog', { server: 'mine' });
    const log = () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'mcpdeck-consent')?.getText() ?? '';
    await until('it is open', () =>
      /server disabled +mine · for a keybinding, a task input, or another extension/.test(log()),
    );
    await pressing('Enable Server', () => command('mcpDeck.enableServer', { server: 'mine' }));
    // The open document updates.
    await until('it follows', () => /server enabled +mine/.test(log()));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});
