import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceSubscriptions } from '../../../src/core/host/resourceSubscriptions.js';

test('[GW16] the subscriptions of a server are limited, and an ended one makes room', async () => {
  const subscriptions = new ResourceSubscriptions(() => undefined, { write: () => undefined } as never);
  const add = (n: number) => subscriptions.add(`x://${n}`, () => undefined);
  const held = await Promise.all(Array.from({ length: 5_000 }, (_, n) => add(n)));
  await assert.rejects(add(5_000), /At most 5000 resources/);
  await add(4_999);
  held[0]?.dispose();
  await add(5_000);
});
