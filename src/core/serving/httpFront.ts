/**
 * An MCP server on loopback over Streamable HTTP, with both eras at one URL: sessions with a handshake for revisions up
 * to 2025-11-25, and stateless requests for 2026-07-28 (specification: basic/transports of each). It binds to loopback
 * only, refuses requests from web pages, and can require a token (see `httpGuards.ts`).
 *
 * Not supported on purpose: HTTP+SSE of 2024-11-05, CORS, TLS, and addresses other than loopback.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import { nullLog } from '../base/log.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import { isLegacyRevision } from '../protocol/revisions.js';
import type { HeldBytes } from './byteBudget.js';
import { ByteBudget } from './byteBudget.js';
import type { ClientConnection } from './clientConnection.js';
import { errorResponse } from './clientConnection.js';
import type { Entrance } from './clientGate.js';
import { isModernMessage, readEnvelope } from './envelope.js';
import { EventStream } from './eventStream.js';
import type { HttpGuards, Refusal } from './httpGuards.js';
import { accepts, digestOfToken, isToken, readJson, refusalOf } from './httpGuards.js';
import { HttpSession, requestId } from './httpSession.js';
import { KeptEvents } from './keptEvents.js';
import type { McpServer } from './mcpServer.js';
import { checkParameterHeaders, standardHeaderProblem } from './mirroredHeaders.js';
import { PostExchange } from './postExchange.js';
import { RequestPace } from './requestPace.js';
import { claimIn, strangerBodyBytes, Strangers } from './strangers.js';
import { TokenBucket } from './tokenBucket.js';
import { UnsentBytes } from './unsentBytes.js';

type Params = Record<string, unknown>;

export interface HttpFrontOptions {
  server: McpServer;
  /** The path of the URL; default `/mcp`. */
  path?: string;
  /** The port to listen on; default 0, which means any free port. */
  port?: number;
  /** Loopback address to bind to; default 127.0.0.1. */
  host?: '127.0.0.1' | '::1';
  /** Secret that clients must send as a bearer token; default none. */
  token?: string;
  /** Origins of web pages that may use the server. Default: only the server's own origin. */
  allowedOrigins?: readonly string[];
  /** Maximum size of a request body, bytes; default 4 MiB. */
  maxBodyBytes?: number;
  /** Maximum number of requests per second of all clients together; default 20,000. */
  maxRequestsPerSecond?: number;
  /** Maximum number of requests of all clients that are open at the same time; default 1,024. */
  maxOpenRequests?: number;
  /** Maximum size of the bodies of all open requests, bytes; default 64 MiB. */
  maxOpenBytes?: number;
  /** Maximum size of what clients have not read of all responses, bytes; default 128 MiB. */
  maxUnsentBytes?: number;
  /** Maximum size of the events that all sessions keep for resumption, in characters of JSON; default 32 Mi. */
  maxKeptEvents?: number;
  /** Maximum number of sessions; default 100. */
  maxSessions?: number;
  /** Idle time after which a session is closed, in milliseconds; default 30 minutes. */
  sessionIdleMs?: number;
  /** Idle time after which a comment is sent on an open response, in milliseconds; default 15,000. */
  keepAliveMs?: number;
  /** Time after which a connection without an accepted request is closed, if it is silent, in milliseconds; default 5,000. */
  firstRequestMs?: number;
  log?: Log;
  clock?: Clock;
}

/** Interval between searches for idle sessions, in milliseconds. */
const sweepMs = 30_000;

/** Maximum number of requests with a wrong token per second; further ones are refused with 429. */
const maxFailedPerSecond = 20;

/** Time without any data after which a connection is closed, in milliseconds. Open streams send heartbeats. */
const silenceMs = 120_000;

/** Maximum number of messages in one batch (2025-03-26). */
const maxBatch = 100;

/**
 * The HTTP statuses that 2026-07-28 assigns to error codes. They are not used in the legacy era, where 404 would tell
 * the client that its session has ended.
 */
const modernStatuses: ReadonlyMap<number, number> = new Map([
  [ErrorCode.methodNotFound, 404],
  [ErrorCode.headerMismatch, 400],
  [ErrorCode.missingClientCapability, 400],
  [ErrorCode.unsupportedProtocolVersion, 400],
]);

