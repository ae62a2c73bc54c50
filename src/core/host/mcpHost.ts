/**
 * The whole headless API: everything above (tree, commands, chat, panels, tests, benchmarks) goes through this class.
 * It wires the folders beside it in the order of the pipeline; the work is theirs.
 */
import { systemClock } from '../base/clock.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { HostError, isCancelled, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Remark } from '../base/remark.js';
import { Sequencer } from '../base/sequencer.js';
import type {
  CallOptions,
  CompletionRequest,
  HostApi,
  HostChange,
  PromptRequest,
  ResourceRequest,
  ServerView,
  StoredOfServer,
  ToolCall,
  ToolCallOptions,
  WrittenRequest,
} from '../catalog/hostApi.js';
import type { Inspection } from '../catalog/inspection.js';
import { invalidConfig, parseConfigText, parseConfigValue, tooLargeConfig } from '../config/parseConfig.js';
import type { ConfigProblem, ConfigSource, ParsedConfig } from '../config/serverDefinition.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { watchSleep } from '../connection/sleepWatch.js';
import { ManagedServer } from './managedServer.js';
import type { ConfigurationText } from '../config/configurationSource.js';
import type { HostPorts } from './ports.js';
import { failureLogLine, noteServer } from '../present/failure/failureText.js';
import type { CallToolResult, Completion, GetPromptResult, ReadResourceResult, Tool } from '../protocol/mcp.js';
import type { BrokenEntry, ServerEntry } from '../registry/serverEntry.js';
import { originOf } from '../registry/serverEntry.js';
import { ServerRegistry } from '../registry/serverRegistry.js';
import type { StoredInput } from '../registry/storedInputs.js';
import { withKeptStores } from './keptStores.js';
import type { KeptPorts } from './keptStores.js';
import type { McpHostOptions, PreparedStart } from './sessionOpener.js';
import { SecretMemory } from './secretMemory.js';
import { ServerCalls } from './serverCalls.js';
import { SessionOpener } from './sessionOpener.js';
import { SignIns } from './signIns.js';
import { forgetStored, storedOf } from './storedOfServer.js';
import { everyName } from './storedState.js';
import type { SkillEntry } from '../skills/skillEntry.js';
import type { ServerFigures } from '../stats/serverStats.js';
import { Traces } from '../trace/traces.js';
import { stateKeys } from '../base/stateKeys.js';
import { endedBy } from './endReasons.js';

/** A reading as definitions and problems. */
function parse(reading: ConfigurationText): ParsedConfig {
  if ('size' in reading) return tooLargeConfig(reading.source);
  if ('text' in reading)
    return reading.invalid
      ? invalidConfig(reading.source, reading.invalid)
      : parseConfigText(reading.text, reading.source);
  if ('value' in reading) return parseConfigValue(reading.value, reading.source, reading.inputs);
  const position = { line: 0, character: 0, endLine: 0, endCharacter: 0 };
  return {
    servers: [],
    inputs: [],
    problems: [{ severity: 'error', message: `The file could not be read: ${reading.unreadable}`, position }],
    isBroken: true,
  };
}

const builtInSource: ConfigSource = { id: 'builtin', kind: 'builtin', label: 'built-in' };

export class McpHost implements HostApi, Disposable {
  private readonly changes = new Emitter<HostChange>((error) =>
    this.ports.log.write('error', `A listener failed: ${messageOf(error)}`),
  );
  readonly onDidChange = this.changes.event;
  private readonly registry = new ServerRegistry();
  /** Of servers that were removed, and of sign-ins that were replaced. */
  private readonly secrets = new SecretMemory();
  private readonly hosted = new Map<string, ManagedServer>();
  private readonly sources = new Map<string, ConfigSource>();
  private readonly store = new DisposableStore();
  private readonly reading = new Sequencer();
  private readonly opener: SessionOpener;
  private readonly calls: ServerCalls;
  readonly signIns: SignIns;
  readonly traces: Traces;
  private readonly clock: Clock;
  /** Ids that the user has running: what `lastRunning` starts next time. */
  private wanted = new Set<string>();
  private views: readonly ServerView[] | undefined;
  private pendingChanges: Set<string | undefined> | undefined;
  private closing: Promise<void> | undefined;

