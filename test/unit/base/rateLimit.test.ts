import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../../src/core/base/rateLimit.js';
import { ManualClock } from '../../support/manualClock.js';

test('[X1] values over the limit are counted and reported with the next interval', async () => {
  const clock = new ManualClock();
  const limit = new RateLimit(clock, 3, 1_000);
  const seen: string[] = [];
  const write = (line: string) =>
    limit.run(
      () => seen.push(line),
      (dropped) => seen.push(`${dropped} dropped`),
    );
  for (const line of ['a', 'b', 'c', 'd', 'e']) write(line);
  await clock.advance(1_001);
  write('f');
  assert.deepEqual(seen, ['a', 'b', 'c', '2 dropped', 'f']);
});
