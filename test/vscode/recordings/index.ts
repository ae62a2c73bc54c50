import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, beforeAll, makeRun, suite, test } from '../runner.js';
import { answerModals, answerSaveDialog, answerWaiting, pressing, pressNotifications } from '../support/dialogs.js';
import { command, drawn, failureOf, findServer, serverIds, textOf, until, untilState } from '../support/host.js';

interface Saved {
  file: string;
  requests: number;
  skipped: number;
  redacted: string[];
}

interface Report {
  compared: number;
  skipped: number;
  differences: { request: string; params: object; paths: string[] }[];
}

const server = 'chatter';
const say = (name: string, text: string, more: object = {}) =>
  command('mcpDeck.runTool', { server: name, tool: 'say', arguments: { text, ...more } });

suite('recordings of servers', () => {
  let folder = '';
  let file = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'deck-recordings-'));
    file = path.join(folder, 'chatter.mcprecording.jsonl');
  });
  afterAll(async () => {
    await command('mcpDeck.stopAllServers');
    for (const id of await serverIds()) if (id.endsWith('mock')) await command('mcpDeck.removeServer', { server: id });
    await rm(folder, { recursive: true });
  });

  test('[S2] a recording begins with the start, is shown in the tree, and is written without secrets', async () => {
    await command('mcpDeck.recordServer', { server });
    await untilState(server, 'running');
    await until('the tree shows the recording', async () => /recording · stdio/.test(await drawn(server)));
    const twice = await failureOf(command('mcpDeck.recordServer', { server }));
    assert.match(twice.message, /"chatter" is already being recorded/);
    await say(server, 'once more');
    await say(server, 'quietly', { password: 'hunter2hunter2' });
    const refused = await pressing('Cancel', () => failureOf(command('mcpDeck.stopRecording', { server, file })));
    assert.equal(refused.asked[0]?.message, 'Write the file "chatter.mcprecording.jsonl"?');
    const { value } = await pressing('Write File', () => command<Saved>('mcpDeck.stopRecording', { server, file }));
    assert.deepEqual(
      { ...value, redacted: value.redacted.length },
      { file, requests: 3, skipped: 0, redacted: 1 },
      JSON.stringify(value),
    );
    assert.match(value.redacted[0] ?? '', /tools\/call "say": \/params\/arguments\/password/);
    const written = await readFile(file, 'utf8');
    assert.ok(written.includes('once more') && !written.includes('hunter2'), written);
    await until('the tree shows no recording', async () => !/recording/.test(await drawn(server)));
  });

  test('a recording without a chosen file continues, and Stop Recording finds the only recorded server', async () => {
    await command('mcpDeck.recordServer', { server });
    const notices = pressNotifications('showInformationMessage', () => undefined);
    let chosen: vscode.Uri | undefined;
    const saving = answerSaveDialog(() => chosen);
    try {
      await vscode.commands.executeCommand('mcpDeck.stopRecording');
      assert.match(await drawn(server), /recording/);
      chosen = vscode.Uri.file(path.join(folder, 'second.mcprecording.jsonl'));
      await vscode.commands.executeCommand('mcpDeck.stopRecording');
      assert.equal(path.basename(saving.asked[0]?.defaultUri?.path ?? ''), 'chatter.mcprecording.jsonl');
      assert.match(
        notices.messages.join('\n'),
        /was not saved\. It continues\.[^]*Requests recorded for "chatter": 1\./,
      );
    } finally {
      saving.restore();
      notices.restore();
    }
    assert.match(await readFile(chosen.fsPath, 'utf8'), /"tools\/list"/);
  });

  for (const [label, options, revision] of [
    ['the recorded version', [], '2025-11-25'],
    ['the other version', ['MCP 2026-07-28', 'Strict'], '2026-07-28'],
  ] as const)
    test(`a mock in ${label} of the protocol starts after the question, and gives the recorded answers`, async () => {
      const before = await serverIds();
      const picks = answerMany(options);
      const modals = answerModals(() => 'Start Server');
      try {
        await vscode.commands.executeCommand('mcpDeck.startMock', vscode.Uri.file(file));
      } finally {
        picks.restore();
        modals.restore();
      }
      const id = (await serverIds()).find((one) => !before.includes(one)) ?? '';
      assert.match(id, /^chatter-mock(?:-2)?$/);
      assert.equal(modals.asked[0]?.message, `Start the mock server "${id}"?`);
      assert.ok(modals.asked[0].detail.includes(file), modals.asked[0].detail);
      await untilState(id, 'running');
      assert.match(await drawn(id), /mock · 5 tools/);
      assert.equal((await findServer(id))?.protocolVersion, revision);
      // A mock is no server of the user, so rules that allow calls do not apply to it.
      const [known] = await Promise.all([say(id, 'once more'), answerWaiting('Allow Once')]);
      assert.equal(textOf(known), 'You said: once more');
      const [unknown] = await Promise.all([failureOf(say(id, 'never said')), answerWaiting('Allow Once')]);
      assert.match(
        unknown.message,
        /no answer to tools\/call "say" with .*never said.*The nearest recorded request is/,
      );
    });

  test('a program cannot start a mock, and a recording with a secret is refused with its place', async () => {
    const { value, asked } = await pressing('Start Server', () =>
      failureOf(command('mcpDeck.startMock', { file, latency: true })),
    );
    assert.deepEqual([asked.length, value.name !== ''], [0, true]);
    const hostile = path.join(folder, 'hostile.mcprecording.jsonl');
    const [head] = (await readFile(file, 'utf8')).split('\n');
    const call = { at: 0, request: 'tools/call', params: { name: 'a', arguments: { password: 'hunter2' } }, ms: 1 };
    await writeFile(hostile, `${head}\n${JSON.stringify({ ...call, result: { content: [] } })}\n`);
    const ids = await serverIds();
    const error = await failureOf(command('mcpDeck.startMock', { file: hostile }));
    assert.match(error.message, /line 2: the recording contains a secret at \/params\/arguments\/password/);
    assert.deepEqual(await serverIds(), ids);
  });

  test('a comparison asks before it calls tools, and finds no difference', async () => {
    const refused = await pressing('Cancel', () => failureOf(command('mcpDeck.compareRecording', { server, file })));
    assert.match(refused.asked[0]?.detail ?? '', /say \(2\)/);
    const { value } = await pressing('Send Requests', () =>
      command<Report>('mcpDeck.compareRecording', { server, file }),
    );
    assert.deepEqual(value, { compared: 2, skipped: 1, differences: [] });
  });

  test('[C35] a question that leaves out tools has no button that sends requests before all tools are open', async () => {
    const many = path.join(folder, 'many.mcprecording.jsonl');
    const [head] = (await readFile(file, 'utf8')).split('\n');
    const calls = Array.from({ length: 25 }, (_, at) =>
      JSON.stringify({
        at: 0,
        request: 'tools/call',
        params: { name: `tool_${at + 10}` },
        ms: 1,
        result: { content: [] },
      }),
    );
    await writeFile(many, [head, ...calls].join('\n'));
    for (const [inNotification, isSent] of [
      ['Cancel', false],
      ['Send Requests', true],
    ] as const) {
      const texts: string[] = [];
      const dialogs = answerModals(
        () => 'Show All',
        () => {
          for (const { document } of vscode.window.visibleTextEditors) texts.push(document.getText());
          return inNotification;
        },
      );
      const sent = await command<Report>('mcpDeck.compareRecording', { server, file: many }).catch(() => undefined);
      dialogs.restore();
      assert.equal(sent?.compared, isSent ? 25 : undefined);
      assert.deepEqual(
        dialogs.asked.map(({ detail, buttons }) => [/tool_34/.test(detail), buttons]),
        [[false, ['Learn More', 'Show All']]],
      );
      assert.ok(texts.some((text) => /tool_10 [^]*tool_34 /.test(text)));
    }
  });

  test('answers that differ are shown in a diff editor', async () => {
    await writeFile(file, (await readFile(file, 'utf8')).replace('You said: once more', 'You said: once less'));
    const { value } = await pressing('Send Requests', () =>
      command<Report>('mcpDeck.compareRecording', { server, file }),
    );
    assert.deepEqual(
      value.differences.map(({ request, paths }) => ({ request, paths })),
      [{ request: 'tools/call', paths: ['/result/content/0/text'] }],
    );
    const picks = answerOne(server);
    try {
      await pressing('Send Requests', async () =>
        vscode.commands.executeCommand('mcpDeck.compareRecording', vscode.Uri.file(file)),
      );
    } finally {
      picks.restore();
    }
    const input = await until('the diff editor is open', () => {
      const shown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return shown instanceof vscode.TabInputTextDiff ? shown : undefined;
    });
    const [left, right] = await Promise.all(
      [input.original, input.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
    );
    assert.match(left ?? '', /once less/);
    assert.match(right ?? '', /You said: once more/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});

/** Selects the lines with these labels in every list with several choices. */
function answerMany(labels: readonly string[]): { restore(): void } {
  return replacePicks((items) => items.filter(({ label }) => labels.includes(label)));
}

function answerOne(label: string): { restore(): void } {
  return replacePicks((items) => items.find((item) => item.label === label));
}

function replacePicks(choose: (items: readonly vscode.QuickPickItem[]) => unknown): { restore(): void } {
  const original = vscode.window.showQuickPick;
  const replacement = async (items: readonly vscode.QuickPickItem[]) => choose(items);
  vscode.window.showQuickPick = replacement as unknown as typeof original;
  return { restore: () => void (vscode.window.showQuickPick = original) };
}

export const run = makeRun();