export class HttpFront {
  private readonly http: Server;
  private readonly sessions = new Map<string, HttpSession>();
  private readonly stateless = new Set<ClientConnection>();
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly rate: TokenBucket;
  private readonly failures: TokenBucket;
  private openPosts = 0;
  private readonly openBytes: ByteBudget;
  private readonly pace = new RequestPace();
  private readonly strangers: Strangers;
  private readonly unsent: UnsentBytes;
  private readonly kept: KeptEvents;
  /** The responses of a connection that wait until an earlier one has ended (HTTP pipelining). */
  private readonly queued = new WeakMap<Socket, Set<ServerResponse>>();
  private guards: HttpGuards | undefined;
  private sweep: Disposable | undefined;

  constructor(private readonly options: HttpFrontOptions) {
    this.clock = options.clock ?? systemClock;
    this.log = options.log ?? nullLog;
    this.rate = new TokenBucket(this.clock, options.maxRequestsPerSecond ?? 20_000);
    this.failures = new TokenBucket(this.clock, maxFailedPerSecond);
    this.openBytes = new ByteBudget(options.maxOpenBytes ?? 64 * 1024 * 1024);
    this.strangers = new Strangers(this.clock);
    this.unsent = new UnsentBytes(options.maxUnsentBytes ?? 128 * 1024 * 1024);
    this.kept = new KeptEvents(options.maxKeptEvents ?? 32 * 1024 * 1024);
    this.http = createServer(
      // Connections of slow senders are closed. Idle connections are kept open longer than clients keep them, so that
      // the client closes them first.
      {
        maxHeaderSize: 16_384,
        headersTimeout: 10_000,
        requestTimeout: 60_000,
        keepAliveTimeout: 75_000,
        connectionsCheckingInterval: 5_000,
      },
      (request, response) => {
        this.serve(request, response).catch((error: unknown) => {
          // If a client disconnects while it sends its body, it gets no response and nothing is logged.
          if (request.complete) this.log.write('error', `Serving an HTTP request failed: ${messageOf(error)}`);
          response.destroy();
        });
      },
    );
    this.http.maxConnections = 512;
    this.http.timeout = silenceMs;
    // Programs without the token must not keep the clients away with connections that send nothing.
    this.http.on('connection', (socket: Socket) => {
      socket.setTimeout(options.firstRequestMs ?? 5_000);
      this.strangers.arrived(socket);
    });
    this.http.on('clientError', (_error: Error, socket: Socket) => {
      // Invalid HTTP and request smuggling (two lengths) are refused without further parsing.
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      else socket.destroy();
    });
  }

  /** Number of open sessions. */
  get sessionCount(): number {
    return this.sessions.size;
  }

  /** Starts the server. Rejects if the token is empty. @returns the URL to give to clients. */
  async listen(): Promise<{ url: string; port: number }> {
    const { host = '127.0.0.1', path = '/mcp' } = this.options;
    // The host is also checked at run time, because callers may not use types.
    if (host !== '127.0.0.1' && host !== '::1')
      throw new Error(`The server binds to loopback only, not to ${String(host)}.`);
    const { token } = this.options;
    if (token !== undefined && !isToken(token)) throw new Error('The token is empty or has invalid characters.');
    await new Promise<void>((resolve, reject) => {
      this.http.once('error', reject);
      this.http.listen({ port: this.options.port ?? 0, host, exclusive: true }, () => {
        this.http.removeListener('error', reject);
        resolve();
      });
    });
    const { port } = this.http.address() as AddressInfo;
    const literal = host === '::1' ? '[::1]' : host;
    const names = [`${literal}:${port}`, `localhost:${port}`];
    this.guards = {
      path,
      hosts: new Set(names),
      origins: new Set([
        ...names.map((name) => `http://${name}`),
        ...(this.options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()),
      ]),
      tokenDigest: token === undefined ? undefined : digestOfToken(token),
      acceptedOn: new WeakMap(),
      maxBodyBytes: this.options.maxBodyBytes ?? 4 * 1024 * 1024,
    };
    this.armSweep();
    return { url: `http://${literal}:${port}${path}`, port };
  }

