/**
 * JSON-RPC 2.0 between two peers with the restrictions of MCP: IDs are never null, every request ends exactly once
 * (result, error, abort, timeout or close), and progress and cancellation are notifications (specification: basic,
 * basic/patterns/cancellation, basic/patterns/progress).
 *
 * Messages are dispatched synchronously in the order of arrival: if a progress notification arrives in the same chunk
 * as the result, the caller gets the notification first.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { durationText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { exactJson } from '../base/jsonTokens.js';
import type { Remark } from '../base/remark.js';
import { remarkOf } from '../base/remark.js';
import type { RequestHandler } from './inboundRequests.js';
import { InboundRequests } from './inboundRequests.js';
import { ItemWarnings } from './itemWarnings.js';
import type { Outgoing, Params, RequestId, Result } from './jsonRpc.js';
import { asProgress, isMessage, notMessage, paramsText, preview, toProtocolError } from './messageParts.js';
import type { RequestOptions } from './pendingRequest.js';
import { PendingRequest } from './pendingRequest.js';
import { RequestTable } from './requestTable.js';

/** Interval of the timeout check, ms. One timer serves all open requests. */
const sweepMs = 250;

/** Maximum number of messages of one batch that are handled, because all of them are handled without a pause. */
const maxBatch = 1_000;

/** The owner of a peer: sends its messages and handles received ones. */
export interface PeerHandler extends RequestHandler {
  send(message: Outgoing): void;
  /** The caller canceled a request. Notifies the other side in the way that this era and transport define. */
  abandon(id: number, reason: string): void;
  onNotification(method: string, params: Params): void;
  /** A request ended without a response: its timeout expired, or its transport reported a failure. */
  onUnanswered?(error: HostError, id: number): void;
  /** The caller canceled a request. */
  onCancelled?(id: number): void;
  /** Receives a dropped message as a remark, because it may explain why a request gets no response. */
  onRemark?(remark: Remark): void;
}

/** Pauses timeouts while the other side cannot respond: a debugger has paused it, or it waits for the user. */
export interface TimeoutHold {
  readonly isHeld: boolean;
}

export interface PeerOptions {
  /** Default of `RequestOptions.timeoutMs`; 60,000. */
  timeoutMs?: number;
  /** Default of `RequestOptions.maxTotalMs`; one hour. */
  maxTotalMs?: number;
  /**
   * Whether a request of the given method asks for progress even without a listener, because progress restarts the
   * timeout. Default: never.
   */
  asksForProgress?: ((method: string) => boolean) | undefined;
  /** While `isHeld` is true, the timeouts of all requests are paused. Default: never. */
  hold?: TimeoutHold | undefined;
  /**
   * ID of the first request; default random, so that the other side cannot guess the ID and answer a request that it
   * has not read.
   */
  firstId?: number;
  clock?: Clock;
}

/** What an era adds to a request. Apart from the options, because a copy of the options takes time in each call. */
export interface EraParts {
  /** Members of `_meta`. */
  meta: Params;
  /** The HTTP headers of this message only. */
  headers: Record<string, string>;
}

export class JsonRpcPeer {
  private readonly pending: RequestTable<PendingRequest>;
  /** Requests of the other side in progress; created with the first one, because most servers send none. */
  private inbound: InboundRequests | undefined;
  private sweepTimer: Disposable | undefined;
  private endReason: Error | undefined;
  private readonly clock: Clock;
  private readonly timeoutMs: number;
  private readonly maxTotalMs: number;
  private readonly hold: TimeoutHold | undefined;
  private readonly asksForProgress: ((method: string) => boolean) | undefined;

  constructor(
    private readonly handler: PeerHandler,
    options: PeerOptions = {},
  ) {
    this.pending = new RequestTable(options.firstId);
    this.clock = options.clock ?? systemClock;
    this.timeoutMs = options.timeoutMs ?? 60_000;
    this.maxTotalMs = options.maxTotalMs ?? 3_600_000;
    this.hold = options.hold;
    this.asksForProgress = options.asksForProgress;
  }

  /** Number of open requests, without streams that are meant to stay open. */
  get workingCount(): number {
    return this.pending.all().filter(({ options }) => options?.timeoutMs !== Infinity).length;
  }

