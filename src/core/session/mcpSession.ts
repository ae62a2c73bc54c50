/**
 * A session with an MCP server of either era: the typed calls that the host makes. A codec handles most differences
 * between the eras. This class checks the era for headers, for tasks, and for requests that the server refuses until
 * the user has visited a page.
 */
import { abortSignalOf } from '../base/lightAbort.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import type { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { headerParameters } from '../protocol/headerEncoding.js';
import { ItemWarnings } from '../protocol/itemWarnings.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { RequestOptions } from '../protocol/pendingRequest.js';
import type {
  CallToolResult,
  Completion,
  CompletionReference,
  GetPromptResult,
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
import { listAll, ListBudget, ttlOf } from './listing.js';
import { lowerLevel, OriginsOfSession } from './originsOfSession.js';
import { ReadCache } from './readCache.js';
import type { ServerIdentity } from './serverIdentity.js';
import { UrlElicitations } from './urlElicitations.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { TaskNews } from './taskNews.js';
import type { CheckOutput, ToolCallRequest } from './toolCalls.js';
import { ToolCalls } from './toolCalls.js';
import type { Wire } from './wire.js';

export interface SessionOptions extends HandshakeOptions {
  /** Approximate memory limit of all lists together, bytes. Default 24 MiB. */
  maxListBytes?: number | undefined;
  /** Checks structured output against its schema. Default: no check. */
  checkOutput?: CheckOutput | undefined;
}

/** Options of a request that can belong to a client of the gateway; see `CallOrigin`. */
export interface CallerOptions extends RequestOptions {
  /** The caller that the request belongs to; default: the host itself. */
  origin?: CallOrigin;
}

export type SessionCallOptions = CallerOptions & ToolCallRequest;

/** The list of a server that does not declare the capability. */
const nothing = (): FetchedList<never> => ({ items: [], ttlMs: 0, missing: [] });

export class McpSession {
  private subscriptions: Set<string> | undefined;
  private readCache: ReadCache | undefined;
  private readonly clock: Clock;
  private readonly warn: (line: string) => void;
  private readonly toolCalls: ToolCalls;
  private readonly wire: Wire;
  private readonly codec: Codec;
  /** The level of log messages that the host wants. */
  private hostLogLevel: LoggingLevel | undefined;
  /** The lowest level that a client of the gateway has asked for. */
  private callerLogLevel: LoggingLevel | undefined;
  /** The era that the server is known to support, for `knownEra` of the next connection; undefined if uncertain. */
  readonly shownEra: Era | undefined;

  /** The memory of all lists of the server. */
  readonly listBudget: ListBudget;

  private constructor(
    { wire, codec, shownEra }: Handshaken,
    private readonly options: SessionOptions,
    private readonly visits: UrlElicitations,
    taskNews: TaskNews,
    private readonly origins: OriginsOfSession,
  ) {
    this.wire = wire;
    this.codec = codec;
    this.shownEra = shownEra;
    this.clock = options.clock ?? systemClock;
    this.listBudget = new ListBudget(options.maxListBytes);
    this.warn = (line) => this.options.listener?.onWarning?.(line);
    this.toolCalls = new ToolCalls({
      codec,
      needsHeaders: this.needsHeaders,
      handlers: options.handlers ?? {},
      visits,
      taskNews,
      clock: this.clock,
      checkOutput: options.checkOutput,
      warn: this.warn,
      refresh: async (signal) => {
        await this.listTools(signal);
        // The owner of the session still has the former list, which may differ from what the session now calls.
        options.listener?.onListChanged?.('tools');
      },
    });
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

  /**
   * Fetches every page of `tools/list`. Omits tools whose name occurs a second time and, over HTTP in the modern era,
   * tools with invalid header annotations.
   */
  async listTools(signal?: AbortSignal): Promise<FetchedList<Tool>> {
    if (!this.identity.capabilities.tools) return nothing();
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
    this.toolCalls.setTools(byName);
    return { ...listing, items };
  }

  async listResources(signal?: AbortSignal): Promise<FetchedList<Resource>> {
    if (!this.identity.capabilities.resources) return nothing();
    this.readCache = undefined;
    return this.list('resources/list', resourcesOf, signal);
  }

  async listResourceTemplates(signal?: AbortSignal): Promise<FetchedList<ResourceTemplate>> {
    if (!this.identity.capabilities.resources) return nothing();
    return this.list('resources/templates/list', resourceTemplatesOf, signal);
  }

  async listPrompts(signal?: AbortSignal): Promise<FetchedList<Prompt>> {
    if (!this.identity.capabilities.prompts) return nothing();
    return this.list('prompts/list', promptsOf, signal);
  }

  /**
   * Runs a tool. A result with `isError` is returned as a result. Rejects with ProtocolError, HostError or the signal's
   * reason. A call that the server may have begun is never sent again, unless the server requests it.
   */
  callTool(
    name: string,
    args: Record<string, unknown> | undefined,
    options?: SessionCallOptions,
  ): Promise<CallToolResult> {
    if (!options?.origin && !this.origins.isUsed) return this.toolCalls.call(name, args, options);
    return this.withOrigin(options, `tools/call ${name}`, (own) => this.toolCalls.call(name, args, own));
  }

  async readResource(uri: string, options?: CallerOptions): Promise<ReadResourceResult> {
    const cached = this.readCache?.get(uri);
    if (cached) return cached;
    if (!options?.origin && !this.origins.isUsed) return this.sendRead(uri, options);
    return this.withOrigin(options, `resources/read ${uri}`, (own) => this.sendRead(uri, own));
  }

  private async sendRead(uri: string, options?: CallerOptions): Promise<ReadResourceResult> {
    const ask = () => this.codec.request('resources/read', { uri }, { ...options, name: uri });
    const raw = await ask().catch((error: unknown) =>
      this.visits.afterRefusal(error, this.codec.era, ask, abortSignalOf(options?.signal)),
    );
    const result = readResourceResultOf(raw, this.warn);
    const ttlMs = ttlOf(raw);
    if (ttlMs > 0) (this.readCache ??= new ReadCache(this.clock)).set(uri, result, ttlMs);
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
      await ask().catch((error: unknown) =>
        this.visits.afterRefusal(error, this.codec.era, ask, abortSignalOf(options?.signal)),
      ),
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
    await this.codec.setSubscription(uri, true);
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.subscriptions?.delete(uri)) await this.codec.setSubscription(uri, false);
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
    return this.codec.request(method, params, {
      ...options,
      paramHeaders: typeof name === 'string' ? this.toolCalls.headersFor(name, isObject(args) ? args : undefined) : {},
    });
  }

  /** Declares the connection lost: open requests reject with `reason`, as if the server had closed it. */
  drop(reason: HostError): void {
    this.wire.onClose(reason);
  }

  /**
   * Orderly shutdown; resolves when everything is closed. A second call joins the shutdown; `kill` shortens it.
   * @param why the error for open requests.
   */
  close(why?: HostError): Promise<void> {
    this.codec.dispose();
    return this.wire.close({ why });
  }

  /** Skips the remaining waits of the shutdown. */
  kill(): void {
    this.wire.transport.kill?.();
  }

  /** Sends a request for its caller, which receives the server's requests and logs until the request ends. */
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
      handlers: options?.origin && this.origins.handlersOf(origin),
      asksFor: origin.capabilities,
      ...options,
    } as unknown as O;
    return await this.origins.calls.run(origin, subject, options?.signal, () => send(own));
  }

  private get needsHeaders(): boolean {
    return this.codec.era === 'modern' && this.wire.transport.kind === 'http';
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
      this.listBudget,
    );
  }
}
