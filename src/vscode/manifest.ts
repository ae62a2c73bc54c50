import type { AutoStart } from '../core/config/autoStart.js';
import type { TraceSetting } from '../core/config/hostSettings.js';

/**
 * Declares all IDs of `package.json` for the code. Other files must use these constants. `test/unit/manifest.test.ts`
 * checks that both contain the same IDs.
 */

/** Command IDs by their name in code. `CommandArguments` contains their argument types. */
export const commandIds = {
  // Buttons in the title of the Servers view. See `titleCommands`.
  runAnyTool: 'mcpDeck.runAnyTool',
  exportAnyServers: 'mcpDeck.exportAnyServers',
  openAnyConfiguration: 'mcpDeck.openAnyConfiguration',
  showAnyLog: 'mcpDeck.showAnyLog',
  // Servers
  startServer: 'mcpDeck.startServer',
  stopServer: 'mcpDeck.stopServer',
  restartServer: 'mcpDeck.restartServer',
  debugServer: 'mcpDeck.debugServer',
  startAllServers: 'mcpDeck.startAllServers',
  stopAllServers: 'mcpDeck.stopAllServers',
  enableServer: 'mcpDeck.enableServer',
  disableServer: 'mcpDeck.disableServer',
  enableBuiltInServer: 'mcpDeck.enableBuiltInServer',
  refreshServers: 'mcpDeck.refreshServers',
  showLog: 'mcpDeck.showLog',
  openDocumentation: 'mcpDeck.openDocumentation',
  diagnoseServer: 'mcpDeck.diagnoseServer',
  checkServer: 'mcpDeck.checkServer',
  recordServer: 'mcpDeck.recordServer',
  stopRecording: 'mcpDeck.stopRecording',
  startMock: 'mcpDeck.startMock',
  compareRecording: 'mcpDeck.compareRecording',
  showServerDetails: 'mcpDeck.showServerDetails',
  copyName: 'mcpDeck.copyName',
  copyServerJson: 'mcpDeck.copyServerJson',
  copyServerLine: 'mcpDeck.copyServerLine',
  // Trace
  showTrace: 'mcpDeck.showTrace',
  startTrace: 'mcpDeck.startTrace',
  stopTrace: 'mcpDeck.stopTrace',
  chooseTraceServer: 'mcpDeck.chooseTraceServer',
  clearTrace: 'mcpDeck.clearTrace',
  exportTrace: 'mcpDeck.exportTrace',
  openTrace: 'mcpDeck.openTrace',
  // Configuration
  addServer: 'mcpDeck.addServer',
  findServer: 'mcpDeck.findServer',
  installBundle: 'mcpDeck.installBundle',
  updateServer: 'mcpDeck.updateServer',
  connectToUrl: 'mcpDeck.connectToUrl',
  runServerCommand: 'mcpDeck.runServerCommand',
  keepServer: 'mcpDeck.keepServer',
  openConfiguration: 'mcpDeck.openConfiguration',
  importServers: 'mcpDeck.importServers',
  exportServers: 'mcpDeck.exportServers',
  editServer: 'mcpDeck.editServer',
  duplicateServer: 'mcpDeck.duplicateServer',
  moveServer: 'mcpDeck.moveServer',
  removeServer: 'mcpDeck.removeServer',
  setSecret: 'mcpDeck.setSecret',
  manageStoredValues: 'mcpDeck.manageStoredValues',
  // Presets
  switchPreset: 'mcpDeck.switchPreset',
  showMenu: 'mcpDeck.showMenu',
  enableTool: 'mcpDeck.enableTool',
  disableTool: 'mcpDeck.disableTool',
  listAgain: 'mcpDeck.listAgain',
  // Approvals of starts
  reviewTrust: 'mcpDeck.reviewTrust',
  resetTrust: 'mcpDeck.resetTrust',
  // Rules and approvals of calls
  showRules: 'mcpDeck.showRules',
  addRule: 'mcpDeck.addRule',
  addToolRule: 'mcpDeck.addToolRule',
  removeRule: 'mcpDeck.removeRule',
  openRule: 'mcpDeck.openRule',
  resetApprovals: 'mcpDeck.resetApprovals',
  reviewChange: 'mcpDeck.reviewChange',
  acceptChange: 'mcpDeck.acceptChange',
  showAuditLog: 'mcpDeck.showAuditLog',
  // Sign-in
  signIn: 'mcpDeck.signIn',
  signOut: 'mcpDeck.signOut',
  manageAccounts: 'mcpDeck.manageAccounts',
  forgetRegistration: 'mcpDeck.forgetRegistration',
  setClientId: 'mcpDeck.setClientId',
  showSignInTrace: 'mcpDeck.showSignInTrace',
  // Gateway for agents
  startGateway: 'mcpDeck.startGateway',
  stopGateway: 'mcpDeck.stopGateway',
  connectAgent: 'mcpDeck.connectAgent',
  copyGatewayConfiguration: 'mcpDeck.copyGatewayConfiguration',
  rotateGatewayToken: 'mcpDeck.rotateGatewayToken',
  forgetAgent: 'mcpDeck.forgetAgent',
  reviewAgentTexts: 'mcpDeck.reviewAgentTexts',
  switchVsCodeServers: 'mcpDeck.switchVsCodeServers',
  // Requests from servers
  answerRequest: 'mcpDeck.answerRequest',
  declineRequest: 'mcpDeck.declineRequest',
  dismissRequest: 'mcpDeck.dismissRequest',
  declineAllRequests: 'mcpDeck.declineAllRequests',
  setSamplingPolicy: 'mcpDeck.setSamplingPolicy',
  chooseRoots: 'mcpDeck.chooseRoots',
  // Tools, resources, prompts
  listServers: 'mcpDeck.listServers',
  runTool: 'mcpDeck.runTool',
  runLastTool: 'mcpDeck.runLastTool',
  readResource: 'mcpDeck.readResource',
  openToolPanel: 'mcpDeck.openToolPanel',
  showSchema: 'mcpDeck.showSchema',
  openResourceToSide: 'mcpDeck.openResourceToSide',
  refreshResource: 'mcpDeck.refreshResource',
  saveResource: 'mcpDeck.saveResource',
  compareResource: 'mcpDeck.compareResource',
  pinResource: 'mcpDeck.pinResource',
  unpinResource: 'mcpDeck.unpinResource',
  copyResourceUri: 'mcpDeck.copyResourceUri',
  openSkill: 'mcpDeck.openSkill',
  sendSkillToChat: 'mcpDeck.sendSkillToChat',
  getPrompt: 'mcpDeck.getPrompt',
  openMessages: 'mcpDeck.openMessages',
  insertMessages: 'mcpDeck.insertMessages',
  copyMessages: 'mcpDeck.copyMessages',
  sendMessagesToChat: 'mcpDeck.sendMessagesToChat',
  openResult: 'mcpDeck.openResult',
  // Runs and favorites
  runAgain: 'mcpDeck.runAgain',
  runWithLastArguments: 'mcpDeck.runWithLastArguments',
  editRun: 'mcpDeck.editRun',
  openRun: 'mcpDeck.openRun',
  compareRuns: 'mcpDeck.compareRuns',
  addFavourite: 'mcpDeck.addFavourite',
  renameFavourite: 'mcpDeck.renameFavourite',
  removeRun: 'mcpDeck.removeRun',
  clearHistory: 'mcpDeck.clearHistory',
  showRuns: 'mcpDeck.showRuns',
  filterRuns: 'mcpDeck.filterRuns',
  clearRunFilter: 'mcpDeck.clearRunFilter',
  copyAsKeybinding: 'mcpDeck.copyAsKeybinding',
  copyAsLink: 'mcpDeck.copyAsLink',
  copyAsCode: 'mcpDeck.copyAsCode',
  // Tests of servers
  saveAsTest: 'mcpDeck.saveAsTest',
  updateSnapshot: 'mcpDeck.updateSnapshot',
} as const satisfies Record<string, `mcpDeck.${string}`>;

