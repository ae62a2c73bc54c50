import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CreateMessageRequest } from '../../../src/core/protocol/mcp.js';
import { SamplingGuard } from '../../../src/core/requests/samplingGuard.js';
import type { SamplingLimits, SamplingUsage } from '../../../src/core/requests/samplingLimits.js';
import {
  defaultSamplingLimits,
  estimateTokens,
  hourMs,
  judgeSampling,
  maxRefusals,
  minuteMs,
  readSamplingLimits,
} from '../../../src/core/requests/samplingLimits.js';

const ask = (maxTokens = 10, text = 'hi'): CreateMessageRequest => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
  maxTokens,
});
const limits: SamplingLimits = { maxTokens: 100, requestsPerMinute: 3, tokensPerHour: 1_000, unattended: 2 };
const fresh: SamplingUsage = { uses: [], unattended: 0, refusals: 0, isPutAside: false };
const server = { id: 'srv', hash: 'h' };
const guardWith = (setting: unknown) => {
  let time = 0;
  const clock = { now: () => time, after: () => ({ dispose: () => undefined }) };
  return { now: () => time, pass: (ms: number) => void (time += ms), guard: new SamplingGuard(() => setting, clock) };
};
const isRefused = (act: () => unknown) => {
  try {
    act();
    return false;
  } catch {
    return true;
  }
};

