import type { AuthState } from '../auth/authorizationState.js';
import type { SignInTrace } from '../auth/signInTrace.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import { visibleLine, visibleText } from '../base/hostileText.js';
import type { Remark } from '../base/remark.js';
import { namesCause, remarkOnStderr } from '../base/remark.js';
import { ServerCatalog } from '../catalog/serverCatalog.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import type { DebugClient } from '../debug/debugRun.js';
import { DebugRun } from '../debug/debugRun.js';
import { devWatchOf, withoutWatch } from '../config/dev.js';
import { ChangeWatch } from '../connection/changeWatch.js';
import { LivenessWatch, meansSilence } from '../connection/livenessWatch.js';
import type { ConnectionState } from '../connection/serverConnection.js';
import { ServerConnection } from '../connection/serverConnection.js';
import type { Root, Tool } from '../protocol/mcp.js';
import type { ServerLog } from './ports.js';
import type { ServerSwitches } from '../presets/toolSwitches.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SessionListener } from '../session/codec.js';
import type { McpSession } from '../session/mcpSession.js';
import type { ServerSkills } from '../skills/serverSkills.js';
import type { ServerAuth, ServerView } from '../catalog/hostApi.js';
import { failureLogLine } from '../present/failure/failureText.js';
import type { EndReason } from './endReasons.js';
import { endedBy } from './endReasons.js';
import type { OpenedServer, PreparedStart } from './sessionOpener.js';
import type { StartRequest } from './startRequest.js';
import { automaticStart, joinStart } from './startRequest.js';
import { ServerLogBook } from './serverLogBook.js';
import { ServerStats } from '../stats/serverStats.js';
import type { TapHolder } from '../trace/messageTap.js';
import { stepLine } from '../present/questions/signInSteps.js';

/** A running server: the session and what it offers. Ends and closes as one. */
export interface RunningServer {
  session: McpSession;
  catalog: ServerCatalog;
  liveness: LivenessWatch;
  /** The definition that this instance was started from, serialized. */
  definition: string;
  /** Its hash. */
  hash: string;
  whenClosed(listener: (reason?: Error) => void): Disposable;
  close(why?: HostError): Promise<void>;
  kill(): void;
}

/** What the host gives each server it manages. */
export interface ManagedServerOptions {
  entry: ServerEntry;
  log: ServerLog;
  tap: TapHolder;
  clock: Clock;
  /** Resolves trust and variables; starts nothing. */
  prepare(
    entry: ServerEntry,
    start: { isInteractive: boolean; debug?: DebugPlan | undefined },
    signal: AbortSignal,
  ): Promise<PreparedStart>;
  /** Starts it, or connects, and shakes hands. */
  openSession(
    prepared: PreparedStart,
    server: OpenedServer,
    listener: SessionListener,
    signal: AbortSignal,
  ): Promise<McpSession>;
  /** Where the sign-in stands. */
  auth(): ServerAuth | undefined;
  /** Runs the start; where the server wants a sign-in and a person is there, asks and runs it again. */
  askingWhenRefused<T>(request: StartRequest, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  restartsOnCrash(): boolean;
  /** Tells the user that a start of theirs waits, and why. */
  tellWaiting(server: ManagedServer, remark: Remark, signal: AbortSignal): Promise<'stop' | 'keep' | undefined>;
  /** How long requests may take where the definition does not say, milliseconds. */
  requestTimeoutMs(): number;
  roots(entry: ServerEntry): Root[];
  /** What of it is switched off, where something can be. */
  switches(entry: ServerEntry): ServerSwitches | undefined;
  /** Absent: no server can be debugged. */
  debugger: DebugClient | undefined;
  /** Names of those tools that are in quarantine. */
  quarantined(entry: ServerEntry, serverHash: string, tools: readonly Tool[]): ReadonlySet<string>;
  /** Watches files of the workspace for a server; undefined where that cannot be done. */
  watchFiles(
    entry: ServerEntry,
    patterns: readonly string[],
    onDidChange: (file: string) => void,
  ): Disposable | undefined;
  /** Stops it and starts it again, asking nobody. */
  restart(server: ManagedServer): Promise<void>;
  onDidChange(server: ManagedServer): void;
}

/**
 * One server under management: its entry, its connection, and while it runs its session and catalog. Makes the
 * snapshots that everyone above sees.
 */
export class ManagedServer {
  readonly connection: ServerConnection<RunningServer, StartRequest>;
  /** Where somebody may listen to every message, across restarts. */
  readonly tap: TapHolder;
  /** What is written about it, and what it writes itself. */
  readonly logBook: ServerLogBook;
  /** What has been counted of it, across restarts. */
  readonly stats = new ServerStats();
  private current: ServerEntry;
  private snapshot: ServerView | undefined;
  /** Who wants to hear of updates, by resource; outlives the session, so that a restarted server is asked again. */
  private readonly subscribers = new Map<string, Set<() => void>>();
  private readonly changeWatch: ChangeWatch;
  private readonly levelListener: Disposable;
  /** Restarts that are being prepared while it runs. */
  private readonly preparing = new Set<AbortController>();
  /** The last time that the user ended it, as an object of its own for each time; restarts do not count. */
  lastEnd: { readonly reason: EndReason } | undefined;
  /** While it is started, or runs, under a debugger. */
  debugRun: DebugRun | undefined;

