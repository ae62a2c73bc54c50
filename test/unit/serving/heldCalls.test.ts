import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSignal } from '../../../src/core/base/lightAbort.js';
import { elicitation } from '../../../src/core/serving/clientRequest.js';
import type { HeldCall, HeldRequest } from '../../../src/core/serving/heldCalls.js';
import { HeldCalls } from '../../../src/core/serving/heldCalls.js';
import type { RequestContext } from '../../../src/core/serving/requestContext.js';
import { StateSigner } from '../../../src/core/serving/stateSigner.js';
import { ManualClock, settle } from '../../support/manualClock.js';

type Params = Record<string, unknown>;

const form = (message: string) =>
  elicitation({ mode: 'form', message, requestedSchema: { type: 'object' } }, '2026-07-28');
const accept = { action: 'accept', content: {} };
const invalid = { code: -32602, message: /does not belong to a request that is waiting/ };
const lifetimeMs = 600_000;

/** The held calls of a server whose handler asks one question, `What?`, and returns the answer. */
class Server {
  readonly clock = new ManualClock();
  readonly held = new HeldCalls(new StateSigner(), this.clock, lifetimeMs);
  /** One for each run of the handler. */
  readonly runs: { signal: CallSignal; answer: Promise<Params> }[] = [];

  /** Sends one round; `signal` is aborted when the client disconnects. */
  async round(params: Params = {}, over: Partial<HeldRequest> = {}, signal: CallSignal = new AbortController().signal) {
    const call = this.held.open({ method: 'tools/call', params: { name: 't', ...params }, principal: 'ada', ...over });
    const end = await call.runRound(
      context(signal),
      (lasting) => this.handle(call, lasting),
      async (ask, answer) => ask.isAnswer(answer),
    );
    return 'result' in end ? end.result : this.held.hold(call, end.asks);
  }

  private async handle(call: HeldCall, { signal }: RequestContext): Promise<Params> {
    const answer = call.ask(form('What?'), signal);
    this.runs.push({ signal, answer });
    return { answer: await answer };
  }
}

function context(signal: CallSignal): RequestContext {
  return { signal, progress: () => undefined, log: () => undefined } as unknown as RequestContext;
}

/** The parameters that answer all questions of a round. */
function answersTo(asked: Params, answer: Params = accept): Params {
  const keys = Object.keys(asked['inputRequests'] as Params);
  return { requestState: asked['requestState'], inputResponses: Object.fromEntries(keys.map((key) => [key, answer])) };
}

test('[GW4] a handler runs once, and its result follows in the round with the answer', async () => {
  const server = new Server();
  const asked = await server.round();
  assert.equal(asked['resultType'], 'input_required');
  assert.deepEqual(Object.values(asked['inputRequests'] as Params), [
    { method: 'elicitation/create', params: form('What?').params },
  ]);
  assert.deepEqual(await server.round(answersTo(asked)), { answer: accept });
  assert.equal(server.runs.length, 1);
  assert.equal(server.held.size, 0);
});

test('[GW4] a state is accepted once', async () => {
  const server = new Server();
  const asked = await server.round();
  await server.round(answersTo(asked));
  await assert.rejects(server.round(answersTo(asked)), invalid);
  assert.equal(server.runs.length, 1, 'nothing ran for the repeated state');
});

test('[GW4] a state of an earlier round is refused while the call still waits', async () => {
  const server = new Server();
  const first = await server.round();
  const second = await server.round({ requestState: first['requestState'], inputResponses: {} });
  assert.notEqual(second['requestState'], first['requestState']);
  await assert.rejects(server.round(answersTo(first)), invalid);
  assert.deepEqual(await server.round(answersTo(second)), { answer: accept }, 'the call was not disturbed');
});

test('[GW4] a state of another client or request is refused, and its own client can still answer', async () => {
  const server = new Server();
  const asked = await server.round();
  await assert.rejects(server.round(answersTo(asked), { principal: 'eve' }), invalid);
  await assert.rejects(server.round(answersTo(asked), { method: 'prompts/get' }), invalid);
  await assert.rejects(server.round({ ...answersTo(asked), arguments: { other: 1 } }), invalid);
  assert.deepEqual(await server.round(answersTo(asked)), { answer: accept });
});

test('[GW4] a forged state is refused', async () => {
  const server = new Server();
  const asked = await server.round();
  const state = asked['requestState'] as string;
  const [body = '', signature = ''] = state.split('.');
  const forged = new StateSigner().sign('held call', JSON.parse(Buffer.from(body, 'base64url').toString()));
  for (const requestState of [forged, `${body}x.${signature}`, `${state}=`, body, '', 7, null, {}])
    await assert.rejects(server.round({ requestState }), invalid);
  assert.equal(server.runs.length, 1);
});

test('[GW4] a state expires, and the call ends', async () => {
  const server = new Server();
  const asked = await server.round();
  await server.clock.advance(lifetimeMs - 1);
  assert.equal(server.held.size, 1);
  await server.clock.advance(1);
  assert.equal(server.runs[0]?.signal.aborted, true);
  await assert.rejects(server.runs[0].answer, /did not answer in time/);
  await assert.rejects(server.round(answersTo(asked)), invalid);
  assert.equal(server.clock.pending, 0);
});

