import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, beforeAll, suite, test } from '../runner.js';
import { command, deckApi, failureOf, folder, stateOf, textOf } from '../support/host.js';

const longRunning = { server: 'demo', tool: 'trigger-long-running-operation' };

suite('commands with an argument object', () => {
  beforeAll(() => command('mcpDeck.startServer', { server: 'demo' }));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('listServers returns what listServers of the API returns', async () => {
    assert.deepEqual(await command('mcpDeck.listServers'), await (await deckApi()).listServers());
  });

  test('runTool returns the plain protocol result', async () => {
    const result = await command('mcpDeck.runTool', { server: 'demo', tool: 'echo', arguments: { message: 'hi' } });
    assert.deepEqual(result, { content: [{ type: 'text', text: 'Echo: hi' }] });
  });

  test('runTool opens no document unless requested', async () => {
    const before = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length;
    await command('mcpDeck.runTool', { server: 'demo', tool: 'echo', arguments: { message: 'hi' } });
    assert.equal(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, before);
  });

  test('runTool returns an error of the tool as a result with isError', async () => {
    await command('mcpDeck.startServer', { server: 'files' });
    const result = await command<{ isError?: boolean }>('mcpDeck.runTool', {
      server: 'files',
      tool: 'read_text_file',
      arguments: { path: '/no/such/file' },
    });
    assert.equal(result.isError, true);
  });

  test('runTool starts a stopped server', async () => {
    await command('mcpDeck.stopServer', { server: 'mine' });
    const result = await command('mcpDeck.runTool', { server: 'mine', tool: 'echo', arguments: { text: 'awake' } });
    assert.equal(textOf(result), 'awake');
  });

  test('readResource returns the contents', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    const { contents } = await command<{ contents: { uri: string; text: string }[] }>('mcpDeck.readResource', {
      server: 'demo',
      uri,
    });
    assert.deepEqual(
      contents.map((one) => [one.uri, typeof one.text]),
      [[uri, 'string']],
    );
  });

  test('getPrompt returns the messages with the arguments filled in', async () => {
    const { messages } = await command<{ messages: unknown[] }>('mcpDeck.getPrompt', {
      server: 'demo',
      prompt: 'args-prompt',
      arguments: { city: 'Bern' },
    });
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: "What's weather in Bern?" } }]);
  });

  test('an unknown server fails with unknown-server and names the known ones', async () => {
    const error = await failureOf(command('mcpDeck.runTool', { server: 'absent', tool: 'echo' }));
    assert.equal(error.code, 'unknown-server');
    assert.match(error.message, /There is no server "absent" in this window\. Servers: workspace, .*demo/);
  });

  test('an unknown tool fails with unknown-tool and names it', async () => {
    const error = await failureOf(command('mcpDeck.runTool', { server: 'demo', tool: 'ecko' }));
    assert.deepEqual([error.code, error.message.includes('"demo" has no tool "ecko"')], ['unknown-tool', true]);
  });

  test('an unknown resource fails with the message of the server', async () => {
    const error = await failureOf(command('mcpDeck.readResource', { server: 'demo', uri: 'demo://no/such' }));
    assert.match(error.message, /demo:\/\/no\/such/);
  });

  test('an unknown prompt fails and names it', async () => {
    const error = await failureOf(command('mcpDeck.getPrompt', { server: 'demo', prompt: 'no-such-prompt' }));
    assert.match(error.message, /no-such-prompt/);
  });

  test('a missing server name fails with invalid-arguments and shows an example', async () => {
    const error = await failureOf(command('mcpDeck.startServer', {}));
    assert.deepEqual([error.code, error.message.includes('{ "server": "name" }')], ['invalid-arguments', true]);
  });

  test('a missing tool name fails with invalid-arguments and shows an example', async () => {
    const error = await failureOf(command('mcpDeck.runTool', { server: 'demo' }));
    assert.deepEqual([error.code, error.message.includes('"tool": "name"')], ['invalid-arguments', true]);
  });

  test('arguments that are not an object fail with invalid-arguments', async () => {
    const error = await failureOf(command('mcpDeck.runTool', { server: 'demo', tool: 'echo', arguments: 'hi' }));
    assert.equal(error.code, 'invalid-arguments');
  });

  test('arguments that do not match the schema fail with invalid-arguments before they reach the server', async () => {
    const error = await failureOf(
      command('mcpDeck.runTool', { server: 'demo', tool: 'get-sum', arguments: { a: 'one', b: 2 } }),
    );
    assert.deepEqual([error.code, /"get-sum".*\ba\b/.test(error.message)], ['invalid-arguments', true]);
  });

  test('a prompt argument that is not a string fails with invalid-arguments', async () => {
    const error = await failureOf(
      command('mcpDeck.getPrompt', { server: 'demo', prompt: 'args-prompt', arguments: { city: 7 } }),
    );
    assert.equal(error.code, 'invalid-arguments');
  });

  test('512 calls at once each get their own answer', async () => {
    const calls = Array.from({ length: 512 }, (_, index) =>
      command('mcpDeck.runTool', { server: 'mine', tool: 'echo', arguments: { text: `call ${index}` } }),
    );
    const answers = (await Promise.all(calls)).map(textOf);
    assert.deepEqual(
      answers,
      answers.map((_, index) => `call ${index}`),
    );
  });
});

