/** Requests of servers for responses of language models. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { pressing } from '../support/dialogs.js';
import { command, failureOf, until, untilState } from '../support/host.js';
import type { SamplingStandIn } from '../support/samplingPages.js';
import { samplingPages } from '../support/samplingPages.js';
import { outcome, replace, restores, runTool, whenAsked } from './askingServer.js';

/** Picks the item whose label ends with `label` in every list that opens. */
function pick(...labels: string[]): void {
  replace(vscode.window, 'showQuickPick', (async (items: readonly vscode.QuickPickItem[]) =>
    items.find((item) =>
      labels.some((label) => item.label.endsWith(label)),
    )) as unknown as typeof vscode.window.showQuickPick);
}
/** Operates the pages of sampling requests until the test ends. */
function usePages(): () => Promise<SamplingStandIn> {
  const opened = samplingPages();
  restores.push(() => opened.restore());
  let seen = 0;
  return async () => {
    const page = await until('the page of the request is open', () => opened.pages[seen]);
    seen++;
    await until('the request is shown', () => page.state);
    return page;
  };
}

suite('requests of servers for model responses', () => {
  beforeAll(() => command('mcpDeck.startServer', { server: 'asking' }).then(() => untilState('asking', 'running')));
  afterEach(() => restores.splice(0).forEach((restore) => restore()));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('sampling shows the request, then the answer, and sends the approved one', async () => {
    const nextPage = usePages();
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    const page = await nextPage();
    const { title, facts = [], cause, parts = [] } = page.state ?? {};
    assert.deepEqual(
      [title, ...facts, cause, ...parts.map(({ text }) => text)],
      [
        '"asking" requests a model response',
        'At most 50 tokens',
        'Temperature 0.1',
        'Preferred models: Two',
        'Requested while "ask_model" runs',
        'You name things in one word.',
        'Name this project.',
      ],
    );
    const models: string[] = [];
    replace(vscode.window, 'showQuickPick', ((items: readonly vscode.QuickPickItem[]) => {
      models.push(...items.map(({ label }) => label));
      return Promise.resolve(items[0]);
    }) as unknown as typeof vscode.window.showQuickPick);
    const removeAll = parts.map(({ index }) => ({ index, isRemoved: true as const }));
    assert.deepEqual(await page.ask(removeAll), {
      problem: 'All messages were removed. Restore at least one to send the request.',
    });
    assert.equal(models.length, 0);
    const log = path.join(await mkdtemp(path.join(tmpdir(), 'mcp-deck-')), 'model.log');
    process.env['MCP_DECK_MODEL_LOG'] = log;
    restores.push(() => delete process.env['MCP_DECK_MODEL_LOG']);
    await page.ask([{ index: 1, text: 'Name my boat.\u200b' }]);
    const { messages } = JSON.parse(await readFile(log, 'utf8')) as { messages: { content: { text: string }[] }[] };
    assert.deepEqual(
      messages.flatMap(({ content }) => content.map(({ text }) => text)),
      // [L2] The model gets a hidden character as the escape that the page shows.
      ['You name things in one word.', 'Name my boat.\\u{200b}'],
    );
    assert.deepEqual(models, ['Scripted Two', 'Scripted One']); // in the order of the server's hint
    assert.equal(page.answer?.heading, 'Answer from Scripted Two');
    assert.match(page.answer.parts[0]?.text ?? '', /The script has no turn/);
    assert.deepEqual(await page.sendModel([{ index: 0, text: ' ' }]), {
      problem: 'The answer is empty. Write an answer, or decline the request.',
    });
    void page.sendModel([{ index: 0, text: 'Boaty' }]);
    const { result } = await outcome(running);
    assert.deepEqual([result.model, result.content.text], ['scripted-2', 'Boaty']);
    await until('the tab is closed', () => page.isClosed);

    const again = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    const second = await nextPage();
    models.length = 0;
    replace(vscode.window, 'showQuickPick', ((items: readonly vscode.QuickPickItem[]) => {
      models.push(...items.map(({ label, description }) => `${label} ${description ?? ''}`));
      return Promise.resolve(items[1]);
    }) as unknown as typeof vscode.window.showQuickPick);
    await second.ask();
    assert.deepEqual(models, ['Scripted Two scripted, last used', 'Scripted One scripted']);
    void second.sendModel();
    assert.equal((await outcome(again)).result.model, 'scripted-1');
  });

  test('[C8] only the page of a request asks a model or answers', async () => {
    const nextPage = usePages();
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    const page = await nextPage();
    // A script can open the page, with any arguments, but it cannot answer.
    const forged = { role: 'assistant', model: 'human', content: { type: 'text', text: 'forged' } };
    const args = { request: page.state?.target.id, answer: forged, edits: [{ index: 0, text: 'forged' }], send: true };
    await command('mcpDeck.answerRequest', args);
    const ours = (await vscode.commands.getCommands(true)).filter((id) => /^mcpDeck\..*(sampling|answer)/i.test(id));
    assert.deepEqual(ours.sort(), ['mcpDeck.answerRequest', 'mcpDeck.setSamplingPolicy']);
    // The page cannot send an answer that no model gave.
    assert.deepEqual(await page.sendModel([{ index: 0, text: 'forged' }]), {});
    for (const empty of ['', ' \n']) assert.match((await page.sendOwn(empty)).problem ?? '', /^The answer is empty\./);
    assert.deepEqual(page.ended, { over: undefined, hasAnswer: false, isClosed: false });
    void page.sendOwn('Deck');
    const { result } = await outcome(running);
    assert.deepEqual([result.model, result.content.text], ['human', 'Deck']);
  });

  test('text on the page of a request survives its closed tab, and a request that ended says so', async () => {
    const nextPage = usePages();
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    const page = await nextPage();
    const draft = { parts: [{ index: 1, isRemoved: true as const }], own: 'Half an ans', at: 1 };
    page.channel.notify('keep', { draft });
    page.channel.notify('ready', {});
    await until('the draft is kept', () => page.state?.draft);
    assert.deepEqual(page.state?.draft, draft);
    await command('mcpDeck.declineRequest');
    assert.equal((await outcome(running)).error.code, -1);
    await until('the page says so', () => page.over === '"asking" no longer waits for this answer.');
    assert.equal(page.isClosed, false);
  });

  test('sampling can be declined and dismissed on its page, and refused permanently', async () => {
    const nextPage = usePages();
    for (const way of ['decline', 'cancel'] as const) {
      const running = runTool('ask_model');
      await whenAsked('mcpDeck.answerRequest');
      const page = await nextPage();
      page.channel.notify('leave', { way });
      assert.equal((await outcome(running)).error.code, -1);
      await until('the tab is closed', () => page.isClosed);
    }
    restores.splice(0).forEach((restore) => restore());
    pick('Never Allow');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
    assert.deepEqual((await outcome(runTool('ask_model'))).error.code, -1);
    pick('Allow Without Asking');
    const setPolicy = () => command('mcpDeck.setSamplingPolicy', { server: 'asking' });
    await pressing('Cancel', () => failureOf(setPolicy()));
    assert.deepEqual((await outcome(runTool('ask_model'))).error.code, -1);
    await pressing('Allow Without Asking', setPolicy);
    assert.match((await outcome(runTool('ask_model'))).result.content.text, /The script has no turn/);
    pick('Ask Each Time');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
  });

  test('[C8] answers are capped for this server, and "not now" applies for the whole session', async () => {
    const limits = (value: unknown) =>
      vscode.workspace.getConfiguration('mcpDeck').update('sampling', value, vscode.ConfigurationTarget.Global);
    const nextPage = usePages();
    await limits({ servers: { asking: { maxTokens: 5 } } });
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    assert.equal((await nextPage()).state?.facts[0], 'At most 5 tokens');
    await limits(undefined);
    await command('mcpDeck.dismissRequest', {});
    assert.equal((await outcome(running)).error.code, -1);
    assert.equal((await outcome(runTool('ask_model'))).error.code, -1); // no question was shown

    pick('Ask Each Time');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
    const again = runTool('ask_model');
    await whenAsked('mcpDeck.declineRequest');
    assert.equal((await outcome(again)).error.code, -1);
    await command('mcpDeck.showAuditLog');
    const log = await until('the audit log is open', () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'mcpdeck-consent')?.getText(),
    );
    assert.match(
      log,
      /refused +asking · requests a model response · your answer\n[^]*refused +asking · requests a model response · sampling policy · The user dismissed a request of this session[^]*canceled +asking · requests a model response · your answer/,
    );
    assert.doesNotMatch(log, /Name this project/);
  });
});
