/**
 * Forwards each request from its caller to the session, and the response back to the caller. Tool calls are approved or
 * refused first, and a stopped server is started. Failures get the name of the server and are logged.
 */
import type { CallerLife } from '../base/callerLife.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { CallSignal } from '../base/lightAbort.js';
import { untilAborted } from '../base/withTimeLimit.js';
import type {
  CallOptions,
  CompletionRequest,
  PromptRequest,
  ResourceRequest,
  ToolCall,
  ToolCallOptions,
  WrittenRequest,
} from '../catalog/hostTypes.js';
import type { CallAdmissionDeps } from './callAdmission.js';
import { CallAdmission } from './callAdmission.js';
import { failCall } from './callFailure.js';
import type { ManagedServer } from './managedServer.js';
import { notSent } from './endReasons.js';
import type { CallToolResult, Completion, GetPromptResult, ReadResourceResult, Tool } from '../protocol/mcp.js';
import type { McpSession } from '../session/mcpSession.js';
import type { StartOptions } from './serverLifecycle.js';
import type { SkillEntry } from '../skills/skillEntry.js';
import type { SignIns } from './signIns.js';

export interface ServerCallsDeps extends CallAdmissionDeps {
  readonly signIns: SignIns;
  /** The server with this ID. Throws `unknown-server` if there is none. */
  find(id: string): ManagedServer;
  start(id: string, options: StartOptions): Promise<void>;
}

export interface SubscribeOptions extends Pick<CallOptions, 'isUnattended'> {
  /**
   * The gateway client that subscribes. For a server with one process per client, updates come from the process of that
   * client.
   */
  life?: CallerLife;
}

/** Requests to servers. A stopped server is started first, unless the comment of a method states otherwise. */
export interface CallsApi {
  /** The tool with its schemas. Rejects with `unknown-tool`, or with `list-failed` if the tools could not be listed. */
  findTool(server: string, tool: string): Promise<Tool>;
  /**
   * Calls a tool. Rejects with `call-refused` when a rule or the user refuses the call, and with `tool-changed` when
   * the tool differs from the approved one.
   */
  runTool(call: ToolCall, options: ToolCallOptions): Promise<CallToolResult>;
  readResource(request: ResourceRequest, options?: CallOptions): Promise<ReadResourceResult>;
  /**
   * The skill whose `SKILL.md` has this URI, whether or not the skill is listed. Reads no file. Rejects with
   * `unknown-skill`, or with `unsupported` if the server has no skills. `readResource` reads the files of the skill and
   * rejects with `verification-failed` if a file differs from the listed one.
   */
  findSkill(request: ResourceRequest, options?: CallOptions): Promise<SkillEntry>;
  getPrompt(request: PromptRequest, options?: CallOptions): Promise<GetPromptResult>;
  complete(request: CompletionRequest, options?: CallOptions): Promise<Completion>;
  /**
   * Calls `onDidUpdate` for updates of one resource until disposed, across restarts of the server. It is never called
   * for servers that cannot report updates.
   */
  subscribe(
    request: { server: string; uri: string },
    onDidUpdate: () => void,
    options?: SubscribeOptions,
  ): Promise<Disposable>;
  /**
   * Sends a request that the user wrote, unchanged; never starts a server. A `tools/call` takes the same path as
   * `runTool`.
   */
  sendRequest(request: WrittenRequest, options?: CallOptions): Promise<unknown>;
  /**
   * Checks that a running server answers, using the ping method of its era. Rejects like any request, and with
   * HostError `not-running`.
   */
  ping(server: string, timeoutMs: number): Promise<void>;
}

export class ServerCalls implements CallsApi {
  private readonly admission: CallAdmission;

  constructor(private readonly deps: ServerCallsDeps) {
    this.admission = new CallAdmission(deps);
  }

  async findTool(server: string, tool: string): Promise<Tool> {
    const hosted = await this.running(server);
    hosted.noteUse('tools');
    const found = hosted.findTool(tool) ?? (await this.afterListing(hosted, tool));
    if (!found) {
      throw new HostError('unknown-tool', `The server "${hosted.entry.id}" has no tool "${visibleLine(tool, 120)}".`, {
        data: { server, tool },
      });
    }
    return found;
  }

