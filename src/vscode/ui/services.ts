import type * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import type { Event } from '../../core/base/event.js';
import type { Log } from '../../core/base/log.js';
import type { HostApi } from '../../core/host/hostApi.js';
import type { HostPorts } from '../../core/host/ports.js';
import type { StateStore } from '../../core/base/stores.js';
import type { ClientClaim } from '../../core/gateway/gatewayClients.js';
import type { OpenedGateway } from '../../core/gateway/openGateway.js';
import type { BundleStore } from '../../core/gallery/bundles/bundleStore.js';
import type { ServerUpdates } from '../../core/gallery/updates/serverUpdates.js';
import type { ResourcePins } from '../../core/catalog/resourcePins.js';
import type { Preset } from '../../core/presets/presetFile.js';
import type { ToolOverride } from '../../core/presets/toolOverrides.js';
import type { ToolSwitches } from '../../core/presets/toolSwitches.js';
import type { ResourceFiles } from '../../core/resources/resourceFiles.js';
import type { ChosenRoots } from '../../core/requests/chosenRoots.js';
import type { RequestOwners } from '../../core/requests/requestOwners.js';
import type { RequestQueue } from '../../core/requests/requestQueue.js';
import type { SamplingPolicies } from '../../core/requests/samplingPolicies.js';
import type { ConfigurationFiles } from '../adapters/configurationFiles.js';
import type { LogChannels } from '../adapters/logChannels.js';
import type { Drafts } from '../../core/runs/drafts.js';
import type { RunMemory } from '../../core/runs/runMemory.js';
import type { CommandFunnel } from './commandFunnel.js';
import type { CommandTable } from './commandTable.js';
import type { VsCodeDebugger } from '../adapters/vsCodeDebugger.js';
import type { ConfiguredServers } from './configuredServers.js';
import type { Consent } from './openConsent.js';
import type { VsCodeSettings } from '../adapters/settings.js';
import type { WorkspaceValues } from './workspaceValues.js';
import type { ResultDocuments } from './resultDocuments.js';
import type {
  AppPages,
  BundleToDownload,
  DefinitionPages,
  PromptPages,
  ServerPages,
  TemplatePages,
  ToolPages,
  TracePage,
} from './pages.js';
import type { ScratchServers } from '../../core/registry/scratchServers.js';
import type { RunLog } from '../../core/runs/runLog.js';
import type { Reports } from './reports.js';
import type { CountTokens } from '../../core/present/text/toolTokens.js';
import type { LockMarks } from './lockMarks.js';
import type { SchemaChecks } from './schemaChecks.js';
import type { SharedTestController } from './testController.js';
import type { ToolFinder } from '../../core/search/toolFinder.js';
import type { UriRoutes } from './uriHandler.js';

