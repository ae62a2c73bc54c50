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
export function readInSlices(stream: Readable, parser: ByteParser, onFail: (error: unknown) => void, onEnd?: () => void): void {
  let queue: Buffer[] = [];
  let deadline = 0;
  let isTurnOpen = false;
  let smallChunks = 0;
  let hasFailed = false;
  let hasEnded = false;
  let isFinished = false;

  const fail = (error: unknown) => {
    hasFailed = true;
    queue = [];
    onFail(error);
  };
  const closeTurn = () => {
    isTurnOpen = false;
  };
  const drain = () => {
    if (hasFailed) return;
    deadline = performance.now() + sliceMs;
    try {
      let chunk: Buffer | undefined;
      while ((chunk = queue.shift()) !== undefined) {
        const rest = parser.feed(chunk, deadline);
        if (rest) queue.unshift(rest);
        if (performance.now() > deadline) break;
      }
    } catch (error) {
      fail(error);
      return;
    }
    if (queue.length > 0) setImmediate(drain);
    else if (hasEnded) finish();
    else stream.resume();
  };
  const finish = () => {
    if (isFinished) return;
    isFinished = true;
    onEnd?.();
  };

  stream.on('data', (chunk: Buffer) => {
    if (hasFailed) return;
    if (queue.length > 0) {
      queue.push(chunk);
      return;
    }
    try {
      if (chunk.length < smallChunkBytes && !isTurnOpen && (++smallChunks & smallChunkMask) !== 0) {
        parser.feed(chunk);
        return;
      }
      if (!isTurnOpen) {
        // One budget for all the chunks of one loop turn.
        isTurnOpen = true;
        deadline = performance.now() + sliceMs;
        setImmediate(closeTurn);
      }
      const rest = parser.feed(chunk, deadline);
      if (rest) queue.push(rest);
    } catch (error) {
      fail(error);
      return;
    }
    if (queue.length > 0 || performance.now() > deadline) {
      stream.pause();
      setImmediate(drain);
    }
  });

  if (!onEnd) return;
  const end = () => {
    if (hasFailed) return;
    hasEnded = true;
    // A connection that broke while we were pausing still owes its last slices.
    if (queue.length === 0) finish();
  };
  stream.on('end', end);
  stream.on('close', end);
}
