import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, suite, test } from '../runner.js';
import { command, folder, textOf } from '../support/host.js';

suite('roots', () => {
  beforeAll(() => Promise.all(['demo', 'files'].map((server) => command('mcpDeck.startServer', { server }))));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('a server sees the folder of the workspace as its root', async () => {
    const text = textOf(await command('mcpDeck.runTool', { server: 'demo', tool: 'get-roots-list' }));
    assert.match(text, /1 total/);
    assert.ok(text.includes(pathToFileURL(folder().uri.fsPath).href), text);
  });

  test('the filesystem server may read files in the folder', async () => {
    const text = textOf(
      await command('mcpDeck.runTool', {
        server: 'files',
        tool: 'list_directory',
        arguments: { path: folder().uri.fsPath },
      }),
    );
    assert.match(text, /\[FILE\] README\.md/);
  });

  test('the filesystem server may read nothing outside of the folder', async () => {
    const result = await command<{ isError?: boolean }>('mcpDeck.runTool', {
      server: 'files',
      tool: 'list_directory',
      arguments: { path: '/etc' },
    });
    assert.equal(result.isError, true);
  });
});
