import { Backoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { HostErrorWith } from '../base/hostError.js';
import { HostError, isCancelled, messageOf } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';

/** The result of a successful attempt: a running instance. It exists until it ends by itself or is closed. */
export interface Attempt {
  /** Runs `listener` once when the attempt ends, or at once if it has ended. */
  whenClosed(listener: (reason?: Error) => void): Disposable;
  /** Orderly shutdown; resolves when everything is closed. Never rejects. @param why the error for open requests. */
  close(why?: HostError): Promise<void>;
  /** Ends a running `close` at once. */
  kill?(): void;
}

export interface ConnectionOptions<A extends Attempt, Request> {
  /**
   * Makes one attempt. Must release everything that it opened before it rejects. HostError `not-trusted`, `needs-input`
   * and `auth-required` mean that the start waits for the user.
   */
  open(request: Request, signal: AbortSignal): Promise<A>;
  /** The request of an automatic attempt. */
  automatic(): Request;
  /** Called when a caller of `start` joins an attempt in progress. */
  join(underWay: Request, joining: Request): void;
  /** Called after every change of state, before `start` and `stop` settle. */
  onDidChange(state: ConnectionState): void;
  /** Whether to restart after an unexpected end. */
  restartsOnCrash(): boolean;
  /**
   * Whether to retry a restart that failed with this error, because the server may become available again. Default:
   * never.
   */
  mayComeBack?(error: unknown): boolean;
  clock?: Clock;
  backoff?: Backoff;
}

/** The next automatic attempt after an unexpected end. */
interface PlannedRestart {
  timer: Disposable;
  attemptNumber: number;
  /** The time at which the attempt is due, on the clock of the host, ms. */
  dueAt: number;
}

/** Limit of restarts: this many unexpected ends (crashes) within this time, ms, stop the automatic restarts. */
const maxCrashes = 5;
const crashWindowMs = 180_000;

/**
 * The lifecycle of one server: there are never two instances, start and stop are idempotent and safe at any moment, and
 * restarts after crashes have growing delays and a limit. It works with any kind of attempt.
 */
export class ServerConnection<A extends Attempt, Request> {
  private current: ConnectionState = { kind: 'stopped' };
  private live: A | undefined;
  private starting: { done: Promise<A>; abort: AbortController; request: Request } | undefined;
  private stopping: Promise<void> | undefined;
  /**
   * The cleanup in progress after an instance ended unexpectedly, such as stopping its remaining processes.
   */
  private leaving: Promise<void> | undefined;
  private closing: A | undefined;
  private planned: PlannedRestart | undefined;
  private crashes: number[] = [];
  private readonly backoff: Backoff;
  private readonly clock: Clock;

  constructor(private readonly options: ConnectionOptions<A, Request>) {
    this.clock = options.clock ?? systemClock;
    this.backoff = options.backoff ?? new Backoff({ initialMs: 1_000, maxMs: 30_000 });
  }

  get state(): ConnectionState {
    return this.current;
  }

  /** Whether an automatic restart is planned. No instance exists during this pause. */
  get isRestartPlanned(): boolean {
    return this.planned !== undefined;
  }

  /** The running instance; undefined while the server is not running. */
  get attempt(): A | undefined {
    return this.live;
  }

  /**
   * Starts, or joins a start in progress; resolves with the live attempt. Waits for a stop in progress first, so that
   * there are never two instances. Rejects with the error of the attempt, or with HostError `cancelled` if the server
   * is stopped in the meantime. During the pause before an automatic restart it makes an attempt at once. If that
   * attempt fails, the automatic restart still takes place as planned. The crash limit and the delays are unchanged.
   */
  start(request: Request): Promise<A> {
    const { planned } = this;
    if (planned) return this.begin(request, planned.attemptNumber, planned);
    if (!this.isStarting) {
      this.crashes = [];
      this.backoff.reset();
    }
    return this.begin(request, 1);
  }

  /**
   * Stops the server; a second call during the shutdown ends it at once. Resolves when everything is closed.
   * @param why the error for open requests.
   */
  stop(why?: HostError): Promise<void> {
    this.cancelPlanned();
    if (this.stopping) {
      this.closing?.kill?.();
      return this.stopping;
    }
    if (!this.live && !this.starting && !this.leaving) {
      if (this.current.kind !== 'stopped') this.change({ kind: 'stopped' });
      return Promise.resolve();
    }
    this.stopping = this.end(why).finally(() => {
      this.stopping = undefined;
      this.closing = undefined;
      this.change({ kind: 'stopped' });
    });
    this.change({ kind: 'stopping' });
    return this.stopping;
  }

  private get isStarting(): boolean {
    return this.starting?.abort.signal.aborted === false;
  }

  /** Begins an attempt, or joins the one in progress. @param early the planned restart that this attempt precedes. */
  private begin(request: Request, attemptNumber: number, early?: PlannedRestart): Promise<A> {
    this.cancelPlanned();
    if (this.live && !this.stopping) return Promise.resolve(this.live);
    if (this.starting && this.isStarting) {
      this.options.join(this.starting.request, request);
      return this.starting.done;
    }
    const abort = new AbortController();
    const done = this.run(request, abort, attemptNumber, early);
    this.starting = { done, abort, request };
    return done;
  }

  private async run(
    request: Request,
    abort: AbortController,
    attemptNumber: number,
    early: PlannedRestart | undefined,
  ): Promise<A> {
    // This await also ensures that the caller has set `starting` before the code below runs.
    await (this.stopping ?? this.leaving ?? Promise.resolve());
    const { signal } = abort;
    try {
      signal.throwIfAborted();
      this.change({ kind: 'starting', since: Date.now(), attempt: attemptNumber });
      const attempt = await this.options.open(request, signal);
      if (signal.aborted) {
        await attempt.close();
        throw signal.reason;
      }
      this.live = attempt;
      this.starting = undefined;
      this.change({ kind: 'running', since: Date.now() });
      attempt.whenClosed((reason) => this.ended(attempt, reason));
      return attempt;
    } catch (error) {
      if (this.starting?.abort === abort) this.starting = undefined;
      if (!signal.aborted) this.failed(error, attemptNumber, early);
      throw error;
    }
  }

  private failed(error: unknown, attemptNumber: number, early: PlannedRestart | undefined): void {
    const state = stateAfter(error);
    // If the start waits for the user, the planned restart is canceled, because it would wait for the user as well.
    if (state.kind !== 'failed') this.change(state);
    else if (early) this.plan(state.error, early.attemptNumber, Math.max(0, early.dueAt - this.clock.now()));
    // A failed first start is not retried automatically. A failed restart is, because the server worked before.
    else if (attemptNumber > 1 && this.options.mayComeBack?.(error))
      this.plan(state.error, attemptNumber + 1, this.backoff.nextMs());
    else this.change(state);
  }

  private async end(why: HostError | undefined): Promise<void> {
    const { live, starting } = this;
    this.live = undefined;
    this.starting = undefined;
    if (starting) {
      starting.abort.abort(new HostError('cancelled', 'The server was stopped while it started.'));
      // The aborted attempt releases its own resources, so its outcome is ignored.
      await starting.done.catch(() => undefined);
    }
    if (live) this.closing = live;
    await Promise.all([live?.close(why), this.leaving]);
  }

  /** Changes the state after the server ended by itself, and plans a restart if one is allowed. */
  private ended(attempt: A, reason: Error | undefined): void {
    if (this.live !== attempt) return;
    this.live = undefined;
    const error =
      reason ??
      new HostError('closed', 'MCP Deck closed the connection to the server.', { data: { by: 'host', why: 'host' } });
    if (isAuthRequired(error)) {
      // The server refuses all requests, and would refuse them after a restart as well, so no restart is planned.
      void attempt.close();
      this.change({ kind: 'needsSignIn', error });
      return;
    }
    const now = this.clock.now();
    this.crashes = [...this.crashes.filter((at) => now - at < crashWindowMs), now];
    if (this.crashes.length === 1) this.backoff.reset();
    this.leave(attempt);
    if (!this.options.restartsOnCrash()) {
      this.change({ kind: 'failed', error, at: Date.now() });
      return;
    }
    if (this.crashes.length >= maxCrashes) {
      this.change({
        kind: 'failed',
        error: new HostError(
          'exited',
          `${messageOf(error)} The server ended ${maxCrashes} times within ${crashWindowMs / 60_000} minutes, so MCP Deck does not start it again.`,
          {
            cause: error,
            data: {
              ...(error instanceof HostError ? error.data : {}),
              crashes: maxCrashes,
              minutes: crashWindowMs / 60_000,
            },
            hint: 'Look at the log of the server, and then start the server.',
          },
        ),
        at: Date.now(),
      });
      return;
    }
    this.plan(error, this.crashes.length + 1, this.backoff.nextMs());
  }

  /** Shuts down an ended instance. Until that is done, a start or stop waits. */
  private leave(attempt: A): void {
    this.closing = attempt;
    const leaving = attempt.close().finally(() => {
      this.leaving = undefined;
      if (this.closing === attempt) this.closing = undefined;
    });
    this.leaving = leaving;
  }

  private plan(error: Error, attemptNumber: number, waitMs: number): void {
    const timer = this.clock.after(waitMs, () => {
      this.planned = undefined;
      // The state shows that the restart failed, so the rejection is ignored.
      this.begin(this.options.automatic(), attemptNumber).catch(() => undefined);
    });
    this.planned = { timer, attemptNumber, dueAt: this.clock.now() + waitMs };
    this.change({ kind: 'failed', error, at: Date.now(), retryAt: Date.now() + waitMs });
  }

  private cancelPlanned(): void {
    this.planned?.timer.dispose();
    this.planned = undefined;
  }

  private change(state: ConnectionState): void {
    this.current = state;
    this.options.onDidChange(state);
  }
}

function stateAfter(error: unknown): ConnectionState {
  if (error instanceof HostError && error.code === 'not-trusted') return { kind: 'needsTrust', error };
  if (error instanceof HostError && error.code === 'needs-input') return { kind: 'needsInput', error };
  if (isAuthRequired(error)) return { kind: 'needsSignIn', error };
  if (isCancelled(error)) return { kind: 'stopped' };
  return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)), at: Date.now() };
}