/** The name of a command in code. The ID of the command is `mcpDeck.` followed by the name. */
export type CommandName = keyof typeof commandIds;

export type CommandId = `mcpDeck.${CommandName}`;

/**
 * Maps the title buttons of a view to the commands that they run. A title button applies to the whole view, but VS Code
 * passes the focused element to its command as if the user had selected the element. These commands ignore the element.
 */
export const titleCommands: Partial<Record<CommandId, CommandId>> = {
  [commandIds.runAnyTool]: commandIds.runTool,
  [commandIds.exportAnyServers]: commandIds.exportServers,
  [commandIds.openAnyConfiguration]: commandIds.openConfiguration,
  [commandIds.showAnyLog]: commandIds.showLog,
};

/** Identifies one server. The argument object of most commands. */
interface ServerArgument {
  server: string;
}

/** Identifies one waiting request from a server. */
interface RequestArgument {
  request: string;
}

/**
 * The argument objects of the commands that accept one. Without an argument object, a command asks the user. The
 * comments are part of the page `docs/commands.md`.
 */
export interface CommandArguments extends Partial<Record<CommandId, object>> {
  /** Returns a summary of the server. */
  'mcpDeck.startServer': ServerArgument;
  /** Returns a summary of the server. */
  'mcpDeck.stopServer': ServerArgument;
  /** Returns a summary of the server. */
  'mcpDeck.restartServer': ServerArgument;
  /** Restarts the server under its debugger. Returns a summary of the server. */
  'mcpDeck.debugServer': ServerArgument & { stopAtStart?: boolean };
  /** Enables a server. Asks the user. */
  'mcpDeck.enableServer': ServerArgument;
  'mcpDeck.disableServer': ServerArgument;
  /** Opens the page of the bundle. Nothing is unpacked or saved before the user presses its button. */
  'mcpDeck.installBundle': { file: string };
  /** Updates to the latest version that a stored list has. Asks the user. */
  'mcpDeck.updateServer': ServerArgument;
  /** Opens a form with the definition of a scratch server. Writes nothing until the user saves the form. */
  'mcpDeck.keepServer': ServerArgument;
  /** Sets fields of the server entry. Null removes a field. Asks the user. */
  'mcpDeck.editServer': ServerArgument & { fields: Record<string, unknown> };
  /** Duplicates a server. Asks the user. Returns the name of the copy. */
  'mcpDeck.duplicateServer': ServerArgument & { name: string };
  /**
   * Asks the user, and stops the server first. `portable` is the file `.mcp.json`. Returns the name of the server in
   * its new location.
   */
  'mcpDeck.moveServer': ServerArgument & { to: 'user' | 'vscode' | 'portable'; acceptLosses?: boolean };
  /**
   * Asks the user, except for a scratch server. Stored values and the sign-in are kept unless `forget` is true.
   */
  'mcpDeck.removeServer': ServerArgument & { forget?: boolean };
  /** Asks the user for the value, even with an argument object. Writes a reference to it and starts the server. */
  'mcpDeck.setSecret': ServerArgument;
  /**
   * Returns which inputs have a stored value, never the values. If `forget` is true, deletes the stored values of the
   * server, or of the given input, after the user agrees.
   */
  'mcpDeck.manageStoredValues': Partial<ServerArgument> & { input?: string; forget?: boolean };
  /**
   * The name of the preset, or null for no preset. Returns the name. Asks the user unless the new preset is a subset of
   * the active one.
   */
  'mcpDeck.switchPreset': { preset: string | null };
  /** Enables a tool. Asks the user. */
  'mcpDeck.enableTool': ServerArgument & { tool: string };
  'mcpDeck.disableTool': ServerArgument & { tool: string };
  /** Requests the lists of a running server again. Returns a summary of the server. */
  'mcpDeck.listAgain': ServerArgument;
  'mcpDeck.reviewTrust': ServerArgument;
  /** Always shows the address of the sign-in page to the user before the browser opens. */
  'mcpDeck.signIn': ServerArgument;
  /** Asks the user. */
  'mcpDeck.signOut': ServerArgument;
  /** With an argument object, shows nothing and returns the accounts. */
  'mcpDeck.manageAccounts': Partial<ServerArgument>;
  /** Asks the user. */
  'mcpDeck.forgetRegistration': ServerArgument;
  'mcpDeck.setClientId': ServerArgument;
  'mcpDeck.showSignInTrace': ServerArgument;
  'mcpDeck.showTrace': ServerArgument;
  'mcpDeck.startTrace': ServerArgument;
  'mcpDeck.stopTrace': ServerArgument;
  'mcpDeck.clearTrace': ServerArgument;
  /** Leaves out secrets. Shows the user the absolute path and asks for approval. */
  'mcpDeck.exportTrace': ServerArgument & { file: string };
  'mcpDeck.openTrace': { file: string };
  /** Asks the user. `app` is the ID of an app, as for `exportServers`. Returns the file. */
  'mcpDeck.connectAgent': { app: string; disconnect?: boolean };
  /** The name of an agent. */
  'mcpDeck.forgetAgent': { agent: string };
  'mcpDeck.setSamplingPolicy': ServerArgument;
  'mcpDeck.chooseRoots': ServerArgument;
  'mcpDeck.answerRequest': RequestArgument;
  'mcpDeck.declineRequest': RequestArgument;
  'mcpDeck.dismissRequest': RequestArgument;
  /** Declines all requests of the server that sent the given request. */
  'mcpDeck.declineAllRequests': RequestArgument;
  /** An `ask` or `deny` rule in the format of the setting. `lifetime` is `session`, `workspace`, or `always`. */
  'mcpDeck.addRule': { rule: object; lifetime?: string };
  /** Asks the user for the parts of a rule for one tool. */
  'mcpDeck.addToolRule': ServerArgument & { tool: string };
  /** The ID of a rule. */
  'mcpDeck.openRule': { rule: string };
  /** The ID of a rule. Asks the user unless the rule allows calls. */
  'mcpDeck.removeRule': { rule: string };
  'mcpDeck.reviewChange': ServerArgument & { tool: string };
  /** Accepts only a change that the user has reviewed. Asks the user. */
  'mcpDeck.acceptChange': ServerArgument & { tool: string };
  /** Shows the entries of one server, or all entries if no server is given. */
  'mcpDeck.showAuditLog': Partial<ServerArgument>;
  'mcpDeck.showLog': Partial<ServerArgument>;
  /** The name of a file in `docs/`, without `.md`. */
  'mcpDeck.openDocumentation': { page: string };
  /** Returns the findings as text. Starts the server if its start is already approved. */
  'mcpDeck.diagnoseServer': ServerArgument;
  /** Returns the findings. Starts no server and runs no tool. */
  'mcpDeck.checkServer': ServerArgument;
  'mcpDeck.recordServer': ServerArgument;
  /** Asks the user. Returns what was written. */
  'mcpDeck.stopRecording': ServerArgument & { file: string };
  /** Fails if the start needs approval. Returns the ID of the server. */
  'mcpDeck.startMock': { file: string; legacy?: boolean; strict?: boolean; latency?: boolean };
  /** Asks the user. Returns the differences. */
  'mcpDeck.compareRecording': ServerArgument & { file: string };
  'mcpDeck.showServerDetails': ServerArgument;
  'mcpDeck.openConfiguration': ServerArgument;
  /** Copies the definition. Values that may be secret are replaced by inputs. */
  'mcpDeck.copyServerJson': ServerArgument;
  'mcpDeck.copyServerLine': ServerArgument;
  /**
   * Asks the user before it writes. Returns the report. `servers` contains names in the file; without it, all servers
   * are imported. Secrets are moved to secret storage unless `secrets` is `keep`.
   */
  'mcpDeck.importServers': {
    file: string;
    app?: string;
    project?: string;
    servers?: string[];
    to?: 'user' | 'vscode' | 'portable';
    secrets?: 'move' | 'keep';
  };
  /** Asks the user, because another app reads the file. Returns the report. */
  'mcpDeck.exportServers': { servers: string[]; file: string; app?: string };
  /**
   * Asks the user unless a rule decides otherwise. Without `arguments`, asks for the required ones. If `show` is true,
   * also opens the result. Returns the result of the tool.
   */
  'mcpDeck.runTool': ServerArgument & { tool: string; arguments?: Record<string, unknown>; show?: boolean };
  /** `arguments` replace the content of the form. */
  'mcpDeck.openToolPanel': ServerArgument & { tool: string; arguments?: Record<string, unknown> };
  'mcpDeck.showSchema': ServerArgument & { tool: string };
  /** Returns the contents of the resource. */
  'mcpDeck.readResource': ServerArgument & { uri: string };
  /**
   * Shows the user the absolute path and asks for approval. Returns the path of the file. If `replace` is not set, an
   * existing file is kept.
   */
  'mcpDeck.saveResource': ServerArgument & { uri: string; folder: string; replace?: boolean };
  'mcpDeck.compareResource': ServerArgument & { uri: string; file: string };
  'mcpDeck.pinResource': ServerArgument & { uri: string };
  'mcpDeck.unpinResource': ServerArgument & { uri: string };
  /**
   * `uri` is the URI of a `SKILL.md`, which does not need to be listed. Returns the server's description of the
   * skill and the verified text.
   */
  'mcpDeck.openSkill': ServerArgument & { uri: string };
  /** Returns the messages of the prompt. */
  'mcpDeck.getPrompt': ServerArgument & { prompt: string; arguments?: Record<string, string> };
  'mcpDeck.openResult': { result: string };
  /** `favourite` is the name of a favorite, and `run` the ID of a run. Returns the result. */
  'mcpDeck.runAgain': { favourite: string } | { run: string };
  'mcpDeck.runWithLastArguments': ServerArgument & { tool: string };
  'mcpDeck.editRun': { favourite: string } | { run: string };
  'mcpDeck.copyAsKeybinding': { favourite: string } | { run: string };
  'mcpDeck.copyAsLink': { favourite: string } | { run: string };
  'mcpDeck.copyAsCode': { favourite: string; format: string } | { run: string; format: string };
  'mcpDeck.openRun': { run: string };
  /** Asks for the test file. */
  'mcpDeck.saveAsTest': { run: string };
  /** The failed test, which VS Code passes. Runs the test again. */
  'mcpDeck.updateSnapshot': { test: object };
  /** An empty text removes the filter. */
  'mcpDeck.filterRuns': { words: string };
  'mcpDeck.renameFavourite': { favourite: string; name: string };
  'mcpDeck.removeRun': { favourite: string } | { run: string };
}

