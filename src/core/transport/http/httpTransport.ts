/**
 * Streamable HTTP of all revisions (specification: basic/transports). Each message is one POST; its response is JSON or
 * an event stream. This class does not check the revision. It uses a session ID if the response to `initialize`
 * contains one. After the session has called `handshakeDone`, which a session of 2026-07-28 does not do, this class
 * opens a GET stream with resumption when the server accepts `notifications/initialized`. The session passes the
 * headers of a revision with each message.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.js';
import { systemClock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import { isObject } from '../../base/guards.js';
import { HostError, messageOf } from '../../base/hostError.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';
import { BodyBudget } from './bodyBudget.js';
import { CallSweep } from './callSweep.js';
import { CallsInFlight } from './callsInFlight.js';
import { EventStream } from './eventStream.js';
import { discardBody } from './httpBody.js';
import { HttpCall } from './httpCall.js';
import { HttpClient, clientOptionsOf } from './httpClient.js';
import { HttpConnections } from './httpConnections.js';
import type { FailedResponse } from './httpErrors.js';
import type { MessageStream } from './messageStream.js';
import type { PostOwner } from './postCall.js';
import { PostCall } from './postCall.js';
import type { RemoteAddress } from './remoteAddress.js';
import type { HeaderMap } from './remoteHeaders.js';
import type { RemoteOptions } from '../remoteOptions.js';
import { defaultConnectTimeoutMs, defaultMaxMessageBytes } from '../remoteOptions.js';
import { Undelivered } from './undelivered.js';
import type { HttpExchange, Transport, TransportSink } from '../transport.js';

/** Maximum wait for the response to DELETE, ms. */
const farewellMs = 2_000;
/** Maximum time for a server to repeat an event that was cut off, ms. */
const replayMs = 3_000;
/** The minimum time after a network failure of the event stream before a successful request reopens the stream, ms. */
const listenAgainMs = 60_000;

const maxSessionIdLength = 4_096;
const sessionIdPattern = /^[\x21-\x7e]+$/;

export class HttpTransport implements Transport {
  readonly kind = 'http';
  /** True, although only some revisions cancel this way. In the others, the session also sends a notification. */
  readonly cancelsByClosing = true;
  private readonly clock: Clock;
  private readonly connections: HttpConnections;
  private readonly client: HttpClient;
  private readonly maxMessageBytes: number;
  /**
   * Ends messages without a response, and streams that continue after their response; these have no timeout of their
   * own.
   */
  private readonly sweep: CallSweep;
  private readonly owner: PostOwner;
  private readonly undelivered: Undelivered;
  private readonly bodies: BodyBudget;
  private sink: TransportSink | undefined;
  private use: Disposable | undefined;
  private readonly calls: CallsInFlight<PostCall>;
  private sessionId: string | undefined;
  /**
   * Whether the server has accepted the session ID at least once. Only then does status 400 with a text about the
   * session mean that the session has ended. Status 404 always means this.
   */
  private isSessionProven = false;
  private revision: string | undefined;
  /**
   * The headers of every POST. Built once per change, not once per message. Has every property that a message can need
   * (see `HttpClient.blank`).
   */
  private headersOfPost: Record<string, string | number> = {};
  /** Those of `headersOfPost` that belong to MCP; undefined if there are none. */
  private protocolHeadersOfPost: Record<string, string> | undefined;
  private listening: EventStream | undefined;
  private hasOddAnswers = false;
  /** The time when the event stream was lost for a temporary reason. */
  private lostAt: number | undefined;
  private farewell: FarewellCall | undefined;
  private closing: Promise<void> | undefined;

  /** Throws HostError `bad-configuration`. */
  constructor(
    private readonly address: RemoteAddress,
    private readonly options: RemoteOptions = {},
  ) {
    const clock = options.clock ?? systemClock;
    const sweep = new CallSweep(clock);
    const connections = options.connections ?? new HttpConnections();
    this.clock = clock;
    this.sweep = sweep;
    this.connections = connections;
    this.maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.client = new HttpClient(clientOptionsOf(address, options, { connections, clock, sweep }));
    this.undelivered = new Undelivered(clock, (error) => this.breakOff(error));
    this.bodies = new BodyBudget(this.maxMessageBytes);
    this.owner = this.createOwner();
    this.calls = new CallsInFlight(clock, sweep, this.undelivered, (message) => new PostCall(this.owner, message));
    this.updateHeaders();
  }

  async open(sink: TransportSink, signal?: AbortSignal): Promise<void> {
    await this.client.load();
    signal?.throwIfAborted();
    this.sink = sink;
    this.use = this.connections.use(this.address);
  }

  send(message: Outgoing): void {
    if (!this.sink || this.closing) {
      message.fail?.(new HostError('closed', 'The connection to the server is closed.', { data: { why: 'gone' } }));
      return;
    }
    this.calls.send(message);
  }

  cancel(id: number): void {
    this.calls.cancel(id);
  }

