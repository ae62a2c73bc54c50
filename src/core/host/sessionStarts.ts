import type { Clock } from '../base/clock.js';
import type { HostError } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import { namesCause, remarkOnStderr } from '../base/remark.js';
import type { ServerCatalog } from '../catalog/serverCatalog.js';
import type { ServerConnection } from '../connection/serverConnection.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SessionListener } from '../session/codec.js';
import type { McpSession } from '../session/mcpSession.js';
import type { KeptPorts } from './keptStores.js';
import type { ResourceSubscriptions } from './resourceSubscriptions.js';
import type { RunningServer } from './runningServer.js';
import { runSession } from './runningServer.js';
import type { ServerDebugging } from './serverDebugging.js';
import type { PreparedStart, ServerRecords, SessionOpener } from './sessionOpener.js';
import { startNotice } from './startNotice.js';
import type { StartRequest } from './startRequest.js';

export interface SessionStartsOptions {
  /** The server as it is configured now. */
  entry: () => ServerEntry;
  opener: Pick<SessionOpener, 'prepare' | 'open'>;
  ports: KeptPorts;
  records: ServerRecords;
  debugging: ServerDebugging;
  subscriptions: ResourceSubscriptions;
  connection: () => ServerConnection<RunningServer, StartRequest>;
  /** Stops the server at the user's request. */
  stop: (id: string) => Promise<void>;
  clock: Clock;
  /** Called when something that the user sees changed, for example the features of the server. */
  onDidChange: () => void;
  /** Called after a line of stderr was read. The user sees the line after the next call of `onDidChange`. */
  onStderr: () => void;
}

/** The starts of one server, from the request to the running server. */
export class SessionStarts {
  /** Number of questions of the current start that the user has not answered. */
  private questions = 0;

  constructor(private readonly options: SessionStartsOptions) {}

  /** Whether the current start waits for an answer of the user. */
  get isAsking(): boolean {
    return this.questions > 0;
  }

  /**
   * Opens the session of a start, loads its first lists, and monitors it from then on. Rejects with HostError or with
   * the reason of the signal.
   */
  async open(request: StartRequest, signal: AbortSignal): Promise<RunningServer> {
    const { records, debugging, subscriptions, connection, onStderr } = this.options;
    const { logWriter } = records;
    logWriter.begin();
    const prepared = await this.preparedFor(request, signal);
    signal.throwIfAborted();
    let catalog: ServerCatalog | undefined;
    const listener: SessionListener = {
      onListChanged: (kind) => catalog?.scheduleRefresh(kind),
      onResourceUpdated: (uri) => subscriptions.updated(uri),
      onLog: (message) => logWriter.addMessage(message),
      onWarning: (line) => logWriter.addWarning(line),
      onStderr: (line) => {
        debugging.run?.read(line);
        logWriter.addStderr(line);
        this.noticed(remarkOnStderr(line));
        onStderr();
      },
      onRemark: (remark) => this.noticed(remark),
      onUnanswered: (error) => connection().attempt?.liveness.suspect(error),
    };
    const over = new AbortController();
    const watch = logWriter.remarks.watch(this.waitingNotice(request, over.signal));
    try {
      return await this.openWith(prepared, request, listener, signal, (made) => (catalog = made));
    } catch (error) {
      logWriter.explain(error, -Infinity);
      throw error;
    } finally {
      watch.dispose();
      over.abort();
    }
  }

  /** Runs the handshake and loads the first lists. @param onCatalog called before the lists are requested. */
  private openWith(
    prepared: PreparedStart,
    { debugRun }: StartRequest,
    listener: SessionListener,
    signal: AbortSignal,
    onCatalog: (catalog: ServerCatalog) => void,
  ): Promise<RunningServer> {
    const { entry, opener, records, ports, subscriptions, clock, onDidChange } = this.options;
    const opening = opener.open(prepared, { ...records, debugRun }, listener, signal);
    return runSession(opening, {
      entry: prepared.entry,
      logWriter: records.logWriter,
      subscriptions,
      requestTimeoutMs: () => entry().definition.timeoutMs ?? ports.settings.current().requestTimeoutMs,
      clock,
      onCatalog,
      onDidChange,
      end: (session, why) => this.end(session, why),
      signal,
    });
  }

  /**
   * Ends a session. Detaches the debugger first, because a process does not end completely while a debugger is
   * attached.
   */
  private async end(session: McpSession, why: HostError | undefined): Promise<void> {
    const { debugging } = this.options;
    const isHeld = debugging.isPaused;
    if (!session.isClosed && !isHeld) await debugging.end();
    const closing = session.close(why);
    // After a detach, a program at a breakpoint would continue, but the user wants it to stop there. So the process is
    // killed.
    if (isHeld) session.kill();
    await closing;
  }

  /**
   * Records a remark. A remark that indicates a cause updates the snapshot at once. A plain line of stderr appears with
   * the next update.
   */
  private noticed(remark: Remark): void {
    this.options.records.logWriter.addRemark(remark);
    if (namesCause(remark) && this.isStarting) this.options.onDidChange();
  }

  /** Returns a function that tells the user why the start is waiting, unless the start began automatically. */
  private waitingNotice(request: StartRequest, signal: AbortSignal): (remark: Remark) => boolean {
    const { entry, ports, stop } = this.options;
    return startNotice({
      mayTell: () => request.isInteractive && this.isStarting,
      tell: (remark) => ports.startNotices?.tell(entry(), remark, signal),
      stop: () => stop(entry().id),
      signal,
    });
  }

  /** The preparation of this start; a new one if there is none, or if the configuration has changed since. */
  private preparedFor(
    { prepared, isInteractive, debugRun }: StartRequest,
    signal: AbortSignal,
  ): Promise<PreparedStart> {
    const { opener, onDidChange } = this.options;
    const entry = this.options.entry();
    return prepared?.entry === entry
      ? Promise.resolve(prepared)
      : opener.prepare(
          entry,
          {
            isInteractive,
            debug: debugRun?.plan,
            onQuestion: (isAsking) => {
              this.questions += isAsking ? 1 : -1;
              onDidChange();
            },
          },
          signal,
        );
  }

  private get isStarting(): boolean {
    return this.options.connection().state.kind === 'starting';
  }
}
