import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadCache } from '../../../src/core/session/readCache.js';
import { ManualClock } from '../../support/manualClock.js';

const read = (length: number) => ({ contents: [{ uri: 'x://a', text: 'a'.repeat(length) }] });

test('[caching] a result is kept for its time', async () => {
  const clock = new ManualClock();
  const cache = new ReadCache(clock);
  cache.set('x://a', read(1), 1_000);
  assert.deepEqual(cache.get('x://a'), read(1));
  await clock.advance(1_000);
  assert.equal(cache.get('x://a'), undefined);
});

test('[F4] the memory of kept results is limited: large ones are not kept, and the oldest ones are removed first', () => {
  const cache = new ReadCache(new ManualClock());
  cache.set('large', read(2 << 20), 1_000);
  assert.equal(cache.get('large'), undefined);
  const uri = `x://${'u'.repeat(2 << 20)}`;
  cache.set(uri, read(1), 1_000);
  assert.equal(cache.get(uri), undefined, 'the URI counts too');
  for (let n = 0; n < 60; n++) cache.set(`x://${n}`, read(500_000), 1_000);
  const kept = Array.from({ length: 60 }, (_, n) => n).filter((n) => cache.get(`x://${n}`));
  assert.ok(kept.length > 2 && kept.length <= 17, `${kept.length} results of 0.5 MB are kept`);
  assert.equal(kept.at(-1), 59);
  for (let n = 0; n < 100; n++) cache.set(`y://${n}`, read(1), 1_000);
  assert.deepEqual([cache.get('y://35'), cache.get('y://36')], [undefined, read(1)]);
});
