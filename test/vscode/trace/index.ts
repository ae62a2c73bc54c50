import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, makeRun, suite, test } from '../runner.js';
import { pressing } from '../support/dialogs.js';
import { command, failureOf } from '../support/host.js';

suite('trace', () => {
  const server = 'chatter';
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'deck-trace-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('without captured messages the export reports it and writes no file', async () => {
    const file = path.join(folder, 'none.jsonl');
    const error = await failureOf(command('mcpDeck.exportTrace', { server, file }));
    assert.match(error.message, /No messages of "chatter" were captured/);
    await assert.rejects(readFile(file));
  });

  test('[S2] captured messages are written line by line, without secrets, and can be opened', async () => {
    await command('mcpDeck.startTrace', { server });
    await command('mcpDeck.runTool', {
      server,
      tool: 'say',
      arguments: { text: 'once more', password: 'hunter2hunter2' },
    });
    const file = path.join(folder, 'trace.jsonl');
    await pressing('Write File', () => command('mcpDeck.exportTrace', { server, file }));
    const written = await readFile(file, 'utf8');
    for (const text of ['"method":"initialize"', '"method":"tools/call"', 'once more'])
      assert.ok(written.includes(text), written);
    assert.ok(!written.includes('hunter2'));
    for (const line of written.trim().split('\n')) JSON.parse(line);
    const kept = await pressing('Cancel', () => failureOf(command('mcpDeck.exportTrace', { server, file })));
    assert.deepEqual([kept.value.name, kept.asked[0]?.message], ['Canceled', 'Replace the file "trace.jsonl"?']);
    await pressing('Replace', () => command('mcpDeck.exportTrace', { server, file }));
    await command('mcpDeck.openTrace', { file });
  });

  test('a damaged trace still opens', async () => {
    const file = path.join(folder, 'damaged.jsonl');
    await writeFile(
      file,
      `{"jsonrpc":"2.0","id":1,"method":"ping"}\n\u0000 rubbish\n{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc`,
    );
    await command('mcpDeck.openTrace', { file });
  });

  test('a file without a trace is reported as such', async () => {
    const file = path.join(folder, 'other.jsonl');
    await writeFile(file, '\u0000 no trace\n');
    const error = await failureOf(command('mcpDeck.openTrace', { file }));
    assert.match(error.message, /other\.jsonl|trace/);
  });
});

export const run = makeRun();
