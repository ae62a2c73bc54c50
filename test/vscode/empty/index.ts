import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { makeRun, suite, test } from '../runner.js';
import { command, deckExtension, draw, failureOf, serverIds, textOf, until, untilState } from '../support/host.js';
import { serverProcesses } from '../support/processes.js';

/** What is loaded of the files beside the one that activation loads: the deck, and libraries that are used later. */
const loaded = () => {
  const folder = `${path.join(deckExtension().extensionPath, 'dist')}${path.sep}`;
  return Object.keys(require.cache).flatMap((file) => (file.startsWith(folder) && !file.endsWith('extension.js') && !file.includes('test') ? [file.slice(folder.length).replaceAll(path.sep, '/')] : []));
};

suite('a window without a folder', () => {
  test('activates', async () => {
    await until('it is active', () => deckExtension().isActive);
  });

  test('loads nothing but the composition root', async () => {
    await until('it is active', () => deckExtension().isActive);
    assert.deepEqual(loaded(), []);
  });

  test('loads the deck with the first call, and no library before it is used', async () => {
    await deckExtension().exports.listServers();
    assert.deepEqual(loaded(), ['deck.js']);
  });

  test('has the built-in server only', async () => {
    assert.deepEqual(await serverIds(), ['workspace']);
  });

  test('draws the built-in server', async () => {
    await untilState('workspace', 'running');
    assert.match(await draw(), /^\(circle-filled\) workspace {2}built-in/);
  });

  test('answers tools of the built-in server', async () => {
    assert.equal(typeof textOf(await command('mcpDeck.runTool', { server: 'workspace', tool: 'find_files', arguments: { pattern: '*' } })), 'string');
  });

  test('names the servers there are when another one is asked for', async () => {
    assert.match((await failureOf(command('mcpDeck.startServer', { server: 'everything' }))).message, /Servers: workspace/);
  });

  test('has no process of a server', async () => {
    assert.deepEqual(await serverProcesses(), []);
  });

  test('has no workspace', () => {
    assert.equal(vscode.workspace.workspaceFolders, undefined);
  });
});

export const run = makeRun();