  constructor(private readonly options: ManagedServerOptions) {
    this.current = options.entry;
    this.tap = options.tap;
    this.logBook = new ServerLogBook(options.log, options.clock);
    this.changeWatch = new ChangeWatch({
      watch: (patterns, onDidChange) => options.watchFiles(this.current, patterns, onDidChange),
      // How that ended is its state, or stands in its log.
      restart: () => options.restart(this).catch(() => undefined),
      write: (level, line) => this.logBook.write(level, visibleText(line, 1_000)),
      onDidChange: () => this.changed(),
      clock: options.clock,
    });
    this.connection = new ServerConnection<RunningServer, StartRequest>({
      open: (request, signal) => options.askingWhenRefused(request, signal, () => this.open(request, signal)),
      automatic: automaticStart,
      join: joinStart,
      onDidChange: (state) => {
        this.stats.recordState(state.kind);
        const isEnding = state.kind === 'stopping' && this.debugRun?.state === 'paused';
        if (state.kind !== 'starting' && state.kind !== 'running' && !isEnding)
          void this.endDebugging(state.kind === 'failed' ? state.error : undefined);
        this.watchChanges();
        if (state.kind === 'failed') {
          this.stats.recordError(state.error, Date.now());
          this.logBook.addFailure(this.current.id, state.error);
        } else if (state.kind === 'needsSignIn')
          this.logBook.write('info', failureLogLine(state.error, this.current.id));
        else this.logBook.write('info', state.kind);
        this.changed();
      },
      // Whoever debugs a crash wants to look at it.
      restartsOnCrash: () => !this.debugRun && (this.current.definition.restartOnCrash ?? options.restartsOnCrash()),
      // A process that does not come up is broken; an address may only be out of reach for now.
      mayComeBack: (error) => isRemote(this.current) && meansSilence(error),
      clock: options.clock,
    });
    this.levelListener = options.log.onDidChangeLevel(() => this.applyLogLevel());
  }

  get entry(): ServerEntry {
    return this.current;
  }

  /** The session while the server runs. */
  get session(): McpSession | undefined {
    return this.connection.attempt?.session;
  }

  /** The frozen reading for everyone above; the same object until something changes. */
  get view(): ServerView {
    const running = this.connection.attempt;
    const auth = this.options.auth();
    const switches = this.snapshot ? undefined : this.options.switches(this.current);
    this.snapshot ??= {
      id: this.current.id,
      entry: this.current,
      state: this.state,
      needsRestart: running !== undefined && running.definition !== definitionText(this.current),
      ...(switches ? { switches } : {}),
      ...(auth ? { auth } : {}),
      ...(running
        ? {
            offer: running.catalog.offer,
            endpoint: running.session.endpoint,
            startedAs: running.hash,
            quarantined: this.options.quarantined(this.current, running.hash, running.catalog.offer.tools),
          }
        : {}),
      ...(running?.liveness.silentSince === undefined ? {} : { silentSince: running.liveness.silentSince }),
      ...(this.debugRun ? { debug: { kind: this.debugRun.plan.kind, state: this.debugRun.state } } : {}),
      ...(this.changeWatch.patterns.length === 0 ? {} : { watched: this.changeWatch.patterns }),
      roots: this.options.roots(this.current),
      stderr: this.logBook.stderr,
    };
    return this.snapshot;
  }

