import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import { MessagePacer } from '../../../src/core/session/messagePacer.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedServer, silence } from '../../support/scriptedServer.js';
import { open } from './openSession.js';

function make(perSecond: number) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const overflows: HostError[] = [];
  const pacer = new MessagePacer(
    perSecond,
    clock,
    ({ text }) => sent.push(text),
    (error) => overflows.push(error),
  );
  return { clock, sent, pacer, overflows };
}

test('a burst of one second is sent at once, the rest at the configured rate, in order', async () => {
  const { clock, sent, pacer } = make(2);
  for (const text of ['1', '2', '3', '4', '5']) pacer.send({ text });
  assert.deepEqual(sent, ['1', '2']);
  await clock.advance(500);
  assert.deepEqual(sent, ['1', '2', '3']);
  await clock.advance(1_000);
  assert.deepEqual(sent, ['1', '2', '3', '4', '5']);
});

test('a waiting message can be dropped, a sent one cannot', async () => {
  const { clock, sent, pacer } = make(1);
  pacer.send({ text: 'a', id: 1 });
  pacer.send({ text: 'b', id: 2 });
  assert.deepEqual([pacer.drop(1), pacer.drop(2)], [false, true]);
  await clock.advance(5_000);
  assert.deepEqual(sent, ['a']);
});

test('a rate below one per second still sends', async () => {
  const { clock, sent, pacer } = make(0.5);
  pacer.send({ text: 'a' });
  pacer.send({ text: 'b' });
  await clock.advance(2_100);
  assert.deepEqual(sent, ['a', 'b']);
});

test('any number of requests can wait, but only 5,000 messages without a response', async () => {
  const { clock, sent, pacer, overflows } = make(1);
  for (let id = 0; id < 6_000; id++) pacer.send({ text: 'request', id });
  for (let id = 0; id < 6_000; id++) pacer.drop(id);
  for (let count = 0; count < 5_000; count++) pacer.send({ text: 'response' });
  await clock.advance(1_000);
  pacer.send({ text: 'response' });
  assert.deepEqual([sent.length, overflows], [2, []]);
  pacer.send({ text: 'response' });
  assert.deepEqual(
    overflows.map(({ code, data }) => [code, data]),
    [['send-failed', { why: 'too-many-responses', count: 5_001, bufferedBytes: 5_001 * 'response'.length }]],
  );
});

test('messages without a response can have 128 MiB while they wait', () => {
  const { pacer, overflows } = make(1);
  const text = 'x'.repeat(64 * 1024 * 1024);
  for (let count = 0; count < 3; count++) pacer.send({ text });
  assert.equal(overflows.length, 0);
  pacer.send({ text: '1' });
  assert.equal(overflows.length, 1);
});

test('[floods.requests] requests that cannot be answered at the configured rate end the connection', async () => {
  const server = new ScriptedServer().legacy().respondTo('tools/call', () => silence);
  const clock = new ManualClock();
  const session = await open(server, { maxMessagesPerSecond: 10, clock });
  const call = session.callTool('slow', {}).catch((error: unknown) => error);
  for (let round = 0; round < 100; round++) {
    for (let id = 0; id < 60; id++) server.send({ jsonrpc: '2.0', id: `${round} ${id}`, method: 'ping' });
    await settle();
  }
  assert.match(String(await call), /faster than "maxMessagesPerSecond" allows/);
  assert.deepEqual([session.isClosed, clock.pending], [true, 0]);
  assert.ok(server.received.length <= 10, `${server.received.length} messages were sent`);
});
