import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Deferred } from '../../../src/core/base/deferred.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { ProtocolError } from '../../../src/core/protocol/jsonRpc.js';
import { settle } from '../../support/manualClock.js';
import { answer, makePeer } from './makePeer.js';

describe('a request', () => {
  test('resolves with the parsed result, and rejects with the reason if it cannot be parsed', async () => {
    const { peer } = makePeer();
    const read = peer.request('a', {}, undefined, ({ n }) => Number(n) + 1);
    const unreadable = peer.request('b', {}, undefined, () => {
      throw new TypeError('no number');
    });
    peer.receive(answer(1, { n: 1 }));
    peer.receive(answer(2));
    assert.equal(await read, 2);
    await assert.rejects(unreadable, { message: 'no number' });
  });

  test('[C35] sends every method as it is: no text in it becomes another member of the message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.constant('a","method":"tools/call')), async (method) => {
        const { peer, sent } = makePeer();
        const result = peer.request(method, { name: 'x' });
        peer.receive(answer(1));
        await result;
        assert.deepEqual(sent, [{ jsonrpc: '2.0', id: 1, method, params: { name: 'x' } }]);
      }),
    );
  });

  test('resolves with the result of its id', async () => {
    const { peer, sent } = makePeer();
    const first = peer.request('a');
    const second = peer.request('b', { x: 1 });
    peer.receive(answer(sent[1].id, { which: 'b' }));
    peer.receive(answer(sent[0].id, { which: 'a' }));
    assert.deepEqual(await Promise.all([first, second]), [{ which: 'a' }, { which: 'b' }]);
  });

  test('[R5] is not settled by an id of another type or value', async () => {
    const { peer, sent, warnings } = makePeer();
    const result = peer.request('a');
    const { id } = sent[0];
    for (const forged of [String(id), '', null, [id], true, id + 0.5, id + 1])
      peer.receive(answer(forged, { forged: true }));
    peer.receive(answer(id, { forged: false }));
    assert.deepEqual([await result, warnings.length], [{ forged: false }, 7]);
  });

  test('[R6] takes the first of two answers', async () => {
    const { peer, sent } = makePeer();
    const result = peer.request('a');
    peer.receive(answer(sent[0].id, { n: 1 }));
    peer.receive(answer(sent[0].id, { n: 2 }));
    assert.deepEqual(await result, { n: 1 });
  });

  test('rejects with the code, message and data of an error answer', async () => {
    const { peer, sent } = makePeer();
    const result = peer.request('a');
    peer.receive({ jsonrpc: '2.0', id: sent[0].id, error: { code: -32050.5, message: 'no', data: { why: 1 } } });
    await assert.rejects(
      result,
      (error: ProtocolError) =>
        error.code === -32050.5 && error.message === 'no' && JSON.stringify(error.data) === '{"why":1}',
    );
  });

  test('rejects when the result is not an object', async () => {
    const { peer, sent } = makePeer();
    const result = peer.request('a');
    peer.receive(answer(sent[0].id, null));
    await assert.rejects(result, { code: 'invalid-message' });
  });

  test('[cancellation] rejects with the reason of the abort and notifies the other side', async () => {
    const { peer, abandoned } = makePeer();
    const abort = new AbortController();
    const result = peer.request('a', undefined, { signal: abort.signal });
    const reason = new Error('enough');
    abort.abort(reason);
    await assert.rejects(result, reason);
    assert.deepEqual(abandoned, [1]);
  });

  test('[R7] is never canceled on the wire if its options say so', async () => {
    const { peer, abandoned, clock } = makePeer();
    const result = peer.request('initialize', {}, { isCancellable: false, timeoutMs: 1_000 });
    const rejected = assert.rejects(result, { code: 'timeout' });
    await clock.advance(2_000);
    await rejected;
    assert.deepEqual(abandoned, []);
  });

  test('does not time out while a debugger pauses the other side, and has its full time afterwards', async () => {
    const hold = { isHeld: true };
    const { peer, clock } = makePeer({}, { hold });
    const rejected = assert.rejects(peer.request('slow', undefined, { timeoutMs: 1_000, maxTotalMs: 2_000 }), {
      code: 'timeout',
    });
    await clock.advance(3_600_000);
    assert.equal(peer.workingCount, 1);
    hold.isHeld = false;
    await clock.advance(500);
    assert.equal(peer.workingCount, 1);
    await clock.advance(1_000);
    await rejected;
  });

  test('does not time out while the other side waits for our answer to its question', async () => {
    const asked = new Deferred<Record<string, unknown>>();
    const { peer, clock } = makePeer({ onRequest: () => asked.promise });
    const rejected = assert.rejects(peer.request('slow', undefined, { timeoutMs: 1_000 }), { code: 'timeout' });
    peer.receive({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} });
    await clock.advance(60_000);
    assert.equal(peer.workingCount, 1);
    asked.resolve({ action: 'accept' });
    await clock.advance(2_000);
    await rejected;
  });

  test('[R7] times out without an answer, and the error names method and duration', async () => {
    const { peer, abandoned, clock } = makePeer();
    const result = peer.request('slow', undefined, { timeoutMs: 5_000 });
    const rejected = assert.rejects(
      result,
      (error: HostError) => error.code === 'timeout' && error.message.includes('slow was not answered'),
    );
    await clock.advance(6_000);
    await rejected;
    assert.deepEqual(abandoned, [1]);
  });

  test('[R7, progress] is extended by progress, but not beyond its total time', async () => {
    const { peer, clock } = makePeer();
    const seen: number[] = [];
    const result = peer.request('long', undefined, {
      timeoutMs: 1_000,
      maxTotalMs: 2_600,
      onProgress: ({ progress }) => seen.push(progress),
    });
    const rejected = assert.rejects(result, { code: 'timeout' });
    for (let i = 1; i <= 5; i++) {
      await clock.advance(800);
      peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: i } });
    }
    await rejected;
    assert.deepEqual(seen, [1, 2, 3]);
  });

  test('without a time limit has no deadline', async () => {
    const { peer, clock, sent } = makePeer();
    const result = peer.request('subscriptions/listen', {}, { timeoutMs: Infinity });
    await clock.advance(1.1 * 3_600_000);
    peer.receive(answer(sent[0].id));
    assert.deepEqual(await result, {});
  });

  test('ends with the close reason, and so do later ones', async () => {
    const { peer } = makePeer();
    const reason = new HostError('exited', 'gone');
    const open = peer.request('a');
    peer.end(reason);
    await assert.rejects(open, reason);
    await assert.rejects(peer.request('b'), reason);
  });

  test('ends with the error that the transport reports', async () => {
    const { peer, outgoing } = makePeer();
    const result = peer.request('a');
    outgoing[0]?.fail?.(new HostError('send-failed', 'broken pipe'));
    await assert.rejects(result, { code: 'send-failed' });
  });
});

