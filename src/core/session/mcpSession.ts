/**
 * A session with an MCP server of either era: the typed calls that the host makes. A codec handles the differences
 * between the eras. This class checks the era only where a tool call depends on it.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { headerParameters, paramHeaders } from '../protocol/headerEncoding.js';
import { ItemWarnings } from '../protocol/itemWarnings.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, RequestOptions, Result } from '../protocol/jsonRpcPeer.js';
import type {
  CallToolResult,
  Completion,
  CompletionReference,
  GetPromptResult,
  JsonSchema,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../protocol/mcp.js';
import type { Era } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';
import {
  callToolResultOf,
  completionOf,
  promptResultOf,
  promptsOf,
  readResourceResultOf,
  resourcesOf,
  resourceTemplatesOf,
  toolsOf,
} from '../protocol/resultGuards.js';
import type { CallOrigin } from './callOrigins.js';
import type { Codec } from './codec.js';
import type { HandshakeOptions, Handshaken, OpenTransport } from './handshake.js';
import { shakeHands } from './handshake.js';
import type { FetchedList } from './listing.js';
import { listAll, ttlOf } from './listing.js';
import { lowerLevel, OriginsOfSession } from './originsOfSession.js';
import type { ServerIdentity } from './serverIdentity.js';
import type { UrlElicitation } from './urlElicitations.js';
import { UrlElicitations } from './urlElicitations.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { tasksExtension } from './serverRequests.js';
import { TaskNews } from './taskNews.js';
import { followTask } from './taskPolling.js';
import type { Wire } from './wire.js';

/** Maximum number of pages that one request may ask the user to visit. */
const maxPages = 8;

export interface SessionOptions extends HandshakeOptions {
  /** Approximate memory limit of all pages of one listing, bytes. Default 64 MiB. */
  maxListBytes?: number | undefined;
  /**
   * Checks structured output against its schema; returns the problems as text, which are none if it matches. Default:
   * no check.
   */
  checkOutput?: ((schema: JsonSchema, value: unknown) => string[] | Promise<string[]>) | undefined;
}

/** Options of a request that a caller behind the host can send. */
export interface CallerOptions extends RequestOptions {
  /** The caller that the request belongs to; default: the host itself. */
  origin?: CallOrigin;
}

export interface ToolCallOptions extends CallerOptions {
  /** Receives the problems of output that does not match its schema; if absent, such a result is an error. */
  onOutputProblems?: (problems: string[]) => void;
}

export class McpSession {
  /** The tools of the last listing; undefined before the first one. */
  private tools: Map<string, Tool> | undefined;
  private subscriptions: Set<string> | undefined;
  private readCache: Map<string, { result: ReadResourceResult; until: number }> | undefined;
  private readonly clock: Clock;
  private readonly warn: (line: string) => void;
  /** Reads the result of a call without special options. Created once, because calls are frequent. */
  private readonly readPlainResult: (result: Result) => CallToolResult;
  /** Whether a call on this connection never needs to be repeated or to be preceded by other requests. */
  private readonly isPlain: boolean;

  private readonly wire: Wire;
  private readonly codec: Codec;
  /** The level of log messages that the host wants. */
  private hostLogLevel: LoggingLevel | undefined;
  /** The lowest level that a caller behind the host has asked for. */
  private callerLogLevel: LoggingLevel | undefined;
  /** The era that the server has shown to support, for `knownEra` of the next connection; undefined if uncertain. */
  readonly shownEra: Era | undefined;

  private constructor(
    { wire, codec, shownEra }: Handshaken,
    private readonly options: SessionOptions,
    private readonly visits: UrlElicitations,
    private readonly taskNews: TaskNews,
    private readonly origins: OriginsOfSession,
  ) {
    this.wire = wire;
    this.codec = codec;
    this.shownEra = shownEra;
    this.clock = options.clock ?? systemClock;
    this.warn = (line) => this.options.listener?.onWarning?.(line);
    this.readPlainResult = (result) => callToolResultOf(result, this.warn);
    this.isPlain = codec.era === 'legacy' && !options.handlers?.elicit;
  }

