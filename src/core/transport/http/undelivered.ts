import type { Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import { durationText } from '../../../shared/amountText.js';
import { HostError } from '../../base/hostError.js';
import type { ReadGate } from '../../protocol/slicedReader.js';
import { maxBacklogBytes } from '../transport.js';

/** Number of undelivered messages at which reading pauses. Reading continues below half of this number. */
const maxUndelivered = 256;
/**
 * Maximum time without a delivery while reading is paused, ms. It is shorter than the time limit of a single message
 * (`CallSweep`).
 */
const maxIdleMs = 10_000;

/**
 * The messages that the server has not accepted yet and that expect no response: notifications, and responses to the
 * server. A server can cause any number of them. So, at 256 messages or 128 MiB, reading of the server's event streams
 * pauses until less than half of that amount remains.
 */
export class Undelivered implements ReadGate, Disposable {
  isHeld = false;
  private count = 0;
  private size = 0;
  private waiting: (() => void)[] = [];
  private timer: Disposable | undefined;
  private deliveredAt = 0;

  /**
   * @param onStuck called if nothing was delivered for 10 s while reading was paused; the caller must end the
   * connection.
   */
  constructor(
    private readonly clock: Clock,
    private readonly onStuck: (error: HostError) => void,
  ) {}

  add({ text }: { text: string }): void {
    this.count++;
    this.size += text.length;
    if (this.isHeld || (this.count < maxUndelivered && this.size <= maxBacklogBytes)) return;
    this.isHeld = true;
    this.deliveredAt = this.clock.now();
    this.watch(maxIdleMs);
  }

  delete({ text }: { text: string }): void {
    this.count--;
    this.size -= text.length;
    if (!this.isHeld) return;
    this.deliveredAt = this.clock.now();
    if (this.count * 2 >= maxUndelivered || this.size * 2 > maxBacklogBytes) return;
    this.isHeld = false;
    this.timer?.dispose();
    for (const listener of this.waiting.splice(0)) listener();
  }

  onceFree(listener: () => void): void {
    this.waiting.push(listener);
  }

  dispose(): void {
    this.timer?.dispose();
    this.waiting = [];
  }

  private watch(ms: number): void {
    this.timer = this.clock.after(ms, () => {
      const idleMs = this.clock.now() - this.deliveredAt;
      if (idleMs < maxIdleMs) this.watch(maxIdleMs - idleMs);
      else this.onStuck(this.stuckError());
    });
  }

  private stuckError(): HostError {
    return new HostError(
      'send-failed',
      `The server sends requests but does not accept the responses: ${this.count} responses are waiting, and none was accepted for ${durationText(maxIdleMs)}.`,
      { data: { why: 'not-accepting', count: this.count, waitedMs: maxIdleMs, bufferedBytes: this.size } },
    );
  }
}
