/** The answers of the door itself: the handshake of both eras, and the answers while no window is open. */
import type { Implementation } from '../../core/protocol/mcp.js';
import { listMembers, metaKeys } from '../../core/protocol/mcp.js';
import type { RequestId } from '../../core/protocol/jsonRpc.js';
import { ErrorCode } from '../../core/protocol/jsonRpc.js';
import type { Revision } from '../../core/protocol/revisions.js';
import { isAtLeast, modernRevisions } from '../../core/protocol/revisions.js';

type Params = Record<string, unknown>;

/** The methods that act on servers or return their content. They need a window. */
const needingWindow = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete']);

/** Whether a request with this method fails while no window is open. */
export function needsWindow(method: string): boolean {
  return needingWindow.has(method);
}

/** The capabilities of the gateway, which are the same with and without a window. */
function capabilities(revision: Revision): Params {
  return {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    ...(isAtLeast(revision, '2025-03-26') ? { completions: {} } : {}),
  };
}

/**
 * The instructions for a client that starts while no window is open.
 * @param advice why there is no window, and what the user can do. Failed calls return the same text.
 */
export function absentInstructions(advice: string): string {
  return `The tools of MCP Deck cannot be called now. Tell the user: ${advice} After that, the tools can be called without a restart of the agent.`;
}

/** The line with the result of a request. */
export function resultLine(id: RequestId, result: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** The line with the error of a request; `id` is null if the request has none. */
export function errorLine(id: RequestId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  });
}

/** Adds the fields that 2026-07-28 requires in every complete result. */
export function modernResult(info: Implementation, result: Params, isCacheable = false): Params {
  return {
    resultType: 'complete',
    ...result,
    ...(isCacheable ? { ttlMs: 0, cacheScope: 'private' } : {}),
    _meta: { [metaKeys.serverInfo]: info },
  };
}

/**
 * The result of `server/discover`.
 * @param info the name and version of MCP Deck.
 * @param instructions the text for the model of the client.
 */
export function discoverResult(info: Implementation, instructions: string): Params {
  const [revision] = modernRevisions;
  return modernResult(
    info,
    { supportedVersions: modernRevisions, capabilities: capabilities(revision), instructions },
    true,
  );
}

/**
 * The result of `initialize`.
 * @param info the name and version of MCP Deck.
 * @param revision the negotiated revision.
 * @param instructions the text for the model of the client.
 */
export function initializeResult(info: Implementation, revision: Revision, instructions: string): Params {
  return {
    protocolVersion: revision,
    capabilities: capabilities(revision),
    serverInfo: info,
    instructions,
  };
}

/**
 * The line for a request that failed because there is no window. For a tool call, the text is in the result and not in
 * an error, because models read results.
 */
export function failureLine(
  { id, method, isModern }: { id: RequestId; method: string; isModern: boolean },
  info: Implementation,
  text: string,
): string {
  if (method !== 'tools/call') return errorLine(id, ErrorCode.internalError, text);
  const result = { content: [{ type: 'text', text }], isError: true };
  return resultLine(id, isModern ? modernResult(info, result) : result);
}

/** Whether the door can answer the method while no window is open: with a list, or with the reason of the failure. */
export function isKnownMethod(method: string): boolean {
  return needsWindow(method) || Object.hasOwn(listMembers, method);
}
