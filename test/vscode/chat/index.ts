import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { participantId } from '../../../src/vscode/manifest.js';
import { makeRun, suite, test } from '../runner.js';
import { deckApi, deckExtension, stateOf, until } from '../support/host.js';

interface Contribution {
  id: string;
  name: string;
  commands: { name: string }[];
}

const participants = () => (deckExtension().packageJSON as { contributes: { chatParticipants: Contribution[] } }).contributes.chatParticipants;
const scripted = () => until('the scripted models are there', async () => {
  const models = await vscode.lm.selectChatModels({ vendor: 'scripted' });
  return models.length > 0 ? models : undefined;
});

suite('chat', () => {
  test('the participant @deck is contributed under the id that the code registers', () => {
    assert.deepEqual(participants().map(({ id, name }) => [id, name]), [[participantId, 'deck']]);
  });

  test('the participant has the commands /tools and /run', () => {
    assert.deepEqual(participants()[0]?.commands.map(({ name }) => name), ['tools', 'run']);
  });

  test('the scripted models can be selected', async () => {
    assert.deepEqual((await scripted()).map(({ id }) => id).toSorted(), ['scripted-1', 'scripted-2']);
  });

  test('a server offers its tools while models are there', async () => {
    await (await deckApi()).listServers();
    await until('workspace is running', async () => (await stateOf('workspace')) === 'running');
  });
});

export const run = makeRun();
