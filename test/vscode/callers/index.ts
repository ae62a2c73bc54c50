import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { afterAll, beforeAll, makeRun, suite, test } from '../runner.js';
import { answerInputs, answerModals, answerPicks, pressing, pressNotifications } from '../support/dialogs.js';
import {
  command,
  deckApi,
  deckExtension,
  drawn,
  failureOf,
  findServer,
  until,
  WorkspaceFile,
} from '../support/host.js';
import { attempt } from './attempt.js';
import { table } from './table.js';
import type { Passed } from './ways.js';
import { focusFirst, focusHarmless, runBy, throughWindow, unfold, ways } from './ways.js';

const contributed = (
  deckExtension().packageJSON as { contributes: { commands: { command: string }[] } }
).contributes.commands.map(({ command: id }) => id.replace(/^mcpDeck\./, ''));
const passed: Passed = {
  args: {},
  line: { view: 'mcpDeck.servers', id: 'server/bank' },
  address: { scheme: 'mcpdeck', path: '/bank/demo/x' },
};
const settings = () => vscode.workspace.getConfiguration('mcpDeck');
const whisperLine = { $treeViewId: 'mcpDeck.servers', $treeItemHandle: '1/server/bank/tool/whisper' };
const denialOfScripts = { effect: 'deny', callers: ['script'] };
const denial = { effect: 'deny', tool: 'nuke' };
const setRules = (rules: readonly object[]) => settings().update('rules', rules, vscode.ConfigurationTarget.Global);
const bank = { server: 'bank' };
const lookup = { server: 'bank', tool: 'lookup' };
const api = (tool: string) =>
  deckApi().then((deck) => deck.runTool({ server: 'bank', tool, arguments: tool === 'lookup' ? { word: 'a' } : {} }));

let auditFile = '';
/** The number of decisions that `audited` has returned last. */
let auditedBefore = 0;
/** All decisions so far. Opening the log waits until they are in its file, which takes a second. */
const audited = async () => {
  await command('mcpDeck.showAuditLog');
  const text = await readFile(auditFile, 'utf8').catch(() => '');
  const decisions = text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  auditedBefore = decisions.length;
  return decisions;
};
const auditedSince = async (before: number) => (await audited()).slice(before);

/** State that must not be widened: the rules, the definitions, the enabled items, and the quarantined tool. */
async function permitted() {
  // A stopped server shows no tools.
  await command('mcpDeck.startServer', { server: 'bank' });
  return {
    rules: settings().inspect('rules')?.globalValue,
    servers: settings().inspect('servers')?.globalValue,
    isOffEnabled: (await findServer('off'))?.isEnabled,
    isRemoveOff: /remove {2}.*disabled/.test(await drawn('bank')),
    lookup: (await failureOf(api('lookup'))).code,
  };
}

/** As in a file of the workspace: a shell task whose input is a command. */
async function runAsTaskInput(tasks: WorkspaceFile, label: string, id: string, args: unknown): Promise<void> {
  await tasks.write({
    version: '2.0.0',
    tasks: [{ type: 'shell', label, command: 'echo', args: ['${input:it}'] }],
    inputs: [{ id: 'it', type: 'command', command: `mcpDeck.${id}`, args }],
  });
  const found = await until('VS Code read tasks.json', async () =>
    (await vscode.tasks.fetchTasks()).find(({ name }) => name === label),
  );
  // An input that returns no text ends the task; other checks cover its effects.
  void vscode.tasks.executeTask(found).then(undefined, () => undefined);
}

