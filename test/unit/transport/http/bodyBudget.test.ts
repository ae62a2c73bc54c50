import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import zlib from 'node:zlib';
import { BodyBudget } from '../../../../src/core/transport/http/bodyBudget.js';
import { readText } from '../../../../src/core/transport/http/httpBody.js';
import { MessageStream } from '../../../../src/core/transport/http/messageStream.js';
import { connected } from './startedTransport.js';

const maxMessageBytes = 1_000_000;
const chunkBytes = 10_000;
const gate = { isHeld: false, onceFree: () => undefined };

/** A body of 900,000 bytes, and what became of it. */
class TestBody {
  readonly stream = new PassThrough({ highWaterMark: chunkBytes });
  ended = '';

  constructor(head: string, tail: string) {
    this.tail = tail;
    this.stream.write(head);
    for (let count = 0; count < 90; count++) this.stream.write('x'.repeat(chunkBytes));
  }
  private readonly tail: string;

  /** Bytes that were read and are not returned yet. */
  get held(): number {
    return this.ended === '' ? 90 * chunkBytes - this.stream.writableLength - this.stream.readableLength : 0;
  }

  end(): void {
    this.stream.end(this.tail);
  }
}

/** Lets all streams move until nothing changes anymore. */
async function settled(bodies: readonly TestBody[]): Promise<number> {
  let before = -1;
  for (let quiet = 0; quiet < 20;) {
    await setImmediate();
    const now = bodies.reduce((sum, { held }) => sum + held, 0);
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
  return before;
}

const kinds: Record<string, (bodies: BodyBudget) => TestBody> = {
  JSON: (bodies) => {
    const body = new TestBody('', '');
    readText(body.stream, maxMessageBytes, (error, text) => (body.ended = error?.message ?? text), bodies);
    return body;
  },
  events: (bodies) => {
    const body = new TestBody('data: {"a":"', '"}\n\n');
    const listener = {
      onMessage: (_message: unknown, text: string) => void (body.ended = text),
      onUnreadableEvent: assert.fail,
      onWarning: assert.fail,
      onEnd: () => undefined,
      onUnreadable: (error: unknown) => void (body.ended = String(error)),
    };
    new MessageStream(listener, { maxMessageBytes, gate, bodies }).read(
      Object.assign(body.stream, { headers: {} }) as unknown as IncomingMessage,
    );
    return body;
  },
};

describe('unfinished bodies of one server', () => {
  for (const [kind, open] of Object.entries(kinds)) {
    test(`of ${kind} hold at most four times the size of one, and all are read to their end`, async () => {
      const budget = new BodyBudget(maxMessageBytes);
      const bodies = Array.from({ length: 12 }, () => open(budget));
      assert.ok((await settled(bodies)) < 6 * maxMessageBytes);
      for (const body of bodies) body.end();
      await settled(bodies);
      for (const { ended } of bodies) assert.match(ended, /x{900000}/);
    });

    test(`of ${kind} free their bytes when they break`, async () => {
      const budget = new BodyBudget(maxMessageBytes);
      const broken = Array.from({ length: 12 }, () => open(budget));
      await settled(broken);
      const last = open(budget);
      for (const { stream } of broken) stream.destroy();
      last.end();
      await settled([last]);
      assert.match(last.ended, /x{900000}/);
    });
  }

  test('are limited together in a transport, and a small answer arrives beside them', async () => {
    const held: (() => void)[] = [];
    const { peer } = await connected(
      ({ rpc, response }) => {
        const zip = zlib.createGzip();
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        zip.pipe(response);
        const end = () => zip.end('"}}');
        zip.write(
          `{"jsonrpc":"2.0","id":${rpc?.id},"result":{"text":"${'x'.repeat(rpc?.method === 'ping' ? 0 : 900_000)}`,
        );
        if (rpc?.method === 'ping') end();
        else {
          held.push(end);
          zip.flush();
        }
      },
      { maxMessageBytes },
    );
    const answers = Array.from({ length: 12 }, () => peer.request('tools/list'));
    while (held.length < answers.length) await setImmediate();
    await peer.request('ping');
    for (const end of held) end();
    for (const answer of await Promise.all(answers))
      assert.equal(JSON.stringify(answer).includes('x'.repeat(900_000)), true);
  });
});
