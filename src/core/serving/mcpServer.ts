/**
 * A small MCP server for both eras. Its tools, resources and prompts come from sources, and its clients from channels.
 * The server itself supports only one-to-one transports (`connect`). HTTP is built on `accept` (see `httpFront.ts`).
 */
import { exactJson } from '../base/jsonTokens.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore, toDisposable } from '../base/disposable.js';
import { LiveSet } from '../base/liveSet.js';
import type { Log } from '../base/log.js';
import { nullLog } from '../base/log.js';
import type { ProtocolError } from '../protocol/jsonRpc.js';
import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import { isAtLeast } from '../protocol/revisions.js';
import type { Transport } from '../transport/transport.js';
import { ByteBudget } from './byteBudget.js';
import type { ClientConnectionOptions } from './clientConnection.js';
import { ClientConnection } from './clientConnection.js';
import type { ClientGate, ConnectionInfo } from './clientGate.js';
import { HeldCalls } from './heldCalls.js';
import { HeldRequests } from './heldRequests.js';
import { KnownClients } from './knownClients.js';
import type {
  PromptProvider,
  PromptSource,
  ResourceProvider,
  ResourceSource,
  ToolProvider,
  ToolSource,
} from './servedFeatures.js';
import { PromptList, ResourceList, ToolList } from './servedFeatures.js';
import { StateSigner } from './stateSigner.js';
import type { CachePolicy, ClientChannel, ServerCore } from './serverCore.js';
import type { Validate } from './serverMethods.js';
import type { MethodHandler } from './serverMethods.js';
import { ServerMethods } from './serverMethods.js';

export interface McpServerOptions {
  info: Implementation;
  /** Instructions for the client's model. */
  instructions?: string;
  tools?: readonly ToolProvider[] | ToolSource;
  resources?: readonly ResourceProvider[] | ResourceSource;
  prompts?: readonly PromptProvider[] | PromptSource;
  /** Whether handlers may send log messages; default true. */
  logging?: boolean;
  /** Extensions with their settings, as declared in the capabilities. */
  extensions?: Record<string, Record<string, unknown>>;
  /** The methods of these extensions. */
  methods?: ReadonlyMap<string, MethodHandler>;
  /** Validates the arguments of tools and the answers to forms; default: no validation. */
  validate?: Validate;
  /** Maximum number of items on one page of a list; default 200. A page also has at most 2 MiB. */
  pageSize?: number;
  /** Caching hints by method. Default: none, which means that a result is private and becomes stale at once. */
  cache?: Readonly<Record<string, CachePolicy>>;
  /** Key for all signatures; default random. Processes that serve the same clients need the same key. */
  secret?: Buffer;
  /** Time limit for a legacy client to answer a request of the server, ms; default ten minutes. */
  askTimeoutMs?: number;
  /**
   * Makes handlers run once per request in both eras. The value is the time limit for a stateless client to send the
   * next round, in milliseconds. Default: handlers run again in each round (see `RequestContext`).
   */
  holdsCalls?: number;
  /** Decides which clients may use the server; default: all. */
  gate?: ClientGate;
  /** Maximum number of open requests of one client; default 1,024. */
  maxOpenRequests?: number;
  log?: Log;
  clock?: Clock;
  /** Objects that are disposed together with the server. */
  owned?: readonly Disposable[];
}

/**
 * Maximum size of the open requests of all clients that `connect` serves, in UTF-16 code units. A client whose message
 * does not fit is disconnected.
 */
const maxOpenLength = 128 * 1024 * 1024;

export class McpServer implements Disposable {
  private readonly core: ServerCore;
  private readonly openLength = new ByteBudget(maxOpenLength);
  private readonly connections = new LiveSet<ClientConnection>();
  private readonly store = new DisposableStore();
  private readonly watched = new Map<string, { count: number; watch: Disposable }>();
  private readonly pendingChanges = new Set<string>();
  private streams = 0;

  constructor(options: McpServerOptions) {
    const signer = new StateSigner(options.secret);
    const tools = isList(options.tools) ? new ToolList(options.tools, true) : options.tools;
    const resources: ResourceSource | undefined = isList(options.resources)
      ? new ResourceList(options.resources, [], true)
      : options.resources;
    const prompts = isList(options.prompts) ? new PromptList(options.prompts, true) : options.prompts;
    const { validate, methods: extensionMethods, log = nullLog } = options;
    const methods = new ServerMethods({
      tools,
      resources,
      prompts,
      methods: extensionMethods,
      validate,
      pageSize: options.pageSize ?? 200,
      signer,
      log,
    });
    const clock = options.clock ?? systemClock;
    const held = options.holdsCalls === undefined ? undefined : new HeldCalls(signer, clock, options.holdsCalls);
    if (held) this.store.add(held);
    this.core = {
      held,
      gate: options.gate,
      clients: new KnownClients(),
      info: options.info,
      instructions: options.instructions,
      methods,
      capabilities: (revision) => capabilitiesOf(methods, options, revision),
      cache: new Map(Object.entries(options.cache ?? {})),
      signer,
      validate,
      log,
      clock,
      askTimeoutMs: options.askTimeoutMs ?? 600_000,
      maxOpenRequests: options.maxOpenRequests ?? 1_024,
      watch: (uri, life, onDidUpdate) => resources?.watchFor?.(uri, life, onDidUpdate) ?? this.watch(uri, resources),
      mayWatch: (uri, client) => resources?.mayWatch?.(uri, client) ?? true,
    };
    for (const item of options.owned ?? []) this.store.add(item);
    for (const { kind, event } of methods.changes) {
      if (event) this.store.add(event(() => this.notifySoon(kind, (connection) => connection.listChanged(kind))));
    }
    if (resources?.onDidUpdate) {
      this.store.add(
        resources.onDidUpdate((uri) =>
          this.notifySoon(`update ${uri}`, (connection) => connection.resourceUpdated(uri)),
        ),
      );
    }
  }

