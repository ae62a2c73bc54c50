import path from 'node:path';
import { deckExtension } from '../support/host.js';
import type { Passed, Way } from './ways.js';

/**
 * One row for each command that `package.json` contributes: its arguments, and the ways of calling it in which it asks
 * first. In all other ways it must not widen anything or act for the user; the suite checks this.
 */
export interface Row extends Partial<Passed> {
  asks?: readonly Way[];
}

const bank = { server: 'bank' };
const tool = { ...bank, tool: 'whisper' };
const toolLine = { view: 'mcpDeck.servers', id: 'server/bank/tool/whisper' };
const serverLine = (id: string) => ({ view: 'mcpDeck.servers', id: `server/${id}` });
const withArguments: readonly Way[] = ['keybinding', 'runCommands', 'other extension'];
const always: readonly Way[] = ['palette', ...withArguments, 'revived address', 'revived line', 'focused line'];
const hosts = path.join(deckExtension().extensionPath, 'test', 'fixtures', 'hosts');
/** Commands that show, copy, pick from a list, or remove something. */
const harmless: Row = {};
const onSpare: Row = {
  args: { server: 'spare' },
  line: serverLine('spare'),
  address: { scheme: 'mcpdeck', path: '/spare/demo/x' },
};
/** Uses a server that does not exist, because the real command would end the window. */
const onUnknownServer: Row = { args: { server: 'no-such-server' }, line: serverLine('no-such-server') };

