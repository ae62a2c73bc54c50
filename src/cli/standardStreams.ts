import { HostError } from '../core/base/hostError.js';
import { LineSplitter } from '../core/protocol/lineSplitter.js';
import { notJson, parseMessage } from '../core/protocol/parseMessage.js';
import type { Transport, TransportSink } from '../core/transport/transport.js';

/** Maximum size of a message, bytes. */
const maxBytes = 64 * 1024 * 1024;

/** A client that is connected to the standard streams of this process (specification: basic/transports, stdio). */
export class StandardStreams implements Transport {
  readonly kind = 'stdio';
  private isClosed = false;

  open(sink: TransportSink): Promise<void> {
    const end = (reason?: Error) => {
      if (this.isClosed) return;
      this.isClosed = true;
      sink.onClose(reason);
    };
    const lines = new LineSplitter((line) => {
      if (line.trim() === '') return;
      const message = parseMessage(line, maxBytes);
      if (message === notJson) sink.onWarning('Dropped a line that is not JSON.');
      else sink.onMessage(message, line);
    }, maxBytes);
    process.stdin.on('data', (bytes: Buffer) => {
      try {
        lines.feed(bytes);
      } catch (error) {
        end(error instanceof Error ? error : undefined);
      }
    });
    process.stdin.once('end', () => end());
    process.stdout.once('error', () => end(new HostError('closed', 'The client closed its side.', {})));
    return Promise.resolve();
  }

  send({ text }: { text: string }): void {
    process.stdout.write(`${text}\n`);
  }

  close(): Promise<void> {
    this.isClosed = true;
    process.stdin.pause();
    return Promise.resolve();
  }
}
