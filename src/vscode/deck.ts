import path from 'node:path';
import * as vscode from 'vscode';
import { allFeatures } from './allFeatures.js';
import { DisposableStore } from '../core/base/disposable.js';
import type { HostError } from '../core/base/hostError.js';
import { messageOf } from '../core/base/hostError.js';
import { appsExtension, appsSettings } from '../core/apps/toolApp.js';
import type { Log } from '../core/base/log.js';
import { KeptState, keptOptions } from '../core/host/keptStores.js';
import { bundlePlatform } from '../core/gallery/bundleManifest.js';
import { BundleStore } from '../core/gallery/bundles/bundleStore.js';
import { ServerUpdates } from '../core/gallery/updates/serverUpdates.js';
import { McpHost } from '../core/host/mcpHost.js';
import { StoredState } from '../core/host/storedState.js';
import { ResourcePins } from '../core/catalog/resourcePins.js';
import { ScratchServers } from '../core/registry/scratchServers.js';
import { ToolSwitches } from '../core/presets/toolSwitches.js';
import { ResourceFiles } from '../core/resources/resourceFiles.js';
import { Drafts } from '../core/runs/drafts.js';
import { RunMemory } from '../core/runs/runMemory.js';
import type { HostPorts } from '../core/host/ports.js';
import { useLanguage } from '../core/present/text/language.js';
import { skillsExtension } from '../core/skills/skillEntry.js';
import { ChosenRoots } from '../core/requests/chosenRoots.js';
import { RequestOwners } from '../core/requests/requestOwners.js';
import { RequestQueue } from '../core/requests/requestQueue.js';
import { SamplingGuard } from '../core/requests/samplingGuard.js';
import { SamplingPolicies } from '../core/requests/samplingPolicies.js';
import { ConfigurationFiles } from './adapters/configurationFiles.js';
import { fileChanges } from './adapters/fileChanges.js';
import { VsCodeInputPrompt } from './adapters/inputPrompt.js';
import { VsCodePolicies } from './adapters/serverPolicies.js';
import { startNotices } from './adapters/startNotices.js';
import { LogChannels } from './adapters/logChannels.js';
import { machineInfo } from './adapters/machine.js';
import { VsCodeSecrets, MementoStore } from './adapters/vsCodeStores.js';
import { VsCodeSettings } from './adapters/settings.js';
import { VsCodeTrustPrompt } from './adapters/trustPrompt.js';
import { WorkspaceRoots } from './adapters/workspaceRoots.js';
import type { DeckApi } from './api.js';
import { openMock } from './builtin/openMock.js';
import { openBuiltInServer } from './builtin/workspaceServer.js';
import { CommandFunnel } from './ui/commandFunnel.js';
import { CommandTable } from './ui/commandTable.js';
import { ToolFinder } from '../core/search/toolFinder.js';
import { ConfiguredServers } from './ui/configuredServers.js';
import { openAudit, openConsent } from './ui/openConsent.js';
import { RulesTree } from './features/rules/rulesTree.js';
import { VsCodeDebugger } from './adapters/vsCodeDebugger.js';
import { deckApi } from './deckApi.js';
import { ServerPanels } from './features/details/serverPanels.js';
import type { ChatSlot, ExtensionServices, Feature } from './ui/services.js';
import type { CommandId, PanelType } from './manifest.js';
import { EditPages } from './features/configuration/editPages.js';
import { panelTypes } from './manifest.js';
import { Reports } from './ui/reports.js';
import { SharedTestController } from './ui/testController.js';
import { PanelSet } from './ui/panelSet.js';
import { PromptPanel } from './features/prompts/promptPanel.js';
import { TemplatePanel } from './features/resources/templatePanel.js';
import { PresetFiles } from './features/presets/presetFiles.js';
import { WorkspaceValues } from './ui/workspaceValues.js';
import { AppPanels } from './features/apps/appPanels.js';
import { GatewayControl } from './features/gateway/gatewayControl.js';
import { AgentToolsControl } from './features/gateway/agentToolsControl.js';
import type { OwnAgentOffer } from './features/gateway/ownAgent.js';
import { GatewayTree } from './features/gateway/gatewayTree.js';
import { ToolPanels } from './features/tools/toolPanels.js';
import { ResultDocuments } from './ui/resultDocuments.js';
import { ResultFolder } from './adapters/resultFolder.js';
import type { ReadingFileSystem } from './features/resources/resourceFileSystem.js';
import { ResourceFileSystem } from './features/resources/resourceFileSystem.js';
import { HistoryFolder } from './adapters/historyFolder.js';
import { RunLog } from '../core/runs/runLog.js';
import { whenFound } from '../core/base/whenFound.js';
import { RunTasks } from './features/runs/runTasks.js';
import type { RunsViewport } from './features/runs/runTree.js';
import { RunTree } from './features/runs/runTree.js';
import { LockMarks } from './ui/lockMarks.js';
import { TokenCounter } from './ui/tokenCounter.js';
import { SchemaChecks } from './ui/schemaChecks.js';
import type { ServersViewport } from './features/servers/serverTree.js';
import { ServerTree } from './features/servers/serverTree.js';
import { TraceView } from './features/trace/traceView.js';
import type { TreeElement } from './ui/treeElement.js';
import { setContext } from './ui/setContext.js';
import { UriRoutes } from './ui/uriHandler.js';
import { showWarning } from './adapters/userMessages.js';

