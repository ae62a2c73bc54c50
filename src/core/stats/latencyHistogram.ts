/** Buckets per doubling of the duration. */
const perDoubling = 8;
/** Durations up to this value, in milliseconds, share one bucket. */
const smallestMs = 0.05;
/**
 * The number of buckets. They cover durations up to smallestMs · 2^(bucketCount / perDoubling), which is about ten
 * days.
 */
const bucketCount = 272;

/**
 * The distribution of durations in constant memory: counts in buckets whose bounds grow by a factor of 2^(1/8). A
 * percentile is the middle of its bucket, so it differs from the exact value by at most 4.5%. It is never outside the
 * measured range. Recording costs one logarithm and one addition.
 */
export class LatencyHistogram {
  /** Created with the first call, because most tools are never called. */
  private counts: Uint32Array | undefined;
  private total = 0;
  private min = Infinity;
  private max = 0;

  get count(): number {
    return this.total;
  }

  /** Counts a duration. @param ms zero or more; NaN and infinity are ignored. */
  record(ms: number): void {
    if (!(ms >= 0) || ms === Infinity) return;
    this.counts ??= new Uint32Array(bucketCount);
    const index = ms <= smallestMs ? 0 : Math.min(bucketCount - 1, Math.ceil(Math.log2(ms / smallestMs) * perDoubling));
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.total++;
    if (ms < this.min) this.min = ms;
    if (ms > this.max) this.max = ms;
  }

  /**
   * The duration that a share `p` (above 0, up to 1) of all calls did not exceed, in milliseconds; undefined before the
   * first call.
   */
  percentile(p: number): number | undefined {
    if (!this.counts) return undefined;
    let left = Math.max(1, Math.ceil(p * this.total));
    for (let index = 0; index < bucketCount; index++) {
      left -= this.counts[index] ?? 0;
      if (left > 0) continue;
      const middle = index === 0 ? smallestMs / 2 : smallestMs * 2 ** ((index - 0.5) / perDoubling);
      return Math.min(this.max, Math.max(this.min, middle));
    }
    return this.max;
  }
}
