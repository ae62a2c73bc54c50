import { systemClock } from '../base/clock.js';
import type { HostErrorCode } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Inspection, TrialChange } from '../catalog/inspection.js';
import type { DebugRun } from '../debug/debugRun.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { debuggedStart } from '../debug/debuggedStart.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import { resolveDefinition } from '../config/resolveDefinition.js';
import { debugpyProgram, inputsOfStart } from '../config/definitionPaths.js';
import type { JsonSchema } from '../protocol/mcp.js';
import type { Era } from '../protocol/revisions.js';
import { debugpyPathOf } from '../config/dev.js';
import type { ServerLogWriter } from './serverLogWriter.js';
import type { KeptPorts } from './keptStores.js';
import { LocalProcesses } from './localProcesses.js';
import { StartApproval, notApproved, workspaceNotTrusted } from './startApproval.js';
import { StartInputs } from './startInputs.js';
import type { Preparation } from './startPreparation.js';
import { beginPreparation, startTime, tooLate } from './startPreparation.js';
import type { PolicySubject } from '../registry/serverMatcher.js';
import { blockedBy, blockedError, subjectOf } from '../registry/serverPolicy.js';
import type { ToolSwitches } from '../presets/toolSwitches.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SessionListener } from '../session/codec.js';
import type { OpenTransport } from '../session/handshake.js';
import { usualListBytes } from '../session/listing.js';
import { McpSession } from '../session/mcpSession.js';
import type { ServerRequestHandlers } from '../session/serverRequests.js';
import { HttpConnections } from '../transport/http/httpConnections.js';
import type { Authorizer } from '../auth/authorizer.js';
import type { ResolvedRemote, SignIns } from './signIns.js';
import type { ServerStats } from '../stats/serverStats.js';
import type { TapHolder } from '../trace/messageTap.js';
import { stateKeys } from '../base/stores.js';
import { openRemote } from '../transport/remoteTransport.js';

export interface McpHostOptions {
  /** Disabled tools; default none. */
  switches?: ToolSwitches;
  /** Checks structured output against its schema; the implementation is loaded on first use. */
  checkOutput?: (schema: JsonSchema, value: unknown) => string[] | Promise<string[]>;
}

/** The result of everything that can fail before the server starts: approval, variables, files. */
export interface PreparedStart {
  readonly entry: ServerEntry;
  readonly openTransport: OpenTransport;
  /** Values that must never be shown. */
  readonly secretValues: readonly string[];
  /** The working directory of a local server, absolute. */
  readonly cwd: string | undefined;
}

/** What is recorded about a server, across its restarts. */
export interface ServerRecords {
  /** Listeners for the messages of the server. */
  readonly tap: TapHolder;
  /** Counts the messages of the server. */
  readonly stats: ServerStats;
  /** Receives the secret values before a process or connection is started. */
  readonly logWriter: ServerLogWriter;
}

/** The parts of a managed server that the opener uses. */
export interface OpenedServer extends ServerRecords {
  /** Present if the server is started under a debugger. */
  readonly debugRun: DebugRun | undefined;
}

/**
 * Opens a session for a server entry. The order of the steps ensures that nothing runs without consent: workspace
 * trust, approval of the exact definition, then variables and secrets, then the process or socket.
 */
export class SessionOpener {
  /** Input values that the user typed. */
  readonly inputs: StartInputs;
  readonly approval: StartApproval;
  private readonly processes: LocalProcesses;
  private readonly connections = new HttpConnections({
    leavesAgent: () => this.ports.machine.getSetting('http.proxySupport') === 'on',
  });

  constructor(
    private readonly ports: KeptPorts,
    private readonly options: McpHostOptions,
    private readonly signIns: SignIns,
  ) {
    this.processes = new LocalProcesses(ports);
    this.inputs = new StartInputs(ports, this.processes);
    this.approval = new StartApproval(ports, this.processes);
  }

