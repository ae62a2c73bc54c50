import { systemClock } from '../base/clock.js';
import type { HostErrorCode } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Inspection, TrialChange } from '../catalog/inspection.js';
import type { DebugRun } from '../debug/debugRun.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { debuggedStart } from '../debug/debuggedStart.js';
import type { ResolvedServer } from '../config/variables.js';
import { debugpyProgram, resolveDefinition } from '../config/variables.js';
import type { JsonSchema } from '../protocol/mcp.js';
import type { Era } from '../protocol/revisions.js';
import { debugpyPathOf } from '../config/dev.js';
import type { ServerLogBook } from './serverLogBook.js';
import type { KeptPorts } from './keptStores.js';
import { LocalProcesses } from './localProcesses.js';
import { StartApproval } from './startApproval.js';
import { StartInputs } from './startInputs.js';
import type { Preparation } from './startPreparation.js';
import { beginPreparation, startTime, tooLate } from './startPreparation.js';
import type { ToolSwitches } from '../presets/toolSwitches.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SessionListener } from '../session/codec.js';
import type { OpenTransport } from '../session/handshake.js';
import { McpSession } from '../session/mcpSession.js';
import type { ServerRequestHandlers } from '../session/serverRequests.js';
import { HttpConnections } from '../transport/http/httpConnections.js';
import type { Authorizer } from '../auth/authorizer.js';
import type { ResolvedRemote, SignIns } from './signIns.js';
import type { ServerStats } from '../stats/serverStats.js';
import type { TapHolder } from '../trace/messageTap.js';
import { stateKeys } from '../base/stateKeys.js';
import { openRemote } from '../transport/remoteTransport.js';

export interface McpHostOptions {
  /** What is switched off; absent: nothing. */
  switches?: ToolSwitches;
  /** Checks structured output against its schema; loaded by the caller when first needed. */
  checkOutput?: (schema: JsonSchema, value: unknown) => string[] | Promise<string[]>;
}

/** Everything that can fail before anything is started: approved, resolved, read. */
export interface PreparedStart {
  readonly entry: ServerEntry;
  readonly openTransport: OpenTransport;
  /** Must never be shown. */
  readonly secretValues: readonly string[];
  /** Where a local server runs, absolute. */
  readonly cwd: string | undefined;
}

/** What the opener needs of a server under management. */
export interface OpenedServer {
  /** Where somebody may listen to its messages. */
  readonly tap: TapHolder;
  /** Where its messages are counted. */
  readonly stats: ServerStats;
  /** Present when it is to be started under a debugger. */
  readonly debugRun: DebugRun | undefined;
  /** Told before anything is started which values must never be shown. */
  readonly logBook: ServerLogBook;
}

/**
 * From a server's entry to an open session, in the order that keeps the user in control: workspace trust, approval of the
 * exact definition, only then variables and secrets, only then a process or socket.
 */
