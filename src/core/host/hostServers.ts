/** The configured servers: one `ManagedServer` for each, and their snapshots. */
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { Sequencer } from '../base/sequencer.js';
import type { HostChange, ServerView } from '../catalog/hostTypes.js';
import type { Inspection } from '../catalog/inspection.js';
import type { ConfigProblem, ConfigSource, ServerDefinition } from '../config/serverDefinition.js';
import type { Blocked } from '../registry/serverPolicy.js';
import { blockedBy, subjectOf } from '../registry/serverPolicy.js';
import type { BrokenEntry, ServerEntry } from '../registry/serverEntry.js';
import { ServerRegistry } from '../registry/serverRegistry.js';
import type { ServerFigures } from '../stats/serverStats.js';
import { builtInServers, builtInSource, readText } from './readConfiguration.js';
import type { ManagedServer } from './managedServer.js';
import type { HostPorts } from './ports.js';
import { SecretMemory } from './secretMemory.js';

/** Read access to servers. No method starts or contacts a server. */
export interface ServersApi {
  /** Fired after a snapshot was replaced. Changes within one turn of the event loop are combined into one event. */
  readonly onDidChange: Event<HostChange>;
  /** All servers, in the order of the configuration. */
  list(): readonly ServerView[];
  get(id: string): ServerView | undefined;
  brokenEntries(): readonly BrokenEntry[];
  /** Diagnostics per source. Sources without problems are included, so that old diagnostics can be cleared. */
  problems(): readonly { source: ConfigSource; problems: readonly ConfigProblem[] }[];
  /** The values that a start would use, for diagnosing failed starts. */
  inspect(server: string): Promise<Inspection>;
  /** Counters of a server since the window opened. */
  figures(server: string): ServerFigures;
  /** Why a policy blocks a server, which need not be configured here. Undefined if it may run. */
  blockedBy(name: string, definition: ServerDefinition): Blocked | undefined;
  /** Secret values that a server received. They are masked in all stored output of the server. */
  secretValues(server: string): readonly string[];
}

export interface HostServersOptions {
  ports: Pick<HostPorts, 'configuration' | 'settings' | 'openBuiltInServer' | 'log' | 'policies'>;
  /** Creates the `ManagedServer` of an entry. */
  manage: (entry: ServerEntry) => ManagedServer;
  /** Called when a server is no longer configured, before it is stopped. */
  onDidRemove: (id: string) => void;
  inspect: (entry: ServerEntry) => Promise<Inspection>;
  /** The tokens that were sent to a server. */
  tokensOf: (id: string) => readonly string[];
}

export class HostServers implements ServersApi, Disposable {
  private readonly changes = new Emitter<HostChange>((error) =>
    this.options.ports.log.write('error', `A listener failed: ${messageOf(error)}`),
  );
  readonly onDidChange = this.changes.event;
  private readonly registry = new ServerRegistry();
  private readonly sources = new Map<string, ConfigSource>();
  private readonly managed = new Map<string, ManagedServer>();
  /** Secrets of removed servers and of replaced sign-ins, which stored output may still contain. */
  private readonly secrets = new SecretMemory();
  private readonly store = new DisposableStore();
  private readonly reading = new Sequencer();
  private views: readonly ServerView[] | undefined;
  private pendingChanges: Set<string | undefined> | undefined;

  constructor(private readonly options: HostServersOptions) {
    this.store.add(
      this.registry.onDidChange(({ changed, removed }) =>
        this.applyRegistry(
          changed.map(({ after }) => after),
          removed,
        ),
      ),
    );
    const { configuration, log } = options.ports;
    this.store.add(
      configuration.onDidChange(() => {
        this.readConfiguration().catch((error: unknown) =>
          log.write('error', `The configuration could not be read again: ${messageOf(error)}`),
        );
      }),
    );
  }

  list(): readonly ServerView[] {
    this.views ??= this.entries.map((entry) => this.managedServer(entry).view);
    return this.views;
  }

  get(id: string): ServerView | undefined {
    const entry = this.entryOf(id);
    return entry && this.managedServer(entry).view;
  }

  brokenEntries(): readonly BrokenEntry[] {
    return this.registry.brokenEntries;
  }

  problems(): readonly { source: ConfigSource; problems: readonly ConfigProblem[] }[] {
    return [...this.sources.values()].map((source) => ({ source, problems: this.registry.problems(source.id) }));
  }

