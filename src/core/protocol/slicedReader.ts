import type { Readable } from 'node:stream';

/** Maximum time that one stream may block the event loop without a pause, in milliseconds. */
const sliceMs = 8;

/** Chunks below this size, in bytes, indicate that the pipe is nearly empty, so the clock is not read for them. */
const smallChunkBytes = 16_384;

/**
 * Selects every 32nd small chunk, which is treated as large: over HTTP, small chunks do not mean that the connection is
 * idle, because one read of the socket yields many of them.
 */
const smallChunkMask = 31;

/** A byte parser that reads its input in slices. */
export interface ByteParser {
  /** Consumes `chunk`; may stop after `deadline` (a `performance.now()` value) and return the unread rest. */
  feed(chunk: Buffer, deadline?: number): Buffer | undefined;
}

/** Makes a reader pause between two chunks. */
export interface ReadGate {
  readonly isHeld: boolean;
  /** Calls `listener` once, when reading may continue. */
  onceFree(listener: () => void): void;
}

/**
 * Feeds a stream to a parser in slices of at most 8 ms per turn of the event loop, with back-pressure: a server that
 * sends too much slows itself down, not the window. Order is kept and nothing is dropped.
 * @param onFail receives the parser's error; reading has stopped by then.
 * @param onEnd called once, after the stream ended or closed and all received data was fed; not called after `onFail`.
 * @param gate pauses the stream while its `isHeld` is true; at most one more chunk is processed then.
 */
export function readInSlices(
  stream: Readable,
  parser: ByteParser,
  onFail: (error: unknown) => void,
  onEnd?: () => void,
  gate?: ReadGate,
): void {
  const reader = new SlicedReader(stream, parser, onFail, onEnd, gate);
  stream.on('data', (chunk: Buffer) => reader.receive(chunk));
  if (!onEnd) return;
  const end = () => reader.end();
  stream.on('end', end);
  stream.on('close', end);
}

class SlicedReader {
  /** Data for the next turn of the event loop, in order. */
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
    private readonly gate: ReadGate | undefined,
  ) {}

  receive(chunk: Buffer): void {
    if (this.hasFailed) return;
    if (this.queue.length > 0 || this.isPaused) {
      this.queue.push(chunk);
      return;
    }
    try {
      if (chunk.length < smallChunkBytes && !this.isTurnOpen && (++this.smallChunks & smallChunkMask) !== 0) {
        this.parser.feed(chunk);
        if (this.gate?.isHeld) this.pause();
        return;
      }
      if (!this.isTurnOpen) this.openTurn();
      const rest = this.parser.feed(chunk, this.deadline);
      if (rest) this.queue.push(rest);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.queue.length > 0 || this.gate?.isHeld || performance.now() > this.deadline) this.pause();
  }

  end(): void {
    if (this.hasFailed) return;
    this.hasEnded = true;
    // If the connection ended during a pause, the queued data is processed first.
    if (this.queue.length === 0) this.finish();
  }

  /** Starts one time budget for all chunks of one turn of the event loop. */
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

  private pause(): void {
    this.stream.pause();
    this.isPaused = true;
    this.drainLater();
  }

  private drainLater(): void {
    setImmediate(() => this.drain());
  }

  private drain(): void {
    if (this.hasFailed) return;
    if (this.gate?.isHeld) {
      this.gate.onceFree(() => this.drainLater());
      return;
    }
    const { queue } = this;
    this.deadline = performance.now() + sliceMs;
    try {
      let chunk: Buffer | undefined;
      while ((chunk = queue.shift()) !== undefined) {
        const rest = this.parser.feed(chunk, this.deadline);
        if (rest) queue.unshift(rest);
        if (this.gate?.isHeld || performance.now() > this.deadline) break;
      }
    } catch (error) {
      this.fail(error);
      return;
    }
    if (queue.length > 0 || this.gate?.isHeld) this.drainLater();
    else if (this.hasEnded) this.finish();
    else this.goOn();
  }

  /**
   * Reads the data that arrived during the pause as one chunk. Otherwise single bytes would be queued and passed on as
   * separate objects.
   */
  private goOn(): void {
    this.isPaused = false;
    // The budget of the slices that have already run also applies to the rest of this turn.
    if (!this.isTurnOpen) this.markTurn();
    // Reading a paused stream passes all its buffered data to `receive`, which may pause again.
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
