import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, beforeEach, suite, test } from '../runner.js';
import { command, drawn, failureOf, textOf, until, untilState } from '../support/host.js';
import { processOf, serverProcesses } from '../support/processes.js';
import { assertNeighbourAnswers } from './neighbour.js';

const wait = () => failureOf(command('mcpDeck.runTool', { server: 'victim', tool: 'wait' }));

/** The messages that the server received since it started: methods with their targets. */
async function received(): Promise<[string, unknown][]> {
  return JSON.parse(textOf(await command('mcpDeck.runTool', { server: 'victim', tool: 'received' }))) as [
    string,
    unknown,
  ][];
}

/** Kills the server's process and returns that process. */
async function kill() {
  const killed = await processOf('victim');
  process.kill(killed.pid, 'SIGKILL');
  return killed;
}

/** Waits for a process of the server other than `before`. */
async function untilReplaced(before: { pid: number; startedAt: string }) {
  return until('another process runs', async () => {
    const now = await processOf('victim').catch(() => undefined);
    return now !== undefined && (now.pid !== before.pid || now.startedAt !== before.startedAt) && now;
  });
}

suite('recovery: a server is killed', () => {
  beforeEach(async () => {
    await command('mcpDeck.stopServer', { server: 'victim' });
    await command('mcpDeck.startServer', { server: 'victim' });
  });
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('[P4] in mid-call: every open call fails with the signal that ended it', async () => {
    const calls = [wait(), wait(), wait()];
    // A call after the end starts the server again, and waits for the start.
    await until(
      'all have arrived',
      async () =>
        (await received()).filter(([method, name]) => method === 'tools/call' && name === 'wait').length ===
        calls.length,
    );
    await kill();
    const errors = await Promise.all(calls);
    assert.deepEqual(
      errors.map(({ code, message }) => [code, message]),
      Array(3).fill(['exited', 'The server "victim" was ended by SIGKILL. See the log of the server for details.']),
    );
  });

  test('[P8, Y2] while idle: the tree shows how it ended and when it restarts, and it restarts with one process', async () => {
    const before = await kill();
    await until('the tree shows it', async () =>
      /^\(error\) victim {2}ended by SIGKILL, starting again in \d s\n {2}\(info\) {3}The server "victim" was ended by SIGKILL\./.test(
        await drawn('victim'),
      ),
    );
    await assertNeighbourAnswers();
    await untilReplaced(before);
    await untilState('victim', 'running');
    assert.match(await drawn('victim'), /^\(circle-filled\) victim {2}stdio · 3 tools\n/);
    assert.equal((await serverProcesses()).filter((args) => args.endsWith(' victim')).length, 1);
  });

  test('its log level is set again after the restart', async () => {
    await untilReplaced(await kill());
    await untilState('victim', 'running');
    const levels = await until('the level is set', async () =>
      (await received()).filter(([method]) => method === 'logging/setLevel'),
    );
    assert.deepEqual(levels, [['logging/setLevel', 'info']]);
  });

  test('a server that the user stops before its restart stays stopped', async () => {
    await kill();
    await untilState('victim', 'failed');
    await command('mcpDeck.stopServer', { server: 'victim' });
    assert.deepEqual(
      [await drawn('victim'), (await serverProcesses()).filter((args) => args.endsWith(' victim'))],
      ['(circle-outline) victim  stopped · stdio · User settings\n  (play) Start the server to see what it offers', []],
    );
  });

  test('a killed server does not restart when mcpDeck.restartOnCrash is off', async () => {
    const settings = vscode.workspace.getConfiguration('mcpDeck');
    await settings.update('restartOnCrash', false, vscode.ConfigurationTarget.Global);
    try {
      await kill();
      await untilState('victim', 'failed');
      assert.match(await drawn('victim'), /^\(error\) victim {2}ended by SIGKILL\n/);
    } finally {
      await settings.update('restartOnCrash', true, vscode.ConfigurationTarget.Global);
    }
  });
});