  /**
   * Connects and does the handshake in the era of the server. Rejects with HostError or ProtocolError; then no
   * connection stays open.
   */
  static async open(openTransport: OpenTransport, options: SessionOptions): Promise<McpSession> {
    const { handlers = {}, listener, clock = systemClock, hold } = options;
    const visits = new UrlElicitations(handlers, clock, hold);
    const onElicitationComplete = (id: string) => {
      visits.complete(id);
      listener?.onElicitationComplete?.(id);
    };
    const origins = new OriginsOfSession(visits.followed, clock);
    const taskNews = new TaskNews();
    const onTaskStatus = (task: Record<string, unknown>) => {
      taskNews.arrived(task);
      listener?.onTaskStatus?.(task);
    };
    const shaken = await shakeHands(openTransport, {
      ...options,
      handlers: origins.handlers,
      listener: {
        ...listener,
        onElicitationComplete,
        onTaskStatus,
        onLog: (message) => origins.log(message, listener),
      },
      hold: visits,
    });
    visits.peer = shaken.wire.peer;
    origins.areRequestsNamed = shaken.codec.era === 'modern';
    return new McpSession(shaken, options, visits, taskNews, origins);
  }

  /** The identity of the server; for display only. */
  get identity(): ServerIdentity {
    return this.codec.identity;
  }

  /** See `SessionOptions`. */
  get maxListBytes(): number | undefined {
    return this.options.maxListBytes;
  }

  /** Process ID or address, for tooltips. */
  get endpoint(): { pid?: number; address?: string } {
    return this.wire.transport.describe?.() ?? {};
  }

  /** True once the connection ended, from either side. */
  get isClosed(): boolean {
    return this.wire.isClosed;
  }

  /** Runs `listener` once when the connection ends, or at once if it has ended. */
  whenClosed(listener: (reason?: Error) => void): Disposable {
    return this.wire.whenClosed(listener);
  }

  /** Fetches every page of `tools/list`; over HTTP in the modern era, tools with invalid header rules are omitted. */
  async listTools(signal?: AbortSignal): Promise<FetchedList<Tool>> {
    if (!this.identity.capabilities.tools) return { items: [], ttlMs: 0 };
    const listing = await this.list('tools/list', toolsOf, signal);
    const byName = new Map<string, Tool>();
    const leftOut = new ItemWarnings(this.warn);
    const items = listing.items.filter((tool) => {
      if (byName.has(tool.name)) {
        leftOut.add(() => `tools/list names "${visibleLine(tool.name, 60)}" more than once; the first one counts.`);
        return false;
      }
      if (this.needsHeaders && tool.inputSchema['properties'] !== undefined) {
        const parameters = headerParameters(tool.inputSchema);
        if ('problem' in parameters) {
          leftOut.add(() => `Skipped the tool "${visibleLine(tool.name, 60)}": ${parameters.problem}.`);
          return false;
        }
      }
      byName.set(tool.name, tool);
      return true;
    });
    leftOut.end('tools');
    this.tools = byName;
    return { items, ttlMs: listing.ttlMs };
  }

  async listResources(signal?: AbortSignal): Promise<FetchedList<Resource>> {
    if (!this.identity.capabilities.resources) return { items: [], ttlMs: 0 };
    this.readCache = undefined;
    return this.list('resources/list', resourcesOf, signal);
  }

  async listResourceTemplates(signal?: AbortSignal): Promise<FetchedList<ResourceTemplate>> {
    if (!this.identity.capabilities.resources) return { items: [], ttlMs: 0 };
    return this.list('resources/templates/list', resourceTemplatesOf, signal);
  }

  async listPrompts(signal?: AbortSignal): Promise<FetchedList<Prompt>> {
    if (!this.identity.capabilities.prompts) return { items: [], ttlMs: 0 };
    return this.list('prompts/list', promptsOf, signal);
  }