function isAuthRequired(error: unknown): error is HostErrorWith<'auth-required'> {
  return error instanceof HostError && error.code === 'auth-required';
}

/** The state of a server. Times are epoch milliseconds. */
export type ConnectionState =
  | { kind: 'stopped' }
  /** Waiting for the user's approval of the definition, or for trust in the workspace; `error` states which. */
  | { kind: 'needsTrust'; error: HostErrorWith<'not-trusted'> }
  /** Approved, but waiting for the user to enter the value of the input that `error` names. */
  | { kind: 'needsInput'; error: HostErrorWith<'needs-input'> }
  /** Waiting for the user's sign-in; `error` is an `auth-required`. */
  | { kind: 'needsSignIn'; error: HostError }
  | {
      kind: 'starting';
      since: number;
      /** The number of the attempt; 1 for the first one. */ attempt: number;
      /** A possible reason why the server does not respond. */ remark?: Remark;
      /** Whether the user is asked for an approval or a value. */ isAsking?: boolean;
    }
  | { kind: 'running'; since: number }
  | { kind: 'stopping' }
  /** `retryAt` is set only while an automatic restart is planned. */
  | { kind: 'failed'; error: Error; at: number; retryAt?: number };

/** True while a process or socket may exist. */
export function isLive(state: ConnectionState): boolean {
  return state.kind === 'starting' || state.kind === 'running' || state.kind === 'stopping';
}
