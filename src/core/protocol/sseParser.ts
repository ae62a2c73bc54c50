import type { LineReceiver } from './lineSplitter.js';
import { ByteLineSplitter, tooLarge } from './lineSplitter.js';
import type { ByteParser } from './slicedReader.js';

/** One dispatched server-sent event. */
export interface SseEvent {
  /** `message` when the stream named none. */
  type: string;
  data: string;
}

/** What a stream of server-sent events tells besides its events. */
export interface SseListener {
  onEvent(event: SseEvent): void;
  /** A new last event id, after the event that carried it was dispatched; '' resets it. */
  onId?(id: string): void;
  /** The server's wish for the reconnection time, in milliseconds. */
  onRetry?(ms: number): void;
}

const CR = 13;
const LF = 10;
const SPACE = 32;

const byteOrderMark = Buffer.from('\ufeff');
const dataField = Buffer.from('data:');
const messageType = Buffer.from('event: message');

/** What one more line of data costs in memory besides its text: endless empty `data:` lines have to meet the limit too. */
const lineCost = 32;

/**
 * Server-sent events on bytes (WHATWG HTML section 9.2, "Parsing an event stream"). Lines may end in LF, CRLF or a lone
 * CR; an event cut off by the end of the stream is dropped by never being dispatched. Two sizes are bounded: one line and
 * one event.
 */
export class SseParser implements ByteParser, LineReceiver {
  private readonly lines: ByteLineSplitter;
  private isFirstLine = true;
  /** The last byte was a CR, already passed on as LF: an LF right after it belongs to it. */
  private endedWithCr = false;
  private data: string | undefined;
  private dataSize = 0;
  private type = '';
  private id: string | undefined;

  constructor(
    private readonly listener: SseListener,
    private readonly maxBytes = 64 * 1024 * 1024,
  ) {
    this.lines = new ByteLineSplitter(this, maxBytes);
  }

  /** True while part of an event has arrived and its end has not. */
  get hasPartialEvent(): boolean {
    return this.data !== undefined || this.lines.pendingBytes > 0;
  }

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    if (this.endedWithCr && chunk.length > 0) {
      this.endedWithCr = false;
      if (chunk[0] === LF) chunk = chunk.subarray(1);
    }
    // JSON escapes its carriage returns, so these searches run once over the bytes or stop at the few line ends.
    if (hasLoneCr(chunk)) {
      // No deadline here: an unread rest would come back already converted, and be converted again.
      return this.lines.feed(this.withLineFeeds(chunk));
    }
    return this.lines.feed(chunk, deadline);
  }

  /** Turns CRLF and lone CR into LF, on a copy; a CR at the very end may be half of a CRLF, which `feed` remembers. */
  private withLineFeeds(chunk: Buffer): Buffer {
    const out = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    let previous = 0;
    for (const byte of chunk) {
      if (byte !== LF || previous !== CR) out[length++] = byte === CR ? LF : byte;
      previous = byte;
    }
    this.endedWithCr = previous === CR;
    return out.subarray(0, length);
  }

  onLine(bytes: Buffer, start: number, end: number): void {
    // Lone CRs are gone by now: one at the end is the first half of a CRLF.
    if (end > start && bytes[end - 1] === CR) end--;
    if (this.isFirstLine) {
      this.isFirstLine = false;
      if (startsWith(bytes, start, end, byteOrderMark)) start += byteOrderMark.length;
    }
    if (start === end) {
      this.dispatch();
    } else if (startsWith(bytes, start, end, dataField)) {
      // The one kind of line that counts is decoded without a detour, and the most usual other one not at all.
      const from = start + dataField.length;
      this.addData(bytes.toString('utf8', bytes[from] === SPACE && from < end ? from + 1 : from, end));
    } else if (end - start === messageType.length && startsWith(bytes, start, end, messageType)) {
      this.type = '';
    } else {
      this.onField(bytes.toString('utf8', start, end));
    }
  }

  private onField(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return; // comment: keep-alive
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    switch (field) {
      case 'data':
        this.addData(value);
        break;
      case 'event':
        this.type = value;
        break;
      case 'id':
        if (!value.includes('\0')) this.id = value;
        break;
      case 'retry':
        if (/^\d+$/.test(value)) this.listener.onRetry?.(Number(value));
        break;
    }
  }

  private addData(value: string): void {
    this.dataSize += value.length + lineCost;
    if (this.dataSize > this.maxBytes) throw tooLarge(this.maxBytes);
    this.data = this.data === undefined ? value : `${this.data}\n${value}`;
  }

  private dispatch(): void {
    const { data, type, id } = this;
    this.data = undefined;
    this.dataSize = 0;
    this.type = '';
    if (data !== undefined) this.listener.onEvent({ type: type === '' ? 'message' : type, data });
    if (id !== undefined) {
      this.id = undefined;
      this.listener.onId?.(id);
    }
  }
}

/** True when some CR is not directly followed by an LF. */
function hasLoneCr(chunk: Buffer): boolean {
  for (let at = chunk.indexOf(CR); at !== -1; at = chunk.indexOf(CR, at + 2)) {
    if (chunk[at + 1] !== LF) return true;
  }
  return false;
}

function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (end - start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}