  private readonly ports: KeptPorts;

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
      (server) => (tool) => this.hosted.get(server)?.findTool(tool)?.inputSchema,
    );
    this.signIns = new SignIns(ports, {
      prepare: async (server) => this.opener.prepareSignIn(this.require(server).entry),
      onDidChange: (server, state) => this.hosted.get(server)?.authChanged(state),
      onDidBeginTrace: (server, trace) => this.hosted.get(server)?.logSteps(trace),
    });
    this.opener = new SessionOpener(ports, options, this.signIns);
    this.calls = new ServerCalls({
      clock: this.clock,
      consent: ports.consent,
      signIns: this.signIns,
      find: (id) => this.require(id),
      peek: (id) => this.hosted.get(id),
      start: (id) => this.startServer(id),
      secretsOf: (id) => this.secretValues(id),
    });
    this.store.add(
      this.registry.onDidChange(({ changed, removed }) =>
        this.applyRegistry(
          changed.map(({ after }) => after),
          removed,
        ),
      ),
    );
    this.store.add(ports.configuration.onDidChange(() => void this.readConfiguration()));
    this.store.add(ports.settings.onDidChange(() => this.settingsChanged()));
    this.store.add(ports.roots.onDidChange(() => [...this.hosted.values()].forEach((server) => server.rootsChanged())));
    this.store.add(ports.trust.onDidGrantTrust(() => void this.autoStart()));
    const { switches } = options;
    if (switches)
      this.store.add(switches.onDidChange(() => [...this.hosted.values()].forEach((server) => server.redraw())));
    this.store.add(ports.consent.onDidChange(() => [...this.hosted.values()].forEach((server) => server.redraw())));
    this.store.add(
      watchSleep(
        this.clock,
        () => Date.now(),
        () => this.checkAfterSleep(),
      ),
    );
  }

  async open(): Promise<void> {
    const running = this.ports.state.get(stateKeys.running);
    this.wanted = new Set(Array.isArray(running) ? running.filter((id): id is string => typeof id === 'string') : []);
    const overrides = this.ports.state.get(stateKeys.enabled);
    if (typeof overrides === 'object' && overrides !== null) {
      for (const [id, isEnabled] of Object.entries(overrides))
        if (typeof isEnabled === 'boolean') this.registry.setEnabledOverride(id, isEnabled);
    }
    await this.readConfiguration();
    if (isObject(overrides) && overrides[everyName] === false) await this.keepOff(overrides);
    this.opener
      .reapOrphans()
      .catch((error: unknown) =>
        this.ports.log.write('warn', `Looking for processes left behind failed: ${messageOf(error)}`),
      );
    void this.autoStart();
  }

  /** Which servers were off is lost: all that there are now stay off until somebody enables them. */
  private async keepOff(overrides: Record<string, unknown>): Promise<void> {
    const known = Object.fromEntries(Object.entries(overrides).filter(([id]) => id !== everyName));
    const ids = this.registry.entries.map(({ id }) => id).filter((id) => !Object.hasOwn(known, id));
    for (const id of ids) this.registry.setEnabledOverride(id, false);
    await this.ports.state.set(stateKeys.enabled, { ...known, ...Object.fromEntries(ids.map((id) => [id, false])) });
  }

  servers(): readonly ServerView[] {
    this.views ??= this.registry.entries.map((entry) => this.hostedServer(entry).view);
    return this.views;
  }

  server(id: string): ServerView | undefined {
    const entry = this.registry.entries.find((candidate) => candidate.id === id);
    return entry && this.hostedServer(entry).view;
  }

  brokenEntries(): readonly BrokenEntry[] {
    return this.registry.brokenEntries;
  }

  problems(): readonly { source: ConfigSource; problems: readonly ConfigProblem[] }[] {
    return [...this.sources.values()].map((source) => ({ source, problems: this.registry.problems(source.id) }));
  }

  async startServer(
    id: string,
    options: { interactive?: boolean; signal?: AbortSignal; debug?: DebugPlan | undefined } = {},
  ): Promise<void> {
    const server = this.require(id);
    options.signal?.throwIfAborted();
    const onAbort = () => void server.connection.stop();
    options.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.start(server, options.interactive ?? true, options.debug);
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
    }
  }

  private async start(
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

  async stopServer(id: string): Promise<void> {
    const server = this.require(id);
    this.remember(id, false);
    await server.stop('stopped');
  }

  async restartServer(id: string, options: { interactive?: boolean; debug?: DebugPlan } = {}): Promise<void> {
    const server = this.require(id);
    const { interactive = true, debug = server.debugging } = options;
    const wasWanted = this.wanted.has(id);
    // What can fail before anything is started costs nobody the server that runs.
    const prepared = server.session
      ? await server.prepare(interactive, debug).catch((error: unknown) => this.runsOn(server, error))
      : undefined;
    // In the pause before an automatic restart nothing runs. It stays planned in case this restart fails.
    if (!server.connection.isRestartPlanned) await server.connection.stop(endedBy('restarted'));
    // Somebody stopped it meanwhile.
    if (wasWanted && !this.wanted.has(id)) return;
    await this.start(server, interactive, debug, prepared);
  }

  /** A restart that came to nothing: says so to whoever wanted it, and in the log. */
  private runsOn({ entry, logBook, session }: ManagedServer, error: unknown): never {
    noteServer(error, entry.id);
    if (error instanceof HostError && session) error.data.isStillRunning = true;
    logBook.write(
      'warn',
      `It was not restarted: ${isCancelled(error) ? messageOf(error) : failureLogLine(error, entry.id)}`,
    );
    throw error;
  }

  async listAgain(server: string): Promise<void> {
    await this.require(server).listAgain();
  }

  async setServerEnabled(id: string, isEnabled: boolean): Promise<void> {
    this.require(id);
    this.registry.setEnabledOverride(id, isEnabled);
    const overrides = this.ports.state.get(stateKeys.enabled);
    await this.ports.state.set(stateKeys.enabled, { ...(isObject(overrides) ? overrides : {}), [id]: isEnabled }, id);
  }

  async resetTrust(): Promise<void> {
    await this.opener.resetTrust();
  }

  inspect(server: string): Promise<Inspection> {
    return this.opener.inspect(this.require(server).entry);
  }

  async keepInput(server: string, input: string, value: string): Promise<void> {
    await this.opener.inputs.set(this.require(server).entry, input, value);
  }

  async askInput(server: string, input: string): Promise<void> {
    await this.opener.askInput(this.require(server).entry, input);
  }

  storedInputs(): Promise<StoredInput[]> {
    return this.opener.inputs.list(this.registry.entries);
  }

  carryInput(stored: StoredInput, server: string, input: string): Promise<boolean> {
    return this.opener.inputs.carry(stored, this.require(server).entry, input);
  }

  forgetInput(stored: StoredInput): Promise<void> {
    return this.opener.inputs.forget(stored);
  }

  storedOf(server: string): Promise<StoredOfServer> {
    return storedOf(this.require(server).entry, this.registry.entries, this.opener, this.signIns);
  }

  forgetStored(stored: StoredOfServer): Promise<void> {
    return forgetStored(stored, this.opener, this.signIns);
  }

  secretValues(server: string): readonly string[] {
    const now = [...(this.hosted.get(server)?.logBook.secretValues ?? []), ...this.signIns.secretValues(server)];
    return [...new Set([...now, ...this.secrets.of(server)])];
  }

  figures(server: string): ServerFigures {
    return this.require(server).stats.figures;
  }

  findTool(server: string, tool: string): Promise<Tool> {
    return this.calls.findTool(server, tool);
  }

  runTool(call: ToolCall, options: ToolCallOptions): Promise<CallToolResult> {
    return this.calls.runTool(call, options);
  }

  readResource(request: ResourceRequest, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.calls.readResource(request, options);
  }

  findSkill(request: ResourceRequest, options: CallOptions = {}): Promise<SkillEntry> {
    return this.calls.findSkill(request, options);
  }

  getPrompt(request: PromptRequest, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.calls.getPrompt(request, options);
  }

  sendRequest(request: WrittenRequest, options: CallOptions = {}): Promise<unknown> {
    return this.calls.sendRequest(request, options);
  }

  ping(server: string, timeoutMs: number): Promise<void> {
    return this.calls.ping(server, timeoutMs);
  }

  complete(request: CompletionRequest, signal?: AbortSignal): Promise<Completion> {
    return this.calls.complete(request, signal);
  }

  async subscribe(request: { server: string; uri: string }, onDidUpdate: () => void): Promise<Disposable> {
    const server = await this.calls.running(request.server);
    return server.subscribe(request.uri, onDidUpdate);
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      this.store.dispose();
      await Promise.all([...this.hosted.values()].map((server) => server.dispose('stopped')));
      this.signIns.dispose();
      this.traces.dispose();
      await this.opener.close();
      this.changes.dispose();
    })();
    return this.closing;
  }

  dispose(): void {
    void this.close();
  }

  private settingsChanged(): void {
    this.traces.applyAlwaysOn();
    void this.readConfiguration();
  }

  /** Reads every source anew; readings never overlap, so the last one wins. */
  private readConfiguration(): Promise<void> {
    return this.reading.run(async () => {
      const texts = await this.ports.configuration.read();
      const current = new Set<string>(['builtin']);
      if (this.ports.openBuiltInServer && this.ports.settings.current().builtInServer) {
        this.registry.setSource(builtInSource, {
          servers: [
            {
              name: 'workspace',
              definition: { type: 'builtin' },
              position: { line: 0, character: 0, endLine: 0, endCharacter: 0 },
              isDisabled: false,
            },
          ],
          inputs: [],
          problems: [],
          isBroken: false,
        });
      } else this.registry.removeSource(builtInSource.id);
      for (const reading of texts) {
        current.add(reading.source.id);
        this.sources.set(reading.source.id, reading.source);
        this.registry.setSource(reading.source, parse(reading));
      }
      for (const id of this.sources.keys()) if (!current.has(id)) this.registry.removeSource(id);
      this.fire(undefined);
    });
  }

  private applyRegistry(changed: readonly ServerEntry[], removed: readonly ServerEntry[]): void {
    for (const entry of removed) {
      const server = this.hosted.get(entry.id);
      this.secrets.remember(entry.id, this.secretValues(entry.id));
      this.hosted.delete(entry.id);
      this.signIns.forget(entry.id);
      this.traces.forget(entry.id);
      void server?.dispose('removed');
    }
    for (const entry of changed) {
      const server = this.hosted.get(entry.id);
      server?.update(entry);
      if (!entry.isEnabled) void server?.stop('disabled');
    }
    this.fire(undefined);
  }

  /** Starts what should run; nobody is asked, so what needs trust waits in the tree. */
  private async autoStart(): Promise<void> {
    const { autoStart } = this.ports.settings.current();
    const starts = this.registry.entries
      .filter((entry) => entry.isEnabled && this.options.switches?.of(entry).isLeftOut !== true)
      .filter(
        (entry) =>
          entry.definition.type === 'builtin' ||
          autoStart === 'always' ||
          (autoStart === 'lastRunning' && this.wanted.has(entry.id)),
      )
      .map((entry) =>
        this.hostedServer(entry)
          .start(false)
          // The state of the server says it; there is nobody else to tell.
          .catch((error: unknown) =>
            this.ports.log.write('info', `"${entry.name}" did not start by itself: ${failureLogLine(error, entry.id)}`),
          ),
      );
    await Promise.all(starts);
  }

  /** Sockets may be dead without anybody having said so. */
  private checkAfterSleep(): void {
    for (const server of this.hosted.values()) server.connection.attempt?.liveness.check();
  }

  private require(id: string): ManagedServer {
    const entry = this.registry.entries.find((candidate) => candidate.id === id);
    if (!entry) {
      const known = this.registry.entries.map((candidate) => candidate.id);
      throw new HostError('unknown-server', `There is no server "${visibleLine(id, 120)}" here.`, {
        data: { name: id, known },
        hint: known.length === 0 ? 'No servers are configured.' : `Known servers: ${known.join(', ')}.`,
      });
    }
    return this.hostedServer(entry);
  }

  private hostedServer(entry: ServerEntry): ManagedServer {
    const existing = this.hosted.get(entry.id);
    if (existing) return existing;
    const server = new ManagedServer({
      entry,
      log: this.ports.serverLog(entry),
      tap: this.traces.slotOf(entry.id),
      clock: this.clock,
      prepare: (current, start, signal) => this.opener.prepare(current, start, signal),
      openSession: (prepared, hosted, listener, signal) => this.opener.open(prepared, hosted, listener, signal),
      auth: () => this.signIns.authOf(entry.id),
      askingWhenRefused: (request, signal, work) =>
        this.signIns.askingWhenRefused(entry.id, () => request.isInteractive, signal, work),
      switches: (current) => this.options.switches?.of(current),
      roots: (current) => this.ports.roots.roots(current),
      restartsOnCrash: () => this.ports.settings.current().restartOnCrash,
      tellWaiting: (hosted, remark, signal) => this.tellWaiting(hosted, remark, signal),
      requestTimeoutMs: () => this.ports.settings.current().requestTimeoutMs,
      debugger: this.ports.debugger,
      quarantined: ({ source }, hash, tools) => this.ports.consent.changed({ hash, origin: originOf(source) }, tools),
      watchFiles: (current, patterns, onDidChange) => this.watchFiles(current, patterns, onDidChange),
      restart: (hosted) => this.restartServer(hosted.entry.id, { interactive: false }),
      onDidChange: (hosted) => this.fire(hosted.entry.id),
    });
    server.logBook.hide(this.secrets.of(entry.id));
    this.hosted.set(entry.id, server);
    return server;
  }

  private async tellWaiting(
    server: ManagedServer,
    remark: Remark,
    signal: AbortSignal,
  ): Promise<'stop' | 'keep' | undefined> {
    const answer = await this.ports.startNotices?.tell(server.entry, remark, signal).catch(() => undefined);
    if (answer === 'stop' && !signal.aborted) await this.stopServer(server.entry.id);
    return answer;
  }

  /** In the folder of its file, else in the first that is open. */
  private watchFiles(
    { source }: ServerEntry,
    patterns: readonly string[],
    onDidChange: (file: string) => void,
  ): Disposable | undefined {
    const folder = source.folderPath ?? this.ports.machine.folders()[0]?.path;
    return folder === undefined ? undefined : this.ports.fileChanges?.watch(folder, patterns, onDidChange);
  }

  private remember(id: string, isRunning: boolean): void {
    if (this.wanted.has(id) === isRunning) return;
    if (isRunning) this.wanted.add(id);
    else this.wanted.delete(id);
    void this.ports.state.set(stateKeys.running, [...this.wanted], id);
  }

  /** Coalesced: many changes of one loop turn become one event per server. */
  private fire(id: string | undefined): void {
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
}
