import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import type { CallOrigin } from '../../../src/core/session/callOrigins.js';
import { CallOrigins } from '../../../src/core/session/callOrigins.js';
import { ManualClock, settle } from '../../support/manualClock.js';

/** A caller with its origin. */
function caller(logLevel?: CallOrigin['logLevel']): CallOrigin {
  return { caller: {}, handlers: {}, logLevel };
}

/** Calls that a test ends itself. */
class Calls {
  readonly clock = new ManualClock();
  readonly origins = new CallOrigins(this.clock);
  private readonly begun: string[] = [];

  get sent(): string[] {
    return [...this.begun];
  }

  /** Runs a call until `end` is called; `name` is recorded when it is sent. */
  begin(origin: CallOrigin, subject: string, name: string, signal?: AbortSignal) {
    const gate = new Deferred<void>();
    const done = this.origins.run(origin, subject, signal, async () => {
      this.begun.push(name);
      await gate.promise;
      return name;
    });
    done.catch(() => undefined);
    return {
      done,
      end: async () => {
        gate.resolve();
        await done;
        await settle();
      },
    };
  }

  /** Ends one call of the subject, after a request of the server if `asks`. */
  async learn(subject: string, asks: boolean): Promise<void> {
    const call = this.begin(caller(), subject, 'learning');
    await settle();
    if (asks) this.origins.current('request');
    await call.end();
    this.begun.length = 0;
  }
}

test('[GW3] a request of the server goes to the only caller with a call', async () => {
  const calls = new Calls();
  const one = caller();
  calls.begin(one, 'ask', 'a');
  await settle();
  assert.equal(calls.origins.current('request'), one);
});

test('[GW3] the first calls of a subject by two callers run one after the other', async () => {
  const calls = new Calls();
  const [one, two] = [caller(), caller()];
  const first = calls.begin(one, 'ask', 'a');
  const second = calls.begin(two, 'ask', 'b');
  await settle();
  assert.deepEqual(calls.sent, ['a']);
  assert.equal(calls.origins.current('request'), one);
  await first.end();
  assert.deepEqual(calls.sent, ['a', 'b']);
  assert.equal(calls.origins.current('request'), two);
  await second.end();
  assert.equal(calls.origins.current('request'), undefined, 'no call is running');
});

test('calls of subjects that never caused a request run side by side', async () => {
  const calls = new Calls();
  await calls.learn('echo', false);
  calls.begin(caller(), 'echo', 'a');
  calls.begin(caller(), 'echo', 'b');
  await settle();
  assert.deepEqual(calls.sent, ['a', 'b']);
});

test('one caller can have several calls that ask at the same time', async () => {
  const calls = new Calls();
  const one = caller();
  calls.begin(one, 'ask', 'a');
  calls.begin(one, 'ask', 'b');
  await settle();
  assert.deepEqual(calls.sent, ['a', 'b']);
  assert.equal(calls.origins.current('request'), one);
});

test('[GW3] a subject that is known to ask runs alone, beside subjects that do not ask', async () => {
  const calls = new Calls();
  await calls.learn('ask', true);
  await calls.learn('echo', false);
  const [one, two] = [caller(), caller()];
  calls.begin(two, 'echo', 'echo');
  calls.begin(one, 'ask', 'ask');
  calls.begin(caller(), 'ask', 'waits');
  await settle();
  assert.deepEqual(calls.sent, ['echo', 'ask']);
  assert.equal(calls.origins.current('request'), one, 'the subject that asks explains the request');
});

test('[GW3] a request that two callers could have caused goes to neither', async () => {
  const calls = new Calls();
  await calls.learn('a', false);
  await calls.learn('b', false);
  calls.begin(caller(), 'a', 'a');
  calls.begin(caller(), 'b', 'b');
  await settle();
  assert.equal(calls.origins.current('request'), undefined);
});

test('[GW3] a log message that two callers could have caused goes to neither', async () => {
  const calls = new Calls();
  await calls.learn('a', false);
  const [one, two] = [caller('info'), caller('debug')];
  calls.begin(one, 'a', 'a');
  await settle();
  assert.equal(calls.origins.current('log'), one);
  calls.begin(two, 'a', 'b');
  await settle();
  assert.equal(calls.origins.current('log'), undefined);
});

test('the first call of a subject makes others wait for a limited time only', async () => {
  const calls = new Calls();
  calls.begin(caller(), 'slow', 'a');
  calls.begin(caller(), 'slow', 'b');
  await calls.clock.advance(4_999);
  assert.deepEqual(calls.sent, ['a']);
  await calls.clock.advance(1);
  assert.deepEqual(calls.sent, ['a', 'b']);
});