  /**
   * Runs a tool. A result with `isError` is returned as a result. Rejects with ProtocolError, HostError or the signal's
   * reason. A call that the server may have begun is never sent again, unless the server requests it.
   */
  callTool(
    name: string,
    args: Record<string, unknown> | undefined,
    options?: ToolCallOptions,
  ): Promise<CallToolResult> {
    if (!options?.origin && !this.origins.isUsed) return this.sendToolCall(name, args, options);
    return this.withOrigin(options, `tools/call ${name}`, (own) => this.sendToolCall(name, args, own));
  }

  private sendToolCall(
    name: string,
    args: Record<string, unknown> | undefined,
    options?: ToolCallOptions,
  ): Promise<CallToolResult> {
    const tool = this.tools?.get(name);
    const params: Params = args === undefined ? { name } : { name, arguments: args };
    if (tool?.execution?.taskSupport === 'required' && this.hasLegacyTasks)
      return this.callAsTask(tool, params, options);
    if (this.isPlain && !tool?.outputSchema)
      return this.codec.request('tools/call', params, options, this.readPlainResult);
    const answer = this.needsHeaders
      ? this.codec.request('tools/call', params, { ...options, name, paramHeaders: this.paramHeadersOf(tool, args) })
      : this.codec.request('tools/call', params, options);
    return answer.then(
      (result) => this.finishCall(tool, result, options),
      (error: unknown) => this.recoverCall(error, name, params, args, options),
    );
  }

  async readResource(uri: string, options?: CallerOptions): Promise<ReadResourceResult> {
    const cached = this.readCache?.get(uri);
    if (cached && cached.until > this.clock.now()) return cached.result;
    if (!options?.origin && !this.origins.isUsed) return this.sendRead(uri, options);
    return this.withOrigin(options, `resources/read ${uri}`, (own) => this.sendRead(uri, own));
  }

  private async sendRead(uri: string, options?: CallerOptions): Promise<ReadResourceResult> {
    const ask = () => this.codec.request('resources/read', { uri }, { ...options, name: uri });
    const raw = await ask().catch((error: unknown) => this.afterVisits(error, ask, options?.signal));
    const result = readResourceResultOf(raw, this.warn);
    const ttlMs = ttlOf(raw);
    if (ttlMs > 0) {
      this.readCache ??= new Map();
      if (this.readCache.size >= 64) this.readCache.clear();
      this.readCache.set(uri, { result, until: this.clock.now() + ttlMs });
    }
    return result;
  }

  async getPrompt(
    name: string,
    args: Record<string, string> | undefined,
    options?: CallerOptions,
  ): Promise<GetPromptResult> {
    if (!options?.origin && !this.origins.isUsed) return this.sendPromptRequest(name, args, options);
    return this.withOrigin(options, `prompts/get ${name}`, (own) => this.sendPromptRequest(name, args, own));
  }

