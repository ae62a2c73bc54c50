import { HostError } from '../base/hostError.js';
import { notJson, parseMessage } from '../protocol/parseMessage.js';
import { defaultMaxMessageBytes } from './remoteOptions.js';
import type { Outgoing, Transport, TransportSink } from './transport.js';

/**
 * One of two linked ends in the same process: the messages of one end arrive at the other end in order, and only after
 * the sender's call has returned. Messages travel as JSON text, so that the ends share no objects.
 */
export class MemoryTransport implements Transport {
  readonly kind = 'memory';
  private peer: MemoryTransport | undefined;
  private sink: TransportSink | undefined;
  private inbox: string[] = [];
  private isClosed = false;
  private isScheduled = false;

  /** @returns two linked ends; open both. */
  static pair(): [MemoryTransport, MemoryTransport] {
    const a = new MemoryTransport();
    const b = new MemoryTransport();
    a.peer = b;
    b.peer = a;
    return [a, b];
  }

  open(sink: TransportSink): Promise<void> {
    this.sink = sink;
    this.schedule();
    return Promise.resolve();
  }

  send(message: Outgoing): void {
    if (this.isClosed || !this.peer) {
      message.fail?.(new HostError('closed', 'The in-memory connection is closed.', { data: { why: 'gone' } }));
      return;
    }
    this.peer.inbox.push(message.text);
    this.peer.schedule();
  }

  close(): Promise<void> {
    this.end();
    this.peer?.end();
    return Promise.resolve();
  }

  private receive(text: string): void {
    if (this.isClosed) return;
    let message: unknown;
    try {
      message = parseMessage(text, defaultMaxMessageBytes);
    } catch (error) {
      this.end(error as Error);
      this.peer?.end();
      return;
    }
    if (message === notJson) this.sink?.onUnreadable?.(text);
    else this.sink?.onMessage(message, text);
  }

  private end(reason?: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.sink?.onClose(reason);
  }

  private schedule(): void {
    if (this.isScheduled || !this.sink || this.inbox.length === 0) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      const texts = this.inbox;
      this.inbox = [];
      for (const text of texts) this.receive(text);
    });
  }
}
