import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { EventSourceBody } from '../../../../src/core/transport/http/eventSourceBody.js';

interface Told {
  ends: number;
  errors: unknown[];
}

function open(
  source: Readable,
  maxBytes = 1_000_000,
): { body: EventSourceBody; read: () => Promise<string | undefined>; told: Told } {
  const told: Told = { ends: 0, errors: [] };
  const body = new EventSourceBody(
    source,
    maxBytes,
    {
      onEnd: () => told.ends++,
      onUnreadable: (error) => told.errors.push(error),
    },
    { isHeld: false, onceFree: () => undefined },
  );
  const reader = body.getReader();
  const read = async () => {
    const result = await reader.read();
    return result.done ? undefined : result.value.toString();
  };
  return { body, read, told };
}

/** Enough turns of the event loop for a stream to deliver everything that it has. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await nextTurn();
}

describe('the body that eventsource reads', () => {
  test('[E8] reads no more from the server than is consumed', async () => {
    let sent = 0;
    const source = new Readable({
      read() {
        this.push(sent < 5_000 ? `data: ${sent++} ${'x'.repeat(10_000)}\n\n` : null);
      },
    });
    const { body, read } = open(source);
    await manyTurns();
    const beforeReading = sent;
    assert.ok(beforeReading < 20, `${beforeReading} events before any was read`);
    for (let index = 0; index < 100; index++) assert.match((await read()) ?? '', new RegExp(`^data: ${index} `));
    await manyTurns();
    assert.ok(sent < 100 + 2 * 20, `${sent} events when 100 were read`);
    body.stop();
  });

  test('[F9] returns the data of a pause as one piece', async () => {
    const source = new Readable({ read: () => undefined });
    const { body, read } = open(source);
    for (const byte of 'data: a\n\ndata: b\n\n') source.push(byte);
    await manyTurns();
    assert.deepEqual([await read(), await read()], ['data: a\n\n', 'data: b\n\n']);
    body.stop();
  });

  test('[E2] reports the end once, after the last complete event was read', async () => {
    const { read, told } = open(Readable.from([Buffer.from('data: a\n\ndata: b\n\ndata: c')]));
    assert.deepEqual([await read(), told.ends], ['data: a\n\n', 0]);
    assert.deepEqual([await read(), told.ends], ['data: b\n\n', 0]);
    assert.deepEqual([await read(), await read(), told], [undefined, undefined, { ends: 1, errors: [] }]);
  });

  test('[E2] delivers all data that arrived before the connection broke during a pause', async () => {
    const source = new Readable({ read: () => undefined });
    const { read, told } = open(source);
    for (const name of ['a', 'b', 'c', 'd']) source.push(`data: ${name}\n\n`);
    await manyTurns();
    source.destroy(new Error('reset'));
    await manyTurns();
    const seen = [];
    for (let event = await read(); event !== undefined; event = await read()) seen.push(event);
    assert.deepEqual([seen.join(''), told], ['data: a\n\ndata: b\n\ndata: c\n\ndata: d\n\n', { ends: 1, errors: [] }]);
  });

  test('[H8] ends the connection at an event that is too large, and delivers nothing of it', async () => {
    const source = new Readable({ read: () => undefined });
    const { read, told } = open(source, 100);
    source.push(`data: a\n\ndata: ${'x'.repeat(200)}`);
    assert.equal(await read(), 'data: a\n\n');
    assert.equal(await read(), undefined);
    assert.deepEqual(
      [told.errors.map((error) => (error as { code?: string }).code), told.ends, source.destroyed],
      [['too-large'], 0, true],
    );
  });

  test('delivers nothing after it was stopped, also to a waiting reader', async () => {
    const source = new Readable({ read: () => undefined });
    const { body, read, told } = open(source);
    const waiting = read();
    body.stop();
    assert.deepEqual(
      [await waiting, await read(), source.destroyed, told],
      [undefined, undefined, true, { ends: 0, errors: [] }],
    );
  });
});
