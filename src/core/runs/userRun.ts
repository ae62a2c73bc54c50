/**
 * One run that the user, or a caller that acts for them, requested. It covers the time from the request to the end.
 * Every feature that runs something creates a `UserRun`, subscribes to it and shows its reports; the life cycle is
 * implemented only here.
 */
import type { CallSignal } from '../base/lightAbort.js';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { Emitter } from '../base/event.js';
import { isObject, isStringArray } from '../base/guards.js';
import { HostError, isCancelled } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import type { CallLogLine, ToolCallOptions } from '../catalog/hostTypes.js';
import type { CallToolResult, Progress } from '../protocol/mcp.js';
import type { DoneResult } from '../../shared/result/resultModel.js';

/**
 * The options of a call that report to the run. `perform` passes on only the options whose events the caller shows.
 * Otherwise the host would consider its remarks shown, and would ask the server for progress that is not shown.
 */
export type RunReports = Required<
  Pick<ToolCallOptions, 'signal' | 'onProgress' | 'onLog' | 'onRemark' | 'onAsk' | 'onOutputProblems'>
>;

/** The result of `record`: the previous run of the same tool. */
export interface Recorded {
  previous?: DoneResult['previous'];
}

/** How a run ended; `durationMs` is the time from the creation of the run to its end. */
export type RunEnd<Result> = { durationMs: number } & (
  | {
      kind: 'done';
      result: Result;
      /** The problems of a result that does not match the output schema, one sentence each. */
      problems: readonly string[];
      /** The error that contained the result, if the call rejected with one. */
      error?: unknown;
    }
  | {
      kind: 'failed' | 'cancelled';
      error: unknown;
      /** True if the call ended before it was sent: during the start of the server, or because it was not allowed. */
      isUnsent?: true;
    }
);

/** `starting` means that the run has not begun, or that `start` is in progress. */
export type RunState<Result> = { kind: 'starting' } | { kind: 'running' } | RunEnd<Result>;

/**
 * A change of a run. `waiting`: the call begins or stops waiting for the user's approval. The change to an end state is
 * the last one.
 */
export type RunChange =
  | { kind: 'state' }
  | { kind: 'waiting'; isWaiting: boolean }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'line'; line: CallLogLine }
  | { kind: 'remark'; remark: Remark }
  | { kind: 'problems'; problems: readonly string[] };

export interface UserRunOptions<Result> {
  /** The work that precedes the call, e.g. the start of the server. Default: none. */
  start?: (signal: AbortSignal) => Promise<void>;
  /** The call itself. */
  perform: (reports: RunReports) => Promise<Result>;
  /** Stores the run. Called once with the end, before the last change is reported. Default: the run is not stored. */
  record?: (end: RunEnd<Result>) => Recorded;
  /** Receives an error of `record`. Default: rethrown from a timer, so that it is never lost. */
  onRecordError?: (error: unknown) => void;
  /** The result that an error contains; undefined if it contains none. Default: always undefined. */
  resultIn?: (error: unknown) => { result: Result; problems: readonly string[] } | undefined;
  /** The message of a canceled run. Default: "The run was canceled." */
  cancelText?: string;
  /** The clock for durations; default: the system clock. */
  clock?: Clock;
}

export class UserRun<Result> {
  /** Unique; consists of letters, digits and dashes. */
  readonly id: string = randomUUID();
  /** Milliseconds since the epoch. */
  readonly startedAt = Date.now();
  private readonly changed = new Emitter<RunChange>();
  /** Never fired after the end. */
  readonly onDidChange = this.changed.event;
  private readonly controller = new AbortController();
  private readonly clock: Clock;
  private readonly since: number;
  private readonly found: string[] = [];
  /** Functions that remove the listeners of the signals that cancel the run. */
  private readonly followed: (() => void)[] = [];
  private now: RunState<Result> = { kind: 'starting' };
  private asking = false;
  private latest: Progress | undefined;
  private kept: Recorded = {};
  private running: Promise<RunEnd<Result>> | undefined;

  constructor(private readonly options: UserRunOptions<Result>) {
    this.clock = options.clock ?? systemClock;
    this.since = this.clock.now();
  }

  get state(): RunState<Result> {
    return this.now;
  }

  /** The end of the run; undefined before it has ended. */
  get outcome(): RunEnd<Result> | undefined {
    return this.now.kind === 'starting' || this.now.kind === 'running' ? undefined : this.now;
  }

  /** Whether the call waits for the user's approval. */
  get isAsking(): boolean {
    return this.asking && !this.outcome;
  }

