import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../src/core/base/hostError.js';
import { visibleLine } from '../../src/core/base/hostileText.js';
import { LineSplitter } from '../../src/core/protocol/lineSplitter.js';
import type { Outgoing, Transport, TransportSink } from '../../src/core/transport/transport.js';

/**
 * The server's end of stdio, or of any other pair of byte streams: one JSON message per line (specification: basic,
 * transports, stdio). It writes nothing but messages.
 */
export class StreamTransport implements Transport {
  readonly kind = 'stdio';
  private sink: TransportSink | undefined;
  private isClosed = false;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly maxMessageBytes = 64 * 1024 * 1024,
  ) {}

  open(sink: TransportSink): Promise<void> {
    this.sink = sink;
    const lines = new LineSplitter((line) => this.receive(line), this.maxMessageBytes);
    this.input.on('data', (chunk: Buffer) => {
      try {
        lines.feed(chunk);
      } catch (error) {
        this.end(error instanceof Error ? error : new Error(messageOf(error)));
      }
    });
    // The client closes the connection by ending the input.
    this.input.once('end', () => this.end());
    this.input.once('error', (error) => this.end(error));
    // Without a listener, a reader that disconnects would end the process.
    this.output.on('error', (error) => this.end(error));
    return Promise.resolve();
  }

  send(message: Outgoing): void {
    if (!this.isClosed) this.output.write(`${message.text}\n`);
  }

  close(): Promise<void> {
    this.end();
    return Promise.resolve();
  }

  private receive(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.sink?.onWarning(`Dropped a line that is not JSON: ${visibleLine(line, 80)}`);
      return;
    }
    this.sink?.onMessage(message, line);
  }

  private end(reason?: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.input.pause();
    this.sink?.onClose(reason);
  }
}
