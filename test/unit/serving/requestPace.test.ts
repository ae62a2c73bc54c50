import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestPace } from '../../../src/core/serving/requestPace.js';

/** Lets 100 requests begin at once, each with this work. Returns the number that began in each turn. */
async function turnsOf(work: () => void): Promise<number[]> {
  const pace = new RequestPace();
  const begun: number[] = [];
  const order: number[] = [];
  let turn = 0;
  let timer = setImmediate(function count() {
    turn++;
    timer = setImmediate(count);
  });
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await pace.turn();
      work();
      order.push(index);
      begun[turn] = (begun[turn] ?? 0) + 1;
    }),
  );
  clearImmediate(timer);
  assert.deepEqual(
    order,
    order.map((_, index) => index),
  );
  return begun.filter((count) => count > 0);
}

test('[GW16] a burst of requests is spread over turns of the event loop, in the order of arrival', async () => {
  const counts = await turnsOf(() => undefined);
  assert.ok(Math.max(...counts) <= 16, counts.join());
});

test('[GW16] after a long turn, the next turns begin fewer requests', async () => {
  const counts = await turnsOf(() => {
    for (const end = performance.now() + 9; performance.now() < end;);
  });
  assert.equal(counts.at(-2), 1, counts.join());
});
