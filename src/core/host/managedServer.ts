import type { AuthState } from '../auth/authorizationState.js';
import type { SignInTrace } from '../auth/signInTrace.js';
import type { CallerLife } from '../base/callerLife.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { EndReason } from '../base/failureKinds.js';
import { HostError } from '../base/hostError.js';
import { visibleLine, visibleText } from '../base/hostileText.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { devWatchOf } from '../config/dev.js';
import { ChangeWatch } from '../connection/changeWatch.js';
import { meansSilence } from '../connection/livenessWatch.js';
import type { ConnectionState } from '../connection/serverConnection.js';
import { ServerConnection } from '../connection/serverConnection.js';
import type { JsonSchema, ListKind, Tool } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { CallOrigin } from '../session/callOrigins.js';
import type { McpSession } from '../session/mcpSession.js';
import type { ServerSkills } from '../skills/serverSkills.js';
import type { ServerView } from '../catalog/hostTypes.js';
import { failureLogLine } from '../present/failure/failureText.js';
import { CalledTools } from './calledTools.js';
import { CallerSessions } from './callerSessions.js';
import { endedBy } from './endReasons.js';
import { ResourceSubscriptions } from './resourceSubscriptions.js';
import type { RunningServer } from './runningServer.js';
import { serializedDefinition, setLogLevel } from './runningServer.js';
import type { KeptPorts } from './keptStores.js';
import type { SnapshotSources } from './serverSnapshot.js';
import { serverSnapshot } from './serverSnapshot.js';
import type { PreparedStart, ServerRecords, SessionOpener } from './sessionOpener.js';
import type { SignIns } from './signIns.js';
import { ServerDebugging } from './serverDebugging.js';
import type { StartRequest } from './startRequest.js';
import { automaticStart, joinStart } from './startRequest.js';
import { ServerLogWriter } from './serverLogWriter.js';
import { SessionStarts } from './sessionStarts.js';
import { ServerStats } from '../stats/serverStats.js';
import type { TapHolder } from '../trace/messageTap.js';
import type { ToolSecrets } from '../trace/toolSecrets.js';
import { mergedSecrets, toolSecrets } from '../trace/toolSecrets.js';
import { stepLine } from '../present/questions/signInSteps.js';

/** The services and options that the host passes to each managed server. */
export interface ManagedServerOptions extends SnapshotSources {
  entry: ServerEntry;
  tap: TapHolder;
  /** Whether a recording of the messages is running. */
  isRecorded: () => boolean;
  clock: Clock;
  ports: KeptPorts;
  opener: Pick<SessionOpener, 'prepare' | 'open'>;
  signIns: Pick<SignIns, 'authOf' | 'askingWhenRefused' | 'secretValues'>;
  /** Stops the server at the user's request. */
  stop: (id: string) => Promise<void>;
  /** Stops and restarts the server without asking the user. */
  restart: (id: string) => Promise<void>;
  onDidChange: (id: string) => void;
}

/**
 * One managed server: its entry, its connection and, while it runs, its session and catalog. Creates the snapshots for
 * the layers above.
 */
export class ManagedServer {
  readonly connection: ServerConnection<RunningServer, StartRequest>;
  /** Listeners for every message; they are kept across restarts. */
  readonly tap: TapHolder;
  /** The log of the server: lines of the host and lines of the server. */
  readonly logWriter: ServerLogWriter;
  /** Counters of the server; they are kept across restarts. */
  readonly stats = new ServerStats();
  private current: ServerEntry;
  private snapshot: ServerView | undefined;
  private readonly subscriptions: ResourceSubscriptions;
  private readonly changeWatch: ChangeWatch;
  private readonly callers: CallerSessions;
  private readonly starts: SessionStarts;
  private readonly calledTools = new CalledTools();
  private readonly levelListener: Disposable;
  /** Restarts that are being prepared while the server runs. */
  private readonly preparing = new Set<AbortController>();
  /**
   * The reason of the last stop. Each stop creates a new object, so that two stops can be distinguished by identity.
   * Restarts do not change the object.
   */
  lastEnd: { readonly reason: EndReason } | undefined;
  private readonly debugging: ServerDebugging;
  /** Whether the definition has changed since a start failed. */
  private isChanged = false;

