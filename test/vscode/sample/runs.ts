import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import type { Dialogs } from '../support/dialogs.js';
import { answerInputs, answerModals, answerNotifications, answerPicks } from '../support/dialogs.js';
import { command, deckApi, defineServers, failureOf, until } from '../support/host.js';
import { standInPages } from '../support/standInPages.js';
import { startRemoteEcho } from '../../support/remoteEcho.js';

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

async function openAddress(path: string, query: string): Promise<void> {
  await vscode.commands.executeCommand(
    'vscode.open',
    vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: 'mcp-deck.mcp-deck', path, query }),
  );
}

suite('runs and favorites', () => {
  beforeAll(async () => {
    await command('mcpDeck.startServer', { server: 'demo' });
    await command('mcpDeck.runTool', { ...echo, show: true });
  });
  // A panel that a test left open would be used by the next one.
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  afterAll(async () => {
    const dialogs = answerModals(({ buttons }) => buttons[0]);
    await vscode.commands.executeCommand('mcpDeck.clearHistory');
    dialogs.restore();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await command('mcpDeck.stopAllServers');
  });

  test('a run is in the Runs view with its server, duration and result', async () => {
    assert.match(await runs(), /Today {2}1\n {2}\(pass\) Echo Tool {2}demo · .* ms · Echo: kept/);
  });

  test('a run that the user did not start is not recorded', async () => {
    const before = await runs();
    await command('mcpDeck.runTool', echo);
    assert.equal(await runs(), before);
  });

  test('a favorite has a name, runs by its name, and is a task', async () => {
    const inputs = answerInputs(() => 'Say kept');
    const picks = answerPicks(([first]) => first);
    try {
      await vscode.commands.executeCommand('mcpDeck.addFavourite');
    } finally {
      picks.restore();
      inputs.restore();
    }
    assert.match(await runs(), /Favorites {2}1\n {2}\(star-empty\) Say kept {2}demo · echo/);
    const result = await command('mcpDeck.runAgain', { favourite: 'Say kept' });
    assert.deepEqual(result, { content: [{ type: 'text', text: 'Echo: kept' }] });
    const [task] = await vscode.tasks.fetchTasks({ type: 'mcpDeck' });
    assert.deepEqual([task?.name, task?.definition], ['Say kept', { type: 'mcpDeck', ...echo }]);
    assert.ok(task);
    assert.equal(await exitCodeOf(task), 0);
  });

  test('an unknown favorite fails and names the existing ones', async () => {
    const error = await failureOf(command('mcpDeck.runAgain', { favourite: 'nothing' }));
    assert.match(error.message, /There is no favorite "nothing"\. Favorites: "Say kept"\./);
  });

  test('a task with invalid arguments ends with an exit code and a line in the history', async () => {
    assert.equal(await exitCodeFromFile({ server: 'demo', tool: 'echo', arguments: { message: 7 } }), 2);
    assert.match(await runs(), /\(error\) Echo Tool {2}demo · .* are not valid for the tool "echo"/);
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
    const texts = await Promise.all(
      [input.original, input.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
    );
    assert.deepEqual(texts, ['Echo: kept', 'Echo: other']);
    assert.match(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '', /^Echo Tool: /);
  });

  test('a result with JSON is compared as JSON', async () => {
    const undefine = await defineServers({
      shapes: { command: 'node', args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/results.mjs'] },
    });
    try {
      await command('mcpDeck.startServer', { server: 'shapes' });
      for (const tool of ['json', 'counter'])
        await command('mcpDeck.runTool', { server: 'shapes', tool, arguments: {}, show: true });
      const wanted = ['json', 'counter'];
      const picks = answerPicks((items) => {
        const name = wanted.shift();
        return items.find(({ label }) => label === name);
      });
      await Promise.resolve(vscode.commands.executeCommand('mcpDeck.compareRuns')).finally(() => picks.restore());
      const input = await until('a diff editor is open', () => {
        const active = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        return active instanceof vscode.TabInputTextDiff ? active : undefined;
      });
      const { languageId } = await vscode.workspace.openTextDocument(input.original);
      assert.equal(languageId, 'json');
    } finally {
      await undefine();
    }
  });

  /**
   * Runs a command from the palette, and picks the latest run with this result in its list; returns the id of the run.
   */
  async function onRun(id: string, detail: string): Promise<string> {
    let chosen: (vscode.QuickPickItem & { run?: { id: string } }) | undefined;
    const picks = answerPicks((items) => {
      const asFormat = items.find(({ label }) => label === 'cURL');
      return asFormat ?? (chosen = items.find((item) => item.detail === detail));
    });
    try {
      await vscode.commands.executeCommand(id);
    } finally {
      picks.restore();
    }
    return chosen?.run?.id ?? assert.fail(`There is no run with "${detail}".`);
  }

  test('a run opens in the panel of its tool, with its arguments and its whole result', async () => {
    const panels = standInPages();
    try {
      const id = await onRun('mcpDeck.openRun', 'Echo: kept');
      const page = await until('the page received its state', () => panels.pages.find(({ state }) => state));
      const { state } = page;
      assert.deepEqual([state?.target.id, state?.start], ['echo', { message: 'kept' }]);
      assert.deepEqual([state?.result?.kind, state?.result?.kind === 'done' && state.result.id], ['done', id]);
      page.channel.notify('runAgain', { id });
      const again = await until('the run was repeated', () =>
        page.model?.kind === 'done' && page.model.id !== id ? page.model : undefined,
      );
      assert.deepEqual(
        again.parts.map(({ body }) => body.kind === 'text' && body.text),
        ['Echo: kept'],
      );
      page.channel.notify('showRun', { id });
      await until('the earlier run is shown', () =>
        page.model?.kind === 'done' && page.model.id === id ? true : undefined,
      );
    } finally {
      panels.restore();
    }
  });

  test('a run is repeated with the same arguments, and recorded again', async () => {
    const count = async () => (await runs()).split('Echo: kept').length;
    const before = await count();
    const run = await onRun('mcpDeck.runAgain', 'Echo: kept');
    assert.equal(await count(), before + 1);
    assert.deepEqual(await command('mcpDeck.runAgain', { run }), { content: [{ type: 'text', text: 'Echo: kept' }] });
  });

  test('a run is edited: its arguments are in the form of its tool, and nothing runs', async () => {
    const panels = standInPages();
    try {
      const before = await runs();
      await onRun('mcpDeck.editRun', 'Echo: kept');
      const state = await until('the page received its state', () => panels.pages[0]?.state);
      assert.deepEqual(
        [state.target, state.start, state.isGiven],
        [{ server: 'demo', kind: 'tool', id: 'echo' }, { message: 'kept' }, true],
      );
      assert.equal(await runs(), before);
    } finally {
      panels.restore();
    }
  });

  test('a run is copied as a keybinding and as a link', async () => {
    await onRun('mcpDeck.copyAsKeybinding', 'Echo: kept');
    assert.deepEqual(JSON.parse(await vscode.env.clipboard.readText()), {
      key: '',
      command: 'mcpDeck.runTool',
      args: { ...echo, show: true },
    });
    await onRun('mcpDeck.copyAsLink', 'Echo: kept');
    const link = vscode.Uri.parse(await vscode.env.clipboard.readText(), true);
    const query = new URLSearchParams(link.query);
    assert.deepEqual(
      [link.scheme, link.authority, link.path, query.get('server'), query.get('tool'), query.get('arguments')],
      [vscode.env.uriScheme, 'mcp-deck.mcp-deck', '/run', 'demo', 'echo', '{"message":"kept"}'],
    );
  });

  test('a run of a server over HTTP is copied as curl; for other transports the reason is given', async () => {
    const peer = await startRemoteEcho('http');
    const undefine = await defineServers({
      web: {
        type: 'http',
        protocol: 'legacy',
        url: `http://127.0.0.1:${peer.port}/mcp`,
        headers: { Authorization: 'Bearer a-token-of-mine' },
      },
    });
    const notes = answerNotifications();
    try {
      await command('mcpDeck.runTool', { server: 'web', tool: 'echo', arguments: { text: "it's far" }, show: true });
      await vscode.env.clipboard.writeText('nothing yet');
      const run = await onRun('mcpDeck.copyAsCode', "it's far");
      const text = await vscode.env.clipboard.readText();
      assert.ok(
        text.includes(`127.0.0.1:${peer.port}/mcp`) &&
          text.includes('tools/call') &&
          text.includes('far') &&
          !text.includes('a-token-of-mine'),
        text,
      );
      await vscode.env.clipboard.writeText('nothing yet');
      await onRun('mcpDeck.copyAsCode', 'Echo: kept');
      assert.deepEqual(
        [notes.messages, await vscode.env.clipboard.readText()],
        [['"demo" does not use HTTP, so there is no curl command for it.'], 'nothing yet'],
      );
      await command('mcpDeck.removeRun', { run });
      assert.ok(!(await runs()).includes('far'));
      assert.match((await failureOf(command('mcpDeck.openRun', { run }))).message, /no longer in the history/);
    } finally {
      notes.restore();
      await command('mcpDeck.stopServer', { server: 'web' });
      await undefine();
      await peer.close();
    }
  });

  test('a favorite is renamed, but not to an existing name, and removed', async () => {
    const favourites = async () => /^.*Favorites {2}.*\n(?: .*\n)*/m.exec(await runs())?.[0] ?? '';
    const inputs = answerInputs(() => 'Say other');
    try {
      await onRun('mcpDeck.addFavourite', 'Echo: other');
    } finally {
      inputs.restore();
    }
    await command('mcpDeck.renameFavourite', { favourite: 'Say other', name: 'Say more' });
    assert.match(await favourites(), /Say more {2}demo · echo/);
    assert.match(
      (await failureOf(command('mcpDeck.renameFavourite', { favourite: 'Say more', name: 'Say kept' }))).message,
      /Another favorite has this name/,
    );
    await command('mcpDeck.removeRun', { favourite: 'Say more' });
    assert.deepEqual(
      [(await favourites()).includes('Say more'), (await favourites()).includes('Say kept')],
      [false, true],
    );
    assert.match(
      (await failureOf(command('mcpDeck.removeRun', { favourite: 'Say more' }))).message,
      /There is no favorite "Say more"/,
    );
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

  test('asks with server, tool and full arguments, and runs nothing without approval', async () => {
    const before = await runs();
    await openAddress('/run', query);
    const [question] = await until('the question came', () => (dialogs.asked.length > 0 ? dialogs.asked : undefined));
    assert.deepEqual(question, {
      message: 'A link asks to run a tool. Run the tool?',
      detail: 'Server: demo\nTool: echo\nArguments: {\n  "message": "from a link"\n}',
      buttons: ['Open Tool Panel', 'Run Tool'],
    });
    assert.equal(await runs(), before);
  });

  test('runs after approval', async () => {
    answer = 'Run Tool';
    await openAddress('/run', query);
    await until('it ran', async () => (await runs()).includes('Echo: from a link'));
  });

  test('arguments that are too long to be shown cannot be approved', async () => {
    await openAddress(
      '/run',
      `server=demo&tool=echo&arguments=${encodeURIComponent(JSON.stringify({ message: 'x'.repeat(2_000) }))}`,
    );
    const [question] = await until('the question came', () => (dialogs.asked.length > 0 ? dialogs.asked : undefined));
    assert.deepEqual(question?.buttons, ['Open Tool Panel']);
  });
});

/** Writes a task to tasks.json, runs it from there, and resolves with its exit code. The file is deleted at the end. */
async function exitCodeFromFile(definition: object): Promise<number | undefined> {
  const file = vscode.Uri.joinPath(
    vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/'),
    '.vscode',
    'tasks.json',
  );
  const label = 'a task of tasks.json';
  const tasks = [{ label, type: 'mcpDeck', ...definition }];
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify({ version: '2.0.0', tasks })));
  try {
    const task = await until('VS Code read tasks.json', async () =>
      (await vscode.tasks.fetchTasks({ type: 'mcpDeck' })).find(({ name }) => name === label),
    );
    return await exitCodeOf(task);
  } finally {
    await vscode.workspace.fs.delete(file);
  }
}
