import type { Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';

/** Longest wait for the server to accept `notifications/initialized`, in milliseconds. */
const maxShutMs = 10_000;

/**
 * Keeps the order of the handshake where each message is a request of its own and may overtake others: after
 * `notifications/initialized` was sent, the rest waits until it was accepted (specification 2025-11-25, lifecycle:
 * no other requests before it).
 */
export class HandshakeGate {
  private waiting: Outgoing[] | undefined;
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly forward: (message: Outgoing) => void,
  ) {}

  /** True when `message` was kept back, to be forwarded later. */
  holds(message: Outgoing): boolean {
    if (!this.waiting) return false;
    this.waiting.push(message);
    return true;
  }

  shut(): void {
    this.waiting = [];
    this.timer = this.clock.after(maxShutMs, () => this.open());
  }

  open(): void {
    const { waiting } = this;
    this.clear();
    if (waiting) for (const message of waiting) this.forward(message);
  }

  /** Forgets a request that is no longer wanted. */
  drop(id: number): void {
    if (this.waiting) this.waiting = this.waiting.filter((message) => message.id !== id);
  }

  /** Opens and forgets all that waits. */
  clear(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.waiting = undefined;
  }
}
