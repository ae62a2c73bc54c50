/** Reading response bodies: decompressed, bounded, and settled once whatever the connection does. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ByteCollector } from '../../base/byteCollector.js';
import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { tooLarge } from '../../protocol/lineSplitter.js';
import type { CallSweep, SweptCall } from './callSweep.js';

/** What a server may use where compression is offered. */
export const acceptedEncodings = 'gzip, br';

/** How much of an uninteresting body is read. */
const maxDiscardBytes = 65_536;
/** How long is waited for the excerpt of a body. */
const maxExcerptMs = 5_000;

/**
 * Gives the body as a stream of plain bytes. At once when it is not compressed; otherwise as soon as zlib is loaded.
 * Destroying the stream ends the connection.
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
  // Flushed after each piece of input, so that an event is not held back until the next one.
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
  // The decoder is destroyed with the error of whichever side fails; its reader hears of it there.
  pipeline(response, decoder, () => undefined);
  return decoder;
}

/**
 * Collects a body as text. Calls `done` once: with the text, with HostError `too-large`, or with what broke the
 * stream.
 */
export function readText(
  body: Readable,
  maxBytes: number,
  done: (error: Error | undefined, text: string) => void,
): void {
  const bytes = new ByteCollector();
  let isDone = false;
  const finish = (error: Error | undefined, text = '') => {
    if (isDone) return;
    isDone = true;
    bytes.clear();
    done(error, text);
  };
  body.on('data', (chunk: Buffer) => {
    if (isDone) return;
    if (bytes.size + chunk.length <= maxBytes) {
      bytes.push(chunk);
      return;
    }
    body.destroy();
    finish(tooLarge(maxBytes));
  });
  body.on('end', () => {
    const whole = bytes.take();
    // A byte order mark is no JSON, but some servers write one.
    const start = whole.length >= 3 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf ? 3 : 0;
    finish(undefined, whole.toString('utf8', start));
  });
  body.on('error', (error) => finish(error));
  body.on('close', () => {
    if (!isDone) finish(new Error('the body was cut off'));
  });
}

/** Reads the beginning of a body, for an error message or a JSON-RPC error; never fails, and never takes long. */
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
      // Whatever ends the body, what has come is the excerpt.
      body.on('end', finish);
      body.on('error', finish);
      body.on('close', finish);
    },
    () => done(''),
  );
}

/** Reads a body that nobody wants, so that its connection can be used again; gives up on a long or slow one. */
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