describe('progress', () => {
  test('[progress] reaches the caller before a result that arrives with it', async () => {
    const { peer, sent } = makePeer();
    const seen: string[] = [];
    const result = peer.request(
      'a',
      { _meta: { other: 1 } },
      { onProgress: ({ progress }) => seen.push(`progress ${progress}`) },
    );
    assert.deepEqual(sent[0].params._meta, { other: 1, progressToken: 1 });
    peer.receive({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 100, total: 100 },
    });
    peer.receive(answer(1));
    await result.then(() => seen.push('result'));
    assert.deepEqual(seen, ['progress 100', 'result']);
  });

  test('[progress] is requested in every form of parameters, for the configured methods', () => {
    const { peer, sent } = makePeer({}, { asksForProgress: (method) => method === 'a' });
    const send = (method: string, params?: Record<string, unknown>, meta?: Record<string, unknown>) =>
      void peer.request(method, params, meta ? { meta } : undefined);
    send('a');
    send('a', {});
    send('a', { x: 'é"{' });
    send('a', { x: 1, _meta: { y: 2, progressToken: 'theirs' } });
    send('a', { x: 1 }, { z: 3 });
    send('b');
    send('b', { x: 1 });
    send('b', { _meta: { progressToken: 'theirs' } }, { z: 3 });
    assert.deepEqual(
      sent.map(({ params }) => params),
      [
        { _meta: { progressToken: 1 } },
        { _meta: { progressToken: 2 } },
        { x: 'é"{', _meta: { progressToken: 3 } },
        { x: 1, _meta: { y: 2, progressToken: 4 } },
        { x: 1, _meta: { z: 3, progressToken: 5 } },
        undefined,
        { x: 1 },
        { _meta: { progressToken: 'theirs', z: 3 } },
      ],
    );
  });

  test('[progress] without a listener keeps a request alive, and one that does not grow does not', async () => {
    const { peer, clock } = makePeer({}, { asksForProgress: () => true });
    const rejected = assert.rejects(peer.request('slow', undefined, { timeoutMs: 5_000 }), { code: 'timeout' });
    const report = (progress: number) =>
      peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress } });
    for (let i = 1; i <= 5; i++) {
      await clock.advance(4_000);
      report(i);
    }
    assert.equal(peer.workingCount, 1);
    await clock.advance(4_000);
    report(5);
    await clock.advance(2_000);
    await rejected;
  });

  test('[R8, old.spellings] that is not finite, does not grow or has another token is ignored', () => {
    const { peer } = makePeer();
    const seen: unknown[] = [];
    void peer.request('a', undefined, { onProgress: (progress) => seen.push(progress) });
    const send = (params: unknown) => peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params });
    send({ progressToken: 1, progress: 5, total: 0, message: 7 });
    send({ progressToken: 1, progress: 4 });
    send({ progressToken: 1, progress: -1 });
    send({ progressToken: 1, progress: 'x' });
    send({ progressToken: '1', progress: 6 });
    send({ progressToken: 9, progress: 6 });
    send(undefined);
    peer.receive({
      jsonrpc: '2.0',
      method: '$/progress',
      params: { token: 1, progress: 6, total: 10, message: 'old spelling' },
    });
    assert.deepEqual(seen, [{ progress: 5 }, { progress: 6, total: 10, message: 'old spelling' }]);
  });
});

