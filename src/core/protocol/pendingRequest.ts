import type { CallSignal } from '../base/lightAbort.js';
import type { Outgoing, Params, Result } from './jsonRpc.js';
import type { Progress } from './mcp.js';

export interface RequestOptions {
  /** Cancels the request: the other side is notified, and the promise rejects with the signal's reason. */
  signal?: CallSignal;
  onProgress?: (progress: Progress) => void;
  /** Maximum time without a response, in milliseconds; progress restarts it. `Infinity` for streams that stay open. */
  timeoutMs?: number;
  /** Maximum total duration, which progress does not extend, in milliseconds. */
  maxTotalMs?: number;
  /** Additional `_meta` of this request, e.g. the W3C trace context (`traceparent`, `tracestate`, `baggage`). */
  meta?: Params;
  /** HTTP headers of this message only. */
  headers?: Record<string, string>;
  /** Receives the ID of the request when it is sent. */
  onId?: (id: number) => void;
  /**
   * False if the other side must not be notified of a cancellation, as for `initialize` (specification: cancellation).
   */
  isCancellable?: boolean;
}

/** The peer that sent a request. */
export interface RequestOwner {
  /** Rejects a request that the transport could not deliver, or whose response can no longer arrive. */
  failRequest(request: PendingRequest, error: Error): void;
}

/**
 * An open request: the message to send and its state, in one object for speed, because every call creates one. Sending
 * does not read the clock: the next timeout check records the time, which is accurate enough for timeouts of seconds.
 */
export class PendingRequest implements Outgoing {
  lastProgress = -1;
  /**
   * The times when the timeout check first saw the request and its latest progress; undefined if it has not seen them
   * yet.
   */
  startedAt: number | undefined;
  activeAt: number | undefined;
  onAbort: (() => void) | undefined;

  constructor(
    private readonly peer: RequestOwner,
    readonly id: number,
    readonly method: string,
    readonly text: string,
    readonly options: RequestOptions | undefined,
    readonly headers: Record<string, string> | undefined,
    private readonly read: ((result: Result) => unknown) | undefined,
    private readonly resolve: (result: unknown) => void,
    readonly reject: (error: unknown) => void,
  ) {}

  answer(result: Result): void {
    try {
      this.resolve(this.read ? this.read(result) : result);
    } catch (error) {
      this.reject(error);
    }
  }

  fail(error: Error): void {
    this.peer.failRequest(this, error);
  }
}
