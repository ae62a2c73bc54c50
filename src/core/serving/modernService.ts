/**
 * The stateless era, 2026-07-28: each request contains the client's identity and capabilities, the server asks the
 * client by returning a result with questions, and changes are sent on streams that the client opened (specification
 * 2026-07-28: basic, basic/patterns/mrtr, basic/patterns/subscriptions, server/discover, server/utilities/caching).
 */
import { DisposableStore } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import type { JsonRpcNotification, RequestId } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Revision } from '../protocol/revisions.js';
import { isModernRevision, modernRevisions } from '../protocol/revisions.js';
import type { CallerLife } from '../base/callerLife.js';
import type { ArrivedClient, ConnectionInfo } from './clientGate.js';
import type { ClientRequest } from './clientRequest.js';
import { canAsk } from './clientRequest.js';
import type { Envelope } from './envelope.js';
import type { Implementation, ListKind } from '../protocol/mcp.js';
import { metaKeys } from '../protocol/mcp.js';
import { readEnvelope } from './envelope.js';
import type { AskClient, ClientFacts } from './handlerContext.js';
import { createContext } from './handlerContext.js';
import type { HeldCalls } from './heldCalls.js';
import { InputRound } from './inputRound.js';
import type { ClientChannel, OpenRequest, ServerCore } from './serverCore.js';
import { maxSubscriptions } from './serverCore.js';
import type { CheckCall } from './serverMethods.js';
import { cacheable, mayAsk, methodNotFound } from './serverMethods.js';

type Params = Record<string, unknown>;
type Result = Record<string, unknown>;

/** Maximum number of open `subscriptions/listen` requests of one client. */
const maxListens = 32;

interface Listen {
  honoured: Params;
  uris: ReadonlySet<string>;
  client: ArrivedClient;
  /** Whether the client was allowed to use the server when the stream was opened, or later. */
  isAdmitted: boolean;
}

export class ModernService {
  private readonly listens = new Map<RequestId, Listen>();
  /** The client of the last request. */
  client: Implementation | undefined;

  constructor(
    private readonly core: ServerCore,
    private readonly channel: ClientChannel,
    private readonly principal: string,
    private readonly checkCall: CheckCall | undefined,
    /** The client at the other end of a pair of streams; undefined if requests of several clients arrive. */
    private readonly life: CallerLife | undefined,
    private readonly connectionInfo: ConnectionInfo,
  ) {}

