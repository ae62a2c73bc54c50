import { LineSplitter } from '../protocol/lineSplitter.js';
import type { ByteParser } from '../protocol/slicedReader.js';
import { ContentLengthParser, isContentLengthStart } from './contentLengthFraming.js';

/**
 * Finds out how a server frames its messages: reads lines until the first that is JSON settles it for lines, or a
 * Content-Length header for the framing of language servers. A banner before either is lines like any other.
 */
export class FramingDetector implements ByteParser {
  private parser: ByteParser;
  private isSettled = false;

  /**
   * @param onText receives each line, or each body; returns whether it was a JSON message.
   * @param maxBytes longest message; a longer one throws HostError `too-large` from `feed`.
   * @param onContentLength called once, when the server turns out to use Content-Length framing.
   */
  constructor(
    private readonly onText: (text: string) => boolean,
    private readonly maxBytes: number,
    private readonly onContentLength: () => void,
  ) {
    this.parser = new LineSplitter((line) => this.receiveLine(line), maxBytes);
  }

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
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

  private receiveLine(line: string): void {
    if (this.isSettled || !isContentLengthStart(line)) {
      this.isSettled = this.onText(line) || this.isSettled;
      return;
    }
    this.isSettled = true;
    this.parser = new ContentLengthParser(this.onText, this.maxBytes);
    this.parser.feed(Buffer.from(`${line}\n`));
    this.onContentLength();
  }
}
