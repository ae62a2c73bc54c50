import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { EventSource as EventSourceClass } from 'eventsource';
import * as vscode from 'vscode';
import { makeRun, suite, test } from '../runner.js';
import { command, deckExtension, draw, failureOf, serverIds, textOf, until, untilState } from '../support/host.js';
import { serverProcesses } from '../support/processes.js';

/** The modules loaded beyond the one that activation loads: the deck, and libraries that are used later. */
const loaded = () => {
  const folder = `${path.join(deckExtension().extensionPath, 'dist')}${path.sep}`;
  return Object.keys(require.cache).flatMap((file) =>
    file.startsWith(folder) && !file.endsWith('extension.js') && !file.includes('test')
      ? [file.slice(folder.length).replaceAll(path.sep, '/')]
      : [],
  );
};

suite('a window without a folder', () => {
  test('activates', async () => {
    await until('it is active', () => deckExtension().isActive);
  });

  test('loads nothing but the composition root', async () => {
    await until('it is active', () => deckExtension().isActive);
    assert.deepEqual(loaded(), []);
  });

  test('loads the deck with the first call, and no library before it is used', async () => {
    await deckExtension().exports.listServers();
    assert.deepEqual(loaded(), ['deck.js']);
  });

  test('contains everything that the library of HTTP+SSE needs, which is loaded on first use', async () => {
    const { EventSource } = createRequire(__filename)(
      path.join(deckExtension().extensionPath, 'dist', 'lib', 'eventsource.js'),
    ) as { EventSource: typeof EventSourceClass };
    const chunks = [Buffer.from('event: endpoint\ndata: /messages\n\n')];
    const read = () =>
      new Promise<{ done: false; value: unknown }>(
        (resolve) => void (chunks.length > 0 && resolve({ done: false, value: chunks.pop() })),
      );
    const body = { getReader: () => ({ read, cancel: () => Promise.resolve() }) };
    const source = new EventSource('http://127.0.0.1/sse', {
      fetch: (url) =>
        Promise.resolve({
          status: 200,
          redirected: false,
          url: String(url),
          headers: { get: () => 'text/event-stream' },
          body,
        }),
    });
    try {
      const event = await new Promise<{ data: unknown }>((resolve) => source.addEventListener('endpoint', resolve));
      assert.equal(event.data, '/messages');
    } finally {
      source.close();
    }
  });

  test('has the built-in server only', async () => {
    assert.deepEqual(await serverIds(), ['workspace']);
  });

  test('draws the built-in server', async () => {
    await untilState('workspace', 'running');
    assert.match(await draw(), /^\(circle-filled\) workspace {2}built-in/);
  });

  test('answers tools of the built-in server', async () => {
    assert.equal(
      typeof textOf(
        await command('mcpDeck.runTool', { server: 'workspace', tool: 'find_files', arguments: { pattern: '*' } }),
      ),
      'string',
    );
  });

  test('names the existing servers when an unknown one is requested', async () => {
    assert.match(
      (await failureOf(command('mcpDeck.startServer', { server: 'everything' }))).message,
      /Servers: workspace/,
    );
  });

  test('has no process of a server', async () => {
    assert.deepEqual(await serverProcesses(), []);
  });

  test('has no workspace', () => {
    assert.equal(vscode.workspace.workspaceFolders, undefined);
  });
});

export const run = makeRun();