test('a question that the server withdraws ends the call, and the answer comes too late', async () => {
  const server = new Server();
  const controller = new AbortController();
  const call = server.held.open({ method: 'tools/call', params: {}, principal: '' });
  const end = await call.runRound(
    context(new AbortController().signal),
    async () => ({ answer: await call.ask(form('What?'), controller.signal).catch(() => 'withdrawn') }),
    () => Promise.resolve(true),
  );
  assert.ok('asks' in end);
  const asked = server.held.hold(call, end.asks);
  controller.abort(new Error('The server no longer needs it.'));
  const next = server.held.open({ method: 'tools/call', params: answersTo(asked), principal: '' });
  const last = await next.runRound(
    context(new AbortController().signal),
    () => Promise.reject(new Error('The handler ran again.')),
    () => Promise.resolve(true),
  );
  assert.deepEqual(last, { result: { answer: 'withdrawn' } });
});

test('[GW5] a client that disconnects during a round cancels the call', async () => {
  const server = new Server();
  const asked = await server.round();
  const client = new AbortController();
  const waiting = server.held.open({
    method: 'tools/call',
    params: { name: 't', ...answersTo(asked) },
    principal: 'ada',
  });
  waiting.answers = {};
  const round = waiting.runRound(
    context(client.signal),
    () => Promise.reject(new Error('The handler ran again.')),
    () => new Promise<boolean>(() => undefined),
  );
  round.catch(() => undefined);
  client.abort(new Error('The client is gone.'));
  await settle();
  assert.equal(server.runs[0]?.signal.aborted, true);
  await assert.rejects(server.runs[0].answer, /The client is gone/);
});

test('a question is asked again if its answer is not valid', async () => {
  const server = new Server();
  const asked = await server.round();
  const again = await server.round(answersTo(asked, { action: 'perhaps' }));
  assert.deepEqual(again['inputRequests'], asked['inputRequests']);
  assert.deepEqual(await server.round(answersTo(again)), { answer: accept });
});

test('a question that its server named keeps the name, and can be answered in advance', async () => {
  const server = new Server();
  const ask = async (params: Params) => {
    const call = server.held.open({ method: 'tools/call', params, principal: '' });
    return call.runRound(
      context(new AbortController().signal),
      async () => ({ answer: await call.ask(form('What?'), undefined, 'name') }),
      (one, answer) => Promise.resolve(one.isAnswer(answer)),
    );
  };
  const asked = await ask({});
  assert.deepEqual('asks' in asked && Object.keys(asked.asks), ['name']);
  assert.deepEqual(await ask({ inputResponses: { other: accept, name: accept } }), { result: { answer: accept } });
  const invalid = await ask({ inputResponses: { name: 5 } });
  assert.ok('asks' in invalid);
});

test('questions asked in the same turn belong to one round', async () => {
  const server = new Server();
  const call = server.held.open({ method: 'tools/call', params: {}, principal: '' });
  const end = await call.runRound(
    context(new AbortController().signal),
    async () => ({ answers: await Promise.all([call.ask(form('One?')), call.ask(form('Two?'))]) }),
    () => Promise.resolve(true),
  );
  assert.ok('asks' in end);
  assert.equal(Object.keys(end.asks).length, 2);
});

test('the number of calls that wait is limited, and a further one is ended', async () => {
  const server = new Server();
  for (let i = 0; i < 256; i++) await server.round({}, { principal: `client ${i % 5}` });
  await assert.rejects(server.round(), { code: -32603, message: /More than 256/ });
  assert.equal(server.runs.at(-1)?.signal.aborted, true);
  server.held.dispose();
  assert.ok(server.runs.every(({ signal }) => signal.aborted));
  assert.equal(server.clock.pending, 0);
});

test('a client with many calls that wait leaves places for other clients', async () => {
  const server = new Server();
  for (let i = 0; i < 64; i++) await server.round();
  await assert.rejects(server.round(), { code: -32603, message: /More than 64 requests of this client/ });
  assert.equal(server.runs.at(-1)?.signal.aborted, true);
  const asked = await server.round({}, { principal: 'eve' });
  assert.deepEqual(await server.round(answersTo(asked), { principal: 'eve' }), { answer: accept });
});

test('[GW10] when a client is forgotten, its calls that wait end, and those of other clients continue', async () => {
  const server = new Server();
  await server.round();
  const asked = await server.round({}, { principal: 'eve' });
  server.held.endOf('ada');
  assert.deepEqual([server.runs[0]?.signal.aborted, server.held.size], [true, 1]);
  assert.deepEqual(await server.round(answersTo(asked), { principal: 'eve' }), { answer: accept });
});

test('[GW4] the parameters of all calls that wait are limited together', async () => {
  const server = new Server();
  const large = { arguments: { text: 'x'.repeat(25 * 1024 * 1024) } };
  const asked = await server.round(large);
  await server.round(large, { principal: 'bob' });
  await assert.rejects(server.round(large, { principal: 'eve' }), /too large together/);
  assert.equal(server.held.size, 2);
  const { result } = (await server.round({ ...large, ...answersTo(asked) })) as { result?: unknown };
  assert.equal(result, undefined);
  await server.round(large, { principal: 'eve' });
});
