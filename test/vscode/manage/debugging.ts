import assert from 'node:assert/strict';
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Esbuild from 'esbuild';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import { DebugStops, breakAt, goOn, valueOf } from '../support/debugStops.js';
import { answerNotifications, approveStart } from '../support/dialogs.js';
import { command, defineServers, draw, drawn, failureOf, folder, stateOf, textOf, until } from '../support/host.js';

const repo = process.env['MCP_DECK_REPO'] ?? '';
const source = () => path.join(folder().uri.fsPath, 'src', 'server.ts');
/** Timeout of a call; the user at the debugger takes longer. */
const timeoutMs = 3_000;

suite('a server under the debugger', () => {
  let stops: DebugStops;
  let removeServers: () => Promise<void>;

  beforeAll(async () => {
    await mkdir(path.dirname(source()), { recursive: true });
    await copyFile(path.join(repo, 'test/fixtures/servers/calculator/server.ts'), source());
    const compiled = path.join(folder().uri.fsPath, 'build', 'server.js');
    const { buildSync } = createRequire(path.join(repo, 'package.json'))('esbuild') as typeof Esbuild;
    buildSync({ entryPoints: [source()], platform: 'node', sourcemap: true, outfile: compiled });
    removeServers = await defineServers({
      compiled: { command: 'node', args: [compiled], cwd: folder().uri.fsPath, timeoutMs },
      stripped: { command: 'node', args: [source()], timeoutMs },
      contained: { command: 'docker', args: ['run', '-i', 'an/image'] },
      pythonic: { command: 'python3', args: ['server.py'] },
      remote: { url: 'http://127.0.0.1:9/mcp' },
    });
    await approveStart('compiled');
    stops = new DebugStops();
  });
  afterAll(async () => {
    stops.dispose();
    await removeServers();
  });
  beforeEach(() => {
    stops.forget();
  });
  afterEach(async () => {
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    for (const server of ['compiled', 'stripped']) await command('mcpDeck.stopServer', { server });
  });

  test('a breakpoint in TypeScript is hit by a tool call, which waits for the user at the debugger without a timeout; stopping the server there ends it', async () => {
    const line = await breakAt(source(), 'const sum = a + b');
    await command('mcpDeck.debugServer', { server: 'compiled' });
    assert.match(await drawn('compiled'), /debugging/);
    await stops.bound();
    const call = command('mcpDeck.runTool', { server: 'compiled', tool: 'add', arguments: { a: 20, b: 22 } });
    const stop = await stops.next();
    const since = Date.now();
    assert.deepEqual({ name: stop.frame.name, line: stop.frame.line }, { name: 'add', line });
    assert.match(stop.frame.source?.path ?? '', /[\\/]src[\\/]server\.ts$/);
    assert.equal(await valueOf(stop, 'a * 100 + b'), '2022');
    await until('the tree says that it is paused', async () => /paused in the debugger/.test(await draw()));
    await until('the call would have timed out', () => Date.now() - since > timeoutMs + 500);
    await goOn(stop);
    assert.equal(textOf(await call), '42');
    // A user who stops the program at a breakpoint does not want it to continue.
    const held = failureOf(
      command('mcpDeck.runTool', { server: 'compiled', tool: 'add', arguments: { a: 20, b: 22 } }),
    );
    await stops.next();
    await command('mcpDeck.stopServer', { server: 'compiled' });
    await held;
    await stops.noSession();
  });

  test('TypeScript that Node runs directly stops at its first line on request, and the start waits for the user too', async () => {
    const started = command('mcpDeck.debugServer', { server: 'stripped', stopAtStart: true });
    const first = await stops.next();
    assert.match(first.frame.source?.path ?? '', /[\\/]src[\\/]server\.ts$/);
    await until('the tree says that it is paused', async () => /paused in the debugger/.test(await drawn('stripped')));
    const line = await breakAt(source(), 'return sum');
    await stops.bound();
    await goOn(first);
    await started;
    const call = command('mcpDeck.runTool', { server: 'stripped', tool: 'add', arguments: { a: 1, b: 2 } });
    const second = await stops.next();
    assert.equal(second.frame.line, line);
    await goOn(second);
    assert.equal(textOf(await call), '3');
  });

  test('when the debug session ends, the server continues without it, and a restart closes its port', async () => {
    let root: vscode.DebugSession | undefined;
    const starting = vscode.debug.onDidStartDebugSession(
      (session) => (root ??= session.parentSession ? undefined : session),
    );
    await command('mcpDeck.debugServer', { server: 'compiled' });
    await vscode.debug.stopDebugging(await until('its session has started', () => root));
    starting.dispose();
    await until('the tree says no more that it is debugged', async () => !/debugging/.test(await drawn('compiled')));
    assert.equal(
      textOf(await command('mcpDeck.runTool', { server: 'compiled', tool: 'add', arguments: { a: 3, b: 4 } })),
      '7',
    );
    await command('mcpDeck.restartServer', { server: 'compiled' });
    assert.doesNotMatch(await drawn('compiled'), /debugging/);
  });

  test('a crash while debugging is reported, and the server is not started again', async () => {
    await command('mcpDeck.debugServer', { server: 'compiled' });
    const notifications = answerNotifications();
    await failureOf(command('mcpDeck.runTool', { server: 'compiled', tool: 'exit', arguments: {} }));
    const message = await until('the crash is reported', () =>
      notifications.messages.find((text) => text.includes('while it was being debugged')),
    );
    notifications.restore();
    assert.match(message, /"compiled" ended while it was being debugged, so MCP Deck does not restart it\. .*code 3/);
    assert.equal(await stateOf('compiled'), 'failed');
  });

  test('a server that cannot be debugged gives the reason, and so does a missing debugger', async () => {
    assert.match(
      (await failureOf(command('mcpDeck.debugServer', { server: 'remote' }))).message,
      /"remote" is a remote server/,
    );
    assert.match(
      (await failureOf(command('mcpDeck.debugServer', { server: 'contained' }))).message,
      /runs in a container/,
    );
    assert.match(
      (await failureOf(command('mcpDeck.debugServer', { server: 'pythonic' }))).message,
      /requires the extension Python Debugger/,
    );
  });
});