/** The services that a feature can use. */
export interface ExtensionServices {
  readonly extension: vscode.ExtensionContext;
  /** Name and version that servers and apps receive as client information. */
  readonly client: HostPorts['client'];
  readonly host: HostApi;
  /** The ports of the host, for other hosts in this window, such as those of test runs. */
  readonly ports: HostPorts;
  /** The tools that the user disabled and the items that the active preset excludes. */
  readonly switches: ToolSwitches;
  /** Features register their command handlers here. `funnel` handles the errors of the handlers. */
  readonly commands: CommandTable;
  /** Features register paths of `vscode://` URIs here. */
  readonly uris: UriRoutes;
  /** Shows errors of background work that no command awaits. */
  readonly funnel: CommandFunnel;
  readonly log: Log;
  readonly logs: LogChannels;
  /** Rules and approvals for tool calls. */
  readonly consent: Consent & { readonly configured: ConfiguredServers };
  readonly configuration: ConfigurationFiles;
  /** Servers that exist in this window only. */
  readonly scratch: ScratchServers;
  readonly settings: VsCodeSettings;
  /** Values that are stored for this workspace. */
  readonly state: StateStore;
  /** The presets of the open folders. */
  readonly presets: PresetSource;
  /** The gateway of this window. */
  readonly gateway: GatewayService;
  readonly schemas: SchemaChecks;
  /** How servers differ from the lock file. */
  readonly lockMarks: LockMarks;
  /** The tests of servers, and their checks, in the Test Explorer. */
  readonly tests: SharedTestController;
  /** Counts the tokens of tools, in a worker thread. */
  readonly countTokens: CountTokens;
  /** Finds tools by words. */
  readonly toolFinder: ToolFinder;
  readonly results: ResultDocuments;
  readonly resources: ResourceFiles;
  /** The last arguments of each tool. */
  readonly runs: RunMemory;
  /** Records the runs of tools for the Runs view: those of the user, the chat, tasks, apps, and agents. */
  readonly runLog: RunLog;
  /** The words that the Runs view is filtered by; empty for all runs. */
  readonly runFilter: { filter: string };
  readonly drafts: Drafts;
  readonly toolPanels: ToolPages;
  readonly promptPanels: PromptPages;
  /** The open pages of resource templates. */
  readonly templatePanels: TemplatePages;
  /** The server details pages, one tab for each server. */
  readonly serverPanels: ServerPages;
  /** The apps of tools (MCP Apps). */
  readonly apps: AppPages;
  /** Shows a server with its tools in the Servers view. Does nothing if the host has not read the server yet. */
  readonly revealServer: (server: { name: string; source: string }) => void;
  /** The forms that add and edit server definitions. */
  readonly editPages: DefinitionPages;
  /** The unpacked bundles (MCPB). */
  readonly bundles: BundleStore;
  /**
   * Newer versions of installed servers, from the stored lists of registries, and the choices of the user about them.
   */
  readonly updates: ServerUpdates;
  /** Pairs of documents that compare two versions of a server. */
  readonly comparisons: Reports;
  /** The texts of questions that are too long for a dialog. */
  readonly questionTexts: Reports;
  /** Downloads the bundle of a registry, and opens its page. Nothing runs before the user approves it. */
  readonly installBundle: (bundle: BundleToDownload) => Promise<void>;
  /** Values of the window that the user can insert into a form. */
  readonly workspaceValues: WorkspaceValues;
  readonly trace: TracePage;
  /** The debuggers that are attached to servers. */
  readonly debugger: VsCodeDebugger;
  readonly pins: ResourcePins;
  /** The requests from servers to the user, and the user's decisions about them. */
  readonly requests: {
    readonly queue: RequestQueue;
    readonly owners: RequestOwners;
    readonly policies: SamplingPolicies;
    readonly roots: ChosenRoots;
  };
  /** The chat feature sets its handler here. The participant itself is registered during activation. */
  readonly chat: ChatSlot;
}

/** The services that every panel with a form and a result needs. */
export type PanelServices = Pick<
  ExtensionServices,
  | 'apps'
  | 'drafts'
  | 'extension'
  | 'funnel'
  | 'host'
  | 'log'
  | 'requests'
  | 'results'
  | 'runLog'
  | 'schemas'
  | 'workspaceValues'
>;

/** The content of `.vscode/mcp-deck.json` in the open folders. */
export interface PresetSource {
  readonly presets: readonly Preset[];
  readonly overrides: readonly ToolOverride[];
  readonly onDidChange: Event<void>;
  /** Reads the files now, without waiting for the file watcher. */
  refresh(): Promise<void>;
}

/** One MCP server in front of the servers of this window, for agents outside of VS Code. */
export interface GatewayService {
  /** The running gateway. Its `server` accepts clients over other transports. Undefined while the gateway is off. */
  readonly opened: OpenedGateway | undefined;
  /** Fires when the gateway has started or stopped, and when its clients have changed. */
  readonly onDidChange: Event<void>;
  /** The approved clients that have not connected since the gateway started. */
  readonly absent: readonly ClientClaim[];
  /** Starts the gateway, or returns the running one. The caller asks the user first. */
  start(): Promise<OpenedGateway>;
  /**
   * Starts the enabled servers that need no approval, as the first request of a client does. Resolves when they have
   * started or failed, at the latest after 3 seconds.
   */
  startServers(): Promise<void>;
  stop(): Promise<void>;
  /** The token that clients send. */
  token(): Promise<string>;
  /** Replaces the token. A running gateway disconnects its clients. */
  rotateToken(): Promise<void>;
  /** Names and descriptions of tools in `.vscode/mcp-deck.json` that wait for the user's approval. */
  readonly waitingTexts: readonly ToolOverride[];
  approveTexts(overrides: readonly ToolOverride[]): Promise<void>;
  /**
   * Called when the user has connected or disconnected an app (`AppId`). The first client that uses the entry of a
   * connected app within a day is approved without asking.
   */
  connectApp(app: string, isConnected: boolean): Promise<void>;
  /** Removes the approval of the clients with this name. */
  forget(name: string): Promise<void>;
  /** Removes the approvals of all agents, and those of the texts that they see. */
  forgetAll(): Promise<void>;
}

/** Holds the handlers of the chat participant `@deck`. */
export interface ChatSlot {
  handler?: vscode.ChatRequestHandler;
  followups?: vscode.ChatFollowupProvider;
}

/** A feature of the extension. If one feature fails to register, the others still work. */
export interface Feature {
  readonly name: string;
  register(deck: ExtensionServices): Disposable | void;
}
