import type { Log } from '../../../base/log.js';
import type { ToolCall, ToolCallOptions } from '../../../catalog/hostTypes.js';
import type { HostApi } from '../../../host/hostApi.js';
import type { ServerDefinition } from '../../../config/serverDefinition.js';
import type { CallToolResult, Implementation } from '../../../protocol/mcp.js';
import type { Validate } from '../../../serving/serverMethods.js';
import type { SuiteRun } from './runSuite.js';
import { runSuite } from './runSuite.js';
import type { ScenarioResult } from './suiteResults.js';

/** What `openFront` needs to offer the server to the suite at a URL. */
interface FrontOptions {
  /** The host of the server, without other servers that may start. */
  host: Pick<HostApi, 'servers' | 'calls' | 'lifecycle'>;
  /** The name and version that MCP Deck sends to the suite. */
  info: Implementation;
  log: Log;
  /** Checks the arguments of tools. */
  validate: Validate;
}

export interface SuiteOnServer extends Omit<SuiteRun, 'url'>, FrontOptions {
  /** The ID of the running server. */
  server: string;
  /** Opens a URL for the server, which is served until `close` is called. */
  openFront: (
    options: FrontOptions & { runTool: (call: ToolCall, options: ToolCallOptions) => Promise<CallToolResult> },
  ) => Promise<{ url: string; close(): Promise<void> }>;
}

/**
 * Runs the official server suite against a running server. The suite connects by URL. For a server that it cannot reach
 * itself, a URL of MCP Deck is opened, which exists only during the run. Rejects like `runSuite`.
 */
export async function runSuiteOnServer({
  host,
  server,
  openFront,
  info,
  log,
  validate,
  ...run
}: SuiteOnServer): Promise<ScenarioResult[]> {
  const definition = host.servers.get(server)?.entry.definition;
  const url = definition && directSuiteUrl(definition);
  if (url !== undefined) return runSuite({ ...run, url });
  // The calls of the suite are calls of a script that the user has agreed to.
  const front = await openFront({
    host,
    info,
    log,
    validate,
    runTool: (call, options) => host.calls.runTool(call, { ...options, caller: 'script', isApi: true }),
  });
  try {
    return await runSuite({ ...run, url: front.url });
  } finally {
    await front.close();
  }
}

/**
 * The URL of a server that the suite can connect to itself: unencrypted HTTP, without headers and variables. Rules do
 * not apply to these calls. Undefined for all other servers: the suite connects to a URL of MCP Deck.
 */
export function directSuiteUrl(definition: ServerDefinition): string | undefined {
  if (definition.type !== 'http' && definition.type !== 'auto') return undefined;
  const isPlain = /^http:\/\/[^$]*$/.test(definition.url) && Object.keys(definition.headers).length === 0;
  return isPlain ? definition.url : undefined;
}