test('a call that may continue gets no request, because it is not the only one', async () => {
  const calls = new Calls();
  calls.begin(caller(), 'slow', 'a');
  calls.begin(caller(), 'slow', 'b');
  await calls.clock.advance(5_000);
  assert.equal(calls.origins.current('request'), undefined);
});

test('a call that is canceled while it waits is not sent', async () => {
  const calls = new Calls();
  const first = calls.begin(caller(), 'ask', 'a');
  const controller = new AbortController();
  const second = calls.begin(caller(), 'ask', 'b', controller.signal);
  await settle();
  controller.abort(new Error('no longer needed'));
  await assert.rejects(second.done, /no longer needed/);
  await first.end();
  assert.deepEqual(calls.sent, ['a']);
});

test('the first call of a subject does not wait for an answer of another caller', async () => {
  const calls = new Calls();
  await calls.learn('ask', true);
  const one = caller();
  calls.begin(one, 'ask', 'ask');
  const search = calls.begin(caller(), 'search', 'search');
  await calls.clock.advance(5_000);
  assert.deepEqual(calls.sent, ['ask', 'search']);
  assert.equal(calls.origins.current('request'), undefined, 'both could have caused it');
  await search.end();
  assert.equal(calls.origins.current('request'), one);
});

test('[GW3] a call that may continue still counts when a request could be its own', async () => {
  const calls = new Calls();
  await calls.learn('ask', true);
  calls.begin(caller(), 'slow', 'slow');
  calls.begin(caller(), 'ask', 'ask');
  await calls.clock.advance(5_000);
  assert.deepEqual(calls.sent, ['slow', 'ask']);
  assert.equal(calls.origins.current('request'), undefined);
});

test('a subject is no longer suspected of a request after its call asked nothing', async () => {
  const calls = new Calls();
  await calls.learn('ask', true);
  const slow = calls.begin(caller(), 'slow', 'slow');
  const ask = calls.begin(caller(), 'ask', 'ask');
  await calls.clock.advance(5_000);
  calls.origins.current('request');
  await slow.end();
  await ask.end();
  await calls.learn('slow', false);
  calls.begin(caller(), 'slow', 'a');
  calls.begin(caller(), 'slow', 'b');
  await settle();
  assert.deepEqual(calls.sent, ['a', 'b'], 'side by side');
});

test('[GW3] a call waits for another caller for a limited time, and is not sent then', async () => {
  const calls = new Calls();
  await calls.learn('ask', true);
  calls.begin(caller(), 'ask', 'a');
  const second = calls.begin(caller(), 'ask', 'b');
  await calls.clock.advance(29_999);
  assert.deepEqual(calls.sent, ['a']);
  await calls.clock.advance(1);
  await assert.rejects(second.done, /perCaller/);
  assert.deepEqual(calls.sent, ['a']);
});

test('where requests name their call, calls that ask run side by side', async () => {
  const clock = new ManualClock();
  const origins = new CallOrigins(clock, true);
  let sent = 0;
  const send = () => new Promise<void>(() => void sent++);
  void origins.run(caller(), 'ask', undefined, send);
  void origins.run(caller(), 'ask', undefined, send);
  await settle();
  assert.equal(sent, 2);
});

test('a call that fails lets the next one go on', async () => {
  const calls = new Calls();
  const failing = calls.origins.run(caller(), 'ask', undefined, () => Promise.reject(new Error('broken')));
  calls.begin(caller(), 'ask', 'b');
  await assert.rejects(failing, /broken/);
  await settle();
  assert.deepEqual(calls.sent, ['b']);
});

test('the length of what is called does not matter: long URIs are told apart, and only digests are kept', async () => {
  const calls = new Calls();
  const uri = 'x'.repeat(5_000_000);
  await calls.learn(`${uri}1`, false);
  await calls.learn(`${uri}2`, true);
  const quiet = calls.begin(caller(), `${uri}1`, 'quiet');
  const asking = calls.begin(caller(), `${uri}2`, 'asking');
  await settle();
  assert.deepEqual(calls.sent, ['quiet', 'asking']);
  const next = calls.begin(caller(), `${uri}2`, 'next');
  await settle();
  assert.deepEqual(calls.sent, ['quiet', 'asking'], 'it waits for the call that may cause a request');
  await quiet.end();
  await asking.end();
  await next.end();
});
