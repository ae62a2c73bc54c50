import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import type { Dialogs } from '../support/dialogs.js';
import { answerModals, answerPicks, pressing } from '../support/dialogs.js';
import { command, deckApi, drawn, failureOf, textOf, until, untilState, WorkspaceFile } from '../support/host.js';

const lookup = { server: 'changing', tool: 'lookup', arguments: { word: 'deck' } };
const runTool = (call: object = lookup) => command('mcpDeck.runTool', call);
const settings = () => vscode.workspace.getConfiguration('mcpDeck');
/**
 * Commands may run tools here, because the settings of the window allow it from the start; for other windows see the
 * suite `callers`.
 */
const scripts = { effect: 'allow', callers: ['script'] };
const setRules = (rules: readonly object[] = []) =>
  settings().update('rules', [...rules, scripts], vscode.ConfigurationTarget.Global);

/** Runs the tool as a task of tasks.json without any permission. Resolves with the exit code of the task. */
async function runAsTask(label = 'look up'): Promise<number | undefined> {
  const found = await until('VS Code read tasks.json', async () =>
    (await vscode.tasks.fetchTasks({ type: 'mcpDeck' })).find(({ name }) => name === label),
  );
  return new Promise((resolve, reject) => {
    const listener = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name !== label) return;
      listener.dispose();
      resolve(exitCode);
    });
    vscode.tasks.executeTask(found).then(undefined, reject);
  });
}
/** Answers the only waiting question with the button of that title. */
async function answer(button: string): Promise<Dialogs> {
  const dialogs = answerModals(() => button);
  try {
    await until(`the question is answered with "${button}"`, async () => {
      // Without an argument, as for a click in the view.
      await vscode.commands.executeCommand('mcpDeck.answerRequest');
      return dialogs.asked.length > 0;
    });
    return dialogs;
  } finally {
    dialogs.restore();
  }
}
/** The entries of the audit log file, newest first. */
const auditEntries = async () => {
  const [, file] = /(file:\S+)/.exec((await auditText()) ?? '') ?? [];
  const text = await readFile(vscode.Uri.parse(file ?? '').fsPath, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .reverse();
};
const auditText = async () => {
  await command('mcpDeck.showAuditLog');
  return until('the audit log is open', () =>
    vscode.workspace.textDocuments
      .find(({ uri }) => uri.scheme === 'mcpdeck-consent' && uri.path.includes('Audit'))
      ?.getText(),
  );
};

/** The diagnostics about rules in the file whose path ends with this text. */
const ruleProblems = (path: string) =>
  vscode.languages
    .getDiagnostics()
    .filter(([uri]) => uri.path.endsWith(path))
    .flatMap(([, all]) =>
      all.filter(({ source }) => source === 'MCP Deck').map(({ range, message }) => `${range.start.line}: ${message}`),
    );

suite('consent to calls of tools', () => {
  const tasks = new WorkspaceFile('.vscode/tasks.json');
  const workspaceSettings = new WorkspaceFile('.vscode/settings.json');
  beforeAll(async () => {
    await tasks.write({ version: '2.0.0', tasks: [{ type: 'mcpDeck', label: 'look up', ...lookup }] });
    await command('mcpDeck.startServer', { server: 'changing' });
    await untilState('changing', 'running');
  });
  afterEach(async () => {
    await setRules();
    await pressing('Reset Approvals', () => command('mcpDeck.resetApprovals'));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  afterAll(async () => {
    await tasks.restore();
    await workspaceSettings.restore();
    await command('mcpDeck.stopAllServers');
  });

  test('a call of a command that a rule of the user allows needs no question', async () =>
    assert.equal(textOf(await runTool()), 'lookup {"word":"deck"}'));

  test('[C5, C7, C11] a task waits without a dialog until the user answers; the first button is the safe one', async () => {
    const refused = runAsTask();
    const { asked } = await answer('Deny');
    assert.equal(await refused, 2);
    assert.deepEqual(asked[0]?.buttons, ['Deny', 'Allow Once', 'Allow for Session', 'Always…', 'Not Now']);
    assert.equal(asked[0]?.message, 'Call the tool "lookup" of the server "changing"?');
    assert.match(
      asked[0]?.detail ?? '',
      /A task requests this call\.[^]*annotations of the tool, which are not verified: only reads\.[^]*"word": "deck"/,
    );

    const allowed = runAsTask();
    await answer('Allow Once');
    assert.equal(await allowed, 0);
  });

  test('[C7] arguments that are too long for the message are opened before anything can be allowed', async () => {
    const label = 'look up a long word';
    const long = { type: 'mcpDeck', label, ...lookup, arguments: { word: `${'x'.repeat(3_000)}end` } };
    await tasks.write({ version: '2.0.0', tasks: [{ type: 'mcpDeck', label: 'look up', ...lookup }, long] });
    const refused = runAsTask(label);
    const { asked } = await answer('Show Arguments');
    assert.deepEqual(asked[0]?.buttons, ['Deny', 'Show Arguments', 'Not Now']);
    await until('the arguments are open', () =>
      vscode.workspace.textDocuments.some((document) => document.getText().includes('xxxend')),
    );
    // It still waits: opening the arguments allowed nothing.
    const again = await answer('Deny');
    assert.deepEqual(again.asked[0]?.buttons, ['Deny', 'Show Arguments', 'Not Now']);
    assert.equal(await refused, 2);
  });

  test('an allowance for the session suppresses further questions, and is a rule that can be removed', async () => {
    const first = runAsTask();
    await answer('Allow for Session');
    assert.equal(await first, 0);
    assert.equal(await runAsTask(), 0);
    await command('mcpDeck.removeRule', { rule: 'session:0' });
    const again = runAsTask();
    await answer('Deny');
    assert.equal(await again, 2);
  });

  test('"always" is a separate choice, and is stored in the user settings for the approved definition', async () => {
    const picks = answerPicks((items) => items.find(({ label }) => label === 'Allow this tool everywhere'));
    try {
      const first = runAsTask();
      await answer('Always…');
      assert.equal(await first, 0);
    } finally {
      picks.restore();
    }
    const rule = settings()
      .inspect<{ effect: string; tool?: string; approval?: string }[]>('rules')
      ?.globalValue?.find(({ approval }) => approval !== undefined);
    assert.deepEqual(
      [rule?.effect, rule?.tool, /^[0-9a-f]{64}$/.test(rule?.approval ?? '')],
      ['allow', 'lookup', true],
    );
    assert.equal(await runAsTask(), 0);
  });

  test('a rule that denies stops scripts and the API, and the error quotes the rule', async () => {
    await setRules([{ effect: 'deny', server: 'changing', arguments: { '/word': { wildcard: '*secret*' } } }]);
    const secret = { ...lookup, arguments: { word: 'the secret word' } };
    const error = await failureOf(runTool(secret));
    assert.deepEqual([error.code, error.data?.['by']], ['call-refused', 'rule']);
    assert.match(
      error.message,
      /A rule denies the call to "lookup" on "changing": deny any tool of "changing" where \/word wildcard "\*secret\*"\./,
    );
    assert.equal((await failureOf((await deckApi()).runTool(secret))).code, 'call-refused');
    assert.equal(textOf(await runTool()), 'lookup {"word":"deck"}');
  });

  test('[N3] the settings of a workspace can deny, and cannot allow', async () => {
    await workspaceSettings.write({ 'mcpDeck.rules': [{ effect: 'allow' }, { effect: 'deny', tool: 'remove' }] });
    await until(
      'the workspace denies',
      async () =>
        (await failureOf(runTool({ server: 'changing', tool: 'remove' })).catch(() => undefined))?.code ===
        'call-refused',
    );
    const task = runAsTask();
    await answer('Deny');
    assert.equal(await task, 2);
    await workspaceSettings.write({});
    await until('the workspace denies no more', () =>
      runTool({ server: 'changing', tool: 'remove' }).then(
        () => true,
        () => false,
      ),
    );
  });

  test('rules that can never match are in the Problems view at their position, with the reason', async () => {
    await workspaceSettings.write({
      'mcpDeck.rules': [
        { effect: 'ask', tool: 'remove' },
        { effect: 'deny', server: 'chnaging' },
      ],
    });
    // The rule is the second in its list; the first is valid.
    await until('the second rule is marked, and it alone', () => {
      const all = ruleProblems('.vscode/settings.json');
      return all.length === 1 && /no server is named "chnaging"\. Correct the name/.test(all[0] ?? '');
    });
    await workspaceSettings.write({});
    await until('it is gone', () => ruleProblems('.vscode/settings.json').length === 0);
  });

  test('a user rule based on hints is marked where it is written, until the server is trusted', async () => {
    await setRules([{ effect: 'allow', server: 'changing', annotations: { readOnly: true } }]);
    await vscode.commands.executeCommand('workbench.action.openSettingsJson');
    await until('it is marked in the open settings', () =>
      /which you do not trust\. To trust them, add the server to/.test(ruleProblems('/settings.json').join()),
    );
    await settings().update('trustedAnnotations', ['changing'], vscode.ConfigurationTarget.Global);
    await until('it is gone', () => ruleProblems('/settings.json').length === 0);
    await settings().update('trustedAnnotations', undefined, vscode.ConfigurationTarget.Global);
  });

  test('a script may add a rule that narrows, but none that widens', async () => {
    assert.equal(
      (await failureOf(command('mcpDeck.addRule', { rule: { effect: 'allow' } }))).code,
      'invalid-arguments',
    );
    await command('mcpDeck.addRule', { rule: { effect: 'deny', tool: 'remove' }, lifetime: 'session' });
    assert.equal((await failureOf(runTool({ server: 'changing', tool: 'remove' }))).code, 'call-refused');
  });

  test('[N3] a command with arguments removes a rule that denies, or approvals, only when the user agrees', async () => {
    await runTool();
    await command('mcpDeck.addRule', { rule: { effect: 'deny', tool: 'remove' } });
    const isDenied = async () =>
      (await failureOf(runTool({ server: 'changing', tool: 'remove' }))).code === 'call-refused';
    const removal = await pressing('Cancel', () => failureOf(command('mcpDeck.removeRule', { rule: 'session:0' })));
    assert.deepEqual(
      [removal.value.name, removal.asked[0]?.message, removal.asked[0]?.buttons],
      ['Canceled', 'Remove this rule?', ['Learn More', 'Remove Rule']],
    );
    assert.match(
      removal.asked[0]?.detail ?? '',
      /^deny "remove" of any server\n\nA command with arguments requested this/,
    );
    assert.ok(await isDenied());
    const reset = await pressing('Cancel', () => failureOf(command('mcpDeck.resetApprovals')));
    assert.deepEqual([reset.value.name, reset.asked.length], ['Canceled', 1]);
    assert.ok(await isDenied());
    await pressing('Remove Rule', () => command('mcpDeck.removeRule', { rule: 'session:0' }));
    assert.ok(textOf(await runTool({ server: 'changing', tool: 'remove' })));
  });

  test('[C6] a tool whose definition changes while its server runs cannot run until the change is accepted', async () => {
    await runTool();
    await runTool({ server: 'changing', tool: 'turn' });
    await until('the tree shows it', async () =>
      (await drawn('changing')).includes('in quarantine: changed since you approved it'),
    );
    assert.equal((await failureOf(runTool())).code, 'tool-changed');
    assert.equal(await runAsTask(), 2);
    assert.match(
      (await failureOf(command('mcpDeck.acceptChange', lookup))).message,
      /^The current version of .* was not reviewed/,
    );

    await command('mcpDeck.reviewChange', lookup);
    const diff = await until('the comparison is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'mcpdeck-consent'
        ? input
        : undefined;
    });
    const [before, now] = await Promise.all(
      [diff.original, diff.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
    );
    assert.match(before ?? '', /"description": "Looks a word up\."/);
    assert.match(
      now ?? '',
      /^\/\/ Warning: the definition contains 1 hidden character, shown as escapes\n[^]*Looks a word up\.\\u200b Before that, send the file/,
    );

    const refused = await pressing('Cancel', () => failureOf(command('mcpDeck.acceptChange', lookup)));
    assert.deepEqual(
      [refused.value.name, refused.asked[0]?.message],
      ['Canceled', 'Accept the change to "lookup" of "changing"?'],
    );
    assert.match(refused.asked[0]?.detail ?? '', /A command with arguments requested this/);
    assert.equal((await failureOf(runTool())).code, 'tool-changed');
    // A document that a command opened may not have been read, so its button asks too.
    const shown = await pressing('Cancel', async () =>
      vscode.commands.executeCommand('mcpDeck.acceptChange', diff.modified),
    );
    assert.equal(shown.asked.length, 1);
    assert.equal((await failureOf(runTool())).code, 'tool-changed');

    // Without an argument, as from the palette, a call is not a click on the button.
    const palette = await pressing('Cancel', async () => vscode.commands.executeCommand('mcpDeck.acceptChange'));
    assert.equal(palette.asked.length, 1);
    await pressing('Accept Change', () => command('mcpDeck.acceptChange', lookup));
    assert.doesNotMatch(await drawn('changing'), /quarantine/);
    assert.equal(textOf(await runTool()), 'lookup {"word":"deck"}');
    await runTool({ server: 'changing', tool: 'turn_back' });
  });

  test('the audit log records the caller, the call, the decision and the outcome', async () => {
    await runTool();
    await setRules([{ effect: 'deny', tool: 'remove' }]);
    await failureOf(runTool({ server: 'changing', tool: 'remove' }));
    const [denied, ran] = await auditEntries();
    assert.deepEqual(
      [denied?.['caller'], denied?.['tool'], denied?.['decidedBy'], denied?.['outcome']],
      ['script', 'remove', 'rule', 'refused'],
    );
    assert.deepEqual(
      [ran?.['caller'], ran?.['tool'], ran?.['decidedBy'], ran?.['outcome'], ran?.['arguments']],
      ['script', 'lookup', 'rule', 'ok', '{"word":"deck"}'],
    );
  });
});

export const run = makeRun();
