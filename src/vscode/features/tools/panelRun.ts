import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { HostError, isCancelled } from '../../../core/base/hostError.js';
import type { HostApi } from '../../../core/catalog/hostApi.js';
import { CallLog, failedModel, runningModel, toolResultModel } from '../../../core/present/result/resultModel.js';
import { errorAnswer } from '../../../core/present/failure/failureFacts.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import type { CallFacts } from '../../../core/present/result/resultModel.js';
import { remarkText } from '../../../core/present/text/remarkText.js';
import type { Progress } from '../../../core/protocol/mcp.js';
import type { ResultModel } from '../../../shared/result/resultModel.js';
import type { Arguments } from '../../../shared/toolPanel.js';
import { concerning } from '../../ui/commandFunnel.js';
import { startVisibly } from '../../ui/pickTarget.js';
import type { FinishedRun } from '../../ui/runLog.js';
import type { ToolTarget } from '../../ui/pages.js';

/** Progress in a flood is shown this often. */
const newsMs = 100;

export type EndedPanelRun = Pick<FinishedRun, 'id' | 'arguments' | 'startedAt' | 'durationMs' | 'end'>;

/** One run of the panel's tool, from the click to the end; its model is sent to the page as it changes. */
export class PanelRun {
  /** What the page asks about a result names it. */
  readonly id = randomUUID();
  private readonly controller = new AbortController();
  private readonly started = performance.now();
  private readonly startedAt = Date.now();
  private readonly log = new CallLog();
  private progress: Progress | undefined;
  private ended: ResultModel | undefined;
  private news: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HostApi,
    private readonly target: ToolTarget,
    private readonly onChange: (model: ResultModel) => void,
    /** Notes the run where all runs are noted; tells which one of the tool came before. */
    private readonly note: (run: EndedPanelRun) => Pick<CallFacts, 'previous' | 'hasApp'>,
  ) {}

  get isRunning(): boolean {
    return this.ended === undefined;
  }

  get model(): ResultModel {
    return this.ended ?? runningModel(this.id, this.startedAt, this.progress, this.log);
  }

  /** Resolves when the run has ended, well or not; never rejects. */
  async run(values: Arguments): Promise<void> {
    this.onChange(this.model);
    const problems: string[] = [];
    try {
      // Asks for trust where that is missing: it was the user's click that led here.
      await startVisibly(this.host, this.target.server, this.controller.signal);
      const call = { ...this.target, arguments: values };
      const result = await concerning(
        this.target.server,
        this.host.runTool(call, {
          interactive: true,
          caller: 'user',
          signal: this.controller.signal,
          onProgress: (progress) => {
            this.progress = progress;
            this.tellSoon();
          },
          onLog: (line) => {
            this.log.add(line);
            this.tellSoon();
          },
          onRemark: (remark) => {
            this.log.add({ level: 'warning', text: remarkText(remark, vscode.l10n.t).what });
            this.tellSoon();
          },
          onOutputProblems: (found) => problems.push(...found),
        }),
      );
      const facts = this.facts(values);
      this.end(toolResultModel(result, { ...facts, ...this.noteEnd(values, facts, { result }), problems }, vscode.l10n.t));
    } catch (error) {
      const failure = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server: this.target.server }, vscode.l10n.t);
      const facts = this.facts(values);
      const end = { message: failure?.text ?? vscode.l10n.t('Cancelled'), isCancelled: isCancelled(error), response: errorAnswer(error) };
      this.noteEnd(values, facts, end);
      this.end(failedModel(facts, end));
    }
  }

  cancel(): void {
    this.controller.abort(new HostError('cancelled', 'The run was cancelled.'));
  }

  private noteEnd(values: Arguments, { durationMs }: { durationMs: number }, end: EndedPanelRun['end']): Pick<CallFacts, 'previous' | 'hasApp'> {
    return this.note({ id: this.id, arguments: values, startedAt: this.startedAt, durationMs, end });
  }

  private facts(values: Arguments): CallFacts & { durationMs: number } {
    const request = { method: 'tools/call', params: { name: this.target.tool, arguments: values } };
    return { id: this.id, request, durationMs: performance.now() - this.started, log: this.log };
  }

  private tellSoon(): void {
    if (!this.isRunning) return;
    this.news ??= setTimeout(() => {
      this.news = undefined;
      this.onChange(this.model);
    }, newsMs);
  }

  private end(model: ResultModel): void {
    clearTimeout(this.news);
    this.ended = model;
    this.onChange(model);
  }
}
