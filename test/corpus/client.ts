/** The shipped core, as `run.mjs` drives it: one connection, everything listed, one call, closed. Bundled by `run.mjs`. */
import type { CallToolResult } from '../../src/core/protocol/mcp.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import { StdioTransport } from '../../src/core/transport/stdioTransport.js';

export interface Visit {
  server: { command: string; args: string[]; env: Record<string, string>; cwd: string };
  call: { tool: string; arguments: Record<string, unknown> };
}

export interface Findings {
  info: string;
  revision: string;
  counts: { tools: number; resources: number; prompts: number };
  /** What the call brought, in short. */
  call: string;
  warnings: string[];
  startMs: number;
  closeMs: number;
}

/** Rejects when the server does not start or does not shake hands; a refused call is a finding. */
export async function visit({ server, call }: Visit): Promise<Findings> {
  const warnings: string[] = [];
  const begin = performance.now();
  const session = await McpSession.open(() => new StdioTransport(server), {
    client: { name: 'mcp-deck-corpus', version: '1.0.0' },
    handlers: { roots: () => [], elicit: () => Promise.resolve({ action: 'decline' }) },
    listener: { onWarning: (line) => void warnings.push(line) },
    startTimeoutMs: 60_000,
  });
  const startMs = performance.now() - begin;
  try {
    const [tools, resources, prompts] = [await session.listTools(), await session.listResources(), await session.listPrompts()];
    const told = await session.callTool(call.tool, call.arguments, { timeoutMs: 30_000 }).then(inShort, (error: Error) => `error: ${error.message}`);
    const { info, revision } = session.identity;
    const closing = performance.now();
    await session.close();
    return {
      info: `${info.name} ${info.version}`,
      revision,
      counts: { tools: tools.items.length, resources: resources.items.length, prompts: prompts.items.length },
      call: told,
      warnings,
      startMs,
      closeMs: performance.now() - closing,
    };
  } finally {
    await session.close();
  }
}

function inShort({ content, isError }: CallToolResult): string {
  const [first] = content;
  const text = first && 'text' in first ? String(first.text) : `<${first?.type ?? 'nothing'}>`;
  return `${isError ? 'isError: ' : ''}${text}`;
}
