import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceFilter } from '../../../src/core/trace/traceWindow.js';
import { noFilter, TraceWindow } from '../../../src/core/trace/traceWindow.js';
import { TraceLog } from '../../../src/core/trace/traceLog.js';

/** A window whose searches run on request of the test. */
function opened(log: TraceLog): { window: TraceWindow; run: () => number } {
  const work: (() => void)[] = [];
  const window = new TraceWindow(log, (one) => work.push(one));
  return {
    window,
    run: () => {
      let turns = 0;
      for (let one = work.shift(); one; one = work.shift()) {
        one();
        turns++;
      }
      return turns;
    },
  };
}

function add(
  log: TraceLog,
  method: string,
  extra: { isError?: boolean; direction?: 'sent' | 'received'; text?: string } = {},
): void {
  log.add({
    at: 0,
    direction: extra.direction ?? 'sent',
    kind: 'request',
    method,
    isError: extra.isError ?? false,
    text: extra.text ?? `{"method":"${method}"}`,
  });
}

function seqs(window: TraceWindow): number[] {
  return window.rows(0, 1_000_000).map(({ entry }) => entry.seq);
}

test('without a filter positions are the numbers of lines', () => {
  const log = new TraceLog({ maxEntries: 3 });
  const { window } = opened(log);
  for (const method of ['a', 'b', 'c', 'd']) add(log, method);
  assert.deepEqual({ first: window.first, end: window.end, seqs: seqs(window) }, { first: 1, end: 4, seqs: [1, 2, 3] });
});

test('each part of the filter hides lines', () => {
  const log = new TraceLog();
  add(log, 'tools/call', { text: 'Needle in a haystack' });
  add(log, 'ping', { isError: true });
  add(log, 'tools/list', { direction: 'received' });
  const { window, run } = opened(log);
  const found = (filter: Partial<TraceFilter>) => {
    window.setFilter({ ...noFilter, ...filter });
    run();
    return seqs(window);
  };
  assert.deepEqual(
    [
      found({ text: 'NEEDLE' }),
      found({ text: 'tools/' }),
      found({ method: 'ping' }),
      found({ errorsOnly: true }),
      found({ direction: 'received' }),
      found({ text: 'tools', direction: 'sent' }),
      found({ text: 'nothing' }),
      found({}),
    ],
    [[0], [0, 2], [1], [1], [2], [0], [], [0, 1, 2]],
  );
});

test('later lines are found too, and positions stay while old lines are dropped', () => {
  const log = new TraceLog({ maxEntries: 4 });
  const { window, run } = opened(log);
  window.setFilter({ ...noFilter, method: 'a' });
  for (const method of ['a', 'b', 'a', 'a', 'b', 'a']) {
    add(log, method);
    run();
  }
  assert.deepEqual(
    {
      first: window.first,
      end: window.end,
      rows: window.rows(0, 99).map(({ position, entry }) => [position, entry.seq]),
    },
    {
      first: 1,
      end: 4,
      rows: [
        [1, 2],
        [2, 3],
        [3, 5],
      ],
    },
  );
  assert.deepEqual([window.positionOf(3), window.positionOf(4), window.positionOf(0)], [2, undefined, undefined]);
});

test('a pause shows nothing new, with and without a filter', () => {
  const log = new TraceLog();
  const { window, run } = opened(log);
  add(log, 'a');
  window.pause(true);
  add(log, 'a');
  window.setFilter({ ...noFilter, method: 'a' });
  run();
  assert.deepEqual({ seqs: seqs(window), waiting: window.waiting }, { seqs: [0], waiting: 1 });
  window.pause(false);
  run();
  assert.deepEqual({ seqs: seqs(window), waiting: window.waiting }, { seqs: [0, 1], waiting: 0 });
});

test('while paused, the list is empty if the log has dropped all shown lines, and it continues afterwards', () => {
  const log = new TraceLog({ maxEntries: 2 });
  const { window } = opened(log);
  add(log, 'a');
  window.pause(true);
  for (let i = 0; i < 5; i++) add(log, 'b');
  assert.equal(window.end - window.first, 0);
  window.pause(false);
  assert.deepEqual(seqs(window), [4, 5]);
});

test('a search of 100,000 lines yields to other work, and no line is skipped', () => {
  const log = new TraceLog();
  for (let i = 0; i < 100_000; i++)
    add(log, i % 1_000 === 0 ? 'rare' : 'often', { text: `{"n":${i},"padding":"${'x'.repeat(200)}"}` });
  const { window, run } = opened(log);
  window.setFilter({ ...noFilter, text: 'rare' });
  assert.equal(window.isScanning, true);
  run();
  assert.deepEqual(
    { found: window.end - window.first, isScanning: window.isScanning },
    { found: 100, isScanning: false },
  );
});

test('clearing the log empties the window', () => {
  const log = new TraceLog();
  const { window, run } = opened(log);
  window.setFilter({ ...noFilter, method: 'a' });
  add(log, 'a');
  run();
  log.clear();
  assert.equal(window.end - window.first, 0);
  add(log, 'a');
  run();
  assert.deepEqual(seqs(window), [1]);
});
