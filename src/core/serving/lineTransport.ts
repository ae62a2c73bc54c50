import type { Readable, Writable } from 'node:stream';
import { HostError } from '../base/hostError.js';
import { LineSplitter } from '../protocol/lineSplitter.js';
import { notJson, parseMessage } from '../protocol/parseMessage.js';
import { readInSlices } from '../protocol/slicedReader.js';
import type { Transport, TransportSink } from '../transport/transport.js';

export interface LineTransportOptions {
  /** Maximum size of a received message, bytes. A larger one ends the connection. */
  maxBytes: number;
  /** Maximum size of the messages that wait until the client reads them, bytes; above it, the connection ends. */
  maxWaitingBytes?: number;
  /** Called after each message that was written. */
  wrote?: () => void;
  /** Releases the streams. Called once. */
  release: () => void;
}

/**
 * The server's end of a pair of byte streams, with one message per line (specification: basic/transports, stdio). It
 * writes nothing but messages.
 */
export class LineTransport implements Transport {
  readonly kind = 'stdio';
  private isClosed = false;
  private sink: TransportSink | undefined;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly options: LineTransportOptions,
  ) {}

  open(sink: TransportSink): Promise<void> {
    this.sink = sink;
    const { maxBytes } = this.options;
    const lines = new LineSplitter((line) => {
      if (line.trim() === '' || this.isClosed) return;
      const message = parseMessage(line, maxBytes);
      if (message === notJson) sink.onWarning('Dropped a line that is not JSON.');
      else sink.onMessage(message, line);
    }, maxBytes);
    readInSlices(
      this.input,
      lines,
      (error) => this.end(error instanceof Error ? error : undefined),
      () => this.end(),
    );
    this.input.on('error', () => this.end());
    this.output.on('error', () => this.end(new HostError('closed', 'The client closed the connection.', {})));
    return Promise.resolve();
  }

  send({ text }: { text: string }): void {
    if (this.isClosed) return;
    const { maxWaitingBytes } = this.options;
    if (maxWaitingBytes !== undefined && this.output.writableLength > maxWaitingBytes)
      this.end(new HostError('closed', 'The client does not read its messages, and too many are waiting.', {}));
    else {
      this.output.write(`${text}\n`);
      this.options.wrote?.();
    }
  }

  close(): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      this.options.release();
    }
    return Promise.resolve();
  }

  private end(reason?: Error): void {
    if (this.isClosed) return;
    void this.close();
    this.sink?.onClose(reason);
  }
}
