import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSignal } from '../../../src/core/base/lightAbort.js';
import { LightAbort, abortSignalOf, eitherSignal } from '../../../src/core/base/lightAbort.js';

const kinds: [string, () => { signal: CallSignal; abort: (reason: unknown) => void }][] = [
  ['LightAbort', () => new LightAbort()],
  ['AbortController', () => new AbortController()],
];

for (const [name, create] of kinds) {
  test(`${name}: tells each listener once, with the reason, and not after it was removed`, () => {
    const controller = create();
    const { signal } = controller;
    const heard: string[] = [];
    const removed = () => heard.push('removed');
    const twice = () => heard.push(`twice ${String(signal.reason)}`);
    signal.addEventListener('abort', removed, { once: true });
    signal.addEventListener('abort', twice, { once: true });
    signal.addEventListener('abort', twice, { once: true });
    signal.removeEventListener('abort', removed);
    signal.throwIfAborted();
    controller.abort('first');
    controller.abort('second');
    signal.addEventListener('abort', () => heard.push('late'), { once: true });
    assert.deepEqual(heard, ['twice first']);
    assert.deepEqual([signal.aborted, signal.reason], [true, 'first']);
    assert.throws(
      () => signal.throwIfAborted(),
      (error) => error === 'first',
    );
  });

  test(`${name}: a listener that another one removes during the abort is not called`, () => {
    const controller = create();
    const heard: string[] = [];
    const second = () => heard.push('second');
    controller.signal.addEventListener('abort', () => controller.signal.removeEventListener('abort', second));
    controller.signal.addEventListener('abort', second);
    controller.abort(undefined);
    assert.deepEqual(heard, []);
  });
}

test('the full signal of a LightAbort is aborted with it, also if it is made later', () => {
  const early = new LightAbort();
  const signal = abortSignalOf(early);
  assert.equal(abortSignalOf(early), signal);
  const either = eitherSignal(early, new AbortController().signal);
  early.abort('stop');
  assert.deepEqual([signal.aborted, signal.reason, either.reason], [true, 'stop', 'stop']);
  const late = new LightAbort();
  late.abort('before');
  assert.equal(abortSignalOf(late).reason, 'before');
});

test('an AbortSignal is its own full signal', () => {
  const { signal } = new AbortController();
  assert.equal(abortSignalOf(signal), signal);
  assert.equal(eitherSignal(undefined, signal), signal);
  assert.equal(abortSignalOf(undefined), undefined);
});
