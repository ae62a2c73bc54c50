/** Reads response bodies: decompressed, size-limited, and settled exactly once. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ByteCollector } from '../../base/byteCollector.js';
import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { tooLarge } from '../../protocol/lineSplitter.js';
import type { BodyBudget, HeldBody } from './bodyBudget.js';
import { freeBytes } from './bodyBudget.js';
import type { CallSweep, SweptCall } from './callSweep.js';

/** Content encodings that are offered. */
export const acceptedEncodings = 'gzip, br';

/** Maximum number of bytes read from a discarded body, or for an excerpt. */
const maxDiscardBytes = 65_536;
/** Maximum time to read an excerpt of a body, ms. */
const maxExcerptMs = 5_000;

/**
 * Provides the body as a decompressed stream: at once if the body is not compressed, otherwise as soon as zlib is
 * loaded. Destroying the stream closes the connection.
 */
export function openBody(
  response: IncomingMessage,
  onOpen: (body: Readable) => void,
  onFail: (error: Error) => void,
): void {
  const encoding = response.headers['content-encoding'];
  if (encoding === undefined || encoding === '' || encoding === 'identity') {
    onOpen(response);
    return;
  }
  decompress(response, encoding.trim().toLowerCase()).then(onOpen, (error: Error) => {
    response.destroy();
    onFail(error);
  });
}

async function decompress(response: IncomingMessage, encoding: string): Promise<Readable> {
  const [{ default: zlib }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  // Flushes after each chunk of input, so that an event is not held back until the next one.
  const gentle = { flush: zlib.constants.Z_SYNC_FLUSH };
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? zlib.createGunzip(gentle)
      : encoding === 'br'
        ? zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })
        : encoding === 'deflate'
          ? zlib.createInflate(gentle)
          : undefined;
  if (!decoder)
    throw new HostError(
      'invalid-message',
      `The server compressed its answer with "${visibleLine(encoding, 40)}", which was not offered.`,
      { data: { problem: 'compression', subject: encoding } },
    );
  // If the response or the decoder fails, the decoder is destroyed with the error, which the reader of the decoder
  // handles.
  pipeline(response, decoder, () => undefined);
  return decoder;
}

/**
 * Collects a body as text. Calls `done` once: with the text, with HostError `too-large`, or with the error of the
 * stream.
 * @param bodies pauses the body while all unfinished bodies together are too large.
 */
export function readText(
  body: Readable,
  maxBytes: number,
  done: (error: Error | undefined, text: string) => void,
  bodies?: BodyBudget,
): void {
  const bytes = new ByteCollector();
  // Unknown for a body that is decompressed.
  const length = 'headers' in body ? Number((body as IncomingMessage).headers['content-length']) : NaN;
  let whole: Buffer | undefined;
  let held: HeldBody | undefined;
  let isDone = false;
  const finish = (error: Error | undefined, text = '') => {
    if (isDone) return;
    isDone = true;
    bytes.clear();
    held?.holds(0);
    done(error, text);
  };
  body.on('data', (chunk: Buffer) => {
    if (isDone) return;
    if (bytes.size + chunk.length <= maxBytes) {
      // Most bodies arrive in one chunk, which needs no copy.
      if (chunk.length === length) {
        whole = chunk;
        return;
      }
      bytes.push(chunk);
      if (bodies && bytes.size > freeBytes) pauseIfHeld(body, (held ??= bodies.open()), bytes.size);
      return;
    }
    body.destroy();
    finish(tooLarge(maxBytes));
  });
  body.on('end', () => {
    const all = whole ?? bytes.take();
    // JSON has no byte order mark, but some servers write one.
    const start = all.length >= 3 && all[0] === 0xef && all[1] === 0xbb && all[2] === 0xbf ? 3 : 0;
    finish(undefined, all.toString('utf8', start));
  });
  body.on('error', (error) => finish(error));
  body.on('close', () => {
    if (!isDone) finish(new Error('the body was cut off'));
  });
}

function pauseIfHeld(body: Readable, held: HeldBody, size: number): void {
  held.holds(size);
  if (!held.isHeld) return;
  body.pause();
  held.onceFree(() => body.resume());
}

/** Reads the beginning of a body for an error message or a JSON-RPC error. Never fails, and is limited in time. */
export function readExcerpt(response: IncomingMessage, clock: Clock, done: (text: string) => void): void {
  openBody(
    response,
    (body) => {
      const bytes = new ByteCollector();
      let isDone = false;
      const finish = () => {
        if (isDone) return;
        isDone = true;
        timer.dispose();
        done(bytes.take().toString('utf8'));
      };
      const cut = () => {
        finish();
        body.destroy();
      };
      const timer = clock.after(maxExcerptMs, cut);
      body.on('data', (chunk: Buffer) => {
        if (isDone) return;
        bytes.push(chunk);
        if (bytes.size > maxDiscardBytes) cut();
      });
      // When the body ends for any reason, the received data is the excerpt.
      body.on('end', finish);
      body.on('error', finish);
      body.on('close', finish);
    },
    () => done(''),
  );
}

/** Reads and discards a body, so that its connection can be reused; gives up on a long or slow one. */
export function discardBody(response: IncomingMessage, sweep: CallSweep): void {
  if (response.headers['content-length'] === '0' || response.statusCode === 204) {
    response.resume();
    return;
  }
  let left = maxDiscardBytes;
  const swept: SweptCall = { expire: () => void response.destroy(), sweptAt: undefined, wasSeen: false };
  sweep.add(swept);
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) response.destroy();
  });
  response.on('close', () => sweep.delete(swept));
}