describe('a request of the other side', () => {
  test('is answered with the result of the handler, also for the id 0', async () => {
    const { peer, sent } = makePeer({ onRequest: (method, params) => Promise.resolve({ method, params }) });
    peer.receive({ jsonrpc: '2.0', id: 0, method: 'roots/list', params: { a: 1 } });
    await settle();
    assert.deepEqual(sent, [{ jsonrpc: '2.0', id: 0, result: { method: 'roots/list', params: { a: 1 } } }]);
  });

  test('gets the code of a ProtocolError, and no detail of any other failure', async () => {
    const { peer, sent } = makePeer({
      onRequest: (method) =>
        Promise.reject(method === 'a' ? new ProtocolError(-1, 'User rejected', { x: 1 }) : new Error('secret path')),
    });
    peer.receive({ jsonrpc: '2.0', id: 'a', method: 'a' });
    peer.receive({ jsonrpc: '2.0', id: 'b', method: 'b' });
    await settle();
    assert.deepEqual(
      sent.map(({ error }) => error),
      [
        { code: -1, message: 'User rejected', data: { x: 1 } },
        { code: -32603, message: 'Internal error' },
      ],
    );
  });

  test('is aborted and not answered when withdrawn', async () => {
    let aborted = false;
    const { peer, sent } = makePeer({
      onRequest: (_method, _params, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => ((aborted = true), resolve({})))),
    });
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await settle();
    assert.deepEqual([aborted, sent], [true, []]);
  });

  test('[X6] is refused beyond 64 at once', async () => {
    const { peer, sent } = makePeer({ onRequest: () => new Promise(() => undefined) });
    for (let id = 1; id <= 70; id++) peer.receive({ jsonrpc: '2.0', id, method: 'sampling/createMessage' });
    await settle();
    assert.deepEqual([sent.length, sent[0].id, sent[0].error.code], [6, 65, -32603]);
  });

  test('[X6] counts until its handler has ended, also if it is canceled', async () => {
    const open: (() => void)[] = [];
    const { peer, sent } = makePeer({ onRequest: () => new Promise((resolve) => open.push(() => resolve({}))) });
    for (let id = 1; id <= 64; id++) {
      peer.receive({ jsonrpc: '2.0', id, method: 'sampling/createMessage' });
      peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    peer.receive({ jsonrpc: '2.0', id: 65, method: 'sampling/createMessage' });
    await settle();
    assert.deepEqual([sent.length, sent[0].id, sent[0].error.code], [1, 65, -32603]);
    open[0]?.();
    await settle();
    peer.receive({ jsonrpc: '2.0', id: 66, method: 'sampling/createMessage' });
    open[64]?.();
    await settle();
    assert.deepEqual([sent.length, sent[1].id, sent[1].result], [2, 66, {}]);
  });

  test('[X6] is refused if the open ones are too large together, and passes once they have ended', async () => {
    const open: (() => void)[] = [];
    const { peer, sent } = makePeer({
      onRequest: () => new Promise((resolve) => open.push(() => resolve({}))),
    });
    const send = (id: number) =>
      peer.receive({
        jsonrpc: '2.0',
        id,
        method: 'elicitation/create',
        params: { message: '', _meta: { large: 'x'.repeat(25 * 1024 * 1024) } },
      });
    for (const id of [1, 2, 3]) send(id);
    await settle();
    assert.deepEqual(
      [sent.length, sent[0].id, sent[0].error.message],
      [1, 3, 'The open requests are too large together.'],
    );
    open[0]?.();
    await settle();
    send(4);
    await settle();
    assert.deepEqual([open.length, sent.length], [3, 2]);
  });

  test('is dropped without an answer if the era has no such requests', async () => {
    const { peer, sent, warnings } = makePeer({ onRequest: () => undefined });
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    await settle();
    assert.deepEqual([sent, warnings.length], [[], 1]);
  });
});

test('[Y3] a response that cannot be sent is logged and ends nothing else', async () => {
  let isBroken = true;
  const delivered: string[] = [];
  const { peer, warnings } = makePeer({
    send: ({ text }) => {
      if (isBroken) throw new RangeError('too much');
      delivered.push(text);
    },
  });
  peer.receive({ jsonrpc: '2.0', id: 1, method: 'ping' });
  peer.receive([{ jsonrpc: '2.0', id: 2, method: 'ping' }]);
  await settle();
  isBroken = false;
  peer.receive({ jsonrpc: '2.0', id: 3, method: 'ping' });
  await settle();
  assert.deepEqual(warnings, [
    'The response to ping was not sent: too much',
    'The response to ping was not sent: too much',
  ]);
  assert.deepEqual(delivered, ['{"jsonrpc":"2.0","id":3,"result":{}}']);
});
