import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamOutcome } from '../../../../src/core/transport/http/reconnectSchedule.js';
import { ReconnectSchedule } from '../../../../src/core/transport/http/reconnectSchedule.js';

const flap: StreamOutcome = { uptimeMs: 5, hadMessage: false, hadId: false };
const good: StreamOutcome = { uptimeMs: 60_000, hadMessage: true, hadId: true };
const waits = (schedule: ReconnectSchedule, outcomes: StreamOutcome[]) =>
  outcomes.map((outcome) => schedule.next(outcome));
const schedule = () => new ReconnectSchedule(() => 1);

describe('[E3] reconnecting', () => {
  test('waits longer after each failure, and ends', () => {
    assert.deepEqual(waits(schedule(), Array<StreamOutcome>(8).fill(flap)), [
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      30_000,
      30_000,
      undefined,
    ]);
  });

  test('randomizes its waits', () => {
    assert.equal(new ReconnectSchedule(() => 0).next(flap), 500);
  });

  test('starts over only after a message or ten seconds', () => {
    const failures = Array<StreamOutcome>(5).fill(flap);
    for (const outcome of [
      { ...flap, hadMessage: true },
      { ...flap, uptimeMs: 10_000 },
    ])
      assert.equal(waits(schedule(), [...failures, outcome]).at(-1), 1_000);
    assert.equal(waits(schedule(), [...failures, { ...flap, uptimeMs: 9_999 }]).at(-1), 30_000);
  });

  test('lets the server choose the first wait, within limits', () => {
    for (const [asked, given] of [
      [500, 500],
      [0, 100],
      [1e300, 300_000],
      [Infinity, 300_000],
    ] as const) {
      const asking = schedule();
      asking.suggest(asked);
      assert.equal(asking.next(good), given);
    }
  });

  test('does not let the server cause fast flapping', () => {
    const asking = schedule();
    asking.suggest(100);
    assert.deepEqual(waits(asking, Array<StreamOutcome>(4).fill(flap)), [100, 2_000, 4_000, 8_000]);
    const quick = schedule();
    quick.suggest(100);
    const hasty = { ...flap, hadMessage: true };
    assert.deepEqual(waits(quick, Array<StreamOutcome>(7).fill(hasty)), [100, 100, 100, 100, 100, 1_000, 1_000]);
    assert.equal(quick.next(good), 100, 'earned back');
  });

  test('continues forever with a server that uses polling', () => {
    const polling = schedule();
    polling.suggest(2_000);
    const poll: StreamOutcome = { uptimeMs: 5_000, hadMessage: false, hadId: true };
    assert.deepEqual(waits(polling, Array<StreamOutcome>(20).fill(poll)), Array<number>(20).fill(2_000));
    const hectic = { ...poll, uptimeMs: 5 };
    assert.ok(
      waits(schedule(), Array<StreamOutcome>(20).fill(hectic))
        .slice(6)
        .every((wait) => wait === 30_000),
    );
  });
});
