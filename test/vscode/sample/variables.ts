import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerInputs, answerModals } from '../support/dialogs.js';
import type { Dialogs } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  deckApi,
  draw,
  failureOf,
  findServer,
  folder,
  textOf,
  until,
} from '../support/host.js';

interface Started {
  env: Record<string, string | undefined>;
  args: string[];
  cwd: string;
}

const file = new WorkspaceFile('.vscode/mcp.json');
const portable = new WorkspaceFile('.mcp.json');
const dotenv = new WorkspaceFile('servers.env');
const script = '${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs';
let names = 0;

/** Defines a server with a unique name and starts it. Returns the arguments and environment that it received. */
async function started(
  more: object,
  { args = [], inputs = [], target = file }: { args?: string[]; inputs?: object[]; target?: WorkspaceFile } = {},
): Promise<Started> {
  const name = await define(more, { args, inputs, target });
  await command('mcpDeck.reviewTrust', { server: name });
  return JSON.parse(textOf(await (await deckApi()).runTool({ server: name, tool: 'environment' }))) as Started;
}

async function define(
  more: object,
  { args = [], inputs = [], target = file }: { args?: string[]; inputs?: object[]; target?: WorkspaceFile } = {},
): Promise<string> {
  const name = `server-${++names}`;
  const entry = {
    command: 'node',
    args: [target === portable ? '${MCP_DECK_REPO}/test/fixtures/servers/odd.mjs' : script, 'environment', ...args],
    ...more,
  };
  await target.write(target === portable ? { mcpServers: { [name]: entry } } : { servers: { [name]: entry }, inputs });
  await until(`${name} is listed`, () => findServer(name));
  return name;
}

