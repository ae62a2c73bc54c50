/**
 * The servers of a window for an agent that runs in the same window, without a protocol in between. Names and URIs are
 * the same as in the gateway.
 */
import { UserError } from '../base/hostError.js';
import type { CallOptions, ServerView, ToolCall, ToolCallOptions } from '../catalog/hostTypes.js';
import type { HostApi } from '../host/hostApi.js';
import { isForModel } from '../apps/toolApp.js';
import type { ToolOverride } from '../presets/toolOverrides.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { CallToolResult, ResourceContents, Tool } from '../protocol/mcp.js';
import type { ToolFinder } from '../search/toolFinder.js';
import type { Validate } from '../serving/serverMethods.js';
import type { CallOrigin } from '../session/callOrigins.js';
import { UrisInResults } from './urisInResults.js';
import { answeredByUser } from './agentCall.js';
import type { CallTarget } from './gatewayLists.js';
import { GatewayLists } from './gatewayLists.js';
import type { GatewayNames } from './gatewayNames.js';
import { unknownItem } from './gatewayNames.js';
import { PublicUris } from './publicUris.js';
import type { ServerStarts } from './serverStarts.js';
import { searchTools } from './toolSearch.js';
import { waitingHint } from './waitingServers.js';

export interface AgentToolsOptions {
  host: Pick<HostApi, 'servers' | 'calls' | 'lifecycle'>;
  starts: Pick<ServerStarts, 'startInTime' | 'whenStarted'>;
  names: GatewayNames;
  overrides: () => readonly ToolOverride[];
  /** Whether the agent gets the server from elsewhere. */
  isLeftOut: (view: ServerView) => boolean;
  validate: Validate;
  finder: ToolFinder;
  /** Calls a tool and records the call. */
  runTool: (call: ToolCall, options: ToolCallOptions) => Promise<CallToolResult>;
}

/** A server as the agent sees it. */
export interface AgentServer {
  name: string;
  state: string;
  tools?: number;
  resources?: number;
  /** What the agent is to ask the user, if the server is stopped, failed, or waits for the user. */
  hint?: string;
  /** The server's own instructions, untrusted. */
  instructions?: string;
}

/** Maximum number of resources, and of resource templates, in one answer. */
const maxResources = 200;
/** Maximum length of the instructions of a server, in characters. */
const maxInstructions = 1_000;

export class AgentTools {
  private readonly uris = new PublicUris();
  private readonly results = new UrisInResults(this.uris);
  private readonly lists: GatewayLists;
  private started: Promise<void> | undefined;
  /** Identifies the agent as the caller of its calls; see `CallOrigin`. */
  private readonly caller = {};

  constructor(private readonly options: AgentToolsOptions) {
    const { names, overrides } = options;
    this.lists = new GatewayLists(() => this.views(), names, this.uris, overrides, this.results);
  }

  /** The origin of the calls of an agent. Requests of servers go to the user, with the name of the agent. */
  originOf(client: string): CallOrigin {
    return answeredByUser(this.caller, client);
  }

  /** Starts the servers before the first request, without questions. Resolves when they have started, or after 3 s. */
  ready(): Promise<void> {
    return (this.started ??= this.options.starts.startInTime());
  }

  /** The tools that match the words best, with their names for `find`. */
  async search(query: string): ReturnType<typeof searchTools> {
    const tools = await this.tools();
    return searchTools(this.options.finder, new Map([...tools].filter(([, { item }]) => isForModel(item))), query);
  }

  /** The tool with this name; undefined if there is none, or if models must not see it. */
  async peek(name: string): Promise<CallTarget<Tool> | undefined> {
    const target = (await this.tools()).get(name);
    return target && isForModel(target.item) ? target : undefined;
  }