  async answer(request: OpenRequest, params: Params): Promise<Result> {
    const envelope = readEnvelope(params);
    if (envelope instanceof ProtocolError) throw envelope;
    const revision = envelope.version;
    if (!isModernRevision(revision)) {
      throw new ProtocolError(ErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', {
        supported: modernRevisions,
        requested: revision,
      });
    }
    const { method } = request;
    const { client } = envelope;
    this.client = client;
    const arrived: ArrivedClient = { client, revision, era: 'modern', connectionInfo: this.connectionInfo };
    if (method === 'server/discover') {
      this.core.gate?.arrived(arrived);
      return this.discover(revision);
    }
    const { gate, methods } = this.core;
    const { signal } = request.abort;
    const early = gate && this.earlyAnswer(request, params, arrived);
    if (!early) await gate?.admit(arrived, signal, request.size);
    else if ((await gate.admitSoon(arrived, signal, request.size)) === false) return early();
    this.connectionInfo.onAdmitted?.();
    // A client that may not use the server must not replace one of the known clients.
    const principal = this.principalOf(envelope);
    const life = this.life ?? this.core.clients.of(principal, client);
    if (method === 'subscriptions/listen') return this.listen(request, params, arrived, life);
    if (!methods.has(method)) throw methodNotFound(method);
    const facts = {
      revision,
      client,
      capabilities: envelope.capabilities,
      peer: this.life ?? request,
      life,
      connectionInfo: this.connectionInfo,
      askedLogLevel: envelope.logLevel,
      logLevel: () => envelope.logLevel,
    };
    if (mayAsk.has(method))
      return await (this.core.held
        ? this.answerHeld(this.core.held, request, params, principal, facts)
        : this.answerInRounds(request, params, envelope, facts));
    const ask = (): Promise<never> => Promise.reject(new Error(`${method} may not ask for input.`));
    const context = createContext(request, params, facts, ask, signal, this.channel);
    return this.finished(method, await methods.handle(method, params, context));
  }

  listChanged(kind: ListKind): void {
    for (const [id, listen] of this.listens) {
      if (listen.honoured[`${kind}ListChanged`] === true && this.mayReceive(listen))
        this.channel.send(tagged(`notifications/${kind}/list_changed`, {}, id), id);
    }
  }

  resourceUpdated(uri: string): void {
    for (const [id, listen] of this.listens) {
      if (listen.uris.has(uri) && this.core.mayWatch(uri, listen.client))
        this.channel.send(tagged('notifications/resources/updated', { uri }, id), id);
    }
  }

  /** The result that ends a stream normally; undefined if `id` is not a stream. */
  farewell(id: RequestId): Result | undefined {
    return this.listens.has(id)
      ? this.identified({ resultType: 'complete', _meta: { [metaKeys.subscriptionId]: id } })
      : undefined;
  }

  private discover(revision: Revision): Result {
    const { instructions } = this.core;
    const result: Result = { supportedVersions: modernRevisions, capabilities: this.core.capabilities(revision) };
    if (instructions !== undefined) result['instructions'] = instructions;
    return this.finished('server/discover', result);
  }

  /** The answer for a client about which there is no decision yet; undefined if the request must wait for it. */
  private earlyAnswer(
    request: OpenRequest,
    params: Params,
    client: ArrivedClient,
  ): (() => Result | Promise<Result>) | undefined {
    const { method } = request;
    const emptyList = this.core.methods.emptyList(method);
    if (emptyList) return () => this.finished(method, emptyList, true);
    const wanted = method === 'subscriptions/listen' ? wantedOf(params) : undefined;
    // Subscriptions would reveal which resources exist.
    return wanted && wanted['resourceSubscriptions'] === undefined
      ? () => this.listen(request, params, client)
      : undefined;
  }

  /** Whether the client of a stream may know that the server has changed. */
  private mayReceive(listen: Listen): boolean {
    const { client, connectionInfo } = listen.client;
    if (!listen.isAdmitted && this.core.gate?.isAdmitted(client, connectionInfo) === true) {
      listen.isAdmitted = true;
      connectionInfo.onAdmitted?.();
    }
    return listen.isAdmitted;
  }

  private async answerInRounds(
    request: OpenRequest,
    params: Params,
    envelope: Envelope,
    facts: ClientFacts,
  ): Promise<Result> {
    const { core } = this;
    const round = new InputRound({
      signer: core.signer,
      method: request.method,
      params,
      principal: this.principal,
      fitsForm: (ask, content) => this.fitsForm(ask, content),
    });
    request.abort.signal.addEventListener('abort', () => round.controller.abort(request.abort.signal.reason), {
      once: true,
    });
    const ask: AskClient = (asked, key) => {
      if (canAsk(asked, envelope.capabilities)) return round.ask(asked, key);
      return Promise.reject(missingCapability(asked));
    };
    const context = createContext(request, params, facts, ask, round.controller.signal, this.channel);
    const outcome = await round.run(() => core.methods.handle(request.method, params, context, this.checkCall));
    return 'inputRequired' in outcome
      ? this.identified(outcome.inputRequired)
      : this.finished(request.method, outcome.result, round.isRetry);
  }

  /** Like `answerInRounds`, for a server whose handlers run once. */
  private async answerHeld(
    heldCalls: HeldCalls,
    request: OpenRequest,
    params: Params,
    principal: string,
    facts: ClientFacts,
  ): Promise<Result> {
    const { method } = request;
    const { capabilities } = facts;
    const call = heldCalls.open({ method, params, principal });
    const ask: AskClient = (asked, key, signal) =>
      canAsk(asked, capabilities) ? call.ask(asked, signal, key) : Promise.reject(missingCapability(asked));
    const context = createContext(request, params, facts, ask, request.abort.signal, this.channel);
    const isRetry = params['requestState'] !== undefined;
    const end = await call.runRound(
      context,
      (lasting) => this.core.methods.handle(method, params, lasting, this.checkCall),
      async (asked, answer) =>
        asked.isAnswer(answer) && (answer['action'] !== 'accept' || (await this.fitsForm(asked, answer['content']))),
    );
    return 'result' in end
      ? this.finished(method, end.result, isRetry)
      : this.identified(heldCalls.hold(call, end.asks));
  }

  /** The identity of the client: its authenticated principal, and the name and version that it states. */
  private principalOf({ client }: Envelope): string {
    return JSON.stringify([this.principal, client?.name, client?.version]);
  }

  private async fitsForm({ formSchema }: ClientRequest, content: unknown): Promise<boolean> {
    return !formSchema || ((await this.core.validate?.(formSchema, content)) ?? []).length === 0;
  }

  /**
   * Opens a stream of notifications. The request remains open as long as the stream is open.
   * @param life undefined for a client that was not admitted yet, which receives no updates of resources.
   */
  private listen(request: OpenRequest, params: Params, client: ArrivedClient, life?: CallerLife): Promise<Result> {
    // The client may have canceled the request while the request waited for the gate.
    if (request.isOver) throw new ProtocolError(ErrorCode.internalError, 'The request has ended.');
    if (this.listens.size >= maxListens)
      throw new ProtocolError(ErrorCode.internalError, `More than ${maxListens} subscriptions are open.`);
    const { honoured, uris } = this.honour(wantedOf(params), client);
    const owned = new DisposableStore();
    if (life) for (const uri of uris) owned.add(this.core.watch(uri, life, () => this.resourceUpdated(uri)));
    this.listens.set(request.id, { honoured, uris, client, isAdmitted: life !== undefined });
    this.channel.send(
      tagged('notifications/subscriptions/acknowledged', { notifications: honoured }, request.id),
      request.id,
    );
    return new Promise<Result>((_resolve, reject) => {
      request.abort.signal.addEventListener('abort', () => {
        owned.dispose();
        this.listens.delete(request.id);
        reject(request.abort.signal.reason);
      });
    });
  }

  /** The requested notifications that this server can send. */
  private honour(wanted: Params, client: ArrivedClient): { honoured: Params; uris: ReadonlySet<string> } {
    const offered = this.core.capabilities(client.revision);
    const honoured: Params = {};
    for (const kind of ['tools', 'resources', 'prompts'] as const) {
      if (wanted[`${kind}ListChanged`] === true && offered[kind]?.listChanged === true)
        honoured[`${kind}ListChanged`] = true;
    }
    const asked = wanted['resourceSubscriptions'];
    const canSubscribe = Array.isArray(asked) && offered.resources?.subscribe === true;
    const uris = new Set(
      canSubscribe
        ? asked
            .filter((uri): uri is string => typeof uri === 'string' && this.core.mayWatch(uri, client))
            .slice(0, maxSubscriptions)
        : [],
    );
    if (uris.size > 0) honoured['resourceSubscriptions'] = [...uris];
    return { honoured, uris };
  }

  /**
   * Adds the fields that this era requires in every complete result.
   * @param isPassing whether the result must not be reused: it depends on answers of the user, or on a decision about
   * the client that is still open.
   */
  private finished(method: string, result: Result, isPassing = false): Result {
    const whole: Result = { resultType: 'complete', _meta: undefined, ...result };
    if (cacheable.has(method)) {
      const policy = isPassing ? undefined : this.core.cache.get(method);
      whole['ttlMs'] = policy?.ttlMs ?? 0;
      whole['cacheScope'] = policy?.scope ?? 'private';
    }
    return this.identified(whole);
  }

  /** Adds the identity of this server to a result that belongs to this request only. */
  private identified(result: Result): Result {
    const given = result['_meta'];
    const meta: Params = { [metaKeys.serverInfo]: this.core.info };
    result['_meta'] = isObject(given) ? { ...given, ...meta } : meta;
    return result;
  }
}

function missingCapability({ needs }: ClientRequest): ProtocolError {
  return new ProtocolError(ErrorCode.missingClientCapability, 'Missing required client capability', {
    requiredCapabilities: needs,
  });
}

/** The notifications that a request for a stream asks for. */
function wantedOf({ notifications }: Params): Params {
  return isObject(notifications) ? notifications : {};
}

function tagged(method: string, params: Params, subscriptionId: RequestId): JsonRpcNotification {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [metaKeys.subscriptionId]: subscriptionId } } };
}
