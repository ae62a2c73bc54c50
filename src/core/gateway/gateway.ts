/**
 * One MCP server in front of all servers of the host, for clients of both eras. A call of a client goes to the server
 * that has the tool, prompt or resource; requests of that server go to the client that called, or to the user if the
 * client does not support them. The gateway forwards messages unchanged, except for names and URIs that several servers
 * share, and for the names and descriptions of tools that the user changed.
 */
import type { CallerLife } from '../base/callerLife.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { nearestName } from '../base/editDistance.js';
import { Emitter } from '../base/event.js';
import { after } from '../base/withTimeLimit.js';
import { HostError, messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import type { ToolCall, ToolCallOptions } from '../catalog/hostTypes.js';
import type { HostApi } from '../host/hostApi.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { CallToolResult, Implementation, Prompt, Resource } from '../protocol/mcp.js';
import { ToolFinder } from '../search/toolFinder.js';
import { McpServer } from '../serving/mcpServer.js';
import type {
  ClientAddress,
  MaybePromise,
  PromptSource,
  ResourceSource,
  ToolSource,
} from '../serving/servedFeatures.js';
import type { RequestContext } from '../serving/requestContext.js';
import type { Validate } from '../serving/serverMethods.js';
import { UrisInResults } from './urisInResults.js';
import type { GatewayUser } from './agentCall.js';
import { agentCall } from './agentCall.js';
import type { GatewayClients } from './gatewayClients.js';
import { clientName, presetOf } from './gatewayClients.js';
import type { CallTarget } from './gatewayLists.js';
import { GatewayLists } from './gatewayLists.js';
import { GatewayTools } from './gatewayTools.js';
import { ServerStarts } from './serverStarts.js';
import { gatewayNames } from './toolSearch.js';
import { gatewayInstructions } from './waitingServers.js';
import type { GatewayView } from './clientView.js';
import { ClientView } from './clientView.js';
import { PublicUris } from './publicUris.js';
import type { KeptNames } from './gatewayNames.js';
import { GatewayNames, unknownItem } from './gatewayNames.js';

export interface GatewayOptions {
  host: Pick<HostApi, 'servers' | 'calls' | 'lifecycle'>;
  info: Implementation;
  log: Log;
  /** Checks the arguments of tools; returns the problems. */
  validate: Validate;
  /** How long a call waits for the answers of a 2026-07-28 client, in milliseconds; default ten minutes. */
  stateLifetimeMs?: number;
  /**
   * Whether starts may ask through the ports of the host. Default false: a start that needs an answer fails, and calls
   * do not start a server that the user stopped.
   */
  mayAsk?: boolean;
  /** The clients that may use the gateway; default: all. */
  clients?: GatewayClients;
  /** Answers requests that a client does not support; default: such requests are refused. */
  user?: GatewayUser;
  /** Calls a tool; default: through the host. */
  runTool?: (call: ToolCall, options: ToolCallOptions) => Promise<CallToolResult>;
  /** Stores the public names, so that they survive restarts; default: they last until the gateway is disposed. */
  names?: KeptNames | GatewayNames;
  /** How clients see the servers; default: all of them, unchanged. */
  view?: GatewayView;
  /** Finds tools for clients that get a search tool; default: one of its own. */
  finder?: ToolFinder;
  clock?: Clock;
}

export class Gateway implements Disposable {
  readonly server: McpServer;
  private readonly store = new DisposableStore();
  private readonly uris = new PublicUris();
  private readonly results = new UrisInResults(this.uris);
  private readonly lists: GatewayLists;
  /** The view of clients without a choice in their URL. */
  private readonly wholeView: ClientView;
  private readonly starts: ServerStarts;
  private readonly toolsChanged = new Emitter<void>();
  private readonly promptsChanged = new Emitter<void>();
  private readonly resourcesChanged = new Emitter<void>();
  private readonly resourceUpdated = new Emitter<string>();

  constructor(private readonly options: GatewayOptions) {
    const { host, info, log, validate, stateLifetimeMs = 600_000, clock = systemClock } = options;
    const { clients, names, view, mayAsk = false, user } = options;
    this.starts = new ServerStarts({ host, log, mayAsk, restarts: user === undefined, clock });
    this.lists = new GatewayLists(
      () => host.servers.list(),
      names instanceof GatewayNames ? names : gatewayNames(names),
      this.uris,
      () => view?.overrides() ?? [],
    );
    this.wholeView = new ClientView(host.servers, undefined);
    this.server = new McpServer({
      info,
      ...(user ? { instructions: gatewayInstructions } : {}),
      tools: this.toolSource(),
      prompts: this.promptSource(),
      resources: this.resourceSource(),
      validate,
      holdsCalls: stateLifetimeMs,
      ...(clients ? { gate: clients } : {}),
      pageSize: 1_000,
      log,
      clock,
      owned: [this.store],
    });
    this.follow();
  }

  /** See `ServerStarts.startServers`. */
  startServers(): Promise<void> {
    return this.starts.startServers();
  }

  /** See `ServerStarts.startInTime`. */
  startInTime(): Promise<void> {
    return this.starts.startInTime();
  }

  private get mayAsk(): boolean {
    return this.options.mayAsk ?? false;
  }

  /** Notifies clients that the lists may have changed: a client was approved, or a preset or an override was edited. */
  viewChanged(): void {
    this.lists.invalidate();
    for (const changed of [this.toolsChanged, this.promptsChanged, this.resourcesChanged]) changed.fire();
  }

  dispose(): void {
    this.server.dispose();
  }

  /** Reports to clients which lists have changed. */
  private follow(): void {
    const { clients, host } = this.options;
    const { servers } = host;
    // Before the approval, the lists of the client were empty, so it must request them again.
    if (clients) {
      this.store.add(clients.onDidApprove(() => this.viewChanged()));
      this.store.add(clients.onDidForget((name) => this.disconnect(name)));
    }
    let before = this.lists.versions;
    this.store.add(
      servers.onDidChange(() => {
        this.lists.invalidate();
        const now = this.lists.versions;
        if (!isSame(before.tools, now.tools)) this.toolsChanged.fire();
        if (!isSame(before.prompts, now.prompts)) this.promptsChanged.fire();
        if (!isSame(before.resources, now.resources)) this.resourcesChanged.fire();
        before = now;
      }),
    );
  }

  private disconnect(name: string): void {
    this.server.disconnect(
      (client) => clientName(client) === name,
      new ProtocolError(ErrorCode.invalidRequest, 'The user has removed the approval of this client.'),
    );
  }

  /**
   * Returns what `find` finds in the current lists. A client may know an item from an earlier session, so if `find`
   * finds nothing, it is called again when the servers that are starting have started.
   *
   * @param unknown throws the error for the client.
   */
  private found<T>(find: () => T | undefined, unknown: () => never): MaybePromise<T> {
    const fresh = () => this.lists.fresh();
    return after(
      fresh(),
      () => find() ?? after(this.starts.whenStarted(), () => after(fresh(), () => find() ?? unknown())),
    );
  }

  private toolSource(): ToolSource {
    const { host, validate } = this.options;
    const { runTool = (call, options) => host.calls.runTool(call, options) } = this.options;
    return new GatewayTools({
      onDidChange: this.toolsChanged.event,
      fresh: () => this.lists.fresh(),
      found: (find, unknown) => this.found(find, unknown),
      tools: () => this.lists.tools,
      viewOf: (context) => this.viewOf(context),
      validate,
      results: this.results,
      finder: this.options.finder ?? new ToolFinder(),
      run: (call, context) => this.forClient(context, (options) => runTool(call, options)),
    });
  }

  private promptSource(): PromptSource {
    const { calls } = this.options.host;
    return {
      onDidChange: this.promptsChanged.event,
      list: (context) =>
        after(this.lists.fresh(), () => [...this.promptsFor(context).values()].map(({ item }) => item)),
      find: (name, context) =>
        this.found(
          () => this.seenPrompt(name, context)?.item,
          () => this.unknownPrompt(name, context),
        ),
      get: async (name, args, context) => {
        const { server, name: prompt } = this.seenPrompt(name, context) ?? this.unknownPrompt(name, context);
        const result = await this.forClient(context, (options) =>
          calls.getPrompt({ server, prompt, arguments: args }, options),
        );
        return this.results.inPrompt(server, result);
      },
      complete: async (name, { name: argument, value, others }, context) => {
        const { server, name: prompt } = this.seenPrompt(name, context) ?? this.unknownPrompt(name, context);
        return this.forClient(context, (options) =>
          calls.complete(
            {
              server,
              reference: { type: 'ref/prompt', name: prompt },
              argument: { name: argument, value },
              context: others,
            },
            options,
          ),
        );
      },
    };
  }

  private resourceSource(): ResourceSource {
    const { calls } = this.options.host;
    return {
      onDidChangeList: this.resourcesChanged.event,
      onDidUpdate: this.resourceUpdated.event,
      list: (context) => after(this.lists.fresh(), () => this.resourcesFor(context)),
      templates: async (context) => {
        await this.lists.fresh();
        const view = this.viewOf(context);
        return this.lists.templates.filter(({ server }) => view.hasServer(server)).map(({ item }) => item);
      },
      read: async (uri, context) => {
        const view = this.viewOf(context);
        const owner = await this.found(
          () => {
            const found = this.lists.ownerOf(uri);
            return found && view.hasServer(found.server) ? found : undefined;
          },
          () => this.unknownResource(uri, context),
        );
        const { contents } = await this.forClient(context, (options) =>
          calls.readResource({ ...owner, isFresh: true }, options),
        );
        return this.results.inContents(owner.server, contents);
      },
      complete: async (uriTemplate, { name, value, others }, context) => {
        await this.lists.fresh();
        const template = this.lists.templates.find(({ item }) => item.uriTemplate === uriTemplate);
        if (!template || !this.viewOf(context).hasServer(template.server)) return undefined;
        return this.forClient(context, (options) =>
          calls.complete(
            {
              server: template.server,
              reference: { type: 'ref/resource', uri: template.ownTemplate },
              argument: { name, value },
              context: others,
            },
            options,
          ),
        );
      },
      watch: (uri) => this.watch(uri),
      watchFor: (uri, life, onDidUpdate) => this.watchFor(uri, life, onDidUpdate),
      mayWatch: (uri, client) => this.mayWatch(uri, client),
    };
  }

  private watch(uri: string): Disposable {
    return this.subscribed(this.lists.ownerOf(uri), () => this.resourceUpdated.fire(uri));
  }

  /** Watches a resource in the client's own session, if the server runs once for each client. */
  private watchFor(uri: string, life: CallerLife, onDidUpdate: () => void): Disposable | undefined {
    const owner = this.lists.ownerOf(uri);
    const server = owner && this.options.host.servers.get(owner.server);
    return server?.entry.definition.sharing === 'perCaller' ? this.subscribed(owner, onDidUpdate, life) : undefined;
  }

  private subscribed(
    owner: { server: string; uri: string } | undefined,
    onDidUpdate: () => void,
    life?: CallerLife,
  ): Disposable {
    const store = new DisposableStore();
    if (owner)
      this.options.host.calls
        .subscribe(owner, onDidUpdate, { isUnattended: !this.mayAsk, ...(life ? { life } : {}) })
        .then(
          (subscription) => store.add(subscription),
          (error: unknown) => this.options.log.write('warn', `${owner.server}: ${messageOf(error)}`),
        );
    return store;
  }

  /** Whether the client sees the server of the resource. False if the client's preset no longer exists. */
  private mayWatch(uri: string, client: ClientAddress): boolean {
    try {
      return this.isSeen(uri, this.viewOf(client));
    } catch {
      return false;
    }
  }

  /**
   * The servers and tools that a client sees, according to its URL: `preset` names a preset, and `without` a kind of
   * source whose servers the client has itself.
   */
  private viewOf({ client, connectionInfo }: ClientAddress): ClientView {
    const { host, view } = this.options;
    if (connectionInfo.query === '') return this.wholeView;
    const preset = view && presetOf(connectionInfo.query);
    const without = new URLSearchParams(connectionInfo.query).getAll('without');
    if (preset === undefined) return new ClientView(host.servers, undefined, without);
    const chosen = view?.presetFor(clientName(client), preset);
    if (chosen) return new ClientView(host.servers, chosen, without);
    throw new ProtocolError(ErrorCode.invalidParams, `There is no preset "${preset.slice(0, 100)}".`);
  }

  private promptsFor(context: RequestContext): ReadonlyMap<string, CallTarget<Prompt>> {
    const view = this.viewOf(context);
    return new Map([...this.lists.prompts].filter(([, { server }]) => view.hasServer(server)));
  }

  /** The prompt with this name, if the client sees it. */
  private seenPrompt(name: string, context: RequestContext): CallTarget<Prompt> | undefined {
    const target = this.lists.prompts.get(name);
    return target && this.viewOf(context).hasServer(target.server) ? target : undefined;
  }

  private unknownPrompt(name: string, context: RequestContext): never {
    const prompts = this.promptsFor(context);
    throw unknownItem('prompt', name, prompts.keys(), (one) => prompts.has(one));
  }

  private resourcesFor(context: RequestContext): readonly Resource[] {
    const view = this.viewOf(context);
    if (view.isWhole) return this.lists.resources;
    return this.lists.resources.filter(({ uri }) => this.isSeen(uri, view));
  }

  private isSeen(uri: string, view: ClientView): boolean {
    return view.isWhole || view.hasServer(this.lists.ownerOf(uri)?.server ?? '');
  }

  private unknownResource(uri: string, context: RequestContext): never {
    const view = this.viewOf(context);
    const near = nearestName(uri, urisOf(this.lists.resources), (one) => this.isSeen(one, view));
    throw new ProtocolError(
      context.era === 'modern' ? ErrorCode.invalidParams : ErrorCode.resourceNotFound,
      `Resource not found.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
      { uri },
    );
  }

  /** Sends a call, and converts failures for the client. */
  private async forClient<T>(context: RequestContext, send: (options: ToolCallOptions) => Promise<T>): Promise<T> {
    this.options.clients?.count(context);
    try {
      return await send(agentCall(context, clientName(context.client), !this.mayAsk, this.options.user));
    } catch (error) {
      if (error instanceof ProtocolError) {
        // The code for an unknown resource differs between the eras.
        if (context.era === 'modern' && error.code === ErrorCode.resourceNotFound)
          throw new ProtocolError(ErrorCode.invalidParams, error.message, error.data);
        throw error;
      }
      if (error instanceof HostError) throw new ProtocolError(ErrorCode.internalError, textFor(error));
      throw error;
    }
  }
}

/** The error message for a client. It says "the user" instead of "you", because its reader is not the user. */
function textFor({ code, data, message }: HostError): string {
  return code === 'call-refused' && data.by === 'user' ? message.replace(/^You /, 'The user ') : message;
}

function* urisOf(resources: readonly Resource[]): Generator<string> {
  for (const { uri } of resources) yield uri;
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