  handshakeDone(revision: string): void {
    this.revision = revision;
    this.updateHeaders();
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  kill(): void {
    this.farewell?.cut();
  }

  protocolHeaders(message: Outgoing): Readonly<Record<string, string>> {
    const ofPost = this.protocolHeadersOfPost;
    // Usually one of the two is empty, and then there is nothing to copy.
    if (!ofPost) return message.headers ?? {};
    return message.headers || message.method === 'initialize' ? forMessage(ofPost, message) : ofPost;
  }

  describe(): { address: string } {
    return { address: this.client.address.label };
  }

  /** The interface that the transport gives to its calls. It is separate from the public methods of the transport. */
  private createOwner(): PostOwner {
    return {
      client: this.client,
      maxMessageBytes: this.maxMessageBytes,
      gate: this.undelivered,
      bodies: this.bodies,
      postHeaders: (message) => this.postHeaders(message),
      receive: (message, text, exchange) => this.receive(message, text, exchange),
      unreadable: (text) => this.sink?.onUnreadable?.(text),
      warn: (line) => this.warn(line),
      startSession: (sessionId) => this.startSession(sessionId),
      isSessionLost: (refusal, sessionId) => this.isSessionLost(refusal, sessionId),
      resume: (ended, uptimeMs, retryMs, onGiveUp) => this.resume(ended, uptimeMs, retryMs, onGiveUp),
      onAccepted: (message) => this.onAccepted(message),
      mayAnswerByStream: () => this.mayAnswerByStream(),
      onLingering: (call) => this.calls.onLingering(call),
      onOver: (call) => this.calls.onOver(call),
    };
  }

  private postHeaders(message: Outgoing): Record<string, string | number> {
    const headers = forMessage(this.headersOfPost, message);
    headers['content-length'] = Buffer.byteLength(message.text);
    return headers;
  }

  private receive(message: unknown, text?: string, exchange?: HttpExchange): void {
    if (Array.isArray(message)) for (const item of message) this.settle(item);
    else this.settle(message);
    try {
      this.sink?.onMessage(message, text, exchange);
    } catch (error) {
      this.warn(`A message could not be handled: ${messageOf(error)}`);
    }
  }

  private settle(message: unknown): void {
    if (isObject(message) && message['method'] === undefined) this.calls.get(message['id'])?.onAnswered();
  }

  private warn(line: string): void {
    this.sink?.onWarning(line);
  }

  private onAccepted(message: Outgoing): void {
    if (this.sessionId !== undefined && message.method !== 'initialize') this.isSessionProven = true;
    if (message.method === 'notifications/initialized') this.listen();
    else if (this.lostAt !== undefined && this.clock.now() - this.lostAt > listenAgainMs) this.listen();
  }

  /**
   * Whether the answer to a request may still arrive on the session's GET stream. MCP requires that the HTTP response
   * to the request contains the answer. Some servers use the stream instead, and other clients accept that, so MCP Deck
   * accepts it with a warning.
   */
  private mayAnswerByStream(): boolean {
    if (!this.listening) return false;
    if (!this.hasOddAnswers)
      this.warn(
        'The server answers requests on the stream of its session instead of in their own responses, which is not MCP. MCP Deck accepts these answers.',
      );
    this.hasOddAnswers = true;
    this.sink?.onRemark?.({ kind: 'accepted' });
    return true;
  }

  private startSession(sessionId: string | string[] | undefined): string | undefined {
    this.sessionId = undefined;
    this.isSessionProven = false;
    const problem = typeof sessionId === 'string' ? sessionIdProblem(sessionId) : undefined;
    if (typeof sessionId === 'string' && problem === undefined) this.sessionId = sessionId;
    this.updateHeaders();
    return problem;
  }

  /**
   * Whether a refusal means that the server does not know the session. The session ID stays in use until a new
   * handshake replaces it, because without an ID the server would refuse the next message for another reason.
   */
  private isSessionLost(refusal: FailedResponse, sessionId: string | number | undefined): boolean {
    if (sessionId === undefined) return false;
    return refusal.status === 404 || (refusal.status === 400 && this.isSessionProven && /session/i.test(refusal.text));
  }

  private resume(
    ended: MessageStream,
    uptimeMs: number,
    retryMs: number | undefined,
    onGiveUp: (error: HostError) => void,
  ): EventStream | undefined {
    if (this.revision === undefined || ended.lastEventId === undefined) return undefined;
    const stream = this.createEventStream(onGiveUp);
    // A server that supports resumption can repeat an interrupted event at once; if it does not, the resumption has
    // failed.
    stream.resume(ended, uptimeMs, retryMs, ended.wasCutOff ? replayMs : undefined);
    return stream;
  }

  private listen(): void {
    if (this.revision === undefined || this.closing) return;
    this.stopListening();
    this.listening = this.createEventStream((error) => {
      this.listening = undefined;
      const isRefused = error.code === 'http-status';
      const isFlapping = error.code === 'closed' && error.data.reason === 'flapping';
      const mayPass =
        !isRefused &&
        !isFlapping &&
        error.code !== 'invalid-message' &&
        error.code !== 'session-expired' &&
        error.code !== 'auth-required';
      if (mayPass) this.lostAt = this.clock.now();
      // Many servers do not offer this stream (405). The specification allows that, so no warning is logged.
      if (!isRefused || error.data.status !== 405)
        this.warn(`The server's event stream is not used any more: ${error.message}`);
      for (const call of this.calls.all()) call.onStreamLost();
    });
    this.listening.start();
  }

  private stopListening(): void {
    this.lostAt = undefined;
    this.listening?.stop();
    this.listening = undefined;
  }

  private createEventStream(onGiveUp: (error: HostError) => void): EventStream {
    return new EventStream({
      client: this.client,
      headers: () => this.sessionHeaders(),
      maxMessageBytes: this.maxMessageBytes,
      gate: this.undelivered,
      bodies: this.bodies,
      connectTimeoutMs: this.options.connectTimeoutMs ?? defaultConnectTimeoutMs,
      random: this.options.random,
      onMessage: (message, text) => this.receive(message, text),
      onUnreadableEvent: (text) => this.sink?.onUnreadable?.(text),
      onWarning: (line) => this.warn(line),
      onGiveUp,
    });
  }

  private sessionHeaders(): HeaderMap {
    const headers = { ...this.client.commonHeaders };
    if (this.sessionId !== undefined) headers['mcp-session-id'] = this.sessionId;
    if (this.revision !== undefined) headers['mcp-protocol-version'] = this.revision;
    return headers;
  }

  private updateHeaders(): void {
    const ofSession = this.sessionHeaders();
    const ofProtocol = Object.entries(ofSession).filter(([name]) => name.startsWith('mcp-'));
    this.protocolHeadersOfPost = ofProtocol.length > 0 ? Object.fromEntries(ofProtocol) : undefined;
    this.headersOfPost = {
      ...ofSession,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': 0,
    };
  }

  /** Ends the connection with an error. The session gets the error before the server is informed. */
  private breakOff(error: HostError): void {
    this.closing ??= this.shutDown(error);
  }

  private async shutDown(reason?: HostError): Promise<void> {
    const { sessionId } = this;
    this.stopListening();
    this.calls.cancelAll();
    this.undelivered.dispose();
    if (reason) this.sink?.onClose(reason);
    this.sweep.dispose();
    if (sessionId !== undefined) {
      await new Promise<void>((resolve) => {
        this.farewell = new FarewellCall(this.client, this.sessionHeaders(), resolve);
        this.farewell.start();
      });
    }
    this.use?.dispose();
    if (!this.options.connections) this.connections.dispose();
    if (!reason) this.sink?.onClose();
  }
}

/**
 * The headers of every POST, with those of one message. Not by spread syntax, which takes ten times as long if it adds
 * properties.
 */
function forMessage<T extends string | number>(
  ofPost: Record<string, T>,
  message: Outgoing,
): Record<string, T | string> {
  const headers: Record<string, T | string> = Object.assign({}, ofPost, message.headers);
  if (message.method === 'initialize') {
    // A new session begins, so the headers of the old one are removed.
    delete headers['mcp-session-id'];
    delete headers['mcp-protocol-version'];
  }
  return headers;
}

/**
 * The problem of a session ID (specification 2025-11-25, transports: visible ASCII only), worded as the end of a
 * sentence.
 */
function sessionIdProblem(sessionId: string): string | undefined {
  if (sessionId.length > maxSessionIdLength)
    return `a session ID of ${sessionId.length} characters, more than the ${maxSessionIdLength} allowed`;
  return sessionIdPattern.test(sessionId) ? undefined : 'a session ID with characters that are not allowed';
}

/** Informs the server that the session is over. The response is ignored, because a server may respond with 405. */
class FarewellCall extends HttpCall {
  protected readonly what = 'the end of the session';
  private readonly timer: Disposable;

  constructor(
    client: HttpClient,
    private readonly fixedHeaders: HeaderMap,
    private readonly onLeft: () => void,
  ) {
    super(client, 'DELETE');
    this.timer = client.clock.after(farewellMs, () => this.cut());
  }

  /** Stops waiting for the response. */
  cut(): void {
    this.cancel();
    this.leave();
  }

  protected override get mayAuthorize(): boolean {
    return false;
  }

  protected override headers(): Record<string, string | number> {
    return { ...this.fixedHeaders };
  }

  protected override onResponse(response: IncomingMessage): void {
    discardBody(response, this.client.sweep);
    this.leave();
  }

  protected override onRefusal(): void {
    this.leave();
  }

  protected override onFail(): void {
    this.leave();
  }

  private leave(): void {
    this.timer.dispose();
    this.onLeft();
  }
}
