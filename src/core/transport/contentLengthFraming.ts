import { ByteCollector } from '../base/byteCollector.js';
import { HostError } from '../base/hostError.js';
import { tooLarge } from '../protocol/lineSplitter.js';
import type { ByteParser } from '../protocol/slicedReader.js';

const maxHeaderBytes = 8_192;

/** Whether a line begins a message in the Content-Length framing of language servers. */
export function isContentLengthStart(line: string): boolean {
  return /^content-(?:length|type)\s*:/i.test(line);
}

/**
 * Frames one message for servers that use this framing. The body ends with a line break, which JSON ignores, so that
 * servers that write this framing but read lines also understand the message.
 */
export function frameWithLength(text: string): string {
  const body = `${text}\n`;
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Parses the framing of language servers: `Content-Length: n`, a blank line, n bytes. */
export class ContentLengthParser implements ByteParser {
  /** The received part of a header. */
  private header = '';
  /** Length of the body that is being read, bytes; undefined while reading a header. */
  private expected: number | undefined;
  private readonly body = new ByteCollector();

  /**
   * @param onMessage receives each body.
   * @param maxBytes maximum size of a body. `feed` throws HostError `too-large` for a larger one, and `invalid-message`
   * for a header that is longer than 8 KiB or has no Content-Length.
   */
  constructor(
    private readonly onMessage: (text: string) => void,
    private readonly maxBytes: number,
  ) {}

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    let at = 0;
    for (;;) {
      if (this.expected === undefined) {
        at = this.readHeader(chunk, at);
        if (this.expected === undefined) return undefined;
      }
      const length = this.expected;
      const end = Math.min(chunk.length, at + length - this.body.size);
      if (this.body.size > 0 || end - at < length) {
        this.body.push(chunk.subarray(at, end));
        if (this.body.size < length) return undefined;
      }
      const text = this.body.size > 0 ? this.body.take().toString('utf8') : chunk.toString('utf8', at, end);
      at = end;
      this.expected = undefined;
      this.onMessage(text);
      if (at === chunk.length) return undefined;
      if (deadline !== undefined && performance.now() > deadline) return chunk.subarray(at);
    }
  }

  /** Returns where the body begins; `expected` stays undefined if the header is incomplete. */
  private readHeader(chunk: Buffer, at: number): number {
    const known = this.header.length;
    const header = this.header + chunk.toString('latin1', at, at + maxHeaderBytes + 1 - known);
    // Some servers use bare line feeds in this framing.
    const blank = /\r?\n\r?\n/.exec(header);
    if (!blank) {
      if (header.length > maxHeaderBytes)
        throw new HostError('invalid-message', 'A message header is longer than 8 KiB.', {
          data: { problem: 'header-length' },
        });
      this.header = header;
      return chunk.length;
    }
    const match = /content-length\s*:\s*(\d{1,12})/i.exec(header.slice(0, blank.index));
    if (!match)
      throw new HostError('invalid-message', 'A message header has no Content-Length.', {
        data: { problem: 'no-content-length' },
      });
    const expected = Number(match[1]);
    if (expected > this.maxBytes) throw tooLarge(this.maxBytes);
    this.header = '';
    this.expected = expected;
    return at + blank.index + blank[0].length - known;
  }
}