suite('callers of a command', () => {
  const tasks = new WorkspaceFile('.vscode/tasks.json');
  beforeAll(async () => {
    await setRules([denial]);
    await command('mcpDeck.disableServer', { server: 'off' });
    await command('mcpDeck.startServer', { server: 'bank' });
    await command('mcpDeck.disableTool', { server: 'bank', tool: 'remove' });
    await api('lookup');
    await api('turn');
    await until('lookup is in quarantine', async () => (await drawn('bank')).includes('in quarantine'));
    await command('mcpDeck.showAuditLog');
    const log = await until('the audit log is open', () =>
      vscode.workspace.textDocuments
        .find(({ uri }) => uri.scheme === 'mcpdeck-consent' && uri.path.includes('Audit'))
        ?.getText(),
    );
    auditFile = vscode.Uri.parse(/(file:\S+)/.exec(log)?.[1] ?? '').fsPath;
    // A run that the user approved, so that there is a last run, and a favorite made of it.
    await unfold('server/bank/tool/whisper');
    await setRules([denial, denialOfScripts]);
    await pressing('Run Tool', async () => throughWindow('mcpDeck.runTool', whisperLine));
    await setRules([denial]);
    const inputs = answerInputs(() => 'Kept');
    await throughWindow('mcpDeck.addFavourite', whisperLine);
    inputs.restore();
    await command('mcpDeck.startTrace', { server: 'bank' });
    for (const view of ['mcpDeck.rules', 'mcpDeck.servers']) await focusFirst(view);
  });
  afterAll(async () => {
    await tasks.restore();
    await setRules([]);
    await command('mcpDeck.stopAllServers');
  });

  test('[C20] every contributed command has a row in the table, and every row has a command', () => {
    assert.deepEqual(Object.keys(table).toSorted(), contributed.toSorted());
  });

  const byInput: readonly [string, unknown][] = [
    // Every command that asks when a keybinding passes arguments.
    ...Object.entries(table).flatMap(([id, { args = passed.args, asks = [] }]): [string, unknown][] =>
      asks.includes('keybinding') ? [[id, args]] : [],
    ),
    ['enableServer', { $mid: 1, scheme: 'mcpdeck', path: '/off/demo/x' }],
    ['removeRule', { $treeViewId: 'mcpDeck.rules', $focusedTreeItem: true }],
    ['acceptChange', { $mid: 1, scheme: 'mcpdeck-consent', path: '/x', query: JSON.stringify(lookup) }],
    ['runLastTool', undefined],
  ];
  for (const [index, [id, args]] of byInput.entries()) {
    test(`[C20, C21] the input of a task asks: ${id} ${JSON.stringify(args)}`, async () => {
      await command('mcpDeck.startServer', { server: 'bank' });
      await command('mcpDeck.reviewChange', lookup);
      const before = await permitted();
      const entries = (await audited()).length;
      const modals = answerModals(({ buttons }) => (buttons.includes('Deny') ? 'Deny' : undefined));
      try {
        await runAsTaskInput(tasks, `by input ${index}`, id, args);
        await until('a question waits', async () => {
          // Checks for a call that waits in the Requests view.
          if (modals.asked.length === 0) await vscode.commands.executeCommand('mcpDeck.answerRequest');
          return modals.asked.length > 0;
        });
      } finally {
        modals.restore();
      }
      assert.deepEqual(
        (await auditedSince(entries)).filter(({ caller }) => caller === 'user'),
        [],
      );
      assert.deepEqual(await permitted(), before);
    });
  }

  test('[C20] the line of a tool that only other callers are asked about opens its panel and runs nothing', async () => {
    const entries = (await audited()).length;
    const modals = answerModals(() => undefined);
    try {
      await throughWindow('mcpDeck.runTool', whisperLine);
      await until('the panel is open', () =>
        /whisper/i.test(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? ''),
      );
    } finally {
      modals.restore();
    }
    assert.deepEqual(modals.asked, []);
    assert.deepEqual(
      (await auditedSince(entries)).filter(({ event }) => event === 'call'),
      [],
    );
  });

  test('[C20] a rule against scripts holds for lines, for "Run Last Tool" and for favorites, unless the user confirms', async () => {
    await setRules([denial, denialOfScripts]);
    try {
      for (const [id, ...args] of [['runTool', whisperLine], ['runLastTool'], ['runAgain', whisperLine]] as const) {
        const entries = (await audited()).length;
        const refused = await pressing('Cancel', async () => throughWindow(`mcpDeck.${id}`, ...args));
        assert.deepEqual(
          refused.asked.map(({ message }) => message),
          ['Run "whisper" of "bank" as your own call?'],
          id,
        );
        assert.deepEqual(
          (await auditedSince(entries)).filter(({ event }) => event === 'call'),
          [],
        );
      }
      for (const [id, args] of [
        ['runLastTool', { any: 1 }],
        ['runAgain', { favourite: 'Kept' }],
        ['runTool', { server: 'bank', tool: 'whisper' }],
      ] as const) {
        assert.equal((await failureOf(command(`mcpDeck.${id}`, args))).code, 'call-refused', id);
      }
      await pressing('Run Tool', async () => throughWindow('mcpDeck.runTool', whisperLine));
      assert.deepEqual(
        (await auditedSince(0)).filter(({ event, outcome }) => event === 'call' && outcome === 'ok').at(-1)?.['caller'],
        'user',
      );
    } finally {
      await setRules([denial]);
    }
  });

  test('[C20] the button above a comparison works once without a question, and the log names the user', async () => {
    await throughWindow('mcpDeck.reviewChange', {
      $treeViewId: 'mcpDeck.servers',
      $treeItemHandle: '1/server/bank/tool/lookup',
    });
    const { modified } = await until('the comparison is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'mcpdeck-consent'
        ? input
        : undefined;
    });
    const entries = (await audited()).length;
    const pressed = await pressing('Cancel', async () => throughWindow('mcpDeck.acceptChange', modified.toJSON()));
    assert.deepEqual(pressed.asked, []);
    assert.deepEqual(
      (await auditedSince(entries))
        .filter(({ event }) => event === 'change-accepted')
        .map(({ caller, tool }) => [caller, tool]),
      [['user', 'lookup']],
    );
    await api('turn_back');
    await until('lookup is in quarantine', async () => (await drawn('bank')).includes('in quarantine'));
    await command('mcpDeck.reviewChange', lookup);
    const again = await pressing('Cancel', async () => throughWindow('mcpDeck.acceptChange', modified.toJSON()));
    assert.equal(again.asked.length, 1);
  });

  /** The rows that a program picks in the lists of a command, and the start of the question that follows. */
  const picks: readonly [id: string, args: unknown, rows: readonly RegExp[], question: RegExp][] = [
    ['enableServer', undefined, [/^off$/], /^Enable the server "off"\?/],
    ['removeRule', undefined, [/nuke/], /^Remove this rule\?/],
    ['runAgain', undefined, [/./], /^Call the tool "whisper"/],
    ['setSamplingPolicy', bank, [/^Allow Without Asking$/], /^Let "bank" use your language model without asking\?/],
    ['checkServer', undefined, [/^bank$/, /^Conformance Suite…$/], /^Run the conformance suite against "bank"\?/],
    ['addRule', undefined, [/^Allow$/, /^Any server$/, /^Any tool$/, /^Any caller/, /^Always$/], /^Add this rule\?/],
  ];
  for (const [id, args, rows, question] of picks) {
    test(`[C20] a program that accepts rows of the lists of ${id} widens nothing without a question`, async () => {
      const before = await permitted();
      const wanted = [...rows];
      const lists = answerPicks((items) => {
        const row = wanted.shift();
        return items.find(({ label, kind }) => kind === undefined && row?.test(label));
      });
      const modals = answerModals(({ buttons }) => (buttons.includes('Deny') ? 'Deny' : undefined));
      try {
        await throughWindow(`mcpDeck.${id}`, ...(args === undefined ? [] : [args])).then(undefined, () => undefined);
      } finally {
        lists.restore();
        modals.restore();
      }
      assert.match(modals.asked.map(({ message }) => message).join('\n'), question);
      assert.deepEqual(await permitted(), before);
    });
  }

  for (const id of contributed) {
    const { asks = [], ...own } = table[id] ?? {};
    test(
      `[C20] ${id}: no permission is widened, no call counts as the user's, and ${asks.length === 0 ? 'there is nothing to ask' : `it asks by ${asks.join(', ')}`}`,
      async () => {
        const what = { ...passed, ...own };
        await command('mcpDeck.startServer', { server: 'bank' });
        if (what.address.scheme === 'mcpdeck-consent') await command('mcpDeck.reviewChange', lookup);
        const before = await permitted();
        if (what.line.id.includes('/tool/')) await unfold(what.line.id);
        // Between two rows no user acts, so that the log is not opened again here.
        const entries = auditedBefore;
        const asked: string[] = [];
        for (const way of ways) {
          if (way === 'focused line') await focusHarmless(what.line.view);
          const outcome = await attempt(() => runBy(way, `mcpDeck.${id}`, what));
          if (outcome.questions.length > 0) asked.push(way);
        }
        assert.deepEqual(
          asked,
          ways.filter((way) => asks.includes(way)),
        );
        const acted = (await auditedSince(entries)).filter(({ caller }) => caller === 'user');
        assert.deepEqual(acted, []);
        assert.deepEqual(await permitted(), before);
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      },
      { timeoutMs: 120_000 },
    );
  }

  // The last test, because it changes the last run.
  test('[C20] a program that presses "Run Again" of the notification about a failed run of the user is asked', async () => {
    const servers = settings().inspect<object>('servers')?.globalValue;
    const setServers = (value: object | undefined) =>
      settings().update('servers', value, vscode.ConfigurationTarget.Global);
    const args = ['${env:MCP_DECK_REPO}/test/fixtures/servers/refusing.mjs'];
    await setServers({ ...servers, frail: { command: 'node', args } });
    await until('the server is known', () => findServer('frail'));
    await command('mcpDeck.startServer', { server: 'frail' });
    await unfold('server/frail/tool/refuse');
    await setRules([denial, denialOfScripts]);
    const entries = (await audited()).length;
    // The user confirms the first run, which fails, and not the second one.
    const answers = ['Run Tool', 'Cancel'];
    const modals = answerModals(() => answers.shift());
    const errors = pressNotifications('showErrorMessage', (_message, buttons) =>
      answers.length === 1 ? buttons.find((button) => button === 'Run Again') : undefined,
    );
    try {
      await throughWindow('mcpDeck.runTool', {
        $treeViewId: 'mcpDeck.servers',
        $treeItemHandle: '1/server/frail/tool/refuse',
      });
      await until('the button asks', () => modals.asked.length === 2);
    } finally {
      modals.restore();
      errors.restore();
      await setRules([denial]);
      await setServers(servers);
    }
    const question = 'Run "refuse" of "frail" as your own call?';
    assert.deepEqual(
      modals.asked.map(({ message }) => message),
      [question, question],
    );
    assert.equal(errors.messages.length, 1);
    assert.deepEqual(
      (await auditedSince(entries))
        .filter(({ event, tool }) => event === 'call' && tool === 'refuse')
        .map(({ caller }) => caller),
      ['user'],
    );
  });

  /**
   * Runs a command without arguments that a program could pass, and accepts its boxes and lists with commands of VS Code
   * until a question is asked. Returns the questions; all of them are canceled.
   */
  async function accepting(id: string, ...args: unknown[]): Promise<readonly string[]> {
    const modals = answerModals(() => undefined);
    try {
      const ended = throughWindow(`mcpDeck.${id}`, ...args).then(
        () => true,
        () => true,
      );
      await until(`${id} asks`, async () => {
        await vscode.commands.executeCommand('quickInput.accept');
        return modals.asked.length > 0;
      });
      await ended;
      return modals.asked.map(({ message }) => message);
    } finally {
      modals.restore();
    }
  }

  test('[C20] a program that accepts the box of Run Command… and Connect to URL… with the text of the clipboard starts nothing without a question', async () => {
    const active = async () =>
      (await (await deckApi()).listServers())
        .filter(({ state }) => state === 'running' || state === 'starting')
        .map(({ server }) => server);
    const before = { permitted: await permitted(), active: await active() };
    for (const [id, text, question] of [
      ['runServerCommand', 'node no-such-server.mjs mcp', /^Start the scratch server "no-such"\?$/],
      ['connectToUrl', 'http://127.0.0.1:9/mcp', /^Connect to the scratch server /],
    ] as const) {
      await vscode.env.clipboard.writeText(text);
      assert.match((await accepting(id)).join('\n'), question);
    }
    assert.deepEqual({ permitted: await permitted(), active: await active() }, before);
  });

  test('[C20] a program that accepts the box of Duplicate Server… adds no copy without a question', async () => {
    const before = await permitted();
    const line = { $treeViewId: 'mcpDeck.servers', $treeItemHandle: '1/server/spare' };
    await unfold('server/spare');
    assert.match((await accepting('duplicateServer', line)).join('\n'), /^Add "spare-2", a copy of "spare"/);
    assert.deepEqual(await permitted(), before);
  });
});