/**
 * How VS Code's own agent gets the servers: not at all, with the language model tools of MCP Deck, or as one MCP server
 * while the gateway runs.
 */
export type VsCodeAgent = 'off' | 'tools' | 'gateway';

/** Settings and their value types. Durations are in seconds, and sizes are in bytes. */
export interface SettingTypes {
  'mcpDeck.servers': Record<string, unknown>;
  'mcpDeck.inputs': readonly unknown[];
  'mcpDeck.registries': readonly unknown[];
  'mcpDeck.allowedServers': readonly unknown[] | null;
  'mcpDeck.deniedServers': readonly unknown[] | null;
  'mcpDeck.autoStart': AutoStart;
  'mcpDeck.requestTimeout': number;
  'mcpDeck.startTimeout': number;
  'mcpDeck.stopGrace': number;
  'mcpDeck.restartOnCrash': boolean;
  'mcpDeck.trace': TraceSetting;
  'mcpDeck.builtInServer.enabled': boolean;
  'mcpDeck.gateway.enabled': boolean;
  'mcpDeck.vsCodeAgent': VsCodeAgent;
  'mcpDeck.rules': readonly object[];
  'mcpDeck.trustedAnnotations': readonly string[];
  'mcpDeck.sampling': Record<string, unknown>;
  'mcpDeck.limits.maxMessageBytes': number;
  'mcpDeck.limits.maxResourceBytes': number;
}