  private async sendPromptRequest(
    name: string,
    args: Record<string, string> | undefined,
    options?: CallerOptions,
  ): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    const ask = () => this.codec.request('prompts/get', params, { ...options, name });
    return promptResultOf(
      await ask().catch((error: unknown) => this.afterVisits(error, ask, options?.signal)),
      this.warn,
    );
  }

  /**
   * Empty if the server does not declare the completions capability. Revisions before 2025-03-26 do not define it, so
   * servers of those revisions are always asked.
   */
  async complete(
    reference: CompletionReference,
    argument: { name: string; value: string },
    context?: Record<string, string>,
    options?: RequestOptions,
  ): Promise<Completion> {
    const { capabilities, revision } = this.identity;
    if (!capabilities.completions && isAtLeast(revision, '2025-03-26')) return { values: [] };
    const withContext = context && isAtLeast(revision, '2025-06-18') ? { context: { arguments: context } } : {};
    return completionOf(
      await this.codec.request('completion/complete', { ref: reference, argument, ...withContext }, options),
    );
  }

  /** Subscribes to updates of a resource, which arrive in `onResourceUpdated` of the listener. */
  async subscribe(uri: string): Promise<void> {
    const wanted = (this.subscriptions ??= new Set());
    if (wanted.has(uri)) return;
    wanted.add(uri);
    await this.codec.setSubscriptions(wanted);
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.subscriptions?.delete(uri)) await this.codec.setSubscriptions(this.subscriptions);
  }

  /** Discards cached results; called after `onResourceUpdated` and list changes. */
  forgetCached(uri?: string): void {
    if (uri === undefined) this.readCache = undefined;
    else this.readCache?.delete(uri);
  }

  setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    this.hostLogLevel = level;
    return this.codec.setLogLevel(lowerLevel(level, this.callerLogLevel));
  }

  rootsChanged(): void {
    this.codec.rootsChanged();
  }

  /** Resolves when the server answers; rejects with HostError `timeout` after `timeoutMs`. */
  ping(timeoutMs = 10_000): Promise<void> {
    return this.codec.ping(timeoutMs);
  }

  /** Sends any request unchanged and returns the unprocessed answer: for protocol extensions and server developers. */
  request(method: string, params?: Params, options?: RequestOptions & { name?: string }): Promise<Result> {
    if (method !== 'tools/call' || !this.needsHeaders) return this.codec.request(method, params, options);
    const { name, arguments: args } = params ?? {};
    const tool = typeof name === 'string' ? this.tools?.get(name) : undefined;
    return this.codec.request(method, params, {
      ...options,
      paramHeaders: this.paramHeadersOf(tool, isObject(args) ? args : undefined),
    });
  }

  /** Declares the connection lost: open requests reject with `reason`, as if the server had closed it. */
  drop(reason: HostError): void {
    this.wire.onClose(reason);
  }

  /**
   * Orderly shutdown; resolves when everything is closed. A second call during the shutdown ends it at once. @param why
   * the error for open requests.
   */
  close(why?: HostError): Promise<void> {
    this.codec.dispose();
    return this.wire.close({ why });
  }

  /** Ends the orderly shutdown at once. */
  kill(): void {
    this.wire.transport.kill?.();
  }

  /** Sends a request for its caller, which then receives what the server sends during the request. */
  private async withOrigin<T, O extends CallerOptions>(
    options: O | undefined,
    subject: string,
    send: (options: O & { handlers?: ServerRequestHandlers }) => Promise<T>,
  ): Promise<T> {
    const origin = options?.origin ?? this.origins.ofHost;
    const level = lowerLevel(origin.logLevel, this.callerLogLevel);
    if (level !== this.callerLogLevel) {
      this.callerLogLevel = level;
      await this.codec.setLogLevel(lowerLevel(this.hostLogLevel, level));
    }
    const own = {
      ...options,
      ...(options?.origin ? { handlers: this.origins.handlersOf(origin) } : {}),
      ...(origin.capabilities ? { asksFor: origin.capabilities } : {}),
    } as O;
    return this.origins.calls.run(origin, subject, options?.signal, () => send(own));
  }

  private get needsHeaders(): boolean {
    return this.codec.era === 'modern' && this.wire.transport.kind === 'http';
  }

  private get hasLegacyTasks(): boolean {
    return this.codec.era === 'legacy' && this.identity.capabilities.tasks !== undefined;
  }

  private list<T>(
    method: string,
    read: (result: Result, warn: (line: string) => void) => T[],
    signal: AbortSignal | undefined,
  ): Promise<FetchedList<T>> {
    return listAll(
      method,
      (name, params) => this.codec.request(name, params, { signal }),
      read,
      this.warn,
      this.maxListBytes,
    );
  }

  private paramHeadersOf(tool: Tool | undefined, args: Record<string, unknown> | undefined): Record<string, string> {
    if (!tool || !args) return {};
    const parameters = headerParameters(tool.inputSchema);
    return 'problem' in parameters ? {} : paramHeaders(parameters.ok, args);
  }

  private finishCall(
    tool: Tool | undefined,
    result: Result,
    options: ToolCallOptions | undefined,
  ): CallToolResult | Promise<CallToolResult> {
    if (result['resultType'] === 'task' || (result['content'] === undefined && isObject(result['task']))) {
      return this.follow(result, options).then((final) => this.checked(tool, final, options));
    }
    return this.checked(tool, result, options);
  }

  /** Loads only the schema of the called tool, and only if there is output to check. */
  private checked(
    tool: Tool | undefined,
    raw: Result,
    options: ToolCallOptions | undefined,
  ): CallToolResult | Promise<CallToolResult> {
    const result = callToolResultOf(raw, this.warn);
    const schema = tool?.outputSchema;
    if (!schema || !this.options.checkOutput || result.isError === true) return result;
    if (result.structuredContent === undefined) {
      return this.reportOutput(
        ['The tool declares an output schema but sent no structured content.'],
        tool.name,
        result,
        options,
      );
    }
    const found = this.options.checkOutput(schema, result.structuredContent);
    if (Array.isArray(found)) return this.reportOutput(found, tool.name, result, options);
    return found.then((problems) => this.reportOutput(problems, tool.name, result, options));
  }

  private reportOutput(
    problems: string[],
    tool: string,
    result: CallToolResult,
    options: ToolCallOptions | undefined,
  ): CallToolResult {
    if (problems.length === 0) return result;
    if (options?.onOutputProblems) {
      options.onOutputProblems(problems);
      return result;
    }
    throw new HostError(
      'invalid-message',
      `The structured output of "${visibleLine(tool, 60)}" does not fit its own output schema: ${visibleLine(problems[0] ?? '')}`,
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
    options: ToolCallOptions | undefined,
  ): Promise<CallToolResult> {
    if (error instanceof ProtocolError && error.code === ErrorCode.headerMismatch && this.needsHeaders) {
      await this.listTools(options?.signal);
      const tool = this.tools?.get(name);
      const result = await this.codec.request('tools/call', params, {
        ...options,
        name,
        paramHeaders: this.paramHeadersOf(tool, args),
      });
      return this.finishCall(tool, result, options);
    }
    const result = await this.afterVisits(
      error,
      () => this.codec.request('tools/call', params, options),
      options?.signal,
    );
    return this.finishCall(this.tools?.get(name), result, options);
  }

  /**
   * 2025-11-25, error -32042: the user must visit pages before the request can run. Repeats it after the user has
   * visited all of them; rejects with `error` for any other error, or if the user declines.
   */
  private async afterVisits(
    error: unknown,
    repeat: () => Promise<Result>,
    signal = new AbortController().signal,
  ): Promise<Result> {
    if (
      !(error instanceof ProtocolError) ||
      error.code !== ErrorCode.urlElicitationRequired ||
      this.codec.era !== 'legacy'
    )
      throw error;
    const elicitations =
      isObject(error.data) && Array.isArray(error.data['elicitations'])
        ? (error.data['elicitations'] as unknown[]).filter(isObject)
        : [];
    if (!this.options.handlers?.elicit || elicitations.length === 0 || elicitations.length > maxPages) throw error;
    for (const { url, message, elicitationId } of elicitations) {
      if (typeof url !== 'string') throw error;
      const request: UrlElicitation = {
        mode: 'url',
        url,
        message: typeof message === 'string' ? message : '',
        ...(typeof elicitationId === 'string' ? { elicitationId } : {}),
      };
      if (!(await this.visits.visit(request, signal))) throw error;
    }
    return repeat();
  }

  private async callAsTask(tool: Tool, params: Params, options: ToolCallOptions | undefined): Promise<CallToolResult> {
    const run = async () => {
      const created = await this.codec.request(
        'tools/call',
        { ...params, task: { ttl: 3_600_000 } },
        { ...options, onProgress: undefined },
      );
      return isObject(created['task']) ? this.follow(created, options) : created;
    };
    return this.checked(
      tool,
      await run().catch((error: unknown) => this.afterVisits(error, run, options?.signal)),
      options,
    );
  }

  private follow(created: Result, options: ToolCallOptions | undefined): Promise<Result> {
    return followTask(created, {
      send: (method, params, requestOptions) => this.codec.request(method, params, requestOptions),
      handlers: this.options.handlers ?? {},
      news: this.taskNews,
      mustListen: this.codec.era === 'modern' && isObject(this.identity.capabilities.extensions?.[tasksExtension]),
      clock: this.clock,
      signal: options?.signal,
      onProgress: options?.onProgress,
    });
  }
}