  /** The latest progress report of the server. */
  get progress(): Progress | undefined {
    return this.latest;
  }

  /** The result of `record`; empty before the end. */
  get recorded(): Recorded {
    return this.kept;
  }

  /** Begins the run and resolves with its end; never rejects. A second call joins the first. */
  run(): Promise<RunEnd<Result>> {
    return (this.running ??= this.perform());
  }

  /**
   * Ends the run as canceled, even before it begins. Does nothing after the run has ended.
   * @param reason default: a `HostError` `cancelled`.
   */
  cancel(reason: unknown = new HostError('cancelled', this.options.cancelText ?? 'The run was canceled.')): void {
    if (!this.outcome) this.controller.abort(reason);
  }

  /** Cancels the run when `signal` is aborted. The reason of the signal is the reason of the cancellation. */
  cancelWith(signal: CallSignal): void {
    if (signal.aborted) this.cancel(signal.reason);
    if (signal.aborted || this.outcome) return;
    const abort = () => this.cancel(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    // The signal of a chat outlives its runs, so their listeners would accumulate.
    this.followed.push(() => signal.removeEventListener('abort', abort));
  }

  private async perform(): Promise<RunEnd<Result>> {
    const { start, perform, resultIn } = this.options;
    const { signal } = this.controller;
    try {
      signal.throwIfAborted();
      if (start) {
        await start(signal);
        signal.throwIfAborted();
      }
      this.now = { kind: 'running' };
      this.changed.fire({ kind: 'state' });
      const result = await perform(this.reports());
      return this.end({ kind: 'done', result, problems: this.found, durationMs: this.elapsedMs() });
    } catch (error) {
      const durationMs = this.elapsedMs();
      const carried = resultIn?.(error);
      return this.end(
        carried
          ? { kind: 'done', ...carried, error, durationMs }
          : {
              kind: isCancelled(error) ? 'cancelled' : 'failed',
              error,
              ...(this.now.kind === 'starting' || isNotAllowed(error) ? { isUnsent: true } : {}),
              durationMs,
            },
      );
    }
  }

  private elapsedMs(): number {
    return this.clock.now() - this.since;
  }

  private reports(): RunReports {
    return {
      signal: this.controller.signal,
      onProgress: (progress) => this.report({ kind: 'progress', progress }, () => (this.latest = progress)),
      onLog: (line) => this.report({ kind: 'line', line }),
      onRemark: (remark) => this.report({ kind: 'remark', remark }),
      onAsk: (isWaiting) => this.report({ kind: 'waiting', isWaiting }, () => (this.asking = isWaiting)),
      onOutputProblems: (problems) => this.report({ kind: 'problems', problems }, () => this.found.push(...problems)),
    };
  }

  private report(change: RunChange, note?: () => void): void {
    if (this.outcome) return;
    note?.();
    this.changed.fire(change);
  }

  private end(end: RunEnd<Result>): RunEnd<Result> {
    this.now = end;
    for (const remove of this.followed) remove();
    this.kept = this.recordOf(end);
    this.changed.fire({ kind: 'state' });
    this.changed.dispose();
    return end;
  }

  private recordOf(end: RunEnd<Result>): Recorded {
    try {
      return this.options.record?.(end) ?? {};
    } catch (error) {
      (this.options.onRecordError ?? rethrowLater)(error);
      return {};
    }
  }
}

/** The result of a run. Throws the error if there is no result, or if the result was part of an error. */
export function resultOf<Result>(end: RunEnd<Result>): Result {
  if (end.kind === 'done' && end.error === undefined) return end.result;
  throw end.error;
}

/** Whether the error means that a call was not sent, because the user, a rule or the quarantine prevented it. */
function isNotAllowed(error: unknown): boolean {
  if (!(error instanceof HostError)) return false;
  return (
    error.code === 'call-refused' ||
    error.code === 'tool-changed' ||
    (error.code === 'cancelled' && error.data.isUnanswered === true)
  );
}

function rethrowLater(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}

/**
 * The result and the problems that an error contains, if the tool responded but its structured content does not match
 * its output schema (MCP 2025-11-25, server/tools, output schema). Undefined for every other error.
 */
export function outputMisfit(error: unknown): { result: CallToolResult; problems: string[] } | undefined {
  if (!(error instanceof HostError) || error.code !== 'invalid-message') return undefined;
  const { result, problems } = error.data;
  return isObject(result) && Array.isArray(result['content']) && isStringArray(problems)
    ? { result: result as unknown as CallToolResult, problems }
    : undefined;
}