  constructor(private readonly options: ManagedServerOptions) {
    this.current = options.entry;
    this.tap = options.tap;
    const { ports, clock, signIns } = options;
    const log = ports.serverLog(options.entry);
    const { id } = options.entry;
    this.logWriter = new ServerLogWriter(log, clock, () => signIns.secretValues(id));
    this.debugging = new ServerDebugging({
      client: ports.debugger,
      clock,
      warn: (line) => this.logWriter.write('warn', line),
      onDidChange: () => this.changed(),
    });
    this.subscriptions = new ResourceSubscriptions(() => this.session, this.logWriter);
    const entry = () => this.current;
    const { opener, stop } = options;
    const records: ServerRecords = { tap: this.tap, stats: this.stats, logWriter: this.logWriter };
    this.callers = new CallerSessions({ entry, opener, records, clock });
    this.starts = new SessionStarts({
      entry,
      opener,
      ports,
      records,
      debugging: this.debugging,
      subscriptions: this.subscriptions,
      connection: () => this.connection,
      stop,
      clock,
      onDidChange: () => this.changed(),
      onStderr: () => (this.snapshot = undefined),
    });
    this.changeWatch = new ChangeWatch({
      watch: (patterns, onDidChange) => this.watchFiles(patterns, onDidChange),
      // The state or the log of the server shows whether the restart succeeded, so the rejection is ignored.
      restart: () => options.restart(this.entry.id).catch(() => undefined),
      write: (level, line) => this.logWriter.write(level, visibleText(line, 1_000)),
      onDidChange: () => this.changed(),
      clock,
    });
    this.connection = new ServerConnection<RunningServer, StartRequest>({
      open: (request, signal) =>
        signIns.askingWhenRefused(
          this.current.id,
          () => request.isInteractive,
          signal,
          () => this.starts.open(request, signal),
        ),
      automatic: automaticStart,
      join: joinStart,
      onDidChange: (state) => {
        if (state.kind === 'starting') this.isChanged = false;
        if ('error' in state) this.logWriter.maskIn(state.error);
        this.stats.recordState(state.kind);
        const isEnding = state.kind === 'stopping' && this.debugging.isPaused;
        if (state.kind !== 'starting' && state.kind !== 'running' && !isEnding)
          void this.debugging.end(state.kind === 'failed' ? state.error : undefined);
        this.watchChanges();
        if (state.kind === 'failed') {
          this.stats.recordError(state.error, Date.now());
          this.logWriter.addFailure(this.current.id, state.error);
        } else if (state.kind === 'needsSignIn')
          this.logWriter.write('info', failureLogLine(state.error, this.current.id));
        else this.logWriter.write('info', state.kind);
        this.changed();
      },
      // A server under a debugger is not restarted, so that the user can examine the crash.
      restartsOnCrash: () =>
        !this.debugging.run && (this.current.definition.restartOnCrash ?? ports.settings.current().restartOnCrash),
      // A process that fails to start is not retried, because it would fail again. A remote server may be unreachable
      // for a short time only.
      mayComeBack: (error) => isRemote(this.current) && meansSilence(error),
      clock,
    });
    this.levelListener = log.onDidChangeLevel(() => this.session && setLogLevel(this.session, this.logWriter));
  }

  get entry(): ServerEntry {
    return this.current;
  }

  /** The session while the server runs. */
  get session(): McpSession | undefined {
    return this.connection.attempt?.session;
  }

  /** The immutable snapshot for the layers above. It stays the same object until something changes. */
  get view(): ServerView {
    this.snapshot ??= serverSnapshot(this.options, {
      entry: this.current,
      state: this.state,
      running: this.connection.attempt,
      isChanged: this.isChanged && this.connection.state.kind === 'stopped',
      debugRun: this.debugging.run,
      watched: this.changeWatch.patterns,
      stderr: this.logWriter.stderr,
      isRecorded: this.options.isRecorded(),
    });
    return this.snapshot;
  }

