/** Starts and stops servers. Stores which servers are running and which are disabled. */
import { isObject } from '../base/guards.js';
import { HostError, isCancelled, messageOf } from '../base/hostError.js';
import { stateKeys } from '../base/stores.js';
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
   * Starts a server and resolves when its lists are loaded.
   * @param options.interactive default true. If false, the user is not asked. Then the state of the server and the
   * error of the rejection are:
   * - `needsTrust` and `not-trusted` if the start needs approval,
   * - `needsInput` and `needs-input` if it needs a value,
   * - `needsSignIn` and `auth-required` if it needs a sign-in.
   */
  start(id: string, options?: StartOptions): Promise<void>;
  /** Stops the server in steps, from an orderly shutdown to a kill. A second call kills it at once. */
  stop(id: string): Promise<void>;
  /**
   * Restarts a server.
   * @param options.debug starts the server under a debugger. By default, a server that runs under a debugger is
   * restarted under the same one.
   */
  restart(id: string, options?: { interactive?: boolean; debug?: DebugPlan }): Promise<void>;
  /**
   * Requests the lists of a running server again; its snapshot shows which lists could not be loaded. Does nothing when
   * the server is not running.
   */
  listAgain(server: string): Promise<void>;
  /**
   * For each running server, schedules requests for the lists whose `ttlMs` has passed, and returns at once. Called
   * when the lists are shown or given to a model.
   */
  refreshStaleLists(): void;
  setEnabled(id: string, isEnabled: boolean): Promise<void>;
}

export interface StartOptions {
  interactive?: boolean;
  /** If true, the start rejects with `not-running` if the user stopped the server. Default false. */
  isUnlessStopped?: boolean;
  /** Aborting the signal ends the start. */
  signal?: AbortSignal;
  /** Starts the server under a debugger. */
  debug?: DebugPlan | undefined;
}

export class ServerLifecycle implements LifecycleApi {
  /**
   * IDs of the servers that the user or a call started, and that the user has not stopped. They are stored, so that the
   * next window can start them (value `lastRunning` of the setting `mcpDeck.autoStart`).
   */
  private wanted = new Set<string>();
  /** IDs of the servers that the user stopped in this window. A start removes the ID. */
  private readonly stopped = new Set<string>();

  constructor(
    private readonly servers: HostServers,
    private readonly ports: Pick<KeptPorts, 'state' | 'settings' | 'log'>,
    private readonly switches: ToolSwitches | undefined,
  ) {}

  /** Reads the configuration and the stored state. */
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

  async start(
    id: string,
    { interactive = true, isUnlessStopped = false, signal, debug }: StartOptions = {},
  ): Promise<void> {
    const server = this.servers.require(id);
    signal?.throwIfAborted();
    if (isUnlessStopped && this.stopped.has(id))
      throw new HostError('not-running', `You stopped the server "${id}".`, {
        data: { server: id, why: 'ended' },
      });
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
    this.stopped.add(id);
    await server.stop('stopped');
  }

  async restart(id: string, options: { interactive?: boolean; debug?: DebugPlan } = {}): Promise<void> {
    const server = this.servers.require(id);
    const { interactive = true, debug = server.debugPlan } = options;
    const wasWanted = this.wanted.has(id);
    // A failure before the restart begins leaves the running server untouched.
    const prepared = server.session
      ? await server.prepare(interactive, debug).catch((error: unknown) => this.runsOn(server, error))
      : undefined;
    // While an automatic restart is pending, no instance is running, so there is nothing to stop. The automatic restart
    // stays planned in case this restart fails.
    if (!server.connection.isRestartPlanned) await server.connection.stop(endedBy('restarted'));
    // The user stopped the server in the meantime, so do not start it.
    if (wasWanted && !this.wanted.has(id)) return;
    await this.startServer(server, interactive, debug, prepared);
  }

  async listAgain(server: string): Promise<void> {
    await this.servers.require(server).listAgain();
  }

  refreshStaleLists(): void {
    for (const { id } of this.servers.entries) this.servers.peek(id)?.noteUse('tools', 'resources', 'prompts');
  }

  async setEnabled(id: string, isEnabled: boolean): Promise<void> {
    this.servers.require(id);
    this.servers.setEnabledOverride(id, isEnabled);
    const overrides = this.ports.state.get(stateKeys.enabled);
    await this.ports.state.set(stateKeys.enabled, { ...(isObject(overrides) ? overrides : {}), [id]: isEnabled }, id);
  }

  /**
   * Starts the servers that start automatically, and those that did not start because the workspace was not trusted.
   * The user is not asked: a server that needs approval waits, and the tree shows this state.
   */
  async autoStart(): Promise<void> {
    const { autoStart } = this.ports.settings.current();
    const starts = this.servers.entries
      .filter(
        (entry) =>
          entry.source.kind === 'builtin' ||
          autoStart === 'always' ||
          (autoStart === 'lastRunning' && this.wanted.has(entry.id)) ||
          this.isHeldByWorkspace(entry.id),
      )
      .filter((entry) => entry.isEnabled && this.switches?.of(entry).isLeftOut !== true)
      .filter(({ id }) => this.servers.get(id)?.blocked === undefined)
      .map((entry) => {
        this.stopped.delete(entry.id);
        return (
          this.servers
            .managedServer(entry)
            .start(false)
            // The state of the server shows the failure as well.
            .catch((error: unknown) =>
              this.ports.log.write(
                'info',
                `"${entry.name}" did not start automatically: ${failureLogLine(error, entry.id)}`,
              ),
            )
        );
      });
    await Promise.all(starts);
  }

  /** Whether the last start of the server failed because the workspace was not trusted. */
  private isHeldByWorkspace(id: string): boolean {
    // A server that has no `ManagedServer` yet was not started.
    const state = this.servers.peek(id) && this.servers.get(id)?.state;
    return state?.kind === 'needsTrust' && state.error.data.isWorkspace === true;
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
    this.stopped.delete(id);
    try {
      await server.start(isInteractive, debug, prepared);
      // A scratch server does not exist in the next window.
      if (server.entry.source.kind !== 'scratch') this.remember(id, true);
    } catch (error) {
      noteServer(error, id);
      throw error;
    }
  }

  /**
   * Records in the error and in the log that the server still runs, because a restart failed before the server was
   * ended. Throws the error.
   */
  private runsOn({ entry, logWriter, session }: ManagedServer, error: unknown): never {
    noteServer(error, entry.id);
    if (error instanceof HostError && session) error.data.isStillRunning = true;
    logWriter.write(
      'warn',
      `The restart failed: ${isCancelled(error) ? messageOf(error) : failureLogLine(error, entry.id)}`,
    );
    throw error;
  }

  /**
   * Disables all servers without a stored choice until the user enables them. Called when the record of disabled
   * servers is lost.
   */
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
