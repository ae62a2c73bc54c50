import type { Clock } from '../../src/core/base/clock.js';
import type { Disposable } from '../../src/core/base/disposable.js';

/** A clock that only the test moves; timers run in order of their time. */
export class ManualClock implements Clock {
  private time = 0;
  private timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { at: this.time + ms, callback };
    this.timers.push(timer);
    return { dispose: () => void (this.timers = this.timers.filter((other) => other !== timer)) };
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.timers.length;
  }

  /** Advances by `ms` and runs every timer that is due, with time for promises to settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await settle();
      const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.time = next.at;
      next.callback();
    }
    this.time = end;
    await settle();
  }

  /** Jumps by `ms`, as after sleep: every timer that is due runs late, and timers that it starts count from the end. */
  jump(ms: number): void {
    this.time += ms;
    const due = this.timers.filter(({ at }) => at <= this.time).sort((a, b) => a.at - b.at);
    this.timers = this.timers.filter(({ at }) => at > this.time);
    for (const { callback } of due) callback();
  }
}

/** Lets all pending promise callbacks run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
