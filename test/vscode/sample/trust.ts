import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeEach, suite, test } from '../runner.js';
import { answerModals } from '../support/dialogs.js';
import type { Dialogs } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  deckApi,
  drawn,
  failureOf,
  findServer,
  oddServer,
  stateOf,
  textOf,
  until,
  untilState,
} from '../support/host.js';

const file = new WorkspaceFile('.vscode/mcp.json');

let edits = 0;

/** Writes the server `guarded` and waits until the deck has read it, which a second entry with a new name shows. */
async function define(more: object = {}, mode = 'environment'): Promise<void> {
  const mark = `seen-${++edits}`;
  await file.write({ servers: { guarded: oddServer(mode, more), [mark]: { url: 'http://127.0.0.1:1/' } } });
  await until('the file is read', () => findServer(mark));
}

suite('the question before a workspace server first starts', () => {
  let dialogs: Dialogs;
  let answer: string | undefined;
  beforeEach(async () => {
    answer = undefined;
    dialogs = answerModals(() => answer);
    await command('mcpDeck.resetTrust');
    await define();
  });
  afterEach(async () => {
    dialogs.restore();
    await command('mcpDeck.stopServer', { server: 'guarded' });
  });
  afterAll(async () => {
    await file.restore();
    await until('the sample is back', () => findServer('everything'));
  });

  test('a script that starts it is refused with not-trusted', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
    assert.equal(error.code, 'not-trusted');
  });

  test('a start by another extension is refused with not-trusted', async () => {
    const error = await failureOf((await deckApi()).startServer({ server: 'guarded' }));
    assert.equal(error.code, 'not-trusted');
  });

  test('a script that runs one of its tools is refused with not-trusted', async () => {
    const error = await failureOf(
      command('mcpDeck.runTool', { server: 'guarded', tool: 'echo', arguments: { text: 'x' } }),
    );
    assert.equal(error.code, 'not-trusted');
  });

  test('a script that reads one of its resources is refused with not-trusted', async () => {
    const error = await failureOf(command('mcpDeck.readResource', { server: 'guarded', uri: 'x:y' }));
    assert.equal(error.code, 'not-trusted');
  });

  test('a script that restarts it is refused with not-trusted', async () => {
    const error = await failureOf(command('mcpDeck.restartServer', { server: 'guarded' }));
    assert.equal(error.code, 'not-trusted');
  });

  test('a restart after an unapproved edit leaves the server running, and the error says so', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    await untilState('guarded', 'running');
    await define({ env: { ADDED: '1' } });
    const error = await failureOf(command('mcpDeck.restartServer', { server: 'guarded' }));
    assert.equal(error.code, 'not-trusted');
    assert.match(error.message, /The server continues to run with its previous definition\.$/);
    assert.equal(await stateOf('guarded'), 'running');
  });

  test('a script never opens the question', async () => {
    answer = 'Start Server';
    await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
    assert.deepEqual(dialogs.asked, []);
  });

  test('a server that was refused waits for trust', async () => {
    await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
    assert.equal(await stateOf('guarded'), 'needsTrust');
  });

  test('a server that waits for trust is drawn as such', async () => {
    await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
    assert.match(await drawn('guarded'), /^\(warning\) guarded {2}\S.*\n +\(play\) Review what the server would run/);
  });

  test('reviewTrust asks, and "Start Server" starts it', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    assert.equal(await stateOf('guarded'), 'running');
  });

  test('closing the question starts nothing', async () => {
    await failureOf(command('mcpDeck.reviewTrust', { server: 'guarded' }));
    assert.equal(await stateOf('guarded'), 'needsTrust');
  });

  test('"Don\'t Start" starts nothing', async () => {
    answer = "Don't Start";
    await failureOf(command('mcpDeck.reviewTrust', { server: 'guarded' }));
    assert.equal(await stateOf('guarded'), 'needsTrust');
  });

  test('starting is not the default button', async () => {
    await failureOf(command('mcpDeck.reviewTrust', { server: 'guarded' }));
    assert.notEqual(dialogs.asked[0]?.buttons[0], 'Start Server');
  });

  test('the question shows the command, every argument, the folder and the variables as written', async () => {
    await define({
      args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment', 'x'.repeat(3_000)],
      cwd: '${workspaceFolder}/docs',
      env: { SOME_NAME: 'v' },
    });
    await failureOf(command('mcpDeck.reviewTrust', { server: 'guarded' }));
    const lines = (dialogs.asked[0]?.detail ?? '').split('\n').map((line) => line.trim());
    assert.deepEqual(
      ['node', 'environment', 'x'.repeat(3_000), 'SOME_NAME=v'].filter((part) => !lines.includes(part)),
      [],
      lines.join('\n'),
    );
    assert.ok(
      lines.some((line) => line.endsWith('docs')),
      lines.join('\n'),
    );
  });

  test('the question shows no value of a variable', async () => {
    await define({ env: { API_TOKEN: 'hunter2-hunter2' } });
    await failureOf(command('mcpDeck.reviewTrust', { server: 'guarded' }));
    assert.equal(JSON.stringify(dialogs.asked).includes('hunter2'), false);
  });

  test('an approved server starts by script afterwards', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    await command('mcpDeck.stopServer', { server: 'guarded' });
    await command('mcpDeck.startServer', { server: 'guarded' });
    assert.equal(await stateOf('guarded'), 'running');
  });

  test('an approved server asks only once', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    await command('mcpDeck.stopServer', { server: 'guarded' });
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    assert.equal(dialogs.asked.length, 1);
  });

  for (const [what, more] of Object.entries({
    'the command': { command: process.execPath },
    'the arguments': { args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'ok'] },
    'a variable': { env: { A: '1' } },
    'the folder': { cwd: 'docs' },
    'the env file': { envFile: 'docs/greetings.md' },
  })) {
    test(`a change of ${what} asks again`, async () => {
      answer = 'Start Server';
      await command('mcpDeck.reviewTrust', { server: 'guarded' });
      await command('mcpDeck.stopServer', { server: 'guarded' });
      await define(more);
      const error = await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
      assert.equal(error.code, 'not-trusted');
    });
  }

  test('a change of a workspace setting that the command uses asks again, and the question shows its value', async () => {
    answer = 'Start Server';
    const setting = vscode.workspace.getConfiguration('editor');
    try {
      await setting.update('fontFamily', 'one', vscode.ConfigurationTarget.Workspace);
      await define({
        args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'environment', '${config:editor.fontFamily}'],
      });
      await command('mcpDeck.reviewTrust', { server: 'guarded' });
      await command('mcpDeck.stopServer', { server: 'guarded' });
      await command('mcpDeck.startServer', { server: 'guarded' });
      await command('mcpDeck.stopServer', { server: 'guarded' });
      await setting.update('fontFamily', 'two', vscode.ConfigurationTarget.Workspace);
      const error = await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
      assert.equal(error.code, 'not-trusted');
      await command('mcpDeck.reviewTrust', { server: 'guarded' });
      assert.deepEqual(
        dialogs.asked.map(({ detail }) => /^\u00a0+(one|two)$/m.exec(detail)?.[1]),
        ['one', 'two'],
      );
    } finally {
      await setting.update('fontFamily', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  test('an undone change needs no new answer', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    await command('mcpDeck.stopServer', { server: 'guarded' });
    await define({ env: { A: '1' } });
    await define();
    await command('mcpDeck.startServer', { server: 'guarded' });
    assert.equal(await stateOf('guarded'), 'running');
  });

  test('resetTrust makes an approved server ask again', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    await command('mcpDeck.stopServer', { server: 'guarded' });
    await command('mcpDeck.resetTrust');
    const error = await failureOf(command('mcpDeck.startServer', { server: 'guarded' }));
    assert.equal(error.code, 'not-trusted');
  });

  test('a server of the user settings starts without the question', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    const asked = dialogs.asked.length;
    await command('mcpDeck.stopServer', { server: 'mine' });
    assert.equal(asked, 0);
  });

  test('startAllServers asks no question and leaves it waiting', async () => {
    answer = 'Start Server';
    // One of the servers never answers, so the test does not wait for the others.
    const starting = failureOf(command('mcpDeck.startAllServers', {}));
    await untilState('guarded', 'needsTrust');
    await command('mcpDeck.stopAllServers');
    await starting;
    assert.deepEqual(dialogs.asked, []);
  });

  test('an approved server runs the tool that a script asks for', async () => {
    answer = 'Start Server';
    await command('mcpDeck.reviewTrust', { server: 'guarded' });
    await untilState('guarded', 'running');
    assert.equal(
      textOf(await (await deckApi()).runTool({ server: 'guarded', tool: 'echo', arguments: { text: 'trusted' } })),
      'trusted',
    );
  });
});