  async inspect(server: string): Promise<Inspection> {
    return this.options.inspect(this.require(server).entry);
  }

  figures(server: string): ServerFigures {
    return this.require(server).stats.figures;
  }

  blockedBy(name: string, definition: ServerDefinition): Blocked | undefined {
    return blockedBy(this.options.ports.policies?.current() ?? [], subjectOf(name, definition));
  }

  secretValues(server: string): readonly string[] {
    const now = [...(this.peek(server)?.logWriter.secretValues ?? []), ...this.options.tokensOf(server)];
    return [...new Set([...now, ...this.secrets.of(server)])];
  }

  get entries(): readonly ServerEntry[] {
    return this.registry.entries;
  }

  /** The servers that already have a `ManagedServer`. */
  get all(): readonly ManagedServer[] {
    return [...this.managed.values()];
  }

  /** The `ManagedServer`, or undefined if none has been created yet. */
  peek(id: string): ManagedServer | undefined {
    return this.managed.get(id);
  }

  /** The `ManagedServer`, which is created if needed. Throws `unknown-server`. */
  require(id: string): ManagedServer {
    const entry = this.entryOf(id);
    if (entry) return this.managedServer(entry);
    const known = this.entries.map((candidate) => candidate.id);
    throw new HostError('unknown-server', `There is no server "${visibleLine(id, 120)}" here.`, {
      data: { name: id, known },
      hint: known.length === 0 ? 'No servers are configured.' : `Known servers: ${known.join(', ')}.`,
    });
  }

  /** Returns the `ManagedServer` of an entry; creates it on the first call. */
  managedServer(entry: ServerEntry): ManagedServer {
    const existing = this.managed.get(entry.id);
    if (existing) return existing;
    const server = this.options.manage(entry);
    server.logWriter.hide(this.secrets.of(entry.id));
    this.managed.set(entry.id, server);
    return server;
  }

  /** Enables or disables a server. This setting overrides the definition of the server. */
  setEnabledOverride(id: string, isEnabled: boolean): void {
    this.registry.setEnabledOverride(id, isEnabled);
  }

  /** Reads every source again. Reads run in sequence, so the result of the last one applies. */
  readConfiguration(): Promise<void> {
    return this.reading.run(async () => {
      const { configuration, settings, openBuiltInServer } = this.options.ports;
      const texts = await configuration.read();
      const current = new Set<string>([builtInSource.id]);
      if (openBuiltInServer && settings.current().builtInServer) this.registry.setSource(builtInSource, builtInServers);
      else this.registry.removeSource(builtInSource.id);
      for (const text of texts) {
        current.add(text.source.id);
        this.sources.set(text.source.id, text.source);
        this.registry.setSource(text.source, readText(text));
      }
      for (const id of this.sources.keys()) if (!current.has(id)) this.registry.removeSource(id);
      this.changed(undefined);
    });
  }

  /**
   * Discards the snapshots that have become outdated. All changes within one turn of the event loop become one event
   * per server.
   * @param id the server; undefined for the list itself.
   */
  changed(id: string | undefined): void {
    this.views = undefined;
    if (this.pendingChanges) {
      this.pendingChanges.add(id);
      return;
    }
    const pending = new Set<string | undefined>([id]);
    this.pendingChanges = pending;
    queueMicrotask(() => {
      this.pendingChanges = undefined;
      if (pending.has(undefined)) this.changes.fire({});
      else for (const server of pending) this.changes.fire(server === undefined ? {} : { server });
    });
  }

  /** Stops reacting to changes of the configuration and settings. */
  unfollow(): void {
    this.store.dispose();
  }

  dispose(): void {
    this.store.dispose();
    this.changes.dispose();
  }

  private entryOf(id: string): ServerEntry | undefined {
    return this.registry.entry(id);
  }

  private applyRegistry(changed: readonly ServerEntry[], removed: readonly ServerEntry[]): void {
    for (const { id } of removed) {
      const server = this.managed.get(id);
      this.secrets.remember(id, this.secretValues(id));
      this.managed.delete(id);
      this.options.onDidRemove(id);
      void server?.dispose('removed');
    }
    for (const entry of changed) {
      const server = this.managed.get(entry.id);
      server?.update(entry);
      if (!entry.isEnabled) void server?.stop('disabled');
    }
    this.changed(undefined);
  }
}
