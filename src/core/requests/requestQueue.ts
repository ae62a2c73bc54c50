/**
 * The requests of servers that wait for the user's answer: elicitation (specification 2025-11-25 and 2026-07-28,
 * client/elicitation) and sampling (client/sampling). The queue also has the questions about calls of tools and about
 * clients of the gateway. The queue itself shows nothing. The user interface shows them, and the user can answer at any
 * time. The queue is limited, so that a server cannot flood it.
 */
import { Deferred } from '../base/deferred.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { HostError, messageOf } from '../base/hostError.js';
import { valueCost } from '../base/valueCost.js';
import type { Elicitor, Sampler } from './requestPorts.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { AnswerOutcome, Audit, AuditCaller, SamplingRecord } from '../consent/audit.js';
import type { CallAnswer, CallQuestion } from '../consent/callConsent.js';
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  JsonSchema,
} from '../protocol/mcp.js';
import type { Preset } from '../presets/presetFile.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { formSchemaProblem } from './formSchema.js';
import type { AdmittedSampling } from './samplingGuard.js';
import { SamplingGuard } from './samplingGuard.js';
import { estimateTokens } from './samplingLimits.js';
import type { SamplingPolicies } from './samplingPolicies.js';
import { judgeUrl } from './urlVerdict.js';
import type { SafeUrl } from './urlVerdict.js';

/** Maximum number of waiting requests of one server; more are refused (security requirement C11). */
export const maxWaitingPerServer = 20;

/** Maximum memory of a form with its message, bytes. */
const maxFormBytes = 1024 * 1024;

/** Maximum memory of all waiting requests of one server, bytes. Sampling requests can contain images. */
const maxWaitingBytes = 32 * 1024 * 1024;

/** The kind of a request, with its content. */
export type UserRequest =
  | { kind: 'form'; message: string; schema: JsonSchema }
  | { kind: 'url'; message: string; url: SafeUrl }
  /** A page was opened for the server, which waits until the user has finished there. */
  | { kind: 'visit'; message: string; url: SafeUrl }
  /**
   * `isAllowed` means that the request needs no answer of the user: the user has allowed all sampling of this server,
   * and the limit `unattended` is not reached.
   */
  | { kind: 'sampling'; request: CreateMessageRequest; isAllowed: boolean }
  /** A caller wants to call a tool of this server. */
  | { kind: 'call'; question: CallQuestion }
  /** A client of the gateway wants to use the servers. The client states the texts, and they are not verified. */
  | { kind: 'agent'; name: string; version?: string; preset?: Preset };

/** One request that waits for the user. */
export interface WaitingRequest {
  /** Unique for the life of the queue. */
  readonly id: string;
  /**
   * ID and name of the requesting server. The name comes from the configuration, never from the server. For a client of
   * the gateway, the ID is empty, and the name is the name of the client.
   */
  readonly server: string;
  readonly serverName: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly ask: UserRequest;
  /** The client of the gateway whose call led to the request. */
  readonly client?: string;
  /** Aborted when the answer is no longer needed: the server canceled the request, or its session ended. */
  readonly signal: AbortSignal;
}

/** The error when the user declined or dismissed a request. */
class UserRefusal extends HostError<'cancelled'> {
  constructor(readonly how: 'declined' | 'put-aside') {
    super('cancelled', how === 'declined' ? 'The user declined.' : 'The user dismissed the request.');
  }
}

interface Waiting extends WaitingRequest {
  /** Memory of the request, bytes. */
  readonly cost: number;
  readonly answer: Deferred<unknown>;
  readonly onAbort: () => void;
}

export class RequestQueue implements Elicitor, Sampler, Disposable {
  private readonly changed = new Emitter<void>();
  /** Fired when a request was added or has ended. */
  readonly onDidChange = this.changed.event;
  private readonly open = new Map<string, Waiting>();
  private count = 0;

  constructor(
    private readonly policies: SamplingPolicies,
    private readonly now: () => number = Date.now,
    private readonly sampling: SamplingGuard = new SamplingGuard(),
    /** Records the decisions. If it is absent, they are not recorded. */
    private readonly audit?: Audit,
  ) {
    policies.onDidSetPolicy(() => this.sampling.clearRefusals());
  }

  /** The waiting requests, oldest first. */
  get waiting(): readonly WaitingRequest[] {
    return [...this.open.values()];
  }

  get(id: string): WaitingRequest | undefined {
    return this.open.get(id);
  }

