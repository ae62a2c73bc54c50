import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import type { Params, RequestId, Result } from './jsonRpc.js';
import { ErrorCode, ProtocolError } from './jsonRpc.js';
import { errorResponse } from './messageParts.js';

/**
 * Maximum number of concurrent requests of the other side; more are refused (security requirement X6). A canceled
 * request counts until its handler has ended.
 */
const maxInbound = 64;
/**
 * Maximum memory of the parameters of all these requests together, bytes. The parameters are held until the requests
 * are answered.
 */
const maxInboundBytes = 64 * 1024 * 1024;
/**
 * Maximum length of the ID of a request of the other side, in characters. The ID is held until the request is answered.
 */
const maxIdLength = 1_000;

/** Handles the requests that the other side sends. */
export interface RequestHandler {
  /**
   * Handles a request of the other side. A thrown error becomes the error response. Returns undefined to drop the
   * request, because 2026-07-28 has no requests in this direction.
   */
  onRequest(method: string, params: Params, signal: AbortSignal): Promise<Result> | undefined;
  /** Receives a log line about an unexpected message that was dropped. */
  onWarning(line: string): void;
}

/** The requests of the other side that are being answered. */
export class InboundRequests {
  private readonly open = new Map<RequestId, AbortController>();
  /** Number of requests whose handlers have not ended. */
  private handled = 0;
  /** Memory of the parameters of these requests, bytes. */
  private openBytes = 0;

  constructor(private readonly handler: RequestHandler) {}

  /** Number of requests that have not been answered. */
  get size(): number {
    return this.open.size;
  }

  /** @param respond called exactly once, with undefined for a request that gets no response. */
  receive(id: RequestId, method: string, params: Params, respond: (response: object | undefined) => void): void {
    if (typeof id === 'string' && id.length > maxIdLength) {
      this.handler.onWarning(`Dropped the request ${visibleLine(method)} with an ID of ${id.length} characters.`);
      respond(undefined);
      return;
    }
    const isRepeated = this.open.has(id);
    if (isRepeated || this.handled >= maxInbound) {
      const reason = isRepeated ? 'A request with this ID is already open.' : 'Too many requests are open at once.';
      respond(errorResponse(id, ErrorCode.internalError, reason));
      return;
    }
    const bytes = valueCost(params, maxInboundBytes);
    if (this.openBytes + bytes > maxInboundBytes) {
      respond(errorResponse(id, ErrorCode.internalError, 'The open requests are too large together.'));
      return;
    }
    const controller = new AbortController();
    const answer = this.handler.onRequest(method, params, controller.signal);
    if (!answer) {
      this.handler.onWarning(
        `Dropped the request ${visibleLine(method)}: servers of this revision may not send requests.`,
      );
      respond(undefined);
      return;
    }
    this.open.set(id, controller);
    this.handled++;
    this.openBytes += bytes;
    const release = () => {
      this.handled--;
      this.openBytes -= bytes;
    };
    answer.then(release, release);
    // A canceled request gets no response (specification: cancellation).
    controller.signal.addEventListener('abort', () => respond(undefined), { once: true });
    const finish = (response: object) => {
      if (this.open.get(id) !== controller) return;
      this.open.delete(id);
      respond(response);
    };
    answer
      .then(
        (result) => finish({ jsonrpc: '2.0', id, result }),
        (error: unknown) => {
          if (error instanceof ProtocolError) finish(errorResponse(id, error.code, error.message, error.data));
          else {
            // Internal errors are logged here. The other side gets neither the stack nor the details.
            this.handler.onWarning(`Answering ${visibleLine(method)} failed: ${messageOf(error)}`);
            finish(errorResponse(id, ErrorCode.internalError, 'Internal error'));
          }
        },
      )
      .catch((error: unknown) =>
        this.handler.onWarning(`The response to ${visibleLine(method)} was not sent: ${messageOf(error)}`),
      );
  }

  /** The other side canceled a request: aborts its signal. Returns false if it is not open. */
  cancel(id: RequestId): boolean {
    const controller = this.open.get(id);
    if (!controller) return false;
    this.open.delete(id);
    controller.abort(new HostError('cancelled', 'The server canceled its request.'));
    return true;
  }

  /** Aborts every open request with `reason`; none of them is answered. */
  end(reason: Error): void {
    for (const controller of this.open.values()) controller.abort(reason);
    this.open.clear();
  }
}
