/**
 * When a broken event stream is opened again (specification 2025-11-25, transports, "Resumability": the server's `retry`
 * is respected; security requirement E3: it cannot make us hammer or wait for ever).
 */
import { Backoff } from '../../base/backoff.js';

/** Limits of the server's own wish. */
const minRetryMs = 100;
const maxRetryMs = 300_000;
/** A stream that lived this long was a good one. */
const goodUptimeMs = 10_000;
/** A stream with an event id that lived this long was ended on purpose: the server polls. */
const pollUptimeMs = 1_000;
/** Failures in a row after which it is given up. */
const maxFailures = 8;
/** Waits under a second that a server may ask for before it has to keep a stream open for a while. */
const maxQuickWaits = 5;
const quickMs = 1_000;

/** What one opening of the stream amounted to. */
export interface StreamOutcome {
  /** Milliseconds between the response and the end; 0 when it never opened. */
  uptimeMs: number;
  /** A message arrived. */
  hadMessage: boolean;
  /** An event id arrived: the server closed on purpose and means to go on (polling). */
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

  /** The server named a reconnection time. */
  suggest(ms: number): void {
    this.hint = Math.min(Math.max(ms, minRetryMs), maxRetryMs);
  }

  /** How long to wait before the next try; undefined to give up. */
  next(outcome: StreamOutcome): number | undefined {
    const wasGood = outcome.hadMessage || outcome.uptimeMs >= (outcome.hadId ? pollUptimeMs : goodUptimeMs);
    if (outcome.uptimeMs >= goodUptimeMs) this.quickWaits = 0;
    if (wasGood) this.backoff.reset();
    this.failures = wasGood || outcome.hadId ? 0 : this.failures + 1;
    if (this.failures >= maxFailures) return undefined;
    const isFirst = this.backoff.attempts === 0;
    const growing = this.backoff.nextMs();
    // The first wait is the server's to choose; when reconnecting leads to nothing, ours grows past it.
    const wait = this.hint === undefined ? growing : isFirst ? this.hint : Math.max(this.hint, growing);
    if (wait >= quickMs) return wait;
    return ++this.quickWaits > maxQuickWaits ? quickMs : wait;
  }
}
