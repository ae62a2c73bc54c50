import type { AutoStart } from '../core/config/autoStart.js';
import type { TraceSetting } from '../core/config/hostSettings.js';

/**
 * Every id that `package.json` declares, once; nothing else names them. `test/unit/manifest.test.ts` compares both ways.
 */

/** Commands by the name that code uses. What each takes stands in `CommandArguments`. */
export const commandIds = {
  // In the title of the Servers view; see `titleCommands`
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
  showServerDetails: 'mcpDeck.showServerDetails',
  copyName: 'mcpDeck.copyName',
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
  openConfiguration: 'mcpDeck.openConfiguration',
  importServers: 'mcpDeck.importServers',
  exportServers: 'mcpDeck.exportServers',
  editServer: 'mcpDeck.editServer',
  duplicateServer: 'mcpDeck.duplicateServer',
  moveServer: 'mcpDeck.moveServer',
  removeServer: 'mcpDeck.removeServer',
  manageStoredValues: 'mcpDeck.manageStoredValues',
  // Presets
  switchPreset: 'mcpDeck.switchPreset',
  showMenu: 'mcpDeck.showMenu',
  enableTool: 'mcpDeck.enableTool',
  disableTool: 'mcpDeck.disableTool',
  listAgain: 'mcpDeck.listAgain',
  // Trust
  reviewTrust: 'mcpDeck.reviewTrust',
  resetTrust: 'mcpDeck.resetTrust',
  // Rules and approvals of calls
  showRules: 'mcpDeck.showRules',
  addRule: 'mcpDeck.addRule',
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
  // Requests of servers
  answerRequest: 'mcpDeck.answerRequest',
  declineRequest: 'mcpDeck.declineRequest',
  dismissRequest: 'mcpDeck.dismissRequest',
  declineAllRequests: 'mcpDeck.declineAllRequests',
  approveSampling: 'mcpDeck.approveSampling',
  answerSampling: 'mcpDeck.answerSampling',
  sendAnswer: 'mcpDeck.sendAnswer',
  setSamplingPolicy: 'mcpDeck.setSamplingPolicy',
  chooseRoots: 'mcpDeck.chooseRoots',
  // Tools, resources, prompts
  listServers: 'mcpDeck.listServers',
  runTool: 'mcpDeck.runTool',
  runLastTool: 'mcpDeck.runLastTool',
  readResource: 'mcpDeck.readResource',
  openToolPanel: 'mcpDeck.openToolPanel',
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
  editRun: 'mcpDeck.editRun',
  openRun: 'mcpDeck.openRun',
  compareRuns: 'mcpDeck.compareRuns',
  addFavourite: 'mcpDeck.addFavourite',
  renameFavourite: 'mcpDeck.renameFavourite',
  removeRun: 'mcpDeck.removeRun',
  clearHistory: 'mcpDeck.clearHistory',
  copyAsKeybinding: 'mcpDeck.copyAsKeybinding',
  copyAsLink: 'mcpDeck.copyAsLink',
  copyAsCurl: 'mcpDeck.copyAsCurl',
} as const;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/**
 * What the buttons of a view's title run, for the view as a whole: VS Code hands them the line that has the focus, as if
 * it had been chosen.
 */
export const titleCommands: Partial<Record<CommandId, CommandId>> = {
  [commandIds.runAnyTool]: commandIds.runTool,
  [commandIds.exportAnyServers]: commandIds.exportServers,
  [commandIds.openAnyConfiguration]: commandIds.openConfiguration,
  [commandIds.showAnyLog]: commandIds.showLog,
};

/** Names one server: the argument object of most commands. */
interface ServerArgument {
  server: string;
}

