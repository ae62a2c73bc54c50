/**
 * The server's state for a client of the legacy era, 2024-11-05 to 2025-11-25 (specification 2025-11-25:
 * basic/lifecycle). `initialize` sets the revision and the capabilities. Log level and subscriptions are state of the
 * session. The server sends its questions as requests.
 */
import type { CallSignal } from '../base/lightAbort.js';
import { abortSignalOf, eitherSignal } from '../base/lightAbort.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import { valueCost } from '../base/valueCost.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ClientCapabilities, Implementation, ListKind, LoggingLevel } from '../protocol/mcp.js';
import type { LegacyRevision } from '../protocol/revisions.js';
import { isLegacyRevision, legacyRevisions } from '../protocol/revisions.js';
import type { CallerLife } from '../base/callerLife.js';
import type { ArrivedClient, ConnectionInfo } from './clientGate.js';
import type { ClientRequest } from './clientRequest.js';
import { canAsk } from './clientRequest.js';
import { ClientRequests } from './clientRequests.js';
import { isLoggingLevel, readClient } from './envelope.js';
import type { AskClient } from './handlerContext.js';
import { createContext } from './handlerContext.js';
import type { ClientChannel, OpenRequest, ServerCore } from './serverCore.js';
import { maxSubscribedLength, maxSubscriptions } from './serverCore.js';
import { mayAsk, methodNotFound } from './serverMethods.js';

type Params = Record<string, unknown>;
type Result = Record<string, unknown>;

/** Minimum level of log messages for clients that set none (the specification leaves it to the server). */
const defaultLogLevel: LoggingLevel = 'info';

/** Maximum memory of the capabilities of a client, bytes, because they are kept until the session ends. */
const maxCapabilityBytes = 64 * 1024;

interface Handshake {
  revision: LegacyRevision;
  client: Implementation | undefined;
  capabilities: ClientCapabilities;
}

export class LegacySession {
  private handshake: Handshake | undefined;
  private isInitialized = false;
  /** Whether the client may use the server. */
  isAdmitted = false;
  private logLevel: LoggingLevel | undefined;
  private readonly subscriptions = new Map<string, Disposable>();
  private readonly asks: ClientRequests;

  constructor(
    private readonly core: ServerCore,
    private readonly channel: ClientChannel,
    private readonly life: CallerLife,
    private readonly connectionInfo: ConnectionInfo,
  ) {
    this.asks = new ClientRequests(core.clock, core.askTimeoutMs, (message, relatedTo) =>
      channel.send(message, relatedTo),
    );
  }

  /** The revision of the session; undefined before `initialize`. */
  get revision(): LegacyRevision | undefined {
    return this.handshake?.revision;
  }

  /** The client as it introduced itself. */
  get client(): Implementation | undefined {
    return this.handshake?.client;
  }

  async answer(request: OpenRequest, params: Params): Promise<Result> {
    const { method } = request;
    if (method === 'ping') return {};
    if (method === 'initialize') return this.initialize(params);
    const handshake = this.handshake;
    if (!handshake)
      throw new ProtocolError(ErrorCode.invalidRequest, 'The session is not initialized: send initialize first.');
    if (method === 'logging/setLevel') return this.setLogLevel(params);
    const { gate, methods } = this.core;
    const { size, abort } = request;
    const emptyList = gate && methods.emptyList(method);
    if (!emptyList) await gate?.admit(this.arrived(handshake), abort.signal, size);
    else if ((await gate.admitSoon(this.arrived(handshake), abort.signal, size)) === false) return emptyList;
    this.isAdmitted = true;
    if (method === 'resources/subscribe') return this.subscribe(params, handshake);
    if (method === 'resources/unsubscribe') return this.unsubscribe(params);
    const { revision, client, capabilities } = handshake;
    const facts = {
      revision,
      client,
      capabilities,
      peer: this,
      life: this.life,
      connectionInfo: this.connectionInfo,
      askedLogLevel: this.logLevel,
      logLevel: () => this.logLevel ?? defaultLogLevel,
    };
    const ask: AskClient = (asked, _key, signal) => this.ask(asked, handshake, request, signal);
    return await methods.handle(method, params, createContext(request, params, facts, ask, abort.signal, this.channel));
  }

  receiveNotification(method: string): void {
    if (method === 'notifications/initialized' && this.handshake) this.isInitialized = true;
  }

  /** Receives a response to one of the server's requests; returns false if it matches none. */
  receiveAnswer(message: Params): boolean {
    return this.asks.receive(message);
  }

