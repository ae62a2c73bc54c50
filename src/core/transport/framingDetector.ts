import type { LineReceiver } from '../protocol/lineSplitter.js';
import { ByteLineSplitter } from '../protocol/lineSplitter.js';
import type { ByteParser } from '../protocol/slicedReader.js';
import { ContentLengthParser, isContentLengthStart } from './contentLengthFraming.js';

/** Who is told what a server wrote. */
export interface FramedTextListener {
  /** A line, or a body; returns whether it was a JSON message. */
  onText(text: string): boolean;
  /** Called once, when the server turns out to use Content-Length framing. */
  onContentLength(): void;
  /** A chunk ended within a line that cannot be a message; see `unfinished`. */
  onUnfinished?(): void;
}

/** Bytes of an unfinished line that are looked at. */
const peekedBytes = 1_000;

/**
 * Finds out how a server frames its messages: reads lines until the first that is JSON settles it for lines, or a
 * Content-Length header for the framing of language servers. A banner before either is lines like any other.
 */
export class FramingDetector implements ByteParser, LineReceiver {
  private parser: ByteParser;
  private isSettled = false;

  /** @param maxBytes longest message; a longer one throws HostError `too-large` from `feed`. */
  constructor(
    private readonly listener: FramedTextListener,
    private readonly maxBytes: number,
  ) {
    this.parser = new ByteLineSplitter(this, maxBytes);
  }

  /** The beginning of a line that has no end yet and cannot be a message, such as a prompt; '' when there is none. */
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
    // Line by line, because what follows the line that settles it may be no line.
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
