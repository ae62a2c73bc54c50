/**
 * One client as the server sees it: takes its messages, keeps its open requests, and lets the era of each message answer.
 * The era is decided per message: what carries the `_meta` of 2026-07-28 is of the stateless era, everything else belongs
 * to the session that `initialize` opened (specification 2026-07-28, basic/versioning, "Backward compatibility"). How
 * messages travel is the channel's business: a pair of streams, or the many responses of an HTTP session.
 */
import { isObject } from '../base/guards.js';
import { HostError, UserError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { JsonRpcErrorResponse, JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Era, LegacyRevision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';
import { isModernMessage } from './envelope.js';
import { LegacySession } from './legacySession.js';
import { ModernService } from './modernService.js';
import type { ClientChannel, OpenRequest, ServerCore } from './serverCore.js';
import type { ListKind } from './serverMethods.js';
import type { CheckCall } from './serverMethods.js';

type Params = Record<string, unknown>;

export interface ClientConnectionOptions {
  /** Which era this channel carries; default both, decided per message. */
  era?: Era;
  /** Who the client proved to be; state given to one principal is no use to another. Default: nobody. */
  principal?: string;
  /** All messages travel on one pair of streams, as with stdio; default false: each request has its own response. */
  isShared?: boolean;
  /** The front's own check of tool calls, made once the tool is known (2026-07-28: headers that mirror arguments). */
  checkCall?: CheckCall;
}

/** Messages in one batch. */
const maxBatch = 100;

/** Receives the answer to a request, or undefined when it will have none. */
type Respond = (response: JsonRpcMessage | undefined) => void;

export class ClientConnection {
  private readonly open = new Map<RequestId, OpenRequest & { respond: Respond }>();
  private readonly legacy: LegacySession;
  private readonly modern: ModernService;
  private isClosed = false;

  /** Use `McpServer.accept`. */
  constructor(
    private readonly core: ServerCore,
    private readonly channel: ClientChannel,
    private readonly options: ClientConnectionOptions,
    private readonly onClosed: () => void,
  ) {
    this.legacy = new LegacySession(core, channel);
    this.modern = new ModernService(core, channel, options.principal ?? '', options.checkCall);
  }

  /** Revision of the session; undefined before `initialize`, and for ever with a stateless client. */
  get revision(): LegacyRevision | undefined {
    return this.legacy.revision;
  }

  /** Requests that are being worked on. */
  get openCount(): number {
    return this.open.size;
  }

  /** True while a request with this id is being worked on. */
  hasOpen(id: RequestId): boolean {
    return this.open.has(id);
  }

  /** Takes one message of the client, or a batch; what is neither is dropped with a line in the log. */
  receive(message: unknown): void {
    if (this.isClosed) return;
    if (Array.isArray(message)) this.receiveBatch(message);
    else this.receiveOne(message, (id, response) => response && this.channel.send(response, id));
  }

  /** Tells the client of a changed list, if it wants to know. */
  listChanged(kind: ListKind): void {
    this.legacy.listChanged(kind);
    this.modern.listChanged(kind);
  }

  /** Tells the client of new contents, if it subscribed to them. */
  resourceUpdated(uri: string): void {
    this.legacy.resourceUpdated(uri);
    this.modern.resourceUpdated(uri);
  }

  /**
   * The channel is gone, or will be: open subscriptions get their last word, everything else is given up. Idempotent.
   */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const reason = new HostError('cancelled', 'The client is gone.');
    this.legacy.close(reason);
    for (const request of [...this.open.values()]) {
      const { id } = request;
      const farewell = this.modern.farewell(id);
      this.end(request, farewell && { jsonrpc: '2.0', id, result: farewell });
      // One page of the specification wants the result, another the notification; on a shared channel they get both.
      if (farewell && this.options.isShared)
        this.channel.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      request.abort.abort(reason);
    }
    this.onClosed();
  }

  private receiveOne(message: unknown, respond: (id: RequestId, response: JsonRpcMessage | undefined) => void): void {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') {
      this.warn('Dropped what is not a JSON-RPC 2.0 message.');
      return;
    }
    const { id, method } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (method === undefined) {
      if (!this.legacy.receiveAnswer(message)) this.warn('Dropped an answer to no open question.');
    } else if (typeof method !== 'string') this.warn('Dropped a message whose method is not a text.');
    else if (id === undefined) this.receiveNotification(method, params);
    else if (isRequestId(id)) this.receiveRequest(id, method, params, (response) => respond(id, response));
    else this.warn(`Dropped the request ${visibleLine(method)} with an id that is neither text nor number.`);
  }

  /** Batches are a thing of 2025-03-26 and what came before; the answers go back in one array, once all are there. */
  private receiveBatch(messages: unknown[]): void {
    const { revision } = this;
    if (
      messages.length === 0 ||
      messages.length > maxBatch ||
      revision === undefined ||
      isAtLeast(revision, '2025-06-18')
    ) {
      this.channel.send(
        errorResponse(null, new ProtocolError(ErrorCode.invalidRequest, 'Batches are not taken here.')),
      );
      return;
    }
    const answers: JsonRpcMessage[] = [];
    let left = messages.filter(
      (message) => isObject(message) && typeof message['method'] === 'string' && isRequestId(message['id']),
    ).length;
    for (const message of messages) {
      this.receiveOne(message, (_id, response) => {
        if (response) answers.push(response);
        left--;
        if (left === 0 && answers.length > 0) this.channel.send(answers);
      });
    }
  }

  private receiveNotification(method: string, params: Params): void {
    this.legacy.receiveNotification(method);
    if (method !== 'notifications/cancelled') return;
    const request = this.open.get(params['requestId'] as RequestId);
    // `initialize` cannot be cancelled (specification 2025-11-25: basic/utilities/cancellation).
    if (!request || request.method === 'initialize') return;
    this.end(request, undefined);
    request.abort.abort(new HostError('cancelled', 'The client cancelled the request.'));
  }

  private receiveRequest(id: RequestId, method: string, params: Params, respond: Respond): void {
    const refusal = this.open.has(id)
      ? new ProtocolError(ErrorCode.invalidRequest, 'A request with this id is still open.')
      : this.open.size >= this.core.maxOpenRequests
        ? new ProtocolError(ErrorCode.internalError, 'Too many requests are open at once.')
        : undefined;
    if (refusal) {
      respond(errorResponse(id, refusal));
      return;
    }
    const era = this.options.era ?? (isModernMessage(method, params) ? 'modern' : 'legacy');
    const request = { id, method, era, abort: new AbortController(), isOver: false, respond };
    this.open.set(id, request);
    const service = era === 'modern' ? this.modern : this.legacy;
    service.answer(request, params).then(
      (result) => this.end(request, { jsonrpc: '2.0', id, result }),
      (error: unknown) => {
        // A request that was given up is over already; its late error tells nobody anything.
        if (!request.isOver) this.end(request, errorResponse(id, this.toProtocolError(error, method)));
      },
    );
  }

  /** The one place where a request ends; the second time it does nothing. */
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
    // Our own bugs are ours to read: no stack and no detail for the other side.
    this.core.log.write('error', `Answering ${visibleLine(method)} failed: ${messageOf(error)}`);
    return new ProtocolError(ErrorCode.internalError, 'Internal error');
  }

  private warn(line: string): void {
    this.core.log.write('warn', line);
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}

/** The error answer to a request; id null for what had none. */
export function errorResponse(id: RequestId | null, error: ProtocolError): JsonRpcErrorResponse {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}