  /**
   * Requests the tools again if the last listing failed, because only a complete listing shows that a tool is unknown.
   * Throws `list-failed` if the listing fails again.
   */
  private async afterListing(hosted: ManagedServer, tool: string): Promise<Tool | undefined> {
    const failed = () => hosted.view.features?.failedLists?.find(({ list }) => list === 'tools');
    if (!failed()) return undefined;
    await hosted.listAgain();
    const problem = failed();
    if (!problem) return hosted.findTool(tool);
    throw new HostError(
      'list-failed',
      `The server could not list its tools, so it is not known whether it has "${visibleLine(tool, 120)}": ${problem.reason}.`,
      { data: { server: hosted.entry.id, list: 'tools', reason: problem.reason, tool } },
    );
  }

  async runTool(call: ToolCall, options: ToolCallOptions): Promise<CallToolResult> {
    const values = call.arguments ?? {};
    this.admission.refuseSwitchedOff(call);
    const known = this.deps.find(call.server);
    // Only the user starts a server for a call that a rule denies.
    if (!known.session && options.caller !== 'user') this.admission.refuseEarly(known, call.tool, values, options);
    options.signal?.throwIfAborted();
    const server = known.session ? known : await this.running(call.server, options);
    const { lastEnd } = server;
    return await this.admission.run(server, call.tool, values, options, () => {
      // The server was stopped while the call waited for approval, so the call must not start the server again.
      if (!server.session && server.lastEnd && server.lastEnd !== lastEnd)
        return failCall(this.deps, server.entry.id, call.tool, notSent(server.lastEnd.reason));
      return this.callTool(server, call.tool, values, options);
    });
  }

  readResource(
    { server, uri, isFresh = false }: ResourceRequest,
    options: CallOptions = {},
  ): Promise<ReadResourceResult> {
    return this.whileFollowingLog(server, uri, options, (session) => {
      this.deps.peek(server)?.noteUse('resources');
      if (isFresh) session.forgetCached(uri);
      // Files of skills are verified against the listing for every caller.
      const skills = this.deps.peek(server)?.skills;
      return skills?.holds(uri) === true ? skills.read(uri, options) : session.readResource(uri, options);
    });
  }

  async findSkill({ server, uri }: ResourceRequest, options: CallOptions = {}): Promise<SkillEntry> {
    const hosted = await this.running(server, options);
    const { skills } = hosted;
    if (!skills)
      throw new HostError('unsupported', `The server "${hosted.entry.id}" has no skills.`, {
        data: { server, why: 'no-skills' },
      });
    return this.asking(server, uri, options, () => skills.find(uri, options.signal));
  }

  getPrompt(request: PromptRequest, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.whileFollowingLog(request.server, request.prompt, options, (session) => {
      this.deps.peek(request.server)?.noteUse('prompts');
      return session.getPrompt(request.prompt, request.arguments, options);
    });
  }

  async sendRequest(request: WrittenRequest, options: CallOptions = {}): Promise<unknown> {
    const { server, method, params = {} } = request;
    const { hosted, session } = this.open(server);
    const { name, arguments: values } = params;
    const target = typeof name === 'string' ? name : typeof params['uri'] === 'string' ? params['uri'] : undefined;
    const send = () =>
      this.asking(server, target ?? method, options, () =>
        session.request(method, params, { ...options, ...(target === undefined ? {} : { name: target }) }),
      );
    if (method !== 'tools/call') return send();
    if (typeof name !== 'string')
      throw new HostError('invalid-arguments', 'A tools/call must name its tool in "name".', {
        data: { server, isNameless: true },
      });
    this.admission.refuseSwitchedOff({ server, tool: name });
    return this.admission.run(hosted, name, isObject(values) ? values : {}, { ...options, caller: 'user' }, send);
  }

