import type { Clock } from './clock.js';
import type { Disposable } from './disposable.js';

/**
 * Reports the latest of many values with pauses in between; values that are replaced before they are reported are
 * dropped.
 */
export class LatestValue<T> implements Disposable {
  private waiting: { value: T } | undefined;
  private timer: Disposable | undefined;
  private reported = 0;

  /**
   * @param pauseMs returns the delay before the next report, ms, for the number of reports so far. The first delay
   * starts when the first value arrives; with 0, that value is reported at once.
   * @param report receives the values; must not throw.
   */
  constructor(
    private readonly clock: Clock,
    private readonly pauseMs: (sentCount: number) => number,
    private readonly report: (value: T) => void,
  ) {}

  tell(value: T): void {
    this.waiting = { value };
    if (this.timer) return;
    if (this.reported === 0 && this.pauseMs(0) > 0) this.pause();
    else this.handOn();
  }

  /** Drops the waiting value. */
  dispose(): void {
    this.timer?.dispose();
    this.waiting = undefined;
  }

  private pause(): void {
    this.timer = this.clock.after(this.pauseMs(this.reported), () => {
      this.timer = undefined;
      if (this.waiting) this.handOn();
    });
  }

  /** Reports the waiting value and begins a pause. Values that arrive during the pause wait until it ends. */
  private handOn(): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.reported++;
    this.pause();
    if (waiting) this.report(waiting.value);
  }
}