  /**
   * Like `peek`, but waits for servers that are starting, and rejects with a ProtocolError if there is no such tool. The
   * error names the most similar tool.
   */
  async find(name: string): Promise<CallTarget<Tool>> {
    const target = (await this.peek(name)) ?? (await this.afterStarts(() => this.peek(name)));
    if (target) return target;
    const tools = this.lists.tools;
    throw unknownItem('tool', name, tools.keys(), (one) => isForModel(tools.get(one)?.item ?? {}));
  }

  async call(
    { server, name: tool, item }: CallTarget<Tool>,
    args: Record<string, unknown>,
    options: ToolCallOptions,
  ): Promise<CallToolResult> {
    const problems = await this.options.validate(item.inputSchema, args);
    if (problems.length > 0)
      throw new UserError(`The arguments of "${item.name}" do not match its schema: ${problems.join('; ')}.`);
    return this.results.inCall(server, await this.options.runTool({ server, tool, arguments: args }, options));
  }

  servers(): AgentServer[] {
    return this.views()
      .filter(({ entry, switches, blocked }) => entry.isEnabled && switches?.isLeftOut !== true && !blocked)
      .map(({ id, state, features }) => ({
        name: id,
        state: state.kind,
        ...hintOf(state.kind),
        ...(features ? { tools: features.tools.length, resources: features.resources.length } : {}),
        ...(features?.identity.instructions === undefined
          ? {}
          : { instructions: features.identity.instructions.slice(0, maxInstructions) }),
      }));
  }

  /** The resources and resource templates of one server, or of all servers. */
  async resources(server?: string): Promise<{ resources: object[]; templates: object[]; left?: number }> {
    await this.current();
    const isWanted = (owner: string | undefined) => server === undefined || owner === server;
    const found = this.lists.resources.filter(({ uri }) => isWanted(this.lists.ownerOf(uri)?.server));
    const brief = ({ name, title, description, mimeType }: Brief) => ({ name, title, description, mimeType });
    return {
      resources: found.slice(0, maxResources).map((one) => ({ uri: one.uri, ...brief(one) })),
      templates: this.lists.templates
        .filter((one) => isWanted(one.server))
        .slice(0, maxResources)
        .map(({ item }) => ({ uriTemplate: item.uriTemplate, ...brief(item) })),
      ...(found.length > maxResources ? { left: found.length - maxResources } : {}),
    };
  }

  /** The server of a resource; undefined if no server has it. */
  async ownerOf(uri: string): Promise<string | undefined> {
    await this.current();
    return this.lists.ownerOf(uri)?.server;
  }

  async read(uri: string, options: CallOptions): Promise<ResourceContents[]> {
    const find = async () => {
      await this.current();
      return this.lists.ownerOf(uri);
    };
    const owner = (await find()) ?? (await this.afterStarts(find));
    if (!owner) throw new ProtocolError(ErrorCode.resourceNotFound, `There is no resource "${uri.slice(0, 200)}".`);
    const { contents } = await this.options.host.calls.readResource({ ...owner, isFresh: true }, options);
    return this.results.inContents(owner.server, contents);
  }

  /** The tools of all servers, including those that models must not see. */
  private async tools(): Promise<ReadonlyMap<string, CallTarget<Tool>>> {
    this.options.host.lifecycle.refreshStaleLists();
    await this.current();
    return this.lists.tools;
  }

  /** The result of `find` when the servers that are starting have started; undefined if none is starting. */
  private async afterStarts<T>(find: () => Promise<T | undefined>): Promise<T | undefined> {
    const started = this.options.starts.whenStarted();
    if (!started) return undefined;
    await started;
    return find();
  }

  /** Resolves when the lists have the present servers. The merge of long lists is divided into short turns. */
  private current(): Promise<void> | undefined {
    this.lists.invalidate();
    return this.lists.fresh();
  }

  private views(): ServerView[] {
    return this.options.host.servers.list().filter((view) => !this.options.isLeftOut(view));
  }
}

function hintOf(kind: ServerView['state']['kind']): { hint?: string } {
  const hint = waitingHint(kind);
  return hint === undefined ? {} : { hint };
}

interface Brief {
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}