export { sharedModules } from './sharedModules.js';

/** The objects that activation created before the deck was loaded. */
export interface ActivationContext {
  extension: vscode.ExtensionContext;
  view: ServersViewport;
  runsView: RunsViewport;
  /** Makes VS Code refresh an element of the Servers view. Undefined refreshes the whole tree. */
  onDidChangeTree: (element: TreeElement | undefined) => void;
  /** Refreshes the whole Runs view. */
  onDidChangeRuns: () => void;
  /** Refreshes the Rules view. */
  onDidChangeRules: () => void;
  /** Refreshes the Gateway view. */
  onDidChangeGateway: () => void;
  /** Offers the gateway to VS Code's own agent. */
  ownAgent: Pick<OwnAgentOffer, 'offer'>;
}

/** The loaded extension. It is created on first use and called by the stubs that activation registered. */
export interface Deck {
  readonly tree: ServerTree;
  readonly runTree: RunTree;
  readonly rulesTree: RulesTree;
  readonly gatewayTree: GatewayTree;
  readonly tasks: vscode.TaskProvider;
  readonly api: DeckApi;
  readonly chat: ChatSlot;
  readonly trace: TraceView;
  /** The language model tools for VS Code's own agent. */
  readonly agentTools: AgentToolsControl;
  /** The resources of all servers as a file system for editors. */
  readonly files: ReadingFileSystem;
  /** Handles a `vscode://` URI of the extension. */
  openUri(uri: vscode.Uri): Promise<void>;
  /** Restores a panel that was open before the window reloaded. */
  restorePanel(type: PanelType, panel: vscode.WebviewPanel, state: unknown): void;
  run(id: CommandId, args: readonly unknown[]): Promise<unknown>;
  /** Stops all servers. Resolves when all server processes have ended. */
  close(): Promise<void>;
}

/** Reports the stored states that could not be read, because a disabled server or tool may be enabled now. */
async function tellLost(states: readonly StoredState[], log: Log): Promise<void> {
  const lines = (await Promise.all(states.map(({ lost }) => lost))).flat();
  for (const line of lines) log.write('warn', line);
  if (lines.length > 0) void showWarning(vscode.l10n.t('Stored data cannot be read: {0}', lines.join(' ')));
}

