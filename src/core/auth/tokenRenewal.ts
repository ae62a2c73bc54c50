import type { Clock } from '../base/clock.js';

/** Pause after a failed renewal, ms. Without the pause, each call would send a request to an issuer that is down. */
const pauseMs = 5_000;

/** Limits the renewal of tokens: one renewal at a time, and a pause after a failure. */
export class TokenRenewal {
  private running: Promise<void> | undefined;
  private pause: { error: Error; until: number } | undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * Runs `work`, or joins the renewal in progress. A failure starts a pause, during which this method rejects at once
   * with that failure.
   */
  run(work: () => Promise<void>): Promise<void> {
    const { paused } = this;
    if (paused) return Promise.reject(paused);
    this.running ??= work()
      .catch((error: unknown) => {
        if (!this.paused) this.pauseFor(pauseMs, error as Error);
        throw error;
      })
      .finally(() => (this.running = undefined));
    return this.running;
  }

  /** Starts a pause of `ms` milliseconds because of `error`. */
  pauseFor(ms: number, error: Error): void {
    this.pause = { error, until: this.clock.now() + ms };
  }

  /** Ends the pause. Called when there are new tokens or the user asked for a sign-in. */
  resume(): void {
    this.pause = undefined;
  }

  /** The failure that caused the current pause; undefined if there is no pause. */
  get paused(): Error | undefined {
    return this.pause && this.clock.now() < this.pause.until ? this.pause.error : undefined;
  }

  /** Resolves when no renewal is running, whether it succeeded or failed. */
  async settled(): Promise<void> {
    await this.running?.catch(() => undefined);
  }
}