export class SessionOpener {
  /** Values that the user typed in for servers. */
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
    this.inputs = new StartInputs(ports);
    this.approval = new StartApproval(ports);
    this.processes = new LocalProcesses(ports);
  }

  /**
   * Asks, resolves and reads what a start needs; starts nothing. Rejects with HostError, and everything is as before.
   * Takes no longer than the timeout of a start (`startTimeoutMs`); the time of questions to the user does not count.
   * @param start.isInteractive whether the user may be asked.
   * @param start.debug present when the server is to be started under a debugger.
   * @param signal ends it at once, whatever it waits for.
   */
  async prepare(
    entry: ServerEntry,
    { isInteractive, debug }: { isInteractive: boolean; debug?: DebugPlan | undefined },
    signal?: AbortSignal,
  ): Promise<PreparedStart> {
    const start = beginPreparation(this.ports, entry, isInteractive, signal);
    await this.approval.approve(entry, start, debug);
    return this.resolveStart(entry, start, debug);
  }

  /** Rejects with HostError; nothing is left open then. */
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
    server.logBook.hide(secretValues);
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
      maxListBytes: settings.maxMessageBytes,
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
    // Remembered per definition, so that a server that cannot be asked politely is asked once only.
    if (session.shownEra !== undefined && session.shownEra !== this.eras()[entry.hash])
      this.rememberEra(entry, session.shownEra);
    return session;
  }

  /**
   * Makes the authorizer of a remote server that may not have been connected yet, with the same questions before it.
   */
  async prepareSignIn(entry: ServerEntry): Promise<void> {
    const start = beginPreparation(this.ports, entry, true);
    await this.approval.approve(entry, start);
    if (entry.definition.type === 'stdio' || entry.definition.type === 'builtin') return;
    const resolved = await this.resolve(entry, start);
    if (resolved.type !== 'stdio') await this.authorizerFor(entry, resolved, start);
  }

  /** Which era each definition has shown, by its hash. */
  private eras(): Record<string, Era> {
    return (this.ports.state.get(stateKeys.eras) as Record<string, Era> | undefined) ?? {};
  }

  /** Nobody waits for it: while a window opens, storing something can take VS Code more than a second. */
  private rememberEra({ hash, id }: ServerEntry, era: Era): void {
    void this.ports.state.set(stateKeys.eras, { ...this.eras(), [hash]: era }, id);
  }

  /** Ends what an earlier window left behind when it was killed; what this window starts is recorded from now on. */
  reapOrphans(): Promise<void> {
    return this.processes.reapOrphans();
  }

  close(): Promise<void> {
    this.processes.dispose();
    return Promise.resolve();
  }

  /** What a start would use; asks nobody and starts nothing. */
  async inspect(entry: ServerEntry): Promise<Inspection> {
    const { trust, machine } = this.ports;
    const start = beginPreparation(this.ports, entry, false);
    const isTrusted = entry.source.kind === 'builtin' || trust.isWorkspaceTrusted();
    const isOpen = isTrusted && (await this.approval.isNeeded(entry, start.context));
    const refusal = !isTrusted
      ? 'This workspace is not trusted.'
      : isOpen
        ? `You have not approved what ${entry.source.label} would run.`
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
    { context }: Preparation,
    change: TrialChange,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { definition } = entry;
    if (definition.type !== 'stdio') throw new HostError('internal', 'Only local servers have trial starts.');
    const changed = { ...definition, ...change };
    const start = { isInteractive: false, time: startTime(this.ports, entry, signal), context };
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
        ? { createMessage: (request, signal) => sampler.createMessage(entry, request, signal, session) }
        : {}),
      ...(elicitor ? { elicit: (request, signal) => elicitor.elicit(entry, request, signal) } : {}),
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
      const open = ports.openBuiltInServer;
      if (!open) throw new HostError('internal', 'There is no built-in server here.');
      return { entry, openTransport: () => open(), secretValues: [], cwd: undefined };
    }
    const settings = ports.settings.current();
    const written = await this.resolve(entry, start);
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
    const { plan, secretValues: ofDebugger } = await this.resolvePlan(entry, start, debug);
    const secretValues = [...written.secretValues, ...ofDebugger];
    const resolved = plan ? debuggedStart(written, plan) : written;
    const openTransport = await this.processes.transport(entry, resolved, secretValues, start);
    return { entry, openTransport, secretValues, cwd: resolved.cwd };
  }

  /**
   * The plan with the variables of its debugpy program filled in. Only the program that the definition names now is
   * run.
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
        hint: 'Debug the server again, which shows what would run.',
      });
    }
    const { program, secretValues } = await debugpyProgram(plan.debugpy.program, {
      ...start.context,
      getInput: (id) => this.inputs.value(entry, id, start),
    });
    return { plan: { ...plan, debugpy: { program } }, secretValues };
  }

  private resolve(entry: ServerEntry, start: Preparation): Promise<ResolvedServer> {
    return resolveDefinition(entry.definition, {
      ...start.context,
      getInput: (id) => this.inputs.value(entry, id, start),
    });
  }

  private authorizerFor(entry: ServerEntry, resolved: ResolvedRemote, { time }: Preparation): Promise<Authorizer> {
    return time.step(
      () => this.signIns.authorizerFor(entry, resolved),
      tooLate(entry, 'sign-in-data', 'what its sign-in needs'),
    );
  }
}

/** Notes on a failure that a value which was typed in may be the cause. */
function withInputs(error: unknown): unknown {
  if (error instanceof HostError && mayBeValue.has(error.code)) error.data.usesInputs = true;
  return error;
}

/** How a server shows that it cannot do with a token or a password that it was given. */
const mayBeValue: ReadonlySet<HostErrorCode> = new Set([
  'exited',
  'closed',
  'handshake-failed',
  'http-status',
  'auth-failed',
]);
