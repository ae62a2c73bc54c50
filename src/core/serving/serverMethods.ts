/**
 * The methods that both eras share, implemented on the sources of a server: list, call, read, get and complete, in the
 * format of the request's revision. The connection adds the fields that an era requires in a result (its type, caching
 * hints, rounds of input).
 */
import type { Event } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { UserError, messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import { valueCost } from '../base/valueCost.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { CallToolResult, Completion, JsonSchema, ListKind, Tool } from '../protocol/mcp.js';
import { listMembers } from '../protocol/mcp.js';
import { isAtLeast } from '../protocol/revisions.js';
import type {
  CompletionAnswer,
  CompletionQuestion,
  PromptSource,
  ResourceSource,
  ToolSource,
} from './servedFeatures.js';
import type { RequestContext } from './requestContext.js';
import { callResultFor, promptResultFor, toolFor } from './revisionShape.js';
import type { StateSigner } from './stateSigner.js';

type Params = Record<string, unknown>;
type Result = Record<string, unknown>;

/** Validates `value` against a JSON schema and returns the problems as text; empty if it is valid. */
export type Validate = (schema: JsonSchema, value: unknown) => readonly string[] | Promise<readonly string[]>;

/** The HTTP front's check before a tool call; throws ProtocolError. */
export type CheckCall = (tool: Tool, args: Params) => void;

/** Answers one request for a method of an extension. */
export type MethodHandler = (params: Params, context: RequestContext) => Result | Promise<Result>;

export interface ServerMethodsOptions {
  tools: ToolSource | undefined;
  resources: ResourceSource | undefined;
  prompts: PromptSource | undefined;
  /** Methods of extensions, which the specification does not define. */
  methods: ReadonlyMap<string, MethodHandler> | undefined;
  validate: Validate | undefined;
  pageSize: number;
  signer: StateSigner;
  log: Log;
}

/**
 * Maximum size of one page of a list, in bytes of memory (`valueCost`). A page is written at once and kept until its
 * client has read it. A larger item is alone on its page.
 */
const maxPageBytes = 2 * 1024 * 1024;

/** Maximum number of completion values that the specification allows. */
const maxCompletions = 100;

/** Methods that may ask the client for input (specification 2026-07-28, basic/patterns/mrtr). */
export const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Methods whose results contain caching hints in 2026-07-28. */
export const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

export class ServerMethods {
  /** A Map, so that a method called `constructor` is not found in the prototype. */
  private readonly table = new Map<
    string,
    (params: Params, context: RequestContext, checkCall: CheckCall | undefined) => Result | Promise<Result>
  >();

  constructor(readonly options: ServerMethodsOptions) {
    const { tools, resources, prompts, methods } = options;
    for (const [name, handler] of methods ?? []) this.table.set(name, handler);
    if (tools) {
      this.table.set('tools/list', async (params, context) => {
        const page = this.page('tools', await tools.list(context), params);
        return { ...page.next, tools: page.items.map((tool) => toolFor(tool, context.revision)) };
      });
      this.table.set('tools/call', (params, context, checkCall) => this.callTool(tools, params, context, checkCall));
    }
    if (resources) {
      this.table.set('resources/list', async (params, context) => {
        const page = this.page('resources', await resources.list(context), params);
        return { ...page.next, resources: page.items };
      });
      this.table.set('resources/templates/list', async (params, context) => {
        const page = this.page('templates', (await resources.templates?.(context)) ?? [], params);
        return { ...page.next, resourceTemplates: page.items };
      });
      this.table.set('resources/read', (params, context) => this.readResource(resources, params, context));
    }
    if (prompts) {
      this.table.set('prompts/list', async (params, context) => {
        const page = this.page('prompts', await prompts.list(context), params);
        return { ...page.next, prompts: page.items };
      });
      this.table.set('prompts/get', (params, context) => this.getPrompt(prompts, params, context));
    }
    if (this.canComplete) this.table.set('completion/complete', (params, context) => this.complete(params, context));
  }

  /** Whether `completion/complete` is supported. */
  get canComplete(): boolean {
    return this.options.prompts?.complete !== undefined || this.options.resources?.complete !== undefined;
  }

  /** The change events of the lists, with the list's name in notifications. */
  get changes(): { kind: ListKind; event: Event<void> | undefined }[] {
    return [
      { kind: 'tools', event: this.options.tools?.onDidChange },
      { kind: 'resources', event: this.options.resources?.onDidChangeList },
      { kind: 'prompts', event: this.options.prompts?.onDidChange },
    ];
  }

  has(method: string): boolean {
    return this.table.has(method);
  }

  /** The result of a list method for a client that must not see the items yet; undefined for other methods. */
  emptyList(method: string): Result | undefined {
    const member = this.has(method) && Object.hasOwn(listMembers, method) ? listMembers[method] : undefined;
    return member === undefined ? undefined : { [member]: [] };
  }

  /** Answers a request. Throws or rejects with ProtocolError for errors that are sent to the client. */
  handle(method: string, params: Params, context: RequestContext, checkCall?: CheckCall): Promise<Result> {
    const handler = this.table.get(method);
    if (!handler) throw methodNotFound(method);
    return Promise.resolve(handler(params, context, checkCall));
  }

  private async callTool(
    tools: ToolSource,
    params: Params,
    context: RequestContext,
    checkCall: CheckCall | undefined,
  ): Promise<Result> {
    const name = textParam(params, 'name');
    const args = params['arguments'] ?? {};
    if (!isObject(args)) throw new ProtocolError(ErrorCode.invalidParams, 'arguments is not an object.');
    const tool = await tools.find(name, context);
    if (!tool) throw new ProtocolError(ErrorCode.invalidParams, `There is no tool "${name}".`);
    checkCall?.(tool, args);
    const problems = (await this.options.validate?.(tool.inputSchema, args)) ?? [];
    if (problems.length > 0) {
      const text = `The arguments of "${name}" do not match its schema: ${problems.join('; ')}.`;
      // Since 2025-11-25, invalid arguments lead to an error result of the tool, so that the model can correct its
      // call. In earlier revisions, they are a protocol error.
      if (!isAtLeast(context.revision, '2025-11-25')) throw new ProtocolError(ErrorCode.invalidParams, text);
      return errorResult(text) as unknown as Result;
    }
    let result: CallToolResult;
    try {
      result = await tools.call(name, args, context);
    } catch (error) {
      if (error instanceof ProtocolError || context.signal.aborted) throw error;
      if (error instanceof UserError) result = errorResult(error.message);
      else {
        this.options.log.write('error', `The tool ${name} failed: ${messageOf(error)}`);
        result = errorResult(`The tool "${name}" failed. The log of the server has the reason.`);
      }
    }
    return callResultFor(result, context.revision);
  }

  private async readResource(resources: ResourceSource, params: Params, context: RequestContext): Promise<Result> {
    const uri = textParam(params, 'uri');
    const contents = await resources.read(uri, context);
    if (!contents) {
      const code = context.era === 'modern' ? ErrorCode.invalidParams : ErrorCode.resourceNotFound;
      throw new ProtocolError(code, 'Resource not found', { uri });
    }
    return { contents };
  }

  private async getPrompt(prompts: PromptSource, params: Params, context: RequestContext): Promise<Result> {
    const name = textParam(params, 'name');
    const args = params['arguments'] ?? {};
    if (!isObject(args)) throw new ProtocolError(ErrorCode.invalidParams, 'arguments is not an object.');
    const prompt = await prompts.find(name, context);
    if (!prompt) throw new ProtocolError(ErrorCode.invalidParams, `There is no prompt "${name}".`);
    const notText = Object.keys(args).find((key) => typeof args[key] !== 'string');
    if (notText !== undefined)
      throw new ProtocolError(ErrorCode.invalidParams, `The argument "${notText}" is not a string.`);
    const missing = prompt.arguments?.find(
      (argument) => argument.required === true && !Object.hasOwn(args, argument.name),
    );
    if (missing)
      throw new ProtocolError(ErrorCode.invalidParams, `The prompt "${name}" needs the argument "${missing.name}".`);
    return promptResultFor(await prompts.get(name, args as Record<string, string>, context), context.revision);
  }

  private async complete(params: Params, context: RequestContext): Promise<Result> {
    const { ref, argument } = params;
    if (!isObject(ref) || !isObject(argument))
      throw new ProtocolError(ErrorCode.invalidParams, 'ref and argument must be objects.');
    const others =
      isObject(params['context']) && isObject(params['context']['arguments']) ? params['context']['arguments'] : {};
    const question: CompletionQuestion = {
      name: textParam(argument, 'name'),
      value: textParam(argument, 'value'),
      others: Object.fromEntries(
        Object.entries(others).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      ),
    };
    return { completion: completionOf(await this.completionFor(ref, question, context)) };
  }

  private async completionFor(
    ref: Params,
    question: CompletionQuestion,
    context: RequestContext,
  ): Promise<CompletionAnswer> {
    const { prompts, resources } = this.options;
    if (ref['type'] === 'ref/prompt') {
      const name = textParam(ref, 'name');
      const prompt = await prompts?.find(name, context);
      if (!prompt) throw new ProtocolError(ErrorCode.invalidParams, `There is no prompt "${name}".`);
      return (await prompts?.complete?.(name, question, context)) ?? [];
    }
    if (ref['type'] === 'ref/resource') {
      const uri = textParam(ref, 'uri');
      if (!resources?.complete) return [];
      const answer = await resources.complete(uri, question, context);
      if (!answer) throw new ProtocolError(ErrorCode.invalidParams, `There is no resource template "${uri}".`);
      return answer;
    }
    throw new ProtocolError(ErrorCode.invalidParams, 'ref is neither ref/prompt nor ref/resource.');
  }

  /** One page of a list. Cursors are opaque, signed, and valid only for their own list. */
  private page<T>(
    kind: string,
    items: readonly T[],
    params: Params,
  ): { items: readonly T[]; next: { nextCursor?: string } } {
    const { pageSize, signer } = this.options;
    const cursor = params['cursor'];
    let start = 0;
    if (cursor !== undefined) {
      const opened = typeof cursor === 'string' ? signer.verify(`cursor ${kind}`, cursor) : undefined;
      if (typeof opened !== 'number')
        throw new ProtocolError(ErrorCode.invalidParams, 'The cursor was not issued by this server.');
      start = opened;
    }
    let end = start;
    let bytes = 0;
    for (; end < items.length && end < start + pageSize; end++) {
      bytes += valueCost(items[end], maxPageBytes);
      if (bytes > maxPageBytes && end > start) break;
    }
    return {
      items: items.slice(start, end),
      next: end < items.length ? { nextCursor: signer.sign(`cursor ${kind}`, end) } : {},
    };
  }
}

/** The error for a method that this server does not have, or does not have in this era. */
export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${method}`);
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== 'string')
    throw new ProtocolError(ErrorCode.invalidParams, `${name} is missing or not a string.`);
  return value;
}

function completionOf(answer: CompletionAnswer): Completion {
  const whole: Completion = isWhole(answer) ? answer : { values: [...answer] };
  if (whole.values.length <= maxCompletions) return { ...whole, hasMore: whole.hasMore ?? false };
  return { values: whole.values.slice(0, maxCompletions), total: whole.total ?? whole.values.length, hasMore: true };
}

function isWhole(answer: CompletionAnswer): answer is Completion {
  return !Array.isArray(answer);
}
