import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import { LatestValue } from '../../../core/base/latestValue.js';
import { SecretFinder } from '../../../core/base/secretFinder.js';
import { outcomeMarkdown, readRunRequest, resultMarkdown } from '../../../core/present/chat/chatText.js';
import { presentToolResult } from '../../../core/present/result/toolResult.js';
import { hiddenInResult } from '../../../core/present/text/hiddenText.js';
import { escapeMarkdownLine } from '../../../core/present/text/markdown.js';
import { progressText } from '../../../core/present/text/runTexts.js';
import type { CallToolResult, Progress } from '../../../core/protocol/mcp.js';
import type { UserRun } from '../../../core/runs/userRun.js';
import { commandIds } from '../../manifest.js';
import type { CommandCaller } from '../../ui/commandCalls.js';
import { callerOf } from '../../ui/commandCalls.js';
import { userChoice } from '../../ui/invocation.js';
import { ScriptCalls } from '../../ui/scripting.js';
import type { ExtensionServices } from '../../ui/services.js';
import { misfitNotes, toolRun } from '../../ui/toolRun.js';

/** Minimum time between two progress reports, in milliseconds. Of the reports in between, only the latest is shown. */
const progressPauseMs = 1_000;

/** `/run`: runs one tool and shows its result. */
export class RunCommand {
  private readonly scripts: ScriptCalls;

  /** @param explain shows an error in the chat. */
  constructor(
    private readonly deck: ExtensionServices,
    private readonly explain: (error: unknown) => void,
  ) {
    this.scripts = new ScriptCalls(deck.host, deck.schemas);
  }

  /**
   * Runs one tool. The caller is unknown, because any program can submit a chat request with the command
   * `workbench.action.chat.open`. Therefore the approval question is the same as for a command.
   */
  async run(prompt: string, stream: vscode.ChatResponseStream, signal: AbortSignal): Promise<void> {
    const request = readRunRequest(prompt, this.deck.host.servers.list());
    if ('problem' in request) {
      stream.markdown(request.problem);
      return;
    }
    const run = this.toolRun(request);
    const reports = new LatestValue<Progress>(
      systemClock,
      (count) => (count === 0 ? 0 : progressPauseMs),
      (progress) => stream.progress(this.progressMarkdown(request.server, progress)),
    );
    run.onDidChange((change) => {
      if (change.kind === 'progress') reports.tell(change.progress);
      if (run.outcome) reports.dispose();
    });
    run.cancelWith(signal);
    const end = await run.run();
    if (end.kind === 'done') {
      const { result, problems, durationMs } = end;
      const presented = presentToolResult(result, { ...request, notes: misfitNotes(problems) });
      const known = { hidden: hiddenInResult(result), secrets: this.deck.host.servers.secretValues(request.server) };
      stream.markdown(
        resultMarkdown(presented, known.secrets) + outcomeMarkdown({ ...presented, summary: '' }, durationMs, known),
      );
      stream.button({
        command: commandIds.openResult,
        title: vscode.l10n.t('Open Result'),
        arguments: [{ result: this.deck.results.keep(presented) }],
      });
      return;
    }
    this.explain(end.error);
    if (end.kind === 'cancelled') return;
    stream.button({
      command: commandIds.runTool,
      title: vscode.l10n.t('Run with a Form…'),
      arguments: [userChoice(commandIds.runTool, { server: request.server, tool: request.tool })],
    });
  }

  private toolRun({
    server,
    tool,
    arguments: values = {},
  }: {
    server: string;
    tool: string;
    arguments?: Record<string, unknown>;
  }): UserRun<CallToolResult> {
    const call = { server, tool, arguments: values };
    let caller: CommandCaller;
    return toolRun(this.deck, {
      call: () => call,
      start: async () => {
        await this.scripts.running(server);
        caller = await callerOf(this.deck, 'unknown', call, 'chat');
        await this.scripts.readyToRun(call);
      },
      perform: ({ signal, onProgress, onOutputProblems }) =>
        this.deck.host.calls.runTool(call, { signal, onProgress, onOutputProblems, ...caller }),
    });
  }

  /** The text of a progress report, with masked secrets. It is escaped, because VS Code renders it as Markdown. */
  private progressMarkdown(server: string, progress: Progress): string {
    return escapeMarkdownLine(
      new SecretFinder(this.deck.host.servers.secretValues(server)).mask(progressText(progress)),
    );
  }
}