export type SettingKey = keyof SettingTypes;

/** The defaults from `package.json`. Most settings also use them if a value has the wrong type. */
export const settingDefaults: Readonly<SettingTypes> = {
  'mcpDeck.servers': {},
  'mcpDeck.inputs': [],
  'mcpDeck.registries': ['https://registry.modelcontextprotocol.io'],
  'mcpDeck.allowedServers': null,
  'mcpDeck.deniedServers': null,
  'mcpDeck.autoStart': 'lastRunning',
  'mcpDeck.requestTimeout': 60,
  'mcpDeck.startTimeout': 60,
  'mcpDeck.stopGrace': 2,
  'mcpDeck.restartOnCrash': true,
  'mcpDeck.trace': 'off',
  'mcpDeck.builtInServer.enabled': true,
  'mcpDeck.gateway.enabled': false,
  'mcpDeck.vsCodeAgent': 'off',
  'mcpDeck.rules': [],
  'mcpDeck.trustedAnnotations': [],
  'mcpDeck.sampling': {},
  'mcpDeck.limits.maxMessageBytes': 67_108_864,
  'mcpDeck.limits.maxResourceBytes': 33_554_432,
};

/** The state of the Servers view. Determines which welcome content is shown. */
export type ServersState = 'none' | 'untrusted' | 'stopped' | 'running';

