import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Backoff } from '../../../src/core/base/backoff.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { LivenessOptions } from '../../../src/core/connection/livenessWatch.js';
import { LivenessWatch } from '../../../src/core/connection/livenessWatch.js';
import { ProtocolError } from '../../../src/core/protocol/jsonRpc.js';
import { ManualClock, settle } from '../../support/manualClock.js';

const timeout = new HostError('timeout', 'ping was not answered within 10 s.');

/** A server whose answers the test controls: resolve or reject the last entry of `asked`. */
function make(connection: LivenessOptions['connection'], requestTimeoutMs = 60_000) {
  const clock = new ManualClock();
  const asked: { timeoutMs: number; answer: (error?: unknown) => void }[] = [];
  const seen: string[] = [];
  const watch = new LivenessWatch({
    ping: (timeoutMs) =>
      new Promise(
        (resolve, reject) =>
          void asked.push({ timeoutMs, answer: (error) => (error === undefined ? resolve() : reject(error)) }),
      ),
    requestTimeoutMs,
    connection,
    onDidChange: () => seen.push(watch.silentSince === undefined ? 'answers' : 'silent'),
    onLost: (error) => seen.push(`lost: ${error.message}`),
    clock,
    backoff: new Backoff({ random: () => 1 }),
  });
  const answer = async (error?: unknown) => {
    asked.at(-1)?.answer(error);
    await settle();
  };
  return { watch, clock, asked, seen, answer };
}

describe('[Y1] a server that left a request unanswered', () => {
  test('is pinged, and nothing is reported when it answers', async () => {
    const { watch, asked, seen, answer } = make('process');
    watch.suspect(timeout);
    await answer();
    assert.deepEqual([asked.length, seen], [1, []]);
  });

  test('is pinged once for any number of failed requests', async () => {
    const { watch, asked } = make('process');
    for (let i = 0; i < 5; i++) watch.suspect(timeout);
    await settle();
    assert.equal(asked.length, 1);
  });

  test('counts as alive when it answers with an error, as servers without ping do', async () => {
    const { watch, seen, answer } = make('process');
    watch.suspect(timeout);
    await answer(new ProtocolError(-32601, 'Method not found'));
    assert.deepEqual(seen, []);
  });

  test('is pinged with a timeout no longer than that of its requests', async () => {
    const { watch, asked } = make('calls', 300);
    watch.suspect(timeout);
    await settle();
    assert.equal(asked[0]?.timeoutMs, 300);
  });

  test('is not pinged after an error that it sent itself', async () => {
    const { watch, asked } = make('calls');
    watch.suspect(new HostError('invalid-message', 'odd'));
    watch.suspect(new HostError('http-status', 'no', { data: { status: 404 } }));
    await settle();
    assert.deepEqual(asked, []);
  });
});

describe('[Y1] a silent server', () => {
  test('in a process is shown, and recovers with the answer to the ping that waits in its pipe', async () => {
    const { watch, clock, asked, seen, answer } = make('process');
    watch.suspect(timeout);
    await answer(timeout);
    await clock.advance(1_000);
    assert.equal(asked[1]?.timeoutMs, Infinity);
    await clock.advance(3_600_000);
    assert.equal(asked.length, 2);
    await answer();
    assert.deepEqual(seen, ['silent', 'answers']);
  });

  test('at an address is pinged repeatedly with growing pauses, until it answers', async () => {
    const { watch, clock, asked, seen, answer } = make('calls');
    watch.suspect(new HostError('connection-refused', 'Nothing listens.'));
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      const [before, count] = [clock.now(), asked.length];
      await answer(timeout);
      while (asked.length === count) await clock.advance(500);
      pauses.push(clock.now() - before);
    }
    await answer();
    assert.deepEqual(
      [pauses, seen],
      [
        [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
        ['silent', 'answers'],
      ],
    );
  });

  test('on a stream ends the stream the second time, because a dead stream does not recover', async () => {
    const { watch, clock, seen, answer } = make('stream');
    watch.suspect(timeout);
    await answer(timeout);
    await clock.advance(1_000);
    await answer(timeout);
    assert.deepEqual(seen, ['silent', 'lost: The server no longer responds: ping was not answered within 10 s.']);
  });

  test('that recovered can become silent again', async () => {
    const { watch, clock, seen, answer } = make('process');
    for (let i = 0; i < 2; i++) {
      watch.suspect(timeout);
      await answer(timeout);
      await clock.advance(1_000);
      await answer();
    }
    assert.deepEqual(seen, ['silent', 'answers', 'silent', 'answers']);
  });

  test('that was stopped is neither reported nor pinged', async () => {
    const { watch, clock, asked, seen, answer } = make('calls');
    watch.suspect(timeout);
    watch.dispose();
    await answer(timeout);
    await clock.advance(60_000);
    assert.deepEqual([asked.length, seen, clock.pending], [1, [], 0]);
  });
});