  /** Ends every session and stream and stops the server. Resolves when all sockets are closed. Idempotent. */
  async close(): Promise<void> {
    this.guards = undefined;
    this.sweep?.dispose();
    for (const session of [...this.sessions.values()]) session.close();
    for (const connection of [...this.stateless]) connection.close();
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    // The final messages are being sent. Idle sockets are closed now, and the sockets of clients that do not read are
    // closed a moment later.
    this.http.closeIdleConnections();
    const cut = this.clock.after(1_000, () => this.http.closeAllConnections());
    await closed;
    cut.dispose();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { guards } = this;
    const refusal: Refusal | undefined = guards
      ? refusalOf(request, guards)
      : { status: 503, reason: 'The server is closing.' };
    const limited = this.limitOf(refusal, request);
    if (limited || refusal || !guards) {
      // A refused connection is not kept open.
      response.setHeader('connection', 'close');
      refuse(response, limited ?? refusal ?? { status: 503, reason: '' });
      return;
    }
    if (request.socket.timeout !== silenceMs) request.socket.setTimeout(silenceMs);
    if (!response.socket) this.followQueued(request.socket, response);
    if (request.method === 'GET') this.serveGet(request, response);
    else if (request.method === 'DELETE') this.serveDelete(request, response);
    else {
      this.openPosts++;
      const bytes = this.openBytes.open();
      response.once('close', () => {
        this.openPosts--;
        bytes.release();
      });
      const { maxBytes, mayParse } = this.bodyLimits(request, guards.maxBodyBytes);
      const body = await readJson(request, maxBytes, (size) => bytes.take(size), mayParse);
      const turn = this.pace.turn();
      if (turn) await turn;
      if ('value' in body) this.servePost(request, response, body.value, bytes);
      else refuse(response, body, body.status === 400 ? ErrorCode.parseError : ErrorCode.invalidRequest);
    }
  }

  /**
   * The limits of a body. Before its client is admitted, a body is small, because a large one is parsed at a stretch.
   * In the stateless era, each body names its client.
   */
  private bodyLimits(
    request: IncomingMessage,
    maxBytes: number,
  ): { maxBytes: number; mayParse?: (body: Buffer) => boolean } {
    const { server } = this.options;
    const { socket, headers } = request;
    const session = this.sessions.get(String(headers['mcp-session-id']));
    if (session?.isAdmitted === true) this.strangers.admitted(socket);
    if (maxBytes <= strangerBodyBytes || !server.hasGate || !this.strangers.has(socket)) return { maxBytes };
    if (session && server.isAdmitted(session.client, entranceOf(request))) return { maxBytes };
    if (session || isLegacyRevision(headers['mcp-protocol-version'] ?? '2025-03-26'))
      return { maxBytes: strangerBodyBytes };
    const mayParse = (body: Buffer) =>
      body.length <= strangerBodyBytes || server.isAdmitted(claimIn(body), entranceOf(request));
    return { maxBytes, mayParse };
  }

  /** Node reports the end of a connection only to its current response, so the queued ones are told here. */
  private followQueued(socket: Socket, response: ServerResponse): void {
    let queued = this.queued.get(socket);
    if (!queued) {
      const all = (queued = new Set());
      this.queued.set(socket, all);
      socket.once('close', () => {
        for (const one of all) {
          one.destroy();
          one.emit('close');
        }
      });
    }
    const others = queued.add(response);
    response.once('close', () => others.delete(response));
  }

  /**
   * The refusal of a request that exceeds a limit. Requests with a wrong token are counted separately, so that they
   * cannot use up the limit of the other clients.
   */
  private limitOf(refusal: Refusal | undefined, { method }: IncomingMessage): Refusal | undefined {
    if (refusal) {
      const wait = refusal.status === 401 ? this.failures.take() : undefined;
      return wait === undefined ? undefined : tooMany('Too many requests without a valid token.', wait);
    }
    const wait = this.rate.take();
    if (wait !== undefined) return tooMany('Too many requests.', wait);
    const isFull = method === 'POST' && this.openPosts >= (this.options.maxOpenRequests ?? 1_024);
    return isFull ? tooMany('Too many requests are open.', 1) : undefined;
  }

  private servePost(request: IncomingMessage, response: ServerResponse, body: unknown, bytes: HeldBytes): void {
    const { headers } = request;
    if (Array.isArray(body)) {
      this.servePostToSession(request, response, body, true, bytes);
      return;
    }
    if (!isObject(body) || body['jsonrpc'] !== '2.0') {
      refuse(response, { status: 400, reason: 'The body is not a JSON-RPC 2.0 message.' });
      return;
    }
    const { method } = body;
    const params = isObject(body['params']) ? body['params'] : {};
    const version = headers['mcp-protocol-version'];
    const isLegacyVersion = version === undefined || isLegacyRevision(version);
    const isModern =
      typeof method === 'string' &&
      (isModernMessage(method, params) || (!isLegacyVersion && headers['mcp-session-id'] === undefined));
    if (isModern) this.servePostStateless(request, response, body, method, params, bytes.size);
    else this.servePostToSession(request, response, [body], false, bytes);
  }

