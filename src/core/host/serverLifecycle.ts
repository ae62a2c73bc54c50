/** Starts and stops servers, and remembers which of them the user has running and which are disabled. */
import { isObject } from '../base/guards.js';
import { HostError, isCancelled, messageOf } from '../base/hostError.js';
import { stateKeys } from '../base/stateKeys.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { failureLogLine, noteServer } from '../present/failure/failureText.js';
import type { ToolSwitches } from '../presets/toolSwitches.js';
import { endedBy } from './endReasons.js';
import type { HostServers } from './hostServers.js';
import type { KeptPorts } from './keptStores.js';
import type { ManagedServer } from './managedServer.js';
import type { PreparedStart } from './sessionOpener.js';
import { everyName } from './storedState.js';

/** Starting and stopping servers. */
export interface LifecycleApi {
  /**
   * Starts a server and resolves when its lists are there.
   * @param options.interactive default true. False: nobody is asked; a server that needs trust stays in `needsTrust` and
   * this rejects with `not-trusted`, one that needs a value in `needsInput` with `needs-input`, one that needs a sign-in
   * in `needsSignIn` with `auth-required`.
   */
  start(id: string, options?: StartOptions): Promise<void>;
  /** Runs the stop ladder; a second call forces. */
  stop(id: string): Promise<void>;
  /**
   * @param options.debug starts it under a debugger; without it a server that is being debugged is started under its
   * debugger again.
   */
  restart(id: string, options?: { interactive?: boolean; debug?: DebugPlan }): Promise<void>;
  /**
   * Asks a running server for its lists again; those that fail say so in its snapshot. Does nothing for one that is
   * not running.
   */
  listAgain(server: string): Promise<void>;
  setEnabled(id: string, isEnabled: boolean): Promise<void>;
}

export interface StartOptions {
  interactive?: boolean;
  /** Ends the start. */
  signal?: AbortSignal;
  /** Starts it under a debugger. */
  debug?: DebugPlan | undefined;
}

export class ServerLifecycle implements LifecycleApi {
  /** IDs of the servers that the user has running: what `lastRunning` starts next time. */
  private wanted = new Set<string>();

  constructor(
    private readonly servers: HostServers,
    private readonly ports: Pick<KeptPorts, 'state' | 'settings' | 'log'>,
    private readonly switches: ToolSwitches | undefined,
  ) {}

  /** Reads the configuration and what was remembered. */
  async open(): Promise<void> {
    const running = this.ports.state.get(stateKeys.running);
    this.wanted = new Set(Array.isArray(running) ? running.filter((id): id is string => typeof id === 'string') : []);
    const overrides = this.ports.state.get(stateKeys.enabled);
    if (typeof overrides === 'object' && overrides !== null) {
      for (const [id, isEnabled] of Object.entries(overrides))
        if (typeof isEnabled === 'boolean') this.servers.setEnabledOverride(id, isEnabled);
    }
    await this.servers.readConfiguration();
    if (isObject(overrides) && overrides[everyName] === false) await this.keepOff(overrides);
  }

  async start(id: string, { interactive = true, signal, debug }: StartOptions = {}): Promise<void> {
    const server = this.servers.require(id);
    signal?.throwIfAborted();
    const onAbort = () => void server.connection.stop();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.startServer(server, interactive, debug);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async stop(id: string): Promise<void> {
    const server = this.servers.require(id);
    this.remember(id, false);
    await server.stop('stopped');
  }

  async restart(id: string, options: { interactive?: boolean; debug?: DebugPlan } = {}): Promise<void> {
    const server = this.servers.require(id);
    const { interactive = true, debug = server.debugPlan } = options;
    const wasWanted = this.wanted.has(id);
    // What can fail before anything is started does not end the server that runs.
    const prepared = server.session
      ? await server.prepare(interactive, debug).catch((error: unknown) => this.runsOn(server, error))
      : undefined;
    // In the pause before an automatic restart nothing runs. It stays planned in case this restart fails.
    if (!server.connection.isRestartPlanned) await server.connection.stop(endedBy('restarted'));
    // It was stopped meanwhile.
    if (wasWanted && !this.wanted.has(id)) return;
    await this.startServer(server, interactive, debug, prepared);
  }

  async listAgain(server: string): Promise<void> {
    await this.servers.require(server).listAgain();
  }

  async setEnabled(id: string, isEnabled: boolean): Promise<void> {
    this.servers.require(id);
    this.servers.setEnabledOverride(id, isEnabled);
    const overrides = this.ports.state.get(stateKeys.enabled);
    await this.ports.state.set(stateKeys.enabled, { ...(isObject(overrides) ? overrides : {}), [id]: isEnabled }, id);
  }

  /** Starts what should run. Nobody is asked, so what needs trust waits in the tree. */
  async autoStart(): Promise<void> {
    const { autoStart } = this.ports.settings.current();
    const starts = this.servers.entries
      .filter((entry) => entry.isEnabled && this.switches?.of(entry).isLeftOut !== true)
      .filter(
        (entry) =>
          entry.definition.type === 'builtin' ||
          autoStart === 'always' ||
          (autoStart === 'lastRunning' && this.wanted.has(entry.id)),
      )
      .map((entry) =>
        this.servers
          .managedServer(entry)
          .start(false)
          // The state of the server shows the failure as well.
          .catch((error: unknown) =>
            this.ports.log.write('info', `"${entry.name}" did not start by itself: ${failureLogLine(error, entry.id)}`),
          ),
      );
    await Promise.all(starts);
  }

  private async startServer(
    server: ManagedServer,
    isInteractive: boolean,
    debug: DebugPlan | undefined,
    prepared?: PreparedStart,
  ): Promise<void> {
    const { id } = server.entry;
    if (!server.entry.isEnabled)
      throw new HostError('not-running', `The server "${id}" is disabled.`, {
        data: { server: id, why: 'disabled' },
      });
    try {
      await server.start(isInteractive, debug, prepared);
      this.remember(id, true);
    } catch (error) {
      noteServer(error, id);
      throw error;
    }
  }

  /** A restart failed before it ended the server that runs: notes that in the error, and in the log. */
  private runsOn({ entry, logBook, session }: ManagedServer, error: unknown): never {
    noteServer(error, entry.id);
    if (error instanceof HostError && session) error.data.isStillRunning = true;
    logBook.write(
      'warn',
      `It was not restarted: ${isCancelled(error) ? messageOf(error) : failureLogLine(error, entry.id)}`,
    );
    throw error;
  }

  /** The record of which servers were disabled is lost: all that there are now stay disabled until the user enables them. */
  private async keepOff(overrides: Record<string, unknown>): Promise<void> {
    const known = Object.fromEntries(Object.entries(overrides).filter(([id]) => id !== everyName));
    const ids = this.servers.entries.map(({ id }) => id).filter((id) => !Object.hasOwn(known, id));
    for (const id of ids) this.servers.setEnabledOverride(id, false);
    await this.ports.state.set(stateKeys.enabled, { ...known, ...Object.fromEntries(ids.map((id) => [id, false])) });
  }

  private remember(id: string, isRunning: boolean): void {
    if (this.wanted.has(id) === isRunning) return;
    if (isRunning) this.wanted.add(id);
    else this.wanted.delete(id);
    void this.ports.state.set(stateKeys.running, [...this.wanted], id);
  }
}
