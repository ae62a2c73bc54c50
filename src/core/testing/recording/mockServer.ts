/**
 * A recording as a server, for clients of both eras. Requests get their recorded answers, preceded by the recorded
 * progress, log messages and questions. Each client sees the recording from its beginning: repeated requests get the
 * recorded answers in their order, and then the last one again.
 */
import type { Clock } from '../../base/clock.js';
import { systemClock } from '../../base/clock.js';
import { Emitter } from '../../base/event.js';
import { isObject } from '../../base/guards.js';
import type { Log } from '../../base/log.js';
import { copyWith } from '../../base/objectCopy.js';
import type {
  CallToolResult,
  Completion,
  GetPromptResult,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from '../../protocol/mcp.js';
import { McpServer } from '../../serving/mcpServer.js';
import type { CompletionQuestion, PromptSource, ResourceSource, ToolSource } from '../../serving/servedFeatures.js';
import type { RequestContext } from '../../serving/requestContext.js';
import type { CachePolicy } from '../../serving/serverCore.js';
import type { MethodHandler } from '../../serving/serverMethods.js';
import type { ListMethod } from './recordedLists.js';
import { isListMethod } from './recordedLists.js';
import type { Recording } from './recordingModel.js';
import { requestsOf } from './recordingModel.js';
import type { MockChanges } from './replay.js';
import { Replay } from './replay.js';

export interface MockOptions {
  /** Whether requests with redacted parts, and answers of clients that differ from the recorded ones, are refused. */
  isStrict?: boolean;
  /** Whether answers take as long as in the recording. Default: answers come at once. */
  hasLatency?: boolean;
  log?: Log;
  clock?: Clock;
}

/** How long a call waits for the answers of a 2026-07-28 client, ms. */
const stateLifetimeMs = 600_000;

/** Lists are sent on one page, because the recorded cursors belong to the recorded server. */
const pageSize = 1_000_000;

const ofSources: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete']);

/** The server of a recording. It needs no process. */
export function createMock(recording: Recording, options: MockOptions = {}): McpServer {
  const { isStrict = false, hasLatency = false, log, clock = systemClock } = options;
  const { info, instructions, capabilities } = recording.head;
  const changes = {
    tools: new Emitter<void>(),
    resources: new Emitter<void>(),
    prompts: new Emitter<void>(),
    updates: new Emitter<string>(),
  } satisfies MockChanges;
  const replay = new Replay(recording, { isStrict, hasLatency, clock, changes });
  const has = (part: string) => [...replay.answers.methods].some((method) => method.startsWith(`${part}/`));
  const { extensions } = capabilities;
  return new McpServer({
    info,
    ...(instructions === undefined ? {} : { instructions }),
    ...(capabilities.tools || has('tools') ? { tools: toolSource(replay, changes, recording) } : {}),
    ...(capabilities.resources || has('resources') ? { resources: resourceSource(replay, changes, recording) } : {}),
    ...(capabilities.prompts || has('prompts') ? { prompts: promptSource(replay, changes, recording) } : {}),
    logging: capabilities.logging !== undefined,
    ...(isObject(extensions) ? { extensions: extensions as Record<string, Record<string, unknown>> } : {}),
    methods: otherMethods(replay),
    holdsCalls: stateLifetimeMs,
    pageSize,
    cache: cachePolicies(recording),
    ...(log ? { log } : {}),
    clock,
    owned: Object.values(changes),
  });
}

function toolSource(replay: Replay, changes: MockChanges, { head }: Recording): ToolSource {
  const tools = new Map<string, Tool>();
  for (const tool of itemsOf(replay, 'tools/list') as unknown as Tool[]) {
    const inputSchema = isObject(tool.inputSchema) ? tool.inputSchema : { type: 'object' };
    tools.set(tool.name, copyWith(tool, { inputSchema }));
  }
  return {
    list: (context) =>
      replay.list('tools/list', context).map((item) => tools.get(String(item['name'])) ?? (item as unknown as Tool)),
    // A call of a tool that was not listed can be recorded as well, with its error.
    find: (name) => tools.get(name) ?? { name, inputSchema: { type: 'object' } },
    call: async (name, args, context) =>
      (await replay.answer('tools/call', { name, arguments: args }, context)) as unknown as CallToolResult,
    ...(head.capabilities.tools?.listChanged === true ? { onDidChange: changes.tools.event } : {}),
  };
}

function resourceSource(replay: Replay, changes: MockChanges, { head }: Recording): ResourceSource {
  const { listChanged, subscribe } = head.capabilities.resources ?? {};
  return {
    list: (context) => replay.list('resources/list', context) as unknown as Resource[],
    templates: (context) => replay.list('resources/templates/list', context) as unknown as ResourceTemplate[],
    read: async (uri, context) => {
      const { contents } = await replay.answer('resources/read', { uri }, context);
      return Array.isArray(contents) ? (contents as ResourceContents[]) : [];
    },
    ...(completes(replay, head)
      ? { complete: (uri, question, context) => complete(replay, { type: 'ref/resource', uri }, question, context) }
      : {}),
    ...(listChanged === true ? { onDidChangeList: changes.resources.event } : {}),
    ...(subscribe === true ? { onDidUpdate: changes.updates.event } : {}),
  };
}

function promptSource(replay: Replay, changes: MockChanges, { head }: Recording): PromptSource {
  return {
    list: (context) => replay.list('prompts/list', context) as unknown as Prompt[],
    // The arguments are not declared, so they are not checked here, and a recorded error about a missing argument is
    // the answer.
    find: (name) => ({ name }),
    get: async (name, args, context) =>
      (await replay.answer('prompts/get', { name, arguments: args }, context)) as unknown as GetPromptResult,
    ...(completes(replay, head)
      ? {
          complete: (name: string, question: CompletionQuestion, context: RequestContext) =>
            complete(replay, { type: 'ref/prompt', name }, question, context),
        }
      : {}),
    ...(head.capabilities.prompts?.listChanged === true ? { onDidChange: changes.prompts.event } : {}),
  };
}

function completes(replay: Replay, head: Recording['head']): boolean {
  return head.capabilities.completions !== undefined || replay.answers.ofMethod('completion/complete').length > 0;
}

async function complete(
  replay: Replay,
  ref: Record<string, unknown>,
  { name, value, others }: CompletionQuestion,
  context: RequestContext,
): Promise<Completion> {
  const known = Object.keys(others).length > 0 ? { context: { arguments: others } } : {};
  const params = { ref, argument: { name, value }, ...known };
  const { completion } = await replay.answer('completion/complete', params, context);
  const values = isObject(completion) && Array.isArray(completion['values']) ? (completion['values'] as string[]) : [];
  return { ...(isObject(completion) ? completion : {}), values };
}

/**
 * The handlers of recorded methods that are not lists and not part of the tools, prompts and resources, such as methods
 * of extensions.
 */
function otherMethods(replay: Replay): Map<string, MethodHandler> {
  return new Map(
    [...replay.answers.methods]
      .filter((method) => !ofSources.has(method) && !isListMethod(method))
      .map((method) => [method, (params, context) => replay.answer(method, params, context)]),
  );
}

function itemsOf(replay: Replay, method: ListMethod): Record<string, unknown>[] {
  return replay.listings(method).flatMap((listing) => ('items' in listing ? listing.items : []));
}

/** The hints for caches in the last result of each method. */
function cachePolicies(recording: Recording): Record<string, CachePolicy> {
  return Object.fromEntries(
    requestsOf(recording).flatMap(({ request, result }) => {
      const { ttlMs, cacheScope } = result ?? {};
      if (typeof ttlMs !== 'number' || (cacheScope !== 'public' && cacheScope !== 'private')) return [];
      return [[request, { ttlMs, scope: cacheScope }] as const];
    }),
  );
}