  /**
   * Asks the user to fill in a form or to visit a page. Rejects with ProtocolError if the form or the URL must not be
   * shown, or if too many requests wait.
   */
  async elicit(
    entry: ServerEntry,
    request: ElicitRequest,
    signal: AbortSignal,
    client?: string,
  ): Promise<ElicitResult> {
    return (await this.wait(entry, askOf(request), signal, client)) as ElicitResult;
  }

  /**
   * Waits for a visit to a page: resolves to `done` when the user reports that they have finished, and to `given-up`
   * when they decline or dismiss the request. The signal aborts when the server reports the end of the visit. Rejects
   * with the same errors as `elicit`.
   */
  async untilVisited(
    entry: ServerEntry,
    request: Extract<ElicitRequest, { mode: 'url' }>,
    signal: AbortSignal,
  ): Promise<'done' | 'given-up'> {
    return (await this.wait(entry, { kind: 'visit', ...pageOf(request) }, signal)) as 'done' | 'given-up';
  }

  /**
   * Asks the user about a sampling request. Rejects with HostError `cancelled` when the user declines or dismisses the
   * request, has chosen never to allow sampling, has dismissed a request of this session, or has declined `maxRefusals`
   * requests of this session in a row. Rejects with ProtocolError when too many requests wait or a limit of
   * `SamplingLimits` is reached (security requirement C8).
   * @param session identifies the requesting session, by object identity. If it is absent, all requests of one
   * definition belong to one session.
   */
  async createMessage(
    entry: ServerEntry,
    request: CreateMessageRequest,
    signal: AbortSignal,
    session: object = entry,
    client?: string,
  ): Promise<CreateMessageResult> {
    const record = (more: Omit<SamplingRecord, 'server' | 'event'>) =>
      this.audit?.note({ event: 'sampling', server: entry.id, ...more });
    const policy = this.policies.policy(entry);
    let admitted: AdmittedSampling;
    try {
      if (policy === 'never')
        throw new HostError('cancelled', 'The user refuses all sampling requests of this server.');
      admitted = this.sampling.admit(entry, session, request, policy === 'allow');
    } catch (error) {
      record({ outcome: 'refused', decidedBy: 'policy', reason: messageOf(error) });
      throw error;
    }
    const ask: UserRequest = { kind: 'sampling', request: admitted.request, isAllowed: !admitted.needsUser };
    try {
      const result = (await this.wait(entry, ask, signal, client)) as CreateMessageResult;
      admitted.end({ kind: 'answered', isSeen: admitted.needsUser });
      record({
        outcome: 'ok',
        decidedBy: admitted.needsUser ? 'user' : 'policy',
        model: result.model,
        tokens: estimateTokens({ messages: [result] }),
      });
      return result;
    } catch (error) {
      const end = error instanceof UserRefusal ? error.how : 'dropped';
      admitted.end({ kind: end });
      record({
        outcome: end === 'declined' ? 'refused' : 'cancelled',
        decidedBy: end === 'dropped' ? 'policy' : 'user',
      });
      throw error;
    }
  }

  /** Asks the user about a call. Rejects with HostError `cancelled` when the user dismisses the question. */
  async askCall(question: CallQuestion, signal: AbortSignal): Promise<CallAnswer> {
    return (await this.wait(
      { id: question.server, name: question.server },
      { kind: 'call', question },
      signal,
    )) as CallAnswer;
  }

  /** Asks the user whether a client may use the gateway. Rejects with HostError `cancelled` if they dismiss it. */
  async askAgent(agent: Omit<Extract<UserRequest, { kind: 'agent' }>, 'kind'>, signal: AbortSignal): Promise<boolean> {
    // No server has an empty ID.
    const gateway = { id: '', name: agent.name };
    return (await this.wait(gateway, { kind: 'agent', ...agent }, signal)) as boolean;
  }

  /** Passes on the user's decision about a client. */
  decideAgent(id: string, isAllowed: boolean): void {
    this.end(id, (answer) => answer.resolve(isAllowed));
  }

  /** Passes on the user's decision about a call. */
  decideCall(id: string, answer: CallAnswer): void {
    this.end(id, (waiting) => waiting.resolve(answer));
  }

  /** Passes on the user's answer to a form or a URL. */
  answer(id: string, result: ElicitResult): void {
    this.note(id, result.action === 'accept' ? 'allowed' : result.action === 'decline' ? 'refused' : 'left', 'user');
    this.end(id, (answer) => answer.resolve(result));
  }

  /** Reports that the user has finished on a page. */
  finishVisit(id: string): void {
    this.end(id, (answer) => answer.resolve('done'));
  }

  /** Passes on the answer of a model, or the user's answer in its place. */
  reply(id: string, result: CreateMessageResult): void {
    this.end(id, (answer) => answer.resolve(result));
  }

