import { isObject, isStringArray } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import type { CallToolResult } from '../protocol/mcp.js';

/**
 * The result and the problems that an error contains, if the tool responded but its structured content does not match
 * its output schema (MCP 2025-11-25, server/tools, output schema). Undefined for every other error.
 */
export function outputMisfit(error: unknown): { result: CallToolResult; problems: string[] } | undefined {
  if (!(error instanceof HostError) || error.code !== 'invalid-message') return undefined;
  const { result, problems } = error.data;
  return isObject(result) && Array.isArray(result['content']) && isStringArray(problems)
    ? { result: result as unknown as CallToolResult, problems }
    : undefined;
}
