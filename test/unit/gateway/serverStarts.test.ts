import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { nullLog } from '../../../src/core/base/log.js';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import { ServerStarts } from '../../../src/core/gateway/serverStarts.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { serverView } from '../../support/serverViews.js';

/** A host whose servers start when the test says so, and the starts in their order. */
function open(names: readonly string[]) {
  const views = new Map<string, ServerView>(names.map((name) => [name, serverView(name)]));
  const begun: string[] = [];
  const ends = new Map(names.map((name) => [name, new Deferred<void>()]));
  const clock = new ManualClock();
  const starts = new ServerStarts({
    host: {
      servers: { list: () => [...views.values()], get: (id: string) => views.get(id) } as never,
      lifecycle: {
        start: (id: string) => {
          begun.push(id);
          return ends.get(id)?.promise;
        },
      } as never,
    },
    log: nullLog,
    mayAsk: false,
    restarts: false,
    clock,
  });
  return { starts, clock, begun, end: (name: string) => ends.get(name)?.resolve() };
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

test('[GW18] at most four servers start at the same time, and the next one starts when one has started', async () => {
  const { starts, begun, end } = open(names);
  const all = starts.startServers();
  await settle();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  end('c');
  await settle();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e']);
  for (const name of names) end(name);
  await all;
  assert.deepEqual(begun, names);
});

test('[GW18] a start that takes long does not keep the others waiting', async () => {
  const { starts, clock, begun, end } = open(names);
  const all = starts.startServers();
  await settle();
  assert.equal(begun.length, 4);
  await clock.advance(2_000);
  assert.deepEqual(begun, names);
  for (const name of names) end(name);
  await all;
});

test('[GW18] the first list waits for starting servers for a limited time', async () => {
  const { starts, clock } = open(names);
  let isOver = false;
  const inTime = starts.startInTime().then(() => (isOver = true));
  await clock.advance(2_999);
  assert.equal(isOver, false);
  await clock.advance(1);
  assert.equal(isOver, true);
  await inTime;
});

test('[GW18] requests for unknown items wait only while servers are starting, and for a limited time', async () => {
  const { starts, clock, end } = open(['a', 'b']);
  assert.equal(starts.whenStarted(), undefined);
  const all = starts.startServers();
  let waits = 2;
  void starts.whenStarted()?.then(() => waits--);
  await clock.advance(14_999);
  assert.equal(waits, 2);
  await clock.advance(1);
  assert.equal(waits, 1);
  void starts.whenStarted()?.then(() => waits--);
  end('a');
  end('b');
  await all;
  await settle();
  assert.equal(waits, 0);
  assert.equal(starts.whenStarted(), undefined);
});
