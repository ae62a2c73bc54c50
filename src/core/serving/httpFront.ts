/**
 * An MCP server on loopback over Streamable HTTP, with both eras at one URL: sessions with a handshake for revisions up
 * to 2025-11-25, and stateless requests for 2026-07-28 (specification: basic/transports of each). It binds to loopback
 * only, refuses requests from web pages, and can require a token (see `httpGuards.ts`).
 *
 * Not supported on purpose: HTTP+SSE of 2024-11-05, CORS, TLS, and addresses other than loopback.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import { nullLog } from '../base/log.js';
import { ErrorCode } from '../protocol/jsonRpc.js';
import { isLegacyRevision } from '../protocol/revisions.js';
import type { HeldBytes } from './byteBudget.js';
import { ByteBudget } from './byteBudget.js';
import { httpEntrance } from './clientGate.js';
import { isModernMessage } from './envelope.js';
import type { HttpGuards, Refusal } from './httpGuards.js';
import { digestOfToken, isToken, readJson, refusalOf } from './httpGuards.js';
import { refuse, tooMany } from './httpRefusals.js';
import { HttpSessions } from './httpSessions.js';
import { KeptEvents } from './keptEvents.js';
import type { McpServer } from './mcpServer.js';
import { RequestPace } from './requestPace.js';
import { StatelessPosts } from './statelessPosts.js';
import { claimIn, strangerBodyBytes, Strangers } from './strangers.js';
import { TokenBucket } from './tokenBucket.js';
import { UnsentBytes } from './unsentBytes.js';

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

/** Maximum number of requests with a wrong token per second; further ones are refused with 429. */
const maxFailedPerSecond = 20;

/** Time without any data after which a connection is closed, in milliseconds. Open streams send heartbeats. */
const silenceMs = 120_000;

export class HttpFront {
  private readonly http: Server;
  private readonly sessions: HttpSessions;
  private readonly stateless: StatelessPosts;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly rate: TokenBucket;
  private readonly failures: TokenBucket;
  private openPosts = 0;
  private readonly openBytes: ByteBudget;
  private readonly pace = new RequestPace();
  private readonly strangers: Strangers;
  /** The responses of a connection that wait until an earlier one has ended (HTTP pipelining). */
  private readonly queued = new WeakMap<Socket, Set<ServerResponse>>();
  private guards: HttpGuards | undefined;

  constructor(private readonly options: HttpFrontOptions) {
    this.clock = options.clock ?? systemClock;
    this.log = options.log ?? nullLog;
    this.rate = new TokenBucket(this.clock, options.maxRequestsPerSecond ?? 20_000);
    this.failures = new TokenBucket(this.clock, maxFailedPerSecond);
    this.openBytes = new ByteBudget(options.maxOpenBytes ?? 64 * 1024 * 1024);
    this.strangers = new Strangers(this.clock);
    const shared = {
      server: options.server,
      strangers: this.strangers,
      unsent: new UnsentBytes(options.maxUnsentBytes ?? 128 * 1024 * 1024),
      clock: this.clock,
      keepAliveMs: options.keepAliveMs ?? 15_000,
    };
    this.stateless = new StatelessPosts(shared);
    this.sessions = new HttpSessions({
      ...shared,
      kept: new KeptEvents(options.maxKeptEvents ?? 32 * 1024 * 1024),
      maxSessions: options.maxSessions ?? 100,
      sessionIdleMs: options.sessionIdleMs ?? 1_800_000,
    });
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
    this.sessions.start();
    return { url: `http://${literal}:${port}${path}`, port };
  }

  /** Ends every session and stream and stops the server. Resolves when all sockets are closed. Idempotent. */
  async close(): Promise<void> {
    this.guards = undefined;
    this.sessions.close();
    this.stateless.close();
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
    if (request.method === 'GET') this.sessions.serveGet(request, response);
    else if (request.method === 'DELETE') this.sessions.serveDelete(request, response);
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
   * The limits of a body. Until its client is admitted, a body must be small, because a large body would be parsed
   * without a pause. In the stateless era, each body names its client.
   */
  private bodyLimits(
    request: IncomingMessage,
    maxBytes: number,
  ): { maxBytes: number; mayParse?: (body: Buffer) => boolean } {
    const { server } = this.options;
    const { socket, headers } = request;
    const session = this.sessions.find(request);
    if (session?.isAdmitted === true) this.strangers.admitted(socket);
    if (maxBytes <= strangerBodyBytes || !server.hasGate || !this.strangers.has(socket)) return { maxBytes };
    if (session && server.isAdmitted(session.client, httpEntrance(request.url))) return { maxBytes };
    if (session || isLegacyRevision(headers['mcp-protocol-version'] ?? '2025-03-26'))
      return { maxBytes: strangerBodyBytes };
    const mayParse = (body: Buffer) =>
      body.length <= strangerBodyBytes || server.isAdmitted(claimIn(body), httpEntrance(request.url));
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
      this.sessions.servePost(request, response, body, true, bytes);
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
    if (isModern) this.stateless.serve(request, response, body, method, params, bytes.size);
    else this.sessions.servePost(request, response, [body], false, bytes);
  }
}