  /** The connection's state; of a start with what was noticed so far. */
  private get state(): ConnectionState {
    const { state } = this.connection;
    if (state.kind !== 'starting') return state;
    const remark = this.logBook.remarks.current();
    return remark ? { ...state, remark } : state;
  }

  /** A new reading of the configuration. */
  update(entry: ServerEntry): void {
    this.current = entry;
    this.watchChanges();
    this.changed();
  }

  /**
   * The sign-in has come to another state. Signed in elsewhere, for example in another window: what waited for it
   * starts.
   */
  authChanged(state: AuthState): void {
    if (state.kind === 'signedIn') this.logBook.write('info', `Signed in with ${visibleLine(state.account.issuer)}.`);
    this.changed();
    if (state.kind === 'signedIn' && this.connection.state.kind === 'needsSignIn') {
      // A failure shows as the server's state.
      this.start(false).catch(() => undefined);
    }
  }

  /** A sign-in or token request begins: its steps go into the log. */
  logSteps(trace: SignInTrace): void {
    trace.onDidAdd((step) => this.logBook.write('debug', stepLine(step)));
  }

  /** Does all that can fail before a start; rejects with HostError, and what runs goes on. */
  async prepare(isInteractive: boolean, debug: DebugPlan | undefined): Promise<PreparedStart> {
    const abort = new AbortController();
    this.preparing.add(abort);
    try {
      return await this.options.prepare(this.current, { isInteractive, debug }, abort.signal);
    } finally {
      this.preparing.delete(abort);
    }
  }

  /**
   * Stops it, and gives up a restart that is still prepared. Waits for its processes and connections, never for a store.
   * @param reason what the user did; unanswered requests reject with it.
   */
  stop(reason: EndReason): Promise<void> {
    this.lastEnd = { reason };
    for (const abort of this.preparing)
      abort.abort(new HostError('cancelled', 'The server was stopped while a restart was prepared.'));
    return this.connection.stop(endedBy(reason));
  }

  /**
   * Starts, or joins a start under way; under a debugger, where one is planned. @param prepared what was done for it
   * already.
   */
  async start(isInteractive: boolean, debug?: DebugPlan, prepared?: PreparedStart): Promise<RunningServer> {
    const running = this.connection.attempt;
    if (running) return running;
    // A start that began by itself may be one that the user waits for now.
    if (isInteractive) this.logBook.remarks.tellAgain();
    const { debugger: client } = this.options;
    if (debug && client) {
      this.debugRun = new DebugRun(
        this.current.id,
        debug,
        client,
        (line) => this.logBook.write('warn', line),
        this.options.clock,
      );
      this.debugRun.onDidChange(() => this.changed());
    }
    return this.connection.start({
      isInteractive,
      ...(this.debugRun ? { debugRun: this.debugRun } : {}),
      ...(prepared ? { prepared } : {}),
    });
  }

  /** How it is debugged, while the user does; what starts it again starts it so. */
  get debugging(): DebugPlan | undefined {
    return this.debugRun?.isWanted === true ? this.debugRun.plan : undefined;
  }

  /** The workspace's folders, or the user's choice among them, are others now. */
  rootsChanged(): void {
    this.session?.rootsChanged();
    this.changed();
  }

  /** Something that is shown of it was decided elsewhere. */
  redraw(): void {
    this.changed();
  }

  /** While it runs and has any. */
  get skills(): ServerSkills | undefined {
    return this.connection.attempt?.catalog.skills;
  }

  /** Asks a running server for its lists again. */
  async listAgain(): Promise<void> {
    await this.connection.attempt?.catalog.refresh();
  }

  findTool(name: string): Tool | undefined {
    return this.connection.attempt?.catalog.offer.tools.find((tool) => tool.name === name);
  }

