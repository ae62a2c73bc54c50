import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { HostError, isCancelled } from '../../core/base/hostError.js';
import type { CallOptions, HostApi } from '../../core/catalog/hostApi.js';
import { errorAnswer } from '../../core/present/failure/failureFacts.js';
import { failureMessage } from '../../core/present/failure/failureText.js';
import type { CallFacts } from '../../core/present/result/resultModel.js';
import { failedModel, runningModel } from '../../core/present/result/resultModel.js';
import type { Progress } from '../../core/protocol/mcp.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { PageTarget } from '../../shared/toolPanel.js';
import { concerning } from './commandFunnel.js';
import { startVisibly } from './pickTarget.js';

export interface ItemRunOptions<Result> {
  host: HostApi;
  target: PageTarget;
  /** What is sent, for who looks at it. */
  request: { method: string; params: object };
  perform: (options: CallOptions) => Promise<Result>;
  /** What the page shows of a result; undefined: nothing. */
  present: (result: Result, facts: CallFacts) => ResultModel | undefined;
  onChange: (model: ResultModel | undefined) => void;
}

/** What a page asked of its server, on its way, and then here. */
export class ItemRun<Result> {
  /** What the page asks about the result names it. */
  readonly id = randomUUID();
  readonly target: PageTarget;
  readonly request: ItemRunOptions<Result>['request'];
  /** Whole, once it came. */
  result: Result | undefined;
  /** What the server answered instead of a result, as it came. */
  response: unknown;
  model: ResultModel | undefined;
  private readonly controller = new AbortController();
  private readonly started = performance.now();

  constructor(private readonly options: ItemRunOptions<Result>) {
    ({ target: this.target, request: this.request } = options);
  }

  get isRunning(): boolean {
    return this.model?.kind === 'running';
  }

  /** Resolves when it has ended, well or not; never rejects. */
  async run(): Promise<void> {
    const { host, target, perform, present } = this.options;
    const { server } = target;
    const startedAt = Date.now();
    const onProgress = (progress?: Progress) => this.tell(runningModel(this.id, startedAt, progress));
    onProgress();
    try {
      await startVisibly(host, server, this.controller.signal);
      this.result = await concerning(server, perform({ interactive: true, signal: this.controller.signal, onProgress }));
      this.tell(present(this.result, this.facts()));
    } catch (error) {
      const failure = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server }, vscode.l10n.t);
      this.response = errorAnswer(error);
      this.tell(failedModel(this.facts(), { message: failure?.text ?? vscode.l10n.t('Cancelled'), isCancelled: isCancelled(error), response: this.response }));
    }
  }

  cancel(): void {
    this.controller.abort(new HostError('cancelled', 'The request was cancelled.'));
  }

  private facts(): CallFacts {
    return { id: this.id, request: this.request, durationMs: performance.now() - this.started };
  }

  private tell(model: ResultModel | undefined): void {
    this.model = model;
    this.options.onChange(model);
  }
}