  /**
   * Sends a request and waits for its end. Rejects with ProtocolError (the other side's error), HostError (`timeout`,
   * `closed`, `invalid-message` or the failure of the transport), the signal's reason, or the error that `read` throws.
   * @param read converts the result; default: the result unchanged. Converting the result here instead of in a `then`
   * saves one promise per call.
   */
  request<T = Result>(
    method: string,
    params?: Params,
    options?: RequestOptions,
    read?: (result: Result) => T,
    ofEra?: EraParts,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.endReason) {
        reject(this.endReason);
        return;
      }
      const signal = options?.signal;
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const id = this.pending.nextId();
      options?.onId?.(id);
      const hasToken = options?.onProgress !== undefined || this.asksForProgress?.(method) === true;
      const body = paramsText(params, options?.meta, ofEra?.meta, hasToken ? id : undefined);
      // A method can come from a file, such as a recording, so it is escaped like every other text.
      const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`;
      const text = body === undefined ? `${head}}` : `${head},"params":${body}}`;
      const pending = new PendingRequest(
        this,
        id,
        method,
        text,
        options,
        ofEra?.headers ?? options?.headers,
        read,
        resolve as (result: unknown) => void,
        reject,
      );
      if (signal) {
        pending.onAbort = () => {
          if (this.take(pending)) {
            this.notifyCancelled(pending, 'The request was canceled.');
            this.handler.onCancelled?.(id);
            reject(signal.reason);
          }
        };
        signal.addEventListener('abort', pending.onAbort, { once: true });
      }
      this.pending.add(pending);
      if (!this.sweepTimer) this.armSweep();
      this.handler.send(pending);
    });
  }

  /** Rejects a request that the transport could not deliver, or whose response can no longer arrive. */
  failRequest(request: { readonly id: number; reject(error: unknown): void }, error: Error): void {
    const pending = this.pending.get(request.id);
    if (!pending || !this.take(pending)) return;
    pending.reject(error);
    if (error instanceof HostError) this.handler.onUnanswered?.(error, request.id);
  }

  /** Sends a notification; delivery failures are reported as warnings. */
  notify(method: string, params?: Params, headers?: Record<string, string>): void {
    if (this.endReason) return;
    this.handler.send({
      text: JSON.stringify(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }),
      method,
      headers,
      fail: (error) => this.handler.onWarning(`The notification ${method} was not delivered: ${error.message}`),
    });
  }

  /**
   * Receives one parsed message of the other side, or a batch of them (2025-03-26); anything else is dropped with a
   * warning.
   */
  receive(message: unknown): void {
    if (Array.isArray(message)) {
      this.receiveBatch(message);
      return;
    }
    if (!isMessage(message)) {
      const quote = preview(message);
      this.handler.onWarning(notMessage(quote));
      this.handler.onRemark?.(remarkOf('not-json-rpc', quote));
      return;
    }
    if (message['method'] === undefined) this.receiveResponse(message);
    else
      this.receiveCall(message, (response) => {
        if (response !== undefined) this.handler.send({ text: exactJson(response) });
      });
  }

  /** Ends every open request with `reason`; later requests reject with it, too. */
  end(reason: Error): void {
    if (this.endReason) return;
    this.endReason = reason;
    this.sweepTimer?.dispose();
    this.sweepTimer = undefined;
    for (const pending of this.pending.all()) {
      if (this.take(pending)) pending.reject(reason);
    }
    this.inbound?.end(reason);
    this.inbound = undefined;
  }

  private receiveResponse(message: Record<string, unknown>): void {
    const pending = this.pending.get(message['id']);
    if (!pending) {
      // A response without an open request is expected after a timeout or a cancellation. IDs are never reused, so a
      // late response cannot settle another request.
      this.handler.onWarning(`Dropped a response that matches no open request (ID ${preview(message['id'])}).`);
      if (!this.pending.hasIssued(message['id'])) this.handler.onRemark?.(remarkOf('answer-id', preview(message)));
      return;
    }
    this.take(pending);
    const error = message['error'];
    if (error !== undefined) {
      pending.reject(toProtocolError(error));
      return;
    }
    const result = message['result'];
    if (isObject(result)) {
      pending.answer(result);
      return;
    }
    pending.reject(
      new HostError('invalid-message', `The response to ${pending.method} has no result object: ${preview(result)}.`, {
        data: { problem: 'no-result', method: pending.method, detail: preview(result) },
      }),
    );
  }

  /** @param respond called exactly once, with undefined for a message that gets no response. */
  private receiveCall(message: Record<string, unknown>, respond: (response: object | undefined) => void): void {
    const { id, method } = message;
    if (typeof method !== 'string') {
      this.handler.onWarning('Dropped a message whose method is not a string.');
      respond(undefined);
      return;
    }
    const params = isObject(message['params']) ? message['params'] : {};
    if (id === undefined) {
      this.receiveNotification(method, params);
      respond(undefined);
      return;
    }
    if (typeof id !== 'string' && typeof id !== 'number') {
      this.handler.onWarning(
        `Dropped the request ${visibleLine(method)} with an ID that is neither a string nor a number.`,
      );
      respond(undefined);
      return;
    }
    this.inbound ??= new InboundRequests(this.handler);
    this.inbound.receive(id, method, params, respond);
  }

  private receiveNotification(method: string, params: Params): void {
    if (method === 'notifications/progress' || method === '$/progress') {
      this.receiveProgress(params);
      return;
    }
    if (method === 'notifications/cancelled' || method === '$/cancelRequest') {
      const id = (params['requestId'] ?? params['id']) as RequestId;
      if (this.inbound?.cancel(id) === true) return;
    }
    this.handler.onNotification(method, params);
  }

  private receiveProgress(params: Params): void {
    const pending = this.pending.get(params['progressToken'] ?? params['token']);
    const progress = params['progress'];
    if (!pending || typeof progress !== 'number') return;
    // Progress must increase; other values are ignored (security requirement R8). NaN fails both comparisons.
    if (!(progress > pending.lastProgress) || !(progress < Infinity)) return;
    pending.lastProgress = progress;
    pending.activeAt = undefined;
    const onProgress = pending.options?.onProgress;
    if (!onProgress) return;
    try {
      onProgress(asProgress(progress, params));
    } catch (error) {
      this.handler.onWarning(`A progress listener failed: ${messageOf(error)}`);
    }
  }

  /**
   * JSON-RPC batches exist only in 2025-03-26, but they are accepted from every server. The responses to a batch are
   * sent as one batch. Requests and notifications are never sent as a batch.
   */
  private receiveBatch(messages: unknown[]): void {
    const answers: unknown[] = [];
    // Starts at one for the batch itself, so that nothing is sent before all messages of the batch are read.
    let open = 1;
    const close = (response: unknown) => {
      if (response !== undefined) answers.push(response);
      if (--open > 0 || answers.length === 0 || this.endReason) return;
      this.handler.send({ text: exactJson(answers) });
    };
    const invalid: unknown[] = [];
    for (const message of messages.slice(0, maxBatch)) {
      if (!isMessage(message)) invalid.push(message);
      else if (message['method'] !== undefined && message['id'] !== undefined) {
        open++;
        this.receiveCall(message, close);
      } else this.receive(message);
    }
    close(undefined);
    this.warnOfBatch(messages.length, invalid);
  }

  private warnOfBatch(count: number, invalid: readonly unknown[]): void {
    if (invalid.length > 0) this.handler.onRemark?.(remarkOf('not-json-rpc', preview(invalid[0])));
    const warnings = new ItemWarnings((line) => this.handler.onWarning(line));
    for (const message of invalid) warnings.add(() => notMessage(preview(message)));
    warnings.end('messages of a batch');
    if (count <= maxBatch) return;
    const [dropped, all, handled] = [count - maxBatch, count, maxBatch].map((one) => one.toLocaleString('en'));
    this.handler.onWarning(`Dropped ${dropped} messages of a batch of ${all}: at most ${handled} are handled.`);
  }

  /** Removes a request from the table; false when it had already ended. */
  private take(pending: PendingRequest): boolean {
    if (!this.pending.delete(pending)) return false;
    if (pending.onAbort) pending.options?.signal?.removeEventListener('abort', pending.onAbort);
    return true;
  }

  private notifyCancelled(pending: PendingRequest, reason: string): void {
    if (pending.options?.isCancellable !== false) this.handler.abandon(pending.id, reason);
  }

  private armSweep(): void {
    this.sweepTimer = this.clock.after(sweepMs, () => {
      this.sweepTimer = undefined;
      const now = this.clock.now();
      const isHeld = this.hold?.isHeld === true;
      for (const pending of this.pending.all()) {
        if (isHeld) pending.startedAt = pending.activeAt = now;
        const timeoutMs = pending.options?.timeoutMs ?? this.timeoutMs;
        const startedAt = (pending.startedAt ??= now);
        // While the other side waits for our response, often from the user, it cannot be expected to respond. So this
        // time does not count toward the timeout.
        if (this.inbound?.size) pending.activeAt = now;
        const activeAt = (pending.activeAt ??= now);
        if (timeoutMs === Infinity) continue;
        if (now - activeAt < timeoutMs && now - startedAt < (pending.options?.maxTotalMs ?? this.maxTotalMs)) continue;
        if (!this.take(pending)) continue;
        this.notifyCancelled(pending, 'The request timed out.');
        const waitedMs = Math.round(now - startedAt);
        const error = new HostError('timeout', `${pending.method} was not answered within ${durationText(waitedMs)}.`, {
          data: { waitedMs, method: pending.method },
          hint: 'The server may be busy or stuck: check its log, or increase its timeout.',
        });
        pending.reject(error);
        this.handler.onUnanswered?.(error, pending.id);
      }
      if (this.pending.size > 0) this.armSweep();
    });
  }
}