/** The argument object of each command that takes one; without it, a command asks. */
export interface CommandArguments extends Partial<Record<CommandId, object>> {
  'mcpDeck.startServer': ServerArgument;
  'mcpDeck.stopServer': ServerArgument;
  'mcpDeck.restartServer': ServerArgument;
  /** Restarts it under its debugger. */
  'mcpDeck.debugServer': ServerArgument & { stopAtStart?: boolean };
  /** Asks the person. */
  'mcpDeck.enableServer': ServerArgument;
  'mcpDeck.disableServer': ServerArgument;
  /** Sets fields of the entry; null takes one away. Asks the person. */
  'mcpDeck.editServer': ServerArgument & { fields: Record<string, unknown> };
  /** Returns the name of the copy. Asks the person. */
  'mcpDeck.duplicateServer': ServerArgument & { name: string };
  /** Stops it first. Returns its name in the other place. */
  'mcpDeck.moveServer': ServerArgument & { to: 'user' | 'vscode' | 'portable'; acceptLosses?: boolean };
  /** Asks the person. What is stored of it stays, unless `forget` is true: values of its inputs, and its sign-in. */
  'mcpDeck.removeServer': ServerArgument & { forget?: boolean };
  /**
   * Returns which inputs have a stored value, never the values; with `forget` those of the server, or the one input,
   * are forgotten after the person agreed.
   */
  'mcpDeck.manageStoredValues': Partial<ServerArgument> & { input?: string; forget?: boolean };
  /** By its name; null: none. Returns the name. Asks the person unless the new one is within the active one. */
  'mcpDeck.switchPreset': { preset: string | null };
  /** Asks the person. */
  'mcpDeck.enableTool': ServerArgument & { tool: string };
  'mcpDeck.disableTool': ServerArgument & { tool: string };
  /** Asks a running server for its lists again; a summary of it. */
  'mcpDeck.listAgain': ServerArgument;
  'mcpDeck.reviewTrust': ServerArgument;
  /** Shows where the sign-in leads before the browser opens, whoever asks. */
  'mcpDeck.signIn': ServerArgument;
  'mcpDeck.signOut': ServerArgument;
  /** With an argument it shows nothing and returns the accounts. */
  'mcpDeck.manageAccounts': Partial<ServerArgument>;
  'mcpDeck.forgetRegistration': ServerArgument;
  'mcpDeck.setClientId': ServerArgument;
  'mcpDeck.showSignInTrace': ServerArgument;
  'mcpDeck.showTrace': ServerArgument;
  'mcpDeck.startTrace': ServerArgument;
  'mcpDeck.stopTrace': ServerArgument;
  'mcpDeck.clearTrace': ServerArgument;
  /** Secrets are left out. Asks the person, with the whole path. */
  'mcpDeck.exportTrace': ServerArgument & { file: string };
  'mcpDeck.openTrace': { file: string };
  'mcpDeck.setSamplingPolicy': ServerArgument;
  'mcpDeck.chooseRoots': ServerArgument;
  /** A rule as in the settings, that asks or denies; `lifetime` is `session`, `workspace` or `always`. */
  'mcpDeck.addRule': { rule: object; lifetime?: string };
  'mcpDeck.reviewChange': ServerArgument & { tool: string };
  /** Only what was reviewed; asks the person. */
  'mcpDeck.acceptChange': ServerArgument & { tool: string };
  /** What concerns one server; without it all. */
  'mcpDeck.showAuditLog': Partial<ServerArgument>;
  'mcpDeck.showLog': Partial<ServerArgument>;
  /** The name of a file in `docs/`, without `.md`. */
  'mcpDeck.openDocumentation': { page: string };
  /** Returns what was found, as text; starts the server where it is approved. */
  'mcpDeck.diagnoseServer': ServerArgument;
  'mcpDeck.showServerDetails': ServerArgument;
  'mcpDeck.openConfiguration': ServerArgument;
  /**
   * Asks nobody; returns the report. Names in the file, all without `servers`; secrets move into the secret store
   * unless told to `keep`.
   */
  'mcpDeck.importServers': {
    file: string;
    app?: string;
    project?: string;
    servers?: string[];
    to?: 'user' | 'vscode' | 'portable';
    secrets?: 'move' | 'keep';
  };
  /** Asks the person: another app reads the file. Returns the report. */
  'mcpDeck.exportServers': { servers: string[]; file: string; app?: string };
  /**
   * Asks the person once for each tool, unless a rule says otherwise. Without `arguments` it asks for required ones;
   * `show` opens the result besides returning it.
   */
  'mcpDeck.runTool': ServerArgument & { tool: string; arguments?: Record<string, unknown>; show?: boolean };
  /** `arguments` replace what stands in the form. */
  'mcpDeck.openToolPanel': ServerArgument & { tool: string; arguments?: Record<string, unknown> };
  'mcpDeck.readResource': ServerArgument & { uri: string };
  /**
   * Returns the path of the file. Asks the person, with the whole path. Without `replace` a file that is there stays.
   */
  'mcpDeck.saveResource': ServerArgument & { uri: string; folder: string; replace?: boolean };
  'mcpDeck.compareResource': ServerArgument & { uri: string; file: string };
  'mcpDeck.pinResource': ServerArgument & { uri: string };
  'mcpDeck.unpinResource': ServerArgument & { uri: string };
  /** The address of its `SKILL.md`, listed or not; returns what the server says of it and the verified text. */
  'mcpDeck.openSkill': ServerArgument & { uri: string };
  'mcpDeck.getPrompt': ServerArgument & { prompt: string; arguments?: Record<string, string> };
  'mcpDeck.openResult': { result: string };
  /** A favorite by its name, or a run by its id. */
  'mcpDeck.runAgain': { favourite: string } | { run: string };
  'mcpDeck.editRun': { favourite: string } | { run: string };
  'mcpDeck.copyAsKeybinding': { favourite: string } | { run: string };
  'mcpDeck.copyAsLink': { favourite: string } | { run: string };
  'mcpDeck.copyAsCurl': { favourite: string } | { run: string };
  'mcpDeck.openRun': { run: string };
  'mcpDeck.renameFavourite': { favourite: string; name: string };
  'mcpDeck.removeRun': { favourite: string } | { run: string };
}

