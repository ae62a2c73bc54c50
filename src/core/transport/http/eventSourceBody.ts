/** The body of an event stream as `eventsource` reads it: behind our limits, event by event, in slices of time. */
import type { Readable } from 'node:stream';
import { EventCutter } from '../../protocol/eventCutter.js';

/** How long one stream may hold the event loop at a stretch, in milliseconds. */
const sliceMs = 8;
/** Every event of this size in bytes, and each 32nd smaller one, is a reason to look at the clock. */
const largeEventBytes = 16_384;
const smallEventMask = 31;

export interface EventSourceBodyListener {
  /** Everything that arrived has been read; whether the stream ended or broke is the same to its reader. */
  onEnd(): void;
  /** A line or an event is too large. */
  onUnreadable(error: unknown): void;
}

export type ReadResult = { done: false; value: Buffer } | { done: true };

/**
 * Has the one method of a web stream that `eventsource` calls. The body is read only while `eventsource` waits for an event,
 * so a server that floods us slows itself down, not the window.
 */
export class EventSourceBody {
  private readonly cutter: EventCutter;
  /** Takes the next event; there while `eventsource` waits for one. */
  private deliver: ((result: ReadResult) => void) | undefined;
  /** A `performance.now()` value; there while the time of this turn of the event loop is counted. */
  private deadline: number | undefined;
  private smallEvents = 0;
  /** Came while the chunk before was not used up; the body is paused. */
  private waiting: Buffer[] = [];
  private isPaused = false;
  private hasClosed = false;
  private isStopped = false;

  constructor(
    private readonly body: Readable,
    maxBytes: number,
    private readonly listener: EventSourceBodyListener,
  ) {
    this.cutter = new EventCutter(maxBytes);
    const close = () => {
      this.hasClosed = true;
      this.pump();
    };
    // Flowing costs less than `readable` for each small chunk.
    body.on('data', (chunk: Buffer) => this.receive(chunk));
    body.on('end', close);
    body.on('close', close);
    // Its end is what counts, and that is told by `close` too.
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

  /**
   * Ends the connection; nothing is delivered any more. `eventsource` has to be closed before, or it would connect
   * again.
   */
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

  /** Looks for the event that is waited for, until the time of this turn is over. */
  private pump(): void {
    try {
      while (this.deliver && !this.isStopped && !this.isTurnOver) {
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

  /** Takes what has arrived; false when there is nothing. */
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
   * Takes what came during the pause as one piece: a sender of single bytes would otherwise have each of them passed on alone.
   * A body that broke still gives what it holds, without an event.
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

  /** Begins to count the time of this turn, where there is much to do; the next turn goes on. */
  private count(bytes: number): void {
    if (this.deadline !== undefined || (bytes < largeEventBytes && (++this.smallEvents & smallEventMask) !== 0)) return;
    this.deadline = performance.now() + sliceMs;
    setImmediate(() => {
      this.deadline = undefined;
      this.pump();
    });
  }
}
