import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isCancelled } from '../../../src/core/base/hostError.js';
import { elicitation, rootsList } from '../../../src/core/serving/clientRequest.js';
import { InputRound, stateLifetimeMs } from '../../../src/core/serving/inputRound.js';
import { StateSigner } from '../../../src/core/serving/stateSigner.js';
import { settle } from '../../support/manualClock.js';
import type { Message } from './peers.js';

const signer = new StateSigner();
const form = (message: string) =>
  elicitation({ mode: 'form', message, requestedSchema: { type: 'object' } }, '2026-07-28');
const accept = { action: 'accept', content: {} };

function round(params: Message = {}, more: { principal?: string; now?: () => number } = {}): InputRound {
  return new InputRound({ signer, method: 'tools/call', params: { name: 't', ...params }, principal: '', ...more });
}

async function stateAfter(
  asking: (round: InputRound) => Promise<Message>,
  params: Message = {},
  more: { principal?: string; now?: () => number } = {},
): Promise<Message> {
  const first = round(params, more);
  const outcome = await first.run(() => asking(first));
  assert.ok('inputRequired' in outcome);
  return outcome.inputRequired;
}

test('state is valid for the same request in any spelling, and for no other', async () => {
  const asked = await stateAfter((one) => one.ask(form('?')), { arguments: { a: 1, b: { c: [1, 2], d: null } } });
  const requestState = asked['requestState'] as string;
  round({ requestState, arguments: { b: { d: null, c: [1, 2] }, a: 1 } });
  for (const params of [
    { arguments: { a: 1, b: { c: [2, 1], d: null } } },
    { arguments: {} },
    {},
    { arguments: { a: 1, b: { c: [1, 2], d: null } }, extra: 1 },
  ]) {
    assert.throws(() => round({ requestState, ...params }), { code: -32602 });
  }
});

test('state is invalid for another principal, and expires', async () => {
  let now = 1_000;
  const more = { principal: 'ada', now: () => now };
  const { requestState } = await stateAfter((one) => one.ask(form('?')), {}, more);
  assert.throws(() => round({ requestState }, { ...more, principal: 'eve' }), { code: -32602 });
  now += stateLifetimeMs;
  round({ requestState }, more);
  now += 1;
  assert.throws(() => round({ requestState }, more), { code: -32602, message: /expired/ });
});

test('answers of earlier rounds are kept, and answers to other questions are discarded', async () => {
  const first = await stateAfter((one) => one.ask(form('first?'), 'a'));
  const second = await stateAfter(
    async (one) => {
      await one.ask(form('first?'), 'a');
      return one.ask(form('second?'), 'b');
    },
    { requestState: first['requestState'], inputResponses: { a: accept } },
  );
  assert.deepEqual(Object.keys(second['inputRequests'] as Message), ['b']);

  const third = round({ requestState: second['requestState'], inputResponses: { b: accept } });
  const done = await third.run(async () => ({
    answers: [await third.ask(form('first?'), 'a'), await third.ask(form('second?'), 'b')],
  }));
  assert.deepEqual(done, { result: { answers: [accept, accept] } });

  const changed = await stateAfter((one) => one.ask(form('something else?'), 'a'), {
    requestState: second['requestState'],
    inputResponses: {},
  });
  assert.deepEqual(Object.keys(changed['inputRequests'] as Message), ['a']);
});

test('a stopped run rejects its questions, aborts its signal and runs its cleanup; its later result is ignored', async () => {
  const one = round();
  const seen: string[] = [];
  one.controller.signal.addEventListener('abort', () => seen.push('aborted'));
  const outcome = await one.run(async () => {
    try {
      return await one.ask(form('?'));
    } catch (error) {
      seen.push(isCancelled(error) ? 'cancelled' : 'failed');
      return { ignored: true };
    } finally {
      seen.push('cleaned up');
    }
  });
  await settle();
  assert.ok('inputRequired' in outcome);
  assert.deepEqual(seen, ['aborted', 'cancelled', 'cleaned up']);
  await assert.rejects(one.ask(form('too late?'), 'late'), isCancelled);
});

test('a question that the handler does not await does not delay a finished result', async () => {
  const one = round();
  const outcome = await one.run(() => {
    void one.ask(form('?'));
    return Promise.resolve({ done: true });
  });
  assert.deepEqual(outcome, { result: { done: true } });
  await settle();
});

test('a failing handler fails the request', async () => {
  const one = round();
  await assert.rejects(
    one.run(() => Promise.reject(new Error('boom'))),
    /boom/,
  );
});

test('a key cannot be used for two questions of a run', async () => {
  const one = round({ inputResponses: { a: accept } });
  await one.ask(form('?'), 'a');
  await assert.rejects(one.ask(form('?'), 'a'), /twice/);
});

test('a round requests a limited number of inputs, and the next round the rest', async () => {
  const ask = (one: InputRound): Promise<Message> =>
    Promise.all(Array.from({ length: 40 }, () => one.ask(rootsList()))).then(() => ({}));
  const first = await stateAfter(ask);
  const requests = Object.keys(first['inputRequests'] as Message);
  assert.equal(requests.length, 32);
  const inputResponses = Object.fromEntries(requests.map((key) => [key, { roots: [] }]));
  const second = await stateAfter(ask, { requestState: first['requestState'], inputResponses });
  assert.equal(Object.keys(second['inputRequests'] as Message).length, 8);
});

test('signed data is accepted only for its purpose, and any change invalidates it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (value, at, letter) => {
      const signed = signer.sign('use', value);
      assert.deepEqual(signer.verify('use', signed), JSON.parse(JSON.stringify(value)));
      assert.equal(signer.verify('other use', signed), undefined);
      const i = at % signed.length;
      const changed = signed.slice(0, i) + letter + signed.slice(i + 1);
      if (changed !== signed) assert.equal(signer.verify('use', changed), undefined);
      assert.equal(signer.verify('use', `${signed}=`), undefined);
    }),
  );
});