  /** The server's name and version, as sent to clients. */
  get info(): Implementation {
    return this.core.info;
  }

  /** Number of connected clients. */
  get connectionCount(): number {
    return this.connections.size;
  }

  /** Whether clients need to be admitted. */
  get hasGate(): boolean {
    return this.core.gate !== undefined;
  }

  /** Whether the gate lets a client pass, according to its claim; true without a gate. */
  isAdmitted(client: Implementation | undefined, connectionInfo: ConnectionInfo): boolean {
    return this.core.gate?.isAdmitted(client, connectionInfo) ?? true;
  }

  /** Serves a client over a channel that the caller provides. The caller calls `receive` and `close`. */
  accept(channel: ClientChannel, options: ClientConnectionOptions = {}, onClosed?: () => void): ClientConnection {
    const connection: ClientConnection = new ClientConnection(this.core, channel, options, () => {
      remove();
      onClosed?.();
    });
    const remove = this.connections.add(connection);
    return connection;
  }

  /**
   * Serves the one client at the other end of a transport until either side closes the connection; dispose the result
   * to close it from this side.
   * @param onClosed called once when the connection has ended, whichever side ended it.
   * @param connectionInfo how the client is connected to the server; default: standard streams.
   */
  async connect(transport: Transport, onClosed?: () => void, connectionInfo?: ConnectionInfo): Promise<Disposable> {
    const requests = new HeldRequests();
    const connection = this.accept(
      // A message that cannot be delivered needs no handling here, because `onClose` follows.
      {
        send: (message) => transport.send({ text: exactJson(message) }),
        ended: (id) => requests.ended(id),
      },
      // Each transport is one client, so state that was given to one client is refused if it comes from another.
      { isShared: true, principal: `stream ${++this.streams}`, ...(connectionInfo ? { connectionInfo } : {}) },
      () => {
        // The transport is closed in a later microtask, so that the final messages are still sent.
        queueMicrotask(() => void transport.close());
        onClosed?.();
      },
    );
    try {
      await transport.open({
        onMessage: (message, text = '') => {
          const held = this.openLength.open();
          if (held.take(text.length)) requests.receive(connection, message, held);
          else {
            this.core.log.write('warn', 'A client was disconnected: the open requests are too large together.');
            connection.close();
          }
          held.release();
        },
        onClose: () => connection.close(),
        onWarning: (line) => this.core.log.write('warn', line),
      });
    } catch (error) {
      connection.close();
      throw error;
    }
    return toDisposable(() => connection.close());
  }

  /**
   * Ends everything that belongs to the matching clients: their sessions, streams and requests, and everything that
   * runs only for them.
   * @param refusal the error for their open requests.
   */
  disconnect(matches: (client: Implementation | undefined) => boolean, refusal: ProtocolError): void {
    for (const connection of this.connections.items()) if (matches(connection.client)) connection.close(refusal);
    for (const principal of this.core.clients.endAll(matches)) this.core.held?.endOf(principal);
  }

  /** Ends every connection. */
  dispose(): void {
    for (const connection of this.connections.items()) connection.close();
    this.store.dispose();
  }

  /** Combines notifications of one kind in one turn of the event loop into one. */
  private notifySoon(key: string, tell: (connection: ClientConnection) => void): void {
    if (this.pendingChanges.has(key)) return;
    this.pendingChanges.add(key);
    queueMicrotask(() => {
      this.pendingChanges.delete(key);
      for (const connection of this.connections.items()) tell(connection);
    });
  }

  /** Watches a resource at the source once, regardless of the number of subscribed clients. */
  private watch(uri: string, resources: ResourceSource | undefined): Disposable {
    const known = this.watched.get(uri);
    const entry = known ?? { count: 0, watch: resources?.watch?.(uri) ?? toDisposable(() => undefined) };
    entry.count++;
    this.watched.set(uri, entry);
    return toDisposable(() => {
      entry.count--;
      if (entry.count > 0) return;
      this.watched.delete(uri);
      entry.watch.dispose();
    });
  }
}

function isList<T>(source: readonly T[] | object | undefined): source is readonly T[] {
  return Array.isArray(source);
}

function capabilitiesOf(methods: ServerMethods, options: McpServerOptions, revision: Revision): ServerCapabilities {
  const { tools, resources, prompts } = methods.options;
  const capabilities: ServerCapabilities = {};
  if (tools) capabilities.tools = { listChanged: tools.onDidChange !== undefined };
  if (resources)
    capabilities.resources = {
      subscribe: resources.onDidUpdate !== undefined,
      listChanged: resources.onDidChangeList !== undefined,
    };
  if (prompts) capabilities.prompts = { listChanged: prompts.onDidChange !== undefined };
  if (options.logging ?? true) capabilities.logging = {};
  // `completion/complete` is older than its capability, which exists since 2025-03-26.
  if (methods.canComplete && isAtLeast(revision, '2025-03-26')) capabilities.completions = {};
  if (options.extensions && isAtLeast(revision, '2025-11-25')) capabilities.extensions = options.extensions;
  return capabilities;
}
