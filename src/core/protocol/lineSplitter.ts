import { sizeText } from '../../shared/amountText.js';
import { ByteCollector } from '../base/byteCollector.js';
import { HostError } from '../base/hostError.js';

/** Receives each line as a range of bytes without its newline; a trailing carriage return is kept. */
export interface LineReceiver {
  onLine(bytes: Buffer, start: number, end: number): void;
}

/**
 * Splits bytes into lines. Splitting at 0x0A before decoding keeps characters whole for any chunk boundaries, and never
 * splits at U+2028 and similar characters. Each byte is scanned once: the chunks of an incomplete line are collected
 * and joined when its newline arrives, because joining per chunk makes a 16 MiB message a hundred times slower.
 */
export class ByteLineSplitter {
  private readonly begun = new ByteCollector();

  /** @param maxBytes length limit of a line; a longer one throws HostError `too-large` from `feed`. Default 64 MiB. */
  constructor(
    private readonly receiver: LineReceiver,
    private readonly maxBytes = 64 * 1024 * 1024,
  ) {}

  /** Number of bytes of the unfinished line. */
  get pendingBytes(): number {
    return this.begun.size;
  }

  /** The beginning of the unfinished line: up to `maxBytes` of its first chunk. */
  peek(maxBytes: number): string {
    return this.begun.peek(maxBytes).toString('utf8');
  }

  /**
   * Feeds one chunk.
   * @param deadline `performance.now()` value after which `feed` stops, so that a flood cannot block the event loop.
   * @returns the unread rest when the deadline passed, otherwise undefined.
   */
  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    let start = 0;
    let end = chunk.indexOf(10);
    for (let lines = 1; end !== -1; lines++) {
      if (this.begun.size === 0) {
        if (end - start > this.maxBytes) this.overflow();
        this.receiver.onLine(chunk, start, end);
      } else {
        const whole = this.join(chunk.subarray(start, end));
        this.receiver.onLine(whole, 0, whole.length);
      }
      start = end + 1;
      // Reading the clock costs as much as a small message, so it is read only once per 16 lines.
      if ((lines & 15) === 0 && deadline !== undefined && performance.now() > deadline) {
        return start < chunk.length ? chunk.subarray(start) : undefined;
      }
      end = chunk.indexOf(10, start);
    }
    if (start < chunk.length) {
      const rest = start === 0 ? chunk : chunk.subarray(start);
      if (this.begun.size + rest.length > this.maxBytes) this.overflow();
      this.begun.push(rest);
    }
    return undefined;
  }

  private join(last: Buffer): Buffer {
    if (this.begun.size + last.length > this.maxBytes) this.overflow();
    this.begun.push(last);
    return this.begun.take();
  }

  private overflow(): never {
    this.begun.clear();
    throw tooLarge(this.maxBytes);
  }
}

/** A splitter that decodes each line. */
export class LineSplitter extends ByteLineSplitter {
  /**
   * @param onLine receives each line without its newline; a trailing carriage return is kept (`JSON.parse` ignores
   * that).
   * @param maxBytes length limit of a line; a longer one throws HostError `too-large` from `feed`. Default 64 MiB.
   */
  constructor(onLine: (line: string) => void, maxBytes?: number) {
    super({ onLine: (bytes, start, end) => onLine(bytes.toString('utf8', start, end)) }, maxBytes);
  }
}

/** The error for a message over the size limit, for all transports. */
export function tooLarge(limitBytes: number): HostError {
  return new HostError('too-large', `A message is larger than the limit of ${sizeText(limitBytes)}.`, {
    hint: 'Increase the setting mcpDeck.limits.maxMessageBytes if the server is meant to send this much.',
    data: { limitBytes },
  });
}
