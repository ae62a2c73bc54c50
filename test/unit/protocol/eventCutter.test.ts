import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { EventCutter } from '../../../src/core/protocol/eventCutter.js';
import { SseParser } from '../../../src/core/protocol/sseParser.js';

/** The events that it passes on, as text, when `bytes` arrive in pieces that end at `cuts`. */
function cut(bytes: Buffer, cuts: readonly number[] = [], maxBytes?: number): string[] {
  const cutter = new EventCutter(maxBytes);
  const events: string[] = [];
  const ends = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    if (end > start) cutter.feed(bytes.subarray(start, end));
    start = end;
    while (!cutter.needsBytes) {
      const event = cutter.next();
      if (event) events.push(event.toString());
    }
  }
  return events;
}

const cutText = (text: string, maxBytes?: number) => cut(Buffer.from(text), [], maxBytes);

interface Seen {
  type: string;
  data: string;
}

/** The events that the parser of the package reads from whole events. */
function parsed(events: readonly string[]): Seen[] {
  const seen: Seen[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => seen.push({ type: event ?? 'message', data }) });
  for (const event of events) parser.feed(event);
  return seen;
}

describe('[E1] an event stream cut into whole events', () => {
  test('contains the lines of events and nothing else', () => {
    assert.deepEqual(
      cutText('\ufeffid: 1\r\nretry: 1\r\n: hi\r\nevent: x\r\nDATA: no\r\ndatabase: no\r\ndata: a\r\ndata\r\n\r\n'),
      ['event: x\ndata: a\ndata\n\n'],
    );
    assert.deepEqual(cutText('\n\nevent: x\n\nid: 1\n\n: hi\n\ndata: a\n\n'), ['data: a\n\n']);
  });

  test('is passed on when a lone CR ends it, before anything follows', () => {
    assert.deepEqual(cutText('event: x\rdata: a\r\r'), ['event: x\ndata: a\n\n']);
  });

  test('omits an event without an end', () => {
    assert.deepEqual(cutText('data: a\n\ndata: b\n'), ['data: a\n\n']);
  });

  test('gives the parser of the package the same as our own parser reads, for any slicing of the bytes', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        'data',
        'data:',
        'data: a',
        'data:b',
        'event: x',
        'event: message',
        'event',
        'event:',
        'id: 7',
        'retry: 5',
        ': comment',
        'unknown: u',
        'databases: no',
        'eventual',
        '\ufeffdata: c',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }).map((text) => `data: ${text}`),
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map(([text, end]) => text + end).join(''));
        const expected: Seen[] = [];
        new SseParser({ onEvent: (event) => expected.push(event) }).feed(bytes);
        assert.deepEqual(parsed(cut(bytes, cuts)), expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('[F9, H8] an event stream cut into whole events', () => {
  test('ends with a line that is too long, for any field and before the line is complete', () => {
    for (const line of ['data: ', ': ', 'id: ', 'unknown: ']) {
      assert.throws(() => cutText(line + 'a'.repeat(100), 100), { code: 'too-large' }, line);
      assert.throws(
        () =>
          cut(
            Buffer.from(line + 'a'.repeat(100)),
            Array.from({ length: 100 }, (_, at) => at),
            100,
          ),
        { code: 'too-large' },
        line,
      );
    }
  });

  test('ends with an event that has too many lines, and counts the lines of each event separately', () => {
    const tooMany = { code: 'invalid-message', message: /more than 50,000 lines/ };
    for (const line of ['data\n', 'data:x\r\n', 'event:\n']) assert.throws(() => cutText(line.repeat(50_001)), tooMany);
    assert.equal(cutText(`${'data\n'.repeat(50_000)}\n`.repeat(2)).length, 2);
    assert.equal(cutText(': comment\n'.repeat(200_000)).length, 0);
  });

  test('ends with an event of many lines that is too large, also when they are empty', () => {
    assert.throws(() => cutText('data: 0123456789\n'.repeat(10), 200), { code: 'too-large' });
    assert.throws(() => cutText('data\n'.repeat(10), 200), { code: 'too-large' });
    assert.throws(() => cutText('event: a\n'.repeat(10), 200), { code: 'too-large' });
  });

  test('has no limit for omitted lines, and none for all events together', () => {
    assert.deepEqual(cutText(`${': keep-alive\nid: 1\nretry: 9\n'.repeat(1_000)}data: a\n\n`, 200), ['data: a\n\n']);
    assert.equal(cutText('data: a\n\n'.repeat(1_000), 200).length, 1_000);
  });

  test('pauses after 64 lines without an event', () => {
    const cutter = new EventCutter();
    cutter.feed(Buffer.from(`${':\n'.repeat(100)}data: a\n\n`));
    assert.deepEqual([cutter.next(), cutter.needsBytes], [undefined, false]);
    assert.equal(cutter.next()?.toString(), 'data: a\n\n');
  });
});