suite('variables of a definition', () => {
  let dialogs: Dialogs;
  const root = () => folder().uri.fsPath;
  beforeAll(() => void (dialogs = answerModals(() => 'Start Server')));
  afterEach(() => command('mcpDeck.stopAllServers'));
  afterAll(async () => {
    dialogs.restore();
    for (const one of [file, portable, dotenv]) await one.restore();
    await until('the sample is back', () => findServer('everything'));
  });

  test('a server starts in the folder of its file', async () => {
    assert.equal((await started({})).cwd, realpathSync(root()));
  });

  test('cwd is taken from the folder of the file', async () => {
    assert.equal((await started({ cwd: 'docs' })).cwd, realpathSync(path.join(root(), 'docs')));
  });

  test('${workspaceFolder} is the path of the folder', async () => {
    assert.deepEqual((await started({}, { args: ['${workspaceFolder}/x'] })).args, [`${root()}/x`]);
  });

  test('${workspaceFolder:name} is the path of the folder with that name', async () => {
    assert.deepEqual((await started({}, { args: ['${workspaceFolder:sample}'] })).args, [root()]);
  });

  test('${userHome} is the home of the user', async () => {
    assert.deepEqual((await started({}, { args: ['${userHome}'] })).args, [os.homedir()]);
  });

  test('${env:X} is a variable of the environment', async () => {
    assert.deepEqual((await started({}, { args: ['${env:MCP_DECK_REPO}'] })).args, [process.env['MCP_DECK_REPO']]);
  });

  test('${config:key} is the value of a setting', async () => {
    assert.deepEqual((await started({}, { args: ['${config:update.mode}'] })).args, ['none']);
  });

  test('an argument reaches the server unchanged, even if a shell would interpret it', async () => {
    const wild = ['a b', '$(touch pwned)', '"', "'", '; ls', '*', '', '%PATH%'];
    assert.deepEqual((await started({}, { args: wild })).args, wild);
  });

  test('env sets variables of the server', async () => {
    assert.equal(
      (await started({ env: { GREETING: 'hello from ${workspaceFolder}' } })).env['GREETING'],
      `hello from ${root()}`,
    );
  });

  test('a number in env becomes a text', async () => {
    assert.equal((await started({ env: { PORT_NUMBER: 8080 } })).env['PORT_NUMBER'], '8080');
  });

  test('null in env removes an inherited variable', async () => {
    assert.equal((await started({ env: { HOME: null } })).env['HOME'], undefined);
  });

  test('envFile sets variables of the server', async () => {
    await dotenv.write('# a comment\nFROM_FILE="two words"\nexport OTHER=1\n');
    const { env } = await started({ envFile: '${workspaceFolder}/servers.env' });
    assert.deepEqual([env['FROM_FILE'], env['OTHER']], ['two words', '1']);
  });

  test('env overrides envFile', async () => {
    await dotenv.write('BOTH=file\n');
    assert.equal((await started({ envFile: 'servers.env', env: { BOTH: 'entry' } })).env['BOTH'], 'entry');
  });

  test("VS Code's own variables do not reach the server", async () => {
    const { env } = await started({});
    assert.deepEqual(
      Object.keys(env).filter((name) => /^(VSCODE|ELECTRON)_/.test(name)),
      [],
    );
  });

  test('${NAME} and ${NAME:-default} are variables of the environment in .mcp.json', async () => {
    const { args } = await started(
      {},
      { target: portable, args: ['${MCP_DECK_REPO}', '${MCP_DECK_NOT_SET:-fallback}'] },
    );
    assert.deepEqual(args, [process.env['MCP_DECK_REPO'], 'fallback']);
  });

  for (const [variable, words] of [
    ['${env:MCP_DECK_NOT_SET}', /MCP_DECK_NOT_SET/],
    ['${workspaceFolder:nowhere}', /nowhere/],
    ['${input:nothing}', /nothing/],
  ] as const) {
    test(`a start fails with bad-configuration for ${variable}, and names it`, async () => {
      const name = await define({}, { args: [variable] });
      const error = await failureOf(command('mcpDeck.reviewTrust', { server: name }));
      assert.deepEqual([error.code, words.test(error.message)], ['bad-configuration', true], error.message);
    });
  }

  test('a missing envFile fails with bad-configuration and names the file', async () => {
    const name = await define({ envFile: 'no-such.env' });
    const error = await failureOf(command('mcpDeck.reviewTrust', { server: name }));
    assert.deepEqual([error.code, error.message.includes('no-such.env')], ['bad-configuration', true], error.message);
  });

  test('a missing cwd fails with the folder and how to correct it', async () => {
    const name = await define({ cwd: 'no-such-folder' });
    const error = await failureOf(command('mcpDeck.reviewTrust', { server: name }));
    assert.match(error.message, /no-such-folder.*"cwd"/);
  });

  test('${input:id} is requested and passed to the server', async () => {
    const input = answerInputs(() => 'typed by hand');
    try {
      assert.deepEqual(
        (
          await started(
            {},
            { args: ['${input:word}'], inputs: [{ id: 'word', type: 'promptString', description: 'A word' }] },
          )
        ).args,
        ['typed by hand'],
      );
    } finally {
      input.restore();
    }
  });

  test('a password input is requested in a box that hides it', async () => {
    const input = answerInputs(() => 's3cret-value');
    try {
      await started(
        { env: { A_TOKEN: '${input:secret}' } },
        {
          inputs: [
            { id: 'secret', type: 'promptString', description: 'A secret', password: true, default: 'not visible' },
          ],
        },
      );
      assert.deepEqual(
        input.asked.map(({ password, value }) => [password, value]),
        [[true, '']],
      );
    } finally {
      input.restore();
    }
  });

  test('an input is requested once and stored', async () => {
    const input = answerInputs(() => 's3cret-value');
    try {
      const name = await define(
        { env: { A_TOKEN: '${input:kept}' } },
        { inputs: [{ id: 'kept', type: 'promptString', password: true }] },
      );
      await command('mcpDeck.reviewTrust', { server: name });
      await command('mcpDeck.restartServer', { server: name });
      assert.equal(input.asked.length, 1);
    } finally {
      input.restore();
    }
  });

  test('a script requests no input, and the error names the missing one', async () => {
    const input = answerInputs(() => undefined);
    try {
      const name = await define(
        { env: { A_TOKEN: '${input:unknown}' } },
        { inputs: [{ id: 'unknown', type: 'promptString', password: true }] },
      );
      await failureOf(command('mcpDeck.reviewTrust', { server: name }));
      input.asked.length = 0;
      const error = await failureOf(command('mcpDeck.startServer', { server: name }));
      assert.deepEqual([input.asked.length, /unknown/.test(error.message)], [0, true], error.message);
    } finally {
      input.restore();
    }
  });

  test('a secret shows neither in the tree nor in the list of servers', async () => {
    await started({ env: { A_TOKEN: 'hunter2-hunter2' } });
    const everything = `${await draw()}${JSON.stringify(await command('mcpDeck.listServers'))}`;
    assert.equal(everything.includes('hunter2'), false);
  });

  test('${input:id} of type command is the return value of the command', async () => {
    const registration = vscode.commands.registerCommand('mcpDeckTest.word', () => 'from a command');
    try {
      assert.deepEqual(
        (
          await started(
            {},
            { args: ['${input:made}'], inputs: [{ id: 'made', type: 'command', command: 'mcpDeckTest.word' }] },
          )
        ).args,
        ['from a command'],
      );
    } finally {
      registration.dispose();
    }
  });
});
