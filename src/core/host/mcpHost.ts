/**
 * The whole headless API: all callers (tree, commands, chat, panels, tests, benchmarks) use this class. It only
 * connects the parts in this folder, which contain the logic.
 */
import { systemClock } from '../base/clock.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { HostError, messageOf } from '../base/hostError.js';
import { watchSleep } from '../connection/sleepWatch.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { Traces } from '../trace/traces.js';
import type { HostApi } from './hostApi.js';
import { HostServers } from './hostServers.js';
import type { KeptPorts } from './keptStores.js';
import { withKeptStores } from './keptStores.js';
import { ManagedServer } from './managedServer.js';
import type { HostPorts } from './ports.js';
import { ServerCalls } from './serverCalls.js';
import { ServerLifecycle } from './serverLifecycle.js';
import type { McpHostOptions } from './sessionOpener.js';
import { SessionOpener } from './sessionOpener.js';
import { SignIns } from './signIns.js';
import { StoredValues } from './storedValues.js';

export class McpHost implements HostApi, Disposable {
  readonly servers: HostServers;
  readonly lifecycle: ServerLifecycle;
  readonly calls: ServerCalls;
  readonly storedValues: StoredValues;
  readonly signIns: SignIns;
  readonly traces: Traces;
  private readonly ports: KeptPorts;
  private readonly clock: Clock;
  private readonly opener: SessionOpener;
  private readonly store = new DisposableStore();
  private closing: Promise<void> | undefined;

  constructor(
    given: HostPorts,
    private readonly options: McpHostOptions = {},
  ) {
    const ports = withKeptStores(given);
    this.ports = ports;
    this.clock = ports.clock ?? systemClock;
    this.traces = new Traces(
      () => ports.settings.current().trace === 'on',
      {},
      (server) => (tool) => this.servers.peek(server)?.secretsOfTool(tool),
    );
    this.signIns = new SignIns(ports, {
      prepare: async (server) => this.opener.prepareSignIn(this.servers.require(server).entry),
      onDidChange: (server, state) => this.servers.peek(server)?.authChanged(state),
      onDidBeginTrace: (server, trace) => this.servers.peek(server)?.logSteps(trace),
    });
    this.opener = new SessionOpener(ports, options, this.signIns);
    this.servers = new HostServers({
      ports,
      manage: (entry) => this.manage(entry),
      onDidRemove: (id) => {
        this.signIns.forget(id);
        this.traces.forget(id);
      },
      inspect: (entry) => this.opener.inspect(entry),
      tokensOf: (id) => this.signIns.secretValues(id),
    });
    this.lifecycle = new ServerLifecycle(this.servers, ports, options.switches);
    this.storedValues = new StoredValues(this.servers, this.opener, this.signIns);
    this.calls = new ServerCalls({
      clock: this.clock,
      consent: ports.consent,
      signIns: this.signIns,
      find: (id) => this.servers.require(id),
      peek: (id) => this.servers.peek(id),
      start: (id, options) => this.lifecycle.start(id, options),
      secretsOf: (id) => this.servers.secretValues(id),
    });
    this.follow();
  }

  async open(): Promise<void> {
    await this.lifecycle.open();
    this.opener
      .reapOrphans()
      .catch((error: unknown) =>
        this.ports.log.write(
          'warn',
          `The search for server processes of an earlier window failed: ${messageOf(error)}`,
        ),
      );
    void this.lifecycle.autoStart();
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      this.store.dispose();
      this.servers.unfollow();
      await Promise.all(this.servers.all.map((server) => server.dispose('stopped')));
      this.signIns.dispose();
      this.traces.dispose();
      await this.opener.close();
      this.servers.dispose();
    })();
    return this.closing;
  }

  dispose(): void {
    void this.close();
  }

  /** Subscribes to the events that the servers depend on. */
  private follow(): void {
    const { ports, store } = this;
    const { switches } = this.options;
    const redraw = () => this.servers.all.forEach((server) => server.redraw());
    store.add(ports.settings.onDidChange(() => this.settingsChanged()));
    store.add(ports.roots.onDidChange(() => this.servers.all.forEach((server) => server.rootsChanged())));
    store.add(ports.trust.onDidGrantTrust(() => void this.lifecycle.autoStart()));
    if (switches) store.add(switches.onDidChange(redraw));
    store.add(ports.consent.onDidChange(redraw));
    store.add(this.traces.onDidChange(({ server }) => this.servers.peek(server)?.redraw()));
    if (ports.policies) store.add(ports.policies.onDidChange(() => this.policiesChanged()));
    store.add(
      watchSleep(
        this.clock,
        () => Date.now(),
        () => this.checkAfterSleep(),
      ),
    );
  }

  private settingsChanged(): void {
    this.traces.applyAlwaysOn();
    void this.servers.readConfiguration();
  }

  /** Stops the servers that a policy now blocks. A failure that an earlier policy caused is removed. */
  private policiesChanged(): void {
    for (const server of this.servers.all) {
      server.redraw();
      const { blocked, state } = server.view;
      if (blocked && state.kind !== 'stopped' && state.kind !== 'failed') void server.stop('blocked');
      else if (state.kind === 'failed' && state.error instanceof HostError && state.error.code === 'blocked')
        void server.connection.stop();
    }
  }

  /**
   * Checks all servers after the computer was asleep, because connections may have been lost without having been
   * closed.
   */
  private checkAfterSleep(): void {
    for (const server of this.servers.all) server.connection.attempt?.liveness.check();
  }

  private manage(entry: ServerEntry): ManagedServer {
    return new ManagedServer({
      entry,
      tap: this.traces.slotOf(entry.id),
      isRecorded: () => this.traces.isRecording(entry.id),
      clock: this.clock,
      ports: this.ports,
      opener: this.opener,
      signIns: this.signIns,
      switches: this.options.switches,
      stop: (id) => this.lifecycle.stop(id),
      restart: (id) => this.lifecycle.restart(id, { interactive: false }),
      onDidChange: (id) => this.servers.changed(id),
    });
  }
}