/** Settings and the type of their values; times are in seconds, as people write them. */
export interface SettingTypes {
  'mcpDeck.servers': Record<string, unknown>;
  'mcpDeck.inputs': readonly unknown[];
  'mcpDeck.autoStart': AutoStart;
  'mcpDeck.requestTimeout': number;
  'mcpDeck.startTimeout': number;
  'mcpDeck.stopGrace': number;
  'mcpDeck.restartOnCrash': boolean;
  'mcpDeck.trace': TraceSetting;
  'mcpDeck.builtInServer.enabled': boolean;
  'mcpDeck.rules': readonly object[];
  'mcpDeck.believedServers': readonly string[];
  'mcpDeck.sampling': Record<string, unknown>;
  'mcpDeck.limits.maxMessageBytes': number;
  'mcpDeck.limits.maxResourceBytes': number;
}

export type SettingKey = keyof SettingTypes;

/** The defaults of `package.json`, for a value of the wrong type. */
export const settingDefaults: Readonly<SettingTypes> = {
  'mcpDeck.servers': {},
  'mcpDeck.inputs': [],
  'mcpDeck.autoStart': 'lastRunning',
  'mcpDeck.requestTimeout': 60,
  'mcpDeck.startTimeout': 60,
  'mcpDeck.stopGrace': 2,
  'mcpDeck.restartOnCrash': true,
  'mcpDeck.trace': 'off',
  'mcpDeck.builtInServer.enabled': true,
  'mcpDeck.rules': [],
  'mcpDeck.believedServers': [],
  'mcpDeck.sampling': {},
  'mcpDeck.limits.maxMessageBytes': 67_108_864,
  'mcpDeck.limits.maxResourceBytes': 33_554_432,
};

/** What the Servers view has to say; decides which welcome content shows. */
export type ServersState = 'none' | 'untrusted' | 'stopped' | 'running';

export type TraceState = 'none' | 'capturing' | 'stopped' | 'file';

/** Context keys and the type of their values, for `when` clauses. */
export interface ContextKeys {
  'mcpDeck.serversState': ServersState;
  /** A server waits for an answer of the user. */
  'mcpDeck.hasRequests': boolean;
  /** What the Trace view shows: nothing, a server that is captured now or not, or a file. */
  'mcpDeck.traceState': TraceState;
}

export type ContextKey = keyof ContextKeys;

export const contextKeys: readonly ContextKey[] = ['mcpDeck.serversState', 'mcpDeck.hasRequests', 'mcpDeck.traceState'];

export const containerId = 'mcpDeck';

export const viewIds = {
  servers: 'mcpDeck.servers',
  runs: 'mcpDeck.runs',
  requests: 'mcpDeck.requests',
  rules: 'mcpDeck.rules',
} as const;

export const traceContainerId = 'mcpDeckTrace';

/** The view in the bottom panel. */
export const traceViewId = 'mcpDeck.traceView';

/** The type of tasks that run a tool. */
export const taskType = 'mcpDeck';

/** The scheme of resources in editors; an activation event names it. */
export const resourceScheme = 'mcpdeck';

/** The chat participant `@deck`. */
export const participantId = 'mcpDeck.deck';

/** Editors of ours that are web pages; VS Code brings them back by these names. */
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
 * The editor that shows an app. It lives as long as its tab: what an app knows is its own, so there is nothing to
 * bring back.
 */
export const appPanelType = 'mcpDeck.app';

/** The scheme of documents that belong to a request: in memory, editable, gone with it. */
export const requestScheme = 'mcpdeck-request';

/** The files that servers are read from, in each workspace folder. */
export const configurationFileNames = { vscode: '.vscode/mcp.json', portable: '.mcp.json' } as const;

export type ConfigurationFileKind = keyof typeof configurationFileNames;
