/** The tools of the gateway: the list of all tools, or a search tool and a call tool (see `needsSearch`). */
import type { Event } from '../base/event.js';
import { UserError } from '../base/hostError.js';
import { callTool, searchTool } from '../present/chat/searchTools.js';
import type { CallToolResult, Tool } from '../protocol/mcp.js';
import { after } from '../base/withTimeLimit.js';
import type { MaybePromise, ToolSource } from '../serving/servedFeatures.js';
import type { RequestContext } from '../serving/requestContext.js';
import type { ToolFinder } from '../search/toolFinder.js';
import type { Validate } from '../serving/serverMethods.js';
import type { UrisInResults } from './urisInResults.js';
import type { ClientView } from './clientView.js';
import type { CallTarget } from './gatewayLists.js';
import { unknownItem } from './gatewayNames.js';
import { needsSearch, searchTools } from './toolSearch.js';

export interface GatewayToolsOptions {
  onDidChange: Event<void>;
  /** Resolves when `tools` is current; undefined if it is. */
  fresh: () => Promise<void> | undefined;
  /** See `Gateway.found`. */
  found: <T>(find: () => T | undefined, unknown: () => never) => MaybePromise<T>;
  /** The tools by public name. The map is replaced when a tool has changed. */
  tools: () => ReadonlyMap<string, CallTarget<Tool>>;
  viewOf: (context: RequestContext) => ClientView;
  validate: Validate;
  results: UrisInResults;
  finder: ToolFinder;
  run: (
    target: { server: string; tool: string; arguments: Record<string, unknown> },
    context: RequestContext,
  ) => Promise<CallToolResult>;
}

export class GatewayTools implements ToolSource {
  readonly onDidChange: Event<void>;

  constructor(private readonly options: GatewayToolsOptions) {
    this.onDidChange = options.onDidChange;
  }

  list(context: RequestContext): MaybePromise<readonly Tool[]> {
    return after(this.options.fresh(), () => this.listed(context));
  }

  private listed(context: RequestContext): readonly Tool[] {
    const tools = [...this.toolsFor(context).values()].map(({ item }) => item);
    return needsSearch(context.client, tools) ? [searchTool, callTool] : tools;
  }

  find(name: string, context: RequestContext): MaybePromise<Tool> {
    // These two names are reserved: no tool of a server gets them as its public name.
    if (name === searchTool.name) return searchTool;
    if (name === callTool.name) return callTool;
    return this.options.found(
      () => this.seen(name, context)?.item,
      () => this.unknown(name, context),
    );
  }

  call(name: string, args: Record<string, unknown>, context: RequestContext): Promise<CallToolResult> {
    if (name === searchTool.name) return this.search(String(args['query']), context);
    if (name === callTool.name) return this.callFound(args, context);
    return this.run(this.seen(name, context) ?? this.unknown(name, context), args, context);
  }

  private async search(query: string, context: RequestContext): Promise<CallToolResult> {
    const found = await searchTools(this.options.finder, this.toolsFor(context), query);
    return { content: [{ type: 'text', text: JSON.stringify(found) }] };
  }

  private async callFound(
    { name, arguments: given = {} }: Record<string, unknown>,
    context: RequestContext,
  ): Promise<CallToolResult> {
    const target = await this.options.found(
      () => this.seen(String(name), context),
      () => this.unknown(String(name), context),
    );
    const args = given as Record<string, unknown>;
    const problems = await this.options.validate(target.item.inputSchema, args);
    if (problems.length > 0)
      throw new UserError(`The arguments of "${String(name)}" do not match its schema: ${problems.join('; ')}.`);
    return this.run(target, args, context);
  }

  private async run(
    { server, name: tool }: CallTarget<Tool>,
    args: Record<string, unknown>,
    context: RequestContext,
  ): Promise<CallToolResult> {
    return this.options.results.inCall(server, await this.options.run({ server, tool, arguments: args }, context));
  }

  private toolsFor(context: RequestContext): ReadonlyMap<string, CallTarget<Tool>> {
    const view = this.options.viewOf(context);
    const tools = this.options.tools();
    return view.isWhole ? tools : new Map([...tools].filter(([, target]) => view.hasTool(target)));
  }

  /** The tool with this name, if the client sees it. */
  private seen(name: string, context: RequestContext): CallTarget<Tool> | undefined {
    const target = this.options.tools().get(name);
    return target && this.options.viewOf(context).hasTool(target) ? target : undefined;
  }

  private unknown(name: string, context: RequestContext): never {
    const tools = this.toolsFor(context);
    throw unknownItem('tool', name, tools.keys(), (one) => tools.has(one));
  }
}
