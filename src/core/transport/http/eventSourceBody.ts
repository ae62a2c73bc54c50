/** The body of an event stream for the package `eventsource`: with size limits, one event at a time, in time slices. */
import type { Readable } from 'node:stream';
import type { ReadGate } from '../../protocol/slicedReader.js';
import { EventCutter } from '../../protocol/eventCutter.js';

/** Maximum time that one stream may block the event loop, ms. */
const sliceMs = 8;
/** The clock is read at every event of at least this size, in bytes, and at every 32nd smaller event. */
const largeEventBytes = 16_384;
const smallEventMask = 31;

export interface EventSourceBodyListener {
  /** Called when everything received has been read, whether the stream ended or broke. */
  onEnd(): void;
  /** Called when a line or an event is too large, or when an event has too many lines. */
  onUnreadable(error: unknown): void;
}

export type ReadResult = { done: false; value: Buffer } | { done: true };

/**
 * Implements the one method of a web stream that `eventsource` calls. The body is read only while `eventsource` waits
 * for an event, so a server that sends too much slows down only itself.
 */
export class EventSourceBody {
  private readonly cutter: EventCutter;
  /** Delivers the next event; set while `eventsource` waits for one. */
  private deliver: ((result: ReadResult) => void) | undefined;
  /** End of the current time slice, as a `performance.now()` value; undefined if no slice is being measured. */
  private deadline: number | undefined;
  private smallEvents = 0;
  /** Chunks that arrived before the previous one was consumed; the body is paused. */
  private waiting: Buffer[] = [];
  private isPaused = false;
  private isHeld = false;
  private hasClosed = false;
  private isStopped = false;

  constructor(
    private readonly body: Readable,
    maxBytes: number,
    private readonly listener: EventSourceBodyListener,
    /** While `isHeld` of the gate is true, no event is delivered and the body is paused. */
    private readonly gate: ReadGate,
  ) {
    this.cutter = new EventCutter(maxBytes);
    const close = () => {
      this.hasClosed = true;
      this.pump();
    };
    // Flowing mode is cheaper than `readable` for many small chunks.
    body.on('data', (chunk: Buffer) => this.receive(chunk));
    body.on('end', close);
    body.on('close', close);
    // `close` follows each error and ends the stream.
    body.on('error', () => undefined);
  }

  getReader(): { read: () => Promise<ReadResult>; cancel: () => Promise<void> } {
    return {
      read: () => this.read(),
      cancel: () => {
        this.stop();
        return Promise.resolve();
      },
    };
  }

  /** Closes the connection; delivers nothing afterwards. Close `eventsource` first, because otherwise it reconnects. */
  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.cutter.clear();
    this.waiting = [];
    this.body.destroy();
    this.hand({ done: true });
  }

  private read(): Promise<ReadResult> {
    if (this.isStopped) return Promise.resolve({ done: true });
    return new Promise((resolve) => {
      this.deliver = resolve;
      this.pump();
    });
  }

  private hand(result: ReadResult): void {
    const { deliver } = this;
    this.deliver = undefined;
    deliver?.(result);
  }

  private receive(chunk: Buffer): void {
    if (this.isPaused) {
      this.waiting.push(chunk);
      return;
    }
    if (this.cutter.needsBytes) this.cutter.feed(chunk);
    else {
      this.waiting.push(chunk);
      this.isPaused = true;
      this.body.pause();
    }
    this.pump();
  }

  /** Searches for the requested event until the time slice is over. */
  private pump(): void {
    try {
      while (this.deliver && !this.isStopped && !this.isTurnOver) {
        if (this.gate.isHeld) {
          this.waitForGate();
          return;
        }
        if (this.cutter.needsBytes && !this.fill()) return;
        const event = this.cutter.next();
        this.count(event?.length ?? 0);
        if (event) this.hand({ done: false, value: event });
      }
    } catch (error) {
      this.listener.onUnreadable(error);
      this.stop();
    }
  }

  private waitForGate(): void {
    if (this.isHeld) return;
    this.isHeld = true;
    this.gate.onceFree(() =>
      setImmediate(() => {
        this.isHeld = false;
        this.pump();
      }),
    );
  }

  /** Passes the received data to the cutter; returns false if there is none. */
  private fill(): boolean {
    if (this.isPaused) this.goOn();
    const chunk = this.waiting.length > 1 ? Buffer.concat(this.waiting) : this.waiting[0];
    this.waiting = [];
    if (chunk) this.cutter.feed(chunk);
    else if (this.hasClosed) {
      this.listener.onEnd();
      this.stop();
    }
    return chunk !== undefined;
  }

  /**
   * Takes the data received during the pause as one chunk, so that single bytes are not passed on one by one. A broken
   * body still returns its buffered data, but emits no event for it.
   */
  private goOn(): void {
    const before = this.waiting.length;
    const held = this.body.read() as Buffer | null;
    if (held && this.waiting.length === before) this.waiting.push(held);
    this.isPaused = false;
    this.body.resume();
  }

  private get isTurnOver(): boolean {
    return this.deadline !== undefined && performance.now() > this.deadline;
  }

  /**
   * Counts received bytes, and starts a time slice if there is much data. The next turn of the event loop continues.
   */
  private count(bytes: number): void {
    if (this.deadline !== undefined || (bytes < largeEventBytes && (++this.smallEvents & smallEventMask) !== 0)) return;
    this.deadline = performance.now() + sliceMs;
    setImmediate(() => {
      this.deadline = undefined;
      this.pump();
    });
  }
}
