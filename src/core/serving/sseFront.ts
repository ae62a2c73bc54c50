/**
 * An MCP server on loopback over HTTP+SSE (specification 2024-11-05: basic/transports): a GET opens the stream of a
 * client. The first event of the stream names the URL for the messages of the client, and a POST to this URL sends one
 * message. Streamable HTTP replaced this transport, so only clients of the legacy era use it. A client ends with its
 * stream, because streams cannot be resumed.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../base/guards.js';
import { exactJson } from '../base/jsonTokens.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import { errorResponse } from './clientConnection.js';
import type { ClientConnection } from './clientConnection.js';
import { httpConnectionInfo } from './clientGate.js';
import { isModernMessage } from './envelope.js';
import { HeldRequests } from './heldRequests.js';
import type { Refusal } from './httpGuards.js';
import { accepts, bodyRefusal } from './httpGuards.js';
import { refuse, tooMany } from './httpRefusals.js';
import type { LoopbackOptions } from './loopbackHttp.js';
import { LoopbackHttp } from './loopbackHttp.js';
import { ServedEventStream } from './servedEventStream.js';
import { unapprovedBodyBytes } from './unapprovedClients.js';

/** The query parameter that names the client in the URL for its messages. */
const parameter = 'session';

/** The versions that HTTP+SSE supports, for messages. */
const versions = 'protocol versions up to 2025-11-25';

interface SseClient {
  readonly connection: ClientConnection;
  readonly requests: HeldRequests;
  readonly stream: ServedEventStream;
  readonly response: ServerResponse;
}

export class SseFront {
  private readonly http: LoopbackHttp;
  private readonly clients = new Map<string, SseClient>();
  private readonly path: string;

  constructor(private readonly options: LoopbackOptions) {
    this.path = options.path ?? '/sse';
    this.http = new LoopbackHttp(options, {
      path: this.path,
      refusalOf: (request, maxBodyBytes) => this.refusalOf(request, maxBodyBytes),
      serve: (request, response) => {
        if (request.method === 'GET') this.open(request, response);
        else if (isMessage(request)) return this.receive(request, response);
        else refuseOther(response);
        return undefined;
      },
    });
  }

  /** Number of clients with an open stream. */
  get sessionCount(): number {
    return this.clients.size;
  }

  /** Starts the server. Rejects if the token or the port cannot be used. @returns the URL to give to clients. */
  listen(): Promise<{ url: string; port: number }> {
    return this.http.listen();
  }

  /** Ends every stream and stops the server. Resolves when all sockets are closed. Idempotent. */
  close(): Promise<void> {
    return this.http.close(() => {
      for (const { connection } of [...this.clients.values()]) connection.close();
    });
  }

  private refusalOf(request: IncomingMessage, maxBodyBytes: number): Refusal | undefined {
    if (request.method === 'GET')
      return accepts(request, 'text/event-stream')
        ? undefined
        : { status: 406, reason: 'The client must accept text/event-stream.' };
    return isMessage(request) ? bodyRefusal(request, maxBodyBytes) : undefined;
  }

  private open(request: IncomingMessage, response: ServerResponse): void {
    const { clock, keepAliveMs, maxSessions, unapproved, unsent } = this.http;
    if (this.clients.size >= maxSessions) {
      refuse(response, tooMany('Too many clients are connected.', 30));
      return;
    }
    const id = randomBytes(24).toString('base64url');
    const stream = new ServedEventStream({ unsent, clock, keepAliveMs });
    const requests = new HeldRequests();
    const { server } = this.options;
    const connection = server.accept(
      { send: (message) => stream.push(exactJson(message)), ended: (request) => requests.ended(request) },
      {
        era: 'legacy',
        isShared: true,
        principal: id,
        connectionInfo: { ...httpConnectionInfo(request.url), transport: 'sse' },
      },
      () => {
        this.clients.delete(id);
        stream.finish();
      },
    );
    this.clients.set(id, { connection, requests, stream, response });
    if (server.hasGate) unapproved.limitStream(response, () => connection.isAdmitted);
    stream.attach(response);
    response.write(`event: endpoint\ndata: ${this.path}?${parameter}=${id}\n\n`);
    response.once('close', () => connection.close());
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = this.clients.get(sessionIn(request) ?? '');
    if (!client) {
      refuse(response, { status: 404, reason: 'There is no such client: open the event stream first.' });
      return;
    }
    const { unapproved, maxBodyBytes } = this.http;
    const { connection, requests, stream } = client;
    if (connection.isAdmitted) {
      unapproved.admitted(request.socket);
      unapproved.admitted(client.response.req.socket);
    }
    const isUnapproved = this.options.server.hasGate && !connection.isAdmitted;
    const body = await this.http.readPost(request, response, {
      maxBytes: isUnapproved ? Math.min(unapprovedBodyBytes, maxBodyBytes) : maxBodyBytes,
    });
    if (!body) return;
    response.writeHead(202).end();
    const refusal = modernRefusal(body.value);
    if (refusal) stream.push(exactJson(refusal));
    else requests.receive(connection, body.value, body.bytes);
  }
}

/** Whether the request is a POST to the URL of a client. */
function isMessage(request: IncomingMessage): boolean {
  return request.method === 'POST' && sessionIn(request) !== undefined;
}

/**
 * Refuses a client of Streamable HTTP. The client tries HTTP+SSE if the response contains no JSON-RPC error
 * (specification 2025-11-25: basic/transports, "Backwards Compatibility").
 */
function refuseOther(response: ServerResponse): void {
  response
    .writeHead(405, { allow: 'GET', 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(`This server has only HTTP+SSE, for ${versions}: open the event stream with GET.`);
}

/** The client that a POST names. */
function sessionIn({ url }: IncomingMessage): string | undefined {
  return new URLSearchParams(httpConnectionInfo(url).query).get(parameter) ?? undefined;
}

/**
 * The answer to a request of 2026-07-28, which has no HTTP+SSE. The error code is that of an unknown method, by which
 * clients recognize a server of the legacy era.
 */
function modernRefusal(message: unknown): object | undefined {
  if (!isObject(message) || typeof message['method'] !== 'string' || message['id'] === undefined) return undefined;
  const { id, method, params } = message;
  if (!isModernMessage(method, isObject(params) ? params : {})) return undefined;
  const reason = `MCP 2026-07-28 has no HTTP+SSE. Over HTTP+SSE, this server supports ${versions}, which begin with initialize.`;
  return errorResponse(id as RequestId, new ProtocolError(ErrorCode.methodNotFound, reason));
}
