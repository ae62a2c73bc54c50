import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterEach, suite, test } from '../runner.js';
import { answerPicks } from '../support/dialogs.js';
import { WorkspaceFile, command, defineServers, oddServer, stateOf, until, findServer } from '../support/host.js';
import type { StandInServerPage } from '../support/standInPages.js';
import { standInServerPages } from '../support/standInPages.js';

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

  /** Runs the command as the user does, on the server "sick", until the diagnosis has ended. */
  async function diagnosedPage(work: (page: StandInServerPage) => Promise<void>): Promise<void> {
    const panels = standInServerPages();
    const picks = answerPicks((items) =>
      items.find((item) => (item as unknown as { view: { id: string } }).view.id === 'sick'),
    );
    try {
      await vscode.commands.executeCommand('mcpDeck.diagnoseServer');
      const page = await until('the diagnosis has ended', () =>
        panels.pages.find(({ diagnosis }) => diagnosis?.state === 'done'),
      );
      await work(page);
    } finally {
      picks.restore();
      panels.restore();
    }
  }

  test('for the user the checks are on the page of the server, each with its fix', async () => {
    undo = await defineServers({ sick: { command: 'node', args: ['missing.js'] } });
    await diagnosedPage((page) => {
      const files = page.check('files');
      assert.match(files?.seen ?? '', /The file \S*missing\.js does not exist/);
      assert.deepEqual(
        files?.buttons.map(({ action }) => action),
        ['editServer'],
      );
      return Promise.resolve();
    });
  });

  for (const { mode, field, value } of [
    { mode: 'content-length', field: 'framing', value: 'content-length' },
    { mode: 'hangs-on-probe', field: 'protocol', value: 'legacy' },
  ]) {
    test(`a click writes a field that makes the server respond, and the server starts ("${field}")`, async () => {
      const definition = {
        command: 'node',
        args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/framed.mjs', mode],
        // The server has to start within this time on a busy machine, and the test waits for this time twice.
        startTimeoutMs: 5_000,
      };
      undo = await defineServers({ sick: definition });
      await diagnosedPage(async (page) => {
        assert.match(page.check('handshake')?.fix ?? '', new RegExp(`"${field}": "${value}"`));
        page.channel.notify('fix', { check: 'handshake', action: 'applyChange' });
        const written = () =>
          vscode.workspace.getConfiguration('mcpDeck').inspect<Record<string, object>>('servers')?.globalValue?.[
            'sick'
          ];
        await until('the field is written', () => Object.hasOwn(written() ?? {}, field));
        assert.deepEqual(written(), { ...definition, [field]: value });
        await until('it runs', async () => (await stateOf('sick')) === 'running');
      });
    });
  }
});
