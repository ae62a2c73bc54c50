import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/** How often is looked; a call lives for one to two of these. Milliseconds. */
const sweepMs = 15_000;

/** Something under way that nobody above times. */
export interface SweptCall {
  /** It took too long. */
  expire(): void;
}

/** Ends calls that take too long, with one coarse timer for all of them. */
export class CallSweep implements Disposable {
  private readonly calls = new Map<SweptCall, 'new' | 'old'>();
  private timer: Disposable | undefined;

  constructor(private readonly clock: Clock) {}

  add(call: SweptCall): void {
    this.calls.set(call, 'new');
    this.timer ??= this.clock.after(sweepMs, () => this.sweep());
  }

  delete(call: SweptCall): void {
    this.calls.delete(call);
  }

  /** Expires everything at once and stops. */
  dispose(): void {
    this.timer?.dispose();
    for (const call of [...this.calls.keys()]) call.expire();
    this.calls.clear();
  }

  private sweep(): void {
    this.timer = undefined;
    for (const [call, age] of [...this.calls]) {
      if (age === 'new') {
        this.calls.set(call, 'old');
        continue;
      }
      this.calls.delete(call);
      call.expire();
    }
    if (this.calls.size > 0) this.timer = this.clock.after(sweepMs, () => this.sweep());
  }
}