  /** Declines a request on behalf of the user or a script. */
  decline(id: string, caller: AuditCaller = 'user'): void {
    this.note(id, 'refused', caller);
    this.end(id, (answer, { kind }) => {
      if (kind === 'sampling') answer.reject(new UserRefusal('declined'));
      else if (kind === 'call') answer.resolve({ effect: 'deny' } satisfies CallAnswer);
      else if (kind === 'visit') answer.resolve('given-up');
      else if (kind === 'agent') answer.resolve(false);
      else answer.resolve({ action: 'decline' });
    });
  }

  /**
   * Dismisses a request without an answer. The request is not declined, so the server may ask again. For sampling, a
   * dismissal means "not now" for the rest of the session.
   */
  dismiss(id: string, caller: AuditCaller = 'user'): void {
    this.note(id, 'left', caller);
    this.putAside(id);
  }

  dispose(): void {
    for (const id of [...this.open.keys()]) this.putAside(id);
    this.changed.dispose();
  }

  private putAside(id: string): void {
    this.end(id, (answer, { kind }) => {
      if (kind === 'sampling') answer.reject(new UserRefusal('put-aside'));
      else if (kind === 'call' || kind === 'agent')
        answer.reject(new HostError('cancelled', 'The user dismissed the request.'));
      else if (kind === 'visit') answer.resolve('given-up');
      else answer.resolve({ action: 'cancel' });
    });
  }

  /** Records only forms and pages. Calls and sampling are recorded by the code that ends them. */
  private note(id: string, outcome: AnswerOutcome, caller: AuditCaller): void {
    const request = this.open.get(id);
    if (!request) return;
    const { server, ask } = request;
    if (ask.kind === 'form') this.audit?.note({ event: 'form', server, outcome, caller });
    if (ask.kind === 'url') this.audit?.note({ event: 'page', server, host: ask.url.host, outcome, caller });
  }

  private wait(
    entry: Pick<ServerEntry, 'id' | 'name'>,
    ask: UserRequest,
    signal: AbortSignal,
    client?: string,
  ): Promise<unknown> {
    const ofServer = [...this.open.values()].filter(({ server }) => server === entry.id);
    if (ofServer.length >= maxWaitingPerServer) {
      throw new ProtocolError(
        ErrorCode.internalError,
        `The user has ${maxWaitingPerServer} requests of this server to answer first.`,
      );
    }
    const cost = valueCost(ask, maxWaitingBytes);
    if (ofServer.reduce((sum, one) => sum + one.cost, cost) > maxWaitingBytes)
      throw new ProtocolError(
        ErrorCode.invalidRequest,
        'The requests of this server that wait for the user are too large together.',
      );
    signal.throwIfAborted();
    const id = `request-${++this.count}`;
    const onAbort = () => this.end(id, (answer) => answer.reject(signal.reason));
    const request: Waiting = {
      id,
      server: entry.id,
      serverName: entry.name,
      receivedAt: this.now(),
      ask,
      cost,
      ...(client === undefined ? {} : { client }),
      signal,
      answer: new Deferred(),
      onAbort,
    };
    this.open.set(id, request);
    signal.addEventListener('abort', onAbort);
    this.changed.fire();
    return request.answer.promise;
  }

  private end(id: string, settle: (answer: Deferred<unknown>, ask: UserRequest) => void): void {
    const request = this.open.get(id);
    if (!request) return;
    this.open.delete(id);
    request.signal.removeEventListener('abort', request.onAbort);
    settle(request.answer, request.ask);
    this.changed.fire();
  }
}

function askOf(request: ElicitRequest): UserRequest {
  if (request.mode === 'form') {
    if (valueCost([request.message, request.requestedSchema], maxFormBytes) > maxFormBytes)
      throw new ProtocolError(ErrorCode.invalidParams, 'elicitation/create: the form is larger than 1 MiB.');
    const problem = formSchemaProblem(request.requestedSchema);
    if (problem !== undefined)
      throw new ProtocolError(ErrorCode.invalidParams, `elicitation/create: the form cannot be shown: ${problem}`);
    return { kind: 'form', message: request.message, schema: request.requestedSchema };
  }
  return { kind: 'url', ...pageOf(request) };
}

function pageOf(request: Extract<ElicitRequest, { mode: 'url' }>): { message: string; url: SafeUrl } {
  const verdict = judgeUrl(request.url);
  if ('problem' in verdict)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `elicitation/create: the URL cannot be opened: ${verdict.problem}`,
    );
  return { message: request.message, url: verdict };
}
