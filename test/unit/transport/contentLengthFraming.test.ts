import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ContentLengthParser,
  frameWithLength,
  isContentLengthStart,
} from '../../../src/core/transport/contentLengthFraming.js';

test('[F5] messages are complete for any slicing of the bytes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 50 })),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      (texts, sizes) => {
        const sent = texts.map((text) => JSON.stringify(text));
        const bytes = Buffer.from(sent.map(frameWithLength).join(''));
        const received: string[] = [];
        const parser = new ContentLengthParser((text) => received.push(text), 1_000_000);
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          parser.feed(bytes.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(
          received.map((text) => JSON.parse(text) as unknown),
          texts,
        );
      },
    ),
  );
});

test('[F5] messages sent in this framing can also be read line by line', () => {
  const [header, empty, body, rest] = frameWithLength('{"a":"ü"}').split(/\r?\n/);
  assert.deepEqual([header, empty, body, rest], ['Content-Length: 11', '', '{"a":"ü"}', '']);
});

test('[F5] the framing is detected from the first line of a message', () => {
  assert.deepEqual(
    [
      isContentLengthStart('content-length: 5\r'),
      isContentLengthStart('{"jsonrpc"'),
      isContentLengthStart('Content of the day'),
    ],
    [true, false, false],
  );
});

test('[F5] bare line feeds end a header too', () => {
  const received: string[] = [];
  new ContentLengthParser((text) => received.push(text), 100).feed(
    Buffer.from('Content-Length: 2\n\n{}Content-Length: 2\r\n\r\n[]'),
  );
  assert.deepEqual(received, ['{}', '[]']);
});

test('[F4] a body over the limit and an endless header are errors', () => {
  assert.throws(() => new ContentLengthParser(() => undefined, 10).feed(Buffer.from('Content-Length: 11\r\n\r\n')), {
    code: 'too-large',
  });
  assert.throws(() => new ContentLengthParser(() => undefined, 10).feed(Buffer.alloc(10_000, 'x')), {
    code: 'invalid-message',
  });
});
