import * as vscode from 'vscode';
import { isObject } from '../../core/base/guards.js';
import { HostError } from '../../core/base/hostError.js';
import type { CallOptions, ToolCallOptions } from '../../core/catalog/hostTypes.js';
import type { HostApi } from '../../core/host/hostApi.js';
import type { ServerSummary } from '../../core/present/server/serverSummary.js';
import { summarizeServer } from '../../core/present/server/serverSummary.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult, Tool } from '../../core/protocol/mcp.js';
import type { SchemaChecks } from './schemaChecks.js';
import { namedServer } from './chooseServer.js';
import type { ArgumentObject } from './invocation.js';

/**
 * The operations for scripts, keybindings, tasks, and other extensions. They show nothing and return the plain protocol
 * result. They start the server if it is not running, which fails if the server needs approval. They ask no questions
 * of their own, but a call of a tool can wait for the user's approval.
 */
export class ScriptCalls {
  constructor(
    private readonly host: Pick<HostApi, 'servers' | 'lifecycle' | 'calls'>,
    private readonly schemas: SchemaChecks,
  ) {}

  listServers(): ServerSummary[] {
    return this.host.servers.list().map(summarizeServer);
  }

  /** The argument object is `{ server, tool, arguments? }`. */
  async runTool(call: ArgumentObject<'runTool'>, options: ToolCallOptions): Promise<CallToolResult> {
    const { server, tool, arguments: values } = await this.readyToRun(call);
    return this.host.calls.runTool({ server, tool: tool.name, arguments: values }, options);
  }

  /** The arguments for `runTool`, after the server has started and the arguments were checked. */
  async readyToRun(
    call: ArgumentObject<'runTool'>,
  ): Promise<{ server: string; tool: Tool; arguments: Record<string, unknown> }> {
    const server = await this.running(call.server);
    const name = requiredText(call, 'tool', '{ "server": "name", "tool": "name", "arguments": {} }');
    const values = argumentsOf(call);
    const tool = await this.host.calls.findTool(server, name);
    await this.schemas.checkArguments(tool, values);
    return { server, tool, arguments: values };
  }

  /** The argument object is `{ server, uri }`. */
  async readResource(call: ArgumentObject<'readResource'>, options?: CallOptions): Promise<ReadResourceResult> {
    const server = await this.running(call.server);
    return this.host.calls.readResource(
      { server, uri: requiredText(call, 'uri', '{ "server": "name", "uri": "file:///…" }') },
      options,
    );
  }

  /** The argument object is `{ server, prompt, arguments? }`. The argument values are strings. */
  async getPrompt(call: ArgumentObject<'getPrompt'>, options?: CallOptions): Promise<GetPromptResult> {
    const server = await this.running(call.server);
    const prompt = requiredText(call, 'prompt', '{ "server": "name", "prompt": "name", "arguments": {} }');
    const values = argumentsOf(call);
    const texts: Record<string, string> = {};
    for (const [key, value] of Object.entries(values)) {
      if (typeof value !== 'string')
        throw invalid(vscode.l10n.t('The argument "{0}" of a prompt must be a string.', key));
      texts[key] = value;
    }
    return this.host.calls.getPrompt({ server, prompt, arguments: texts }, options);
  }

  /** Returns the ID of the named server. Starts the server if it is stopped. */
  async running(id: unknown): Promise<string> {
    const view = namedServer(this.host.servers, id);
    if (view.state.kind !== 'running') await this.host.lifecycle.start(view.id, { interactive: false });
    return view.id;
  }
}

/** Returns a required string of the argument object. Throws if it is missing. */
export function requiredText<Name extends string>(
  call: { readonly [Field in Name]?: unknown },
  key: Name,
  example: string,
): string {
  const value: unknown = call[key];
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(vscode.l10n.t('The argument object must contain "{0}" (a string).', key), example);
}

function argumentsOf(call: { readonly arguments?: unknown }): Record<string, unknown> {
  const values = call.arguments ?? {};
  if (isObject(values)) return values;
  throw invalid(vscode.l10n.t('"arguments" must be an object.'), '{ "arguments": { "name": "value" } }');
}

function invalid(message: string, example?: string): HostError {
  return new HostError(
    'invalid-arguments',
    message,
    example === undefined ? {} : { hint: vscode.l10n.t('Pass an object such as {0}.', example) },
  );
}