  // Serves a POST of the legacy era (sessions with a handshake).

  private servePostToSession(
    request: IncomingMessage,
    response: ServerResponse,
    messages: unknown[],
    isBatch: boolean,
    bytes: HeldBytes,
  ): void {
    const [first] = messages;
    if (!isBatch && isObject(first) && first['method'] === 'initialize') {
      this.servePostInitialize(request, response, first);
      return;
    }
    const session = this.sessionOf(request, response);
    if (!session) return;
    const ids = messages.map(requestId).filter((id): id is RequestId => id !== undefined);
    if (isBatch && (!session.takesBatches || messages.length === 0 || messages.length > maxBatch)) {
      refuse(response, { status: 400, reason: 'Batches are not supported here.' });
    } else if (!messages.every(isMessage)) {
      refuse(response, { status: 400, reason: 'The body is not a JSON-RPC 2.0 message.' });
    } else if (new Set(ids).size < ids.length || ids.some((id) => session.hasOpen(id))) {
      refuse(response, { status: 400, reason: 'A request with this id is still open.' });
    } else session.post(messages, isBatch, response, {}, bytes);
  }

  private servePostInitialize(request: IncomingMessage, response: ServerResponse, message: Params): void {
    if (requestId(message) === undefined) {
      refuse(response, { status: 400, reason: 'initialize is a request.' });
      return;
    }
    if (this.sessions.size >= (this.options.maxSessions ?? 100) && !this.forgetIdlest()) {
      refuse(response, tooMany('Too many sessions are open.', 30));
      return;
    }
    const id = randomBytes(24).toString('base64url');
    const session = new HttpSession({
      id,
      entrance: entranceOf(request),
      server: this.options.server,
      unsent: this.unsent,
      kept: this.kept,
      clock: this.clock,
      keepAliveMs: this.options.keepAliveMs ?? 15_000,
      onClosed: () => this.sessions.delete(id),
    });
    this.sessions.set(id, session);
    response.once('close', () => {
      // A failed handshake must not leave a session.
      if (!session.isOpen) session.close();
    });
    session.post([message], false, response, { 'mcp-session-id': id });
  }

  private serveGet(request: IncomingMessage, response: ServerResponse): void {
    const session = this.sessionOf(request, response);
    if (!session) return;
    if (!accepts(request, 'text/event-stream')) {
      refuse(response, { status: 406, reason: 'The client must accept text/event-stream.' });
      return;
    }
    const lastEventId = request.headers['last-event-id'];
    if (session.isAdmitted) this.strangers.admitted(request.socket);
    else if (this.options.server.hasGate) this.strangers.limitStream(response, () => session.isAdmitted);
    const outcome = session.listen(response, typeof lastEventId === 'string' ? lastEventId : undefined);
    if (outcome === 'lost')
      refuse(response, { status: 400, reason: 'The events after this Last-Event-ID are no longer available.' });
    // 204 tells the client not to reconnect (WHATWG HTML, "Server-sent events"). After an empty stream, the SDK's
    // client 1.32 would open a second stream for messages without a request, and receive some of them twice.
    else if (outcome === 'complete') response.writeHead(204).end();
  }

  private serveDelete(request: IncomingMessage, response: ServerResponse): void {
    const session = this.sessionOf(request, response);
    if (!session) return;
    session.close();
    response.writeHead(204).end();
  }

  /** The session that the request belongs to. Undefined if the request was refused; the refusal has then been sent. */
  private sessionOf(request: IncomingMessage, response: ServerResponse): HttpSession | undefined {
    const id = request.headers['mcp-session-id'];
    const version = request.headers['mcp-protocol-version'];
    if (typeof id !== 'string') {
      refuse(response, { status: 400, reason: 'The header Mcp-Session-Id is missing: send initialize first.' });
      return undefined;
    }
    const session = this.sessions.get(id);
    if (!session) {
      refuse(response, { status: 404, reason: 'There is no such session.' });
      return undefined;
    }
    if (version !== undefined && !isLegacyRevision(version)) {
      refuse(response, { status: 400, reason: 'This protocol version does not use sessions.' });
      return undefined;
    }
    return session;
  }

