import type { LineReceiver } from '../protocol/lineSplitter.js';
import { ByteLineSplitter } from '../protocol/lineSplitter.js';
import type { ByteParser } from '../protocol/slicedReader.js';
import { ContentLengthParser, isContentLengthStart } from './contentLengthFraming.js';

/** Receives the output of a server. */
export interface FramedTextListener {
  /** Receives a line or a message body; returns whether the text was a JSON message. */
  onText(text: string): boolean;
  /** Called once if the server uses Content-Length framing. */
  onContentLength(): void;
  /** Called when a chunk ended within a line that cannot be a message; see `unfinished`. */
  onUnfinished?(): void;
}

/** Number of bytes of an unfinished line that are examined. */
const peekedBytes = 1_000;

/**
 * Detects how a server frames its messages: reads lines until the first JSON line confirms line framing, or a
 * Content-Length header confirms the framing of language servers. Lines before that, such as a banner, are passed on as
 * lines.
 */
export class FramingDetector implements ByteParser, LineReceiver {
  private parser: ByteParser;
  private isSettled = false;

  /** @param maxBytes maximum size of a message; a larger one throws HostError `too-large` from `feed`. */
  constructor(
    private readonly listener: FramedTextListener,
    private readonly maxBytes: number,
  ) {
    this.parser = new ByteLineSplitter(this, maxBytes);
  }

  /** The beginning of an unfinished line that cannot be a message, such as a prompt; '' if there is none. */
  get unfinished(): string {
    const text =
      this.parser instanceof ByteLineSplitter && this.parser.pendingBytes > 0
        ? this.parser.peek(peekedBytes).trimStart()
        : '';
    return /^[{[]/.test(text) || isContentLengthStart(text) ? '' : text;
  }

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    const rest = this.parse(chunk, deadline);
    if (rest === undefined && this.listener.onUnfinished && this.unfinished !== '') this.listener.onUnfinished();
    return rest;
  }

  private parse(chunk: Buffer, deadline: number | undefined): Buffer | undefined {
    // Reads line by line, because the data after a Content-Length header does not consist of lines.
    while (!this.isSettled) {
      const end = chunk.indexOf(10) + 1;
      if (end === 0 || end === chunk.length) return this.parser.feed(chunk);
      this.parser.feed(chunk.subarray(0, end));
      chunk = chunk.subarray(end);
      if (deadline !== undefined && performance.now() > deadline) return chunk;
    }
    return this.parser.feed(chunk, deadline);
  }

  onLine(bytes: Buffer, start: number, end: number): void {
    const line = bytes.toString('utf8', start, end);
    if (this.isSettled || !isContentLengthStart(line)) {
      this.isSettled = this.listener.onText(line) || this.isSettled;
      return;
    }
    this.isSettled = true;
    this.parser = new ContentLengthParser((text) => this.listener.onText(text), this.maxBytes);
    this.parser.feed(Buffer.from(`${line}\n`));
    this.listener.onContentLength();
  }
}
