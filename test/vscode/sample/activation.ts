import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/vscode/manifest.js';
import { beforeAll, suite, test } from '../runner.js';
import { deckApi, deckExtension, draw, drawn, findServer, serverIds, untilState } from '../support/host.js';

suite('activation', () => {
  beforeAll(() => untilState('workspace', 'running'));

  test('returns the API', async () => {
    const api = await deckApi();
    assert.equal(api.apiVersion, 1);
    const functions = [
      'drawRuns',
      'drawServers',
      'getPrompt',
      'listServers',
      'readResource',
      'restartServer',
      'runTool',
      'startServer',
      'stopServer',
    ];
    assert.deepEqual(
      Object.keys(api)
        .filter((key) => typeof api[key as keyof typeof api] === 'function')
        .sort(),
      functions,
    );
  });

  test('registers every command that package.json contributes', async () => {
    const { contributes } = deckExtension().packageJSON as { contributes: { commands: { command: string }[] } };
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributes.commands.filter((one) => !known.has(one.command)),
      [],
    );
  });

  test('registers every command that the code uses', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(commandIds).filter((id) => !known.has(id)),
      [],
    );
  });

  test('lists the built-in server, those of the user settings and those of the workspace, in this order', async () => {
    assert.deepEqual(await serverIds(), [
      'workspace',
      'mine',
      'crashes',
      'silent',
      'hangs',
      'exits',
      'chatty',
      'stubborn',
      'missing',
      'demo',
      'files',
      'everything',
    ]);
  });

  test('returns for each server where it is defined', async () => {
    const sources = [await findServer('mine'), await findServer('everything')].map((server) => server?.source);
    assert.deepEqual(sources, ['User settings', '.vscode/mcp.json']);
  });

  test('starts the built-in server without a question', async () => {
    const server = await findServer('workspace');
    assert.deepEqual(server?.tools?.toSorted(), [
      'diagnostics',
      'document_symbols',
      'find_files',
      'read_file',
      'workspace_symbols',
    ]);
  });

  test('starts no other server automatically when mcpDeck.autoStart is never', async () => {
    const running = (await (await deckApi()).listServers()).filter(({ state }) => state !== 'stopped');
    assert.deepEqual(
      running.map(({ server }) => server),
      ['workspace'],
    );
  });

  test('draws a stopped server with a way to start it', async () => {
    assert.match(
      await drawn('everything'),
      /^\(circle-outline\) everything {2}stopped · stdio · \.vscode\/mcp\.json\n +\(play\) Start the server to see what it offers$/,
    );
  });

  test('draws the built-in server with what it offers', async () => {
    assert.match(
      await draw(),
      /^\(circle-filled\) workspace {2}built-in · 5 tools\n(?: .*\n)* +\(eye\) Find Files {2}/m,
    );
  });
});