  /**
   * Asks for approval, resolves variables and reads files for a start; starts nothing. If it rejects (with HostError),
   * nothing needs to be undone. The start timeout (`startTimeoutMs`) applies, but does not include the time for
   * questions to the user.
   * @param start.isInteractive whether the user may be asked.
   * @param start.debug present if the server is to be started under a debugger.
   * @param start.onQuestion called when the user is asked, and again with false after the answer.
   * @param signal cancels the preparation at any point.
   */
  async prepare(
    entry: ServerEntry,
    {
      isInteractive,
      debug,
      onQuestion,
    }: { isInteractive: boolean; debug?: DebugPlan | undefined; onQuestion?: (isAsking: boolean) => void },
    signal?: AbortSignal,
  ): Promise<PreparedStart> {
    this.refuseBlocked(entry);
    const start = beginPreparation(this.ports, entry, isInteractive, signal, onQuestion);
    await this.approval.approve(entry, start, debug);
    return this.resolveStart(entry, start, debug);
  }

  /** Approves a definition that the user saw in full: see `StartApproval.approveShown`. */
  async approveShown(entry: ServerEntry, shown: string): Promise<void> {
    const start = beginPreparation(this.ports, entry, false);
    // A value that is not stored or cannot be read is requested by the start, which then asks for approval of it.
    for (const id of inputsOfStart(entry.definition, entry.inputs))
      await this.inputs.value(entry, id, start).catch(() => undefined);
    await this.approval.approveShown(entry, start, shown);
  }

  /** Opens the session. If it rejects (with HostError), nothing is left open. */
  async open(
    { entry, openTransport, secretValues, cwd }: PreparedStart,
    server: OpenedServer,
    listener: SessionListener,
    signal: AbortSignal,
  ): Promise<McpSession> {
    const { debugRun } = server;
    const { definition } = entry;
    const settings = this.ports.settings.current();
    if (debugRun) debugRun.cwd = cwd;
    server.logWriter.hide(secretValues);
    signal.throwIfAborted();
    const opening = McpSession.open(openTransport, {
      client: this.ports.client,
      handlers: this.handlers(entry),
      listener,
      protocol: definition.protocol ?? 'auto',
      knownEra: this.eras()[entry.hash],
      mayFallBackToSse: definition.type === 'auto',
      maxMessagesPerSecond: definition.maxMessagesPerSecond,
      timeoutMs: definition.timeoutMs ?? settings.requestTimeoutMs,
      startTimeoutMs: definition.startTimeoutMs ?? settings.startTimeoutMs,
      // Items often need twice the memory of their JSON, so a list in one message fits if the limit of messages is small.
      maxListBytes: Math.min(2 * settings.maxMessageBytes, usualListBytes),
      checkOutput: this.options.checkOutput,
      hold: debugRun,
      isDebugged: debugRun !== undefined,
      clock: this.ports.clock ?? systemClock,
      signal,
      tap: server.tap,
      traffic: server.stats.traffic,
    });
    const session = await (entry.inputs.length === 0
      ? opening
      : opening.catch((error: unknown) => Promise.reject(withInputs(error))));
    // The era is stored per definition, so that it is detected only once.
    if (session.shownEra !== undefined && session.shownEra !== this.eras()[entry.hash])
      this.rememberEra(entry, session.shownEra);
    return session;
  }

  /**
   * Creates the authorizer of a remote server, even if the server has never been connected. Requires the same approval
   * and inputs as a start.
   */
  async prepareSignIn(entry: ServerEntry): Promise<void> {
    this.refuseBlocked(entry);
    const start = beginPreparation(this.ports, entry, true);
    await this.approval.approve(entry, start);
    if (entry.definition.type === 'stdio' || entry.definition.type === 'builtin') return;
    const resolved = await this.resolve(entry, start);
    if (resolved.type !== 'stdio') await this.authorizerFor(entry, resolved, start);
  }

  /** The detected era of each definition, by its hash. */
  private eras(): Record<string, Era> {
    return (this.ports.state.get(stateKeys.eras) as Record<string, Era> | undefined) ?? {};
  }

