import { HostError } from '../base/hostError.js';
import { tooLarge } from '../protocol/lineSplitter.js';
import type { ByteParser } from '../protocol/slicedReader.js';

const maxHeaderBytes = 8_192;

/** True when a line begins a message in the Content-Length framing of language servers. */
export function isContentLengthStart(line: string): boolean {
  return /^content-(?:length|type)\s*:/i.test(line);
}

/**
 * Frames one message for servers that use this framing. The body ends in a line break, which JSON ignores: some servers
 * write this framing and still read lines, and understand the message as one.
 */
export function frameWithLength(text: string): string {
  const body = `${text}\n`;
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Reads `Content-Length: n`, a blank line, n bytes; as language servers frame their messages. */
export class ContentLengthParser implements ByteParser {
  private buffered: Buffer[] = [];
  private size = 0;
  /** Bytes of the body that is being read; undefined while a header is. */
  private expected: number | undefined;

  /** @param onMessage receives each body. Throws HostError `too-large` from `feed`. */
  constructor(
    private readonly onMessage: (text: string) => void,
    private readonly maxBytes: number,
  ) {}

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    this.buffered.push(chunk);
    this.size += chunk.length;
    for (;;) {
      if (this.expected === undefined) {
        const whole = this.join();
        const header = whole.toString('latin1', 0, maxHeaderBytes);
        // Some write this framing with bare line feeds.
        const blank = /\r?\n\r?\n/.exec(header);
        if (!blank) {
          if (whole.length > maxHeaderBytes) throw new HostError('invalid-message', 'A message header is longer than 8 KiB.');
          return undefined;
        }
        const match = /content-length\s*:\s*(\d{1,12})/i.exec(header.slice(0, blank.index));
        if (!match) throw new HostError('invalid-message', 'A message header has no Content-Length.');
        this.expected = Number(match[1]);
        if (this.expected > this.maxBytes) throw tooLarge(this.maxBytes);
        this.keep(whole.subarray(blank.index + blank[0].length));
      }
      if (this.size < this.expected) return undefined;
      const whole = this.join();
      const length = this.expected;
      this.expected = undefined;
      this.keep(whole.subarray(length));
      this.onMessage(whole.toString('utf8', 0, length));
      if (deadline !== undefined && performance.now() > deadline) {
        const rest = this.join();
        this.keep(Buffer.alloc(0));
        return rest.length > 0 ? rest : undefined;
      }
    }
  }

  private join(): Buffer {
    if (this.buffered.length !== 1) this.buffered = [Buffer.concat(this.buffered, this.size)];
    return this.buffered[0] ?? Buffer.alloc(0);
  }

  private keep(rest: Buffer): void {
    this.buffered = rest.length > 0 ? [rest] : [];
    this.size = rest.length;
  }
}
