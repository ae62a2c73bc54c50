import { Backoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError, messageOf } from '../base/hostError.js';

/** How long a server may take to answer when it is asked whether it is there. Milliseconds. */
const patienceMs = 10_000;

/** Unanswered questions after which a stream that cannot be opened again by itself counts as lost. */
const maxUnanswered = 2;

export interface LivenessOptions {
  /** Asks the server; rejects when it does not answer within `timeoutMs`. */
  ping(timeoutMs: number): Promise<void>;
  /** How long its requests may take, milliseconds: patience is never longer. */
  requestTimeoutMs: number;
  /**
   * How it is connected. `process`: what is asked waits in the pipe, so it is asked once and answers when it can.
   * `calls`: each question goes its own way. `stream`: a stream that carries nothing any more stays so, and is given up.
   */
  connection: 'process' | 'calls' | 'stream';
  /** `silentSince` changed. */
  onDidChange(): void;
  /** The stream is lost. */
  onLost(error: HostError): void;
  clock: Clock;
  backoff?: Backoff;
}

/**
 * Whether a running server answers at all. Nobody is asked as long as requests are answered; after one that was not, or
 * after the machine slept, the server is asked until it answers. It is never ended for its silence: a suspended or busy one goes on where it was.
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

  /** Since when it has not answered, epoch milliseconds; undefined while nothing is wrong. */
  get silentSince(): number | undefined {
    return this.silent;
  }

  /** A request failed with `error`. When that means silence, the server is asked. */
  suspect(error: unknown): void {
    if (meansSilence(error)) this.check();
  }

  /** Asks the server, because something made it doubtful whether it is there. */
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
      // An error is an answer too.
    }
    this.isAsking = false;
    if (!this.isDisposed) this.setSilent(undefined);
  }

  private askAgain(since: number, unanswered: number, error: unknown): void {
    if (this.options.connection === 'stream' && unanswered >= maxUnanswered) {
      this.options.onLost(
        new HostError('closed', `The server does not answer any more: ${messageOf(error)}`, {
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

/** Whether a failure may mean that the server, or the way to it, is gone for now. */
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