  /**
   * Stores the detected era. This is not awaited, because while a window opens, VS Code can take more than a second to
   * store a value.
   */
  private rememberEra({ hash, id }: ServerEntry, era: Era): void {
    void this.ports.state.set(stateKeys.eras, { ...this.eras(), [hash]: era }, id);
  }

  /**
   * Ends the processes that an earlier window left behind when it was killed. From then on, records the processes of
   * this window.
   */
  reapOrphans(): Promise<void> {
    return this.processes.reapOrphans();
  }

  close(): Promise<void> {
    this.processes.dispose();
    return Promise.resolve();
  }

  /** Returns the values that a start would use. Asks no questions; only `tryStart` of the result starts the server. */
  async inspect(entry: ServerEntry): Promise<Inspection> {
    const { trust, machine } = this.ports;
    const start = beginPreparation(this.ports, entry, false);
    const isTrusted = entry.source.kind === 'builtin' || trust.isWorkspaceTrusted();
    const isOpen = isTrusted && (await this.approval.isNeeded(entry, start));
    const blocked = this.blockedBy(entry);
    const refusal = blocked
      ? blockedError(entry.id, blocked)
      : !isTrusted
        ? workspaceNotTrusted()
        : isOpen
          ? notApproved(entry)
          : undefined;
    return {
      entry,
      refusal,
      resolve: () => this.resolve(entry, start),
      environment: (resolved) => this.processes.environment(resolved),
      authorizer: (resolved) => this.authorizerFor(entry, resolved, start),
      tryStart: (change, timeoutMs, signal) => this.tryStart(entry, start, change, timeoutMs, signal),
      platform: machine.platform,
      env: machine.env,
      getSetting: (key) => machine.getSetting(key),
    };
  }

  private async tryStart(
    entry: ServerEntry,
    { context, inputs }: Preparation,
    change: TrialChange,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { definition } = entry;
    if (definition.type !== 'stdio') throw new HostError('internal', 'Only local servers have trial starts.');
    const changed = { ...definition, ...change };
    const start = { isInteractive: false, time: startTime(this.ports, entry, signal), context, inputs };
    const { openTransport } = await this.resolveStart({ ...entry, definition: changed }, start, undefined);
    const { client, clock = systemClock } = this.ports;
    const session = await McpSession.open(openTransport, {
      client,
      protocol: changed.protocol ?? 'auto',
      startTimeoutMs: timeoutMs,
      clock,
      signal,
    });
    await session.close();
    return session.identity.revision;
  }

  private handlers(entry: ServerEntry): ServerRequestHandlers {
    const { sampler, elicitor, roots, extensions } = this.ports;
    const session = {};
    return {
      roots: () => roots.roots(entry),
      ...(sampler
        ? {
            createMessage: (request, signal, _key, client) =>
              sampler.createMessage(entry, request, signal, session, client),
          }
        : {}),
      ...(elicitor
        ? { elicit: (request, signal, _key, client) => elicitor.elicit(entry, request, signal, client) }
        : {}),
      ...(elicitor?.untilVisited
        ? { untilVisited: async (request, signal) => (await elicitor.untilVisited?.(entry, request, signal)) ?? 'done' }
        : {}),
      ...(extensions ? { extensions } : {}),
    };
  }