suite('Lenses of configuration files', () => {
  test('[C20] the argument of a lens, and an object of its class, prove nothing', async () => {
    const file = new WorkspaceFile('.vscode/mcp.json');
    const dialogs = answerModals(() => undefined);
    try {
      await file.write('{ "servers": { "lensed": { "command": "node", "args": ["x.js"] } } }');
      await until('the file is read', () => findServer('lensed'));
      await command('mcpDeck.disableServer', { server: 'lensed' });
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file.uri));
      const enable = await until('the lens is there', async () => {
        const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          'vscode.executeCodeLensProvider',
          file.uri,
          20,
        );
        return lenses.find(({ command: one }) => one?.command === 'mcpDeck.enableServer')?.command;
      });
      const [argument] = (enable.arguments ?? []) as [object];
      const Lens = argument.constructor as new (target: object) => object;
      for (const one of [argument, new Lens({ server: 'lensed' })]) {
        const before = dialogs.asked.length;
        await Promise.resolve(vscode.commands.executeCommand(enable.command, one)).catch(() => undefined);
        assert.equal((await findServer('lensed'))?.isEnabled, false);
        assert.equal(dialogs.asked.length, before + 1);
      }
    } finally {
      dialogs.restore();
      await file.restore();
    }
  });
});

export const run = makeRun();
