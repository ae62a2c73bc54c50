/**
 * What is asked of servers: the way of each request from whoever wants it to the session and back. A tool's call is let
 * through or refused here, a stopped server is started, and a failure gets its server's name and its line in the log.
 */
import type { Clock } from './base/clock.js';
import { isObject } from './base/guards.js';
import { HostError, isCancelled } from './base/hostError.js';
import { visibleLine } from './base/hostileText.js';
import type { CallOptions, CompletionRequest, PromptRequest, ResourceRequest, ToolCall, ToolCallOptions, WrittenRequest } from './catalog/hostApi.js';
import type { Admission } from './consent/toolConsent.js';
import type { HostedServer } from './hostedServer.js';
import type { HostPorts } from './ports.js';
import { secretArguments } from './present/argumentSteps.js';
import { failureLine, noteServer } from './present/failureText.js';
import { english } from './present/localize.js';
import type { OffReason } from './presets/toolSwitches.js';
import type { CallToolResult, Completion, GetPromptResult, ReadResourceResult, Tool } from './protocol/mcp.js';
import type { McpSession } from './session/mcpSession.js';
import type { SignIns } from './signIns.js';

/** What the calls need of the host. */
export interface ServerCallsDeps {
  readonly clock: Clock;
  readonly consent: HostPorts['consent'];
  readonly signIns: SignIns;
  /** Throws `unknown-server`. */
  find(id: string): HostedServer;
  /** Undefined also for a server that nobody has looked at yet. */
  peek(id: string): HostedServer | undefined;
  start(id: string): Promise<void>;
}

export class ServerCalls {
  constructor(private readonly deps: ServerCallsDeps) {}

  async findTool(server: string, tool: string): Promise<Tool> {
    const hosted = await this.running(server);
    const found = hosted.findTool(tool);
    if (!found) {
      throw new HostError('unknown-tool', `The server "${hosted.entry.id}" has no tool "${visibleLine(tool, 120)}".`, { data: { server }, hint: 'Run "MCP Deck: Run Tool…" to see the tools there are.' });
    }
    return found;
  }

  async runTool(call: ToolCall, options: ToolCallOptions): Promise<CallToolResult> {
    const reason = this.deps.peek(call.server)?.view.switches?.whyOff(call.tool);
    if (reason !== undefined) throw switchedOff(call.server, call.tool, reason);
    const server = await this.running(call.server);
    const values = call.arguments ?? {};
    const admission = await this.admit(server, call.tool, values, options);
    const began = this.deps.clock.now();
    try {
      const result = await this.callTool(server, call.tool, values, options);
      server.stats.recordCall(call.tool, result.isError === true ? 'failed' : 'ok', this.deps.clock.now() - began);
      admission.finish(result.isError === true ? 'tool-error' : 'ok');
      return result;
    } catch (error) {
      const outcome = isCancelled(error) ? 'cancelled' : 'failed';
      server.stats.recordCall(call.tool, outcome, this.deps.clock.now() - began);
      admission.finish(outcome);
      throw error;
    }
  }

  readResource({ server, uri, isFresh = false }: ResourceRequest, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.whileFollowingLog(server, uri, options, (session) => {
      if (isFresh) session.forgetCached(uri);
      return session.readResource(uri, options);
    });
  }

  getPrompt(request: PromptRequest, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.whileFollowingLog(request.server, request.prompt, options, (session) => session.getPrompt(request.prompt, request.arguments, options));
  }

  async sendRequest(request: WrittenRequest, options: CallOptions = {}): Promise<unknown> {
    const { server, method, params = {} } = request;
    const hosted = this.deps.find(server);
    const { session } = hosted;
    if (!session) throw new HostError('not-running', `"${hosted.entry.name}" is not running, so nothing can be sent to it.`, { data: { server }, hint: 'Start it first.' });
    const { name, arguments: values } = params;
    if (method === 'tools/call' && typeof name === 'string') return this.runTool({ server, tool: name, ...(isObject(values) ? { arguments: values } : {}) }, { ...options, caller: 'user' });
    const target = typeof name === 'string' ? name : typeof params['uri'] === 'string' ? params['uri'] : undefined;
    return session.request(method, params, { ...options, ...(target === undefined ? {} : { name: target }) }).catch((error: unknown) => this.failed(server, method, error));
  }

