import { lineCost, maxEventLines, tooManyLines } from './eventLimits.js';
import { LineFeeds } from './lineFeeds.js';
import type { LineReceiver } from './lineSplitter.js';
import { ByteLineSplitter, tooLarge } from './lineSplitter.js';
import type { ByteParser } from './slicedReader.js';

/** One dispatched server-sent event. */
export interface SseEvent {
  /** `message` when the stream specified no type. */
  type: string;
  data: string;
}

/** Receives the events of a stream and its other fields. */
export interface SseListener {
  onEvent(event: SseEvent): void;
  /** A new last event ID; called after the event was dispatched. An empty ID resets it. */
  onId?(id: string): void;
  /** The reconnection time that the server requests, in milliseconds. */
  onRetry?(ms: number): void;
}

const CR = 13;
const SPACE = 32;

const byteOrderMark = Buffer.from('\ufeff');
const dataField = Buffer.from('data:');
const messageType = Buffer.from('event: message');

/**
 * A parser of server-sent events on bytes (WHATWG HTML section 9.2, "Parsing an event stream"). Lines may end in LF,
 * CRLF or a lone CR. If the stream ends within an event, that event is not dispatched. The sizes of a line and of an
 * event are bounded, and an event has at most 50,000 lines of data.
 */
export class SseParser implements ByteParser, LineReceiver {
  private readonly lines: ByteLineSplitter;
  private readonly lineFeeds = new LineFeeds();
  private isFirstLine = true;
  private data: string | undefined;
  private dataSize = 0;
  private dataLines = 0;
  private type = '';
  private id: string | undefined;

  constructor(
    private readonly listener: SseListener,
    private readonly maxBytes = 64 * 1024 * 1024,
  ) {
    this.lines = new ByteLineSplitter(this, maxBytes);
  }

  /** True if an event has arrived only in part. */
  get hasPartialEvent(): boolean {
    return this.data !== undefined || this.lines.pendingBytes > 0;
  }

  /** Approximate number of bytes that are held of an event that has arrived only in part. */
  get partialSize(): number {
    return this.dataSize + this.lines.pendingBytes;
  }

  feed(chunk: Buffer, deadline?: number): Buffer | undefined {
    const converted = this.lineFeeds.convert(chunk);
    // Converted chunks are read without a deadline, because an unread rest would be fed again and converted twice.
    return this.lines.feed(converted, converted === chunk ? deadline : undefined);
  }

  onLine(bytes: Buffer, start: number, end: number): void {
    // No lone CR is left, so a CR at the end is the first half of a CRLF.
    if (end > start && bytes[end - 1] === CR) end--;
    if (this.isFirstLine) {
      this.isFirstLine = false;
      if (startsWith(bytes, start, end, byteOrderMark)) start += byteOrderMark.length;
    }
    if (start === end) {
      this.dispatch();
    } else if (startsWith(bytes, start, end, dataField)) {
      // Fast paths for performance: `data` lines are decoded directly, and the most common other line is recognized
      // without decoding.
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
    if (colon === 0) return; // A comment, sent to keep the connection alive.
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
    if (++this.dataLines > maxEventLines) throw tooManyLines();
    this.data = this.data === undefined ? value : `${this.data}\n${value}`;
  }

  private dispatch(): void {
    const { data, type, id } = this;
    this.data = undefined;
    this.dataSize = 0;
    this.dataLines = 0;
    this.type = '';
    if (data !== undefined) this.listener.onEvent({ type: type === '' ? 'message' : type, data });
    if (id !== undefined) {
      this.id = undefined;
      this.listener.onId?.(id);
    }
  }
}

function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (end - start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}
