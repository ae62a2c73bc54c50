import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import { LatestValue } from '../../../core/base/latestValue.js';
import {
  nothingRunsMarkdown,
  outcomeMarkdown,
  readRunRequest,
  resultMarkdown,
} from '../../../core/present/chat/chatText.js';
import { toolsMarkdown } from '../../../core/present/chat/toolsList.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import { escapeMarkdown, escapeMarkdownLine } from '../../../core/present/text/markdown.js';
import { hiddenInResult } from '../../../core/present/text/hiddenText.js';
import { progressText } from '../../../core/present/text/runTexts.js';
import { presentToolResult } from '../../../core/present/result/toolResult.js';
import type { CallToolResult, Progress } from '../../../core/protocol/mcp.js';
import type { UserRun } from '../../../core/runs/userRun.js';
import { SecretFinder } from '../../../core/base/secretFinder.js';
import { ScriptCalls } from '../../ui/scripting.js';
import type { CommandCaller } from '../../ui/commandCalls.js';
import { callerOf } from '../../ui/commandCalls.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import { UserChoice } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { misfitNotes, toolRun } from '../../ui/toolRun.js';
import { storedAnswer } from './chatHistory.js';
import { ModelAnswer, signalOf } from './modelAnswer.js';

/** Minimum time between two progress reports, in milliseconds. Reports in between are dropped. */
const progressPauseMs = 1_000;

/**
 * `@deck`: `/tools` lists the tools and `/run` runs one tool. A model answers all other requests with the available
 * tools.
 */
export const chatFeature: Feature = {
  name: 'chat',
  register(deck) {
    const participant = new DeckParticipant(deck);
    deck.chat.handler = (request, context, stream, token) => participant.answer(request, context, stream, token);
    deck.chat.followups = {
      provideFollowups: ({ metadata }) =>
        metadata?.['offersTools'] === true
          ? [{ prompt: '', command: 'tools', label: vscode.l10n.t('List the tools') }]
          : [],
    };
  },
};

class DeckParticipant {
  private readonly scripts: ScriptCalls;

  constructor(private readonly deck: ExtensionServices) {
    this.scripts = new ScriptCalls(deck.host, deck.schemas);
  }

  async answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    try {
      if (!this.deck.host.servers.list().some(({ offer }) => offer)) this.explainNothingRuns(stream);
      else if (request.command === 'tools' || (request.command === undefined && request.prompt.trim() === ''))
        stream.markdown(toolsMarkdown(this.deck.host.servers.list(), request.prompt));
      else if (request.command === 'run') await this.runOne(request.prompt, stream, token);
      else {
        const answer = new ModelAnswer(this.deck, request, stream, token);
        try {
          await answer.run(context);
        } catch (error) {
          this.explain(error, stream);
        }
        return { metadata: storedAnswer(answer.rounds) };
      }
    } catch (error) {
      this.explain(error, stream);
    }
    return {};
  }

  /**
   * Runs one tool. The caller is unknown, because any program can submit a chat request with the command
   * `workbench.action.chat.open`. Therefore the approval question is the same as for a command.
   */
  private async runOne(
    prompt: string,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<void> {
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
    run.cancelWith(signalOf(token));
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
    this.explain(end.error, stream);
    if (end.kind === 'cancelled') return;
    stream.button({
      command: commandIds.runTool,
      title: vscode.l10n.t('Run with a Form…'),
      arguments: [new UserChoice(commandIds.runTool, { server: request.server, tool: request.tool })],
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
    const schema = this.deck.host.servers.get(server)?.offer?.tools.find(({ name }) => name === tool)?.inputSchema;
    return toolRun(this.deck, {
      call: () => ({ ...call, ...(schema ? { schema } : {}) }),
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

  private explainNothingRuns(stream: vscode.ChatResponseStream): void {
    const servers = this.deck.host.servers.list();
    const { isTrusted } = vscode.workspace;
    stream.markdown(`${nothingRunsMarkdown(servers, isTrusted)}\n\n`);
    if (!isTrusted)
      stream.button({ command: 'workbench.trust.manage', title: vscode.l10n.t('Manage Workspace Trust') });
    else if (servers.some(({ entry }) => entry.isEnabled))
      stream.button({ command: commandIds.startServer, title: vscode.l10n.t('Start Server…') });
    else stream.button({ command: commandIds.addServer, title: vscode.l10n.t('Add Server…') });
  }

  /**
   * Shows an error. Errors of a language model, for example a missing consent or an exceeded quota, contain a message
   * for the user.
   */
  private explain(error: unknown, stream: vscode.ChatResponseStream): void {
    const message =
      error instanceof vscode.LanguageModelError
        ? { text: error.message, isUnexpected: false }
        : failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted });
    if (!message) {
      stream.markdown(vscode.l10n.t('Canceled.'));
      return;
    }
    if (message.isUnexpected)
      this.deck.log.write('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
    stream.markdown(`${escapeMarkdown(message.text)}\n\n`);
  }
}
