import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterEach, suite, test } from '../runner.js';
import { answerPicks, pressNotifications } from '../support/dialogs.js';
import { WorkspaceFile, command, defineServers, oddServer, stateOf, until, findServer } from '../support/host.js';

const file = new WorkspaceFile('.vscode/mcp.json');

suite('the connection doctor', () => {
  let undo: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await undo?.();
    undo = undefined;
    await file.restore();
  });

  test('names the missing command and the fix', async () => {
    undo = await defineServers({ sick: { command: 'no-such-program-of-mcp-deck' } });
    const text = await command<string>('mcpDeck.diagnoseServer', { server: 'sick' });
    assert.match(
      text,
      /What to do: Check the spelling of the command, install the program, or enter its full path\.[^]*✗ {2}Command[^]*is not in any of the \d+ folders in PATH/,
    );
  });

  test('starts no unapproved server, and reports it', async () => {
    await file.write({ servers: { foreign: oddServer('environment') } });
    await until('it is read', () => findServer('foreign'));
    const text = await command<string>('mcpDeck.diagnoseServer', { server: 'foreign' });
    assert.match(text, /✗ {2}Trust[^]*– {2}Variables {2}/);
    assert.notEqual(await stateOf('foreign'), 'running');
  });

  test('a healthy server is started, and no problem is found', async () => {
    const text = await command<string>('mcpDeck.diagnoseServer', { server: 'demo' });
    assert.match(
      text,
      /No problems were found\.[^]*✓ {2}Runtime +node v?\d+[^]*✓ {2}Handshake[^]*✓ {2}Lists +The server offers 19 tools/,
    );
    await command('mcpDeck.stopServer', { server: 'demo' });
  });

  test('on a line of the tree the result opens as a document', async () => {
    undo = await defineServers({ sick: { command: 'node', args: ['missing.js'] } });
    const original = vscode.window.showQuickPick;
    vscode.window.showQuickPick = ((items: (vscode.QuickPickItem & { view: { id: string } })[]) =>
      Promise.resolve(items.find(({ view }) => view.id === 'sick'))) as unknown as typeof original;
    try {
      await vscode.commands.executeCommand('mcpDeck.diagnoseServer');
    } finally {
      vscode.window.showQuickPick = original;
    }
    const editor = await until('it is open', () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'mcpdeck-diagnosis'),
    );
    assert.match(editor.document.getText(), /✗ {2}Files +The file \S*missing\ does not exist.js/);
  });

  for (const { mode, field, value } of [
    { mode: 'content-length', field: 'framing', value: 'content-length' },
    { mode: 'hangs-on-probe', field: 'protocol', value: 'legacy' },
  ]) {
    test(`a field that makes the server respond is offered, and a click writes it to the user's settings ("${field}")`, async () => {
      const definition = {
        command: 'node',
        args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/framed.mjs', mode],
        startTimeoutMs: 500,
      };
      undo = await defineServers({ sick: definition });
      const picks = answerPicks((items) =>
        items.find((item) => (item as unknown as { view: { id: string } }).view.id === 'sick'),
      );
      const notifications = pressNotifications('showInformationMessage', () => 'Write to Definition');
      try {
        await vscode.commands.executeCommand('mcpDeck.diagnoseServer');
        const written = () =>
          vscode.workspace.getConfiguration('mcpDeck').inspect<Record<string, object>>('servers')?.globalValue?.[
            'sick'
          ];
        await until('the field is written', () => Object.hasOwn(written() ?? {}, field));
        assert.deepEqual(written(), { ...definition, [field]: value });
        assert.match(
          notifications.messages.join('\n'),
          new RegExp(`"sick" responds with "${field}": "${value}"\\. Write this field to its definition in`),
        );
      } finally {
        picks.restore();
        notifications.restore();
      }
    });
  }
});
