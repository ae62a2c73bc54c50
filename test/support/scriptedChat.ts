import { Emitter } from '../../src/core/base/event.js';
import type { ServerView, ToolCall } from '../../src/core/catalog/hostTypes.js';
import type { ChatModel, ModelCall, ModelMessage, ModelText, OfferedTool } from '../../src/core/chat/chatModel.js';
import { ToolLoop } from '../../src/core/chat/toolLoop.js';
import { modelTools } from '../../src/core/present/chat/modelTools.js';
import type { CallToolResult } from '../../src/core/protocol/mcp.js';
import type { WaitingRequest } from '../../src/core/requests/requestQueue.js';
import type { RunReports } from '../../src/core/runs/userRun.js';
import { UserRun } from '../../src/core/runs/userRun.js';
import { createIndex } from '../../src/core/search/createIndex.js';
import { ToolFinder } from '../../src/core/search/toolFinder.js';
import { ManualClock } from './manualClock.js';

/** One answer of the model: text, calls, an error, or silence until the chat is canceled. */
export interface ScriptedAnswer {
  text?: string;
  calls?: { name: string; input?: unknown }[];
  error?: Error;
  isSilent?: boolean;
}

export interface ScriptedChatOptions {
  servers: readonly ServerView[];
  /** The answers of the model, one for each request; the last one is repeated. */
  answers: readonly ScriptedAnswer[];
  perform?: (call: ToolCall, reports: RunReports) => Promise<CallToolResult>;
  maxInputTokens?: number;
  /** The problems that the check of arguments reports. */
  problems?: (values: Record<string, unknown>) => string | undefined;
  secrets?: readonly string[];
  waiting?: WaitingRequest[];
}

/** A chat with a scripted model: the loop, what the user reads, and what the model received. */
export function scriptedChat(options: ScriptedChatOptions) {
  const { servers, answers, maxInputTokens = 100_000 } = options;
  const requests: { messages: readonly ModelMessage[]; tools: readonly OfferedTool[] }[] = [];
  const runs: UserRun<CallToolResult>[] = [];
  const shown: string[] = [];
  const asked = new Emitter<void>();
  const clock = new ManualClock();
  let callsMade = 0;
  const model: ChatModel = {
    maxInputTokens,
    countTokens: (text) => Promise.resolve(Math.ceil(text.length / 4)),
    async *send(messages, tools): AsyncGenerator<ModelText | ModelCall> {
      requests.push({ messages, tools });
      const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
      await Promise.resolve();
      if (answer.text !== undefined) yield { kind: 'text', text: answer.text };
      for (const { name, input = {} } of answer.calls ?? [])
        yield { kind: 'call', id: `call-${++callsMade}`, name, input };
      if (answer.error) throw answer.error;
      if (answer.isSilent === true) await new Promise(() => undefined);
    },
  };
  const abort = new AbortController();
  const loop = new ToolLoop(
    {
      model,
      answer: {
        markdown: (text) => shown.push(text),
        linkToRun: (id) => shown.push(`[run ${runs.findIndex((run) => run.id === id) + 1}]`),
        linkToQuestion: (id) => shown.push(`[question ${id}]`),
      },
      finder: new ToolFinder((tools) => Promise.resolve(createIndex(tools))),
      tools: modelTools(servers),
      servers: {
        get: (id) => servers.find((server) => server.id === id),
        secretValues: () => options.secrets ?? [],
      },
      check: (_schema, values) => Promise.resolve(options.problems?.(values)),
      newRun: (call) => {
        const run = new UserRun<CallToolResult>({
          perform: (reports) =>
            options.perform?.(call, reports) ?? Promise.resolve(textResult(`result of ${call.tool}`)),
          clock,
        });
        runs.push(run);
        return run;
      },
      misfitNotes: (problems) => [...problems],
      questions: { waiting: options.waiting ?? [], onDidChange: asked.event },
      isWorkspaceTrusted: () => true,
      clock,
    },
    abort.signal,
  );
  return {
    loop,
    requests,
    runs,
    clock,
    asked,
    abort,
    /** Everything that the user reads. */
    shown: () => shown.join(''),
    ask: (request = 'please', past: Parameters<ToolLoop['run']>[0]['past'] = []) =>
      loop.run({ instructions: 'Be good.', past, request: [{ kind: 'text', text: request }] }),
    /** The text of the messages of a request to the model. */
    sent: (index: number) => JSON.stringify(requests[index]?.messages),
  };
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
