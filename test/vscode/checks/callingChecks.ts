import assert from 'node:assert/strict';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerInputs, answerModals, answerPicks } from '../support/dialogs.js';
import { command, folder, untilState } from '../support/host.js';
import type { ShownResults } from '../support/testResults.js';
import { TestResults } from '../support/testResults.js';
import { officialSuite } from './officialSuite.js';

const repo = process.env['MCP_DECK_REPO'] ?? '';
const results = new TestResults();

/** The checks that call tools of a server. Their parts are tests in the Test Explorer. */
suite('checks that call tools', () => {
  const server = 'fragile';
  const label = 'Generated arguments for "fragile"';
  const modules = path.join(folder().uri.fsPath, 'node_modules');
  let restore: (() => void)[] = [];

  beforeAll(async () => {
    const home = path.join(modules, '@modelcontextprotocol', 'conformance');
    await mkdir(home, { recursive: true });
    const manifest = { version: '9.9.9', type: 'module', bin: { conformance: 'run.js' } };
    await writeFile(path.join(home, 'package.json'), JSON.stringify(manifest));
    await copyFile(path.join(repo, 'test/fixtures/conformanceSuite.js'), path.join(home, 'run.js'));
    await command('mcpDeck.startServer', { server });
    await untilState(server, 'running');
  });
  afterAll(async () => {
    results.dispose();
    await command('mcpDeck.stopAllServers');
    await rm(modules, { recursive: true, force: true });
  });
  afterEach(() => {
    for (const one of restore) one();
    restore = [];
  });

  /** Runs the command as the user does: picks the server, the check, and the selected tools. */
  const check = (kind: string, button: string, typed?: string) => {
    const inputs = answerInputs(({ value }) => typed ?? value);
    const dialogs = answerModals(() => button);
    const picks = answerPicks((items) => {
      const one = items.find(({ label }) => label === server || label === kind);
      return one ?? (items.filter(({ picked }) => picked) as unknown as vscode.QuickPickItem);
    });
    restore.push(
      () => dialogs.restore(),
      () => picks.restore(),
      () => inputs.restore(),
    );
    return { asked: dialogs.asked, done: vscode.commands.executeCommand('mcpDeck.checkServer') };
  };

  test('the conformance suite runs after a question, and its scenarios are tests with links', async () => {
    const refused = check('Conformance Suite…', 'Cancel');
    await refused.done;
    assert.equal(refused.asked[0]?.message, 'Run the conformance suite against "fragile"?');
    assert.match(refused.asked[0].detail, /starts another instance of the server, .* Rules apply\./);
    assert.match(
      refused.asked[0].detail,
      /runs version 9\.9\.9 of the suite from the packages of this project:\s+node .*run\.js/,
    );
    const shown = await results.next(() => check('Conformance Suite…', 'Run Suite').done);
    assert.deepEqual(shown.states, {
      'Conformance of "fragile"/connects': 'passed',
      'Conformance of "fragile"/warns': 'passed',
      'Conformance of "fragile"/empty': 'skipped',
      'Conformance of "fragile"/breaks': 'failed',
      'Conformance of "fragile"/extra': 'skipped',
      'Conformance of "fragile"/silent': 'skipped',
    });
    const [failure] = shown.failures['Conformance of "fragile"/breaks'] ?? [];
    assert.match(failure?.text ?? '', /^wrong/);
    assert.doesNotMatch(failure?.text ?? '', /javascript|\u202e/);
    assert.match(shown.output, /✓ connects\r\n {2}https:\/\/example\.com\/spec#a/);
  });

  test('[FUZZ1] tools that only read are called with generated arguments, and are tests with their findings', async () => {
    const { asked, done } = check('Generated Arguments…', 'Call Tools');
    const shown = await results.next(() => done);
    assert.match(asked[0]?.detail ?? '', /called 50 times\. .*\n\nTools that only read: length, open, silent$/s);
    assert.deepEqual(shown.states, {
      [`${label}/length`]: 'failed',
      [`${label}/open`]: 'failed',
      [`${label}/silent`]: 'failed',
    });
    assert.match(
      shown.failures[`${label}/length`]?.[0]?.text ?? '',
      /output schema: .*\(fuzz-output\)\nArguments: \{/s,
    );
    assert.match(shown.failures[`${label}/open`]?.[0]?.text ?? '', /The server ended: .*\(fuzz-crash\)/);
    assert.match(shown.output, /Seed: \d+\r\n/);
    // The calls go to another instance.
    await untilState(server, 'running');
  });

  test('[FUZZ1] a seed repeats the arguments, and Check Again proposes the seed of the last run', async () => {
    const argumentsOf = ({ failures }: ShownResults) => failures[`${label}/length`]?.map(({ text }) => text);
    const first = await results.next(() => check('Generated Arguments…', 'Call Tools', '4711').done);
    assert.match(first.output, /^Seed: 4711\r\n/);
    const inputs = answerInputs(({ value }) => value);
    const dialogs = answerModals(() => 'Call Tools');
    restore.push(
      () => inputs.restore(),
      () => dialogs.restore(),
    );
    const again = await results.run('Check Again', [await results.item(label, 'length')]);
    assert.match(again.output, /^Seed: 4711\r\n/);
    assert.deepEqual(argumentsOf(again), argumentsOf(first));
    assert.deepEqual(Object.keys(again.states), [`${label}/length`]);
    const other = await results.next(() => check('Generated Arguments…', 'Call Tools', '4712').done);
    assert.notDeepEqual(argumentsOf(other), argumentsOf(first));
    for (const wrong of ['', '-1', '1.5', 'x', '2147483648'])
      assert.equal(await inputs.asked[0]?.validateInput?.(wrong), 'Enter a whole number from 0 to 2147483647.');
  });

  test('a canceled check ends, and the tools that were not called have no result', async () => {
    const original = vscode.window.withProgress;
    restore.push(() => void (vscode.window.withProgress = original));
    vscode.window.withProgress = (options, work) =>
      original(options, (progress) => {
        const source = new vscode.CancellationTokenSource();
        const report: typeof progress.report = (step) => {
          if (step.message === 'open') source.cancel();
          progress.report(step);
        };
        return work({ report }, source.token);
      });
    const shown = await results.next(() => check('Generated Arguments…', 'Call Tools').done);
    assert.deepEqual(Object.keys(shown.states), ['Generated arguments for "fragile"/length']);
  });
});

officialSuite(results);