  async ping(server: string, timeoutMs: number): Promise<void> {
    await this.open(server)
      .session.ping(timeoutMs)
      .catch((error: unknown) => failCall(this.deps, server, 'ping', error));
  }

  async complete(
    { server, reference, argument, context }: CompletionRequest,
    { origin, signal, isUnattended }: CallOptions = {},
  ): Promise<Completion> {
    const hosted = await this.running(server, { isUnattended, signal });
    if (!hosted.session) return { values: [] };
    return hosted
      .withSession(origin, hosted.session, (session) => session.complete(reference, argument, context, { signal }))
      .catch((error: unknown) => failCall(this.deps, server, argument.name, error));
  }

  async subscribe(
    { server, uri }: { server: string; uri: string },
    onDidUpdate: () => void,
    options: SubscribeOptions = {},
  ): Promise<Disposable> {
    const hosted = await this.running(server, options);
    return hosted
      .subscribe(uri, onDidUpdate, options.life)
      .catch((error: unknown) => failCall(this.deps, server, uri, error));
  }

  /** Returns the server and its session; throws if the server is not running. */
  private open(server: string): { hosted: ManagedServer; session: McpSession } {
    const hosted = this.deps.find(server);
    const { session } = hosted;
    if (!session)
      throw new HostError('not-running', `"${hosted.entry.name}" is not running, so nothing can be sent to it.`, {
        data: { server, why: 'idle' },
      });
    return { hosted, session };
  }

  private callTool(
    server: ManagedServer,
    tool: string,
    values: Record<string, unknown>,
    options: CallOptions,
  ): Promise<CallToolResult> {
    const { session } = server;
    const { id } = server.entry;
    const send = (own: McpSession) => {
      const check = server.checkTool(own, tool);
      return check ? check.then(() => own.callTool(tool, values, options)) : own.callTool(tool, values, options);
    };
    if (session && !options.onLog && !options.onRemark && options.interactive !== true) {
      const since = this.deps.clock.now();
      return server
        .withSession(options.origin, session, send)
        .catch((error: unknown) => failCall(this.deps, id, tool, error, since));
    }
    return this.whileFollowingLog(id, tool, options, send);
  }

  private async whileFollowingLog<T>(
    id: string,
    what: string,
    options: CallOptions,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> {
    const server = await this.running(id, options);
    const { session } = server;
    if (!session)
      throw new HostError('not-running', `"${server.entry.name}" stopped before the request was sent.`, {
        data: { server: id, why: 'stopped' },
      });
    const { onRemark } = options;
    const follow = options.onLog && server.logWriter.follow(options.onLog);
    const watch =
      onRemark &&
      server.logWriter.remarks.watch((remark) => {
        onRemark(remark);
        return true;
      });
    try {
      return await this.asking(id, what, options, () => server.withSession(options.origin, session, work));
    } finally {
      follow?.dispose();
      watch?.dispose();
    }
  }

  /**
   * Runs `work`. If the server requires a sign-in and the user can be asked, asks the user to sign in and runs `work`
   * again.
   */
  private async asking<T>(id: string, what: string, options: CallOptions, work: () => Promise<T>): Promise<T> {
    const since = this.deps.clock.now();
    try {
      return await this.deps.signIns.askingWhenRefused(id, () => options.interactive === true, options.signal, work);
    } catch (error) {
      return failCall(this.deps, id, what, error, since);
    }
  }

  /**
   * Returns the server, and starts it if necessary. Rejects with `unknown-server`, with the error of the start, or with
   * the reason of the signal. The start of a canceled call continues, because other calls may wait for it.
   */
  private async running(id: string, { isUnattended = false, signal }: CallStart = {}): Promise<ManagedServer> {
    const server = this.deps.find(id);
    signal?.throwIfAborted();
    if (server.session) return server;
    const start = this.deps.start(id, { interactive: !isUnattended, isUnlessStopped: isUnattended });
    await untilAborted(start, signal);
    return server;
  }
}

/** The part of the options of a call that a start depends on. */
interface CallStart {
  isUnattended?: boolean | undefined;
  signal?: CallSignal | undefined;
}
