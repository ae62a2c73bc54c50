import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CallOutcome } from '../../../src/core/stats/callStats.js';
import { CallStats } from '../../../src/core/stats/callStats.js';
import { ServerStats } from '../../../src/core/stats/serverStats.js';

describe('calls are counted', () => {
  test('by outcome, for the server and for each tool', () => {
    const outcome = fc.constantFrom<CallOutcome>('ok', 'failed', 'cancelled');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__'), outcome)), (calls) => {
        const stats = new CallStats();
        for (const [tool, how] of calls) stats.record(tool, how, 1);
        const count = (how: CallOutcome, tool?: string) =>
          calls.filter((call) => call[1] === how && (tool === undefined || call[0] === tool)).length;
        const { ok, failed, cancelled } = stats.total;
        assert.deepEqual([ok, failed, cancelled], [count('ok'), count('failed'), count('cancelled')]);
        for (const line of stats.byTool)
          assert.deepEqual(
            [line.ok, line.failed, line.cancelled],
            [count('ok', line.tool), count('failed', line.tool), count('cancelled', line.tool)],
          );
        assert.deepEqual(
          stats.byTool.map(({ tool }) => tool),
          [...new Set(calls.map(([tool]) => tool))],
        );
      }),
    );
  });

  test('a canceled call does not count for times', () => {
    const stats = new CallStats();
    stats.record('slow', 'cancelled', 90_000);
    assert.deepEqual(stats.byTool, [{ tool: 'slow', ok: 0, failed: 0, cancelled: 1 }]);
    stats.record('slow', 'failed', 40);
    assert.deepEqual(stats.byTool, [{ tool: 'slow', ok: 0, failed: 1, cancelled: 1, p50Ms: 40, p95Ms: 40 }]);
  });

  test('in bounded memory: all in total, and only the first thousand names separately', () => {
    const stats = new CallStats();
    for (let i = 0; i < 5_000; i++) stats.record(`tool ${i}`, 'ok', 1);
    assert.deepEqual([stats.total.ok, stats.byTool.length], [5_000, 1_000]);
  });
});

describe('a server', () => {
  test('lists the tools of its open calls, oldest call first', () => {
    const stats = new ServerStats();
    for (const tool of ['a', 'b', 'a']) stats.beginCall(tool);
    stats.recordCall('a', 'ok', 1);
    assert.deepEqual(stats.figures.openCalls, ['b', 'a']);
    for (const tool of ['a', 'b', 'never begun']) stats.recordCall(tool, 'failed', 1);
    assert.deepEqual(stats.figures.openCalls, []);
  });

  test('that ends by itself has crashed; one that fails to start, or is stopped, has not', () => {
    const stats = new ServerStats();
    for (const kind of [
      'starting',
      'failed',
      'starting',
      'running',
      'stopping',
      'stopped',
      'starting',
      'running',
      'failed',
      'starting',
      'failed',
    ])
      stats.recordState(kind);
    assert.deepEqual([stats.figures.starts, stats.figures.crashes], [2, 1]);
  });

  test('keeps its last error with the failed operation', () => {
    const stats = new ServerStats();
    assert.equal(stats.figures.lastError, undefined);
    const error = new Error('second');
    stats.recordError(new Error('first'), 1);
    stats.recordError(error, 2, 'find');
    assert.deepEqual(stats.figures.lastError, { error, at: 2, what: 'find' });
  });
});
