import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { certificate, privateKey } from './httpTestCertificate.js';
import { until } from './httpUntil.js';

/** One request as the server saw it. The test still has to answer it. */
export interface SeenRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body parsed as JSON, if it is JSON. */
  rpc: { id?: number; method?: string; params?: Record<string, unknown> } | undefined;
  /** Number of the connection, from 1: equal for requests that shared one. */
  connection: number;
  response: ServerResponse;
  /** True when the client disconnected before it had the whole response. */
  wasAborted: boolean;
}

export type HttpHandler = (seen: SeenRequest) => void;

export interface HttpTestServerOptions {
  tls?: boolean;
  /** The certificate for `tls`; default: the one for this machine's names. */
  certificate?: string;
  /** Where to listen; default 127.0.0.1. */
  host?: string;
  /** Default: any free port. */
  port?: number;
  /** Listen on a Unix socket instead. */
  socketPath?: string;
}

/** An HTTP server that records requests and answers as the test defines. */
export class HttpTestServer {
  readonly seen: SeenRequest[] = [];
  /** Answers requests; may be replaced at any time. */
  handler: HttpHandler;
  private readonly server: http.Server;
  private readonly sockets = new Map<Socket, number>();
  private connections = 0;

  private constructor(
    handler: HttpHandler,
    private readonly options: HttpTestServerOptions,
  ) {
    this.handler = handler;
    const listener = (request: IncomingMessage, response: ServerResponse) => this.receive(request, response);
    this.server = options.tls
      ? https.createServer({ key: privateKey, cert: options.certificate ?? certificate }, listener)
      : http.createServer(listener);
    this.server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.sockets.set(socket, ++this.connections);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(handler: HttpHandler, options: HttpTestServerOptions = {}): Promise<HttpTestServer> {
    const server = new HttpTestServer(handler, options);
    await new Promise<void>((resolve) => {
      if (options.socketPath === undefined)
        server.server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
      else server.server.listen(options.socketPath, resolve);
    });
    return server;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get origin(): string {
    const host = this.options.host ?? '127.0.0.1';
    return `${this.options.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** Number of connections that are open now. */
  get openConnections(): number {
    return this.sockets.size;
  }

  /** Resolves with the first matching request, past or future. */
  async request(fits: (seen: SeenRequest) => boolean): Promise<SeenRequest> {
    await until(() => this.seen.some(fits));
    return this.seen.find(fits) as SeenRequest;
  }

  /** The requests in short form: `POST tools/list`. */
  get log(): string[] {
    return this.seen.map(({ method, rpc }) => (rpc?.method === undefined ? method : `${method} ${rpc.method}`));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets.keys()) socket.destroy();
    await closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      let rpc: SeenRequest['rpc'];
      try {
        rpc = JSON.parse(body) as SeenRequest['rpc'];
      } catch {
        rpc = undefined;
      }
      const seen: SeenRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        rpc,
        connection: this.sockets.get(request.socket) ?? 0,
        response,
        wasAborted: false,
      };
      response.on('close', () => {
        seen.wasAborted = !response.writableFinished;
      });
      this.seen.push(seen);
      this.handler(seen);
    });
  }
}

/** Answers with JSON. */
export function sendJson(
  { response }: SeenRequest,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Answers a request with the given result, by default an empty one. */
export function sendResult(seen: SeenRequest, result: unknown = {}, headers: Record<string, string> = {}): void {
  sendJson(seen, { jsonrpc: '2.0', id: seen.rpc?.id, result }, 200, headers);
}

/** Starts an event stream. */
export function startEvents({ response }: SeenRequest, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  return response;
}

/** One event in wire format. */
export function eventText(
  message: unknown,
  { id, event, retry }: { id?: string; event?: string; retry?: number } = {},
): string {
  const fields = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    `data: ${typeof message === 'string' ? message : JSON.stringify(message)}`,
  ];
  return `${fields.join('\n')}\n\n`;
}

export interface LegacyServerOptions {
  /** The capabilities of the server; default: none. */
  capabilities?: object;
  /** Undefined: no session id. */
  sessionId?: string;
  /** Answers everything except the handshake. Default: empty results. */
  handler?: HttpHandler;
  /** Answers GET. Default: 405. */
  onGet?: HttpHandler;
}

/** Answers the handshake of the legacy era and accepts notifications; the test answers the rest. */
export function legacyServer({
  sessionId,
  capabilities = {},
  handler = (seen) => sendResult(seen),
  onGet,
}: LegacyServerOptions = {}): HttpHandler {
  return (seen) => {
    if (seen.method === 'GET' && onGet) onGet(seen);
    else if (seen.method !== 'POST') seen.response.writeHead(seen.method === 'DELETE' ? 200 : 405).end();
    else if (seen.rpc?.method === 'initialize') {
      sendResult(
        seen,
        { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'test', version: '1' } },
        sessionId === undefined ? {} : { 'mcp-session-id': sessionId },
      );
    } else if (seen.rpc?.id === undefined) seen.response.writeHead(202).end();
    else handler(seen);
  };
}