export type TraceState = 'none' | 'capturing' | 'stopped' | 'file';

/** Context keys and their value types, for `when` clauses. */
export interface ContextKeys {
  'mcpDeck.serversState': ServersState;
  /** True while a request is waiting for the user's answer. */
  'mcpDeck.hasRequests': boolean;
  /** The content of the Trace view: nothing, a server with or without active capture, or a file. */
  'mcpDeck.traceState': TraceState;
  'mcpDeck.hasRunFilter': boolean;
  /** True when there is a call that "Repeat Last Call" can repeat. */
  'mcpDeck.hasLastCall': boolean;
  'mcpDeck.isGatewayRunning': boolean;
}

export type ContextKey = keyof ContextKeys;

export const contextKeys: readonly ContextKey[] = [
  'mcpDeck.serversState',
  'mcpDeck.hasRequests',
  'mcpDeck.traceState',
  'mcpDeck.hasRunFilter',
  'mcpDeck.hasLastCall',
  'mcpDeck.isGatewayRunning',
];

export const containerId = 'mcpDeck';

export const viewIds = {
  servers: 'mcpDeck.servers',
  runs: 'mcpDeck.runs',
  requests: 'mcpDeck.requests',
  rules: 'mcpDeck.rules',
  gateway: 'mcpDeck.gateway',
} as const;

