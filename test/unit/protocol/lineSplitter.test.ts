import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../../src/core/protocol/lineSplitter.js';

/** The lines of the bytes, and the unfinished line at their end, which a newline completes. */
function split(bytes: Buffer, cuts: readonly number[], deadline?: number): { lines: string[]; rest: string } {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    let piece: Buffer | undefined = bytes.subarray(start, end);
    while (piece) piece = splitter.feed(piece, deadline);
    start = end;
  }
  const complete = [...lines];
  splitter.feed(Buffer.from('\n'));
  return { lines: complete, rest: lines[complete.length] ?? '' };
}

describe('[F1] lines', () => {
  test('are the same for any slicing of the bytes', () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom('\n', '\r\n', '\n\n', '\u2028', '\u0085'), fc.string({ unit: 'grapheme' })), {
        maxLength: 40,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), (whole, cuts, isLate) => {
        const expected = whole.split('\n');
        const rest = expected.pop() ?? '';
        assert.deepEqual(split(Buffer.from(whole), cuts, isLate ? -1 : undefined), { lines: expected, rest });
      }),
      { numRuns: 1_000 },
    );
  });

  test('stop at the deadline and continue with the rest, in order', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    const bytes = Buffer.from(Array.from({ length: 40 }, (_, i) => `${i}\n`).join(''));
    let rounds = 0;
    for (let rest: Buffer | undefined = bytes; rest; rest = splitter.feed(rest, -1)) rounds++;
    assert.deepEqual({ lines, rounds }, { lines: Array.from({ length: 40 }, (_, i) => `${i}`), rounds: 3 });
  });
});

describe('[F4, H8] the limit of a line', () => {
  const feed =
    (...pieces: string[]) =>
    () => {
      const splitter = new LineSplitter(() => undefined, 10);
      for (const piece of pieces) splitter.feed(Buffer.from(piece));
    };

  test('applies within one chunk, over several, and for an unfinished line', () => {
    const tooLarge = { code: 'too-large', data: { limitBytes: 10 } };
    assert.throws(feed('12345678901\n'), tooLarge);
    assert.throws(feed('1234567', '89012', '\n'), tooLarge);
    assert.throws(feed('12345678901'), tooLarge);
    assert.doesNotThrow(feed('1234567890\n', '12345', '67890\n'));
  });

  test('discards the whole long line', () => {
    const splitter = new LineSplitter(() => undefined, 10);
    assert.throws(() => splitter.feed(Buffer.alloc(20, 97)));
    assert.equal(splitter.pendingBytes, 0);
  });
});