  listChanged(kind: ListKind): void {
    // Before `initialized`, the client has not listed anything that could be out of date.
    if (this.isInitialized && this.mayReceive)
      this.channel.send({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` });
  }

  resourceUpdated(uri: string): void {
    if (this.handshake && this.subscriptions.has(uri) && this.core.mayWatch(uri, this.arrived(this.handshake)))
      this.channel.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
  }

  close(reason: Error): void {
    this.asks.end(reason);
    for (const subscription of this.subscriptions.values()) subscription.dispose();
    this.subscriptions.clear();
  }

  private initialize(params: Params): Result {
    if (this.handshake) throw new ProtocolError(ErrorCode.invalidRequest, 'The session is already initialized.');
    const wanted = params['protocolVersion'];
    if (typeof wanted !== 'string')
      throw new ProtocolError(ErrorCode.invalidParams, 'protocolVersion is missing or not a string.');
    const capabilities = isObject(params['capabilities']) ? params['capabilities'] : {};
    if (valueCost(capabilities, maxCapabilityBytes) > maxCapabilityBytes)
      throw new ProtocolError(ErrorCode.invalidParams, 'The capabilities of the client are larger than 64 KiB.');
    const revision = isLegacyRevision(wanted) ? wanted : legacyRevisions[0];
    this.handshake = {
      revision,
      client: readClient(params['clientInfo']),
      capabilities,
    };
    this.core.gate?.arrived(this.arrived(this.handshake));
    const { info, instructions } = this.core;
    const result: Result = {
      protocolVersion: revision,
      capabilities: this.core.capabilities(revision),
      serverInfo: info,
    };
    if (instructions !== undefined) result['instructions'] = instructions;
    return result;
  }

  /** Whether the client may know that the server has changed: it may use the server, or was allowed to before. */
  private get mayReceive(): boolean {
    return this.isAdmitted || (this.core.gate?.isAdmitted(this.client, this.connectionInfo) ?? true);
  }

  private arrived({ client, revision }: Handshake): ArrivedClient {
    return { client, revision, era: 'legacy', connectionInfo: this.connectionInfo };
  }

  private setLogLevel(params: Params): Result {
    const level = params['level'];
    if (!isLoggingLevel(level))
      throw new ProtocolError(ErrorCode.invalidParams, 'The level is not one of the eight severities.');
    this.logLevel = level;
    return {};
  }

  private subscribe(params: Params, handshake: Handshake): Result {
    if (this.core.capabilities(handshake.revision).resources?.subscribe !== true)
      throw methodNotFound('resources/subscribe');
    const uri = params['uri'];
    if (typeof uri !== 'string') throw new ProtocolError(ErrorCode.invalidParams, 'uri is missing or not a string.');
    if (uri.length > maxSubscribedLength)
      throw new ProtocolError(ErrorCode.invalidParams, `uri is longer than ${maxSubscribedLength} characters.`);
    if (this.subscriptions.has(uri)) return {};
    if (!this.core.mayWatch(uri, this.arrived(handshake)))
      throw new ProtocolError(ErrorCode.resourceNotFound, 'Resource not found.', { uri });
    if (this.subscriptions.size >= maxSubscriptions)
      throw new ProtocolError(ErrorCode.internalError, `More than ${maxSubscriptions} subscriptions are open.`);
    this.subscriptions.set(
      uri,
      this.core.watch(uri, this.life, () => this.resourceUpdated(uri)),
    );
    return {};
  }

  private unsubscribe(params: Params): Result {
    const uri = params['uri'];
    if (typeof uri !== 'string') throw new ProtocolError(ErrorCode.invalidParams, 'uri is missing or not a string.');
    this.subscriptions.get(uri)?.dispose();
    this.subscriptions.delete(uri);
    return {};
  }

  private async ask(
    ask: ClientRequest,
    handshake: Handshake,
    request: OpenRequest,
    until: CallSignal | undefined,
  ): Promise<Params> {
    // The legacy era allows questions in all methods, but a handler must behave the same in both eras.
    if (!mayAsk.has(request.method)) throw new Error(`${request.method} may not ask for ${ask.method}.`);
    if (!canAsk(ask, handshake.capabilities))
      throw new UserError(`The client does not support ${ask.method}, which this request needs.`);
    const { signal } = request.abort;
    const answer = await this.asks.send(ask, request.id, until ? eitherSignal(signal, abortSignalOf(until)) : signal);
    const problems =
      ask.formSchema && answer['action'] === 'accept'
        ? await this.core.validate?.(ask.formSchema, answer['content'])
        : undefined;
    if (problems && problems.length > 0)
      throw new UserError(`The answer of the client does not match the form: ${problems.join('; ')}.`);
    return answer;
  }
}
