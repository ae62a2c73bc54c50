/**
 * An HTTP server on loopback with the limits that all fronts share: which requests are accepted (see `httpGuards.ts`),
 * how many connections and requests are open, and how large their bodies are. A front serves what was accepted.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import { nullLog } from '../base/log.js';
import { ErrorCode } from '../protocol/jsonRpc.js';
import type { HeldBytes } from './byteBudget.js';
import { ByteBudget } from './byteBudget.js';
import type { HttpGuards, Refusal } from './httpGuards.js';
import { digestOfToken, isToken, readJson, refusalOf } from './httpGuards.js';
import { refuse, refuseUpgrade, tooMany } from './httpRefusals.js';
import type { McpServer } from './mcpServer.js';
import { RequestPace } from './requestPace.js';
import { UnapprovedClients } from './unapprovedClients.js';
import { TokenBucket } from './tokenBucket.js';
import { UnsentBytes } from './unsentBytes.js';

/** Where a front listens, which clients it accepts, and its limits. */
export interface LoopbackOptions {
  server: McpServer;
  /** The path of the URL; each front has its default. */
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
  /** Maximum number of POST requests of all clients that are open at the same time; default 1,024. */
  maxOpenRequests?: number;
  /** Maximum size of the bodies of all open requests, bytes; default 64 MiB. */
  maxOpenBytes?: number;
  /** Maximum size of the data that clients have not read, in all responses together, bytes; default 128 MiB. */
  maxUnsentBytes?: number;
  /** Maximum number of sessions; default 100. */
  maxSessions?: number;
  /**
   * Interval between comments on an open stream, and the time after which the response to a POST becomes a stream, in
   * milliseconds; default 15,000.
   */
  keepAliveMs?: number;
  /**
   * Time after which a connection without an accepted request is closed, if it is silent, in milliseconds; default
   * 5,000.
   */
  firstRequestMs?: number;
  log?: Log;
  clock?: Clock;
}

/** The front that serves the accepted requests. */
export interface Served {
  path: string;
  /** Why a request of an accepted client is refused for its method or its headers; undefined if it is served. */
  refusalOf: (request: IncomingMessage, maxBodyBytes: number) => Refusal | undefined;
  serve: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Serves an accepted request to upgrade to another protocol. Default: it is served like any other request. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** The limits of one body; `mayParse` is called with the whole body. */
export interface BodyLimits {
  maxBytes: number;
  mayParse?: (body: Buffer) => boolean;
}

/** Maximum number of requests with a wrong token per second; further ones are refused with 429. */
const maxFailedPerSecond = 20;

/** Time without any data after which a connection is closed, in milliseconds. Open streams send heartbeats. */
const silenceMs = 120_000;

const closing: Refusal = { status: 503, reason: 'The server is closing.' };

export class LoopbackHttp {
  readonly clock: Clock;
  readonly log: Log;
  readonly keepAliveMs: number;
  readonly maxSessions: number;
  readonly maxBodyBytes: number;
  readonly unapproved: UnapprovedClients;
  readonly unsent: UnsentBytes;
  /** The bytes of all open requests. */
  readonly openBytes: ByteBudget;
  private readonly http: Server;
  private readonly rate: TokenBucket;
  private readonly failures: TokenBucket;
  private openPosts = 0;
  private readonly pace = new RequestPace();
  /** The responses of a connection that wait until an earlier one has ended (HTTP pipelining). */
  private readonly queued = new WeakMap<Socket, Set<ServerResponse>>();
  private guards: HttpGuards | undefined;

  constructor(
    private readonly options: LoopbackOptions,
    private readonly served: Served,
  ) {
    this.clock = options.clock ?? systemClock;
    this.log = options.log ?? nullLog;
    this.keepAliveMs = options.keepAliveMs ?? 15_000;
    this.maxSessions = options.maxSessions ?? 100;
    this.maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
    this.rate = new TokenBucket(this.clock, options.maxRequestsPerSecond ?? 20_000);
    this.failures = new TokenBucket(this.clock, maxFailedPerSecond);
    this.openBytes = new ByteBudget(options.maxOpenBytes ?? 64 * 1024 * 1024);
    this.unapproved = new UnapprovedClients(this.clock);
    this.unsent = new UnsentBytes(options.maxUnsentBytes ?? 128 * 1024 * 1024);
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
    // Programs without the token must not use up all connections without sending anything.
    this.http.on('connection', (socket: Socket) => {
      socket.setTimeout(options.firstRequestMs ?? 5_000);
      this.unapproved.arrived(socket);
    });
    if (served.upgrade) this.http.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.http.on('clientError', (_error: Error, socket: Socket) => {
      // Invalid HTTP and request smuggling (two lengths) are refused without further parsing.
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      else socket.destroy();
    });
  }

  /** Starts the server. Rejects if the token or the port cannot be used. @returns the URL to give to clients. */
  async listen(): Promise<{ url: string; port: number }> {
    const { host = '127.0.0.1' } = this.options;
    const { path } = this.served;
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
    };
    return { url: `http://${literal}:${port}${path}`, port };
  }

  /**
   * Refuses all requests from now on, and stops the server. Resolves when all connections are closed. Idempotent.
   * @param end ends the open sessions and streams of the front.
   */
  async close(end: () => void): Promise<void> {
    this.guards = undefined;
    end();
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    // The final messages are being sent. Idle sockets are closed now, and the sockets of clients that do not read are
    // closed a moment later.
    this.http.closeIdleConnections();
    const cut = this.clock.after(1_000, () => this.http.closeAllConnections());
    await closed;
    cut.dispose();
  }

  /**
   * Reads the body of a POST as JSON, within the limits of all open requests. Returns undefined if the request was
   * refused; the refusal has then been sent. Rejects if the client disconnects before the end of the body.
   */
  async readPost(
    request: IncomingMessage,
    response: ServerResponse,
    { maxBytes, mayParse }: BodyLimits,
  ): Promise<{ value: unknown; bytes: HeldBytes } | undefined> {
    this.openPosts++;
    const bytes = this.openBytes.open();
    // Not `once`, which creates another function; the event occurs once.
    response.on('close', () => {
      this.openPosts--;
      bytes.release();
    });
    const body = await readJson(request, maxBytes, (size) => bytes.take(size), mayParse);
    const turn = this.pace.turn();
    if (turn) await turn;
    if ('value' in body) return { value: body.value, bytes };
    refuse(response, body, body.status === 400 ? ErrorCode.parseError : ErrorCode.invalidRequest);
    return undefined;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.refusalOf(request);
    if (refusal) {
      // A refused connection is not kept open.
      response.setHeader('connection', 'close');
      refuse(response, refusal);
      return;
    }
    if (request.socket.timeout !== silenceMs) request.socket.setTimeout(silenceMs);
    if (!response.socket) this.followQueued(request.socket, response);
    await this.served.serve(request, response);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener, an error of the socket would end the process.
    socket.on('error', () => socket.destroy());
    const refusal = this.refusalOf(request);
    if (refusal) refuseUpgrade(socket, refusal);
    else this.served.upgrade?.(request, socket, head);
  }

  private refusalOf(request: IncomingMessage): Refusal | undefined {
    const { guards } = this;
    const refusal = guards
      ? (refusalOf(request, guards) ?? this.served.refusalOf(request, this.maxBodyBytes))
      : closing;
    return this.limitOf(refusal, request) ?? refusal;
  }

  /** Node reports the end of a connection only to its current response, so the queued ones are notified here. */
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
}
