import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { HostError, isCancelled } from '../../../core/base/hostError.js';
import type { HostApi } from '../../../core/catalog/hostApi.js';
import { failureMessage } from '../../../core/present/failureText.js';
import { failedModel, promptModel, runningModel } from '../../../core/present/resultModel.js';
import type { GetPromptResult, Progress } from '../../../core/protocol/mcp.js';
import type { ResultModel } from '../../../shared/result/resultModel.js';
import { concerning } from '../../commandFunnel.js';
import { startVisibly } from '../../commands/pickTarget.js';

export interface PromptTarget {
  server: string;
  /** Name of the prompt. */
  tool: string;
}

/** A prompt's messages on their way, and then here. */
export class PromptRun {
  /** What the page asks about the messages names it. */
  readonly id = randomUUID();
  readonly request: { method: string; params: object };
  /** Whole, once it came. */
  result: GetPromptResult | undefined;
  model: ResultModel;
  private readonly controller = new AbortController();
  private readonly started = performance.now();

  constructor(
    private readonly host: HostApi,
    readonly target: PromptTarget,
    private readonly values: Record<string, string>,
    private readonly onChange: (model: ResultModel) => void,
  ) {
    this.request = { method: 'prompts/get', params: { name: target.tool, arguments: values } };
    this.model = runningModel(this.id, Date.now(), undefined);
  }

  /** Resolves when it has ended, well or not; never rejects. */
  async run(): Promise<void> {
    const { server, tool } = this.target;
    const startedAt = Date.now();
    this.tell(this.model);
    try {
      await startVisibly(this.host, server, this.controller.signal);
      const onProgress = (progress: Progress) => this.tell(runningModel(this.id, startedAt, progress));
      this.result = await concerning(server, this.host.getPrompt({ server, prompt: tool, arguments: this.values }, { interactive: true, signal: this.controller.signal, onProgress }));
      this.tell(promptModel(this.result, this.facts(), vscode.l10n.t));
    } catch (error) {
      const failure = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server }, vscode.l10n.t);
      this.tell(failedModel(this.facts(), { message: failure?.text ?? vscode.l10n.t('Cancelled'), isCancelled: isCancelled(error) }));
    }
  }

  cancel(): void {
    this.controller.abort(new HostError('cancelled', 'The prompt was cancelled.'));
  }

  private facts(): { id: string; request: unknown; durationMs: number } {
    return { id: this.id, request: this.request, durationMs: performance.now() - this.started };
  }

  private tell(model: ResultModel): void {
    this.model = model;
    this.onChange(model);
  }
}
