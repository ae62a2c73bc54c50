/**
 * One client of a server. Receives its messages, tracks its open requests, and passes each message to the
 * implementation of its era. The era is decided for each message: a message with the `_meta` of 2026-07-28 belongs to
 * the stateless era, any other message to the session that `initialize` opened (specification 2026-07-28,
 * basic/versioning, "Backward compatibility"). The channel transports the messages: a pair of streams, or the responses
 * of an HTTP session.
 */
import { LightAbort } from '../base/lightAbort.js';
import { isObject } from '../base/guards.js';
import { HostError, UserError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { JsonRpcErrorResponse, JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Implementation, ListKind } from '../protocol/mcp.js';
import { CallerLife } from '../base/callerLife.js';
import type { Era, LegacyRevision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';
import type { ConnectionInfo } from './clientGate.js';
import { streamConnectionInfo } from './clientGate.js';
import { isModernMessage } from './envelope.js';
import { LegacySession } from './legacySession.js';
import { ModernService } from './modernService.js';
import type { ClientChannel, OpenRequest, ServerCore } from './serverCore.js';
import type { CheckCall } from './serverMethods.js';

type Params = Record<string, unknown>;

export interface ClientConnectionOptions {
  /** The only era that this channel supports. Default: both eras, decided for each message. */
  era?: Era;
  /**
   * The authenticated identity of the client. State that was given to one principal is refused if it comes from
   * another. Default: anonymous.
   */
  principal?: string;
  /** How the client is connected; default: a pair of streams. */
  connectionInfo?: ConnectionInfo;
  /**
   * Whether all messages share one pair of streams, as with stdio. Default false: each request has its own response.
   */
  isShared?: boolean;
  /**
   * The additional check of tool calls by the HTTP front, which runs once the tool is known (2026-07-28: headers that
   * repeat arguments).
   */
  checkCall?: CheckCall;
}

/** Maximum number of messages in one batch. */
const maxBatch = 100;

/** Receives the response to a request, or undefined if there will be none. */
type Respond = (response: JsonRpcMessage | undefined) => void;

export class ClientConnection {
  private readonly open = new Map<RequestId, OpenRequest & { respond: Respond }>();
  /** Created on first use: over HTTP, each stateless request has its own connection, which never needs a session. */
  private legacySession: LegacySession | undefined;
  private modernService: ModernService | undefined;
  private knownLife: CallerLife | undefined;
  private isClosed = false;

  /** Created by `McpServer.accept`. */
  constructor(
    private readonly core: ServerCore,
    private readonly channel: ClientChannel,
    private readonly options: ClientConnectionOptions,
    private readonly onClosed: () => void,
  ) {}

  /** Revision of the session; undefined before `initialize`, and always for a stateless client. */
  get revision(): LegacyRevision | undefined {
    return this.legacySession?.revision;
  }

  /** Whether the client of the session has sent a request that the gate let pass. */
  get isAdmitted(): boolean {
    return this.legacySession?.isAdmitted === true;
  }

  /** The client as it introduced itself, in either era. */
  get client(): Implementation | undefined {
    return this.legacySession?.client ?? this.modernService?.client;
  }

  /** Number of requests in progress. */
  get openCount(): number {
    return this.open.size;
  }

  /** True while a request with this ID is in progress. */
  hasOpen(id: RequestId): boolean {
    return this.open.has(id);
  }

  /**
   * Receives one message of the client, or a batch. Anything else is logged and dropped.
   * @param size the size of the message, bytes; 0 if it is unknown.
   */
  receive(message: unknown, size = 0): void {
    if (this.isClosed) return;
    if (Array.isArray(message)) this.receiveBatch(message, size);
    else this.receiveOne(message, (id, response) => response && this.channel.send(response, id), size);
  }

  /** Sends `list_changed` to the client, if it subscribed to it. */
  listChanged(kind: ListKind): void {
    this.legacySession?.listChanged(kind);
    this.modernService?.listChanged(kind);
  }

  /** Sends `resources/updated` to the client, if it subscribed to the resource. */
  resourceUpdated(uri: string): void {
    this.legacySession?.resourceUpdated(uri);
    this.modernService?.resourceUpdated(uri);
  }

  /**
   * Ends the connection: open subscriptions receive their final response, and all other requests are aborted.
   * Idempotent.
   * @param refusal the error for the aborted requests; default: they get no response.
   */
  close(refusal?: ProtocolError): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.legacySession || this.open.size > 0) this.abortAll(refusal);
    this.knownLife?.dispose();
    this.onClosed();
  }

  private get legacy(): LegacySession {
    return (this.legacySession ??= new LegacySession(this.core, this.channel, this.life, this.connectionInfo));
  }

  private get modern(): ModernService {
    const { principal = '', checkCall, isShared } = this.options;
    const life = isShared === true ? this.life : undefined;
    return (this.modernService ??= new ModernService(
      this.core,
      this.channel,
      principal,
      checkCall,
      life,
      this.connectionInfo,
    ));
  }

  private get life(): CallerLife {
    return (this.knownLife ??= new CallerLife());
  }

  private get connectionInfo(): ConnectionInfo {
    return this.options.connectionInfo ?? streamConnectionInfo;
  }

  private abortAll(refusal: ProtocolError | undefined): void {
    const reason = new HostError('cancelled', 'The client is gone.');
    this.legacySession?.close(reason);
    for (const request of [...this.open.values()]) {
      const { id } = request;
      const farewell = this.modernService?.farewell(id);
      this.end(request, farewell ? { jsonrpc: '2.0', id, result: farewell } : refusal && errorResponse(id, refusal));
      // One page of the specification requires the result, and another page the notification. So both are sent on a
      // shared channel.
      if (farewell && this.options.isShared)
        this.channel.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      request.abort.abort(reason);
    }
  }

  private receiveOne(
    message: unknown,
    respond: (id: RequestId, response: JsonRpcMessage | undefined) => void,
    size = 0,
  ): void {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') {
      this.warn('Dropped a message that is not JSON-RPC 2.0.');
      return;
    }
    const { id, method } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (method === undefined) {
      if (this.legacySession?.receiveAnswer(message) !== true)
        this.warn('Dropped a response that matches no open request.');
    } else if (typeof method !== 'string') this.warn('Dropped a message whose method is not a string.');
    else if (id === undefined) this.receiveNotification(method, params);
    else if (isRequestId(id)) this.receiveRequest(id, method, params, size, (response) => respond(id, response));
    else
      this.warn(
        `Dropped the request ${visibleLine(method)}: its ID is neither a number nor a string of at most ${maxIdLength} characters.`,
      );
  }

  /**
   * Receives a batch, which exists up to revision 2025-03-26. The responses are sent in one array when all of them are
   * complete.
   */
  private receiveBatch(messages: unknown[], size: number): void {
    const { revision } = this;
    if (
      messages.length === 0 ||
      messages.length > maxBatch ||
      revision === undefined ||
      isAtLeast(revision, '2025-06-18')
    ) {
      this.channel.send(
        errorResponse(null, new ProtocolError(ErrorCode.invalidRequest, 'Batches are not supported here.')),
      );
      return;
    }
    const answers: JsonRpcMessage[] = [];
    let left = messages.filter(
      (message) => isObject(message) && typeof message['method'] === 'string' && isRequestId(message['id']),
    ).length;
    const respond = (_id: RequestId, response: JsonRpcMessage | undefined) => {
      if (response) answers.push(response);
      left--;
      if (left === 0 && answers.length > 0) this.channel.send(answers);
    };
    for (const message of messages) this.receiveOne(message, respond, size);
  }

  private receiveNotification(method: string, params: Params): void {
    this.legacySession?.receiveNotification(method);
    if (method !== 'notifications/cancelled') return;
    const request = this.open.get(params['requestId'] as RequestId);
    // `initialize` cannot be canceled (specification 2025-11-25: basic/utilities/cancellation).
    if (!request || request.method === 'initialize') return;
    this.end(request, undefined);
    request.abort.abort(new HostError('cancelled', 'The client canceled the request.'));
  }

  private receiveRequest(id: RequestId, method: string, params: Params, size: number, respond: Respond): void {
    const refusal = this.open.has(id)
      ? new ProtocolError(ErrorCode.invalidRequest, 'A request with this ID is still open.')
      : this.open.size >= this.core.maxOpenRequests
        ? new ProtocolError(ErrorCode.internalError, 'Too many requests are open at once.')
        : undefined;
    if (refusal) {
      respond(errorResponse(id, refusal));
      return;
    }
    const era = this.options.era ?? (isModernMessage(method, params) ? 'modern' : 'legacy');
    const request = { id, method, era, size, abort: new LightAbort(), isOver: false, respond };
    this.open.set(id, request);
    const service = era === 'modern' ? this.modern : this.legacy;
    service.answer(request, params).then(
      (result) => this.end(request, { jsonrpc: '2.0', id, result }),
      (error: unknown) => {
        // The late error of an aborted request is ignored: the request is already over.
        if (!request.isOver) this.end(request, errorResponse(id, this.toProtocolError(error, method)));
      },
    );
  }

  /** The only place that ends a request. A second call has no effect. */
  private end(request: OpenRequest & { respond: Respond }, response: JsonRpcMessage | undefined): void {
    if (request.isOver) return;
    request.isOver = true;
    this.open.delete(request.id);
    request.respond(response);
    this.channel.ended?.(request.id);
  }

  private toProtocolError(error: unknown, method: string): ProtocolError {
    if (error instanceof ProtocolError) return error;
    if (error instanceof UserError) return new ProtocolError(ErrorCode.internalError, error.message);
    // Internal errors are logged here. The client gets neither the stack nor the details.
    this.core.log.write('error', `Answering ${visibleLine(method)} failed: ${messageOf(error)}`);
    return new ProtocolError(ErrorCode.internalError, 'Internal error');
  }

  private warn(line: string): void {
    this.core.log.write('warn', line);
  }
}

/** Maximum length of the ID of a request, in UTF-16 code units. The response repeats it. */
const maxIdLength = 1_000;

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= maxIdLength : typeof id === 'number';
}

/** The error response to a request; its ID is null if the request has none. */
export function errorResponse(id: RequestId | null, error: ProtocolError): JsonRpcErrorResponse {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}
