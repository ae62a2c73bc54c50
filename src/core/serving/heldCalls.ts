/**
 * Requests of the stateless era that keep running while their client is asked (specification 2026-07-28,
 * basic/patterns/mrtr). A handler that cannot run twice, such as a call that was passed on to another server, runs
 * once: each round of the request returns the questions that are open, and `requestState` identifies the running
 * handler.
 */
import { valueCost } from '../base/valueCost.js';
import type { CallSignal } from '../base/lightAbort.js';
import { LightAbort } from '../base/lightAbort.js';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { Deferred } from '../base/deferred.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ClientRequest } from './clientRequest.js';
import { requestDigest } from './requestDigest.js';
import type { RequestContext } from './requestContext.js';
import type { StateSigner } from './stateSigner.js';

type Params = Record<string, unknown>;

const purpose = 'held call';

/** Maximum number of calls of all clients that wait for answers. */
const maxHeld = 256;

/** Maximum number of waiting calls of one client, so that one client cannot use up the limit of all clients. */
const maxHeldOfClient = 64;

/** Maximum memory of the parameters of all calls that wait for answers, bytes. */
const maxHeldBytes = 64 * 1024 * 1024;

/** Maximum number of questions in one round; further questions wait for the next round. */
const maxAsksPerRound = 32;

/** Maximum length of the name of a question, in characters. */
const maxKeyLength = 200;

interface State {
  id: string;
  /** The number of the round that the state continues; each state is accepted once. */
  round: number;
}

export interface HeldRequest {
  method: string;
  params: Params;
  /** The client that sent the request. A call is continued only by the client that began it. */
  principal: string;
}

/** The calls of all clients of a server that continue between rounds. */
export class HeldCalls implements Disposable {
  private readonly calls = new Map<string, HeldCall>();

  /** @param lifetimeMs how long a call waits for the next round, in milliseconds. */
  constructor(
    private readonly signer: StateSigner,
    private readonly clock: Clock,
    private readonly lifetimeMs: number,
  ) {}

  /** Number of calls that are waiting for answers. */
  get size(): number {
    return this.calls.size;
  }

  /**
   * The call that the request continues, or a new one.
   * @throws ProtocolError when the state was not issued by this server, was used before, has expired, or belongs to
   * another request or client; or when the answers are malformed.
   */
  open(request: HeldRequest): HeldCall {
    const text = request.params['requestState'];
    const responses = request.params['inputResponses'];
    if (responses !== undefined && !isObject(responses))
      throw new ProtocolError(ErrorCode.invalidParams, 'inputResponses is not an object.');
    const begun = new HeldCall(request, responses);
    if (text === undefined) return begun;
    const state = typeof text === 'string' ? (this.signer.verify(purpose, text) as State | undefined) : undefined;
    const call = state && this.calls.get(state.id);
    if (!call || call.identity !== begun.identity || call.round !== state.round)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        'The requestState does not belong to a request that is waiting: it was used before, it has expired, or it was ' +
          'not issued by this server. Start the request again.',
      );
    this.take(call);
    call.answers = responses ?? {};
    return call;
  }

  /** Keeps the call for its next round, and returns the result that asks the client. Throws if too many calls wait. */
  hold(call: HeldCall, asks: Params): Params {
    const ofClient = [...this.calls.values()].filter(({ principal }) => principal === call.principal).length;
    const bytes = [...this.calls.values()].reduce((sum, one) => sum + one.bytes, call.bytes);
    if (this.calls.size >= maxHeld || ofClient >= maxHeldOfClient || bytes > maxHeldBytes) {
      let problem = `More than ${maxHeld} requests wait for answers.`;
      if (ofClient >= maxHeldOfClient)
        problem = `More than ${maxHeldOfClient} requests of this client wait for answers.`;
      else if (bytes > maxHeldBytes) problem = 'The requests that wait for answers are too large together.';
      const error = new ProtocolError(ErrorCode.internalError, problem);
      call.abort.abort(error);
      throw error;
    }
    call.round++;
    this.calls.set(call.id, call);
    call.expiry = this.clock.after(this.lifetimeMs, () => {
      this.take(call);
      call.abort.abort(new HostError('cancelled', 'The client did not answer in time.'));
    });
    const state: State = { id: call.id, round: call.round };
    return {
      resultType: 'input_required',
      inputRequests: asks,
      requestState: this.signer.sign(purpose, state),
    };
  }

  /** Ends the calls that wait for answers of this client. */
  endOf(principal: string): void {
    this.endAll('The client is gone.', (call) => call.principal === principal);
  }

  dispose(): void {
    this.endAll('The server is closing.', () => true);
  }

  private endAll(reason: string, matches: (call: HeldCall) => boolean): void {
    for (const call of [...this.calls.values()].filter(matches)) {
      this.take(call);
      call.abort.abort(new HostError('cancelled', reason));
    }
  }

  private take(call: HeldCall): void {
    this.calls.delete(call.id);
    call.expiry?.dispose();
    call.expiry = undefined;
  }
}

