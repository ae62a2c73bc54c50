import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import { isObject } from '../../../core/base/guards.js';
import { HostError, isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { LatestValue } from '../../../core/base/latestValue.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { ModelTool } from '../../../core/present/chat/modelTools.js';
import {
  callMarkdown,
  modelInstructions,
  outcomeMarkdown,
  resultForModel,
  textInChat,
} from '../../../core/present/chat/chatText.js';
import { modelTools, toolDescription, toolSchema } from '../../../core/present/chat/modelTools.js';
import { appContextText } from '../../../core/present/chat/appContextText.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import { hiddenInResult } from '../../../core/present/text/hiddenText.js';
import { inlineCode } from '../../../core/present/text/markdown.js';
import { progressText } from '../../../core/present/text/runTexts.js';
import { problemLines } from '../../../core/present/form/schemaProblems.js';
import type { PresentedResult } from '../../../core/present/result/resultPage.js';
import { presentToolResult } from '../../../core/present/result/toolResult.js';
import { detectMediaType } from '../../../core/present/text/mediaType.js';
import type { Progress } from '../../../core/protocol/mcp.js';
import { SecretFinder } from '../../../core/base/secretFinder.js';
import type { RequestQueue } from '../../../core/requests/requestQueue.js';
import type { CommandId } from '../../manifest.js';
import { commandIds } from '../../manifest.js';
import type { AppPages } from '../../ui/pages.js';
import type { ResultDocuments } from '../../ui/resultDocuments.js';
import type { SchemaChecks } from '../../ui/schemaChecks.js';

export interface LoopParts {
  host: Pick<HostApi, 'servers' | 'calls' | 'lifecycle'>;
  schemas: SchemaChecks;
  results: ResultDocuments;
  queue: RequestQueue;
  /** The context that open apps provide. */
  apps: Pick<AppPages, 'modelContexts'>;
}

/** Maximum number of rounds of tool calls. If a model has found no answer by then, it is unlikely to find one. */
const maxRounds = 20;
/** Maximum number of tools that VS Code passes to a model. */
const maxTools = 128;
const maxResultLength = 60_000;
const maxTurns = 10;
const maxTurnLength = 8_000;
const maxImages = 4;
const maxImageBytes = 5 * 1024 * 1024;
/**
 * Delay before the first progress report of a call in the chat, in milliseconds. Each following pause is 1.5 times as
 * long.
 */
const firstProgressMs = 3_000;

/**
 * Lets the model of the chat request answer with the tools of the running servers. Each call is shown in the chat and
 * needs approval by the user or by a rule. The calls run one after the other.
 */
export class ToolLoop {
  private readonly tools: readonly ModelTool[];
  private readonly byName: ReadonlyMap<string, ModelTool>;
  /** IDs of the questions that the chat already links to. */
  private readonly linkedQuestions = new Set<string>();

  constructor(
    private readonly parts: LoopParts,
    private readonly request: vscode.ChatRequest,
    private readonly stream: vscode.ChatResponseStream,
    private readonly signal: AbortSignal,
  ) {
    parts.host.lifecycle.refreshStaleLists();
    this.tools = modelTools(parts.host.servers.list());
    this.byName = new Map(this.tools.slice(0, maxTools).map((tool) => [tool.name, tool]));
  }

  async run(context: vscode.ChatContext, token: vscode.CancellationToken): Promise<void> {
    if (this.tools.length > maxTools) {
      this.stream.markdown(
        vscode.l10n.t(
          'The running servers offer {0} tools. A model can use at most {1}, so it gets only the first ones.',
          this.tools.length,
          maxTools,
        ) + '\n\n',
      );
    }
    const contexts = this.parts.apps.modelContexts;
    const contextText = appContextText(contexts);
    // The context of an app comes from its server, so it may contain secrets of the server, which are masked.
    const shown =
      contextText === undefined
        ? undefined
        : new SecretFinder(contexts.flatMap(({ server }) => this.parts.host.servers.secretValues(server))).mask(
            contextText,
          );
    if (shown !== undefined)
      this.stream.markdown(
        vscode.l10n.t(
          'The model gets context from these apps: {0}.',
          contexts.map(({ app }) => inlineCode(app, 80)).join(', '),
        ) + '\n\n',
      );
    const messages = [
      vscode.LanguageModelChatMessage.User(modelInstructions(this.parts.host.servers.list())),
      ...earlierTurns(context),
      ...(shown === undefined ? [] : [vscode.LanguageModelChatMessage.User(shown)]),
      vscode.LanguageModelChatMessage.User(this.request.prompt),
    ];
    const tools = [...this.byName.values()].map((tool) => ({
      name: tool.name,
      description: toolDescription(tool),
      inputSchema: toolSchema(tool.tool.inputSchema),
    }));
    for (let round = 0; round < maxRounds; round++) {
      const response = await this.request.model.sendRequest(
        messages,
        { tools, justification: vscode.l10n.t('To use the tools of your MCP servers for the answer.') },
        token,
      );
      const parts: (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] = [];
      for await (const part of response.stream) {
        if (part instanceof vscode.LanguageModelTextPart) {
          this.stream.markdown(part.value);
          parts.push(part);
        } else if (part instanceof vscode.LanguageModelToolCallPart) parts.push(part);
      }
      const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
      if (calls.length === 0 || this.signal.aborted) return;
      const results: vscode.LanguageModelToolResultPart[] = [];
      for (const call of calls) {
        results.push(new vscode.LanguageModelToolResultPart(call.callId, await this.call(call)));
        this.signal.throwIfAborted();
      }
      messages.push(vscode.LanguageModelChatMessage.Assistant(parts), vscode.LanguageModelChatMessage.User(results));
    }
    this.stream.markdown(
      vscode.l10n.t('Stopped after {0} rounds of tool calls without an answer. Ask a narrower question.', maxRounds),
    );
  }

  /**
   * Performs one tool call: shows it, checks the arguments, asks for approval, and sends it. Always returns text for
   * the model, even after a failure.
   */
  private async call({
    name,
    input,
  }: vscode.LanguageModelToolCallPart): Promise<(vscode.LanguageModelTextPart | vscode.LanguageModelDataPart)[]> {
    const tool = this.byName.get(name);
    const view = tool && this.parts.host.servers.get(tool.server);
    if (!tool || !view) return words(`There is no tool "${visibleLine(name)}".`);
    if (!isObject(input)) return words('The arguments must be a JSON object.');
    this.stream.markdown(callMarkdown(tool, input));
    const { problems } = (await this.parts.schemas.load()).check(tool.tool.inputSchema, input);
    if (problems.length > 0) {
      const text = problemLines(problems);
      this.stream.markdown(vscode.l10n.t('Not called: the arguments are not valid ({0}).', textInChat(text)) + '\n\n');
      return words(`Not called: the arguments do not fit the input schema: ${text}.`);
    }
    const started = performance.now();
    // Progress is written as text, because progress parts collapse the answer (see `commandLink`). The pauses between
    // reports grow, because the lines stay in the answer.
    const reports = new LatestValue<Progress>(
      systemClock,
      (count) => firstProgressMs * 1.5 ** count,
      (progress) => this.showProgress(tool, progress),
    );
    const asking = this.parts.queue.onDidChange(() => this.linkQuestion(tool));
    try {
      const result = await this.parts.host.calls.runTool(
        { server: tool.server, tool: tool.tool.name, arguments: input },
        { signal: this.signal, caller: 'model', onProgress: (progress) => reports.tell(progress) },
      );
      reports.dispose();
      return this.conclude(
        presentToolResult(result, { server: tool.server, tool: tool.tool.name }),
        tool,
        performance.now() - started,
        hiddenInResult(result),
      );
    } catch (error) {
      if (isCancelled(error)) throw error;
      const text = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted })?.text ?? '';
      if (error instanceof HostError && (error.code === 'call-refused' || error.code === 'tool-changed')) {
        this.stream.markdown(vscode.l10n.t('Not called: {0}', textInChat(text)) + '\n\n');
        return words(
          error.code === 'tool-changed'
            ? 'Not called: the tool changed since the user approved it, and waits for a review.'
            : error.data.by === 'user'
              ? 'The user declined this call.'
              : 'Not called: a rule of the user denies it.',
        );
      }
      this.stream.markdown(vscode.l10n.t('The call failed: {0}', textInChat(text)) + '\n\n');
      return words(
        new SecretFinder(this.parts.host.servers.secretValues(tool.server)).mask(`The call failed: ${text}`),
      );
    } finally {
      reports.dispose();
      asking.dispose();
    }
  }

  /** Secrets are masked, because the text becomes part of the chat history that a model reads later. */
  private showProgress(tool: ModelTool, progress: Progress): void {
    const text = new SecretFinder(this.parts.host.servers.secretValues(tool.server)).mask(progressText(progress));
    this.stream.markdown(`${vscode.l10n.t('Still running: {0}', inlineCode(text, 250))}\n\n`);
  }

  /** Links to the question in the Requests view, once for each question. */
  private linkQuestion(tool: ModelTool): void {
    const request = this.parts.queue.waiting.find(
      ({ id, ask }) =>
        ask.kind === 'call' &&
        ask.question.caller === 'model' &&
        ask.question.server === tool.server &&
        ask.question.tool.name === tool.tool.name &&
        !this.linkedQuestions.has(id),
    );
    if (!request) return;
    this.linkedQuestions.add(request.id);
    this.stream.markdown(
      commandLink(vscode.l10n.t('Waiting for your approval: review the call'), commandIds.answerRequest, {
        request: request.id,
      }),
    );
  }

  private conclude(
    result: PresentedResult,
    tool: ModelTool,
    ms: number,
    hidden: number,
  ): (vscode.LanguageModelTextPart | vscode.LanguageModelDataPart)[] {
    // A token has about four characters. A result may fill half of the model's input.
    const maxLength = Math.min(maxResultLength, Math.max(4_000, this.request.model.maxInputTokens * 2));
    const secrets = this.parts.host.servers.secretValues(tool.server);
    const answer = resultForModel(result, { server: tool.server, tool: tool.tool.name, maxLength, hidden, secrets });
    this.stream.markdown(
      [outcomeMarkdown(result, ms, { hidden, secrets }), ...answer.notices.map((notice) => `${notice}\n\n`)].join(''),
    );
    this.stream.markdown(
      commandLink(vscode.l10n.t('Open Result'), commandIds.openResult, { result: this.parts.results.keep(result) }),
    );
    return [...words(answer.text), ...images(result)];
  }
}

