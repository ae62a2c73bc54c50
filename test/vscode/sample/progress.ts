import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Progress } from '../../../src/core/protocol/mcp.js';
import type { ExtensionServices } from '../../../src/vscode/ui/services.js';
import { RunTasks } from '../../../src/vscode/features/runs/runTasks.js';
import { afterAll, beforeAll, suite, test } from '../runner.js';
import { command, deckApi, defineServers } from '../support/host.js';

const done = { content: [{ type: 'text', text: 'done' }] };

/** The terminal output of a task whose call reports the given progress. */
async function terminalOf(reports: readonly Progress[]): Promise<string> {
  const view = { id: 'a', entry: { name: 'a' }, state: { kind: 'running' } };
  const host = {
    servers: { list: () => [view], get: () => view },
    calls: {
      findTool: () => Promise.resolve({ name: 'work', inputSchema: {} }),
      runTool: (_call: unknown, { onProgress }: { onProgress: (progress: Progress) => void }) => {
        reports.forEach(onProgress);
        return Promise.resolve(done);
      },
    },
  };
  const deck = {
    host,
    schemas: { checkArguments: () => Promise.resolve() },
    runLog: { finish: () => ({}) },
  } as unknown as ExtensionServices;
  const definition: vscode.TaskDefinition = { type: 'mcpDeck', server: 'a', tool: 'work', arguments: {} };
  const task = new RunTasks(deck).resolveTask(
    new vscode.Task(definition, vscode.TaskScope.Workspace, 'work', 'MCP Deck'),
  );
  // The only access to a terminal that is not shown in a window.
  const { callback } = task?.execution as unknown as {
    callback: (resolved: vscode.TaskDefinition) => Promise<vscode.Pseudoterminal>;
  };
  const terminal = await callback(definition);
  let text = '';
  terminal.onDidWrite((piece) => (text += piece));
  const closed = new Promise((resolve) => terminal.onDidClose?.(resolve));
  terminal.open(undefined);
  await closed;
  return text;
}

suite('[progress] a call that takes longer than its timeout and reports progress', () => {
  let undo: () => Promise<void>;
  const call = { server: 'slow', tool: 'work', arguments: {} };
  beforeAll(async () => {
    undo = await defineServers({
      slow: {
        command: 'node',
        args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/progress.mjs', '5000'],
        timeoutMs: 2_000,
      },
    });
  });
  afterAll(async () => {
    await command('mcpDeck.stopServer', { server: 'slow' });
    await undo();
  });

  test('is answered to a command', async () => {
    assert.deepEqual(await command('mcpDeck.runTool', call), done);
  });

  test('is answered to another extension, which receives the progress', async () => {
    const api = await deckApi();
    const received: Record<string, number> = {};
    const options = (what: string) => ({ onProgress: ({ progress }: Progress) => (received[what] = progress) });
    const [tool, prompt, resource] = await Promise.all([
      api.runTool(call, options('tool')),
      api.getPrompt({ server: 'slow', prompt: 'work' }, options('prompt')),
      api.readResource({ server: 'slow', uri: 'work:all' }, options('resource')),
    ]);
    assert.deepEqual([tool.content, prompt.messages.length, resource.contents.length], [done.content, 1, 1]);
    assert.deepEqual(received, { tool: 50, prompt: 50, resource: 50 });
  });

  test('is shown in the terminal of a task', async () => {
    const text = await terminalOf([
      { progress: 1, total: 3, message: 'one\u001b[2J' },
      { progress: 2, total: 3 },
    ]);
    assert.match(text, /^\[1 \/ 3 · one[^\u001b]*\]\r\ndone\r\n/);
  });
});
