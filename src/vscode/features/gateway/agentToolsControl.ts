import * as vscode from 'vscode';
import { contentsParts, resultParts } from '../../../core/chat/agentParts.js';
import type { CallToolResult } from '../../../core/protocol/mcp.js';
import type { CallOptions, ServerView, ToolCallOptions } from '../../../core/catalog/hostTypes.js';
import type { AgentTools } from '../../../core/gateway/agentTools.js';
import { isObject } from '../../../core/base/guards.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { canonicalJson } from '../../../core/base/jsonText.js';
import { callConfirmation } from '../../../core/present/questions/callQuestion.js';
import { failedServer, failureLogLine } from '../../../core/present/failure/failureText.js';
import { ProtocolError } from '../../../core/protocol/jsonRpc.js';
import type { LanguageModelToolName } from '../../manifest.js';
import { calledServer } from '../../ui/configuredServers.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { ToolPart } from './toolParts.js';
import { jsonParts, toolParts } from './toolParts.js';

type Input = Record<string, unknown>;
type Services = Pick<ExtensionServices, 'consent' | 'host' | 'settings'>;

/** Maximum number of confirmations that are remembered until their call. */
const maxConfirmed = 100;

/** The language model tools of MCP Deck, with which VS Code's own agent finds and calls the tools of servers. */
export class AgentToolsControl {
  /** The numbers of calls that VS Code asks the user about and that have not begun, by the input of the calls. */
  private readonly confirmed = new Map<string, number>();

  constructor(
    private readonly services: () => Services,
    private readonly tools: () => Promise<AgentTools>,
  ) {}

  /**
   * The text that VS Code shows during a call, and the question that VS Code asks if the call needs one. If a rule
   * asks, MCP Deck asks the question instead.
   */
  async prepare(name: LanguageModelToolName, input: unknown): Promise<vscode.PreparedToolInvocation | undefined> {
    if (name !== 'mcpDeck_callTool' || !this.isOn || !isObject(input)) return undefined;
    const { host, consent } = this.services();
    const tools = await this.ready();
    const target = await tools.peek(String(input['name']));
    if (!target) {
      // The call itself reports the unknown name. If a server lists the tool again before the call, the call must not
      // use an earlier confirmation.
      this.remember(input, false);
      return undefined;
    }
    const { server, name: tool, item } = target;
    const view = host.servers.get(server);
    const values = argumentsOf(input);
    const texts = callConfirmation({ server, tool: { ...item, name: tool }, arguments: values });
    const { title, message, progress } = texts;
    const listed = view?.features?.tools.find((one) => one.name === tool);
    // If the server is not running, VS Code does not ask. MCP Deck checks the call and asks when the server has
    // started.
    const isAsking =
      view !== undefined &&
      listed !== undefined &&
      consent.calls.questionAbout({
        server: calledServer(view),
        tool: listed,
        isListed: true,
        arguments: values,
        caller: 'agent',
        client: this.client,
      }) === 'default';
    this.remember(input, isAsking);
    return {
      invocationMessage: progress,
      ...(isAsking ? { confirmationMessages: { title, message: new vscode.MarkdownString(message) } } : {}),
    };
  }

  async invoke(
    name: LanguageModelToolName,
    input: unknown,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    if (!this.isOn)
      throw new Error('The user has turned off the tools of MCP Deck for this agent (setting mcpDeck.vsCodeAgent).');
    const end = new AbortController();
    const listener = token.onCancellationRequested(() => end.abort(new HostError('cancelled', 'VS Code canceled.')));
    try {
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      const parts = await this.run(name, isObject(input) ? input : {}, end.signal);
      return new vscode.LanguageModelToolResult(parts);
    } catch (error) {
      if (end.signal.aborted) throw new vscode.CancellationError();
      throw new Error(messageFor(error), { cause: error });
    } finally {
      listener.dispose();
    }
  }

  private async run(name: LanguageModelToolName, input: Input, signal: AbortSignal): Promise<ToolPart[]> {
    const tools = await this.ready();
    switch (name) {
      case 'mcpDeck_searchTools':
        return jsonParts(await tools.search(inputText(input, 'query')));
      case 'mcpDeck_callTool':
        return this.call(tools, input, signal);
      case 'mcpDeck_listServers':
        return jsonParts(tools.servers());
      case 'mcpDeck_listResources': {
        const { server } = input;
        return jsonParts(await tools.resources(typeof server === 'string' ? server : undefined));
      }
      case 'mcpDeck_readResource': {
        const uri = inputText(input, 'uri');
        const server = await tools.ownerOf(uri);
        const contents = await tools.read(uri, this.options(tools, signal));
        return toolParts(contentsParts(contents, server === undefined ? [] : this.secretsOf(server)));
      }
    }
  }

  private async call(tools: AgentTools, input: Input, signal: AbortSignal): Promise<ToolPart[]> {
    const target = await tools.find(inputText(input, 'name'));
    const options: ToolCallOptions = {
      ...this.options(tools, signal),
      caller: 'agent',
      client: this.client,
      // VS Code has already asked the user. A rule with the effect `ask` still asks, because a setting of VS Code can
      // confirm all calls automatically.
      ...(this.forget(input) ? { isAnswered: 'inAdvance' } : {}),
      onOutputProblems: () => undefined,
    };
    const result: CallToolResult = await tools.call(target, argumentsOf(input), options);
    return toolParts(resultParts(result, this.secretsOf(target.server)));
  }

  private options(tools: AgentTools, signal: AbortSignal): CallOptions {
    return { signal, isUnattended: true, origin: tools.originOf(this.client) };
  }

  private async ready(): Promise<AgentTools> {
    const tools = await this.tools();
    await tools.ready();
    return tools;
  }

  private get isOn(): boolean {
    return this.services().settings.vsCodeAgent() === 'tools';
  }

  /** The name that VS Code's agent also states when it connects to the gateway. */
  private get client(): string {
    return vscode.env.appName;
  }

  private secretsOf(server: ServerView['id']): readonly string[] {
    return this.services().host.servers.secretValues(server);
  }

  private remember(input: Input, isAsking: boolean): void {
    const key = canonicalJson(input);
    if (!isAsking) this.confirmed.delete(key);
    else this.confirmed.set(key, (this.confirmed.get(key) ?? 0) + 1);
    const [oldest] = this.confirmed.keys();
    if (this.confirmed.size > maxConfirmed && oldest !== undefined) this.confirmed.delete(oldest);
  }

  /** Uses up one confirmation for a call with this input. Returns whether there was one. */
  private forget(input: Input): boolean {
    const key = canonicalJson(input);
    const count = this.confirmed.get(key) ?? 0;
    if (count > 1) this.confirmed.set(key, count - 1);
    else this.confirmed.delete(key);
    return count > 0;
  }
}

/** The error message for the agent. It says "the user" instead of "you", because its reader is not the user. */
function messageFor(error: unknown): string {
  const isOfLookup = error instanceof ProtocolError && failedServer(error) === undefined;
  if (isOfLookup || error instanceof UserError) return error.message;
  return failureLogLine(error, undefined).replace(/^You /, 'The user ');
}

function argumentsOf({ arguments: given }: Input): Input {
  return isObject(given) ? given : {};
}

function inputText(input: Input, field: string): string {
  const value = input[field];
  if (typeof value !== 'string') throw new UserError(`"${field}" must be a string.`);
  return value;
}
