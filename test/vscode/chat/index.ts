import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { participantId } from '../../../src/vscode/manifest.js';
import { makeRun, suite, test } from '../runner.js';
import { command, deckApi, defineServers, deckExtension, stateOf, until } from '../support/host.js';

interface Contribution {
  id: string;
  name: string;
  commands: { name: string }[];
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const participants = () =>
  (deckExtension().packageJSON as { contributes: { chatParticipants: Contribution[] } }).contributes.chatParticipants;
const scripted = () =>
  until('the scripted models are there', async () => {
    const models = await vscode.lm.selectChatModels({ vendor: 'scripted' });
    return models.length > 0 ? models : undefined;
  });

suite('chat', () => {
  test('the participant @deck is contributed under the id that the code registers', () => {
    assert.deepEqual(
      participants().map(({ id, name }) => [id, name]),
      [[participantId, 'deck']],
    );
  });

  test('the participant has its commands', () => {
    assert.deepEqual(
      participants()[0]?.commands.map(({ name }) => name),
      ['tools', 'run', 'resources', 'read', 'prompts', 'prompt', 'servers', 'why'],
    );
  });

  test('the scripted models can be selected', async () => {
    assert.deepEqual((await scripted()).map(({ id }) => id).toSorted(), ['scripted-1', 'scripted-2']);
  });

  test('a server offers its tools while models are available', async () => {
    await (await deckApi()).listServers();
    await until('workspace is running', async () => (await stateOf('workspace')) === 'running');
  });

  test('a tool that is run by "@deck /run" appears in Runs with its outcome and duration', async () => {
    await ask('/run workspace.find_files {"pattern":"**/*.md"}');
    assert.match(await runsWith('(pass)'), /\(pass\) Find Files {2}workspace · .*(?:ms|s) · .*greetings\.md/);
  });

  test('a run by "@deck /run" with invalid arguments appears in Runs as failed', async () => {
    await ask('/run workspace.find_files {"pattern":7}');
    assert.match(
      await runsWith('(error)'),
      /\(error\) Find Files {2}workspace · .* are not valid for the tool "find_files"/,
    );
  });

  test('a result by "@deck /run" that does not fit the output schema of the tool appears in Runs as a result', async () => {
    const undo = await defineServers({
      results: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/results.mjs'] },
    });
    try {
      await command('mcpDeck.startServer', { server: 'results' });
      await ask('/run results.misfit');
      assert.match(await runsWith('misfit'), /\(pass\) misfit {2}results · .* · It is warm\./);
    } finally {
      await command('mcpDeck.stopServer', { server: 'results' });
      await undo();
    }
  });

  test('[chat.complete] files and images that the user attaches reach the model', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-deck-attached-'));
    const [script, log, image, text] = ['script.json', 'log.jsonl', 'pixel.dat', 'notes.txt'].map((name) =>
      path.join(folder, name),
    ) as [string, string, string, string];
    await Promise.all([
      writeFile(script, JSON.stringify([{ text: 'A pixel.' }])),
      writeFile(image, Buffer.from(pixel, 'base64')),
      writeFile(text, 'remember the milk'),
    ]);
    // The scripted model runs in this process.
    Object.assign(process.env, { MCP_DECK_MODEL_SCRIPT: script, MCP_DECK_MODEL_LOG: log });
    try {
      await vscode.commands.executeCommand('workbench.action.chat.open', {
        query: '@deck what is this',
        attachFiles: [vscode.Uri.file(image), vscode.Uri.file(text)],
      });
      const sent = await until('the model was asked', () => readFile(log, 'utf8').catch(() => ''));
      assert.match(sent, /"data":"image\/png"/);
      assert.match(sent, /remember the milk/);
      assert.match(sent, /what is this/);
    } finally {
      delete process.env['MCP_DECK_MODEL_SCRIPT'];
      delete process.env['MCP_DECK_MODEL_LOG'];
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Sends a question to the participant, as a user does in the chat view. */
function ask(text: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.chat.open', { query: `@deck ${text}` });
}

/** The Runs view once it contains `text`. */
async function runsWith(text: string): Promise<string> {
  const api = await deckApi();
  return until(`the view Runs contains ${text}`, async () => {
    const runs = await api.drawRuns();
    return runs.includes(text) ? runs : undefined;
  });
}

export const run = makeRun();
