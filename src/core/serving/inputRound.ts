/**
 * One round of a request that needs input in 2026-07-28 (specification: basic/patterns/mrtr). The handler runs. A
 * question whose answer is known returns that answer. The first questions without an answer end the round. The client
 * stores the answers so far in `requestState`, signed and bound to the request, so that the server stores nothing
 * between rounds.
 */
import { Deferred } from '../base/deferred.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ClientRequest } from './clientRequest.js';
import { digestOf as digest, salient } from './requestDigest.js';
import type { StateSigner } from './stateSigner.js';

type Params = Record<string, unknown>;

const purpose = 'requestState';

/** The time during which an unfinished request can be continued, in milliseconds. */
export const stateLifetimeMs = 3_600_000;

/** Maximum size of `requestState`, in characters. */
const maxStateLength = 4 * 1024 * 1024;

/** Maximum number of questions in one round; further questions wait for the next round. */
const maxAsksPerRound = 32;

interface State {
  /** Digest of the request that the state belongs to. */
  request: string;
  /** The client that may use the state. */
  principal: string;
  /** Milliseconds since the epoch. */
  expires: number;
  /** Digests of the questions, by key. */
  asked: Record<string, string>;
  /** Answers of earlier rounds, by key. */
  answers: Record<string, unknown>;
}

export interface InputRoundOptions {
  signer: StateSigner;
  method: string;
  params: Params;
  /** The client that sent the request. State that was issued to another client is refused. */
  principal: string;
  /** Checks the content of an accepted form. Default: all content is accepted. */
  fitsForm?: (ask: ClientRequest, content: unknown) => boolean | Promise<boolean>;
  /** Returns the wall-clock time; default `Date.now`. */
  now?: () => number;
}

export class InputRound {
  /** Aborted when the request is aborted, and when the round ends at a question. */
  readonly controller = new AbortController();
  private readonly request: string;
  private readonly asked: Record<string, string>;
  private readonly answers: Record<string, unknown>;
  private readonly fresh: Record<string, unknown>;
  private readonly missing = new Map<string, { ask: ClientRequest; answer: Deferred<Params> }>();
  private readonly keys = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly ended = new Deferred<'input'>();
  private readonly now: () => number;

  /**
   * @throws ProtocolError when the state in the request was not issued by this server, belongs to another request, or
   * has expired.
   */
  constructor(private readonly options: InputRoundOptions) {
    this.now = options.now ?? Date.now;
    this.request = digest([options.method, salient(options.params)]);
    const state = this.openState(options.params['requestState']);
    this.asked = { ...state?.asked };
    this.answers = { ...state?.answers };
    const responses = options.params['inputResponses'];
    if (responses !== undefined && !isObject(responses))
      throw new ProtocolError(ErrorCode.invalidParams, 'inputResponses is not an object.');
    this.fresh = responses ?? {};
  }

  /** Whether the result depends on answers, so that it must not be cached. */
  get isRetry(): boolean {
    return this.options.params['requestState'] !== undefined || this.options.params['inputResponses'] !== undefined;
  }

  /** Asks a question, or returns the answer that is already known. */
  ask(ask: ClientRequest, key?: string): Promise<Params> {
    const answer = this.answerOf(ask, key ?? this.nextKey(ask.method));
    // A handler may ask without awaiting the answer. That must not cause an unhandled rejection.
    answer.catch(() => undefined);
    return answer;
  }

  /**
   * Waits for the handler or for the end of the round.
   * @returns the handler's result, or the `input_required` result to send instead.
   */
  async run(handler: () => Promise<Params>): Promise<{ result: Params } | { inputRequired: Params }> {
    const finished = handler();
    // After the end of the round, the rejection of the handler is expected and ignored.
    finished.catch(() => undefined);
    const first = await Promise.race([finished, this.ended.promise]);
    if (first !== 'input') return { result: first };
    const asks = [...this.missing].slice(0, maxAsksPerRound);
    const state: State = {
      request: this.request,
      principal: this.options.principal,
      expires: this.now() + stateLifetimeMs,
      asked: this.asked,
      answers: this.answers,
    };
    return {
      inputRequired: {
        resultType: 'input_required',
        inputRequests: Object.fromEntries(
          asks.map(([key, { ask }]) => [key, { method: ask.method, params: ask.params }]),
        ),
        requestState: this.options.signer.sign(purpose, state),
      },
    };
  }

  private async answerOf(ask: ClientRequest, key: string): Promise<Params> {
    if (this.keys.has(key)) throw new Error(`The handler asked for "${key}" twice; every question needs its own key.`);
    this.keys.add(key);
    const question = digest([ask.method, ask.params]);
    const isSameQuestion = this.asked[key] === undefined || this.asked[key] === question;
    this.asked[key] = question;
    const known = Object.hasOwn(this.fresh, key)
      ? this.fresh[key]
      : Object.hasOwn(this.answers, key)
        ? this.answers[key]
        : undefined;
    if (isSameQuestion && isObject(known) && (await this.isGood(ask, known))) {
      this.answers[key] = known;
      return known;
    }
    // If an answer is missing, malformed, or belongs to another question, the question is asked again, as the
    // specification recommends.
    delete this.answers[key];
    this.controller.signal.throwIfAborted();
    const answer = new Deferred<Params>();
    this.missing.set(key, { ask, answer });
    // Questions that are asked in the same turn belong to the same round, so a `Promise.all` of three questions shows
    // one dialog, not three.
    if (this.missing.size === 1) setImmediate(() => this.stop());
    return answer.promise;
  }

  private stop(): void {
    if (this.controller.signal.aborted) return;
    this.ended.resolve('input');
    const reason = new HostError(
      'cancelled',
      'The run stops here: the client is asked for input, and the handler runs again with the answer.',
    );
    this.controller.abort(reason);
    for (const { answer } of this.missing.values()) answer.reject(reason);
  }

  private async isGood(ask: ClientRequest, answer: Params): Promise<boolean> {
    if (!ask.isAnswer(answer)) return false;
    if (ask.formSchema === undefined || answer['action'] !== 'accept') return true;
    return this.options.fitsForm?.(ask, answer['content']) ?? true;
  }

  private nextKey(method: string): string {
    const count = (this.counts.get(method) ?? 0) + 1;
    this.counts.set(method, count);
    return `${method.replace('/', '-')}-${count}`;
  }

  private openState(text: unknown): State | undefined {
    if (text === undefined) return undefined;
    if (typeof text !== 'string' || text.length > maxStateLength) throw invalidState();
    const state = this.options.signer.verify(purpose, text) as State | undefined;
    if (!state || state.request !== this.request || state.principal !== this.options.principal) throw invalidState();
    if (state.expires < this.now())
      throw new ProtocolError(ErrorCode.invalidParams, 'The requestState has expired: start the request again.');
    return state;
  }
}

function invalidState(): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, 'The requestState was not issued by this server for this request.');
}