/** Creates adapters, host, and features. Resolves when the configuration has been read. */
export async function openDeck({
  extension,
  view,
  runsView,
  onDidChangeTree,
  onDidChangeRuns,
  onDidChangeRules,
  onDidChangeGateway,
  ownAgent,
}: ActivationContext): Promise<Deck> {
  const started = performance.now();
  useLanguage(vscode.l10n.bundle);
  const version = versionOf(extension);
  const store = new DisposableStore();
  const logs = store.add(new LogChannels());
  const log = logs.host;
  const settings = store.add(new VsCodeSettings());
  const configuration = store.add(new ConfigurationFiles(settings, log));
  const serverPolicies = store.add(new VsCodePolicies());
  const scratch = store.add(new ScratchServers(configuration));
  const funnel = new CommandFunnel(log);
  const tell = (failure: HostError) => funnel.show(failure);
  const storedStates = [extension.workspaceState, extension.globalState].map(
    (memento) => new StoredState(new MementoStore(memento)),
  ) as [StoredState, StoredState];
  const [state, userState] = storedStates.map((stored) => new KeptState(stored, keptOptions({ log, tell }))) as [
    KeptState,
    KeptState,
  ];
  void tellLost(storedStates, log);
  const policies = new SamplingPolicies(state);
  const roots = new ChosenRoots(state);
  const audit = openAudit((extension.storageUri ?? extension.globalStorageUri).fsPath, log, store);
  const queue = store.add(
    new RequestQueue(policies, Date.now, new SamplingGuard(() => settings.samplingLimits()), audit.audit),
  );
  const commands = new CommandTable(funnel);
  const uris = new UriRoutes(funnel);
  const consent = openConsent({ state, userState, queue, audit, store });
  const debuggers = store.add(new VsCodeDebugger());
  const bundles = new BundleStore(path.join(extension.globalStorageUri.fsPath, 'bundles'), bundlePlatform());
  const questionTexts = store.add(new Reports('mcpdeck-question'));
  const ports: HostPorts = {
    log,
    tell,
    serverLog: (entry) => logs.forServer(entry.id),
    settings,
    configuration: scratch,
    trust: store.add(new VsCodeTrustPrompt((title, text) => questionTexts.show(title, text))),
    policies: serverPolicies,
    state,
    secrets: new VsCodeSecrets(extension.secrets),
    inputs: new VsCodeInputPrompt(),
    startNotices,
    consent: consent.calls,
    audit: audit.audit,
    roots: store.add(new WorkspaceRoots(roots)),
    machine: machineInfo(extension),
    bundles,
    fileChanges,
    signIn: async () => (await import('./features/signIn/vsCodeSignIn.js')).signInPorts(extension, uris, store),
    openBuiltInServer: () => openBuiltInServer({ version, log }),
    openMock: (mock) => openMock(mock, log),
    debugger: debuggers,
    sampler: queue,
    elicitor: queue,
    extensions: { [appsExtension]: appsSettings, [skillsExtension]: {} },
    client: { name: 'mcp-deck', title: 'MCP Deck', version },
  };
  const schemas = new SchemaChecks();
  const switches = store.add(new ToolSwitches(state));
  const host = new McpHost(ports, { checkOutput: schemas.checkOutput, switches });
  try {
    await host.open();
  } catch (error) {
    // The rest of the extension works without the complete configuration, so loading continues. The log contains the
    // reason.
    log.write('error', `The configuration could not be read: ${messageOf(error)}`);
  }
  const pins = new ResourcePins(state);
  const updates = store.add(new ServerUpdates(path.join(extension.globalStorageUri.fsPath, 'registries'), userState));
  const lockMarks = store.add(new LockMarks());
  const tokens = store.add(new TokenCounter(path.join(extension.extensionPath, 'dist', 'lib', 'tokens.js')));
  const tree = store.add(new ServerTree(host.servers, view, { pins, updates, lockMarks, countTokens: tokens.count }));
  store.add(
    view.onDidChangeVisibility(({ visible }) => {
      if (visible) host.lifecycle.refreshStaleLists();
    }),
  );
  store.add(tree.onDidChange(onDidChangeTree));
  const results = store.add(
    new ResultDocuments(new ResultFolder(extension.storageUri ?? extension.globalStorageUri, log)),
  );
  const resources = store.add(new ResourceFiles(host, { maxBytes: () => settings.maxResourceBytes(), log }));
  const runs = new RunMemory(state, () => setContext('mcpDeck.hasLastCall', true));
  const runLog = store.add(
    new RunLog(host.servers, new HistoryFolder((extension.storageUri ?? extension.globalStorageUri).fsPath), log),
  );
  const runTree = store.add(new RunTree(runLog.history, runsView));
  store.add(runTree.onDidChange(onDidChangeRuns));
  const configured = store.add(new ConfiguredServers(host.servers, () => consent.trustedAnnotations()));
  const rulesTree = store.add(new RulesTree(consent.rules, configured));
  store.add(rulesTree.onDidChange(onDidChangeRules));
  const toolPanels = store.add(new ToolPanels(() => context));
  const promptPanels = store.add(
    new PanelSet({
      kind: 'prompt',
      deck: () => context,
      make: (deck, panel, target, tab) => new PromptPanel(deck, panel, target, tab),
    }),
  );
  const templatePanels = store.add(
    new PanelSet({
      kind: 'template',
      deck: () => context,
      make: (deck, panel, target, tab) => new TemplatePanel(deck, panel, target, tab),
    }),
  );
  const serverPanels = store.add(new ServerPanels(() => context));
  const apps = store.add(new AppPanels(() => context));
  const editPages = store.add(new EditPages(() => context));
  const gateway = store.add(new GatewayControl(() => context, ownAgent));
  const gatewayTree = store.add(new GatewayTree(gateway));
  store.add(gatewayTree.onDidChange(onDidChangeGateway));
  const trace = store.add(new TraceView({ extension, funnel, host, log }));
  const context: ExtensionServices = {
    settings,
    state,
    presets: store.add(new PresetFiles({ log, host })),
    gateway,
    serverPanels,
    trace,
    debugger: debuggers,
    extension,
    client: ports.client,
    host,
    ports,
    switches,
    commands,
    uris,
    funnel,
    log,
    logs,
    consent: { ...consent, configured },
    configuration,
    scratch,
    schemas,
    tests: store.add(new SharedTestController()),
    countTokens: tokens.count,
    lockMarks,
    toolFinder: new ToolFinder(),
    results,
    resources,
    pins,
    runs,
    runLog,
    runFilter: runTree,
    drafts: new Drafts(state),
    toolPanels,
    promptPanels,
    templatePanels,
    apps,
    editPages,
    bundles,
    updates,
    questionTexts,
    comparisons: store.add(new Reports('mcpdeck-compare')),
    installBundle: async (bundle) =>
      (await import('./features/bundles/bundleInstaller.js')).downloadBundle(context, bundle),
    revealServer: ({ name, source }) => {
      const find = () => host.servers.list().find(({ entry }) => entry.name === name && entry.source.id === source)?.id;
      // A file that was just written is read a moment later.
      void whenFound(host.servers.onDidChange, find)
        .then((id) => (id === undefined ? undefined : tree.reveal(id)))
        .catch((error: unknown) => log.write('debug', messageOf(error)));
    },
    requests: { queue, owners: store.add(new RequestOwners(queue)), policies, roots },
    workspaceValues: store.add(new WorkspaceValues()),
    chat: {},
  };
  for (const feature of allFeatures) registerFeature(feature, context, store);
  log.write('debug', `The deck opened in ${elapsed(started)} ms.`);
  return {
    tree,
    runTree,
    rulesTree,
    gatewayTree,
    tasks: new RunTasks(context),
    api: deckApi(host, schemas, { pins, history: runLog.history, updates, lockMarks }),
    chat: context.chat,
    agentTools: new AgentToolsControl(
      () => context,
      () => gateway.agentTools(),
    ),
    files: store.add(new ResourceFileSystem(host, resources)),
    openUri: (uri) => uris.open(uri),
    trace,
    restorePanel(type, panel, state) {
      if (type === panelTypes.tool) toolPanels.restore(panel, state);
      else if (type === panelTypes.prompt) promptPanels.restore(panel, state);
      else if (type === panelTypes.template) templatePanels.restore(panel, state);
      else if (type === panelTypes.server) void serverPanels.restore(panel, state);
      else if (type === panelTypes.edit) void editPages.restore(panel, state);
      // The panel is the page of a request. A request ends with its window, so the page is closed. The user's input is
      // kept: if the server sends the same request to the new window, the input is restored.
      else panel.dispose();
    },
    run: (id, args) => commands.run(id, args),
    async close() {
      // Flush the audit log first, because VS Code may end the process before all servers have stopped.
      void audit.audit.flushed();
      await host.close();
      store.dispose();
      await audit.audit.flushed();
    },
  };
}

function registerFeature(feature: Feature, context: ExtensionServices, store: DisposableStore): void {
  const started = performance.now();
  try {
    const registration = feature.register(context);
    if (registration) store.add(registration);
    context.log.write('debug', `${feature.name}: registered in ${elapsed(started)} ms.`);
  } catch (error) {
    context.log.write(
      'error',
      `${feature.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
}

function elapsed(since: number): string {
  return (performance.now() - since).toFixed(1);
}

function versionOf(extension: vscode.ExtensionContext): string {
  const version: unknown = (extension.extension.packageJSON as Record<string, unknown>)['version'];
  return typeof version === 'string' ? version : '0.0.0';
}
