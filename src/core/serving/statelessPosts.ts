/**
 * The requests of the stateless era over HTTP (2026-07-28): each POST has its own connection, and closing the response
 * cancels the request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import { LiveSet } from '../base/liveSet.js';
import type { JsonRpcMessage } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ClientConnection } from './clientConnection.js';
import { errorResponse } from './clientConnection.js';
import { httpConnectionInfo } from './clientGate.js';
import { readEnvelope } from './envelope.js';
import { ServedEventStream } from './servedEventStream.js';
import { refuse, sendJson } from './httpRefusals.js';
import { requestId } from './httpSession.js';
import type { McpServer } from './mcpServer.js';
import { checkParameterHeaders, standardHeaderProblem } from './mirroredHeaders.js';
import { PostExchange } from './postExchange.js';
import type { UnapprovedClients } from './unapprovedClients.js';
import type { UnsentBytes } from './unsentBytes.js';

type Params = Record<string, unknown>;

export interface StatelessPostsOptions {
  server: McpServer;
  unapproved: UnapprovedClients;
  unsent: UnsentBytes;
  clock: Clock;
  /**
   * Interval between comments on an open stream, and the time after which the response to a POST becomes a stream, in
   * milliseconds.
   */
  keepAliveMs: number;
}

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

export class StatelessPosts {
  private readonly connections = new LiveSet<ClientConnection>();

  constructor(private readonly options: StatelessPostsOptions) {}

  /** Ends the requests that are open. */
  close(): void {
    for (const connection of this.connections.items()) connection.close();
  }

  /** Serves one message. @param size the size of its body, bytes. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    message: Params,
    method: string,
    params: Params,
    size: number,
  ): void {
    // If the client disconnected while the request waited, the request is canceled.
    if (response.destroyed) return;
    const id = requestId(message);
    if (id === undefined) {
      // In this era, no notification has an effect over HTTP, because a client cancels by closing the response.
      if (message['id'] === undefined) response.writeHead(202).end();
      else refuse(response, { status: 400, reason: 'The ID is neither a string nor a number.' });
      return;
    }
    const envelope = readEnvelope(params);
    if (envelope instanceof ProtocolError) {
      sendJson(response, 400, errorResponse(id, envelope));
      return;
    }
    const problem = standardHeaderProblem(request.headers, method, params, envelope.version);
    if (problem) {
      sendJson(response, 400, errorResponse(id, problem));
      return;
    }
    const { server, unapproved, clock, unsent, keepAliveMs } = this.options;
    const at = httpConnectionInfo(request.url);
    const isAdmitted = () => server.isAdmitted(envelope.client, at);
    if (method === 'subscriptions/listen' && !isAdmitted())
      unapproved.limitStream(response, isAdmitted, () => connection.close());
    const exchange = new PostExchange({
      response,
      openStream: () => new ServedEventStream({ unsent, clock, keepAliveMs }),
      ids: [id],
      isBatch: false,
      statusOf: (answer) => ('error' in answer ? (modernStatuses.get(answer.error.code) ?? 200) : 200),
      unsent,
      clock,
      keepAliveMs,
      onDone: () => connection.close(),
    });
    const connection: ClientConnection = server.accept(
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
        connectionInfo: {
          transport: at.transport,
          query: at.query,
          onAdmitted: () => unapproved.admitted(request.socket),
        },
        checkCall: (tool, args) => checkParameterHeaders(request.headers, tool, args),
      },
      () => remove(),
    );
    const remove = this.connections.add(connection);
    // A client of this era cancels by closing the response.
    response.on('close', () => connection.close());
    connection.receive(message, size);
  }
}
