import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from '../../../src/core/serving/tokenBucket.js';
import { ManualClock } from '../../support/manualClock.js';

test('a burst is admitted, then as many events a second as the rate', async () => {
  const clock = new ManualClock();
  const limit = new TokenBucket(clock, 2, 3);
  assert.deepEqual([limit.take(), limit.take(), limit.take()], [undefined, undefined, undefined]);
  assert.equal(limit.take(), 1, 'seconds to wait');
  await clock.advance(500);
  assert.equal(limit.take(), undefined);
  assert.equal(limit.take(), 1);
  await clock.advance(60_000);
  assert.deepEqual([limit.take(), limit.take(), limit.take(), limit.take()], [undefined, undefined, undefined, 1]);
});

test('the wait is stated in whole seconds, also for slow rates', () => {
  const limit = new TokenBucket(new ManualClock(), 0.1, 1);
  limit.take();
  assert.equal(limit.take(), 10);
});
