/** The command line on a real terminal: questions, prompts, and the sign-in in a browser. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startProtectedServer } from '../../support/protectedMcp.js';
import { afterEach, beforeEach, suite, test } from '../runner.js';
import { Terminal } from '../support/terminal.js';

const repo = process.env['MCP_DECK_REPO'] ?? '';
const program = path.join(repo, 'dist/cli.mjs');
const counter = pathToFileURL(path.join(repo, 'test/fixtures/servers/counter.mjs')).href;

/** A server that writes the values of its inputs to the file `values` of its folder when it starts. */
const asking = {
  inputs: [
    { id: 'who', type: 'promptString', description: 'Who are you' },
    { id: 'phrase', type: 'promptString', description: 'Pass phrase', password: true },
    { id: 'tint', type: 'pickString', description: 'Color', options: ['red', 'green'], default: 'green' },
  ],
  servers: {
    counter: {
      command: process.execPath,
      args: [
        '-e',
        `require('fs').writeFileSync('values', [process.env.WHO, process.env.PHRASE, process.env.TINT].join('|')); import('${counter}')`,
      ],
      cwd: '${workspaceFolder}',
      env: {
        ELECTRON_RUN_AS_NODE: '1',
        WHO: '${input:who}',
        PHRASE: '${input:phrase}',
        TINT: '${input:tint}',
      },
    },
  },
};

suite('the command line on a terminal', () => {
  let folder = '';
  let terminal: Terminal | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-deck-terminal-'));
  });
  afterEach(async () => {
    await terminal?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (servers: object, args: string[], env: Record<string, string> = {}): Promise<Terminal> => {
    await writeFile(path.join(folder, 'mcp.json'), JSON.stringify(servers));
    terminal = new Terminal([program, ...args], folder, env);
    return terminal;
  };

  test('[CLI1] a file of the folder asks before its command runs, and y runs it', async () => {
    const shell = await run(asking, ['call', 'counter', 'add', '{"a": 2, "b": 3}']);
    await shell.until(/writeFileSync[^]*Start it\? \[y\/N\] /);
    assert.equal(existsSync(path.join(folder, 'values')), false, 'nothing runs before the answer');
    shell.enter('y');
    await shell.until(/Who are you: /);
    shell.enter('Ada');
    await shell.until(/Pass phrase: /);
    shell.enter('hush-4711');
    await shell.until(/Color \(red, green; default green\): /);
    shell.enter('');
    await shell.until(/The sum is 5\./);
    assert.equal(await shell.exitCode, 0, shell.shown);
    assert.equal(await readFile(path.join(folder, 'values'), 'utf8'), 'Ada|hush-4711|green');
    assert.match(shell.shown, /Who are you: Ada\r*\n/);
    assert.match(shell.shown, /Pass phrase: \r*\n/);
    assert.doesNotMatch(shell.shown, /hush/);
  });

  for (const [what, answer] of [
    ['n', 'n\r'],
    ['an empty answer', '\r'],
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ] as const)
    test(`[CLI1] ${what} starts nothing, and ends with exit code 2`, async () => {
      const shell = await run(asking, ['call', 'counter', 'add', '{"a": 2, "b": 3}']);
      await shell.until(/Start it\? \[y\/N\] /);
      shell.press(answer);
      await shell.until(
        answer.endsWith('\r') ? /The server "counter" was not approved\./ : /The command was canceled\./,
      );
      assert.equal(await shell.exitCode, 2, shell.shown);
      assert.equal(existsSync(path.join(folder, 'values')), false);
    });

  test('Ctrl+C at the prompt for a value ends with exit code 2, and starts nothing', async () => {
    const shell = await run(asking, ['call', 'counter', 'add', '{"a": 2, "b": 3}', '--yes']);
    await shell.until(/Who are you: /);
    shell.press('\u0003');
    await shell.until(/The command was canceled\./);
    assert.equal(await shell.exitCode, 2, shell.shown);
    assert.equal(existsSync(path.join(folder, 'values')), false);
  });

  test('[CLI4] a sign-in shows host and permissions, opens the browser after the answer, and the command continues', async () => {
    const servers = await startProtectedServer();
    const opener = path.join(folder, 'xdg-open');
    await writeFile(
      opener,
      `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(path.join(folder, 'opened'))}, process.argv[2]);\nfetch(process.argv[2]);\n`,
    );
    await chmod(opener, 0o755);
    try {
      const shell = await run({ servers: { vault: { type: 'http', url: servers.url } } }, ['call', 'vault', 'whoami'], {
        PATH: `${folder}${path.delimiter}${process.env['PATH'] ?? ''}`,
        DISPLAY: ':0',
      });
      await shell.until(/Start it\? \[y\/N\] /);
      shell.enter('y');
      await shell.until(
        /asks you to sign in\.[^]*The browser opens[^]*127\.0\.0\.1[^]*Sign in at 127\.0\.0\.1\S*\? \[y\/N\] /,
      );
      assert.equal(servers.requests('/authorize').length, 0, 'nothing is opened before the answer');
      shell.enter('y');
      await shell.until(/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/);
      await shell.until(/whoami with/);
      assert.equal(await shell.exitCode, 0, shell.shown);
      const opened = await readFile(path.join(folder, 'opened'), 'utf8');
      assert.ok(shell.shown.includes(opened), 'the shown address is the opened one');
      assert.equal(servers.requests('/authorize').length, 1);
      for (const token of servers.accessTokens.keys()) assert.equal(shell.shown.includes(token), false);
    } finally {
      await servers.stop();
    }
  });

  test('[CLI4] Ctrl+C while the command waits for a sign-in ends it with exit code 2', async () => {
    const servers = await startProtectedServer();
    try {
      const vault = { servers: { vault: { type: 'http', url: servers.url } } };
      const shell = await run(vault, ['call', 'vault', 'whoami', '--yes'], { PATH: folder });
      await shell.until(/Sign in at 127\.0\.0\.1\S*\? \[y\/N\] /);
      shell.enter('y');
      await shell.until(/\/authorize\?\S+\s/);
      shell.press('\u0003');
      await shell.until(/The command was canceled\./);
      assert.equal(await shell.exitCode, 2, shell.shown);
    } finally {
      await servers.stop();
    }
  });

  test('[CLI4] a sign-in that the user declines opens nothing, even with --yes', async () => {
    const servers = await startProtectedServer();
    try {
      const vault = { servers: { vault: { type: 'http', url: servers.url } } };
      const shell = await run(vault, ['call', 'vault', 'whoami', '--yes'], { PATH: folder, DISPLAY: ':0' });
      await shell.until(/Sign in at 127\.0\.0\.1\S*\? \[y\/N\] /);
      shell.enter('n');
      await shell.until(/The server "vault" requires you to sign in\./);
      assert.equal(await shell.exitCode, 2, shell.shown);
      assert.doesNotMatch(shell.shown, /authorize\?/);
    } finally {
      await servers.stop();
    }
  });

  test('[CLI4] without a browser, the user opens the shown address', async () => {
    const servers = await startProtectedServer();
    try {
      const shell = await run(
        { servers: { vault: { type: 'http', url: servers.url } } },
        ['call', 'vault', 'whoami', '--yes'],
        { PATH: folder, DISPLAY: ':0' },
      );
      await shell.until(/Sign in at 127\.0\.0\.1\S*\? \[y\/N\] /);
      shell.enter('y');
      await shell.until(/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+\s/);
      const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/.exec(shell.shown) ?? [];
      await fetch(address);
      await shell.until(/whoami with/);
      assert.equal(await shell.exitCode, 0, shell.shown);
    } finally {
      await servers.stop();
    }
  });
});
