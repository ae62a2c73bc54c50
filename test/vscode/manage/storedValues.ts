import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import type { Dialogs } from '../support/dialogs.js';
import { answerInputs, answerModals, answerPicks, pressing } from '../support/dialogs.js';
import { WorkspaceFile, command, deckApi, failureOf, findServer, oddServer, textOf, until } from '../support/host.js';

interface Stored {
  server: string;
  input: string;
  isUsed: boolean;
}

const file = new WorkspaceFile('.vscode/mcp.json');
const inputs = [
  { id: 'token', type: 'promptString', password: true, description: 'Token of the keeper' },
  { id: 'word', type: 'promptString' },
];
const env = { A_TOKEN: '${input:token}', A_WORD: '${input:word}' };
let count = 0;

suite('stored values', () => {
  /** A separate name for each test, so that stored values do not reach the next one. */
  let keeper = '';
  let modals: Dialogs;
  let answer: string | undefined;
  let typed: string[] = [];
  let boxes: ReturnType<typeof answerInputs>;

  beforeAll(() => {
    modals = answerModals(() => answer);
    boxes = answerInputs(() => typed.shift());
  });
  afterEach(async () => {
    await command('mcpDeck.stopAllServers');
    if ((await stored()).some(({ server }) => server === keeper))
      await pressing('Forget', () => command('mcpDeck.manageStoredValues', { server: keeper, forget: true }));
    await file.restore();
    await until('it is gone', async () => (await findServer(keeper)) === undefined);
  });
  afterAll(() => {
    modals.restore();
    boxes.restore();
  });

  /** A server that runs with two typed values. */
  async function started(): Promise<void> {
    keeper = `keeper-${++count}`;
    await file.write({ servers: { [keeper]: oddServer('environment', { env }) }, inputs });
    await until('it is listed', () => findServer(keeper));
    [answer, typed] = ['Start Server', ['first-token', 'first-word']];
    await command('mcpDeck.reviewTrust', { server: keeper });
    assert.deepEqual(await given(), ['first-token', 'first-word']);
  }

  /** The values that the running server received. */
  async function given(): Promise<(string | undefined)[]> {
    const result = JSON.parse(textOf(await (await deckApi()).runTool({ server: keeper, tool: 'environment' }))) as {
      env: Record<string, string | undefined>;
    };
    return [result.env['A_TOKEN'], result.env['A_WORD']];
  }

  async function stored(server?: string): Promise<Stored[]> {
    return command<Stored[]>('mcpDeck.manageStoredValues', server === undefined ? {} : { server });
  }

  /** Runs the command as from the palette and picks these lines in order; returns all lines of the lists. */
  async function choose(...labels: string[]): Promise<vscode.QuickPickItem[][]> {
    const lists: vscode.QuickPickItem[][] = [];
    const picks = answerPicks((items) => {
      lists.push([...items]);
      return items.find(({ label }) => label === labels[lists.length - 1]);
    });
    try {
      await vscode.commands.executeCommand('mcpDeck.manageStoredValues');
    } finally {
      picks.restore();
    }
    return lists;
  }

  test('[S4] are listed by name, changed in a box that hides passwords, and take effect after a restart', async () => {
    await started();
    const messages: string[] = [];
    const original = vscode.window.showInformationMessage;
    const pressFirst = (message: string, ...buttons: vscode.MessageItem[]): Promise<vscode.MessageItem | undefined> => {
      messages.push(message);
      return Promise.resolve(buttons.find(({ title }) => title === 'Restart Server'));
    };
    vscode.window.showInformationMessage = pressFirst as unknown as typeof original;
    try {
      typed = ['second-token'];
      boxes.asked.length = 0;
      const lists = await choose('token', 'Change…');
      assert.deepEqual(
        lists.map((items) => items.map(({ label }) => label)),
        [
          [keeper, 'token', 'word'],
          ['Change…', 'Forget', `Forget All Values of "${keeper}"`],
        ],
      );
      assert.ok(!JSON.stringify(lists).includes('first-'), 'the values are shown nowhere');
      assert.deepEqual(
        [boxes.asked.map(({ password }) => password), messages],
        [[true], [`"${keeper}" runs with the old value of "token" until it is restarted.`]],
      );
      assert.deepEqual(await given(), ['second-token', 'first-word']);
    } finally {
      vscode.window.showInformationMessage = original;
    }
  });

  test('that are forgotten are requested again at the next start; the others are not', async () => {
    await started();
    await choose('token', 'Forget');
    assert.deepEqual(
      (await stored(keeper)).map(({ input }) => input),
      ['word'],
    );
    [typed, boxes.asked.length] = [['third-token'], 0];
    await vscode.commands.executeCommand('mcpDeck.stopServer', { server: keeper });
    await command('mcpDeck.reviewTrust', { server: keeper });
    assert.deepEqual([boxes.asked.length, await given()], [1, ['third-token', 'first-word']]);
    await choose('token', `Forget All Values of "${keeper}"`);
    assert.deepEqual(await stored(keeper), []);
  });

  test('[S4] stay while the definition is missing, remain listed, and are deleted by "Remove and Forget"', async () => {
    await started();
    await file.write({ servers: {} });
    await until('it is gone', async () => (await findServer(keeper)) === undefined);
    assert.deepEqual(
      (await stored(keeper)).map(({ input, isUsed }) => [input, isUsed]),
      [
        ['token', false],
        ['word', false],
      ],
    );
    await file.write({ servers: { [keeper]: oddServer('environment', { env }) }, inputs });
    await until('it is back', () => findServer(keeper));
    assert.deepEqual(
      (await stored(keeper)).map(({ input, isUsed }) => [input, isUsed]),
      [
        ['token', true],
        ['word', true],
      ],
    );
    answer = 'Remove and Forget';
    modals.asked.length = 0;
    const picks = answerPicks((items) => items.find(({ label }) => label === keeper));
    try {
      await vscode.commands.executeCommand('mcpDeck.removeServer');
    } finally {
      picks.restore();
    }
    const [question] = modals.asked;
    assert.deepEqual(question, {
      message: `Remove "${keeper}" from .vscode/mcp.json?`,
      detail: 'Stored values: token, word\n"Remove and Forget" also deletes these values and signs you out.',
      buttons: ['Remove', 'Remove and Forget'],
    });
    await until('it is removed', async () => (await findServer(keeper)) === undefined);
    assert.ok(!(await readFile(file.path, 'utf8')).includes(keeper));
    assert.deepEqual(await stored(), []);
  });

  test('[C22] a script removes a server only when the user agrees, and keeps its values unless requested', async () => {
    await started();
    const kept = await pressing('Cancel', () =>
      failureOf(command('mcpDeck.removeServer', { server: keeper, forget: true })),
    );
    assert.deepEqual(
      [kept.value.name, kept.asked[0]?.message, kept.asked[0]?.buttons[1]],
      ['Canceled', `Remove "${keeper}" from .vscode/mcp.json?`, 'Remove and Forget'],
    );
    assert.ok(await findServer(keeper));
    await pressing('Remove', () => command('mcpDeck.removeServer', { server: keeper }));
    await until('it is removed', async () => (await findServer(keeper)) === undefined);
    assert.equal((await stored(keeper)).length, 2);
  });

  test('[S4] move with a server that stays the same, and a disabled tool stays disabled', async () => {
    await started();
    await command('mcpDeck.disableTool', { server: keeper, tool: 'environment' });
    answer = 'Add to User Settings';
    try {
      assert.equal(await command('mcpDeck.moveServer', { server: keeper, to: 'user', acceptLosses: true }), keeper);
      await until(
        'they are there',
        async () => (await stored()).filter(({ server, isUsed }) => server === keeper && isUsed).length === 2,
      );
      const api = await until('it is in its new place', async () =>
        (await readFile(file.path, 'utf8')).includes(`"${keeper}"`) ? undefined : findServer(keeper),
      );
      assert.equal(api.state, 'stopped');
      await assert.rejects(given(), /environment/);
      answer = 'Enable Tool';
      await command('mcpDeck.enableTool', { server: keeper, tool: 'environment' });
      // No input is typed.
      assert.deepEqual(await given(), ['first-token', 'first-word']);
      await pressing('Forget', () => command('mcpDeck.manageStoredValues', { server: keeper, forget: true }));
    } finally {
      await command('mcpDeck.stopAllServers');
      const settings = vscode.workspace.getConfiguration();
      const servers = settings.inspect<Record<string, unknown>>('mcpDeck.servers')?.globalValue ?? {};
      await settings.update(
        'mcpDeck.servers',
        Object.fromEntries(Object.entries(servers).filter(([name]) => name !== keeper)),
        vscode.ConfigurationTarget.Global,
      );
      await settings.update('mcpDeck.inputs', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  test('[S4] are not moved when the server would differ at the destination, which is reported before the move', async () => {
    await started();
    const failure = await command('mcpDeck.moveServer', { server: keeper, to: 'portable' }).then(
      () => assert.fail('it moved'),
      (error: unknown) => String(error),
    );
    assert.match(
      failure,
      /inputs\.token: The stored value does not move with the server: \.mcp\.json cannot ask for values.*inputs\.word: /s,
    );
    assert.equal((await stored()).filter(({ server }) => server === keeper).length, 2);
  });
});
