/** Buckets per doubling of the time. */
const perDoubling = 8;
/** Everything up to this is one bucket, milliseconds. */
const smallestMs = 0.05;
/** Up to smallestMs · 2^(bucketCount / perDoubling): about six days. */
const bucketCount = 272;

/**
 * How long many calls took, in memory that does not grow: counts in buckets whose bounds grow by a factor of 2^(1/8). A
 * percentile is the middle of its bucket, so it is at most 4.5 % off the true one, and never outside of what was measured.
 * Recording is one logarithm and one addition.
 */
export class LatencyHistogram {
  /** Made with the first call: most tools are never called. */
  private counts: Uint32Array | undefined;
  private total = 0;
  private min = Infinity;
  private max = 0;

  get count(): number {
    return this.total;
  }

  /** @param ms from zero on; what is no number is not counted. */
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
   * The time that the share `p` (above 0, up to 1) of all calls did not exceed, milliseconds; undefined before the
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
