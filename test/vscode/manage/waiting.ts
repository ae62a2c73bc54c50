/** States that wait for the user: a slow start, a failed list, a task that needs approval. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import { answerModals, answerPicks, pressNotifications } from '../support/dialogs.js';
import {
  command,
  defineServers,
  drawn,
  findServer,
  stateOf,
  until,
  untilState,
  WorkspaceFile,
} from '../support/host.js';

/** The servers of this suite wait until this file exists. */
let go: string;
let temp: string;

suite('[K5] a start that has not finished after two seconds', () => {
  let undo: () => Promise<void>;
  let picks: ReturnType<typeof answerPicks>;
  beforeEach(async () => {
    temp = await mkdtemp(path.join(os.tmpdir(), 'deck-waiting-'));
    go = path.join(temp, 'go');
    const script =
      'process.stderr.write("Which profile do you want to use?"); const { existsSync } = require("node:fs"); const timer = setInterval(() => { if (!existsSync(process.env.GO)) return; clearInterval(timer); import(process.env.SERVER); }, 20);';
    undo = await defineServers({
      late: {
        command: 'node',
        args: ['-e', script],
        env: { GO: go, SERVER: '${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs' },
      },
    });
    picks = answerPicks((items) =>
      items.find((item) => (item as unknown as { view: { id: string } }).view.id === 'late'),
    );
  });
  afterEach(async () => {
    picks.restore();
    await command('mcpDeck.stopServer', { server: 'late' });
    await undo();
    await rm(temp, { recursive: true });
  });

  test('is reported with its cause, and "Stop" ends it', async () => {
    const notifications = pressNotifications('showWarningMessage', () => 'Stop');
    try {
      await Promise.resolve(vscode.commands.executeCommand('mcpDeck.startServer')).catch(() => undefined);
      await untilState('late', 'stopped');
      assert.equal(notifications.messages.length, 1);
      assert.match(
        notifications.messages[0] ?? '',
        /The server "late" has not finished starting\. .*Which profile do you want to use\?/,
      );
    } finally {
      notifications.restore();
    }
  });

  test('continues after "Keep Waiting", and the server runs once it answers', async () => {
    const notifications = pressNotifications('showWarningMessage', () => 'Keep Waiting');
    try {
      const start = vscode.commands.executeCommand('mcpDeck.startServer');
      await until('the user is notified', () => notifications.messages.length > 0);
      assert.equal(await stateOf('late'), 'starting');
      await writeFile(go, '');
      await start;
      assert.deepEqual([await stateOf('late'), notifications.messages.length], ['running', 1]);
    } finally {
      notifications.restore();
    }
  });
});

suite('[K8] a list that failed', () => {
  let undo: () => Promise<void>;
  beforeAll(async () => {
    temp = await mkdtemp(path.join(os.tmpdir(), 'deck-waiting-'));
    go = path.join(temp, 'go');
    const script = `const { existsSync } = require('node:fs'); require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { const { id, method } = JSON.parse(line); if (id === undefined) return; const result = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } : method === 'tools/list' && existsSync(process.env.GO) ? { tools: [{ name: 'late', inputSchema: { type: 'object' } }] } : undefined; console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32603, message: 'no database' } }) })); });`;
    undo = await defineServers({
      broken: { command: 'node', args: ['-e', script], env: { GO: go }, protocol: 'legacy' },
    });
    await command('mcpDeck.startServer', { server: 'broken' });
  });
  afterAll(async () => {
    await command('mcpDeck.stopServer', { server: 'broken' });
    await undo();
    await rm(temp, { recursive: true });
  });

  test('is requested again by the command that refreshes the lists, which reports another failure or shows the tools', async () => {
    const failedLists = async () => (await findServer('broken'))?.failedLists?.map(({ list }) => list);
    assert.deepEqual(await failedLists(), ['tools']);
    assert.match(await drawn('broken'), /Tools could not be listed: no database/);
    await command('mcpDeck.listAgain', { server: 'broken' });
    assert.deepEqual(await failedLists(), ['tools']);
    await writeFile(go, '');
    await command('mcpDeck.listAgain', { server: 'broken' });
    assert.equal(await failedLists(), undefined);
    assert.match(await drawn('broken'), /late/);
  });
});

suite('[K8] a task whose call waits for approval', () => {
  const label = 'say it';
  const tasks = new WorkspaceFile('.vscode/tasks.json');
  const call = { server: 'demo', tool: 'echo', arguments: { message: 'hello' } };
  beforeAll(() => tasks.write({ version: '2.0.0', tasks: [{ type: 'mcpDeck', label, ...call }] }));
  afterAll(async () => {
    await tasks.restore();
    await command('mcpDeck.stopServer', { server: 'demo' });
  });

  /** The text in the terminal of the task, read by copying it. */
  async function terminalText(): Promise<string> {
    vscode.window.terminals.find(({ name }) => name.includes(label))?.show();
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    return (await vscode.env.clipboard.readText()).replace(/\s+/g, ' ');
  }

  test('says so in its terminal, with the location of the question, and continues after the answer', async () => {
    const task = await until('VS Code read tasks.json', async () =>
      (await vscode.tasks.fetchTasks({ type: 'mcpDeck' })).find(({ name }) => name === label),
    );
    let exitCode: number | undefined;
    const ended = vscode.tasks.onDidEndTaskProcess((event) =>
      event.execution.task.name === label ? (exitCode = event.exitCode) : undefined,
    );
    const dialogs = answerModals(() => 'Allow Once');
    try {
      await vscode.tasks.executeTask(task);
      await until('the terminal says that the task waits', async () =>
        /"echo" of "demo" is waiting for your approval in the Requests view\./.test(await terminalText()),
      );
      assert.equal(exitCode, undefined);
      await vscode.commands.executeCommand('mcpDeck.answerRequest');
      await until('the task has ended', () => exitCode !== undefined);
      assert.equal(exitCode, 0);
      assert.match(
        await until('the result is there', async () => /Echo: hello/.exec(await terminalText())?.[0]),
        /Echo: hello/,
      );
    } finally {
      dialogs.restore();
      ended.dispose();
    }
  });
});
