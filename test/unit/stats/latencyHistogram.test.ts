import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LatencyHistogram } from '../../../src/core/stats/latencyHistogram.js';

/** The exact percentile by the same rule: the smallest value that the share does not exceed. */
function exact(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(p * sorted.length)) - 1] ?? NaN;
}

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('a histogram of times', () => {
  test('has no percentile before the first', () => {
    assert.deepEqual([new LatencyHistogram().percentile(0.5), new LatencyHistogram().count], [undefined, 0]);
  });

  test('reports a single time exactly', () => {
    for (const ms of [0, 0.003, 0.5, 17, 86_400_000, 10 ** 12])
      assert.deepEqual([histogramOf([ms]).percentile(0.5), histogramOf([ms]).percentile(0.95)], [ms, ms]);
  });

  test('is at most 4.5 % off from a twentieth of a millisecond to days, for any values in any order', () => {
    const ms = fc.double({ min: 0.05, max: 5e8, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(ms, { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (values, p) => {
          const reported = histogramOf(values).percentile(p) ?? NaN;
          const truth = exact(values, p);
          assert.ok(Math.abs(reported - truth) <= truth * 0.045, `${reported} for ${truth}`);
        },
      ),
    );
  });

  test('never reports less than the smallest or more than the largest, and grows with the share', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e15, noNaN: true }), { minLength: 1, maxLength: 100 }),
        (values) => {
          const histogram = histogramOf(values);
          const reported = [0.01, 0.25, 0.5, 0.95, 1].map((p) => histogram.percentile(p) ?? NaN);
          assert.ok(reported.every((ms) => ms >= Math.min(...values) && ms <= Math.max(...values)));
          assert.deepEqual(
            reported,
            [...reported].sort((a, b) => a - b),
          );
        },
      ),
    );
  });

  test('ignores values that are not times', () => {
    const histogram = histogramOf([-1, NaN, Infinity, -Infinity]);
    assert.deepEqual([histogram.count, histogram.percentile(0.5)], [0, undefined]);
  });
});
