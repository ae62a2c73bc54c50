/** Reads recordings that are damaged, hostile, or of a later version. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { readRecording, writeRecording } from '../../../../src/core/testing/recording/recordingFile.js';
import type { Recording } from '../../../../src/core/testing/recording/recordingModel.js';
import { folderWith } from '../../../support/cliProcess.js';
import { recordedHead } from '../../../support/recordedHead.js';

const head = recordedHead({ tools: {} });
const call = {
  at: 0,
  request: 'tools/call',
  params: { arguments: { a: 1 }, name: 'add' },
  ms: 1,
  result: { content: [] },
};

function read(t: TestContext, ...lines: unknown[]): Promise<Recording> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return readRecording(path.join(folderWith(t, { 'a.mcprecording.jsonl': text }), 'a.mcprecording.jsonl'));
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const badFiles: [string, unknown[], RegExp][] = [
  ['an empty file', [''], /"a\.mcprecording\.jsonl" is empty/],
  ['text that is not JSON', [head, call, '{"at": '], /line 3: the line is not JSON/],
  ['a line that is no object', [head, [1]], /line 2: the line must be a JSON object/],
  ['another format', [{ ...head, format: 'har' }], /line 1: the file is not a recording/],
  [
    'a newer version',
    [{ ...head, version: 2 }],
    /line 1: the recording has version 2.*reads version 1.*Update MCP Deck/,
  ],
  ['a version that does not exist', [{ ...head, version: 0 }], /"version" must be 1/],
  ['an unknown era', [{ ...head, era: 'future' }], /"era" must be one of: "legacy", "modern"/],
  [
    'an unknown field',
    [head, { ...call, reslt: {} }],
    /line 2: the field "reslt" is not known\. Did you mean "result"\?/,
  ],
  ['a missing field', [head, { ...call, params: undefined }], /the field "params" is missing/],
  ['a wrong type', [head, { ...call, ms: 'long' }], /"ms" must be a number/],
  ['a request without an answer', [head, { ...call, result: undefined }], /needs either "result" or "error"/],
  [
    'an unknown question',
    [head, { ...call, during: [{ at: 0, ask: 'files/list', params: {}, round: 1 }] }],
    /"ask" must be/,
  ],
  [
    'very many values',
    [head, call, `{"at":0,"request":"x","params":{"a":[${'{"1023":1},'.repeat(40_000)}0]},"ms":0,"result":{}}`],
    /line 3: the file has too many values/,
  ],
  [
    'deep nesting',
    [head, `{"at":0,"request":"x","params":{"a":${nested(300)}},"ms":0,"result":{}}`],
    /more than 200 levels/,
  ],
  [
    'very deep nesting',
    [head, `{"at":0,"request":"x","params":{"a":${nested(200_000)}},"ms":0,"result":{}}`],
    /more than 200 levels/,
  ],
  [
    'a secret by its name',
    [head, { ...call, params: { name: 'login', arguments: { password: 'hunter2' } } }],
    /line 2: the recording contains a secret at \/params\/arguments\/password/,
  ],
  [
    'a token in a text',
    [head, { ...call, result: { content: [{ type: 'text', text: 'Authorization: Bearer abcdef0123456789' }] } }],
    /a secret at \/result\/content\/0\/text/,
  ],
];
for (const [what, lines, message] of badFiles) {
  test(`a recording with ${what} is refused at its line`, async (t) => {
    await assert.rejects(read(t, ...lines), { name: 'UserError', message });
  });
}

test('a recording that is a folder, missing, or too large is refused', async (t) => {
  const folder = folderWith(t, {});
  await assert.rejects(readRecording(folder), { name: 'UserError', message: /is not a file/ });
  await assert.rejects(readRecording(path.join(folder, 'missing')), { code: 'storage-failed' });
  const file = path.join(folder, 'large');
  writeFileSync(file, Buffer.alloc(65 * 1024 * 1024, 32));
  await assert.rejects(readRecording(file), { code: 'storage-failed' });
});

test('a recording that was written is read unchanged, and secrets in it became dots', async (t) => {
  const file = path.join(folderWith(t, {}), 'a.mcprecording.jsonl');
  const secret = { ...call, params: { arguments: { apiKey: 'abcdefgh' }, name: 'login' } };
  await writeRecording(file, { head, lines: [call, secret] });
  const { lines, ...rest } = await readRecording(file);
  assert.deepEqual(rest, { head });
  assert.deepEqual(lines, [
    call,
    { ...secret, params: { arguments: { apiKey: '•••' }, name: 'login' }, redacted: ['/params/arguments/apiKey'] },
  ]);
});
