import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { afterAll, beforeAll, suite, test } from '../runner.js';
import { pressing } from '../support/dialogs.js';
import { command, drawn, folder, until, untilState } from '../support/host.js';

/** The definition of `lookup` in `changing.mjs`, before the server changes it. */
const approved = {
  name: 'lookup',
  title: 'Look Up',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  annotations: { readOnlyHint: true },
};

/** The lock file and the approvals of this computer together, when a tool changes. */
suite('an accepted change of a locked tool', () => {
  const server = 'changing';
  const lookup = { server, tool: 'lookup' };
  const lock = vscode.Uri.joinPath(folder().uri, '.vscode', 'mcp-deck.lock.json');
  const run = (tool: string) => command('mcpDeck.runTool', { server, tool, arguments: { word: 'a' } });
  const drifts = () =>
    vscode.languages
      .getDiagnostics()
      .flatMap(([, found]) => found)
      .filter(({ code, message }) => code === 'lock-drift' && message.includes('"lookup"'))
      .map(({ message }) => message);
  const line = async () => (await drawn(server)).split('\n').find((text) => /\bLook Up\b/.test(text));

  beforeAll(async () => {
    const locked = {
      info: { name: 'changing', version: '1' },
      tools: { lookup: approved },
      prompts: [],
      resources: [],
    };
    const text = JSON.stringify({ version: 1, servers: { [server]: locked } });
    await vscode.workspace.fs.writeFile(lock, Buffer.from(text));
    await command('mcpDeck.startServer', { server });
    await untilState(server, 'running');
  });
  afterAll(async () => {
    await command('mcpDeck.stopAllServers');
    await rm(lock.fsPath, { force: true });
  });

  test('the tree and the problems show the drift, and accepting the change updates the lock file and the approval', async () => {
    // The code of the comparison loads on first use, and VS Code reports changes of files after a delay.
    await until(
      'the lock file is compared',
      async () => (await drawn(server)).includes('not in the lock file'),
      30_000,
    );
    assert.match(await drawn(server), /5 differences from the lock file/);
    assert.doesNotMatch((await line()) ?? '', /lock file/);
    assert.deepEqual(drifts(), []);
    await run('lookup');
    await run('turn');
    await until('the drift is in the tree', async () => /6 differences from the lock file/.test(await drawn(server)));
    await until('the tool is in quarantine', async () => (await drawn(server)).includes('in quarantine'));
    const [drift] = await until('the drift is a problem', () => (drifts().length > 0 ? drifts() : undefined));
    assert.match(drift ?? '', /The tool "lookup" has changed: description, inputSchema\./);

    await command('mcpDeck.reviewChange', lookup);
    await until('the comparison is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'mcpdeck-consent';
    });
    await pressing('Accept Change', () => command('mcpDeck.acceptChange', lookup));
    const { servers } = JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(lock)).toString());
    assert.deepEqual(servers[server].tools.lookup.inputSchema.properties, {
      file: { type: 'string' },
      word: { type: 'string' },
    });
    assert.deepEqual(Object.keys(servers[server].tools), ['lookup']);
    await until(
      'no drift of the tool is left',
      async () => drifts().length === 0 && !/lock file/.test((await line()) ?? ''),
      30_000,
    );
    assert.match(await drawn(server), /5 differences from the lock file/);
    assert.doesNotMatch(await drawn(server), /in quarantine/);
    // The approval of this computer has the new definition as well: the tool runs.
    await run('lookup');
  });
});
