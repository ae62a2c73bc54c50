import { ByteCollector } from '../base/byteCollector.js';
import { lineCost, maxEventLines, tooManyLines } from './eventLimits.js';
import { LineFeeds } from './lineFeeds.js';
import { tooLarge } from './lineSplitter.js';

const LF = 10;
const CR = 13;
const COLON = 58;

const lineFeed = Buffer.from('\n');
const byteOrderMark = Buffer.from('\ufeff');
const dataField = Buffer.from('data');
const eventField = Buffer.from('event');
const messageLine = Buffer.from('event: message\n');
const dataPrefix = Buffer.from('data:');

/** Number of lines after which `next` returns, so that its caller can check the clock. */
const maxLines = 64;

/**
 * Cuts an event stream into complete events (WHATWG HTML section 9.2), for a parser without size limits. Passes on only
 * the lines that make up an event: its `event` and `data` lines and the empty line at the end, each ending in LF. Drops
 * the byte order mark, comments, `id`, `retry`, unknown fields and events without data. The sizes of a line and of an
 * event are bounded, and an event has at most 50,000 lines.
 */
export class EventCutter {
  private readonly lineFeeds = new LineFeeds();
  /** The beginning of a line whose end has not arrived yet. */
  private readonly begun = new ByteCollector();
  /** The lines of an event whose end has not arrived yet. */
  private readonly event = new ByteCollector();
  private eventSize = 0;
  private eventLines = 0;
  private hasData = false;
  private isFirstLine = true;
  private rest: Buffer | undefined;

  /** @param maxBytes maximum size of a line, and of an event including 32 bytes for each line; default 64 MiB. */
  constructor(private readonly maxBytes = 64 * 1024 * 1024) {}

  /** True when `next` has nothing left to cut and `feed` may be called. */
  get needsBytes(): boolean {
    return this.rest === undefined;
  }

  /** Adds a chunk. Call it only while `needsBytes` is true. */
  feed(chunk: Buffer): void {
    this.rest = this.lineFeeds.convert(chunk);
  }

  /**
   * The next complete event; undefined when more bytes are needed, or after 64 lines without one. Throws HostError
   * `too-large` for a line or an event above the size limit, and `invalid-message` for an event of too many lines.
   */
  next(): Buffer | undefined {
    const plain = this.takePlainEvent();
    if (plain) return plain;
    for (let lines = 0; lines < maxLines; lines++) {
      const line = this.takeLine();
      if (!line) return undefined;
      const event = this.addLine(line);
      if (event) return event;
    }
    return undefined;
  }

  /** Drops all state. */
  clear(): void {
    this.rest = undefined;
    this.begun.clear();
    this.forgetEvent();
  }

  /**
   * Returns a complete event of the most common kind (one line of data, possibly preceded by the line `event: message`)
   * without copying it.
   */
  private takePlainEvent(): Buffer | undefined {
    const { rest } = this;
    if (!rest || this.begun.size > 0 || this.event.size > 0) return undefined;
    const dataAt = startsWith(rest, messageLine) ? messageLine.length : 0;
    if (!startsWith(rest, dataPrefix, dataAt)) return undefined;
    const end = rest.indexOf(LF, dataAt);
    if (end === -1 || rest[end + 1] !== LF || rest[end - 1] === CR || end + 2 * lineCost > this.maxBytes)
      return undefined;
    this.isFirstLine = false;
    this.rest = end + 2 === rest.length ? undefined : rest.subarray(end + 2);
    return rest.subarray(0, end + 2);
  }

  /** The next line, including its LF. */
  private takeLine(): Buffer | undefined {
    const { rest, begun } = this;
    if (!rest) return undefined;
    const end = rest.indexOf(LF) + 1;
    if (begun.size + (end === 0 ? rest.length : end - 1) > this.maxBytes) throw tooLarge(this.maxBytes);
    if (end === 0) {
      this.rest = undefined;
      begun.push(rest);
      return undefined;
    }
    const line = rest.subarray(0, end);
    this.rest = end === rest.length ? undefined : rest.subarray(end);
    if (begun.size === 0) return line;
    begun.push(line);
    return begun.take();
  }

  private addLine(line: Buffer): Buffer | undefined {
    if (this.isFirstLine) {
      this.isFirstLine = false;
      if (startsWith(line, byteOrderMark)) line = line.subarray(byteOrderMark.length);
    }
    // No lone CR is left, so a CR before the LF is the first half of a CRLF.
    const isCrLf = line.length > 1 && line[line.length - 2] === CR;
    const end = line.length - (isCrLf ? 2 : 1);
    if (end === 0) return this.endEvent();
    const isData = isField(line, end, dataField);
    if (!isData && !isField(line, end, eventField)) return undefined;
    this.hasData ||= isData;
    this.eventSize += end + lineCost;
    if (this.eventSize > this.maxBytes) throw tooLarge(this.maxBytes);
    if (++this.eventLines > maxEventLines) throw tooManyLines();
    this.event.push(isCrLf ? line.subarray(0, end) : line);
    if (isCrLf) this.event.push(lineFeed);
    return undefined;
  }

  private endEvent(): Buffer | undefined {
    const { hasData } = this;
    if (hasData) this.event.push(lineFeed);
    const whole = hasData ? this.event.take() : undefined;
    this.forgetEvent();
    return whole;
  }

  private forgetEvent(): void {
    this.event.clear();
    this.eventSize = 0;
    this.eventLines = 0;
    this.hasData = false;
  }
}

/** Whether the line up to `end` has this field: the field name alone, or followed by a colon. */
function isField(line: Buffer, end: number, name: Buffer): boolean {
  return (end === name.length || line[name.length] === COLON) && startsWith(line, name);
}

function startsWith(bytes: Buffer, prefix: Buffer, at = 0): boolean {
  for (let i = 0; i < prefix.length; i++) if (bytes[at + i] !== prefix[i]) return false;
  return true;
}
