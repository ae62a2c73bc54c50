import type { Clock } from './clock.js';
import type { Disposable } from './disposable.js';

/** Hands on the latest of many values, with pauses in between; those that a later one has overtaken are left out. */
export class LatestValue<T> implements Disposable {
  private waiting: { value: T } | undefined;
  private timer: Disposable | undefined;
  private told = 0;

  /**
   * @param pauseMs milliseconds before the next value is handed on, by how many were before; before the first of all it is
   *   the wait since that came, and 0 hands it on at once.
   * @param report receives the values; must not throw.
   */
  constructor(
    private readonly clock: Clock,
    private readonly pauseMs: (told: number) => number,
    private readonly report: (value: T) => void,
  ) {}

  tell(value: T): void {
    this.waiting = { value };
    if (this.timer) return;
    if (this.told === 0 && this.pauseMs(0) > 0) this.pause();
    else this.handOn();
  }

  /** What waits is dropped. */
  dispose(): void {
    this.timer?.dispose();
    this.waiting = undefined;
  }

  private pause(): void {
    this.timer = this.clock.after(this.pauseMs(this.told), () => {
      this.timer = undefined;
      if (this.waiting) this.handOn();
    });
  }

  /** Values that come during the pause after it wait for its end. */
  private handOn(): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.told++;
    this.pause();
    if (waiting) this.report(waiting.value);
  }
}
