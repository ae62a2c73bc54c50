import type { CallOptions } from '../core/catalog/hostApi.js';
import type { ServerSummary } from '../core/present/server/serverSummary.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../core/protocol/mcp.js';
import type { CommandArguments } from './manifest.js';

/**
 * What `activate()` returns, for other extensions: `vscode.extensions.getExtension('mcp-deck.mcp-deck')?.exports`.
 * Results are the plain protocol results. Nobody is asked and trust is never bypassed: a server that waits for the
 * user's approval rejects with code `not-trusted`, one that lacks a value with `needs-input`. Other failures carry a `code` as well.
 */
export interface DeckApi {
  /** Grows when something is added; the first digit of our version says when something is taken away. */
  readonly apiVersion: 1;
  listServers(): Promise<ServerSummary[]>;
  /** Resolves when the server runs and its lists are read. */
  startServer(call: CommandArguments['mcpDeck.startServer']): Promise<ServerSummary>;
  /** Resolves when no process of it is left. */
  stopServer(call: CommandArguments['mcpDeck.stopServer']): Promise<ServerSummary>;
  restartServer(call: CommandArguments['mcpDeck.restartServer']): Promise<ServerSummary>;
  /** Starts the server when it is stopped. */
  runTool(call: CommandArguments['mcpDeck.runTool'], options?: CallOptions): Promise<CallToolResult>;
  readResource(call: CommandArguments['mcpDeck.readResource'], options?: CallOptions): Promise<ReadResourceResult>;
  getPrompt(call: CommandArguments['mcpDeck.getPrompt'], options?: CallOptions): Promise<GetPromptResult>;
  /** The Servers view as indented text, for tests and problem reports. */
  drawServers(): Promise<string>;
  /** The same of the Runs view. */
  drawRuns(): Promise<string>;
}

/** The API before the deck is there: the first call loads it. */
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
