import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { makeRun, suite, test } from '../runner.js';
import { command, deckExtension, draw, failureOf, serverIds, textOf, until, untilState } from '../support/host.js';
import { serverProcesses } from '../support/processes.js';

/** The deck is a file of its own beside the one that activation loads. */
const isDeckLoaded = () => Object.keys(require.cache).some((file) => file === path.join(deckExtension().extensionPath, 'dist', 'deck.js'));

suite('a window without a folder', () => {
  test('activates', async () => {
    await until('it is active', () => deckExtension().isActive);
  });

  test('loads nothing but the composition root', async () => {
    await until('it is active', () => deckExtension().isActive);
    assert.equal(isDeckLoaded(), false);
  });

  test('loads the deck with the first call', async () => {
    await deckExtension().exports.listServers();
    assert.equal(isDeckLoaded(), true);
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
