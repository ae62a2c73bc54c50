import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChangeWatch } from '../../../src/core/connection/changeWatch.js';
import { ManualClock } from '../../support/manualClock.js';

/** A watch for a server that restarts in `restartMs`; `touch` simulates a change event. */
function watched({
  restartMs = 0,
  staysDown = false,
  onRestart = () => undefined,
}: { restartMs?: number; staysDown?: boolean; onRestart?: (touch: (file: string) => void) => void } = {}) {
  const clock = new ManualClock();
  const lines: string[] = [];
  let restarts = 0;
  let listener: ((file: string) => void) | undefined;
  const touch = (file: string) => listener?.(file);
  const watch: ChangeWatch = new ChangeWatch({
    watch: (_patterns, onDidChange) => {
      listener = onDidChange;
      return { dispose: () => (listener = undefined) };
    },
    restart: async () => {
      restarts++;
      watch.update(['src/**'], false);
      onRestart(touch);
      if (restartMs > 0) await new Promise<void>((resolve) => clock.after(restartMs, resolve));
      if (!staysDown) watch.update(['src/**'], true);
    },
    write: (level, line) => lines.push(`${level} ${line}`),
    onDidChange: () => undefined,
    clock,
  });
  return { watch, clock, lines, touch, isWatching: () => listener !== undefined, restarts: () => restarts };
}

describe('a server whose files are watched', () => {
  test('is restarted once after they stop changing, with the reason in its log', async () => {
    const { watch, clock, lines, touch, restarts } = watched();
    watch.update(['src/**'], true);
    for (const file of ['src/a.ts', 'src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']) {
      touch(file);
      await clock.advance(400);
    }
    assert.equal(restarts(), 0);
    await clock.advance(100);
    assert.equal(restarts(), 1);
    assert.deepEqual(lines, [
      'info Watching src/**: a change restarts the server.',
      'info Restarting, because src/a.ts, src/b.ts, src/c.ts and more changed.',
    ]);
    await clock.advance(60_000);
    assert.equal(restarts(), 1);
  });

  test('is not restarted while it is stopped, or after a stop', async () => {
    const { watch, clock, touch, restarts, isWatching } = watched();
    watch.update(['src/**'], false);
    assert.equal(isWatching(), false);
    watch.update(['src/**'], true);
    touch('src/a.ts');
    watch.update(['src/**'], false);
    await clock.advance(60_000);
    assert.deepEqual([restarts(), isWatching(), watch.patterns], [0, false, []]);
  });

  test('is not watched without patterns, and by the new ones when they change', () => {
    const { watch, isWatching } = watched();
    watch.update([], true);
    assert.equal(isWatching(), false);
    watch.update(['src/**'], true);
    watch.update(['lib/**'], true);
    assert.deepEqual(watch.patterns, ['lib/**']);
    watch.update([], true);
    assert.deepEqual([watch.patterns, isWatching()], [[], false]);
  });

  test('is restarted again for changes during its restart', async () => {
    let isFirst = true;
    const onRestart = (touch: (file: string) => void) => {
      if (isFirst) touch('src/late.ts');
      isFirst = false;
    };
    const { watch, clock, touch, restarts, lines } = watched({ restartMs: 3_000, onRestart });
    watch.update(['src/**'], true);
    touch('src/a.ts');
    await clock.advance(60_000);
    assert.equal(restarts(), 2);
    assert.match(lines.at(-1) ?? '', /src\/late\.ts/);
  });

  test('that changes its own files at every start is no longer restarted, and watched again after a stop', async () => {
    const { watch, clock, touch, restarts, lines, isWatching } = watched({
      restartMs: 100,
      onRestart: (changed) => changed('src/generated.ts'),
    });
    watch.update(['src/**'], true);
    touch('src/a.ts');
    await clock.advance(30_000);
    // The pauses grow.
    assert.ok(restarts() < 12, String(restarts()));
    await clock.advance(600_000);
    assert.deepEqual([restarts(), isWatching()], [20, false]);
    assert.match(lines.at(-1) ?? '', /^warn src\/generated\.ts changed right after each of 20 restarts.*"!logs/);
    watch.update(['src/**'], true);
    assert.equal(isWatching(), false);
    watch.update(['src/**'], false);
    watch.update(['src/**'], true);
    assert.equal(isWatching(), true);
  });

  test('that does not start again, because it was stopped or needs trust, is not watched any more', async () => {
    const { watch, clock, touch, restarts, isWatching } = watched({ restartMs: 1_000, staysDown: true });
    watch.update(['src/**'], true);
    touch('src/a.ts');
    await clock.advance(600);
    assert.deepEqual([restarts(), isWatching()], [1, true]);
    await clock.advance(1_000);
    assert.equal(isWatching(), false);
  });
});
