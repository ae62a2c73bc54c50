import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Outgoing } from '../protocol/jsonRpc.js';

/**
 * Limits the messages sent per second, keeping their order; a burst of one second's worth of messages is sent at once.
 * It is meant for servers that use services with rate limits.
 */
export class MessagePacer implements Disposable {
  private waiting: Outgoing[] = [];
  private tokens: number;
  private filledAt: number;
  private timer: Disposable | undefined;

  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock,
    private readonly deliver: (message: Outgoing) => void,
  ) {
    this.tokens = Math.max(1, perSecond);
    this.filledAt = clock.now();
  }

  send(message: Outgoing): void {
    this.waiting.push(message);
    if (!this.timer) this.drain();
  }

  /** Removes a message that has not been sent yet; false if it has been sent. */
  drop(id: number): boolean {
    const before = this.waiting.length;
    this.waiting = this.waiting.filter((message) => message.id !== id);
    return this.waiting.length < before;
  }

  dispose(): void {
    this.timer?.dispose();
    this.waiting = [];
  }

  private drain(): void {
    const now = this.clock.now();
    this.tokens = Math.min(Math.max(1, this.perSecond), this.tokens + ((now - this.filledAt) / 1_000) * this.perSecond);
    this.filledAt = now;
    while (this.tokens >= 1) {
      const message = this.waiting.shift();
      if (!message) return;
      this.tokens--;
      this.deliver(message);
    }
    if (this.waiting.length === 0) return;
    this.timer = this.clock.after(Math.ceil(((1 - this.tokens) / this.perSecond) * 1_000), () => {
      this.timer = undefined;
      this.drain();
    });
  }
}