  async complete(request: CompletionRequest, signal?: AbortSignal): Promise<Completion> {
    const hosted = await this.running(request.server);
    const completion = hosted.session?.complete(request.reference, request.argument, request.context, { signal });
    return completion?.catch((error: unknown) => this.failed(request.server, request.argument.name, error)) ?? { values: [] };
  }

  /** The gate that every call of a tool passes, whoever wants it. */
  private async admit(server: HostedServer, name: string, values: Record<string, unknown>, { caller, isAnswered = false, signal }: ToolCallOptions): Promise<Admission> {
    const { entry } = server;
    const current = () => server.findTool(name);
    const listed = current();
    // A tool that is not listed may still answer; it is decided by its name.
    const tool = listed ?? { name, inputSchema: {} };
    const { kind } = entry.source;
    const origin = kind === 'builtin' || kind === 'user' ? kind : 'workspace';
    const called = { id: entry.id, hash: server.connection.attempt?.hash ?? entry.hash, origin } as const;
    try {
      return await this.deps.consent.admit({ server: called, tool, isListed: listed !== undefined, arguments: values, caller, isAnswered, secretArguments: secretArguments(tool.inputSchema, values), secrets: server.logBook.secretValues }, current, signal);
    } catch (error) {
      return this.failed(entry.id, name, error);
    }
  }

  private async callTool(server: HostedServer, tool: string, values: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const { session } = server;
    const { id } = server.entry;
    if (session && !options.onLog && options.interactive !== true) return session.callTool(tool, values, options).catch((error: unknown) => this.failed(id, tool, error));
    return this.whileFollowingLog(id, tool, options, (running) => running.callTool(tool, values, options));
  }

  private async whileFollowingLog<T>(id: string, what: string, options: CallOptions, work: (session: McpSession) => Promise<T>): Promise<T> {
    const server = await this.running(id);
    const { session } = server;
    if (!session) throw new HostError('not-running', `"${server.entry.name}" stopped before the request was sent.`, { data: { server: id } });
    const follow = options.onLog && server.logBook.follow(options.onLog);
    try {
      return await this.deps.signIns.askingWhenRefused(id, () => options.interactive === true, options.signal, () => work(session));
    } catch (error) {
      return this.failed(id, what, error);
    } finally {
      follow?.dispose();
    }
  }

  /** A failure on its way to the caller: it names its server, whose log says the same. */
  private failed(id: string, what: string, error: unknown): never {
    const server = this.deps.peek(id);
    noteServer(error, id);
    if (server && error instanceof Error && !isCancelled(error)) {
      error.message = server.logBook.masked(error.message);
      // What the user or a rule refused is no fault of the server.
      if (!(error instanceof HostError && error.code === 'call-refused')) server.stats.recordError(error, Date.now(), what);
      server.logBook.write('warn', `${visibleLine(what, 120)}: ${failureLine(error, id, english)}`);
    }
    throw error;
  }

  /** The server, started when it is stopped. Rejects with `unknown-server`, or as a start does. */
  async running(id: string): Promise<HostedServer> {
    const server = this.deps.find(id);
    if (!server.session) await this.deps.start(id);
    return server;
  }
}

function switchedOff(server: string, tool: string, reason: OffReason): HostError {
  const why = { user: 'you disabled it', definition: 'the definition of its server disables it', preset: 'the active preset leaves it out' }[reason];
  const hint = reason === 'preset' ? 'Run "MCP Deck: Switch Preset…" to choose another one, or none.' : 'Run "Enable Tool" on it in the Servers view first.';
  return new HostError('unsupported', `The tool "${visibleLine(tool, 120)}" of "${visibleLine(server, 120)}" is off: ${why}.`, { data: { server, reason }, hint });
}
