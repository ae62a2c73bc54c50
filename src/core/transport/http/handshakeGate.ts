import type { Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';

/** Maximum wait until the server accepts `notifications/initialized`, ms. */
const maxShutMs = 10_000;

/**
 * Keeps the order of the handshake when each message is an HTTP request that may overtake others: after
 * `notifications/initialized` is sent, other messages wait until it is accepted (specification 2025-11-25, lifecycle:
 * no other requests before it).
 */
export class HandshakeGate {
  private waiting: Outgoing[] | undefined;
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly forward: (message: Outgoing) => void,
  ) {}

  /** Keeps `message` while the gate is closed, and forwards it later. Returns whether the message was kept. */
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

  /** Drops a request that was canceled. */
  drop(id: number): void {
    if (this.waiting) this.waiting = this.waiting.filter((message) => message.id !== id);
  }

  /** Opens the gate and drops all waiting messages. */
  clear(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.waiting = undefined;
  }
}
