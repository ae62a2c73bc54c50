import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { LineSplitter } from '../../../src/core/protocol/lineSplitter.js';
import { readInSlices } from '../../../src/core/protocol/slicedReader.js';

/** Blocks the event loop for `ms`, as an expensive message would. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const flood = (count: number) => Buffer.from(Array.from({ length: count }, (_, i) => `${i}\n`).join(''));

function read(stream: PassThrough, onLine: (line: string) => void): Promise<'end' | Error> {
  return new Promise((resolve) => {
    readInSlices(
      stream,
      new LineSplitter(onLine, 1_000),
      (error) => resolve(error as Error),
      () => resolve('end'),
    );
  });
}

describe('reading in slices', () => {
  test('lets other work run during a flood, loses nothing and keeps the order', async () => {
    const stream = new PassThrough();
    const lines: string[] = [];
    let turns = 0;
    const done = read(stream, (line) => {
      lines.push(line);
      if (line !== '') work(0.5);
    });
    const spin = () => {
      turns++;
      if (lines.length < 200) setImmediate(spin);
    };
    setImmediate(spin);
    // Much more than fits into one slice, and large enough to count as a flood.
    stream.end(Buffer.concat([flood(200), Buffer.alloc(20_000, 10)]));
    assert.equal(await done, 'end');
    assert.deepEqual(
      lines.slice(0, 200),
      Array.from({ length: 200 }, (_, i) => `${i}`),
    );
    assert.ok(turns > 1, `${turns} turns`);
  });

  test('slices a flood of small chunks too', async () => {
    const stream = new PassThrough({ highWaterMark: 1 << 20 });
    let lines = 0;
    let turns = 0;
    const done = read(stream, () => {
      lines++;
      work(0.5);
    });
    for (let i = 0; i < 200; i++) stream.write('x\n');
    stream.end();
    const spin = () => {
      turns++;
      if (lines < 200) setImmediate(spin);
    };
    setImmediate(spin);
    assert.equal(await done, 'end');
    assert.equal(lines, 200);
    assert.ok(turns > 1, `${turns} turns`);
  });

  test('delivers all data that arrived before a connection broke, then reports the end once', async () => {
    const stream = new PassThrough();
    stream.on('error', () => undefined);
    const lines: string[] = [];
    let ends = 0;
    await new Promise<void>((resolve) => {
      readInSlices(
        stream,
        new LineSplitter((line) => {
          lines.push(line);
          if (line !== '') work(0.5);
          if (lines.length === 20) stream.destroy(new Error('reset'));
        }),
        (error) => assert.fail(String(error)),
        () => {
          ends++;
          setImmediate(resolve);
        },
      );
      stream.write(Buffer.concat([flood(100), Buffer.alloc(20_000, 10)]));
    });
    assert.deepEqual(
      { first: lines.slice(0, 100), ends },
      { first: Array.from({ length: 100 }, (_, i) => `${i}`), ends: 1 },
    );
  });

  test('stops when the parser throws', async () => {
    const stream = new PassThrough();
    const lines: string[] = [];
    const done = read(stream, (line) => lines.push(line));
    stream.write('a\n');
    stream.write(Buffer.alloc(2_000, 97));
    stream.write('\nb\n');
    stream.end();
    assert.equal(((await done) as { code?: string }).code, 'too-large');
    assert.deepEqual(lines, ['a']);
  });
});
