import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { frameWithLength } from '../../../src/core/transport/contentLengthFraming.js';
import { FramingDetector } from '../../../src/core/transport/framingDetector.js';

/** The output for `bytes` when they arrive in pieces of these sizes, repeated. */
function read(
  bytes: Buffer,
  sizes: readonly number[],
  deadline?: number,
): { messages: unknown[]; strays: string[]; switches: number } {
  const messages: unknown[] = [];
  const strays: string[] = [];
  let switches = 0;
  const detector = new FramingDetector(
    {
      onText: (text) => {
        try {
          messages.push(JSON.parse(text));
          return true;
        } catch {
          strays.push(text);
          return false;
        }
      },
      onContentLength: () => switches++,
    },
    1_000_000,
  );
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    let piece: Buffer | undefined = bytes.subarray(start, start + size);
    while (piece) piece = detector.feed(piece, deadline);
    start += size;
  }
  return { messages, strays, switches };
}

describe('[F5] for any slicing of the bytes', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  const banner = fc.array(
    fc.stringMatching(/^[ -~]{0,30}$/).filter((line) => !/^\s*(?:content-|[[{"\d.-]|true|false|null)/i.test(line)),
    { maxLength: 5 },
  );
  const messages = fc.array(
    fc.record({ jsonrpc: fc.constant('2.0'), text: fc.string({ unit: 'grapheme' }) }, { noNullPrototype: true }),
    { minLength: 1, maxLength: 10 },
  );

  test('Content-Length framing is recognized, after a banner too', () => {
    fc.assert(
      fc.property(banner, messages, sizes, fc.boolean(), (lines, sent, cuts, isLate) => {
        const bytes = Buffer.from(
          [
            ...lines.map((line) => `${line}\n`),
            ...sent.map((message) => frameWithLength(JSON.stringify(message))),
          ].join(''),
        );
        assert.deepEqual(read(bytes, cuts, isLate ? -1 : undefined), { messages: sent, strays: lines, switches: 1 });
      }),
      { numRuns: 500 },
    );
  });

  test('lines stay lines, and a header among them is an invalid line', () => {
    fc.assert(
      fc.property(banner, messages, sizes, fc.boolean(), (lines, sent, cuts, isLate) => {
        const odd = 'Content-Length: 5';
        const bytes = Buffer.from(
          [...lines, ...sent.map((message) => JSON.stringify(message)), odd].map((line) => `${line}\n`).join(''),
        );
        assert.deepEqual(read(bytes, cuts, isLate ? -1 : undefined), {
          messages: sent,
          strays: [...lines, odd],
          switches: 0,
        });
      }),
      { numRuns: 500 },
    );
  });
});
