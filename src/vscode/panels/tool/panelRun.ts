import * as vscode from 'vscode';
import { HostError, isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { HostApi } from '../../../core/catalog/hostApi.js';
import { failureMessage } from '../../../core/present/failureText.js';
import { presentToolResult } from '../../../core/present/toolResult.js';
import type { PresentedResult } from '../../../core/present/toolResult.js';
import type { Arguments, PanelAction, RunView } from '../../../shared/toolPanel.js';
import { concerning } from '../../commandFunnel.js';
import { startVisibly } from '../../commands/pickTarget.js';

/** Lines of the server's log that are kept of one run, the latest. */
const maxLogLines = 500;
/** Progress in a flood is shown this often. */
const newsMs = 100;
const maxText = 200_000;

/** One run of the panel's tool, from the click to the end; its view is sent to the page as it changes. */
export class PanelRun {
  presented: PresentedResult | undefined;
  private readonly controller = new AbortController();
  private readonly started = performance.now();
  private readonly log: string[] = [];
  private progress: { text: string; fraction?: number } | undefined;
  private ended: RunView | undefined;
  private news: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HostApi,
    private readonly target: { server: string; tool: string },
    private readonly onChange: (view: RunView) => void,
  ) {}

  get isRunning(): boolean {
    return this.ended === undefined;
  }

  get view(): RunView {
    return this.ended ?? { kind: 'running', elapsedMs: this.elapsedMs, ...(this.progress ? { progress: this.progress } : {}), log: [...this.log] };
  }

  /** Resolves when the run has ended, well or not; never rejects. */
  async run(values: Arguments): Promise<void> {
    this.onChange(this.view);
    try {
      // Asks for trust where that is missing: it was the user's click that led here.
      await startVisibly(this.host, this.target.server);
      const problems: string[] = [];
      const result = await concerning(
        this.target.server,
        this.host.runTool(
          { ...this.target, arguments: values },
          {
            signal: this.controller.signal,
            onProgress: ({ progress, total, message }) => {
              const hasTotal = total !== undefined && total > 0;
              const words = message === undefined ? '' : visibleLine(message, 200);
              this.progress = { text: words !== '' ? words : hasTotal ? `${progress} / ${total}` : String(progress), ...(hasTotal ? { fraction: Math.min(1, Math.max(0, progress / total)) } : {}) };
              this.tellSoon();
            },
            onLog: (line) => {
              this.log.push(visibleLine(line, 2_000));
              if (this.log.length > maxLogLines) this.log.shift();
              this.tellSoon();
            },
            onOutputProblems: (found) => problems.push(...found),
          },
        ),
      );
      const notes = problems.length > 0 ? [vscode.l10n.t('WARNING: the structured content does not fit the output schema of the tool: {0}.', problems.slice(0, 5).map((problem) => visibleLine(problem)).join('; '))] : [];
      this.presented = presentToolResult(result, { ...this.target, notes }, vscode.l10n.t);
      this.end({ kind: 'done', isError: result.isError === true, text: firstPart(this.presented), durationMs: this.elapsedMs, log: [...this.log] });
    } catch (error) {
      this.end({ kind: 'failed', isCancelled: isCancelled(error), ...this.words(error), durationMs: this.elapsedMs, log: [...this.log] });
    }
  }

  cancel(): void {
    this.controller.abort(new HostError('cancelled', 'The run was cancelled.'));
  }

  private get elapsedMs(): number {
    return performance.now() - this.started;
  }

  private words(error: unknown): { message: string; actions: { action: PanelAction; title: string }[] } {
    const message = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server: this.target.server }, vscode.l10n.t);
    if (!message) return { message: vscode.l10n.t('Cancelled'), actions: [] };
    const titles: Partial<Record<string, { action: PanelAction; title: string }>> = {
      showLog: { action: 'showLog', title: vscode.l10n.t('Show Log') },
      restartServer: { action: 'restartServer', title: vscode.l10n.t('Restart Server') },
      startServer: { action: 'startServer', title: vscode.l10n.t('Start Server') },
      reviewTrust: { action: 'reviewTrust', title: vscode.l10n.t('Review…') },
    };
    return { message: message.text, actions: message.actions.flatMap((action) => titles[action] ?? []) };
  }

  private tellSoon(): void {
    if (!this.isRunning) return;
    this.news ??= setTimeout(() => {
      this.news = undefined;
      this.onChange(this.view);
    }, newsMs);
  }

  private end(view: RunView): void {
    clearTimeout(this.news);
    this.ended = view;
    this.onChange(view);
  }
}

function firstPart({ document, files }: PresentedResult): string {
  let text = '';
  for (const piece of document?.pieces() ?? []) {
    text += piece;
    if (text.length > maxText) break;
  }
  return [text.slice(0, maxText), ...files.map(({ name }) => name)].filter((part) => part !== '').join('\n');
}
