/**
 * Finds the caller that a message of a server belongs to. One session can contain calls of several callers, and neither
 * a request of a server in the legacy era nor a log message names its call. So calls that can cause such a request run
 * for one caller at a time: calls of subjects that have caused one before, and the first call of each subject. A
 * subject is a method with the name or URI that is called. All other calls run concurrently. A message that could
 * belong to two callers is given to neither of them.
 */
import { boundedKey } from '../base/boundedKey.js';
import type { CallSignal } from '../base/lightAbort.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { UserError } from '../base/hostError.js';
import { LiveSet } from '../base/liveSet.js';
import type { ClientCapabilities, LogMessage, LoggingLevel } from '../protocol/mcp.js';
import type { CallerLife } from '../base/callerLife.js';
import type { ServerRequestHandlers } from './serverRequests.js';

/** The caller of a request other than the host, such as a client of the gateway, and how it receives messages. */
export interface CallOrigin {
  /** Identifies the caller, by object identity. */
  readonly caller: object;
  /**
   * Identifies the client across its calls. For a client without sessions, `caller` differs in each call, but `life`
   * does not. Default: the host.
   */
  readonly life?: CallerLife;
  /**
   * Answers the requests that the server sends during this call. A function receives the handlers of the host, for
   * requests that the caller cannot answer.
   */
  readonly handlers: ServerRequestHandlers | ((ofHost: ServerRequestHandlers) => ServerRequestHandlers);
  /** The requests that the caller can answer, as capabilities; default: all. */
  readonly capabilities?: ClientCapabilities | undefined;
  /** The level of log messages that the caller asked for; undefined if it did not ask. */
  readonly logLevel?: LoggingLevel | undefined;
  onLog?(message: LogMessage): void;
}

/**
 * Maximum time that the first call of a subject waits for other callers, or blocks them while the server sends nothing,
 * in milliseconds.
 */
const patienceMs = 5_000;

/** Maximum number of subjects that are remembered. */
const maxSubjects = 10_000;

/** Maximum time that a call waits for calls of other callers that may cause requests, in milliseconds. */
const maxTurnMs = 30_000;

type MessageKind = 'request' | 'log';

interface Active {
  origin: CallOrigin;
  subject: string;
  /** Whether calls of other callers must wait for this call if they could cause messages as well. */
  isAlone: boolean;
  /** Whether the call could cause a request of the server. Unlike `isAlone`, this does not depend on other calls. */
  mayAsk: boolean;
  hasCaused: boolean;
}

export class CallOrigins {
  private readonly active = new LiveSet<Active>();
  /**
   * The kinds of messages that calls of a subject have caused. Absent until a call of the subject has ended, caused a
   * message, or kept others waiting for `patienceMs`.
   */
  private readonly known = new Map<string, Set<MessageKind>>();
  /** Subjects of calls that ran together when a request arrived, so that each of them may have caused it. */
  private readonly suspected = new Set<string>();
  private readonly queue: (() => void)[] = [];
  private patience: Disposable | undefined;

  /**
   * @param areRequestsNamed whether a request of the server names the call that it belongs to, as in 2026-07-28. Then
   * only log messages need to be assigned to a caller.
   */
  constructor(
    private readonly clock: Clock,
    private readonly areRequestsNamed = false,
  ) {}

  /** Runs a call for a caller. @param name the method and the name or URI that is called. */
  async run<T>(origin: CallOrigin, name: string, signal: CallSignal | undefined, send: () => Promise<T>): Promise<T> {
    const subject = boundedKey(name);
    const mayAsk = !this.areRequestsNamed && this.mayCause('request', subject);
    const isAlone = mayAsk || (origin.logLevel !== undefined && this.mayCause('log', subject));
    // The first call of a subject probably causes no request, so it waits for other callers only for `patienceMs`.
    const isUnknown = !this.known.has(subject);
    const until = this.clock.now() + (isUnknown ? patienceMs : maxTurnMs);
    while (isAlone && this.isTaken(origin)) {
      const left = until - this.clock.now();
      if (left <= 0 && mayAsk && !isUnknown) throw isBusy();
      // From here on, messages that could belong to two callers are given to neither, which is better than refusing the
      // call.
      if (left <= 0) break;
      await this.turn(signal, left);
    }
    const call: Active = { origin, subject, isAlone: isAlone && !this.isTaken(origin), mayAsk, hasCaused: false };
    const remove = this.active.add(call);
    try {
      return await send();
    } finally {
      remove();
      if (!this.known.has(subject)) this.remember(subject);
      if (call.isAlone && !call.hasCaused && this.suspected.delete(subject)) this.known.get(subject)?.delete('request');
      for (const resume of this.queue.splice(0)) resume();
    }
  }

  /**
   * The origin of a message that the server sends now; undefined if it could belong to the calls of two callers, or to
   * none.
   */
  current(kind: MessageKind): CallOrigin | undefined {
    const active = this.active.items();
    const candidates = active.filter(({ subject, mayAsk }) => (kind === 'log' ? this.mayCause(kind, subject) : mayAsk));
    const calls = candidates.length > 0 ? candidates : active;
    const [first] = calls;
    const isClear = first !== undefined && calls.every(({ origin }) => origin.caller === first.origin.caller);
    for (const call of calls) {
      if (kind === 'request') {
        call.hasCaused = true;
        if (isClear) this.suspected.delete(call.subject);
        else if (this.known.get(call.subject)?.has(kind) !== true) this.suspected.add(call.subject);
      }
      this.remember(call.subject, kind);
    }
    return isClear ? first.origin : undefined;
  }

  private mayCause(kind: MessageKind, subject: string): boolean {
    return this.known.get(subject)?.has(kind) ?? true;
  }

  private remember(subject: string, kind?: MessageKind): void {
    if (this.known.size >= maxSubjects && !this.known.has(subject)) {
      this.known.clear();
      this.suspected.clear();
    }
    const kinds = this.known.get(subject) ?? new Set();
    if (kind !== undefined) kinds.add(kind);
    this.known.set(subject, kinds);
  }

  private isTaken({ caller }: CallOrigin): boolean {
    return this.active.items().some(({ isAlone, origin }) => isAlone && origin.caller !== caller);
  }

  /** Resolves when a call has ended, when a call no longer keeps others waiting, or after `maxMs`. */
  private turn(signal: CallSignal | undefined, maxMs: number): Promise<void> {
    this.patience ??= this.clock.after(patienceMs, () => this.letOthersRun());
    return new Promise<void>((resolve, reject) => {
      const limit = this.clock.after(maxMs, () => {
        this.leave(resume);
        resume();
      });
      const resume = () => {
        limit.dispose();
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        limit.dispose();
        this.leave(resume);
        reject(signal?.reason);
      };
      if (signal?.aborted === true) {
        limit.dispose();
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queue.push(resume);
    });
  }

  private leave(resume: () => void): void {
    const at = this.queue.indexOf(resume);
    if (at !== -1) this.queue.splice(at, 1);
  }

  private letOthersRun(): void {
    this.patience = undefined;
    for (const call of this.active.items()) {
      if (this.known.has(call.subject)) continue;
      call.isAlone = false;
      this.remember(call.subject);
    }
    for (const resume of this.queue.splice(0)) resume();
  }
}

function isBusy(): UserError {
  return new UserError(
    'A call of another client is still running, and the requests of this server do not say which call they belong to. ' +
      'Try again later, or set "sharing" of the server to "perCaller".',
  );
}
