/**
 * The tool calls of a session: the request in the form that the connection needs, and the steps that can follow (a
 * task, a check of the structured output, one repetition after certain refusals).
 */
import { abortSignalOf } from '../base/lightAbort.js';
import type { Clock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { headersOfCalledTool, paramHeaders } from '../protocol/headerEncoding.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { RequestOptions } from '../protocol/pendingRequest.js';
import type { CallToolResult, JsonSchema, Tool } from '../protocol/mcp.js';
import { callToolResultOf } from '../protocol/resultGuards.js';
import type { Codec } from './codec.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { tasksExtension } from './serverRequests.js';
import type { TaskNews } from './taskNews.js';
import { followTask } from './taskPolling.js';
import type { UrlElicitations } from './urlElicitations.js';

/** Checks structured output against its schema. Returns the problems as text; empty if the output matches. */
export type CheckOutput = (schema: JsonSchema, value: unknown) => string[] | Promise<string[]>;

/** Options of a tool call. */
export interface ToolCallRequest extends RequestOptions {
  /** Receives the problems of output that does not match its schema; if absent, such a result is an error. */
  onOutputProblems?: (problems: string[]) => void;
}

export interface ToolCallsOptions {
  codec: Codec;
  /** Whether parameters are repeated as headers (2026-07-28 over HTTP). */
  needsHeaders: boolean;
  handlers: ServerRequestHandlers;
  visits: UrlElicitations;
  taskNews: TaskNews;
  clock: Clock;
  /** Default: no check. */
  checkOutput?: CheckOutput | undefined;
  warn: (line: string) => void;
  /** Fetches the tools again and passes them to `setTools`. */
  refresh: (signal?: AbortSignal) => Promise<unknown>;
}

/** What a call keeps of its tool until the answer arrives: the server may replace the tool, which can be large. */
interface Output {
  tool: string;
  schema: JsonSchema | undefined;
}

function outputOf(tool: string, listed: Tool | undefined): Output {
  return { tool, schema: listed?.outputSchema };
}

export class ToolCalls {
  /** The tools of the last listing; undefined before the first one. */
  private tools: ReadonlyMap<string, Tool> | undefined;
  /** Reads the result of a call that needs no further steps. Created once, because calls are frequent. */
  private readonly readPlainResult: (result: Result) => CallToolResult;
  /** Whether calls on this connection are sent once, because they need neither headers nor a page to visit first. */
  private readonly isPlain: boolean;
  private readonly codec: Codec;

  constructor(private readonly options: ToolCallsOptions) {
    const { codec, handlers, warn } = options;
    this.codec = codec;
    this.readPlainResult = (result) => callToolResultOf(result, warn);
    this.isPlain = codec.era === 'legacy' && !handlers.elicit;
  }

  /** Sets the tools of a new listing. */
  setTools(tools: ReadonlyMap<string, Tool>): void {
    this.tools = tools;
  }

  /** Runs a tool; see `McpSession.callTool`. */
  call(name: string, args: Record<string, unknown> | undefined, options?: ToolCallRequest): Promise<CallToolResult> {
    const tool = this.tools?.get(name);
    const params: Params = args === undefined ? { name } : { name, arguments: args };
    if (tool?.execution?.taskSupport === 'required' && this.hasLegacyTasks)
      return this.callAsTask(outputOf(name, tool), params, options);
    if (this.isPlain && !tool?.outputSchema)
      return this.codec.request('tools/call', params, options, this.readPlainResult);
    const answer = this.options.needsHeaders
      ? this.codec.request('tools/call', params, { name, paramHeaders: this.paramHeadersOf(tool, args), ...options })
      : this.codec.request('tools/call', params, options);
    const output = outputOf(name, tool);
    return answer.then(
      (result) => this.finishCall(output, result, options),
      (error: unknown) => this.recoverCall(error, name, params, args, options),
    );
  }

  /** The `Mcp-Param-*` headers of a call; empty for unknown tools. */
  headersFor(name: string, args: Record<string, unknown> | undefined): Record<string, string> {
    return this.paramHeadersOf(this.tools?.get(name), args);
  }

  private finishCall(
    output: Output,
    result: Result,
    options: ToolCallRequest | undefined,
  ): CallToolResult | Promise<CallToolResult> {
    if (result['resultType'] === 'task' || (result['content'] === undefined && isObject(result['task']))) {
      return this.follow(result, options).then((final) => this.checked(output, final, options));
    }
    return this.checked(output, result, options);
  }

  /** Checks the structured output of a call. The validator compiles only the schema of the called tool. */
  private checked(
    { tool, schema }: Output,
    raw: Result,
    options: ToolCallRequest | undefined,
  ): CallToolResult | Promise<CallToolResult> {
    const result = callToolResultOf(raw, this.options.warn);
    if (!schema || !this.options.checkOutput || result.isError === true) return result;
    if (result.structuredContent === undefined) {
      return this.reportOutput(
        ['The tool declares an output schema but sent no structured content.'],
        tool,
        result,
        options,
      );
    }
    const found = this.options.checkOutput(schema, result.structuredContent);
    if (Array.isArray(found)) return this.reportOutput(found, tool, result, options);
    return found.then((problems) => this.reportOutput(problems, tool, result, options));
  }

  private reportOutput(
    problems: string[],
    tool: string,
    result: CallToolResult,
    options: ToolCallRequest | undefined,
  ): CallToolResult {
    if (problems.length === 0) return result;
    if (options?.onOutputProblems) {
      options.onOutputProblems(problems);
      return result;
    }
    throw new HostError(
      'invalid-message',
      `The structured output of "${visibleLine(tool, 60)}" does not match its output schema: ${visibleLine(problems[0] ?? '')}`,
      {
        data: { problem: 'output', subject: tool, method: 'tools/call', problems, result },
        hint: 'This is a fault of the server.',
      },
    );
  }

  /**
   * Repeats a call after the two kinds of refusals that allow a repetition. In both, the server did not run the call
   * and stated what it needs.
   */
  private async recoverCall(
    error: unknown,
    name: string,
    params: Params,
    args: Record<string, unknown> | undefined,
    options: ToolCallRequest | undefined,
  ): Promise<CallToolResult> {
    if (error instanceof ProtocolError && error.code === ErrorCode.headerMismatch && this.options.needsHeaders) {
      await this.options.refresh(abortSignalOf(options?.signal));
      const output = outputOf(name, this.tools?.get(name));
      const result = await this.codec.request('tools/call', params, {
        ...options,
        name,
        paramHeaders: this.headersFor(name, args),
      });
      return this.finishCall(output, result, options);
    }
    const result = await this.options.visits.afterRefusal(
      error,
      this.codec.era,
      () => this.codec.request('tools/call', params, options),
      abortSignalOf(options?.signal),
    );
    return this.finishCall(outputOf(name, this.tools?.get(name)), result, options);
  }

  private async callAsTask(
    output: Output,
    params: Params,
    options: ToolCallRequest | undefined,
  ): Promise<CallToolResult> {
    const run = async () => {
      const created = await this.codec.request(
        'tools/call',
        { ...params, task: { ttl: 3_600_000 } },
        { ...options, onProgress: undefined },
      );
      return isObject(created['task']) ? this.follow(created, options) : created;
    };
    return this.checked(
      output,
      await run().catch((error: unknown) =>
        this.options.visits.afterRefusal(error, this.codec.era, run, abortSignalOf(options?.signal)),
      ),
      options,
    );
  }

  private follow(created: Result, options: ToolCallRequest | undefined): Promise<Result> {
    return followTask(created, {
      send: (method, params, requestOptions) => this.codec.request(method, params, requestOptions),
      handlers: this.options.handlers,
      news: this.options.taskNews,
      mustListen:
        this.codec.era === 'modern' && isObject(this.codec.identity.capabilities.extensions?.[tasksExtension]),
      clock: this.options.clock,
      signal: abortSignalOf(options?.signal),
      onProgress: options?.onProgress,
    });
  }

  private get hasLegacyTasks(): boolean {
    return this.codec.era === 'legacy' && this.codec.identity.capabilities.tasks !== undefined;
  }

  private paramHeadersOf(tool: Tool | undefined, args: Record<string, unknown> | undefined): Record<string, string> {
    if (!tool || !args) return {};
    const parameters = headersOfCalledTool(tool.inputSchema);
    return 'problem' in parameters ? {} : paramHeaders(parameters.ok, args);
  }
}