  /**
   * Makes room by ending the session that has been idle the longest, first among the clients that were not admitted.
   * Returns false if all sessions are in use.
   */
  private forgetIdlest(): boolean {
    const sessions = [...this.sessions.values()];
    const idlest = this.idlestOf(sessions.filter(({ isAdmitted }) => !isAdmitted)) ?? this.idlestOf(sessions);
    idlest?.close();
    return idlest !== undefined;
  }

  private idlestOf(sessions: readonly HttpSession[]): HttpSession | undefined {
    const now = this.clock.now();
    let idlest: HttpSession | undefined;
    for (const session of sessions) {
      if (session.idleMs(now) > (idlest?.idleMs(now) ?? 0)) idlest = session;
    }
    return idlest;
  }

  private armSweep(): void {
    this.sweep = this.clock.after(sweepMs, () => {
      const now = this.clock.now();
      for (const session of [...this.sessions.values()]) {
        if (session.idleMs(now) > (this.options.sessionIdleMs ?? 1_800_000)) session.close();
      }
      this.armSweep();
    });
  }

  // Serves a POST of the stateless era.

  private servePostStateless(
    request: IncomingMessage,
    response: ServerResponse,
    message: Params,
    method: string,
    params: Params,
    size: number,
  ): void {
    // The client has disconnected while the request waited, which cancels it.
    if (response.destroyed) return;
    const id = requestId(message);
    if (id === undefined) {
      // In this era, no notification has an effect over HTTP, because a client cancels by closing the response.
      if (message['id'] === undefined) response.writeHead(202).end();
      else refuse(response, { status: 400, reason: 'The ID is neither a string nor a number.' });
      return;
    }
    const envelope = readEnvelope(params);
    const problem =
      envelope instanceof ProtocolError
        ? envelope
        : standardHeaderProblem(request.headers, method, params, envelope.version);
    if (problem) {
      sendJson(response, 400, errorResponse(id, problem));
      return;
    }
    const { clock, unsent } = this;
    const keepAliveMs = this.options.keepAliveMs ?? 15_000;
    const exchange = new PostExchange({
      response,
      openStream: () => new EventStream({ unsent, clock, keepAliveMs }),
      ids: [id],
      isBatch: false,
      statusOf: (answer) => ('error' in answer ? (modernStatuses.get(answer.error.code) ?? 200) : 200),
      unsent,
      clock,
      keepAliveMs,
      onDone: () => connection.close(),
    });
    const connection: ClientConnection = this.options.server.accept(
      {
        send: (said: JsonRpcMessage | readonly JsonRpcMessage[]) => {
          const one = said as JsonRpcMessage;
          if ('method' in one) exchange.say(one);
          else exchange.answer(id, one);
        },
        ended: () => exchange.settle(id),
      },
      {
        era: 'modern',
        entrance: { ...entranceOf(request), onAdmitted: () => this.strangers.admitted(request.socket) },
        checkCall: (tool, args) => checkParameterHeaders(request.headers, tool, args),
      },
      () => this.stateless.delete(connection),
    );
    this.stateless.add(connection);
    // A client of this era cancels by closing the response.
    response.once('close', () => connection.close());
    connection.receive(message, size);
  }
}

function entranceOf({ url = '' }: IncomingMessage): Entrance {
  const start = url.indexOf('?');
  return { transport: 'http', query: start === -1 ? '' : url.slice(start + 1) };
}

function isMessage(message: unknown): boolean {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return false;
  const { id, method } = message;
  if (method === undefined) return 'result' in message || 'error' in message;
  return typeof method === 'string' && (id === undefined || typeof id === 'string' || typeof id === 'number');
}

function tooMany(reason: string, seconds: number): Refusal {
  return { status: 429, reason, headers: { 'retry-after': String(seconds) } };
}

function refuse(
  response: ServerResponse,
  { status, reason, headers }: Refusal,
  code: number = ErrorCode.invalidRequest,
): void {
  // The connection is closed, so that the rest of the body need not be read.
  const close: Record<string, string> = status === 413 || status === 429 ? { connection: 'close' } : {};
  // An error of the HTTP front is not a response to a JSON-RPC request, so it has no ID (specification: streamable
  // HTTP, "Sending messages").
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message: reason } }, { ...headers, ...close });
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response
    .writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': body.length })
    .end(body);
}
