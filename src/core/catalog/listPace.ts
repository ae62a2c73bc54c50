import type { Clock } from '../base/clock.js';

/** The delay of the first listing that a reported change causes, if that change may follow the former listing, ms. */
const minDelayMs = 300;
const maxDelayMs = 30_000;
/** Time after a listing, ms, during which a change notification is assumed to be caused by the listing itself. */
const echoMs = 1_000;

/**
 * The delays of the listings of one list. They increase for servers that report a change after each listing: a delay is
 * doubled each time another change follows a listing within `echoMs`.
 */
export class ListPace {
  private delayMs: number;
  private endedAt = -Infinity;

  /** @param usualMs the delay of a listing that follows no other one, ms. Several changes can cause one listing by then. */
  constructor(
    private readonly clock: Clock,
    private readonly usualMs: number,
  ) {
    this.delayMs = usualMs;
  }

  /** The delay of the next listing, ms. Called once for each listing, when its change is reported. */
  next(): number {
    const isEcho = this.clock.now() - this.endedAt < echoMs;
    this.delayMs = isEcho ? Math.min(Math.max(this.delayMs * 2, minDelayMs), maxDelayMs) : this.usualMs;
    return this.delayMs;
  }

  /** Notes the end of a listing. */
  ended(): void {
    this.endedAt = this.clock.now();
  }
}
