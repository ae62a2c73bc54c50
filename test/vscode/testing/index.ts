import assert from 'node:assert/strict';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import { breakAt, DebugStops, goOn, valueOf } from '../support/debugStops.js';
import { answerModals, answerPicks, answerSaveDialog, pressing } from '../support/dialogs.js';
import { command, drawn, failureOf, folder, stateOf, until, WorkspaceFile } from '../support/host.js';
import { TestResults } from '../support/testResults.js';
import './commandLine.js';

const repo = process.env['MCP_DECK_REPO'] ?? '';
const results = new TestResults();

suite('tests of servers in the Test Explorer', () => {
  const file = new WorkspaceFile('counter.mcptest.yaml');
  const own = new WorkspaceFile('own.mcptest.yaml');
  const many = new WorkspaceFile('many.mcptest.yaml');
  const decided = new WorkspaceFile('decided.mcptest.yaml');
  const earlier = new WorkspaceFile('earlier.mcptest.yaml');
  const watched = new WorkspaceFile('watched.mcptest.yaml');

  beforeAll(async () => {
    await copyFile(path.join(repo, 'test/fixtures/servers/counter.mjs'), path.join(folder().uri.fsPath, 'counter.mjs'));
    await copyFile(
      path.join(repo, 'test/fixtures/servers/readMessages.mjs'),
      path.join(folder().uri.fsPath, 'readMessages.mjs'),
    );
  });
  afterAll(async () => {
    results.dispose();
    await command('mcpDeck.stopAllServers');
    for (const one of [file, own, many, decided, earlier, watched]) await one.restore();
    for (const name of [
      'counter.mjs',
      'readMessages.mjs',
      'counter.snap.json',
      'saved.mcptest.yaml',
      'run.trace.jsonl',
    ])
      await rm(path.join(folder().uri.fsPath, name), { force: true });
  });
  afterEach(() => vscode.debug.removeBreakpoints(vscode.debug.breakpoints));

  test('a new file is listed with the line of each case, and one item for each era', async () => {
    await file.write(`server: counter
protocol: [legacy, 2026-07-28]
tests:
  - name: adds
    tags: [quick]
    call: add
    arguments: { a: 2, b: 3 }
    expect:
      text: { contains: "5" }
      structured: { sum: 6 }
  - { name: greets, get: greet, arguments: { who: Ada }, expect: { text: { contains: Ada } } }
`);
    const item = await results.item('counter.mcptest.yaml');
    assert.deepEqual(
      [...item.children].map(([id, { range, tags, children }]) => ({
        id,
        lines: [range?.start.line, range?.end.line],
        tags: tags.map((tag) => tag.id),
        eras: [...children].map(([era]) => era),
      })),
      [
        { id: 'adds', lines: [3, 9], tags: ['mcp-deck-test', 'counter', 'quick'], eras: ['legacy', '2026-07-28'] },
        { id: 'greets', lines: [10, 11], tags: ['mcp-deck-test', 'counter'], eras: ['legacy', '2026-07-28'] },
      ],
    );
  });

  test('nothing runs if the user does not agree, and the question names the server and its tools', async () => {
    const { value, asked } = await pressing('Cancel', async () =>
      results.run('Run', [await results.item('counter.mcptest.yaml')]),
    );
    assert.match(asked[0]?.detail ?? '', /counter\.mcptest\.yaml\nServer: counter\nTools: add/);
    assert.deepEqual(Object.values(value.states), ['errored', 'errored', 'errored', 'errored']);
  });

  test('a failure is at the line of its expectation, with the difference; the question is asked once', async () => {
    const dialogs = answerModals(() => 'Run Tests');
    const item = await results.item('counter.mcptest.yaml');
    const { states, failures, output } = await results.run('Run', [item]);
    await results.run('Run', [await results.item('counter.mcptest.yaml', 'greets', 'legacy')]);
    dialogs.restore();
    assert.equal(dialogs.asked.length, 1);
    assert.deepEqual(states, {
      'counter.mcptest.yaml/adds/legacy': 'failed',
      'counter.mcptest.yaml/greets/legacy': 'passed',
      'counter.mcptest.yaml/adds/2026-07-28': 'failed',
      'counter.mcptest.yaml/greets/2026-07-28': 'passed',
    });
    assert.deepEqual(failures['counter.mcptest.yaml/adds/legacy'], [
      {
        text: 'structured: The values differ.',
        line: 10,
        expected: '{\n  "sum": 6\n}',
        actual: '{\n  "sum": 5\n}',
        context: undefined,
      },
    ]);
    assert.match(output, /✗ adds \(legacy\)/);
  });

  test('a file with a mistake has no cases, and states the line', async () => {
    await file.write('server: counter\ntests:\n  - { cal: add }\n');
    const item = await until('the mistake is shown', async () => {
      const found = await results.item('counter.mcptest.yaml');
      return found.error === undefined ? undefined : found;
    });
    assert.match(
      typeof item.error === 'string' ? item.error : '',
      /Line 3: The key "cal" is not known here\. Did you mean "call"\?/,
    );
    assert.equal(item.children.size, 0);
    const { states } = await results.run('Run', [item]);
    assert.deepEqual(states, { 'counter.mcptest.yaml': 'errored' });

    await writeFile(file.path, Buffer.from([...Buffer.from('server: counter # '), 0xfc, 0x0a]));
    await until('the encoding is reported', async () => {
      const { error } = await results.item('counter.mcptest.yaml');
      return typeof error === 'string' && error.includes('is not valid UTF-8. Save the file');
    });
  });

  test('[C32] a question that leaves out tools has no button that runs the tests before the whole text is open', async () => {
    const calls = Array.from({ length: 45 }, (_, index) => `  - { name: "${index}", call: tool_${index + 10} }\n`);
    await many.write(`server: counter\ntests:\n${calls.join('')}`);
    const item = await results.item('many.mcptest.yaml');
    const texts = () => vscode.window.visibleTextEditors.map(({ document }) => document);
    for (const [inDialog, inNotification, expected] of [
      ['Cancel', undefined, 'errored'],
      ['Show All', 'Cancel', 'errored'],
      ['Show All', 'Run Tests', 'failed'],
    ] as const) {
      const below: { buttons: string[]; text: vscode.TextDocument | undefined }[] = [];
      const dialogs = answerModals(
        () => inDialog,
        ({ buttons }) => {
          below.push({ buttons, text: texts().find((document) => document.getText().includes('tool_54')) });
          return inNotification;
        },
      );
      const { states } = await results.run('Run', [item]);
      dialogs.restore();
      assert.deepEqual(new Set(Object.values(states)), new Set([expected]));
      assert.deepEqual(
        dialogs.asked.map(({ detail, buttons }) => [/tool_54/.test(detail), buttons]),
        [[false, ['Learn More', 'Show All']]],
      );
      assert.deepEqual(
        below.map(({ buttons }) => buttons),
        // The first button is the one that a program can press.
        inNotification === undefined ? [] : [['Cancel', 'Run Tests']],
      );
      for (const { text } of below) assert.match(text?.getText() ?? '', /tool_10\b[^]*tool_54/);
      assert.deepEqual(
        below.map(({ text }) => text?.uri.scheme),
        below.map(() => 'mcpdeck-question'),
      );
    }
  });

  test('a server that the file defines starts only after its start was approved', async () => {
    await own.write(`server: { command: node, args: [counter.mjs] }
tests:
  - { name: adds, call: add, arguments: { a: 1, b: 2 }, expect: { structured: { sum: 3 } } }
`);
    const item = await results.item('own.mcptest.yaml');
    const refused = await pressing('Run Tests', () => results.run('Run', [item]));
    assert.deepEqual(
      refused.asked.map(({ buttons }) => buttons.includes('Run Tests')),
      [true, false],
    );
    assert.deepEqual(refused.value.states, { 'own.mcptest.yaml/adds': 'failed' });
    const allowed = await pressing('Start Server', () => results.run('Run', [item]));
    assert.deepEqual(allowed.value.states, { 'own.mcptest.yaml/adds': 'passed' });
    // The approval is kept.
    assert.deepEqual((await results.run('Run', [item])).states, { 'own.mcptest.yaml/adds': 'passed' });
  });

  test('a breakpoint in the server is hit, without a time limit of the test', async () => {
    const stops = new DebugStops();
    try {
      const source = path.join(folder().uri.fsPath, 'counter.mjs');
      const line = await breakAt(source, 'return text(`The sum is');
      const running = results.run('Debug', [await results.item('own.mcptest.yaml')]);
      const stop = await stops.next();
      assert.equal(stop.frame.line, line);
      assert.equal(await valueOf(stop, 'a * 10 + b'), '12');
      await goOn(stop);
      assert.deepEqual((await running).states, { 'own.mcptest.yaml/adds': 'passed' });
      await stops.noSession();
    } finally {
      stops.dispose();
    }
  });

  test('Run with Trace runs the same tests, and the Trace view then has their messages', async () => {
    const { states } = await results.run('Run with Trace', [await results.item('own.mcptest.yaml')]);
    assert.deepEqual(states, { 'own.mcptest.yaml/adds': 'passed' });
    // Without an argument, the command exports the trace that the view shows.
    const target = vscode.Uri.joinPath(folder().uri, 'run.trace.jsonl');
    const saving = answerSaveDialog(() => target);
    await vscode.commands.executeCommand('mcpDeck.exportTrace');
    saving.restore();
    const lines = (await readFile(target.fsPath, 'utf8')).trim().split('\n');
    const calls = lines.filter((line) => line.includes('"tools/call"') && line.includes('"add"'));
    assert.equal(calls.length, 1, lines.join('\n'));
    assert.ok(
      lines.some((line) => line.includes('"sum":3')),
      lines.join('\n'),
    );
  });

  test('a continuous run runs a file again when it is saved, until it is canceled', async () => {
    const stop = new vscode.CancellationTokenSource();
    const text = await readFile(own.path, 'utf8');
    await results.watch([await results.item('own.mcptest.yaml')], stop.token);
    const { states } = await results.next(() => own.write(text.replace('sum: 3', 'sum: 4')));
    stop.cancel();
    stop.dispose();
    assert.deepEqual(states, { 'own.mcptest.yaml/adds': 'failed' });
  });

  test('a continuous run runs a file again when a file of "dev.watch" of its server changes', async () => {
    await watched.write(`server: { command: node, args: [counter.mjs], dev: { watch: ["*.mjs"] } }
tests:
  - { name: adds, call: add, arguments: { a: 1, b: 2 }, expect: { structured: { sum: 3 } } }
`);
    const source = path.join(folder().uri.fsPath, 'counter.mjs');
    const text = await readFile(source, 'utf8');
    const dialogs = answerModals(({ buttons }) =>
      ['Run Tests', 'Start Server'].find((button) => buttons.includes(button)),
    );
    const stop = new vscode.CancellationTokenSource();
    try {
      const item = await results.item('watched.mcptest.yaml');
      assert.deepEqual((await results.run('Run', [item])).states, { 'watched.mcptest.yaml/adds': 'passed' });
      await results.watch([item], stop.token);
      const { states } = await results.next(() => writeFile(source, text.replace('sum: a + b', 'sum: a - b')));
      assert.deepEqual(states, { 'watched.mcptest.yaml/adds': 'failed' });
    } finally {
      stop.cancel();
      stop.dispose();
      dialogs.restore();
      await writeFile(source, text);
    }
  });

  test('a snapshot is missing at first, and Update Snapshot stores it', async () => {
    await file.write(
      'server: counter\ntests:\n  - { name: guide, read: "counter://guide", expect: { snapshot: true } }\n',
    );
    const item = await until('the case is listed', () => results.item('counter.mcptest.yaml', 'guide'));
    const dialogs = answerModals(() => 'Run Tests');
    const first = await results.run('Run', [item]);
    dialogs.restore();
    assert.equal(first.failures['counter.mcptest.yaml/guide']?.[0]?.context, 'mcpDeck.snapshot');
    const failed = await results.item('counter.mcptest.yaml', 'guide');
    const { states } = await results.next(() => command('mcpDeck.updateSnapshot', { test: failed }));
    assert.deepEqual(states, { 'counter.mcptest.yaml/guide': 'passed' });
    const stored = await readFile(path.join(folder().uri.fsPath, 'counter.snap.json'), 'utf8');
    assert.match(stored, /Count up\./);
    assert.equal((await failureOf(command('mcpDeck.updateSnapshot', { test: { id: 'guide' } }))).name, 'Error');
  });

  test('Save as Test writes a run as a case that passes', async () => {
    await command('mcpDeck.runTool', { server: 'counter', tool: 'add', arguments: { a: 20, b: 22 }, show: true });
    const uri = vscode.Uri.joinPath(folder().uri, 'saved.mcptest.yaml');
    const picks = answerPicks((items) => items.find(({ label }) => label.includes('New File')) ?? items[0]);
    const saving = answerSaveDialog(() => uri);
    await vscode.commands.executeCommand('mcpDeck.saveAsTest');
    picks.restore();
    saving.restore();
    assert.equal(
      await readFile(uri.fsPath, 'utf8'),
      `server: counter
tests:
  - name: add
    call: add
    arguments:
      a: 20
      b: 22
    expect:
      structured:
        sum: 42
`,
    );
    const { value } = await pressing('Run Tests', async () =>
      results.run('Run', [await results.item('saved.mcptest.yaml')]),
    );
    assert.deepEqual(value.states, { 'saved.mcptest.yaml/add': 'passed' });
  });

  test('Save as Test adds an earlier run of the history to a file that exists', async () => {
    const before = 'server: counter\ntests:\n  - { name: guide, read: "counter://guide" }\n';
    await earlier.write(before);
    for (const a of [7, 8])
      await command('mcpDeck.runTool', { server: 'counter', tool: 'add', arguments: { a, b: 0 }, show: true });
    const lists: string[][] = [];
    const picks = answerPicks((items) => {
      lists.push(items.map(({ label, detail = '' }) => `${label} ${detail}`));
      return items.find(({ label, detail = '' }) => /\b7\b/.test(detail) || label === 'earlier.mcptest.yaml');
    });
    await vscode.commands.executeCommand('mcpDeck.saveAsTest');
    picks.restore();
    const text = await readFile(earlier.path, 'utf8');
    assert.ok(text.startsWith(before), `${text}\n${JSON.stringify(lists)}`);
    assert.match(
      text.slice(before.length),
      /call: add\n {4}arguments:\n {6}a: 7\n {6}b: 0\n[^]*sum: 7\n$/,
      JSON.stringify(lists),
    );
    const { value } = await pressing('Run Tests', async () =>
      results.run('Run', [await results.item('earlier.mcptest.yaml')]),
    );
    assert.deepEqual(Object.values(value.states), ['passed', 'passed']);
  });

  test('an open file has problems at their place, and suggestions of the running server', async () => {
    const uri = vscode.Uri.joinPath(folder().uri, 'saved.mcptest.yaml');
    await until('the server runs', async () => (await stateOf('counter')) === 'running');
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document);
    const call = document.getText().indexOf('call: add') + 'call: '.length;
    const place = document.positionAt(call);
    await editor.edit((edit) => edit.replace(new vscode.Range(place, place.translate(0, 3)), 'ad'));
    const problem = await until('the problem is shown', () => vscode.languages.getDiagnostics(uri)[0]);
    assert.deepEqual(
      [problem.message, problem.range.start.line, document.getText(problem.range)],
      ['"ad" is not known in this window. Did you mean "add"?', 3, 'ad'],
    );
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      place,
    );
    assert.ok(items.some(({ label, kind }) => label === 'add' && kind === vscode.CompletionItemKind.Method));
    await editor.edit((edit) => edit.replace(new vscode.Range(place, place.translate(0, 2)), 'add'));
    await until('no problem is left', () => vscode.languages.getDiagnostics(uri).length === 0);
    await document.save();
  });

  test('[C34] tests do not call tools in quarantine or disabled tools, and do not start a disabled server', async () => {
    const lookup = { server: 'changing', tool: 'lookup' };
    const call = (tool: string) => command('mcpDeck.runTool', { server: 'changing', tool, arguments: { word: 'a' } });
    await call('lookup');
    await call('turn');
    await until('the tool is in quarantine', async () => (await drawn('changing')).includes('in quarantine'));
    await command('mcpDeck.reviewChange', lookup);
    await until('the comparison is open', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'mcpdeck-consent';
    });
    await pressing('Accept Change', () => command('mcpDeck.acceptChange', lookup));
    // The server of the tests is a new instance with the earlier definition, which is no longer the approved one.
    await decided.write(`server: changing
tests:
  - { name: changed, call: lookup, arguments: { word: a } }
  - { name: removes, call: remove }
`);
    const runAll = async () => results.run('Run', [await results.item('decided.mcptest.yaml')]);
    const texts = ({ failures }: Awaited<ReturnType<typeof runAll>>) =>
      ['changed', 'removes'].map((name) => failures[`decided.mcptest.yaml/${name}`]?.[0]?.text ?? '');
    const first = (await pressing('Run Tests', runAll)).value;
    assert.match(texts(first)[0] ?? '', /"lookup" differs from the tool that you approved\. .* review the change/);
    assert.equal(first.states['decided.mcptest.yaml/removes'], 'passed');
    await command('mcpDeck.disableTool', { server: 'changing', tool: 'remove' });
    assert.match(texts(await runAll())[1] ?? '', /"remove" of the server "changing" is off: you disabled it\. Enable/);
    await command('mcpDeck.disableServer', { server: 'changing' });
    for (const text of texts(await runAll())) assert.match(text, /"changing" is disabled\. Enable the server first/);
  });
});

export const run = makeRun();