/** One running handler, with the questions that it waits for. */
export class HeldCall {
  round = 0;
  /** Aborted when the client cancels or disappears during a round, or does not return for the next one. */
  readonly abort = new LightAbort();
  expiry: Disposable | undefined;
  private readonly waiting = new Map<string, { ask: ClientRequest; answer: Deferred<Params> }>();
  private running: Promise<Params> | undefined;
  /** The end of the current round: the result of the handler, or undefined if the client must be asked. */
  private end: Deferred<Params | undefined> | undefined;
  private count = 0;
  private context: RequestContext | undefined;
  private knownId: string | undefined;
  private knownBytes: number | undefined;
  private knownIdentity: string | undefined;

  /**
   * @param request the request that began the call.
   * @param answers the answers that came with the current round.
   */
  constructor(
    private readonly request: HeldRequest,
    public answers: Params = {},
  ) {}

  /** Random, so that no client can guess it. Created on first use, because most calls ask nothing. */
  get id(): string {
    return (this.knownId ??= randomBytes(18).toString('base64url'));
  }

  /** Memory of the parameters, bytes. Computed on first use. */
  get bytes(): number {
    return (this.knownBytes ??= valueCost(this.request.params, maxHeldBytes));
  }

  /** The digest of the request; see `requestDigest`. Computed on first use. */
  get identity(): string {
    const { method, params, principal } = this.request;
    return (this.knownIdentity ??= requestDigest(method, params, principal));
  }

  /** The client that began the call. */
  get principal(): string {
    return this.request.principal;
  }

  /**
   * Runs one round: starts the handler in the first one, and gives it the answers in each later one.
   * @param context the context of this round. The object that the handler received in the first round uses it.
   * @param isGood checks an answer. A question with an invalid answer is asked again.
   * @returns the handler's result, or the questions that are open.
   */
  async runRound(
    context: RequestContext,
    handler: (context: RequestContext) => Promise<Params>,
    isGood: (ask: ClientRequest, answer: Params) => Promise<boolean>,
  ): Promise<{ result: Params } | { asks: Params }> {
    this.context = context;
    const onAbort = () => this.abort.abort(context.signal.reason);
    context.signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (this.running) await this.deliver(isGood);
      const running = (this.running ??= handler(this.lasting(context)));
      for (;;) {
        const end = (this.end = new Deferred<Params | undefined>());
        running.then(end.resolve, end.reject);
        // After a result that is there already, which counts more than the questions.
        if (this.waiting.size > 0) setImmediate(() => end.resolve(undefined));
        const result = await end.promise;
        if (result !== undefined) return { result };
        // A client may answer a question before the question is asked, if the client knows its name.
        if ((await this.deliver(isGood)) === 0) break;
      }
      const asks = [...this.waiting].slice(0, maxAsksPerRound);
      return {
        asks: Object.fromEntries(asks.map(([key, { ask }]) => [key, { method: ask.method, params: ask.params }])),
      };
    } finally {
      this.end = undefined;
      context.signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Asks the client in this round, or in the next one.
   * @param signal cancels the question.
   * @param wanted the name of the question; default: its kind and number.
   */
  ask(ask: ClientRequest, signal?: CallSignal, wanted?: string): Promise<Params> {
    const isFree = wanted !== undefined && wanted !== '' && wanted.length <= maxKeyLength && !this.waiting.has(wanted);
    const key = isFree ? wanted : `${ask.method.replace('/', '-')}-${++this.count}`;
    const answer = new Deferred<Params>();
    answer.promise.catch(() => undefined);
    const cancel = (reason: unknown) => {
      if (this.waiting.delete(key)) answer.reject(reason);
    };
    for (const one of [signal, this.abort]) {
      if (one?.aborted === true) {
        answer.reject(one.reason);
        return answer.promise;
      }
      one?.addEventListener('abort', () => cancel(one.reason), { once: true });
    }
    this.waiting.set(key, { ask, answer });
    // Questions that are asked in the same turn of the event loop belong to the same round.
    setImmediate(() => this.waiting.size > 0 && this.end?.resolve(undefined));
    return answer.promise;
  }

  /** Passes the answers of this round on to the questions that wait for them. @returns their number. */
  private async deliver(isGood: (ask: ClientRequest, answer: Params) => Promise<boolean>): Promise<number> {
    let count = 0;
    for (const [key, { ask, answer }] of [...this.waiting]) {
      const given = Object.hasOwn(this.answers, key) ? this.answers[key] : undefined;
      if (!isObject(given) || !(await isGood(ask, given)) || !this.waiting.delete(key)) continue;
      this.answers = Object.fromEntries(Object.entries(this.answers).filter(([name]) => name !== key));
      answer.resolve(given);
      count++;
    }
    return count;
  }

  /** The context for the handler: it lasts for the whole call, and reports to the client of the current round. */
  private lasting(first: RequestContext): RequestContext {
    const current = () => this.context ?? first;
    return {
      ...first,
      signal: this.abort,
      progress: (progress) => current().progress(progress),
      log: (level, data, logger) => current().log(level, data, logger),
      elicit: (request, key, signal) => first.elicit(request, key, signal),
      sample: (request, key, signal) => first.sample(request, key, signal),
      listRoots: (key, signal) => first.listRoots(key, signal),
      releaseStream: (retryMs) => current().releaseStream(retryMs),
    };
  }
}