export const traceContainerId = 'mcpDeckTrace';

/** The Trace view, which is in the panel area. */
export const traceViewId = 'mcpDeck.traceView';

/** The type of tasks that run a tool. */
export const taskType = 'mcpDeck';

/** The URI scheme of resources in editors. An activation event contains it. */
export const resourceScheme = 'mcpdeck';

/** The language for Markdown from servers. It is highlighted as Markdown, but contains no links. */
export const markdownLanguage = 'mcpdeck-markdown';

/** The chat participant `@deck`. */
export const participantId = 'mcpDeck.deck';

/** The language model tools, which VS Code's own agent has while the setting `mcpDeck.vsCodeAgent` is `tools`. */
export const languageModelToolNames = [
  'mcpDeck_searchTools',
  'mcpDeck_callTool',
  'mcpDeck_listServers',
  'mcpDeck_listResources',
  'mcpDeck_readResource',
] as const;

export type LanguageModelToolName = (typeof languageModelToolNames)[number];

/** The provider that offers the gateway to VS Code's own agent. */
export const serverProviderId = 'mcpDeck.gateway';

/** The types of webview panels. VS Code restores the panels by these names. */
export const panelTypes = {
  tool: 'mcpDeck.tool',
  prompt: 'mcpDeck.prompt',
  template: 'mcpDeck.template',
  request: 'mcpDeck.request',
  server: 'mcpDeck.server',
  edit: 'mcpDeck.edit',
} as const;

export type PanelType = (typeof panelTypes)[keyof typeof panelTypes];

/**
 * The type of the panel that shows an app. The panel is not restored, because the state of an app is lost when its tab
 * closes.
 */
export const appPanelType = 'mcpDeck.app';

/** The type of the page that finds servers. It is not restored, so that a reloaded window contacts no registry. */
export const galleryPanelType = 'mcpDeck.gallery';

/** Files with tests of servers, and the folders that are not searched for them. */
export const testFilePattern = '**/*.mcptest.{yaml,yml,json}';
export const foldersWithoutTests = '**/{node_modules,.git}/**';

/** The configuration files in each workspace folder from which servers are read. */
export const configurationFileNames = { vscode: '.vscode/mcp.json', portable: '.mcp.json' } as const;

export type ConfigurationFileKind = keyof typeof configurationFileNames;
