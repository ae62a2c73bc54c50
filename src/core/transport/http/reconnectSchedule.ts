/**
 * The delays for reopening a broken event stream (specification 2025-11-25, transports, "Resumability": the server's
 * `retry` is respected; security requirement E3: `retry` can cause neither a flood of requests nor an endless wait).
 */
import { Backoff } from '../../base/backoff.js';

/** Limits of the delay that the server requests, ms. */
const minRetryMs = 100;
const maxRetryMs = 300_000;
/** Minimum duration of a successful stream, ms. */
const goodUptimeMs = 10_000;
/**
 * Minimum duration of a successful stream with an event ID, ms. The server closed such a stream on purpose, so that the
 * client polls.
 */
const pollUptimeMs = 1_000;
/** Number of consecutive failures after which the stream is given up. */
const maxFailures = 8;
/**
 * Maximum number of delays under one second that a server may request before it must keep a stream open for a while.
 */
const maxQuickWaits = 5;
const quickMs = 1_000;

/** The outcome of one stream. */
export interface StreamOutcome {
  /** Time between the response and the end, ms; 0 if the stream never opened. */
  uptimeMs: number;
  /** Whether a message arrived. */
  hadMessage: boolean;
  /** Whether an event ID arrived. If so, the server closed the stream on purpose and continues it later (polling). */
  hadId: boolean;
}

export class ReconnectSchedule {
  private readonly backoff: Backoff;
  private failures = 0;
  private quickWaits = 0;
  private hint: number | undefined;

  constructor(random?: () => number) {
    this.backoff = new Backoff(random === undefined ? {} : { random });
  }

  /** Stores the server's reconnection time. */
  suggest(ms: number): void {
    this.hint = Math.min(Math.max(ms, minRetryMs), maxRetryMs);
  }

  /** The delay before the next attempt, ms; undefined to give up. */
  next(outcome: StreamOutcome): number | undefined {
    const wasGood = outcome.hadMessage || outcome.uptimeMs >= (outcome.hadId ? pollUptimeMs : goodUptimeMs);
    if (outcome.uptimeMs >= goodUptimeMs) this.quickWaits = 0;
    if (wasGood) this.backoff.reset();
    this.failures = wasGood || outcome.hadId ? 0 : this.failures + 1;
    if (this.failures >= maxFailures) return undefined;
    const isFirst = this.backoff.attempts === 0;
    const growing = this.backoff.nextMs();
    // The server chooses the first delay. After failures, the growing delay applies if it is longer.
    const wait = this.hint === undefined ? growing : isFirst ? this.hint : Math.max(this.hint, growing);
    if (wait >= quickMs) return wait;
    return ++this.quickWaits > maxQuickWaits ? quickMs : wait;
  }
}