  /** The state of the connection. While the server is starting, it includes the current remark. */
  private get state(): ConnectionState {
    const { state } = this.connection;
    if (state.kind !== 'starting') return state;
    const remark = this.logWriter.remarks.current();
    return { ...state, ...(remark ? { remark } : {}), ...(this.starts.isAsking ? { isAsking: true } : {}) };
  }

  /** Replaces the entry after the configuration was read again. */
  update(entry: ServerEntry): void {
    const isOther = serializedDefinition(entry) !== serializedDefinition(this.current);
    this.current = entry;
    if (isOther) void this.callers.close();
    if (isOther && endsWithDefinition.has(this.connection.state.kind)) {
      // The state results from the previous definition, so it no longer applies.
      this.isChanged = true;
      void this.connection.stop();
    }
    this.watchChanges();
    this.changed();
  }

  /**
   * Called when the sign-in state changed. A server that waits for the sign-in is started, even if the user signed in
   * from another window.
   */
  authChanged(state: AuthState): void {
    if (state.kind === 'signedIn') this.logWriter.write('info', `Signed in with ${visibleLine(state.account.issuer)}.`);
    this.changed();
    if (state.kind === 'signedIn' && this.connection.state.kind === 'needsSignIn') {
      // The state of the server shows a failure, so the rejection is ignored.
      this.start(false).catch(() => undefined);
    }
  }

  /** Writes the steps of a sign-in or token request to the log. */
  logSteps(trace: SignInTrace): void {
    trace.onDidAdd((step) => this.logWriter.write('debug', stepLine(step)));
  }

  /**
   * Performs all steps of a start that can fail before the server is started. Rejects with HostError. A running server
   * keeps running.
   */
  async prepare(isInteractive: boolean, debug: DebugPlan | undefined): Promise<PreparedStart> {
    const abort = new AbortController();
    this.preparing.add(abort);
    try {
      return await this.options.opener.prepare(this.current, { isInteractive, debug }, abort.signal);
    } finally {
      this.preparing.delete(abort);
    }
  }

  /**
   * Stops the server with the processes of its callers, and cancels a restart that is being prepared. Waits for
   * processes and connections, but not for storage.
   * @param reason why the server is stopped; unanswered requests reject with it.
   */
  async stop(reason: EndReason): Promise<void> {
    this.lastEnd = { reason };
    const callers = this.callers.close();
    for (const abort of this.preparing)
      abort.abort(new HostError('cancelled', 'The server was stopped while a restart was prepared.'));
    await Promise.all([callers, this.connection.stop(endedBy(reason))]);
  }

  /**
   * Starts the server, or joins a start in progress.
   * @param debug starts the server under a debugger.
   * @param prepared the result of `prepare`, if it was called for this start.
   */
  async start(isInteractive: boolean, debug?: DebugPlan, prepared?: PreparedStart): Promise<RunningServer> {
    const running = this.connection.attempt;
    if (running) return running;
    // The start may have begun automatically, and the user has just begun to wait for it, so remarks are reported
    // again.
    if (isInteractive) this.logWriter.remarks.tellAgain();
    if (debug) this.debugging.begin(this.current.id, debug);
    const debugRun = this.debugging.run;
    return this.connection.start({
      isInteractive,
      ...(debugRun ? { debugRun } : {}),
      ...(prepared ? { prepared } : {}),
    });
  }

  /** How the server is debugged; a restart uses the same plan. Undefined while it is not debugged. */
  get debugPlan(): DebugPlan | undefined {
    return this.debugging.plan;
  }

  /** Informs the server that the workspace folders or the user's choice of roots changed. */
  rootsChanged(): void {
    this.session?.rootsChanged();
    this.changed();
  }

