import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import type { Dialogs } from '../support/dialogs.js';
import { answerInputs, answerModals, answerPicks } from '../support/dialogs.js';
import { command, deckApi, failureOf, until } from '../support/host.js';

const echo = { server: 'demo', tool: 'echo', arguments: { message: 'kept' } };

async function runs(): Promise<string> {
  return (await deckApi()).drawRuns();
}

/** Runs a task and resolves with its exit code. */
async function exitCodeOf(task: vscode.Task): Promise<number | undefined> {
  let listener: vscode.Disposable | undefined;
  const ended = new Promise<number | undefined>((resolve) => {
    listener = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name === task.name) resolve(exitCode);
    });
  });
  await vscode.tasks.executeTask(task);
  const code = await ended;
  listener?.dispose();
  return code;
}

function taskOf(definition: object): vscode.Task {
  return new vscode.Task({ type: 'mcpDeck', ...definition }, vscode.TaskScope.Workspace, 'given', 'MCP Deck');
}

async function openAddress(path: string, query: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: 'mcp-deck.mcp-deck', path, query }));
}

suite('runs and favourites', () => {
  beforeAll(async () => {
    await command('mcpDeck.startServer', { server: 'demo' });
    await command('mcpDeck.runTool', { ...echo, show: true });
  });
  afterAll(async () => {
    const dialogs = answerModals(({ buttons }) => buttons[0]);
    await vscode.commands.executeCommand('mcpDeck.clearHistory');
    dialogs.restore();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await command('mcpDeck.stopAllServers');
  });

  test('a run stands in the Runs view with its server, duration and result', async () => {
    assert.match(await runs(), /Today {2}1\n {2}\(pass\) echo {2}demo · .* ms · Echo: kept/);
  });

  test('a run without a person is not noted', async () => {
    const before = await runs();
    await command('mcpDeck.runTool', echo);
    assert.equal(await runs(), before);
  });

  test('a favourite has a name, runs by it, and is a task', async () => {
    const inputs = answerInputs(() => 'Say kept');
    const picks = answerPicks(([first]) => first);
    try {
      await vscode.commands.executeCommand('mcpDeck.addFavourite');
    } finally {
      picks.restore();
      inputs.restore();
    }
    assert.match(await runs(), /Favourites {2}1\n {2}\(star-empty\) Say kept {2}demo · echo/);
    const result = await command('mcpDeck.runAgain', { favourite: 'Say kept' });
    assert.deepEqual(result, { content: [{ type: 'text', text: 'Echo: kept' }] });
    const [task] = await vscode.tasks.fetchTasks({ type: 'mcpDeck' });
    assert.deepEqual([task?.name, task?.definition], ['Say kept', { type: 'mcpDeck', ...echo }]);
    assert.ok(task);
    assert.equal(await exitCodeOf(task), 0);
  });

  test('an unknown favourite fails and names those there are', async () => {
    const error = await failureOf(command('mcpDeck.runAgain', { favourite: 'nothing' }));
    assert.match(error.message, /There is no favourite "nothing"\. Favourites: "Say kept"\./);
  });

  test('a task whose arguments do not fit ends with a code and a line in the history', async () => {
    assert.equal(await exitCodeOf(await resolved(taskOf({ server: 'demo', tool: 'echo', arguments: { message: 7 } }))), 2);
    assert.match(await runs(), /\(error\) echo {2}demo · .* do not fit the tool "echo"/);
  });

  test('two runs compare in a diff editor', async () => {
    await command('mcpDeck.runTool', { ...echo, arguments: { message: 'other' }, show: true });
    const wanted = ['Echo: other', 'Echo: kept'];
    const picks = answerPicks((items) => {
      const detail = wanted.shift();
      return items.find((item) => item.detail === detail);
    });
    try {
      await vscode.commands.executeCommand('mcpDeck.compareRuns');
    } finally {
      picks.restore();
    }
    const input = await until('a diff editor is open', () => {
      const active = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return active instanceof vscode.TabInputTextDiff ? active : undefined;
    });
    const texts = await Promise.all([input.original, input.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()));
    assert.deepEqual(texts, ['Echo: kept', 'Echo: other']);
  });
});

suite('links that run a tool', () => {
  let dialogs: Dialogs;
  let answer: string | undefined;
  beforeAll(() => command('mcpDeck.startServer', { server: 'demo' }));
  beforeEach(() => {
    answer = undefined;
    dialogs = answerModals(() => answer);
  });
  afterEach(() => dialogs.restore());
  afterAll(() => command('mcpDeck.stopAllServers'));

  const query = `server=demo&tool=echo&arguments=${encodeURIComponent('{"message":"from a link"}')}`;

  test('asks with server, tool and arguments in full, and runs nothing unless told to', async () => {
    const before = await runs();
    await openAddress('/run', query);
    const [question] = await until('the question came', () => (dialogs.asked.length > 0 ? dialogs.asked : undefined));
    assert.deepEqual(question, {
      message: 'A link wants to run a tool. Run it?',
      detail: 'Server: demo\nTool: echo\nArguments: {\n  "message": "from a link"\n}',
      buttons: ['Open Tool Panel', 'Run Tool'],
    });
    assert.equal(await runs(), before);
  });

  test('runs when it is told to', async () => {
    answer = 'Run Tool';
    await openAddress('/run', query);
    await until('it ran', async () => (await runs()).includes('Echo: from a link'));
  });

  test('arguments that are too long to be shown cannot be agreed to', async () => {
    await openAddress('/run', `server=demo&tool=echo&arguments=${encodeURIComponent(JSON.stringify({ message: 'x'.repeat(2_000) }))}`);
    const [question] = await until('the question came', () => (dialogs.asked.length > 0 ? dialogs.asked : undefined));
    assert.deepEqual(question?.buttons, ['Open Tool Panel']);
  });
});

async function resolved(task: vscode.Task): Promise<vscode.Task> {
  // Tasks of tasks.json are resolved by VS Code; one that code makes needs an execution, which the provider gives.
  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/'), '.vscode', 'tasks.json');
  const label = 'a task of tasks.json';
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify({ version: '2.0.0', tasks: [{ label, ...task.definition }] })));
  try {
    return await until('VS Code read tasks.json', async () => (await vscode.tasks.fetchTasks({ type: 'mcpDeck' })).find(({ name }) => name === label));
  } finally {
    await vscode.workspace.fs.delete(file);
  }
}