suite('API', () => {
  beforeAll(async () => (await deckApi()).startServer({ server: 'demo' }));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('runTool returns the plain protocol result', async () => {
    const result = await (await deckApi()).runTool({ server: 'demo', tool: 'get-sum', arguments: { a: 19, b: 23 } });
    assert.match(textOf(result), /42/);
  });

  test('runTool reports progress up to the total', async () => {
    const steps: [number, number | undefined][] = [];
    await (
      await deckApi()
    ).runTool(
      { ...longRunning, arguments: { duration: 0.4, steps: 4 } },
      { onProgress: ({ progress, total }) => steps.push([progress, total]) },
    );
    assert.deepEqual(steps, [
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });

  test('a canceled call rejects like an aborted one', async () => {
    const abort = new AbortController();
    const error = await failureOf(
      (await deckApi()).runTool(
        { ...longRunning, arguments: { duration: 600, steps: 6000 } },
        { signal: abort.signal, onProgress: () => abort.abort() },
      ),
    );
    assert.equal(error.name, 'AbortError');
  });

  test('a server keeps working after a canceled call', async () => {
    const abort = new AbortController();
    const api = await deckApi();
    await failureOf(
      api.runTool(
        { ...longRunning, arguments: { duration: 600, steps: 6000 } },
        { signal: abort.signal, onProgress: () => abort.abort() },
      ),
    );
    assert.equal(
      textOf(await api.runTool({ server: 'demo', tool: 'echo', arguments: { message: 'still here' } })),
      'Echo: still here',
    );
  });

  test('a call that takes longer than its own timeout rejects with timeout', async () => {
    const error = await failureOf(
      (await deckApi()).runTool({ ...longRunning, arguments: { duration: 600, steps: 1 } }, { timeoutMs: 100 }),
    );
    assert.equal(error.code, 'timeout');
  });

  test('progress extends the timeout of a call', async () => {
    const result = await (
      await deckApi()
    ).runTool(
      { ...longRunning, arguments: { duration: 4, steps: 20 } },
      { timeoutMs: 2_500, onProgress: () => undefined },
    );
    assert.match(textOf(result), /Long running operation completed/);
  });

  test('startServer resolves with the lists of the server', async () => {
    const api = await deckApi();
    await api.stopServer({ server: 'demo' });
    const server = await api.startServer({ server: 'demo' });
    assert.ok(
      server.tools?.includes('echo') &&
        server.prompts?.includes('simple-prompt') &&
        (server.resources?.length ?? 0) > 0 &&
        (server.resourceTemplates?.length ?? 0) > 0,
    );
  });

  test('startServer of a running server changes nothing', async () => {
    await (await deckApi()).startServer({ server: 'demo' });
    assert.equal(await stateOf('demo'), 'running');
  });

  test('an unknown server rejects with unknown-server', async () => {
    assert.equal(
      (await failureOf((await deckApi()).runTool({ server: 'absent', tool: 'echo' }))).code,
      'unknown-server',
    );
  });
});

suite('the built-in server', () => {
  beforeAll(() => command('mcpDeck.startServer', { server: 'workspace' }));
  const call = (tool: string, values: object) =>
    command('mcpDeck.runTool', { server: 'workspace', tool, arguments: values });

  test('find_files finds by a glob pattern', async () => {
    assert.match(JSON.stringify(await call('find_files', { pattern: '**/*.md' })), /docs\/greetings\.md/);
  });

  test('read_file returns the text of a file', async () => {
    const text = (await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder().uri, 'README.md'))).getText();
    assert.match(
      JSON.stringify(await call('read_file', { path: 'README.md' })),
      new RegExp(text.split('\n', 1)[0] ?? ''),
    );
  });

  test('read_file refuses a path that leaves the workspace', async () => {
    const result = await call('read_file', { path: '../../../../../../etc/passwd' }).catch((error: unknown) => ({
      isError: true,
      error,
    }));
    assert.equal((result as { isError?: boolean }).isError, true);
  });

  test('read_file refuses an absolute path outside of the workspace', async () => {
    const result = await call('read_file', { path: path.resolve('/etc/hostname') }).catch((error: unknown) => ({
      isError: true,
      error,
    }));
    assert.equal((result as { isError?: boolean }).isError, true);
  });

  test('document_symbols names the symbols of a file', async () => {
    const result = await call('document_symbols', { path: 'docs/greetings.md' });
    assert.equal((result as { isError?: boolean }).isError ?? false, false);
  });

  test('diagnostics returns the content of the Problems view', async () => {
    const collection = vscode.languages.createDiagnosticCollection('test');
    try {
      collection.set(vscode.Uri.joinPath(folder().uri, 'README.md'), [
        new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'a marker of the test'),
      ]);
      assert.match(JSON.stringify(await call('diagnostics', {})), /a marker of the test/);
    } finally {
      collection.dispose();
    }
  });
});
