import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import { answerModals } from '../support/dialogs.js';
import type { Dialogs } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  deckApi,
  failureOf,
  findServer,
  folder,
  oddServer,
  serverIds,
  textOf,
  until,
} from '../support/host.js';

const ofApp = new WorkspaceFile('.vscode/mcp.json', 0);
const ofTools = new WorkspaceFile('.mcp.json', 1);
const settingsOfApp = new WorkspaceFile('.vscode/settings.json', 0);

interface Started {
  args: string[];
  cwd: string;
}

async function environmentOf(server: string): Promise<Started> {
  await command('mcpDeck.reviewTrust', { server });
  return JSON.parse(textOf(await (await deckApi()).runTool({ server, tool: 'environment' }))) as Started;
}

/** VS Code accepts a second change only after it reported the first. */
async function changeFolders(
  start: number,
  removed: number,
  ...added: { uri: vscode.Uri; name?: string }[]
): Promise<void> {
  const changed = new Promise((resolve) => {
    const listener = vscode.workspace.onDidChangeWorkspaceFolders((event) => {
      listener.dispose();
      resolve(event);
    });
  });
  assert.ok(vscode.workspace.updateWorkspaceFolders(start, removed, ...added), 'VS Code takes the change of folders');
  await changed;
}

suite('a workspace with two folders', () => {
  let dialogs: Dialogs;
  beforeAll(async () => {
    dialogs = answerModals(() => 'Start Server');
    await until('the servers are listed', async () => (await serverIds()).length === 4);
  });
  afterEach(async () => {
    await command('mcpDeck.stopAllServers');
    await ofApp.restore();
    await ofTools.restore();
    await settingsOfApp.restore();
    await until('the sample is back', async () => {
      const ids = await serverIds();
      return ids.length === 4 && ids.includes('everything') && ids.includes('files (Tools)');
    });
  });
  afterAll(() => dialogs.restore());

  test('lists the servers of both folders', async () => {
    const all = await command<{ server: string; source: string }[]>('mcpDeck.listServers');
    assert.deepEqual(
      all.map(({ source }) => source),
      ['built-in', '.vscode/mcp.json', '.vscode/mcp.json', '.mcp.json'],
    );
  });

  test('gives every server a unique id', async () => {
    const ids = await serverIds();
    assert.equal(new Set(ids).size, 4, ids.join(', '));
  });

  test('distinguishes servers with the same name by their folder', async () => {
    assert.ok((await serverIds()).includes('files (Tools)'), (await serverIds()).join(', '));
  });

  test('keeps the plain id for a name that only one folder uses', async () => {
    assert.ok((await serverIds()).includes('everything'));
  });

  test('shows both folders as roots', async () => {
    await command('mcpDeck.reviewTrust', { server: 'everything' });
    const text = textOf(await (await deckApi()).runTool({ server: 'everything', tool: 'get-roots-list' }));
    assert.deepEqual(
      [0, 1].filter((index) => !text.includes(pathToFileURL(folder(index).uri.fsPath).href)),
      [],
      text,
    );
  });

  test('[D3] a root is the exact address of its folder, for any name; a folder that is not on disk is not a root', async () => {
    await command('mcpDeck.reviewTrust', { server: 'everything' });
    const odd = vscode.Uri.joinPath(folder(0).uri, 'a b#c%20d é');
    await vscode.workspace.fs.createDirectory(odd);
    await changeFolders(2, 0, { uri: odd }, { uri: vscode.Uri.parse('mcpdeck:/workspace') });
    try {
      const roots = async () =>
        textOf(await (await deckApi()).runTool({ server: 'everything', tool: 'get-roots-list' }));
      await until('the server sees the new root', async () => (await roots()).includes('a%20b%23c%2520d%20%C3%A9'));
      assert.doesNotMatch(await roots(), /mcpdeck:/);
    } finally {
      await changeFolders(2, 2);
      await vscode.workspace.fs.delete(odd);
    }
  });

  test('a folder that is added becomes a root of a running server', async () => {
    await command('mcpDeck.reviewTrust', { server: 'everything' });
    const added = vscode.Uri.joinPath(folder(0).uri, 'src');
    await changeFolders(2, 0, { uri: added });
    try {
      const roots = async () => (await deckApi()).runTool({ server: 'everything', tool: 'get-roots-list' });
      await until('the server sees the new root', async () =>
        textOf(await roots()).includes(pathToFileURL(added.fsPath).href),
      );
    } finally {
      await changeFolders(2, 1);
    }
  });

  test('[N3] a denial in the settings of a folder applies, even if it is the only folder of the workspace file', async () => {
    await command('mcpDeck.reviewTrust', { server: 'everything' });
    const call = async (tool: string) => (await deckApi()).runTool({ server: 'everything', tool, arguments: {} });
    const isDenied = async (tool: string) =>
      (await failureOf(call(tool)).catch(() => undefined))?.code === 'call-refused';
    await settingsOfApp.write({ 'mcpDeck.rules': [{ effect: 'deny', tool: 'get-roots-list' }] });
    await until('the folder denies', () => isDenied('get-roots-list'));
    const { uri, name } = folder(1);
    await changeFolders(1, 1);
    try {
      assert.equal(vscode.workspace.workspaceFolders?.length, 1);
      await until('the rule still counts', () => isDenied('get-roots-list'));
      // Read again from the file, not only remembered.
      await settingsOfApp.write({ 'mcpDeck.rules': [{ effect: 'deny', tool: 'get-*' }] });
      await until('the folder denies more', () => isDenied('get-env'));
    } finally {
      await changeFolders(1, 0, { uri, name });
    }
  });

  test('${workspaceFolder} is the folder of the file, for the first folder', async () => {
    await ofApp.write({
      servers: {
        first: oddServer('environment', {
          args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment', '${workspaceFolder}'],
        }),
        everything: oddServer('ok'),
      },
    });
    await until('first is listed', () => findServer('first'));
    assert.deepEqual((await environmentOf('first')).args, [folder(0).uri.fsPath]);
  });

  test('${workspaceFolder} is the folder of the file, for the second folder', async () => {
    await ofTools.write({
      mcpServers: {
        second: {
          command: 'node',
          args: ['${MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment', '${workspaceFolder}'],
        },
      },
    });
    await until('second is listed', () => findServer('second'));
    assert.deepEqual((await environmentOf('second')).args, [folder(1).uri.fsPath]);
  });

  test('${workspaceFolder:name} names the other folder', async () => {
    await ofTools.write({
      mcpServers: {
        third: {
          command: 'node',
          args: ['${MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment', '${workspaceFolder:app}'],
        },
      },
    });
    await until('third is listed', () => findServer('third'));
    assert.deepEqual((await environmentOf('third')).args, [folder(0).uri.fsPath]);
  });

  test('a server starts in the folder of its file', async () => {
    await ofTools.write({
      mcpServers: {
        second: { command: 'node', args: ['${MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment'] },
      },
    });
    await until('second is listed', () => findServer('second'));
    assert.equal((await environmentOf('second')).cwd, folder(1).uri.fsPath);
  });

  test('an answer to the trust question for one folder does not apply to the other', async () => {
    const same = { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment'] };
    await ofApp.write({ servers: { everything: same } });
    await ofTools.write({ mcpServers: { twin: same } });
    await until('twin is listed', () => findServer('twin'));
    await until('everything is read', async () => (await serverIds()).length === 3);
    await command('mcpDeck.reviewTrust', { server: 'everything' });
    assert.equal((await failureOf(command('mcpDeck.startServer', { server: 'twin' }))).code, 'not-trusted');
  });

  test('a mistake in one folder does not affect the servers of the other', async () => {
    await ofTools.write('{ "mcpServers": ');
    await until('there is a problem', () =>
      vscode.languages.getDiagnostics(ofTools.uri).some(({ source }) => source === 'MCP Deck'),
    );
    assert.ok(await findServer('everything'));
  });
});

export const run = makeRun();
