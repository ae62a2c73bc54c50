import { Backoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError, messageOf } from '../base/hostError.js';

/** Ping timeout, ms. */
const patienceMs = 10_000;

/** Number of consecutive unanswered pings after which a stream is treated as lost. */
const maxUnanswered = 2;

export interface LivenessOptions {
  /** Pings the server; rejects when it does not answer within `timeoutMs`. */
  ping(timeoutMs: number): Promise<void>;
  /** The request timeout of the server, ms. The ping timeout is never longer. */
  requestTimeoutMs: number;
  /**
   * The kind of connection. It determines how a missing answer is handled:
   * - `process`: a ping waits in the pipe until the server can answer, so the second ping has no timeout.
   * - `calls`: each ping is a separate request.
   * - `stream`: a broken stream does not recover, so the connection is closed.
   */
  connection: 'process' | 'calls' | 'stream';
  /** Called when `silentSince` changed. */
  onDidChange(): void;
  /** Called when the stream is lost. */
  onLost(error: HostError): void;
  clock: Clock;
  backoff?: Backoff;
}

/**
 * Checks whether a running server answers. No ping is sent while requests are answered. After an unanswered request, or
 * after the computer was asleep, pings are sent until one is answered. A process that does not answer is never stopped,
 * because a suspended or busy server may continue later. A stream is given up after two unanswered pings.
 */
export class LivenessWatch implements Disposable {
  private silent: number | undefined;
  private isAsking = false;
  private isDisposed = false;
  private timer: Disposable | undefined;
  private readonly backoff: Backoff;

  constructor(private readonly options: LivenessOptions) {
    this.backoff = options.backoff ?? new Backoff();
  }

  /** The time since which the server has not answered, epoch milliseconds; undefined while it answers. */
  get silentSince(): number | undefined {
    return this.silent;
  }

  /** Called when a request failed. Pings the server if the error may mean that the server does not answer. */
  suspect(error: unknown): void {
    if (meansSilence(error)) this.check();
  }

  /** Pings the server. Called when the server may have become unreachable. */
  check(): void {
    if (this.isAsking || this.isDisposed) return;
    this.isAsking = true;
    this.backoff.reset();
    void this.ask(Date.now(), 0);
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
  }

  private async ask(since: number, unanswered: number): Promise<void> {
    const { options } = this;
    const waitsForEver = options.connection === 'process' && unanswered > 0;
    try {
      await options.ping(waitsForEver ? Infinity : Math.min(patienceMs, options.requestTimeoutMs));
    } catch (error) {
      if (this.isDisposed) return;
      if (meansSilence(error)) {
        this.setSilent(since);
        this.askAgain(since, unanswered + 1, error);
        return;
      }
      // An error response is an answer, too.
    }
    this.isAsking = false;
    if (!this.isDisposed) this.setSilent(undefined);
  }

  private askAgain(since: number, unanswered: number, error: unknown): void {
    if (this.options.connection === 'stream' && unanswered >= maxUnanswered) {
      this.options.onLost(
        new HostError('closed', `The server no longer responds: ${messageOf(error)}`, {
          cause: error,
          data: {
            why: 'silence',
            reason: 'silence',
            ...(error instanceof HostError && error.code === 'timeout'
              ? { method: error.data.method, waitedMs: error.data.waitedMs }
              : { detail: messageOf(error) }),
          },
        }),
      );
      return;
    }
    this.timer = this.options.clock.after(this.backoff.nextMs(), () => void this.ask(since, unanswered));
  }

  private setSilent(since: number | undefined): void {
    if (this.silent === since) return;
    this.silent = since;
    this.options.onDidChange();
  }
}

/** Whether an error may mean that the server or the network is temporarily unavailable. */
export function meansSilence(error: unknown): boolean {
  if (!(error instanceof HostError)) return false;
  switch (error.code) {
    case 'timeout':
    case 'closed':
    case 'connection-refused':
    case 'send-failed':
      return true;
    case 'http-status':
      return error.data.status >= 502 && error.data.status <= 504;
    default:
      return false;
  }
}