  private async resolveStart(
    entry: ServerEntry,
    start: Preparation,
    debug: DebugPlan | undefined,
  ): Promise<PreparedStart> {
    const { ports } = this;
    if (entry.definition.type === 'builtin') {
      const { mock } = entry.definition;
      const open = mock ? await ports.openMock?.(mock) : ports.openBuiltInServer;
      if (!open)
        throw new HostError('internal', mock ? 'There are no mocks here.' : 'There is no built-in server here.');
      return { entry, openTransport: () => open(), secretValues: [], cwd: undefined };
    }
    const settings = ports.settings.current();
    // The inputs of the debugger are requested first, so that the approval of entered values includes them.
    const { plan, secretValues: ofDebugger } = await this.resolvePlan(entry, start, debug);
    const written = await this.resolve(entry, start, debug);
    if (written.type !== 'stdio') {
      const authorizer = await this.authorizerFor(entry, written, start);
      const openTransport: OpenTransport = (fallback) =>
        openRemote(written, {
          fallback,
          authorizer,
          connections: this.connections,
          ca: written.ca,
          maxMessageBytes: settings.maxMessageBytes,
          userAgent: `${ports.client.name}/${ports.client.version}`,
          clock: ports.clock,
        });
      return { entry, openTransport, secretValues: written.secretValues, cwd: undefined };
    }
    const secretValues = [...written.secretValues, ...ofDebugger];
    const resolved = plan ? debuggedStart(written, plan) : written;
    const openTransport = await this.processes.transport(entry, resolved, secretValues, start);
    return { entry, openTransport, secretValues, cwd: resolved.cwd };
  }

  /**
   * The debug plan with the variables of its debugpy program filled in. Rejects if the current definition specifies a
   * different debugpy program than the plan, or if a policy blocks the program.
   */
  private async resolvePlan(
    entry: ServerEntry,
    start: Preparation,
    plan: DebugPlan | undefined,
  ): Promise<{ plan: DebugPlan | undefined; secretValues: string[] }> {
    if (plan?.kind !== 'debugpy' || !('program' in plan.debugpy)) return { plan, secretValues: [] };
    if (plan.debugpy.program !== debugpyPathOf(entry.definition)) {
      throw new HostError('bad-configuration', `The "debugpyPath" of "${visibleLine(entry.id)}" has changed.`, {
        data: { problem: 'debugpy-changed' },
        hint: 'Debug the server again. MCP Deck then shows what would run.',
      });
    }
    const { program, secretValues } = await debugpyProgram(plan.debugpy.program, {
      ...start.context,
      getInput: (id) => this.inputs.value(entry, id, start),
    });
    // The debugger runs in place of the program that the policies allow. Its arguments depend on the start.
    this.refuseBlocked(entry, { name: entry.name, command: [program] });
    return { plan: { ...plan, debugpy: { program } }, secretValues };
  }

  /** Fills in the variables. Asks for approval again if the values of inputs change what the start uses. */
  private async resolve(entry: ServerEntry, start: Preparation, debug?: DebugPlan): Promise<ResolvedServer> {
    const resolved = await resolveDefinition(entry.definition, {
      ...start.context,
      getInput: (id) => this.inputs.value(entry, id, start),
    });
    // The values of variables are known now.
    this.refuseBlocked(
      entry,
      resolved.type === 'stdio'
        ? { name: entry.name, command: [resolved.command, ...resolved.args] }
        : { name: entry.name, url: resolved.url },
    );
    await this.approval.approveInputs(entry, start, debug);
    return resolved;
  }

  /** Throws `blocked` if a policy does not allow the server. */
  private refuseBlocked(entry: ServerEntry, subject?: PolicySubject): void {
    const blocked = this.blockedBy(entry, subject);
    if (blocked) throw blockedError(entry.id, blocked);
  }

  private blockedBy(
    { name, definition }: ServerEntry,
    subject = subjectOf(name, definition),
  ): ReturnType<typeof blockedBy> {
    return blockedBy(this.ports.policies?.current() ?? [], subject);
  }

  private authorizerFor(entry: ServerEntry, resolved: ResolvedRemote, { time }: Preparation): Promise<Authorizer> {
    return time.step(
      () => this.signIns.authorizerFor(entry, resolved),
      tooLate(entry, 'sign-in-data', 'the storage of its sign-in data'),
    );
  }
}

/** Marks a failure whose cause may be a value that the user typed. */
function withInputs(error: unknown): unknown {
  if (error instanceof HostError && mayBeValue.has(error.code)) error.data.usesInputs = true;
  return error;
}

/** Error codes that a server may cause by rejecting a token or password. */
const mayBeValue: ReadonlySet<HostErrorCode> = new Set([
  'exited',
  'closed',
  'handshake-failed',
  'http-status',
  'auth-failed',
]);
