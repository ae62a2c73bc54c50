/** One call of a tool by a chat model: it is shown, checked, approved and sent, and its result goes to the model. */
import { t } from '@vscode/l10n';
import type { Clock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { LatestValue } from '../base/latestValue.js';
import { SecretFinder } from '../base/secretFinder.js';
import { untilAborted } from '../base/withTimeLimit.js';
import type { ServerView, ToolCall } from '../catalog/hostTypes.js';
import { callMarkdown, outcomeMarkdown, resultForModel, textInChat } from '../present/chat/chatText.js';
import type { ModelTool } from '../present/chat/modelTools.js';
import { failureMessage } from '../present/failure/failureText.js';
import type { PresentedResult } from '../present/result/resultPage.js';
import { presentToolResult } from '../present/result/toolResult.js';
import { hiddenInResult } from '../present/text/hiddenText.js';
import { inlineCode } from '../present/text/markdown.js';
import { detectMediaType } from '../present/text/mediaType.js';
import { progressText } from '../present/text/runTexts.js';
import type { CallToolResult, JsonSchema, Progress } from '../protocol/mcp.js';
import type { WaitingRequest } from '../requests/requestQueue.js';
import type { RunEnd, UserRun } from '../runs/userRun.js';
import type { Disposable } from '../base/disposable.js';
import type { ChatAnswer, ModelImage, ModelText } from './chatModel.js';

export interface ModelCallPorts {
  servers: {
    get(id: string): ServerView | undefined;
    secretValues(id: string): readonly string[];
  };
  /** The problems of arguments according to the schema, as one line; undefined if there are none. */
  check(schema: JsonSchema, values: Record<string, unknown>): Promise<string | undefined>;
  /** A run for the caller `model`, which appears in *Runs*. */
  newRun(call: Required<ToolCall>): UserRun<CallToolResult>;
  /** Notes about a result that does not match the output schema. */
  misfitNotes(problems: readonly string[]): string[];
  questions: {
    readonly waiting: readonly WaitingRequest[];
    onDidChange(listener: () => void): Disposable;
  };
  isWorkspaceTrusted(): boolean;
  clock: Clock;
}

/** What the model receives. */
export type CallParts = readonly (ModelText | ModelImage)[];

const maxResultLength = 60_000;
const maxImages = 4;
const maxImageBytes = 5 * 1024 * 1024;

/**
 * Delay before the first progress report of a call in the chat, in milliseconds. Each following pause is 1.5 times as
 * long, because the lines stay in the answer.
 */
const firstProgressMs = 3_000;

/** A list of parts with one text. */
export function textParts(text: string): ModelText[] {
  return [{ kind: 'text', text }];
}

export class ModelCalls {
  /** IDs of the questions that the chat already links to. */
  private readonly linked = new Set<string>();

  /** @param maxInputTokens limit of the model; one result fills half of it at most. */
  constructor(
    private readonly ports: ModelCallPorts,
    private readonly answer: ChatAnswer,
    private readonly maxInputTokens: number,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Performs one call. Resolves with the texts and images for the model, even after a failure. Rejects only when the
   * chat is canceled.
   * @param label names the call among others that run at the same time; empty if it runs alone.
   */
  async perform(tool: ModelTool, input: unknown, label: string): Promise<CallParts> {
    if (!isObject(input)) {
      this.say(label, t('Not called: the arguments of {0} are not a JSON object.', inlineCode(tool.tool.name, 120)));
      return textParts('Not called: the arguments must be a JSON object.');
    }
    this.answer.markdown(`${heading(label)}${callMarkdown(tool, input)}`);
    const problems = await this.ports.check(tool.tool.inputSchema, input);
    if (problems !== undefined) {
      this.say(label, t('Not called: the arguments are not valid ({0}).', textInChat(problems)));
      return textParts(`Not called: the arguments do not fit the input schema: ${problems}.`);
    }
    const run = this.ports.newRun({ server: tool.server, tool: tool.tool.name, arguments: input });
    const reports = new LatestValue<Progress>(
      this.ports.clock,
      (count) => firstProgressMs * 1.5 ** count,
      (progress) => this.showProgress(tool, label, progress),
    );
    const asking = this.ports.questions.onDidChange(() => this.linkQuestion(tool));
    run.onDidChange((change) => change.kind === 'progress' && reports.tell(change.progress));
    run.cancelWith(this.signal);
    try {
      const end = await untilAborted(run.run(), this.signal);
      reports.dispose();
      return this.conclude(tool, label, run, end);
    } finally {
      reports.dispose();
      asking.dispose();
    }
  }

  private conclude(
    tool: ModelTool,
    label: string,
    run: UserRun<CallToolResult>,
    end: RunEnd<CallToolResult>,
  ): CallParts {
    const parts = end.kind === 'done' ? this.succeeded(tool, label, end) : this.failed(tool, label, end.error);
    this.answer.linkToRun(run.id);
    return parts;
  }

  private succeeded(
    { server, tool: { name } }: ModelTool,
    label: string,
    { result, problems, durationMs }: Extract<RunEnd<CallToolResult>, { kind: 'done' }>,
  ): CallParts {
    const presented = presentToolResult(result, { server, tool: name, notes: this.ports.misfitNotes(problems) });
    const hidden = hiddenInResult(result);
    const secrets = this.ports.servers.secretValues(server);
    // A token has about four characters.
    const maxLength = Math.min(maxResultLength, Math.max(4_000, this.maxInputTokens * 2));
    const answer = resultForModel(presented, { server, tool: name, maxLength, hidden, secrets });
    this.say(label, outcomeMarkdown(presented, durationMs, { hidden, secrets }).trimEnd());
    for (const notice of answer.notices) this.say(label, notice);
    return [...textParts(answer.text), ...images(presented)];
  }

  private failed({ server }: ModelTool, label: string, error: unknown): CallParts {
    if (isCancelled(error)) {
      this.say(label, t('The call was canceled.'));
      return textParts('The call was canceled. Do not repeat it unless the user asks for it.');
    }
    const text = failureMessage(error, { isWorkspaceTrusted: this.ports.isWorkspaceTrusted() })?.text ?? '';
    const refusal = refusalOf(error);
    this.say(
      label,
      refusal === undefined ? t('The call failed: {0}', textInChat(text)) : t('Not called: {0}', textInChat(text)),
    );
    return textParts(
      refusal ?? new SecretFinder(this.ports.servers.secretValues(server)).mask(`The call failed: ${text}`),
    );
  }

  private say(label: string, text: string): void {
    this.answer.markdown(`${label === '' ? '' : `**${label}** `}${text}\n\n`);
  }

  /** Secrets are masked, because the text becomes part of the chat history that a model reads later. */
  private showProgress(tool: ModelTool, label: string, progress: Progress): void {
    const text = new SecretFinder(this.ports.servers.secretValues(tool.server)).mask(progressText(progress));
    this.say(label, t('Still running: {0}', inlineCode(text, 250)));
  }

  /** Links to the question in the Requests view, once for each question. */
  private linkQuestion({ server, tool: { name } }: ModelTool): void {
    const request = this.ports.questions.waiting.find(
      ({ id, ask }) =>
        ask.kind === 'call' &&
        ask.question.caller === 'model' &&
        ask.question.server === server &&
        ask.question.tool.name === name &&
        !this.linked.has(id),
    );
    if (!request) return;
    this.linked.add(request.id);
    this.answer.linkToQuestion(request.id);
  }
}

function heading(label: string): string {
  return label === '' ? '' : `\n\n**${label}**`;
}

/** The text for the model about a call that was not allowed; undefined for other failures. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof HostError)) return undefined;
  if (error.code === 'tool-changed')
    return 'Not called: the tool changed since the user approved it, and waits for a review.';
  if (error.code !== 'call-refused') return undefined;
  return error.data.by === 'user' ? 'The user declined this call.' : 'Not called: a rule of the user denies it.';
}

/** The images of a result, in the formats that models accept. */
function images({ files }: PresentedResult): ModelImage[] {
  return files.flatMap(({ bytes }) => imageOf(bytes) ?? []).slice(0, maxImages);
}

/** The image for a model; undefined if models do not accept the format or the size. */
export function imageOf(bytes: Uint8Array): ModelImage | undefined {
  const type = detectMediaType(bytes);
  if (type?.kind !== 'image' || !/^image\/(?:png|jpeg|gif|webp)$/.test(type.mimeType)) return undefined;
  return bytes.length <= maxImageBytes ? { kind: 'image', bytes, mimeType: type.mimeType } : undefined;
}