  /**
   * Discards the snapshot, because a change outside of this object affects it, for example a change of the settings.
   */
  redraw(): void {
    this.changed();
  }

  /** The skills of the running server; undefined when it is not running or has none. */
  get skills(): ServerSkills | undefined {
    return this.connection.attempt?.catalog.skills;
  }

  /** Requests the lists of a running server again. */
  async listAgain(): Promise<void> {
    await this.connection.attempt?.catalog.refresh();
  }

  /** Called when a list of this server is shown or used. Requests the list again if it is stale. */
  noteUse(...lists: readonly ListKind[]): void {
    for (const list of lists) this.connection.attempt?.catalog.noteUse(list);
  }

  /**
   * Runs `work` with the session of a caller: its own session if the server runs once for each client, otherwise the
   * session that all callers share.
   */
  withSession<T>(
    origin: CallOrigin | undefined,
    shared: McpSession,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T> {
    const life = this.current.definition.sharing === 'perCaller' ? origin?.life : undefined;
    return life ? this.callers.use(life, work) : work(shared);
  }

  /**
   * Checks that the session of a client has the same tool as the shared session, to which approvals apply. Rejects with
   * `tool-changed`. Undefined if this is the shared session.
   */
  checkTool(session: McpSession, tool: string): Promise<void> | undefined {
    return this.callers.checkTool(session, tool, this.findTool(tool));
  }

  findTool(name: string): Tool | undefined {
    return this.connection.attempt?.catalog.features.tools.find((tool) => tool.name === name);
  }

  /** Called before each tool call. */
  noteCall(tool: string, schema: JsonSchema): void {
    this.calledTools.note(tool, schema);
  }

  /**
   * The secrets in the arguments of a tool. Undefined if its schema is not known and the tool was not called, so that
   * every argument can be a secret.
   */
  secretsOfTool(name: string): ToolSecrets | undefined {
    const listed = this.findTool(name);
    return mergedSecrets(this.calledTools.of(name), listed && toolSecrets(listed.inputSchema));
  }

  /**
   * Calls `onDidUpdate` for updates of one resource until disposed, even after restarts.
   * @param life the client that subscribes. For a server with one process per client, updates come from the process of
   * that client.
   */
  subscribe(uri: string, onDidUpdate: () => void, life?: CallerLife): Promise<Disposable> {
    return life && this.current.definition.sharing === 'perCaller'
      ? this.callers.subscribe(life, uri, onDidUpdate)
      : this.subscriptions.add(uri, onDidUpdate);
  }

  /** Stops the server permanently. @param reason why it is stopped; unanswered requests reject with it. */
  async dispose(reason: EndReason): Promise<void> {
    this.levelListener.dispose();
    this.changeWatch.dispose();
    await this.stop(reason);
  }

  /**
   * Watches the files of `dev.watch` from a start until the user stops the server. A failed server is watched as well,
   * because a change may fix it.
   */
  private watchChanges(): void {
    const { kind } = this.connection.state;
    this.changeWatch.update(
      devWatchOf(this.current.definition),
      kind === 'starting' || kind === 'running' || kind === 'failed',
    );
  }

  /** Watches files in the folder of the file that contains the definition, or in the first open folder. */
  private watchFiles(patterns: readonly string[], onDidChange: (file: string) => void): Disposable | undefined {
    const { machine, fileChanges } = this.options.ports;
    const folder = this.current.source.folderPath ?? machine.folders()[0]?.path;
    return folder === undefined ? undefined : fileChanges?.watch(folder, patterns, onDidChange);
  }

  private changed(): void {
    this.snapshot = undefined;
    this.options.onDidChange(this.current.id);
  }
}

/** The states that become obsolete when the definition changes. */
const endsWithDefinition: ReadonlySet<ConnectionState['kind']> = new Set(['failed', 'needsInput', 'needsSignIn']);

function isRemote({ definition }: ServerEntry): boolean {
  return definition.type !== 'stdio' && definition.type !== 'builtin';
}