/**
 * A Markdown link that runs a command. If buttons or progress parts were used, VS Code would collapse everything before
 * the last text, including the tool calls. Markdown that can run a command must not contain text from a server.
 */
function commandLink(title: string, command: CommandId, argument: object): vscode.MarkdownString {
  const link = new vscode.MarkdownString(
    `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([argument]))})\n\n`,
  );
  link.isTrusted = { enabledCommands: [command] };
  return link;
}

function words(text: string): vscode.LanguageModelTextPart[] {
  return [new vscode.LanguageModelTextPart(text)];
}

/** The images of a result, in the formats that models accept. */
function images({ files }: PresentedResult): vscode.LanguageModelDataPart[] {
  return files
    .flatMap(({ bytes }) => {
      const type = detectMediaType(bytes);
      return type?.kind === 'image' &&
        /^image\/(png|jpeg|gif|webp)$/.test(type.mimeType) &&
        bytes.length <= maxImageBytes
        ? [vscode.LanguageModelDataPart.image(bytes, type.mimeType)]
        : [];
    })
    .slice(0, maxImages);
}

/** The earlier messages to the participant and its answers, for the model. Does not contain tool calls. */
function earlierTurns({ history }: vscode.ChatContext): vscode.LanguageModelChatMessage[] {
  return history.slice(-maxTurns).flatMap((turn) => {
    if (turn instanceof vscode.ChatRequestTurn)
      return [vscode.LanguageModelChatMessage.User(turn.prompt.slice(0, maxTurnLength))];
    const text = turn.response
      .flatMap((part) => (part instanceof vscode.ChatResponseMarkdownPart ? [part.value.value] : []))
      .join('');
    return text === '' ? [] : [vscode.LanguageModelChatMessage.Assistant(text.slice(0, maxTurnLength))];
  });
}

/** Returns an abort signal that aborts when the token is canceled. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new HostError('cancelled', 'The request was canceled.'));
  if (token.isCancellationRequested) abort();
  else token.onCancellationRequested(abort);
  return controller.signal;
}
