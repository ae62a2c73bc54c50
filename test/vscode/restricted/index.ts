import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { afterAll, beforeAll, beforeEach, makeRun, suite, test } from '../runner.js';
import { answerModals } from '../support/dialogs.js';
import type { Dialogs } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  deckApi,
  draw,
  drawn,
  failureOf,
  findServer,
  serverIds,
  stateOf,
  until,
  untilState,
} from '../support/host.js';
import { serverProcesses } from '../support/processes.js';

const file = new WorkspaceFile('.vscode/mcp.json');

/** Every request that would start a server. */
const ways: Record<string, (server: string) => PromiseLike<unknown>> = {
  'the command startServer': (server) => command('mcpDeck.startServer', { server }),
  'the command restartServer': (server) => command('mcpDeck.restartServer', { server }),
  'the command runTool': (server) => command('mcpDeck.runTool', { server, tool: 'echo', arguments: { text: 'x' } }),
  'the command readResource': (server) => command('mcpDeck.readResource', { server, uri: 'x:y' }),
  'the command getPrompt': (server) => command('mcpDeck.getPrompt', { server, prompt: 'x' }),
  'startServer of the API': async (server) => (await deckApi()).startServer({ server }),
  'restartServer of the API': async (server) => (await deckApi()).restartServer({ server }),
  'runTool of the API': async (server) => (await deckApi()).runTool({ server, tool: 'echo', arguments: { text: 'x' } }),
  'readResource of the API': async (server) => (await deckApi()).readResource({ server, uri: 'x:y' }),
  'getPrompt of the API': async (server) => (await deckApi()).getPrompt({ server, prompt: 'x' }),
};

suite('an untrusted workspace', () => {
  let dialogs: Dialogs;
  beforeAll(async () => {
    dialogs = answerModals(() => 'Start Server');
    await until('the servers are listed', async () => (await serverIds()).includes('everything'));
  });
  beforeEach(() => void (dialogs.asked.length = 0));
  afterAll(() => dialogs.restore());

  test('is open in this window', () => {
    assert.equal(vscode.workspace.isTrusted, false);
  });

  test('shows the servers of its files', async () => {
    assert.ok((await serverIds()).includes('everything'));
  });

  test('shows the problems of its files', async () => {
    await file.write({ servers: { bad: {} } });
    try {
      await until('there is a problem', () =>
        vscode.languages.getDiagnostics(file.uri).some(({ source }) => source === 'MCP Deck'),
      );
    } finally {
      await file.restore();
      await until('the sample is back', () => findServer('everything'));
    }
  });

  test('[C1] starts nothing automatically, even when mcpDeck.autoStart is always', async () => {
    assert.deepEqual(await serverProcesses(), []);
  });

  test('leaves the built-in server working', async () => {
    await untilState('workspace', 'running');
    assert.match(
      JSON.stringify(
        await command('mcpDeck.runTool', {
          server: 'workspace',
          tool: 'find_files',
          arguments: { pattern: '**/*.md' },
        }),
      ),
      /README\.md/,
    );
  });

  for (const server of ['everything', 'mine', 'remote']) {
    for (const [way, ask] of Object.entries(ways)) {
      test(`${way} is refused with not-trusted for ${server === 'everything' ? 'a server of the workspace' : server === 'mine' ? 'a server of the user settings' : 'a remote server'}`, async () => {
        const present = (await serverIds()).includes(server);
        const error = await failureOf(ask(server));
        assert.equal(error.code, present ? 'not-trusted' : 'unknown-server', error.message);
      });
    }
  }

  test('startAllServers starts nothing', async () => {
    await failureOf(command('mcpDeck.startAllServers', {}));
    assert.deepEqual(await serverProcesses(), []);
  });

  test('asks no question that could start a server', async () => {
    await Promise.all(Object.values(ways).map((ask) => failureOf(ask('everything'))));
    assert.deepEqual(dialogs.asked, []);
  });

  test('[C1] no process exists after all these requests', async () => {
    await Promise.all(
      Object.values(ways).flatMap((ask) => ['everything', 'mine'].map((server) => failureOf(ask(server)))),
    );
    assert.deepEqual(await serverProcesses(), []);
  });

  test('[C1] no connection reaches a server of the workspace', async () => {
    let connections = 0;
    const http = createServer((_request, response) => response.end()).on('connection', () => connections++);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    try {
      await file.write({ servers: { web: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` } } });
      await until('web is listed', () => findServer('web'));
      await Promise.all(Object.values(ways).map((ask) => failureOf(ask('web'))));
      assert.equal(connections, 0);
    } finally {
      http.close();
      await file.restore();
      await until('the sample is back', () => findServer('everything'));
    }
  });

  test('the error says how to continue', async () => {
    assert.match(
      (await failureOf(command('mcpDeck.startServer', { server: 'everything' }))).message,
      /not trusted.*Trust the workspace/i,
    );
  });

  test('a requested server is drawn as waiting for trust', async () => {
    await failureOf(command('mcpDeck.startServer', { server: 'everything' }));
    assert.equal(await stateOf('everything'), 'needsTrust');
    assert.match(await drawn('everything'), /^\(warning\) everything {2}\S/);
  });

  test('an edit of its files starts nothing', async () => {
    await file.write({
      servers: { eager: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', 'ok'] } },
    });
    try {
      await until('eager is listed', () => findServer('eager'));
      assert.deepEqual(await serverProcesses(), []);
    } finally {
      await file.restore();
      await until('the sample is back', () => findServer('everything'));
    }
  });

  test('the tree can be drawn', async () => {
    assert.match(await draw(), /^\(\S+\) everything/m);
  });

  test('getPrompt of the built-in server works', async () => {
    const prompts = (await findServer('workspace'))?.prompts ?? [];
    assert.equal(prompts.length, 1);
  });
});

export const run = makeRun();
