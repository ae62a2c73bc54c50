import assert from 'node:assert/strict';

/** The smaller size is raised until its work takes this many milliseconds: less says more of the machine than of the work. */
const measurableMs = 10;
/** What costs nothing even at this size is bounded by something else. */
const hugeSize = 4_000_000;
const factor = 16;
/** Linear work grows 16 times, quadratic work 256 times. */
const maxGrowth = 90;

/**
 * Asserts that the processor time of `work` grows linearly with `size`. It compares two sizes in this process, each at its
 * best of two: what others do on the machine does not count.
 */
export function assertLinear(work: (size: number) => void, size: number, what = ''): void {
  let small = size;
  while (best(work, small) < measurableMs) {
    if (small > hugeSize) return;
    small *= 2;
  }
  const growth = best(work, small * factor) / best(work, small);
  assert.ok(growth < maxGrowth, `${what} took ${growth.toFixed(0)} times as long for ${factor} times ${small}`);
}

function best(work: (size: number) => void, size: number): number {
  return Math.min(cost(work, size), cost(work, size));
}

/** Processor time in milliseconds. */
function cost(work: (size: number) => void, size: number): number {
  const before = process.cpuUsage();
  work(size);
  return process.cpuUsage(before).user / 1_000;
}