export const table: Record<string, Row> = {
  // Calls of tools.
  // A line opens the panel of the tool, whose button proves that the user runs it.
  runTool: { args: tool, line: toolLine, asks: withArguments },
  runAnyTool: harmless,
  runLastTool: { args: { any: 1 }, asks: always },
  runAgain: { args: { favourite: 'Kept' }, line: toolLine, asks: [...withArguments, 'revived line'] },
  runWithLastArguments: { args: tool, line: toolLine, asks: [...withArguments, 'revived line'] },
  openToolPanel: { args: tool, line: toolLine },
  showSchema: { args: tool, line: toolLine },
  editRun: { args: { favourite: 'Kept' }, line: toolLine },
  // Commands that widen permissions.
  enableServer: {
    args: { server: 'off' },
    line: serverLine('off'),
    address: { scheme: 'mcpdeck', path: '/off/demo/x' },
    asks: [...withArguments, 'revived line', 'revived address'],
  },
  enableBuiltInServer: { asks: always },
  enableTool: {
    args: { ...bank, tool: 'remove' },
    line: { view: 'mcpDeck.servers', id: 'server/bank/tool/remove' },
    asks: [...withArguments, 'revived line'],
  },
  switchPreset: { args: { preset: null } },
  removeRule: {
    args: { rule: 'always:0' },
    line: { view: 'mcpDeck.rules', id: 'rule/always/0/deny "nuke" of any server' },
    asks: [...withArguments, 'revived line', 'focused line'],
  },
  resetApprovals: { asks: always },
  reviewChange: { args: { ...bank, tool: 'lookup' }, line: { view: 'mcpDeck.servers', id: 'server/bank/tool/lookup' } },
  acceptChange: {
    args: { ...bank, tool: 'lookup' },
    line: { view: 'mcpDeck.servers', id: 'server/bank/tool/lookup' },
    address: {
      scheme: 'mcpdeck-consent',
      path: '/x',
      query: JSON.stringify({ server: 'bank', tool: 'lookup', token: 'guessed' }),
    },
    asks: ['palette', ...withArguments, 'revived address', 'revived line'],
  },
  addRule: { args: { rule: { effect: 'allow' } } },
  addToolRule: { args: tool, line: toolLine },
  setSamplingPolicy: { args: bank, line: serverLine('bank') },
  chooseRoots: { args: bank, line: serverLine('bank') },
  // Definitions and files.
  editServer: {
    args: { server: 'spare', fields: { env: { A: 'b' } } },
    line: serverLine('spare'),
    asks: withArguments,
  },
  duplicateServer: { args: { server: 'spare', name: 'twin' }, line: serverLine('spare'), asks: withArguments },
  moveServer: {
    args: { server: 'spare', to: 'vscode', acceptLosses: true },
    line: serverLine('spare'),
    asks: withArguments,
  },
  removeServer: {
    ...onSpare,
    args: { server: 'spare', forget: true },
    asks: [...withArguments, 'revived line', 'revived address'],
  },
  importServers: {
    args: { file: path.join(hosts, 'claude_desktop_config.json'), to: 'portable', secrets: 'keep' },
    asks: withArguments,
  },
  exportServers: {
    args: { servers: ['spare'], file: '/tmp/mcp-deck-callers/mcp.json', app: 'cursor' },
    asks: withArguments,
  },
  exportAnyServers: harmless,
  exportTrace: { args: { ...bank, file: '/tmp/mcp-deck-callers/trace.json' }, asks: withArguments },
  saveResource: { args: { ...bank, uri: 'a://b', folder: '/tmp' } },
  setSecret: onUnknownServer,
  manageStoredValues: { args: { server: 'spare', forget: true } },
  // The gateway, which is off.
  startGateway: { asks: always },
  stopGateway: harmless,
  connectAgent: { args: { app: 'junie' }, asks: withArguments },
  copyGatewayConfiguration: harmless,
  rotateGatewayToken: harmless,
  reviewAgentTexts: harmless,
  switchVsCodeServers: { asks: always },
  forgetAgent: { args: { agent: 'none' } },
  // Requests, when none is waiting; for waiting requests see the suite `requests`.
  answerRequest: { args: { request: 'request-999' } },
  declineRequest: { args: { request: 'request-999' } },
  dismissRequest: { args: { request: 'request-999' } },
  declineAllRequests: { args: { request: 'request-999' } },
  // Commands that remove something, tried on a server that no other test uses.
  disableServer: onSpare,
  disableTool: { args: { server: 'spare', tool: 'echo' }, line: serverLine('spare') },
  removeRun: { args: { favourite: 'none' } },
  renameFavourite: { args: { favourite: 'none', name: 'x' } },
  clearHistory: { asks: always },
  showRuns: harmless,
  resetTrust: harmless,
  signOut: onSpare,
  forgetRegistration: onSpare,
  // Other commands: they show or copy something, or start and stop servers that the user configured.
  addServer: harmless,
  findServer: harmless,
  updateServer: onUnknownServer,
  installBundle: { args: { file: '/no/such/file.mcpb' } },
  connectToUrl: harmless,
  runServerCommand: harmless,
  keepServer: onSpare,
  startServer: onSpare,
  stopServer: onSpare,
  restartServer: onSpare,
  debugServer: onUnknownServer,
  startAllServers: harmless,
  stopAllServers: harmless,
  refreshServers: harmless,
  showLog: { args: bank, line: serverLine('bank') },
  showAnyLog: harmless,
  openDocumentation: { args: { page: 'trace' } },
  diagnoseServer: onUnknownServer,
  checkServer: { args: bank, line: serverLine('bank') },
  recordServer: onUnknownServer,
  stopRecording: { args: { server: 'no-such-server', file: '/no/such/file.jsonl' } },
  startMock: { args: { file: '/no/such/file.jsonl' } },
  compareRecording: {
    args: { server: 'no-such-server', file: '/no/such/file.jsonl' },
    line: serverLine('no-such-server'),
  },
  listAgain: { args: bank, line: serverLine('bank') },
  showServerDetails: { args: bank, line: serverLine('bank') },
  copyName: { line: serverLine('bank') },
  copyServerJson: { args: bank, line: serverLine('bank') },
  copyServerLine: { args: bank, line: serverLine('bank') },
  showTrace: { args: bank, line: serverLine('bank') },
  startTrace: { args: bank },
  stopTrace: onSpare,
  chooseTraceServer: harmless,
  clearTrace: onSpare,
  openTrace: { args: { file: '/no/such/file.json' } },
  openConfiguration: { args: bank, line: serverLine('bank') },
  openAnyConfiguration: harmless,
  showMenu: harmless,
  reviewTrust: onSpare,
  showRules: harmless,
  openRule: { args: { rule: 'always:0' } },
  showAuditLog: { args: bank, line: serverLine('bank') },
  signIn: onUnknownServer,
  manageAccounts: onSpare,
  setClientId: onUnknownServer,
  showSignInTrace: onUnknownServer,
  listServers: harmless,
  readResource: { args: { ...bank, uri: 'a://b' } },
  openResourceToSide: harmless,
  refreshResource: harmless,
  compareResource: { args: { ...bank, uri: 'a://b', file: '/no/such/file' } },
  pinResource: { args: { server: 'no-such-server', uri: 'a://b' }, address: { scheme: 'mcpdeck', path: '/' } },
  unpinResource: { args: { ...bank, uri: 'a://b' } },
  copyResourceUri: harmless,
  openSkill: { args: { ...bank, uri: 'a://SKILL.md' } },
  sendSkillToChat: harmless,
  getPrompt: { args: { ...bank, prompt: 'none' } },
  openMessages: harmless,
  insertMessages: harmless,
  copyMessages: harmless,
  sendMessagesToChat: harmless,
  openResult: { args: { result: 'none' } },
  openRun: { args: { run: 'none' } },
  filterRuns: { args: { words: '' } },
  clearRunFilter: harmless,
  compareRuns: { args: { run: 'none' } },
  addFavourite: { args: { favourite: 'none' } },
  copyAsKeybinding: { args: { favourite: 'none' } },
  copyAsLink: { args: { favourite: 'none' } },
  copyAsCode: { args: { favourite: 'none', format: 'cli' } },
  saveAsTest: { args: { run: 'none' } },
  updateSnapshot: harmless,
};