  /** Tells of updates of one resource until disposed, also after restarts. */
  async subscribe(uri: string, onDidUpdate: () => void): Promise<Disposable> {
    const known = this.subscribers.get(uri);
    const listeners = known ?? new Set();
    listeners.add(onDidUpdate);
    if (!known) {
      this.subscribers.set(uri, listeners);
      await this.session?.subscribe(uri);
    }
    return toDisposable(() => {
      listeners.delete(onDidUpdate);
      if (listeners.size > 0 || this.subscribers.get(uri) !== listeners) return;
      this.subscribers.delete(uri);
      // A server that is gone has nothing to unsubscribe from; one that refuses only goes on telling.
      this.session
        ?.unsubscribe(uri)
        .catch((error: unknown) => this.logBook.write('debug', `Unsubscribing failed: ${String(error)}`));
    });
  }

  /** For good. @param reason what the user did; unanswered requests reject with it. */
  async dispose(reason: EndReason): Promise<void> {
    this.levelListener.dispose();
    this.changeWatch.dispose();
    await this.stop(reason);
  }

  private async endDebugging(error: Error | undefined): Promise<void> {
    const run = this.debugRun;
    this.debugRun = undefined;
    await run?.end(error);
  }

  /** A debugger lets go first: a process ends only half while one is attached. */
  private async end(session: McpSession, why: HostError | undefined): Promise<void> {
    const isHeld = this.debugRun?.state === 'paused';
    if (!session.isClosed && !isHeld) await this.endDebugging(undefined);
    const closing = session.close(why);
    // At a breakpoint it would run on once it is let go, and whoever stops it there does not want that.
    if (isHeld) session.kill();
    await closing;
  }

  /** From a start until somebody stops it; a failed one too, since a change may be the cure. */
  private watchChanges(): void {
    const { kind } = this.connection.state;
    this.changeWatch.update(
      devWatchOf(this.current.definition),
      kind === 'starting' || kind === 'running' || kind === 'failed',
    );
  }

  private async open(request: StartRequest, signal: AbortSignal): Promise<RunningServer> {
    this.logBook.begin();
    const prepared = await this.preparedFor(request, signal);
    signal.throwIfAborted();
    let catalog: ServerCatalog | undefined;
    const listener: SessionListener = {
      onListChanged: (kind) => catalog?.scheduleRefresh(kind),
      onResourceUpdated: (uri) => {
        this.session?.forgetCached(uri);
        for (const onDidUpdate of this.subscribers.get(uri) ?? []) onDidUpdate();
      },
      onLog: (message) => this.logBook.addMessage(message),
      onWarning: (line) => this.logBook.addWarning(line),
      onStderr: (line) => {
        this.debugRun?.read(line);
        this.logBook.addStderr(line);
        this.noticed(remarkOnStderr(line));
        this.snapshot = undefined;
      },
      onRemark: (remark) => this.noticed(remark),
      onUnanswered: (error) => this.connection.attempt?.liveness.suspect(error),
    };
    const over = new AbortController();
    const watch = this.logBook.remarks.watch(this.waitingTeller(request, over.signal));
    try {
      return await this.openWith(prepared, request, listener, signal, (made) => (catalog = made));
    } catch (error) {
      this.logBook.explain(error, -Infinity);
      throw error;
    } finally {
      watch.dispose();
      over.abort();
    }
  }

