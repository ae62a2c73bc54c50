import type { CallOptions } from '../core/catalog/hostTypes.js';
import type { ServerSummary } from '../core/present/server/serverSummary.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../core/protocol/mcp.js';
import type { CommandArguments } from './manifest.js';

/**
 * The API that `activate()` returns for other extensions:
 * `vscode.extensions.getExtension('mcp-deck.mcp-deck')?.exports`. Results are the plain protocol results. The methods
 * never bypass an approval. They do not ask the user, except that a call of a tool waits for the user's approval if a
 * rule requires it. If a server waits for approval, a method rejects with the code `not-trusted`. If an input value is
 * missing, it rejects with `needs-input`. Other failures have a `code` as well.
 */
export interface DeckApi {
  /** Increases when members are added. The major version of the extension changes when members are removed. */
  readonly apiVersion: 1;
  listServers(): Promise<ServerSummary[]>;
  /** Resolves when the server runs and its lists have been read. */
  startServer(call: CommandArguments['mcpDeck.startServer']): Promise<ServerSummary>;
  /** Resolves when the process of the server has ended. */
  stopServer(call: CommandArguments['mcpDeck.stopServer']): Promise<ServerSummary>;
  restartServer(call: CommandArguments['mcpDeck.restartServer']): Promise<ServerSummary>;
  /** Starts the server if it is stopped. */
  runTool(call: CommandArguments['mcpDeck.runTool'], options?: CallOptions): Promise<CallToolResult>;
  readResource(call: CommandArguments['mcpDeck.readResource'], options?: CallOptions): Promise<ReadResourceResult>;
  getPrompt(call: CommandArguments['mcpDeck.getPrompt'], options?: CallOptions): Promise<GetPromptResult>;
  /** The Servers view as indented text, for tests and problem reports. */
  drawServers(): Promise<string>;
  /** The Runs view in the same format. */
  drawRuns(): Promise<string>;
}

/** The API that is available before the extension is fully loaded. The first call loads the extension. */
export function lazyApi(load: () => Promise<{ readonly api: DeckApi }>): DeckApi {
  return {
    apiVersion: 1,
    listServers: async () => (await load()).api.listServers(),
    startServer: async (call) => (await load()).api.startServer(call),
    stopServer: async (call) => (await load()).api.stopServer(call),
    restartServer: async (call) => (await load()).api.restartServer(call),
    runTool: async (call, options) => (await load()).api.runTool(call, options),
    readResource: async (call, options) => (await load()).api.readResource(call, options),
    getPrompt: async (call, options) => (await load()).api.getPrompt(call, options),
    drawServers: async () => (await load()).api.drawServers(),
    drawRuns: async () => (await load()).api.drawRuns(),
  };
}
