import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { fileChanges } from '../../../src/vscode/adapters/fileChanges.js';
import { afterEach, suite, test } from '../runner.js';
import { approveStart } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  defineServers,
  drawn,
  failureOf,
  findServer,
  folder,
  untilState,
  until,
} from '../support/host.js';

const chatter = path.join(process.env['MCP_DECK_REPO'] ?? '', 'test', 'fixtures', 'servers', 'chatter.mjs');
/** A server that records which version of its file it was started from. */
const works = (mark: string) =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('../started.txt', import.meta.url), '${mark}');\nawait import(${JSON.stringify(`file://${chatter}`)});\n`;

suite('a server under development', () => {
  const script = new WorkspaceFile('watched/server.mjs');
  const note = new WorkspaceFile('started.txt');
  const other = new WorkspaceFile('watched/out/notes.txt');
  let removeServers: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await removeServers?.();
    await script.restore();
    await other.restore();
    await note.restore();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  async function defineWatched(): Promise<void> {
    removeServers = await defineServers({
      watched: {
        command: 'node',
        args: ['${workspaceFolder}/watched/server.mjs'],
        dev: { watch: ['watched/**', '!watched/out/**'] },
      },
    });
  }

  async function runsAs(mark: string): Promise<void> {
    await until(
      `it runs as it is written in "${mark}"`,
      async () => (await readFile(note.path, 'utf8')) === mark && (await findServer('watched'))?.state === 'running',
    );
  }

  test('restarts when its files change, says so in the tree, and recovers when a mistake is fixed', async () => {
    await note.write('');
    await script.write(works('first'));
    await defineWatched();
    await approveStart('watched');
    await command('mcpDeck.startServer', { server: 'watched' });
    assert.match(await drawn('watched'), /stdio · 5 tools · watched/);
    await runsAs('first');
    await script.write(works('second'));
    await runsAs('second');
    await script.write('process.exit(3);\n');
    await untilState('watched', 'failed');
    await script.write(works('third'));
    await runsAs('third');
  });

  test('is not watched while it is stopped, and excluded files cause no restart', async () => {
    const changes: string[] = [];
    const watcher = fileChanges.watch(folder().uri.fsPath, ['watched/**', '!watched/out/**'], (file) =>
      changes.push(file),
    );
    try {
      await script.write(works('first'));
      await defineWatched();
      await command('mcpDeck.startServer', { server: 'watched' });
      await command('mcpDeck.stopServer', { server: 'watched' });
      assert.doesNotMatch(await drawn('watched'), /· watched/);
      changes.length = 0;
      await other.write('left out');
      await script.write(works('second'));
      await until('the change is reported', () => changes.includes('watched/server.mjs'));
      assert.ok(!changes.some((file) => file.startsWith('watched/out')), changes.join());
      assert.equal((await findServer('watched'))?.state, 'stopped');
    } finally {
      watcher.dispose();
    }
  });

  test('has its details in a separate tab for each server', async () => {
    const tabs = () =>
      vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('mcpDeck.server'));
    await command('mcpDeck.showServerDetails', { server: 'demo' });
    await command('mcpDeck.showServerDetails', { server: 'workspace' });
    await command('mcpDeck.showServerDetails', { server: 'demo' });
    await until('both have a tab', () => tabs().length === 2);
    assert.deepEqual(
      tabs().map(({ label, isActive }) => `${label} ${isActive}`),
      ['demo true', 'workspace false'],
    );
    const error = await failureOf(command('mcpDeck.showServerDetails', { server: 'nobody' }));
    assert.match(error.message, /no server "nobody"/);
  });
});
