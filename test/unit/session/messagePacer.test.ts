import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessagePacer } from '../../../src/core/session/messagePacer.js';
import { ManualClock } from '../../support/manualClock.js';

function make(perSecond: number) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const pacer = new MessagePacer(perSecond, clock, ({ text }) => sent.push(text));
  return { clock, sent, pacer };
}

test('a burst of one second is sent at once, the rest at the configured rate, in order', async () => {
  const { clock, sent, pacer } = make(2);
  for (const text of ['1', '2', '3', '4', '5']) pacer.send({ text });
  assert.deepEqual(sent, ['1', '2']);
  await clock.advance(500);
  assert.deepEqual(sent, ['1', '2', '3']);
  await clock.advance(1_000);
  assert.deepEqual(sent, ['1', '2', '3', '4', '5']);
});

test('a waiting message can be dropped, a sent one cannot', async () => {
  const { clock, sent, pacer } = make(1);
  pacer.send({ text: 'a', id: 1 });
  pacer.send({ text: 'b', id: 2 });
  assert.deepEqual([pacer.drop(1), pacer.drop(2)], [false, true]);
  await clock.advance(5_000);
  assert.deepEqual(sent, ['a']);
});

test('a rate below one per second still sends', async () => {
  const { clock, sent, pacer } = make(0.5);
  pacer.send({ text: 'a' });
  pacer.send({ text: 'b' });
  await clock.advance(2_100);
  assert.deepEqual(sent, ['a', 'b']);
});
