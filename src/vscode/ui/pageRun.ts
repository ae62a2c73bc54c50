import { errorAnswer } from '../../core/present/failure/failureFacts.js';
import type { ResultDetails } from '../../core/present/result/makeResultModel.js';
import { CallLog, failedModel, runningModel } from '../../core/present/result/makeResultModel.js';
import { remarkText } from '../../core/present/text/remarkText.js';
import type { RunChange, RunEnd, UserRun } from '../../core/runs/userRun.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { PageTarget } from '../../shared/panel/pageTarget.js';
import type { Waits } from '../../core/requests/requestOwners.js';
import { failedEnd } from './toolRun.js';

/** Minimum time between two updates of a running call on the page, in milliseconds. */
const newsMs = 100;

export interface PageRunOptions<Result> {
  target: PageTarget;
  /** The request that is sent. The page can show it. */
  request: { method: string; params: object };
  /** Converts a result to the model that the page shows. Undefined hides the result area. */
  present: (result: Result, facts: ResultDetails) => ResultModel | undefined;
  onChange: (model: ResultModel | undefined) => void;
  /** The requests that the user must answer before the run can continue. Default: none. */
  waits?: Waits;
}

/** Converts the state of a run to the model that a page shows. Reports each change. */
export class PageRun<Result> {
  readonly target: PageTarget;
  readonly request: PageRunOptions<Result>['request'];
  model: ResultModel | undefined;
  private readonly log = new CallLog();
  private news: NodeJS.Timeout | undefined;
  private readonly stopWaiting: () => void;

  constructor(
    private readonly run: UserRun<Result>,
    private readonly options: PageRunOptions<Result>,
  ) {
    ({ target: this.target, request: this.request } = options);
    run.onDidChange((change) => this.changed(change));
    const listener = options.waits?.onDidChange(() => this.later());
    this.stopWaiting = () => listener?.dispose();
  }

  /** The ID by which the page refers to this run. */
  get id(): string {
    return this.run.id;
  }

  get isRunning(): boolean {
    return this.run.outcome === undefined;
  }

  /** The complete result, after it has arrived. */
  get result(): Result | undefined {
    const { outcome } = this.run;
    return outcome?.kind === 'done' ? outcome.result : undefined;
  }

  /** The raw response of the server, if it is not a result. */
  get response(): unknown {
    const { outcome } = this.run;
    return outcome && outcome.kind !== 'done' ? errorAnswer(outcome.error) : undefined;
  }

  /** Resolves when the run has ended, whether it succeeded or failed. Never rejects. */
  async begin(): Promise<void> {
    this.update(this.runningModel());
    await this.run.run();
  }

  cancel(): void {
    this.run.cancel();
  }

  private changed(change: RunChange): void {
    const { outcome } = this.run;
    if (outcome) this.end(outcome);
    else {
      if (change.kind === 'line') this.log.add(change.line);
      if (change.kind === 'remark') this.log.add({ level: 'warning', text: remarkText(change.remark).what });
      this.later();
    }
  }

  private later(): void {
    if (this.isRunning) this.news ??= setTimeout(() => this.update(this.runningModel()), newsMs);
  }

  private end(end: RunEnd<Result>): void {
    this.stopWaiting();
    const { id, request, log } = this;
    const facts: ResultDetails = { id, request, log, durationMs: end.durationMs, ...this.run.recorded };
    this.update(this.endModel(end, facts));
  }

  /** A result that cannot be presented is shown as a failure. */
  private endModel(end: RunEnd<Result>, facts: ResultDetails): ResultModel | undefined {
    const { server } = this.target;
    if (end.kind !== 'done') return failedModel(facts, failedEnd(end, server));
    try {
      return this.options.present(end.result, { ...facts, problems: end.problems });
    } catch (error) {
      return failedModel(facts, failedEnd({ kind: 'failed', error }, server));
    }
  }

  private runningModel(): ResultModel {
    const request = this.options.waits?.first()?.id;
    const waiting = request === undefined ? (this.run.isAsking ? {} : undefined) : { request };
    return runningModel(this.id, this.run.startedAt, this.run.progress, this.log, waiting);
  }

  private update(model: ResultModel | undefined): void {
    clearTimeout(this.news);
    this.news = undefined;
    this.model = model;
    this.options.onChange(model);
  }
}
