import type { Readable } from 'node:stream';

/** How long one stream may hold the event loop at a stretch, in milliseconds. */
const sliceMs = 8;

/** Chunks below this size mean that the pipe is drained: no flood, no clock needed. */
const smallChunkBytes = 16_384;

/** Not so over HTTP, where one read of the socket yields many small chunks: each 32nd one counts as a big one. */
const smallChunkMask = 31;

/** What a byte parser has to offer to be read in slices. */
export interface ByteParser {
  /** Consumes `chunk`; may stop after `deadline` (a `performance.now()` value) and return the unread rest. */
  feed(chunk: Buffer, deadline?: number): Buffer | undefined;
}

/**
 * Feeds a stream to a parser in slices of at most 8 ms a loop turn, with back-pressure: a server that floods us slows
 * itself down, not the window. Order is kept and nothing is dropped.
 * @param onFail receives what the parser threw; reading has stopped by then.
 * @param onEnd called once, after the stream ended or closed and everything that had arrived was fed; not after `onFail`.
 */
export function readInSlices(
  stream: Readable,
  parser: ByteParser,
  onFail: (error: unknown) => void,
  onEnd?: () => void,
): void {
  const reader = new SlicedReader(stream, parser, onFail, onEnd);
  stream.on('data', (chunk: Buffer) => reader.receive(chunk));
  if (!onEnd) return;
  const end = () => reader.end();
  stream.on('end', end);
  stream.on('close', end);
}

class SlicedReader {
  /** What waits for the next turn, in order. */
  private queue: Buffer[] = [];
  private deadline = 0;
  private isTurnOpen = false;
  private smallChunks = 0;
  private hasFailed = false;
  private hasEnded = false;
  private isFinished = false;
  private isPaused = false;

  constructor(
    private readonly stream: Readable,
    private readonly parser: ByteParser,
    private readonly onFail: (error: unknown) => void,
    private readonly onEnd: (() => void) | undefined,
  ) {}

  receive(chunk: Buffer): void {
    if (this.hasFailed) return;
    if (this.queue.length > 0) {
      this.queue.push(chunk);
      return;
    }
    try {
      if (chunk.length < smallChunkBytes && !this.isTurnOpen && (++this.smallChunks & smallChunkMask) !== 0) {
        this.parser.feed(chunk);
        return;
      }
      if (!this.isTurnOpen) this.openTurn();
      const rest = this.parser.feed(chunk, this.deadline);
      if (rest) this.queue.push(rest);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.queue.length > 0 || performance.now() > this.deadline) {
      this.stream.pause();
      this.isPaused = true;
      this.drainLater();
    }
  }

  end(): void {
    if (this.hasFailed) return;
    this.hasEnded = true;
    // A connection that broke while we were pausing still owes its last slices.
    if (this.queue.length === 0) this.finish();
  }

  /** One budget for all the chunks of one loop turn. */
  private openTurn(): void {
    this.deadline = performance.now() + sliceMs;
    this.markTurn();
  }

  private markTurn(): void {
    this.isTurnOpen = true;
    setImmediate(() => {
      this.isTurnOpen = false;
    });
  }

  private drainLater(): void {
    setImmediate(() => this.drain());
  }

  private drain(): void {
    if (this.hasFailed) return;
    const { queue } = this;
    this.deadline = performance.now() + sliceMs;
    try {
      let chunk: Buffer | undefined;
      while ((chunk = queue.shift()) !== undefined) {
        const rest = this.parser.feed(chunk, this.deadline);
        if (rest) queue.unshift(rest);
        if (performance.now() > this.deadline) break;
      }
    } catch (error) {
      this.fail(error);
      return;
    }
    if (queue.length > 0) this.drainLater();
    else if (this.hasEnded) this.finish();
    else this.goOn();
  }

  /**
   * What came during the pause is taken as one piece: a sender of single bytes would otherwise have each of them waiting as an
   * object of its own, and passed on alone.
   */
  private goOn(): void {
    this.isPaused = false;
    // Still the turn whose budget the slices before have begun.
    if (!this.isTurnOpen) this.markTurn();
    // A paused stream gives all that it holds to `receive`, which may find that it is time for another pause.
    this.stream.read();
    if (!this.isPaused && !this.hasFailed) this.stream.resume();
  }

  private finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.onEnd?.();
  }

  private fail(error: unknown): void {
    this.hasFailed = true;
    this.queue = [];
    this.onFail(error);
  }
}
