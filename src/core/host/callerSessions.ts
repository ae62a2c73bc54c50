/**
 * The sessions of a server that runs once for each client (`"sharing": "perCaller"`), so that no client sees the state
 * of another client. A session begins with the first call or subscription of its client. It ends when the client ends,
 * or after an idle time without a subscription. After a crash it begins again with the next call, and then has the
 * subscriptions of its client.
 */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { CallerLife } from '../base/callerLife.js';
import type { Tool } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SessionListener } from '../session/codec.js';
import type { McpSession } from '../session/mcpSession.js';
import { CallerTools } from './callerTools.js';
import { ResourceSubscriptions } from './resourceSubscriptions.js';
import type { ServerRecords, SessionOpener } from './sessionOpener.js';

/** Maximum number of clients at the same time, each with a process. */
const maxCallers = 8;

/** Idle time after which the session of a client is closed, in milliseconds. */
const idleMs = 600_000;

interface Owned {
  session: Promise<McpSession>;
  /** The session after it has opened. */
  opened?: McpSession;
  abort: AbortController;
  active: number;
  ended: Disposable;
  idle?: Disposable | undefined;
}

export interface CallerSessionsOptions {
  /** The server as it is configured now. */
  entry: () => ServerEntry;
  opener: Pick<SessionOpener, 'prepare' | 'open'>;
  records: ServerRecords;
  clock: Clock;
}

export class CallerSessions {
  private readonly owned = new Map<CallerLife, Owned>();
  private readonly subscriptions = new Map<CallerLife, ResourceSubscriptions>();
  /** The sessions that are being closed: each promise resolves when the process and the connection have ended. */
  private readonly closing = new Set<Promise<void>>();
  private readonly tools: CallerTools;

  constructor(private readonly options: CallerSessionsOptions) {
    this.tools = new CallerTools(options.clock);
  }

  /** Number of clients with a session. */
  get size(): number {
    return this.owned.size;
  }

  /**
   * Uses the session of a client; opens it first if necessary. Rejects with UserError if too many clients have one, or
   * if the client has ended.
   */
  async use<T>(life: CallerLife, work: (session: McpSession) => Promise<T>): Promise<T> {
    const owned = this.owned.get(life) ?? this.begin(life);
    owned.active++;
    owned.idle?.dispose();
    try {
      return await work(await owned.session);
    } finally {
      owned.active--;
      this.restIfIdle(life, owned);
    }
  }

  /**
   * Calls `onDidUpdate` for updates of a resource in the session of a client until disposed or until the client ends.
   * Opens the session first if necessary. Rejects like `use`, or if the server refuses the subscription.
   */
  async subscribe(life: CallerLife, uri: string, onDidUpdate: () => void): Promise<Disposable> {
    const subscription = await this.use(life, () => this.subscriptionsOf(life).add(uri, onDidUpdate));
    return toDisposable(() => {
      subscription.dispose();
      const owned = this.owned.get(life);
      if (owned) this.restIfIdle(life, owned);
    });
  }

  /**
   * Checks that the session of a client has the same tool as the shared session, to which approvals apply. Rejects with
   * `tool-changed`. Undefined if this is the shared session.
   * @param shared the tool in the shared session; undefined if it is not listed there.
   */
  checkTool(session: McpSession, tool: string, shared: Tool | undefined): Promise<void> | undefined {
    return this.tools.check(session, this.options.entry().id, tool, shared);
  }

  private subscriptionsOf(life: CallerLife): ResourceSubscriptions {
    const known = this.subscriptions.get(life);
    if (known) return known;
    const made = new ResourceSubscriptions(() => this.owned.get(life)?.opened, this.options.records.logWriter);
    this.subscriptions.set(life, made);
    life.onDidEnd(() => this.subscriptions.delete(life));
    return made;
  }

  /** Closes the session of a client after the idle time, unless it is used or has a subscription. */
  private restIfIdle(life: CallerLife, owned: Owned): void {
    const isUsed = owned.active > 0 || this.subscriptions.get(life)?.isEmpty === false;
    if (isUsed || this.owned.get(life) !== owned) return;
    owned.idle?.dispose();
    owned.idle = this.options.clock.after(idleMs, () => this.end(life));
  }

  /**
   * Closes all sessions. Clients get a new one with their next call. Resolves when the processes and connections have
   * ended, including those of clients that have ended before.
   */
  async close(): Promise<void> {
    for (const life of [...this.owned.keys()]) this.end(life);
    await Promise.all(this.closing);
  }

  private begin(life: CallerLife): Owned {
    if (life.isEnded) throw new UserError('The client has ended its session.');
    if (this.owned.size >= maxCallers)
      throw new UserError(
        `The server "${visibleLine(this.options.entry().name, 120)}" runs once for each client, for at most ${maxCallers} clients, and ${maxCallers} clients use it now. Close one of them, or set "sharing" of the server to "one".`,
      );
    const abort = new AbortController();
    const session = this.open(abort.signal, (uri) => this.subscriptions.get(life)?.updated(uri));
    const owned: Owned = { session, abort, active: 0, ended: life.onDidEnd(() => this.end(life)) };
    this.owned.set(life, owned);
    const forget = () => this.owned.get(life) === owned && this.end(life);
    session.then((opened) => {
      owned.opened = opened;
      this.subscriptions.get(life)?.renew(opened);
      opened.whenClosed(forget);
    }, forget);
    return owned;
  }

  /**
   * Opens a session for one client. The lists that clients see still come from the shared session of the server.
   * @param onResourceUpdated receives the URIs of resources that the session reports as changed.
   */
  private async open(signal: AbortSignal, onResourceUpdated: (uri: string) => void): Promise<McpSession> {
    const { entry, opener, records } = this.options;
    const { logWriter } = records;
    const prepared = await opener.prepare(entry(), { isInteractive: false }, signal);
    const opened: { session?: McpSession } = {};
    const listener: SessionListener = {
      onResourceUpdated,
      onLog: (message) => logWriter.addMessage(message),
      onWarning: (line) => logWriter.addWarning(line),
      onStderr: (line) => logWriter.addStderr(line),
      onListChanged: (kind) => void (kind === 'tools' && opened.session && this.tools.list(opened.session)),
    };
    const session = await opener.open(prepared, { ...records, debugRun: undefined }, listener, signal);
    // The session takes the output schemas of tools, and the headers that repeat arguments, from the list.
    opened.session = session;
    await this.tools.list(session);
    return session;
  }

  private end(life: CallerLife): void {
    const owned = this.owned.get(life);
    if (!owned) return;
    this.owned.delete(life);
    owned.ended.dispose();
    owned.idle?.dispose();
    owned.abort.abort(
      new UserError(
        life.isEnded ? 'The client has ended its session.' : 'The server was stopped, or its definition has changed.',
      ),
    );
    const closing = owned.session
      .then((session) => session.close())
      // A session that failed to open has nothing to close, and a failure to close has been logged by its transport.
      .catch(() => undefined)
      .finally(() => this.closing.delete(closing));
    this.closing.add(closing);
  }
}