  /** The handshake and the first lists. @param onCatalog called before the lists are asked for. */
  private async openWith(
    prepared: PreparedStart,
    { debugRun }: StartRequest,
    listener: SessionListener,
    signal: AbortSignal,
    onCatalog: (catalog: ServerCatalog) => void,
  ): Promise<RunningServer> {
    const definition = definitionText(prepared.entry);
    const { hash } = prepared.entry;
    const { tap, stats, logBook } = this;
    const session = await this.options
      .openSession(prepared, { tap, stats, logBook, debugRun }, listener, signal)
      .catch((error: unknown) => {
        notePhase(error, 'start');
        throw error;
      });
    session.whenClosed((reason) => notePhase(reason, 'running'));
    let catalog: ServerCatalog | undefined;
    try {
      catalog = new ServerCatalog(
        session,
        () => this.changed(),
        (line) => this.logBook.write('warn', line),
        this.options.clock,
      );
      onCatalog(catalog);
      const level = this.options.log.level();
      // Setting the level is a wish; a server that refuses it still works.
      session
        .setLogLevel(level)
        .catch((error: unknown) => this.logBook.write('debug', `The log level was not accepted: ${String(error)}`));
      for (const uri of this.subscribers.keys()) {
        session
          .subscribe(uri)
          .catch((error: unknown) =>
            this.logBook.write('warn', `Updates of ${visibleLine(uri)} are not reported: ${String(error)}`),
          );
      }
      await abortable(catalog.load(), signal);
    } catch (error) {
      catalog?.dispose();
      await session.close();
      throw error;
    }
    const loaded = catalog;
    const liveness = this.watchLiveness(session);
    return {
      session,
      catalog: loaded,
      liveness,
      definition,
      hash,
      whenClosed: (onClosed) => session.whenClosed(onClosed),
      close: (why) => {
        liveness.dispose();
        loaded.dispose();
        return this.end(session, why);
      },
      kill: () => session.kill(),
    };
  }

  /**
   * Of a plain line of error output everyone hears with the next look at a start that passes; what names a cause is
   * told at once.
   */
  private noticed(remark: Remark): void {
    this.logBook.addRemark(remark);
    if (namesCause(remark) && this.connection.state.kind === 'starting') this.changed();
  }

  /**
   * Tells the user why their start waits: not when it began by itself, and not again once they let it go on. @returns
   * whether they were told.
   */
  private waitingTeller(request: StartRequest, signal: AbortSignal): (remark: Remark) => boolean {
    let keepsWaiting = false;
    return (remark) => {
      if (!request.isInteractive || keepsWaiting || this.connection.state.kind !== 'starting') return false;
      void this.options.tellWaiting(this, remark, signal).then((answer) => (keepsWaiting = answer === 'keep'));
      return true;
    };
  }

  /** What was prepared for this start, unless the configuration has changed since. */
  private preparedFor(
    { prepared, isInteractive, debugRun }: StartRequest,
    signal: AbortSignal,
  ): Promise<PreparedStart> {
    return prepared?.entry === this.current
      ? Promise.resolve(prepared)
      : this.options.prepare(this.current, { isInteractive, debug: debugRun?.plan }, signal);
  }

  private watchLiveness(session: McpSession): LivenessWatch {
    const { transportKind } = session.identity;
    const watch = new LivenessWatch({
      ping: (timeoutMs) => session.ping(timeoutMs),
      requestTimeoutMs: this.current.definition.timeoutMs ?? this.options.requestTimeoutMs(),
      connection:
        transportKind === 'http'
          ? 'calls'
          : transportKind === 'sse' || transportKind === 'ws' || transportKind === 'socket'
            ? 'stream'
            : 'process',
      onDidChange: () => {
        this.logBook.write(
          'warn',
          watch.silentSince === undefined
            ? 'The server answers again.'
            : 'The server does not answer; it is asked until it does.',
        );
        this.changed();
      },
      onLost: (error) => session.drop(error),
      clock: this.options.clock,
    });
    return watch;
  }

  private applyLogLevel(): void {
    this.session
      ?.setLogLevel(this.options.log.level())
      .catch((error: unknown) => this.logBook.write('debug', `The log level was not accepted: ${String(error)}`));
  }

  private changed(): void {
    this.snapshot = undefined;
    this.options.onDidChange(this);
  }
}

/** Notes on the end of a process whether the handshake was done. */
function notePhase(error: unknown, phase: 'start' | 'running'): void {
  if (error instanceof HostError && error.code === 'exited') error.data.phase ??= phase;
}

function isRemote({ definition }: ServerEntry): boolean {
  return definition.type !== 'stdio' && definition.type !== 'builtin';
}

/** Settles with `work`, or rejects as soon as the signal is aborted. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason ?? new HostError('cancelled', 'Canceled.'));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** What a running instance is compared with. */
function definitionText({ definition }: ServerEntry): string {
  return JSON.stringify(withoutWatch(definition));
}
