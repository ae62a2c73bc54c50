import { realpath } from 'node:fs/promises';
import { systemClock } from '../base/clock.js';
import { durationText } from '../base/durationText.js';
import type { HostErrorCode } from '../base/hostError.js';
import { HostError, messageOf } from '../base/hostError.js';
import { exactText } from '../base/exactText.js';
import { visibleLine } from '../base/hostileText.js';
import { storageFailure } from '../base/storageFailure.js';
import { StartTime } from '../base/within.js';
import type { Inspection, TrialChange } from '../catalog/inspection.js';
import { childEnvironment } from '../config/childEnvironment.js';
import type { StartDescription } from '../config/describeStart.js';
import { describeStart } from '../config/describeStart.js';
import { definitionHash } from '../config/definitionHash.js';
import type { FoundStart } from '../config/startFacts.js';
import { findStart } from '../config/startFacts.js';
import type { LeadingValues } from '../config/receiver.js';
import { leadingValues } from '../config/receiver.js';
import type { DebugRun } from '../debug/debugRun.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { debuggedStart } from '../debug/debuggedStart.js';
import type { ResolvedServer } from '../config/variables.js';
import { baseFolder, debugpyProgram, resolveDefinition } from '../config/variables.js';
import type { StartContext } from '../config/workspaceValues.js';
import { readOnce, settingsOf, withValues, workspaceValues } from '../config/workspaceValues.js';
import type { JsonSchema } from '../protocol/mcp.js';
import type { Era } from '../protocol/revisions.js';
import { debugpyPathOf } from '../config/dev.js';
import type { ServerLogBook } from './serverLogBook.js';
import type { KeptPorts } from './keptStores.js';
import { noteServer } from '../present/failure/failureText.js';
import type { ToolSwitches } from '../presets/toolSwitches.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { StoredInputs, inputOf } from '../registry/storedInputs.js';
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
import { ProcessRecords, reapOrphans } from '../transport/stdio/processRecords.js';
import { openRemote } from '../transport/remoteTransport.js';
import { resolveShellEnvironment } from '../transport/stdio/shellEnvironment.js';
import { StdioTransport } from '../transport/stdio/stdioTransport.js';

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
  /** What the user typed in for servers. */
  readonly inputs: StoredInputs;
  private readonly connections = new HttpConnections({
    leavesAgent: () => this.ports.machine.getSetting('http.proxySupport') === 'on',
  });
  private records: ProcessRecords | undefined;
  private environment: Promise<Record<string, string | undefined>> | undefined;

  constructor(
    private readonly ports: KeptPorts,
    private readonly options: McpHostOptions,
    private readonly signIns: SignIns,
  ) {
    this.inputs = new StoredInputs(ports, (entry) =>
      this.leadingValues(entry, this.context(entry, this.startTime(entry))),
    );
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
    const start: Preparation = { isInteractive, time: this.startTime(entry, signal) };
    const context = this.context(entry, start.time);
    await this.approve(entry, context, start, debug);
    return this.resolveStart(entry, context, start, debug);
  }

  private startTime({ definition }: ServerEntry, signal?: AbortSignal): StartTime {
    const limitMs =
      (definition.type === 'builtin' ? undefined : definition.startTimeoutMs) ??
      this.ports.settings.current().startTimeoutMs;
    return new StartTime(this.ports.clock ?? systemClock, limitMs, signal);
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
    const start: Preparation = { isInteractive: true, time: this.startTime(entry) };
    const context = this.context(entry, start.time);
    await this.approve(entry, context, start);
    if (entry.definition.type === 'stdio' || entry.definition.type === 'builtin') return;
    const resolved = await this.resolve(entry, context, start);
    if (resolved.type !== 'stdio') await this.authorizerFor(entry, resolved, start.time);
  }

  /** Which era each definition has shown, by its hash. */
  private eras(): Record<string, Era> {
    return (this.ports.state.get(stateKeys.eras) as Record<string, Era> | undefined) ?? {};
  }

  /** Nobody waits for it: while a window opens, storing something can take VS Code more than a second. */
  private rememberEra({ hash, id }: ServerEntry, era: Era): void {
    void this.ports.state.set(stateKeys.eras, { ...this.eras(), [hash]: era }, id);
  }

  async resetTrust(): Promise<void> {
    await this.ports.state.set(stateKeys.trusted, []);
  }

  close(): Promise<void> {
    this.records?.dispose();
    return Promise.resolve();
  }

  private async approve(
    entry: ServerEntry,
    context: StartContext,
    { isInteractive, time }: Preparation,
    debug?: DebugPlan,
  ): Promise<void> {
    if (entry.source.kind === 'builtin') return;
    const { trust, state } = this.ports;
    if (!trust.isWorkspaceTrusted())
      throw new HostError('not-trusted', 'This workspace is not trusted.', { data: { isWorkspace: true } });
    const values = await this.workspaceValues(entry, context);
    const needed = await this.neededApproval(entry, context, values);
    if (needed === undefined) return;
    if (!isInteractive) throw notApproved(entry);
    const { hash, found } = needed;
    const description = await this.describe(entry, values, found, debug);
    const answer = await time.question(() => trust.confirmStart(entry, description));
    this.ports.audit?.note({
      event: 'start',
      server: entry.id,
      source: entry.source.label,
      definition: hash.slice(0, 12),
      outcome: answer === 'allow' ? 'allowed' : answer === 'deny' ? 'refused' : 'left',
    });
    if (answer !== 'allow') throw notApproved(entry);
    const latest = state.get(stateKeys.trusted);
    // It counts at once; where it cannot be stored, it is asked for again in the next window.
    void state.set(stateKeys.trusted, [...(Array.isArray(latest) ? (latest as unknown[]) : []), hash], entry.id);
  }

  /**
   * What has to be approved before a start: the definition, and what it points to. Undefined when nothing has to be,
   * or it is already.
   */
  private async neededApproval(
    entry: ServerEntry,
    context: StartContext,
    values: ReadonlyMap<string, string>,
  ): Promise<{ hash: string; found: FoundStart } | undefined> {
    const { id, definition, source, inputs } = entry;
    // What users wrote into their own settings is theirs, and what a workspace fills in or puts in its way is not.
    const isUsersOwn = source.kind === 'user' && settingsOf(values).length === 0;
    if (source.kind === 'builtin' || (isUsersOwn && definition.type !== 'stdio')) return undefined;
    const found = await findStart({ id, definition, source, values }, context);
    if (isUsersOwn && found.isLedByWorkspace !== true) return undefined;
    const hash = definitionHash(definition, source, found.facts, inputs);
    return this.isApproved(hash) ? undefined : { hash, found };
  }

  private workspaceValues(entry: ServerEntry, context: StartContext): Promise<ReadonlyMap<string, string>> {
    return workspaceValues(entry.definition, context, (key) => this.ports.machine.isSetByWorkspace(key));
  }

  private isApproved(hash: string): boolean {
    const trusted = this.ports.state.get(stateKeys.trusted);
    return Array.isArray(trusted) && (trusted as unknown[]).includes(hash);
  }

  /** What a start would use; asks nobody and starts nothing. */
  async inspect(entry: ServerEntry): Promise<Inspection> {
    const { trust, machine } = this.ports;
    const start: Preparation = { isInteractive: false, time: this.startTime(entry) };
    const context = this.context(entry, start.time);
    const isTrusted = entry.source.kind === 'builtin' || trust.isWorkspaceTrusted();
    const isOpen =
      isTrusted &&
      (await this.neededApproval(entry, context, await this.workspaceValues(entry, context))) !== undefined;
    const refusal = !isTrusted
      ? 'This workspace is not trusted.'
      : isOpen
        ? `You have not approved what ${entry.source.label} would run.`
        : undefined;
    return {
      entry,
      refusal,
      resolve: () => this.resolve(entry, context, start),
      environment: async (resolved) => childEnvironment(await this.parentEnvironment(), resolved, machine.platform),
      authorizer: (resolved) => this.authorizerFor(entry, resolved, start.time),
      tryStart: (change, timeoutMs, signal) => this.tryStart(entry, context, change, timeoutMs, signal),
      platform: machine.platform,
      env: machine.env,
      getSetting: (key) => machine.getSetting(key),
    };
  }

  private async tryStart(
    entry: ServerEntry,
    context: StartContext,
    change: TrialChange,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { definition } = entry;
    if (definition.type !== 'stdio') throw new HostError('internal', 'Only local servers have trial starts.');
    const changed = { ...definition, ...change };
    const { openTransport } = await this.resolveStart(
      { ...entry, definition: changed },
      context,
      { isInteractive: false, time: this.startTime(entry, signal) },
      undefined,
    );
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

  /** With what the workspace fills in; also says where a local server runs when nobody wrote it down. */
  private async describe(
    entry: ServerEntry,
    values: ReadonlyMap<string, string>,
    { envFileNames, warnings }: FoundStart,
    debug?: DebugPlan,
  ): Promise<StartDescription> {
    const definition = await withValues(entry.definition, values);
    const started = debug && definition.type === 'stdio' ? debuggedStart(definition, debug) : definition;
    const description = describeStart({
      name: entry.id,
      definition: started,
      written: entry.definition,
      source: entry.source,
      inputs: entry.inputs,
      values,
      warnings,
      ...(envFileNames === undefined ? {} : { envFileNames }),
    });
    if (definition.type !== 'stdio' || description.cwd !== undefined) return description;
    const { machine } = this.ports;
    return {
      ...description,
      cwd: exactText(baseFolder({ folderPath: entry.source.folderPath, userHome: machine.userHome })),
    };
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
    context: StartContext,
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
    const written = await this.resolve(entry, context, start);
    if (written.type !== 'stdio') {
      const authorizer = await this.authorizerFor(entry, written, start.time);
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
    const { plan, secretValues: ofDebugger } = await this.resolvePlan(entry, context, start, debug);
    const secretValues = [...written.secretValues, ...ofDebugger];
    const { command, args, cwd, ...resolved } = plan ? debuggedStart(written, plan) : written;
    const parent = await start.time.step(() => this.parentEnvironment(), tooLate(entry, 'the login shell'));
    const { recordsFolder } = ports.machine;
    if (recordsFolder !== undefined) this.records ??= new ProcessRecords(recordsFolder);
    const env = childEnvironment(parent, { command, args, cwd, ...resolved }, ports.machine.platform);
    const { records } = this;
    const openTransport: OpenTransport = () =>
      new StdioTransport({
        serverId: entry.id,
        command,
        args,
        cwd,
        env,
        framing: resolved.framing,
        secretValues,
        maxMessageBytes: settings.maxMessageBytes,
        graceMs: settings.stopGraceMs,
        records,
        clock: ports.clock,
      });
    return { entry, openTransport, secretValues, cwd };
  }

  /**
   * The plan with the variables of its debugpy program filled in. Only the program that the definition names now is
   * run.
   */
  private async resolvePlan(
    entry: ServerEntry,
    context: StartContext,
    start: Preparation,
    plan: DebugPlan | undefined,
  ): Promise<{ plan: DebugPlan | undefined; secretValues: string[] }> {
    if (plan?.kind !== 'debugpy' || !('program' in plan.debugpy)) return { plan, secretValues: [] };
    if (plan.debugpy.program !== debugpyPathOf(entry.definition)) {
      throw new HostError('bad-configuration', `The "debugpyPath" of "${visibleLine(entry.id)}" has changed.`, {
        hint: 'Debug the server again, which shows what would run.',
      });
    }
    const { program, secretValues } = await debugpyProgram(plan.debugpy.program, {
      ...context,
      getInput: (id) => this.input(entry, id, start, context),
    });
    return { plan: { ...plan, debugpy: { program } }, secretValues };
  }

  private resolve(entry: ServerEntry, context: StartContext, start: Preparation): Promise<ResolvedServer> {
    return resolveDefinition(entry.definition, { ...context, getInput: (id) => this.input(entry, id, start, context) });
  }

  private authorizerFor(entry: ServerEntry, resolved: ResolvedRemote, time: StartTime): Promise<Authorizer> {
    return time.step(() => this.signIns.authorizerFor(entry, resolved), tooLate(entry, 'what its sign-in needs'));
  }

  /** Made anew for each start, and used for the whole of it. */
  private context(entry: ServerEntry, time: StartTime): StartContext {
    const { machine } = this.ports;
    return readOnce({
      serverName: entry.name,
      folderPath: entry.source.folderPath,
      folders: machine.folders(),
      userHome: machine.userHome,
      env: machine.env,
      getSetting: (key) => machine.getSetting(key),
      readFile: (file) =>
        time.step(
          () => machine.readFile(file),
          (waitedMs) => silent(entry, visibleLine(file, 200), waitedMs),
        ),
      realPath: (file) =>
        time.step(
          () => realpath(file).catch(() => file),
          (waitedMs) => silent(entry, visibleLine(file, 200), waitedMs),
        ),
      isPortable: entry.source.kind === 'portable',
    });
  }

  /** Who would get what is typed in, as this start sees it. */
  private leadingValues({ definition, source }: ServerEntry, context: StartContext): Promise<LeadingValues> {
    return leadingValues(definition, source.kind === 'user', context, (key) =>
      this.ports.machine.isSetByWorkspace(key),
    );
  }

  /** Asked once, then remembered. */
  private async input(
    entry: ServerEntry,
    id: string,
    start: Preparation,
    context: StartContext,
  ): Promise<{ value: string; isSecret: boolean }> {
    const isSecret = inputOf(entry, id).password === true;
    const leading = await this.leadingValues(entry, context);
    const { value: stored, problem } = await this.storedInput(entry, id, start, isSecret, leading);
    if (stored !== undefined) return { value: stored, isSecret };
    if (problem) {
      if (!start.isInteractive) throw problem;
      // Locked or silent, the store must not keep the server from starting: the user is told, and may type the value.
      this.ports.secrets.report(problem);
      return { value: await this.typedInput(entry, id, start.time, leading, problem), isSecret };
    }
    if (!start.isInteractive)
      throw new HostError('needs-input', `needs a value for "${id}"`, {
        data: { input: id },
      });
    return { value: await this.typedInput(entry, id, start.time, leading), isSecret };
  }

  /** What is stored, or why that is not known. A store that has failed in this preparation is not waited for again. */
  private async storedInput(
    entry: ServerEntry,
    id: string,
    start: Preparation,
    isSecret: boolean,
    leading: LeadingValues,
  ): Promise<{ value?: string | undefined; problem?: HostError }> {
    if (isSecret && start.problem) return { problem: start.problem };
    try {
      return {
        value: await start.time.step(
          () => this.inputs.get(entry, id, leading),
          (waitedMs) => silent(entry, 'Secret storage', waitedMs, 'secrets'),
        ),
      };
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'storage-failed') throw error;
      noteServer(error, entry.id);
      start.problem = error;
      return { problem: error };
    }
  }

  /**
   * Asks during a start, which does not wait until the value is stored. @param instead why it is asked for; thrown
   * when the user gives nothing.
   */
  private async typedInput(
    entry: ServerEntry,
    id: string,
    time: StartTime,
    leading: LeadingValues,
    instead?: HostError,
  ): Promise<string> {
    const value = await time.question(() => this.ports.inputs.ask(inputOf(entry, id), entry.name));
    if (value === undefined) throw instead ?? noValue(id);
    this.inputs
      .set(entry, id, value, leading)
      .catch((error: unknown) =>
        this.ports.log.write('warn', `The value of "${id}" of "${entry.id}" could not be kept: ${messageOf(error)}`),
      );
    return value;
  }

  /**
   * Asks for the value of an input, whether there is one or not, and keeps it. Rejects with `cancelled` when the user
   * gave up.
   */
  async askInput(entry: ServerEntry, id: string): Promise<string> {
    const value = await this.ports.inputs.ask(inputOf(entry, id), entry.name);
    if (value === undefined) throw noValue(id);
    await this.inputs.set(entry, id, value);
    return value;
  }

  /**
   * The environment that commands are looked up in: the login shell's, where the window was not started from a shell.
   */
  private parentEnvironment(): Promise<Record<string, string | undefined>> {
    const { machine, log } = this.ports;
    this.environment ??= resolveShellEnvironment({ env: machine.env, platform: machine.platform }).then((result) => {
      if (result.problem !== undefined) log.write('warn', result.problem);
      return result.env;
    });
    return this.environment;
  }

  /** Ends what an earlier window left behind when it was killed; what this window starts is recorded from now on. */
  async reapOrphans(): Promise<void> {
    const { recordsFolder } = this.ports.machine;
    if (recordsFolder === undefined) return;
    const reaped = await reapOrphans(recordsFolder);
    if (reaped.length > 0)
      this.ports.log.write(
        'info',
        `Ended server processes that an earlier window had left behind: ${reaped.map(({ server }) => server).join(', ')}.`,
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

/** One preparation of a start. */
interface Preparation {
  /** Whether somebody may be asked. */
  readonly isInteractive: boolean;
  readonly time: StartTime;
  /** Why secret storage could not be read, once that is known. */
  problem?: HostError;
}

function noValue(id: string): HostError {
  return new HostError('cancelled', `No value was given for "${id}".`);
}

/** A file or store that did not answer in time. */
function silent(entry: ServerEntry, thing: string, waitedMs: number, store?: 'secrets'): Error {
  const failure = storageFailure(new Error('There was no answer.'), {
    operation: 'read',
    thing,
    server: entry.id,
    cause: 'silent',
  });
  if (failure instanceof HostError) Object.assign(failure.data, { waitedMs }, store ? { store } : {});
  return failure;
}

function tooLate(entry: ServerEntry, what: string): (waitedMs: number) => HostError {
  return (waitedMs) =>
    new HostError(
      'timeout',
      `The preparation of "${visibleLine(entry.name, 80)}" took longer than ${durationText(waitedMs)}: ${what} did not answer.`,
      { data: { server: entry.id, waitedMs }, hint: 'Try again, or raise "startTimeoutMs" in its configuration.' },
    );
}

function notApproved(entry: ServerEntry): HostError {
  return new HostError('not-trusted', `needs your approval (${entry.source.label})`, {
    data: { source: entry.source.label },
  });
}
