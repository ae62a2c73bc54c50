import type * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import type { Log } from '../../core/base/log.js';
import type { HostApi } from '../../core/host/hostApi.js';
import type { HostPorts } from '../../core/host/ports.js';
import type { ResourcePins } from '../../core/catalog/resourcePins.js';
import type { ToolSwitches } from '../../core/presets/toolSwitches.js';
import type { ResourceFiles } from '../../core/resources/resourceFiles.js';
import type { ChosenRoots } from '../../core/requests/chosenRoots.js';
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
  DefinitionPages,
  PromptPages,
  ServerPages,
  TemplatePages,
  ToolPages,
  TracePage,
} from './pages.js';
import type { RunLog } from '../../core/runs/runLog.js';
import type { SchemaChecks } from './schemaChecks.js';
import type { UriRoutes } from './uriHandler.js';

/** What a feature gets to work with. */
export interface ExtensionServices {
  readonly extension: vscode.ExtensionContext;
  /** Name and version that servers and apps are told. */
  readonly client: HostPorts['client'];
  readonly host: HostApi;
  /** What is switched off: tools by the user, and what the active preset leaves out. */
  readonly switches: ToolSwitches;
  /** Register command handlers here; errors they throw go through the funnel. */
  readonly commands: CommandTable;
  /** Register the paths of `vscode://` addresses here. */
  readonly uris: UriRoutes;
  /** For work that no command waits for: shows what went wrong. */
  readonly funnel: CommandFunnel;
  readonly log: Log;
  readonly logs: LogChannels;
  /** Rules and approvals of calls. */
  readonly consent: Consent & { readonly world: ConfiguredServers };
  readonly configuration: ConfigurationFiles;
  readonly settings: VsCodeSettings;
  readonly schemas: SchemaChecks;
  readonly results: ResultDocuments;
  readonly resources: ResourceFiles;
  /** What ran lately, and with what. */
  readonly runs: RunMemory;
  /** Where every run that the user started ends. */
  readonly runLog: RunLog;
  readonly drafts: Drafts;
  readonly toolPanels: ToolPages;
  readonly promptPanels: PromptPages;
  /** Templates of resources, being filled in. */
  readonly templatePanels: TemplatePages;
  /** The details of servers, a tab for each. */
  readonly serverPanels: ServerPages;
  /** The apps of tools that have one. */
  readonly apps: AppPages;
  /** The forms of definitions. */
  readonly editPages: DefinitionPages;
  /** What the window has that could stand in a form. */
  readonly workspaceValues: WorkspaceValues;
  readonly trace: TracePage;
  /** What is attached to servers that are debugged. */
  readonly debugger: VsCodeDebugger;
  readonly pins: ResourcePins;
  /** What servers ask of the user, and what the user decided about it. */
  readonly requests: { readonly queue: RequestQueue; readonly policies: SamplingPolicies; readonly roots: ChosenRoots };
  /** The chat feature sets its handler here; the participant itself was registered at activation. */
  readonly chat: ChatSlot;
}

/** Where the chat feature puts what answers `@deck`. */
export interface ChatSlot {
  handler?: vscode.ChatRequestHandler;
  followups?: vscode.ChatFollowupProvider;
}

/** One thing the deck can do. A feature that fails to register leaves the others working. */
export interface Feature {
  readonly name: string;
  register(deck: ExtensionServices): Disposable | void;
}
