import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { SseParser } from '../../../src/core/protocol/sseParser.js';

type Seen = { event: string; data: string } | { id: string } | { retry: number };

/** Feeds `bytes` in pieces that end at `cuts`, and feeds every unread rest again, as the reader does. */
function parse(bytes: Buffer, cuts: readonly number[] = [], deadline?: number): Seen[] {
  const seen: Seen[] = [];
  const parser = new SseParser({
    onEvent: ({ type, data }) => seen.push({ event: type, data }),
    onId: (id) => seen.push({ id }),
    onRetry: (retry) => seen.push({ retry }),
  });
  for (const piece of slices(bytes, cuts)) {
    let rest: Buffer | undefined = piece;
    while (rest) rest = parser.feed(rest, deadline);
  }
  return seen;
}

function slices(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  return [...ends, bytes.length].map((end) => bytes.subarray(start, (start = end)));
}

const events = (text: string) => parse(Buffer.from(text)).filter((item) => 'event' in item);

describe('[E1] server-sent events', () => {
  test('end their lines in LF, CRLF or CR, in any mixture', () => {
    const expected = [
      { event: 'message', data: 'a\nb' },
      { event: 'x', data: 'c' },
    ];
    for (const [eol, other] of [
      ['\n', '\r'],
      ['\r\n', '\n'],
      ['\r', '\r\n'],
    ] as const) {
      assert.deepEqual(
        events(`data: a${eol}data: b${eol}${eol}event: x${other}data: c${other}${other}`),
        expected,
        JSON.stringify([eol, other]),
      );
    }
  });

  test('are dispatched when a lone CR ends them, before anything follows', () => {
    assert.deepEqual(events('data: a\r\r'), [{ event: 'message', data: 'a' }]);
  });

  test('begin after a byte order mark, once', () => {
    assert.deepEqual(events('\ufeffdata: a\n\n\ufeffdata: b\n\n'), [{ event: 'message', data: 'a' }]);
  });

  test('may lack the space, the colon or the data', () => {
    assert.deepEqual(events('data:a\ndata:  b\ndata\n\n'), [{ event: 'message', data: 'a\n b\n' }]);
    assert.deepEqual(events('data\n\n'), [{ event: 'message', data: '' }]);
    assert.deepEqual(events('event: x\n\ndata: y\n\n'), [{ event: 'message', data: 'y' }]);
  });

  test('ignore comments and unknown fields', () => {
    assert.deepEqual(events(': hi\nfoo: bar\nbaz\nDATA: no\ndata: a\n:\n\n'), [{ event: 'message', data: 'a' }]);
  });

  test('report their id after the event, without NUL, and also without data', () => {
    assert.deepEqual(parse(Buffer.from('id: 1\ndata: a\n\nid: b\0d\ndata: c\n\nid: 2\n\nid\n\n')), [
      { event: 'message', data: 'a' },
      { id: '1' },
      { event: 'message', data: 'c' },
      { id: '2' },
      { id: '' },
    ]);
  });

  test('accept only digits as reconnection time', () => {
    assert.deepEqual(parse(Buffer.from('retry: 500\nretry: soon\nretry: -1\nretry: 1.5\nretry:\nretry: 0\n\n')), [
      { retry: 500 },
      { retry: 0 },
    ]);
  });

  test('[E2] that are cut off are never dispatched', () => {
    assert.deepEqual(events('data: whole\n\ndata: {"cut":'), [{ event: 'message', data: 'whole' }]);
    assert.deepEqual(events('data: no blank line\n'), []);
  });

  test('keep their characters intact for any slicing of the bytes', () => {
    const bytes = Buffer.from('data: 读取 🎉 é\u2028end\r\n\r\n');
    for (let cut = 0; cut <= bytes.length; cut++)
      assert.deepEqual(parse(bytes, [cut]), [{ event: 'message', data: '读取 🎉 é\u2028end' }]);
  });

  test('show whether the last event is unfinished', () => {
    const parser = new SseParser({ onEvent: () => undefined });
    const states = ['data: a', '\n', '\n', 'id: 1\n', ': x'].map((text) => {
      parser.feed(Buffer.from(text));
      return parser.hasPartialEvent;
    });
    assert.deepEqual(states, [true, true, false, false, true]);
  });
});

describe('[H8] the limits of an event', () => {
  const feed = (text: string, maxBytes: number) => () =>
    new SseParser({ onEvent: () => undefined }, maxBytes).feed(Buffer.from(text));

  test('apply to one line, for many, and for endless empty ones', () => {
    assert.throws(feed(`data: ${'x'.repeat(200)}`, 100), { code: 'too-large' });
    assert.throws(feed('data: 12345678901234567890\n'.repeat(10), 400), { code: 'too-large' });
    assert.throws(feed('data\n'.repeat(100), 1_000), { code: 'too-large' });
    assert.doesNotThrow(feed('data: 12345\n\n'.repeat(1_000), 100));
  });

  test('apply to the number of its lines, even short ones, and not to those of other events', () => {
    const tooMany = { code: 'invalid-message', message: /more than 50,000 lines/ };
    for (const line of ['data\n', 'data:\n', 'data:x\r\n', 'data\r'])
      assert.throws(feed(line.repeat(50_001), 2 ** 26), tooMany, line);
    assert.doesNotThrow(feed(`${'data\n'.repeat(50_000)}\n`.repeat(2), 2 ** 26));
    assert.doesNotThrow(feed(': comment\n'.repeat(200_000), 2 ** 26));
  });
});

// The oracle has no limit on lines and works on text. Its result for any mixture of these pieces is the reference.
const piece = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\r\r',
  '\r\n\r\n',
  '\ufeff',
  ':',
  ': note',
  'data',
  'data:',
  'data: x',
  'data:{"a":1}',
  'data: é🎉',
  'event: ping',
  'event: message',
  'event',
  'id: 7',
  'id',
  'id: a\0b',
  'retry: 10',
  'retry: x',
  'unknown: y',
  ' ',
  'data : z',
);

test('[E1] the parser agrees with eventsource-parser on every stream in every slicing', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.boolean(),
      (pieces, cuts, isLate) => {
        // A CR at the very end of the stream is a line end for us, but may be half of a line end for the oracle.
        const text = `${pieces.join('')}x`;
        const expected: { event: string; data: string; id: string | undefined }[] = [];
        const retries: number[] = [];
        const oracle = createParser({
          onEvent: ({ event, data, id }) => expected.push({ event: event ?? 'message', data, id }),
          onRetry: (ms) => retries.push(ms),
        });
        // The oracle leaves the byte order mark to its caller, which decodes the text.
        oracle.feed(text.replace(/^\ufeff/, ''));

        const bytes = Buffer.from(text);
        // A past deadline makes the parser stop as early as possible.
        const seen = parse(bytes, cuts, isLate ? -1 : undefined);
        assert.deepEqual(
          seen.filter((item) => 'event' in item),
          expected.map(({ event, data }) => ({ event, data })),
        );
        assert.deepEqual(
          seen.flatMap((item) => ('retry' in item ? [item.retry] : [])),
          retries,
        );
        const ids = new Set(seen.flatMap((item) => ('id' in item ? [item.id] : [])));
        for (const { id } of expected) if (id !== undefined) assert.ok(ids.has(id), `id ${id}`);
      },
    ),
    { numRuns: 2_000 },
  );
});
