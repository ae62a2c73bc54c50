import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, suite, test } from '../runner.js';
import { command, drawn, failureOf, findServer, stateOf, textOf, until, untilState } from '../support/host.js';

const crash = () =>
  failureOf(command('mcpDeck.runTool', { server: 'crashes', tool: 'echo', arguments: { text: 'x' } }));

suite('servers that misbehave', () => {
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('a call to a server that dies fails with its exit and its last output', async () => {
    const error = await crash();
    assert.match(error.message, /code 7.*out of memory/);
  });

  test('a server that died shows as failed with its exit code', async () => {
    await crash();
    await untilState('crashes', 'failed');
    assert.match(await drawn('crashes'), /^\(error\) crashes {2}out of memory \(exited with code 7\)\n/);
  });

  test('a server that died restarts by command', async () => {
    await crash();
    await untilState('crashes', 'failed');
    await command('mcpDeck.restartServer', { server: 'crashes' });
    assert.equal(await stateOf('crashes'), 'running');
  });

  test('a server that died restarts automatically when mcpDeck.restartOnCrash is on', async () => {
    const settings = vscode.workspace.getConfiguration('mcpDeck');
    await settings.update('restartOnCrash', true, vscode.ConfigurationTarget.Global);
    try {
      await crash();
      await until('its end is seen', async () => (await stateOf('crashes')) !== 'running');
      await untilState('crashes', 'running');
    } finally {
      await settings.update('restartOnCrash', false, vscode.ConfigurationTarget.Global);
    }
  });

  test('a server that never answers initialize fails with timeout', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: 'silent' }));
    assert.equal(error.code, 'timeout', error.message);
  });

  test('a server that never answers initialize says how long it waited', async () => {
    await failureOf(command('mcpDeck.startServer', { server: 'silent' }));
    assert.match(await drawn('silent'), /^\(error\) silent {2}no response within /);
  });

  test('a server that exits at once fails with its code and its last stderr line', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: 'exits' }));
    assert.deepEqual(
      [error.code, /code 3.*cannot find the configuration/.test(error.message)],
      ['exited', true],
      error.message,
    );
  });

  test('a server that exits at once is listed as failed with the reason', async () => {
    await failureOf(command('mcpDeck.startServer', { server: 'exits' }));
    assert.match((await findServer('exits'))?.reason ?? '', /code 3/);
  });

  test('a command that does not exist fails with the command and where it was searched', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: 'missing' }));
    assert.deepEqual(
      [error.code, /no-such-program-of-mcp-deck.*PATH/.test(error.message)],
      ['spawn-failed', true],
      error.message,
    );
  });

  test('a command that does not exist is drawn with a suggestion', async () => {
    await failureOf(command('mcpDeck.startServer', { server: 'missing' }));
    assert.match(
      await drawn('missing'),
      /^\(error\) missing {2}command not found: no-such-program-of-mcp-deck\n(?:.*\n)* +\(lightbulb\) +Check the spelling/,
    );
  });

  test('a server that prints a banner works', async () => {
    assert.equal(
      textOf(await command('mcpDeck.runTool', { server: 'chatty', tool: 'echo', arguments: { text: 'fine' } })),
      'fine',
    );
  });

  test('one server that fails leaves the others running', async () => {
    await command('mcpDeck.startServer', { server: 'mine' });
    await failureOf(command('mcpDeck.startServer', { server: 'exits' }));
    assert.equal(await stateOf('mine'), 'running');
  });
});
