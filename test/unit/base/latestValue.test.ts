import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatestValue } from '../../../src/core/base/latestValue.js';
import { ManualClock } from '../../support/manualClock.js';

function make(pauseMs: (told: number) => number) {
  const clock = new ManualClock();
  const seen: number[] = [];
  return { clock, seen, latest: new LatestValue<number>(clock, pauseMs, (value) => seen.push(value)) };
}

test('the first value is passed on at once, then the latest after each pause', async () => {
  const { clock, seen, latest } = make((told) => (told === 0 ? 0 : 100));
  for (const value of [1, 2, 3]) latest.tell(value);
  assert.deepEqual(seen, [1]);
  await clock.advance(100);
  assert.deepEqual(seen, [1, 3]);
  await clock.advance(99);
  latest.tell(4);
  assert.deepEqual(seen, [1, 3]);
  await clock.advance(1);
  assert.deepEqual(seen, [1, 3, 4]);
});

test('a value after the pause is passed on at once', async () => {
  const { clock, seen, latest } = make((told) => (told === 0 ? 0 : 100));
  latest.tell(1);
  await clock.advance(1_000);
  latest.tell(2);
  assert.deepEqual(seen, [1, 2]);
});

test('the first value can be delayed, and pauses can grow', async () => {
  const { clock, seen, latest } = make((told) => (told + 1) * 100);
  latest.tell(1);
  await clock.advance(99);
  latest.tell(2);
  await clock.advance(1);
  assert.deepEqual(seen, [2]);
  latest.tell(3);
  await clock.advance(199);
  assert.deepEqual(seen, [2]);
  await clock.advance(1);
  assert.deepEqual(seen, [2, 3]);
});

test('no value is passed on after the end', async () => {
  const { clock, seen, latest } = make(() => 100);
  latest.tell(1);
  latest.dispose();
  await clock.advance(1_000);
  assert.deepEqual([seen, clock.pending], [[], 0]);
});
