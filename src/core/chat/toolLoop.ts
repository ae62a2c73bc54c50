/**
 * Lets a chat model answer with the tools of the running servers. Each call is shown in the chat and needs approval by
 * the user or by a rule, except for calls of built-in tools that only read. Consecutive calls of tools that only read
 * run at the same time; all others run one after the other.
 */
import { setMaxListeners } from 'node:events';
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { itemsUntilAborted } from '../base/withTimeLimit.js';
import { foundTools, foundToolsText, unknownToolText } from '../present/chat/foundTools.js';
import { callTool, searchTool } from '../present/chat/searchTools.js';
import type { ModelTool } from '../present/chat/modelTools.js';
import { inlineCode } from '../present/text/markdown.js';
import type { ToolFinder } from '../search/toolFinder.js';
import { compacted } from './compaction.js';
import type { ChatAnswer, ChatModel, ModelCall } from './chatModel.js';
import type { Conversation, Round, RoundCall } from './conversation.js';
import { messagesOf } from './conversation.js';
import type { CallParts, ModelCallPorts } from './modelCall.js';
import { ModelCalls, textParts } from './modelCall.js';
import { OfferedTools } from './offeredTools.js';

/** Maximum number of rounds of calls. If a model has found no answer by then, it is unlikely to find one. */
const maxRounds = 20;

/** Maximum number of calls that run at the same time. */
const maxParallel = 8;

/** Share of the model's limit that stays free, because the sizes are estimates. */
const reserve = 0.05;

export interface ToolLoopParts extends ModelCallPorts {
  model: ChatModel;
  answer: ChatAnswer;
  finder: ToolFinder;
  tools: readonly ModelTool[];
}

/** The meaning of a call of the model: a search, a call of a tool, or a name that no tool has. */
type Meaning =
  | { kind: 'search'; query: string }
  | { kind: 'tool'; tool: ModelTool; input: unknown }
  | { kind: 'unknown'; name: string };

export class ToolLoop {
  private readonly finished: Round[] = [];
  private readonly tools: OfferedTools;
  private readonly calls: ModelCalls;
  private readonly sizes = new Map<string, number>();

  constructor(
    private readonly parts: ToolLoopParts,
    private readonly signal: AbortSignal,
  ) {
    const { model, answer, tools } = parts;
    // Each running call adds two listeners to the signal.
    setMaxListeners(2 * maxParallel + 10, signal);
    this.tools = new OfferedTools(tools, model.maxInputTokens);
    this.calls = new ModelCalls(parts, answer, model.maxInputTokens, signal);
  }

  /** The rounds so far, with their results; also valid after `run` has rejected. */
  get rounds(): readonly Round[] {
    return this.finished;
  }

  /** Whether the model searches for tools instead of getting a list of all. */
  get isSearched(): boolean {
    return this.tools.isSearched;
  }

  /** Runs until the model has answered. Rejects with the error of the model, or with the reason of the signal. */
  async run(conversation: Omit<Conversation, 'rounds'>): Promise<void> {
    const { answer } = this.parts;
    const budget = await this.budget();
    for (let round = 0; round < maxRounds; round++) {
      if ((await this.next({ ...conversation, rounds: this.finished }, budget)) === 'answered') return;
    }
    answer.markdown(t('Stopped after {0} rounds of tool calls without an answer. Ask a narrower question.', maxRounds));
  }

  /** The part of the model's limit that remains for messages, in tokens. */
  private async budget(): Promise<number> {
    const { model } = this.parts;
    const text = JSON.stringify(this.tools.offered);
    const size = await model.countTokens(text).catch(() => text.length / 3);
    return model.maxInputTokens * (1 - reserve) - size;
  }

  private async next(conversation: Conversation, budget: number): Promise<'answered' | 'called'> {
    const { model, answer } = this.parts;
    const { signal } = this;
    signal.throwIfAborted();
    const messages = messagesOf(await compacted(conversation, budget, model, this.sizes));
    let text = '';
    const calls: ModelCall[] = [];
    try {
      for await (const part of itemsUntilAborted(model.send(messages, this.tools.offered, signal), signal)) {
        if (part.kind === 'call') calls.push(part);
        else {
          text += part.text;
          answer.markdown(part.text);
        }
      }
    } catch (error) {
      // The text that the user has read is part of the conversation.
      if (text !== '') this.finished.push({ text, calls: [] });
      throw error;
    }
    if (calls.length === 0) {
      this.finished.push({ text, calls: [] });
      return 'answered';
    }
    const done: RoundCall[] = [];
    try {
      for (const group of this.groups(calls)) done.push(...(await this.performAll(group)));
    } finally {
      this.finished.push({ text, calls: done });
    }
    return 'called';
  }

  /** The calls in order. Calls in one group run at the same time. */
  private groups(calls: readonly ModelCall[]): ModelCall[][] {
    const groups: { calls: ModelCall[]; isReading: boolean }[] = [];
    for (const call of calls) {
      const meaning = this.meaningOf(call);
      const isReading = meaning.kind !== 'tool' || meaning.tool.tool.annotations?.readOnlyHint === true;
      const last = groups.at(-1);
      if (last && isReading && last.isReading && last.calls.length < maxParallel) last.calls.push(call);
      else groups.push({ calls: [call], isReading });
    }
    return groups.map((group) => group.calls);
  }

  private performAll(group: readonly ModelCall[]): Promise<RoundCall[]> {
    return Promise.all(
      group.map(async (call, index): Promise<RoundCall> => {
        const label = group.length === 1 ? '' : t('Call {0} of {1}:', index + 1, group.length);
        const { id, name, input } = call;
        return { id, name, input: isObject(input) ? input : {}, result: await this.perform(call, label) };
      }),
    );
  }

  private async perform(call: ModelCall, label: string): Promise<CallParts> {
    this.signal.throwIfAborted();
    const meaning = this.meaningOf(call);
    if (meaning.kind === 'tool') return this.calls.perform(meaning.tool, meaning.input, label);
    if (meaning.kind === 'search') return textParts(await this.search(meaning.query));
    this.parts.answer.markdown(
      `\n\n${t('The model called {0}, which does not exist.', inlineCode(meaning.name, 120))}\n\n`,
    );
    return textParts(unknownToolText(meaning.name, this.tools.all));
  }

  private meaningOf({ name, input }: ModelCall): Meaning {
    if (this.isSearched && isObject(input)) {
      if (name === searchTool.name) return { kind: 'search', query: String(input['query']) };
      if (name === callTool.name) return this.named(String(input['name']), input['arguments'] ?? {});
    }
    // After a search, a model may call a tool by the tool's own name instead of through the call tool.
    return this.named(name, input);
  }

  private named(name: string, input: unknown): Meaning {
    const tool = this.tools.find(name);
    return tool ? { kind: 'tool', tool, input } : { kind: 'unknown', name };
  }

  private async search(query: string): Promise<string> {
    const found = await foundTools(this.parts.finder, this.tools.all, query);
    const names = found.map(({ tool }) => inlineCode(tool.name, 80)).join(', ');
    this.parts.answer.markdown(
      `\n\n${found.length === 0 ? t('Searched for {0}: no tool found.', inlineCode(query, 120)) : t('Searched for {0}: {1}', inlineCode(query, 120), names)}\n\n`,
    );
    return foundToolsText(found);
  }
}
