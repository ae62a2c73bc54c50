import type { Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';

/** Sweep interval, ms; a call expires after one to two sweeps. */
const sweepMs = 15_000;

/** A call that has no timeout of its own. */
export interface SweptCall {
  /** Called when the call took too long. */
  expire(): void;
  /** For the sweep only: the index of the call, and whether the last sweep saw the call. */
  sweptAt?: number | undefined;
  wasSeen?: boolean;
}

/**
 * Ends calls that take too long, with one timer for all of them. The calls are in one array for speed; see
 * `RequestTable`.
 */
export class CallSweep implements Disposable {
  private readonly calls: SweptCall[] = [];
  private timer: Disposable | undefined;

  constructor(private readonly clock: Clock) {}

  add(call: SweptCall): void {
    call.wasSeen = false;
    if (call.sweptAt === undefined) call.sweptAt = this.calls.push(call) - 1;
    this.timer ??= this.clock.after(sweepMs, () => this.sweep());
  }

  delete(call: SweptCall): void {
    const { sweptAt } = call;
    if (sweptAt === undefined) return;
    call.sweptAt = undefined;
    const last = this.calls.pop();
    if (!last || last === call) return;
    this.calls[sweptAt] = last;
    last.sweptAt = sweptAt;
  }

  /** Expires all calls at once and stops. */
  dispose(): void {
    this.timer?.dispose();
    for (const call of [...this.calls]) {
      this.delete(call);
      call.expire();
    }
  }

  private sweep(): void {
    this.timer = undefined;
    for (const call of [...this.calls]) {
      if (call.wasSeen !== true) {
        call.wasSeen = true;
        continue;
      }
      this.delete(call);
      call.expire();
    }
    if (this.calls.length > 0) this.timer = this.clock.after(sweepMs, () => this.sweep());
  }
}
