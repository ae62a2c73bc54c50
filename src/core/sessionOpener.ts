import { systemClock } from './base/clock.js';
import type { HostErrorCode } from './base/hostError.js';
import { HostError, messageOf } from './base/hostError.js';
import { visibleText } from './base/hostileText.js';
import type { Inspection } from './catalog/inspection.js';
import { childEnvironment } from './config/childEnvironment.js';
import type { StartDescription } from './config/describeStart.js';
import { describeStart } from './config/describeStart.js';
import { definitionHash } from './config/definitionHash.js';
import type { DebugRun } from './debug/debugRun.js';
import type { DebugPlan } from './debug/debuggedStart.js';
import { debuggedStart } from './debug/debuggedStart.js';
import type { ResolvedServer } from './config/variables.js';
import { baseFolder, resolveDefinition } from './config/variables.js';
import type { StartContext } from './config/workspaceValues.js';
import { readOnce, settingsOf, startFacts, withValues, workspaceValues } from './config/workspaceValues.js';
import type { JsonSchema } from './protocol/mcp.js';
import type { Era } from './protocol/revisions.js';
import type { ServerLogBook } from './serverLogBook.js';
import type { HostPorts } from './ports.js';
import type { ToolSwitches } from './presets/toolSwitches.js';
import type { ServerEntry } from './registry/serverEntry.js';
import { StoredInputs, inputOf } from './registry/storedInputs.js';
import type { SessionListener } from './session/codec.js';
import type { OpenTransport } from './session/handshake.js';
import { McpSession } from './session/mcpSession.js';
import type { ServerRequestHandlers } from './session/serverRequests.js';
import { HttpConnections } from './transport/httpConnections.js';
import type { SignIns } from './signIns.js';
import type { ServerStats } from './stats/serverStats.js';
import type { TapSlot } from './trace/messageTap.js';
import { stateKeys } from './base/stateKeys.js';
import { ProcessRecords, reapOrphans } from './transport/processRecords.js';
import { openRemote } from './transport/remoteTransport.js';
import { resolveShellEnvironment } from './transport/shellEnvironment.js';
import { StdioTransport } from './transport/stdioTransport.js';

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
  readonly tap: TapSlot;
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
  private readonly connections = new HttpConnections({ leavesAgent: () => this.ports.machine.getSetting('http.proxySupport') === 'on' });
  private records: ProcessRecords | undefined;
  private environment: Promise<Record<string, string | undefined>> | undefined;

  constructor(
    private readonly ports: HostPorts,
    private readonly options: McpHostOptions,
    private readonly signIns: SignIns,
  ) {
    this.inputs = new StoredInputs(ports);
  }

  /**
   * Asks, resolves and reads what a start needs; starts nothing. Rejects with HostError, and everything is as before.
   * @param isInteractive whether somebody may be asked.
   * @param debug present when it is to be started under a debugger.
   */
  async prepare(entry: ServerEntry, isInteractive: boolean, debug: DebugPlan | undefined): Promise<PreparedStart> {
    const context = this.context(entry);
    await this.approve(entry, context, isInteractive, debug);
    return this.resolveStart(entry, context, isInteractive, debug);
  }

  /** Rejects with HostError; nothing is left open then. */
  async open({ entry, openTransport, secretValues, cwd }: PreparedStart, server: OpenedServer, listener: SessionListener, signal: AbortSignal): Promise<McpSession> {
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
      clock: this.ports.clock ?? systemClock,
      signal,
      tap: server.tap,
      traffic: server.stats.traffic,
    });
    const session = await (entry.inputs.length === 0 ? opening : opening.catch((error: unknown) => Promise.reject(withInputs(error))));
    // Remembered per definition, so that a server that cannot be asked politely is asked once only.
    if (session.shownEra !== undefined && session.shownEra !== this.eras()[entry.hash]) this.rememberEra(entry, session.shownEra);
    return session;
  }

  /** Makes the authorizer of a remote server that may not have been connected yet, with the same questions before it. */
  async prepareSignIn(entry: ServerEntry): Promise<void> {
    const context = this.context(entry);
    await this.approve(entry, context, true);
    if (entry.definition.type === 'stdio' || entry.definition.type === 'builtin') return;
    const resolved = await this.resolve(entry, context, true);
    if (resolved.type !== 'stdio') await this.signIns.authorizerFor(entry, resolved);
  }

  /** Which era each definition has shown, by its hash. */
  private eras(): Record<string, Era> {
    return (this.ports.state.get(stateKeys.eras) as Record<string, Era> | undefined) ?? {};
  }

  /** Nobody waits for it: while a window opens, storing something can take VS Code more than a second. */
  private rememberEra({ hash, id }: ServerEntry, era: Era): void {
    const { state, log } = this.ports;
    state.set(stateKeys.eras, { ...this.eras(), [hash]: era }).catch((error: unknown) => log.write('warn', `Which revisions "${id}" speaks could not be remembered: ${messageOf(error)}`));
  }

  async resetTrust(): Promise<void> {
    await this.ports.state.set(stateKeys.trusted, []);
  }

  close(): Promise<void> {
    this.records?.dispose();
    return Promise.resolve();
  }

  private async approve(entry: ServerEntry, context: StartContext, isInteractive: boolean, debug?: DebugPlan): Promise<void> {
    if (entry.source.kind === 'builtin') return;
    const { trust, state } = this.ports;
    if (!trust.isWorkspaceTrusted()) throw new HostError('not-trusted', 'This workspace is not trusted.', { hint: 'Trust the workspace to start servers.' });
    const values = await this.workspaceValues(entry, context);
    const hash = await this.neededApproval(entry, context, values);
    if (hash === undefined) return;
    if (!isInteractive) throw notApproved(entry);
    const answer = await trust.confirmStart(entry, await this.describe(entry, values, debug));
    this.ports.audit?.note({ event: 'start', server: entry.id, source: entry.source.label, definition: hash.slice(0, 12), outcome: answer === 'allow' ? 'allowed' : answer === 'deny' ? 'refused' : 'left' });
    if (answer !== 'allow') throw notApproved(entry);
    const latest = state.get(stateKeys.trusted);
    await state.set(stateKeys.trusted, [...(Array.isArray(latest) ? (latest as unknown[]) : []), hash]);
  }

  /** What has to be approved before a start: the definition, and what it points to. Undefined when nothing has to be, or it is already. */
  private async neededApproval(entry: ServerEntry, context: StartContext, values: ReadonlyMap<string, string>): Promise<string | undefined> {
    const { definition, source, inputs } = entry;
    // What users wrote into their own settings is theirs, and what a workspace fills in there is not.
    if (source.kind === 'builtin' || (source.kind === 'user' && settingsOf(values).length === 0)) return undefined;
    const hash = definitionHash(definition, source, await startFacts(definition, source, context, values), inputs);
    return this.isApproved(hash) ? undefined : hash;
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
    const context = this.context(entry);
    const isTrusted = entry.source.kind === 'builtin' || trust.isWorkspaceTrusted();
    const isOpen = isTrusted && (await this.neededApproval(entry, context, await this.workspaceValues(entry, context))) !== undefined;
    const refusal = !isTrusted ? 'This workspace is not trusted.' : isOpen ? `You have not approved what ${entry.source.label} would run.` : undefined;
    return {
      entry,
      refusal,
      resolve: () => this.resolve(entry, context, false),
      environment: async (resolved) => childEnvironment(await this.parentEnvironment(), resolved, machine.platform),
      authorizer: (resolved) => this.signIns.authorizerFor(entry, resolved),
      platform: machine.platform,
      env: machine.env,
      getSetting: (key) => machine.getSetting(key),
    };
  }

  /** With what the workspace fills in; also says where a local server runs when nobody wrote it down. */
  private async describe(entry: ServerEntry, values: ReadonlyMap<string, string>, debug?: DebugPlan): Promise<StartDescription> {
    const definition = await withValues(entry.definition, values);
    const started = debug && definition.type === 'stdio' ? debuggedStart(definition, debug) : definition;
    const description = describeStart({ definition: started, source: entry.source, inputs: entry.inputs, settings: settingsOf(values) });
    if (definition.type !== 'stdio' || description.cwd !== undefined) return description;
    const { machine } = this.ports;
    return { ...description, cwd: visibleText(baseFolder({ folderPath: entry.source.folderPath, userHome: machine.userHome })) };
  }

  private handlers(entry: ServerEntry): ServerRequestHandlers {
    const { sampler, elicitor, roots, extensions } = this.ports;
    const session = {};
    return {
      roots: () => roots.roots(entry),
      ...(sampler ? { createMessage: (request, signal) => sampler.createMessage(entry, request, signal, session) } : {}),
      ...(elicitor ? { elicit: (request, signal) => elicitor.elicit(entry, request, signal) } : {}),
      ...(elicitor?.untilVisited ? { untilVisited: async (request, signal) => (await elicitor.untilVisited?.(entry, request, signal)) ?? 'done' } : {}),
      ...(extensions ? { extensions } : {}),
    };
  }

  private async resolveStart(entry: ServerEntry, context: StartContext, isInteractive: boolean, debug: DebugPlan | undefined): Promise<PreparedStart> {
    const { ports } = this;
    if (entry.definition.type === 'builtin') {
      const open = ports.openBuiltInServer;
      if (!open) throw new HostError('internal', 'There is no built-in server here.');
      return { entry, openTransport: () => open(), secretValues: [], cwd: undefined };
    }
    const settings = ports.settings.current();
    const written = await this.resolve(entry, context, isInteractive);
    const { secretValues } = written;
    if (written.type !== 'stdio') {
      const authorizer = await this.signIns.authorizerFor(entry, written);
      const openTransport: OpenTransport = (fallback) =>
        openRemote(written, { fallback, authorizer, connections: this.connections, ca: written.ca, maxMessageBytes: settings.maxMessageBytes, userAgent: `${ports.client.name}/${ports.client.version}`, clock: ports.clock });
      return { entry, openTransport, secretValues, cwd: undefined };
    }
    const { command, args, cwd, ...resolved } = debug ? debuggedStart(written, debug) : written;
    const parent = await this.parentEnvironment();
    const { recordsFolder } = ports.machine;
    if (recordsFolder !== undefined) this.records ??= new ProcessRecords(recordsFolder);
    const env = childEnvironment(parent, { command, args, cwd, ...resolved }, ports.machine.platform);
    const { records } = this;
    const openTransport: OpenTransport = () =>
      new StdioTransport({ serverId: entry.id, command, args, cwd, env, secretValues, maxMessageBytes: settings.maxMessageBytes, graceMs: settings.stopGraceMs, records, clock: ports.clock });
    return { entry, openTransport, secretValues, cwd };
  }

  private resolve(entry: ServerEntry, context: StartContext, isInteractive: boolean): Promise<ResolvedServer> {
    return resolveDefinition(entry.definition, { ...context, getInput: (id) => this.input(entry, id, isInteractive) });
  }

  /** Made anew for each start, and used for the whole of it. */
  private context(entry: ServerEntry): StartContext {
    const { machine } = this.ports;
    return readOnce({
      serverName: entry.name,
      folderPath: entry.source.folderPath,
      folders: machine.folders(),
      userHome: machine.userHome,
      env: machine.env,
      getSetting: (key) => machine.getSetting(key),
      readFile: (file) => machine.readFile(file),
      isPortable: entry.source.kind === 'portable',
    });
  }

  /** Asked once, then remembered. */
  private async input(entry: ServerEntry, id: string, isInteractive: boolean): Promise<{ value: string; isSecret: boolean }> {
    const isSecret = inputOf(entry, id).password === true;
    const stored = await this.inputs.get(entry, id);
    if (stored !== undefined) return { value: stored, isSecret };
    if (!isInteractive) throw new HostError('not-trusted', `needs a value for "${id}"`, { hint: 'Start it by hand once.', data: { input: id } });
    return { value: await this.askInput(entry, id), isSecret };
  }

  /** Asks for the value of an input, whether there is one or not, and keeps it. Rejects with `cancelled` when the user gave up. */
  async askInput(entry: ServerEntry, id: string): Promise<string> {
    const value = await this.ports.inputs.ask(inputOf(entry, id), entry.name);
    if (value === undefined) throw new HostError('cancelled', `No value was given for "${id}".`);
    await this.inputs.set(entry, id, value);
    return value;
  }

  /** The environment that commands are looked up in: the login shell's, where the window was not started from a shell. */
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
    if (reaped.length > 0) this.ports.log.write('info', `Ended server processes that an earlier window had left behind: ${reaped.map(({ server }) => server).join(', ')}.`);
  }
}

/** Notes on a failure that a value which was typed in may be the cause. */
function withInputs(error: unknown): unknown {
  if (error instanceof HostError && mayBeValue.has(error.code)) error.data['usesInputs'] = true;
  return error;
}

/** How a server shows that it cannot do with a token or a password that it was given. */
const mayBeValue: ReadonlySet<HostErrorCode> = new Set(['exited', 'closed', 'handshake-failed', 'http-status', 'auth-failed']);

function notApproved(entry: ServerEntry): HostError {
  return new HostError('not-trusted', `waiting for your trust (${entry.source.label})`, { hint: 'Review what it would run, then start it.' });
}
