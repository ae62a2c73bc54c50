import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, beforeEach, makeRun, suite, test } from '../runner.js';
import { DebugStops, breakAt, goOn, stepOver, valueOf } from '../support/debugStops.js';
import { answerNotifications } from '../support/dialogs.js';
import { command, defineServers, draw, drawn, failureOf, folder, stateOf, textOf, until } from '../support/host.js';

const {
  MCP_DECK_REPO: repo = '',
  MCP_DECK_PYTHON: python = '',
  MCP_DECK_DEBUGPY_PROGRAM: debugpyPath = '',
} = process.env;
const fixtures = path.join(repo, 'test', 'fixtures', 'servers');
const uv = path.join(fixtures, 'launchers', 'uv', 'uv');
const file = (...parts: string[]) => path.join(folder().uri.fsPath, ...parts);
const source = () => file('src', 'server.py');
const module = () => file('src', 'calculator', '__main__.py');
/** Timeout of a call; the user at the debugger takes longer. */
const timeoutMs = 3_000;

suite('a server in Python under the debugger', () => {
  /** The ways to start it, all from the folder `src`. */
  const ways = {
    file: { command: python, args: ['server.py'] },
    module: { command: python, args: ['-u', '-m', 'calculator'] },
    uvFile: { command: uv, args: ['run', '--with', 'mcp', 'server.py'] },
    uvModule: { command: uv, args: ['run', '-m', 'calculator'] },
    uvPython: { command: uv, args: ['run', 'python', 'server.py'] },
    ownDebugpy: { command: python, args: ['server.py'], dev: { debug: { type: 'debugpy', debugpyPath } } },
  };
  const names = Object.keys(ways) as (keyof typeof ways)[];
  let stops: DebugStops;
  let removeServers: () => Promise<void>;
  let sessions: vscode.DebugSession[] = [];
  let watching: vscode.Disposable[] = [];

  beforeAll(async () => {
    const original = path.join(fixtures, 'calculator', 'server.py');
    await mkdir(path.dirname(module()), { recursive: true });
    await copyFile(original, source());
    await copyFile(original, module());
    await writeFile(file('src', 'calculator', '__init__.py'), '');
    removeServers = await defineServers(
      Object.fromEntries(
        Object.entries(ways).map(([name, way]) => [
          name,
          { cwd: '${workspaceFolder}/src', timeoutMs, env: { MCP_DECK_PYTHON: python }, ...way },
        ]),
      ),
    );
    stops = new DebugStops();
    watching = [
      vscode.debug.onDidStartDebugSession((session) => sessions.push(session)),
      vscode.debug.onDidTerminateDebugSession((session) => (sessions = sessions.filter((one) => one !== session))),
    ];
  });
  afterAll(async () => {
    for (const one of [...watching, stops]) one.dispose();
    await removeServers();
  });
  beforeEach(() => stops.forget());
  afterEach(async () => {
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    for (const server of names) await command('mcpDeck.stopServer', { server });
  });

  const add = (server: string, a: number, b: number) =>
    command('mcpDeck.runTool', { server, tool: 'add', arguments: { a, b } });

  for (const server of names) {
    const { command: program, args } = ways[server];
    const line = [path.basename(program), ...args].join(' ');
    test(`"${line}"${server === 'ownDebugpy' ? ' with its own debugpy' : ''} stops at a breakpoint in a tool call, steps and continues to the result`, async () => {
      const runs = args.includes('calculator') ? module() : source();
      const number = await breakAt(runs, 'total = a + b');
      await command('mcpDeck.debugServer', { server });
      assert.match(await drawn(server), /debugging/);
      const call = add(server, 20, 22);
      const stop = await stops.next();
      assert.deepEqual({ name: stop.frame.name, line: stop.frame.line }, { name: 'add', line: number });
      assert.ok(stop.frame.source?.path?.endsWith(runs), stop.frame.source?.path);
      assert.equal(await valueOf(stop, 'a * 100 + b'), '2022');
      await stepOver(stop);
      const next = await stops.next();
      assert.equal(next.frame.line, number + 1);
      assert.equal(await valueOf(next, 'total'), '42');
      await goOn(next);
      assert.equal(textOf(await call), '42');
    });
  }

  test('a call waits for the user at the debugger without a timeout', async () => {
    await breakAt(source(), 'total = a + b');
    await command('mcpDeck.debugServer', { server: 'file' });
    const call = add('file', 1, 2);
    const stop = await stops.next();
    const since = Date.now();
    await until('the tree says that it is paused', async () => /paused in the debugger/.test(await draw()));
    await until('the call would have timed out', () => Date.now() - since > timeoutMs + 500);
    await goOn(stop);
    assert.equal(textOf(await call), '3');
    await until('the tree shows that it continues', async () => !/paused in the debugger/.test(await draw()));
  });

  for (const server of ['file', 'module'] as const) {
    test(`on request it stops at the first line of the ${server}, and the start waits for the user too`, async () => {
      const started = command('mcpDeck.debugServer', { server, stopAtStart: true });
      const first = await stops.next();
      assert.equal(first.frame.name, '<module>');
      assert.match(first.frame.source?.path ?? '', server === 'file' ? /server\.py$/ : /__init__\.py$/);
      await until('the tree says that it is paused', async () => /paused in the debugger/.test(await drawn(server)));
      await goOn(first);
      await started;
      assert.equal(textOf(await add(server, 1, 2)), '3');
    });
  }

  test('stopping the server at a breakpoint ends it there, and its debug session', async () => {
    await breakAt(source(), 'total = a + b');
    await command('mcpDeck.debugServer', { server: 'file' });
    const call = failureOf(add('file', 1, 2));
    await stops.next();
    assert.equal(sessions.length, 1);
    await command('mcpDeck.stopServer', { server: 'file' });
    assert.equal(await stateOf('file'), 'stopped');
    await call;
    await until('no debug session is left', () => sessions.length === 0);
  });

  test('when the debug session ends, the server continues without it', async () => {
    await command('mcpDeck.debugServer', { server: 'file' });
    await vscode.debug.stopDebugging(await until('its session has started', () => sessions[0]));
    await until('the tree says no more that it is debugged', async () => !/debugging/.test(await drawn('file')));
    assert.equal(textOf(await add('file', 3, 4)), '7');
  });

  test('a crash while debugging is reported, and the server is not started again', async () => {
    await command('mcpDeck.debugServer', { server: 'file' });
    const notifications = answerNotifications();
    const failed = failureOf(command('mcpDeck.runTool', { server: 'file', tool: 'exit', arguments: {} }));
    // The debugger stops at an uncaught exception before the process ends.
    const end = await stops.next();
    assert.equal(end.frame.name, 'answer');
    await goOn(end);
    await failed;
    const message = await until('the crash is reported', () =>
      notifications.messages.find((text) => text.includes('while it was being debugged')),
    );
    notifications.restore();
    assert.match(message, /"file" ended while it was being debugged, so MCP Deck does not restart it\. .*code 3/);
    assert.equal(await stateOf('file'), 'failed');
    await until('no debug session is left', () => sessions.length === 0);
  });
});

export const run = makeRun();
