import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import type { Outgoing } from '../protocol/jsonRpc.js';
import { maxBacklogBytes } from '../transport/transport.js';

/** Maximum number of waiting messages that expect no response. */
const maxWaiting = 5_000;

/**
 * Limits the messages sent per second, keeping their order; a burst of one second's worth of messages is sent at once.
 * It is meant for servers that use services with rate limits.
 *
 * A server can cause any number of responses, and the limits of the transport do not apply to messages that wait here.
 * So the messages that expect no response have limits of their own: 5,000 messages and 128 MiB.
 */
export class MessagePacer implements Disposable {
  private waiting: Outgoing[] = [];
  /** Number and size of the waiting messages that expect no response. */
  private count = 0;
  private size = 0;
  private isDisposed = false;
  private tokens: number;
  private filledAt: number;
  private timer: Disposable | undefined;

  /** @param onOverflow called if too many messages wait; the caller must end the connection. */
  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock,
    private readonly deliver: (message: Outgoing) => void,
    private readonly onOverflow: (error: HostError) => void,
  ) {
    this.tokens = Math.max(1, perSecond);
    this.filledAt = clock.now();
  }

  send(message: Outgoing): void {
    // A transport reads until it is closed, and its messages can still be answered after the session has ended.
    if (this.isDisposed) return;
    this.waiting.push(message);
    if (message.id === undefined) {
      this.count++;
      this.size += message.text.length;
    }
    if (!this.timer) this.drain();
    if (this.count > maxWaiting || this.size > maxBacklogBytes) this.onOverflow(this.overflowError());
  }

  /** Removes a message that has not been sent yet; false if it has been sent. */
  drop(id: number): boolean {
    const before = this.waiting.length;
    this.waiting = this.waiting.filter((message) => message.id !== id);
    return this.waiting.length < before;
  }

  dispose(): void {
    this.isDisposed = true;
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
      if (message.id === undefined) {
        this.count--;
        this.size -= message.text.length;
      }
      this.deliver(message);
    }
    if (this.waiting.length === 0) return;
    this.timer = this.clock.after(Math.ceil(((1 - this.tokens) / this.perSecond) * 1_000), () => {
      this.timer = undefined;
      this.drain();
    });
  }

  private overflowError(): HostError {
    return new HostError(
      'send-failed',
      `The server sends requests faster than "maxMessagesPerSecond" allows MCP Deck to answer them: ${this.count} responses are waiting.`,
      { data: { why: 'too-many-responses', count: this.count, bufferedBytes: this.size } },
    );
  }
}
