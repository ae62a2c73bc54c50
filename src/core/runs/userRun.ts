/**
 * One run that a user, or something acting for them, asked for: from the request to its end. Every place that runs something
 * makes one, subscribes to it and draws what it reports; the life cycle itself is here alone.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import type { CallLogLine, ToolCallOptions } from '../catalog/hostApi.js';
import type { Progress } from '../protocol/mcp.js';
import type { DoneResult } from '../../shared/result/resultModel.js';

/**
 * The options of a call that report to the run. `perform` passes on those whose events are shown: the host takes a remark that
 * it could tell for shown, and asks the server for progress only where somebody listens.
 */
export type RunReports = Required<
  Pick<ToolCallOptions, 'signal' | 'onProgress' | 'onLog' | 'onRemark' | 'onAsk' | 'onOutputProblems'>
>;

/** What the record of a run answers: which run of the same tool came before. */
export interface Recorded {
  previous?: DoneResult['previous'];
}

/** How a run ended; `durationMs` is from the making of the run to its end. */
export type RunEnd<Result> = { durationMs: number } & (
  | {
      kind: 'done';
      result: Result;
      /** What does not fit the output schema, each a sentence. */
      problems: readonly string[];
      /** The error that carried the result, where the call rejected with one. */
      error?: unknown;
    }
  | { kind: 'failed' | 'cancelled'; error: unknown }
);

/** `starting`: not begun yet, or `start` is at work. */
export type RunState<Result> = { kind: 'starting' } | { kind: 'running' } | RunEnd<Result>;

/** What changed. `waiting`: the call waits for the user's approval. The change to an end is the last one. */
export type RunChange =
  | { kind: 'state' }
  | { kind: 'waiting' }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'line'; line: CallLogLine }
  | { kind: 'remark'; remark: Remark }
  | { kind: 'problems'; problems: readonly string[] };

export interface UserRunOptions<Result> {
  /** What has to happen before the call, e.g. the start of the server. Default: nothing. */
  start?: (signal: AbortSignal) => Promise<void>;
  /** The call itself. */
  perform: (reports: RunReports) => Promise<Result>;
  /** Keeps the run. Called once, with the end, before the last change is reported. Default: the run is not kept. */
  record?: (end: RunEnd<Result>) => Recorded;
  /** Receives what `record` threw. Default: rethrown from a timer, so that it is never lost. */
  onRecordError?: (error: unknown) => void;
  /** The result that an error carries; undefined where it carries none. Default: none does. */
  resultIn?: (error: unknown) => { result: Result; problems: readonly string[] } | undefined;
  /** Said of a canceled run. Default: "The run was canceled." */
  cancelText?: string;
  /** Default: the machine's own. */
  clock?: Clock;
}

export class UserRun<Result> {
  /** Unique, made of letters, digits and dashes. */
  readonly id: string = randomUUID();
  /** Milliseconds since the epoch. */
  readonly startedAt = Date.now();
  private readonly changed = new Emitter<RunChange>();
  /** Nothing is reported after the end. */
  readonly onDidChange = this.changed.event;
  private readonly controller = new AbortController();
  private readonly clock: Clock;
  private readonly since: number;
  private readonly found: string[] = [];
  private now: RunState<Result> = { kind: 'starting' };
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

  /** How the run ended; undefined before. */
  get outcome(): RunEnd<Result> | undefined {
    return this.now.kind === 'starting' || this.now.kind === 'running' ? undefined : this.now;
  }

  /** The last that the server reported. */
  get progress(): Progress | undefined {
    return this.latest;
  }

  /** What the record answered; empty before the end. */
  get recorded(): Recorded {
    return this.kept;
  }

  /** Begins the run and resolves with its end; never rejects. A second call joins the first. */
  run(): Promise<RunEnd<Result>> {
    return (this.running ??= this.perform());
  }

  /**
   * Ends the run as canceled, also before it begins. Does nothing after its end. @param reason default: a
   * `HostError` `cancelled`.
   */
  cancel(reason: unknown = new HostError('cancelled', this.options.cancelText ?? 'The run was cancelled.')): void {
    if (!this.outcome) this.controller.abort(reason);
  }

  /** Cancels the run when `signal` is aborted, with its reason. */
  cancelWith(signal: AbortSignal): void {
    if (signal.aborted) this.cancel(signal.reason);
    else signal.addEventListener('abort', () => this.cancel(signal.reason), { once: true });
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
          : { kind: isCancelled(error) ? 'cancelled' : 'failed', error, durationMs },
      );
    }
  }

  private elapsedMs(): number {
    return this.clock.now() - this.since;
  }

  private reports(): RunReports {
    return {
      signal: this.controller.signal,
      onProgress: (progress) => this.tell({ kind: 'progress', progress }, () => (this.latest = progress)),
      onLog: (line) => this.tell({ kind: 'line', line }),
      onRemark: (remark) => this.tell({ kind: 'remark', remark }),
      onAsk: () => this.tell({ kind: 'waiting' }),
      onOutputProblems: (problems) => this.tell({ kind: 'problems', problems }, () => this.found.push(...problems)),
    };
  }

  private tell(change: RunChange, note?: () => void): void {
    if (this.outcome) return;
    note?.();
    this.changed.fire(change);
  }

  private end(end: RunEnd<Result>): RunEnd<Result> {
    this.now = end;
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

/** The result of a run; throws the error of one that has none, or whose result came as an error. */
export function resultOf<Result>(end: RunEnd<Result>): Result {
  if (end.kind === 'done' && end.error === undefined) return end.result;
  throw end.error;
}

function rethrowLater(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}
