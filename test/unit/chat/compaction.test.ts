import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compacted, leftOutNote } from '../../../src/core/chat/compaction.js';
import type { Conversation, PastTurn, Round } from '../../../src/core/chat/conversation.js';
import { messagesOf, omittedInput, readRounds, storedRounds } from '../../../src/core/chat/conversation.js';

const counted: string[] = [];
const model = {
  countTokens: (text: string) => {
    counted.push(text);
    return Promise.resolve(Math.ceil(text.length / 4));
  },
};
const round = (id: string, result: string, input: unknown = {}): Round => ({
  text: `round ${id}`,
  calls: [{ id, name: 'srv_read', input, result: [{ kind: 'text', text: result }] }],
});
const turn = (name: string, result: string): PastTurn => ({
  request: `question ${name}`,
  rounds: [round(name, result), { text: `answer ${name}`, calls: [] }],
});
const conversation = (past: readonly PastTurn[], rounds: readonly Round[] = []): Conversation => ({
  instructions: 'Be good.',
  past,
  request: [{ kind: 'text', text: 'the request' }],
  rounds,
});
const textOf = (one: Conversation) => JSON.stringify(messagesOf(one));
const long = (character: string) => character.repeat(20_000);

test('a conversation that fits is unchanged, and a short one is not even counted', async () => {
  counted.length = 0;
  const short = conversation([turn('a', 'short')]);
  assert.equal(await compacted(short, 10_000, model), short);
  assert.deepEqual(counted, []);
  const fitting = conversation([turn('a', long('a'))]);
  assert.deepEqual(await compacted(fitting, 6_000, model), fitting);
  assert.ok(counted.length > 0);
});

test('the results of the earliest messages are shortened first', async () => {
  const all = conversation([turn('a', long('a')), turn('b', long('b'))], [round('c', long('c'))]);
  const text = textOf(await compacted(all, 11_000, model));
  assert.match(text, /a{400}\\n\[Shortened/);
  assert.doesNotMatch(text, /a{401}/);
  assert.match(text, /b{20000}/);
  assert.match(text, /c{20000}/);
});

test('the results of earlier rounds are shortened before an earlier message is left out', async () => {
  const all = conversation([turn('a', 'short')], [round('b', long('b')), round('c', long('c'))]);
  const text = textOf(await compacted(all, 6_000, model));
  assert.match(text, /question a/);
  assert.doesNotMatch(text, /b{401}/);
  assert.match(text, /c{20000}/);
});

test('the earliest messages are left out with a note, and the last result is cut only if that is not enough', async () => {
  const past = Array.from({ length: 30 }, (_, index) => turn(String(index), 'x'.repeat(400)));
  const all = conversation(past, [round('c', long('c'))]);
  const small = await compacted(all, 2_000, model);
  const text = textOf(small);
  assert.ok(text.includes(leftOutNote));
  assert.doesNotMatch(text, /question 0/);
  assert.match(text, /the request/);
  assert.match(text, /c{400,19000}\\n\[Shortened/);
  assert.ok(text.length / 4 < 2_200, String(text.length / 4)); // The JSON of the messages adds some 10 %.
});

test('long arguments are shortened with their result, and every call keeps its result', async () => {
  const all = conversation([], [round('a', long('a'), { text: long('i') }), round('b', 'end')]);
  const small = await compacted(all, 1_000, model);
  assert.deepEqual(small.rounds[0]?.calls[0]?.input, omittedInput);
  const parts = messagesOf(small).flatMap((message) => message.parts);
  const ids = (kind: string) => parts.flatMap((part) => (part.kind === kind && 'id' in part ? [part.id] : []));
  assert.deepEqual(ids('call'), ids('result'));
});

test('a model that cannot count gets an estimate', async () => {
  const broken = { countTokens: () => Promise.reject(new Error('no tokenizer')) };
  const text = textOf(await compacted(conversation([turn('a', long('a'))]), 3_000, broken));
  assert.match(text, /Shortened/);
});

test('a stored answer is bounded, has no images, and is read as it was', () => {
  const image = { kind: 'image' as const, bytes: new Uint8Array(100), mimeType: 'image/png' };
  const calls = Array.from({ length: 40 }, (_, index) => ({
    id: String(index),
    name: 'srv_read',
    input: index === 0 ? { text: long('i') } : { index },
    result: [{ kind: 'text' as const, text: long('r') }, image],
  }));
  const stored = storedRounds([
    { text: 'I look.', calls },
    { text: 'The answer.', calls: [] },
  ]);
  const text = JSON.stringify(stored);
  assert.ok(text.length < 75_000, String(text.length));
  assert.match(text, /The answer/);
  assert.deepEqual(readRounds(JSON.parse(text)), stored);
  assert.deepEqual(stored[0]?.calls[0]?.input, omittedInput);
});

test('a stored answer that another program changed is not read', () => {
  for (const wrong of [
    undefined,
    {},
    [1],
    [{ text: 1, calls: [] }],
    [{ text: '', calls: [{ id: 1 }] }],
    [{ text: '' }],
  ])
    assert.equal(readRounds(wrong), undefined);
});