describe('[C8] sampling requests of a server', () => {
  test('wait for the user unless allowed, and also after a number of allowed requests in a row', () => {
    assert.deepEqual(judgeSampling(fresh, ask(), limits, false, 0), {
      kind: 'admit',
      maxTokens: 10,
      tokens: 10 + estimateTokens(ask()),
      needsUser: true,
    });
    assert.equal(judgeSampling(fresh, ask(), limits, true, 0).kind === 'admit', true);
    assert.deepEqual(
      [0, 1, 2]
        .map((unattended) => judgeSampling({ ...fresh, unattended }, ask(), limits, true, 0))
        .map((one) => one.kind === 'admit' && one.needsUser),
      [false, false, true],
    );
  });

  test('are reduced to the token limit, and refused without a number', () => {
    const verdict = judgeSampling(fresh, ask(1e9), limits, true, 0);
    assert.equal(verdict.kind === 'admit' && verdict.maxTokens, 100);
    for (const odd of [0, -1, NaN, Infinity, 0.5])
      assert.deepEqual(judgeSampling(fresh, ask(odd), limits, true, 0), { kind: 'refuse', why: 'bad-tokens' });
  });

  test('report when the next request is possible', () => {
    const uses = [0, 10_000, 20_000].map((at) => ({ at, tokens: 1 }));
    assert.deepEqual(judgeSampling({ ...fresh, uses }, ask(), limits, true, 30_000), {
      kind: 'refuse',
      why: 'requests',
      limit: 3,
      retryAfterMs: 30_000,
    });
    assert.equal(judgeSampling({ ...fresh, uses }, ask(), limits, true, minuteMs).kind, 'admit');
    assert.deepEqual(judgeSampling({ ...fresh, uses: [{ at: 0, tokens: 999 }] }, ask(), limits, true, minuteMs), {
      kind: 'refuse',
      why: 'tokens',
      limit: 1_000,
      retryAfterMs: hourMs - minuteMs,
    });
  });

  test('never exceed the limits in any minute or hour, for any sequence of requests', () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 20 * minuteMs }),
        maxTokens: fc.integer({ min: -5, max: 500 }),
        isAllowed: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const { guard, now, pass } = guardWith(limits);
        const admitted: { at: number; tokens: number }[] = [];
        for (const { waitMs, maxTokens, isAllowed } of all) {
          pass(waitMs);
          try {
            const { request, needsUser, end } = guard.admit(server, {}, ask(maxTokens), isAllowed);
            assert.ok(request.maxTokens >= 1 && request.maxTokens <= limits.maxTokens);
            assert.ok(isAllowed || needsUser);
            admitted.push({ at: now(), tokens: request.maxTokens + estimateTokens(request) });
            end({ kind: 'answered', isSeen: needsUser });
          } catch (error) {
            assert.ok(!(error instanceof assert.AssertionError), String(error));
          }
        }
        for (const { at: from } of admitted) {
          const within = (span: number) => admitted.filter(({ at }) => at >= from && at < from + span);
          assert.ok(within(minuteMs).length <= limits.requestsPerMinute);
          assert.ok(within(hourMs).reduce((sum, { tokens }) => sum + tokens, 0) <= limits.tokensPerHour);
        }
      }),
    );
  });

  test('are refused for the session after "not now", and a start does not reset the limits', () => {
    const { guard } = guardWith(limits);
    const session = {};
    guard.admit(server, session, ask(), true).end({ kind: 'put-aside' });
    assert.throws(() => guard.admit(server, session, ask(), true), { code: 'cancelled' });
    guard.admit(server, {}, ask(), true);
    guard.admit(server, {}, ask(), true);
    assert.throws(() => guard.admit(server, {}, ask(), true), { code: -32603, message: /3 times a minute/ });
    guard.admit({ ...server, hash: 'another' }, {}, ask(), true);
  });

  test('end after a number of refusals in a row, which an answer resets', () => {
    const { guard } = guardWith({ requestsPerMinute: 1_000 });
    const session = {};
    for (let i = 0; i < maxRefusals * 2; i++) {
      guard.admit(server, session, ask(), false).end({ kind: 'declined' });
      if (i % 2 === 1) guard.admit(server, session, ask(), false).end({ kind: 'answered', isSeen: true });
    }
    for (let i = 0; i < maxRefusals; i++) guard.admit(server, session, ask(), false).end({ kind: 'declined' });
    assert.throws(() => guard.admit(server, session, ask(), false), { code: 'cancelled' });
    guard.clearRefusals();
    assert.equal(
      isRefused(() => guard.admit(server, session, ask(), false)),
      false,
    );
  });

  test('cannot bypass the user when many arrive at once', () => {
    const { guard } = guardWith(limits);
    assert.deepEqual(
      [0, 1, 2].map(() => guard.admit(server, {}, ask(), true).needsUser),
      [false, false, true],
    );
  });

  test('use no tokens when declined, but count as requests', () => {
    const { guard, pass } = guardWith({ ...limits, tokensPerHour: 300 });
    for (let i = 0; i < 2; i++) guard.admit(server, {}, ask(100), false).end({ kind: 'declined' });
    guard.admit(server, {}, ask(100), false).end({ kind: 'answered', isSeen: true });
    assert.throws(() => guard.admit(server, {}, ask(1), false), /times a minute/);
    pass(minuteMs);
    guard.admit(server, {}, ask(100), false);
    assert.throws(() => guard.admit(server, {}, ask(100), false), /300 tokens/);
  });
});

describe('[C8] configured limits', () => {
  test('limits of one server override the general ones', () => {
    const written = { maxTokens: 50, servers: { srv: { maxTokens: 7, unattended: 0 } } };
    assert.deepEqual(readSamplingLimits(written, 'srv'), { ...defaultSamplingLimits, maxTokens: 7, unattended: 0 });
    assert.deepEqual(readSamplingLimits(written, 'other'), { ...defaultSamplingLimits, maxTokens: 50 });
  });

  test('an invalid value gives the default, never no limit', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, name) => {
        for (const written of [
          value,
          { maxTokens: value, servers: value },
          { servers: { [name]: { requestsPerMinute: value } } },
        ]) {
          for (const limit of Object.values(readSamplingLimits(written, name)))
            assert.ok(Number.isSafeInteger(limit) && limit >= 0);
        }
      }),
    );
    assert.deepEqual(
      readSamplingLimits({ maxTokens: -1, requestsPerMinute: '9', tokensPerHour: 1e999, unattended: 0.5 }, '__proto__'),
      defaultSamplingLimits,
    );
  });
});
