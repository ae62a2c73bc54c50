/**
 * The shipped core, as `run.mjs` uses it: connects, lists and checks everything, makes one call, closes. Bundled by
 * `run.mjs`.
 */
import { schemaForm } from '../../src/core/present/form/schemaForm.js';
import type { CallToolResult, JsonSchema, Tool } from '../../src/core/protocol/mcp.js';
import { SchemaValidator } from '../../src/core/schema/schemaValidator.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import { openRemote } from '../../src/core/transport/remoteTransport.js';
import { StdioTransport } from '../../src/core/transport/stdio/stdioTransport.js';

export interface Visit {
  server:
    | { command: string; args: string[]; env: Record<string, string>; cwd: string }
    | { type: 'http' | 'sse' | 'ws'; url: string; headers: Record<string, string> };
  call: { tool: string; arguments: Record<string, unknown> };
}

export interface Findings {
  info: string;
  revision: string;
  counts: { tools: number; resources: number; templates: number; prompts: number };
  /** A short form of the call's result. */
  call: string;
  /** Parts of the server's features that we could not handle. */
  problems: string[];
  warnings: string[];
  startMs: number;
  closeMs: number;
}

/** Rejects when the server does not start or fails the handshake; a refused call or list is a finding. */
export async function visit({ server, call }: Visit): Promise<Findings> {
  const warnings: string[] = [];
  const problems: string[] = [];
  const validator = new SchemaValidator();
  const begin = performance.now();
  const session = await McpSession.open(() => ('command' in server ? new StdioTransport(server) : openRemote(server)), {
    client: { name: 'mcp-deck-corpus', version: '1.0.0' },
    handlers: { roots: () => [], elicit: () => Promise.resolve({ action: 'decline' }) },
    listener: { onWarning: (line) => void warnings.push(line) },
    checkOutput: (schema, value) =>
      validator.check(schema, value).problems.map(({ path, message }) => `${path} ${message}`),
    startTimeoutMs: 60_000,
  });
  const startMs = performance.now() - begin;
  try {
    const listed = <T>(what: string, work: Promise<{ items: T[] }>) =>
      work.then(
        ({ items }) => items,
        (error: Error) => (warnings.push(`${what}: ${error.message}`), [] as T[]),
      );
    const [tools, resources, templates, prompts] = await Promise.all([
      listed('tools', session.listTools()),
      listed('resources', session.listResources()),
      listed('templates', session.listResourceTemplates()),
      listed('prompts', session.listPrompts()),
    ]);
    problems.push(...tools.flatMap((tool) => schemaProblems(tool, validator)));
    const onOutputProblems = (found: string[]) =>
      void problems.push(`the result does not fit the output schema: ${found[0]}`);
    const result = await session
      .callTool(call.tool, call.arguments, { timeoutMs: 60_000, onOutputProblems })
      .then(inShort, (error: Error) => `error: ${error.message}`);
    const { info, revision } = session.identity;
    const closing = performance.now();
    await session.close();
    return {
      info: `${info.name} ${info.version}`,
      revision,
      counts: {
        tools: tools.length,
        resources: resources.length,
        templates: templates.length,
        prompts: prompts.length,
      },
      call: result,
      problems,
      warnings,
      startMs,
      closeMs: performance.now() - closing,
    };
  } finally {
    await session.close();
  }
}

/** Checks that the arguments of every tool can be validated and filled in by a form. */
function schemaProblems({ name, inputSchema, outputSchema }: Tool, validator: SchemaValidator): string[] {
  const refused = (what: string, schema: JsonSchema | undefined) => {
    const refusal = schema && validator.compile(schema).refusal;
    return refusal === undefined ? [] : [`${what} of ${name}: ${refusal}`];
  };
  schemaForm(inputSchema);
  return [...refused('arguments', inputSchema), ...refused('output', outputSchema)];
}

function inShort({ content, isError }: CallToolResult): string {
  const [first] = content;
  const text = first && 'text' in first ? String(first.text) : `<${first?.type ?? 'nothing'}>`;
  return `${isError ? 'isError: ' : ''}${text}`;
}
