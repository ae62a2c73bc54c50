import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Disposable } from '../../base/disposable.js';
import type { PooledOptions } from './idleSockets.js';
import { IdleSockets, keepInOptions } from './idleSockets.js';
import type { RemoteAddress } from './remoteAddress.js';

type Scheme = 'http:' | 'https:';

/** The part of node:http and node:https that is used. */
interface HttpModule {
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
  Agent: new (options: { keepAlive: boolean; maxSockets: number }) => Agent;
}

interface Loaded {
  module: HttpModule;
  /** The agent for calls. Its sockets are kept alive and shared by all transports to one origin. */
  calls: Agent;
  /** The agent for long-lived streams, which must not use up the sockets of calls. */
  streams: Agent;
}

export interface HttpConnectionsOptions {
  /**
   * Whether requests must not specify an agent. If "http.proxySupport" is "on", requests with an agent bypass VS Code's
   * proxy. Called when a transport opens. Default: no.
   */
  leavesAgent?: () => boolean;
}

const maxSockets = 128;

/**
 * How long an idle socket is kept if the server does not state it, ms. Many servers close idle sockets after 5 s. A
 * call that is sent at the moment of closing is lost, and cannot be repeated, because the host does not know whether
 * the server ran it.
 */
const idleMs = 4_000;
/** Subtracted from the server's `Keep-Alive: timeout=` to allow for latency, ms. */
const marginMs = 1_000;

/** The idle sockets to one origin. */
export interface SocketPool {
  readonly scheme: Scheme;
  readonly calls: IdleSockets;
  readonly streams: IdleSockets;
}

/**
 * The sockets of all HTTP transports of a host, kept alive between requests. The http modules are loaded on first use,
 * because they take longer to load than the rest of the code.
 */
export class HttpConnections implements Disposable {
  private readonly loaded: Partial<Record<Scheme, Loaded>> = {};
  private readonly users = new Map<string, number>();
  /** The pools by origin, and by certificate authorities. */
  private readonly pools = new Map<string, Map<string | undefined, SocketPool>>();
  /** The keep-alive time that the server of each socket announced, ms. */
  private readonly keepAliveMs = new WeakMap<object, number>();
  /** The last `Keep-Alive` header of a response. */
  private announced: { text: string; ms: number | undefined } = { text: '', ms: undefined };

  private leavesAgent = false;

  constructor(private readonly options: HttpConnectionsOptions = {}) {}

  /** Loads the HTTP module of a scheme. Must be awaited once before `request`. */
  async load(scheme: Scheme): Promise<void> {
    this.leavesAgent = this.options.leavesAgent?.() ?? false;
    if (this.loaded[scheme]) return;
    // VS Code replaces `request` on the module object to apply its proxy and certificate settings. The default export
    // is that object. The named exports of a built-in module are still the original functions.
    const module: HttpModule =
      scheme === 'https:' ? (await import('node:https')).default : (await import('node:http')).default;
    if (this.loaded[scheme]) return;
    const agents = {
      calls: new module.Agent({ keepAlive: true, maxSockets }),
      streams: new module.Agent({ keepAlive: true, maxSockets: Infinity }),
    };
    // An idle socket is closed before the server closes it.
    for (const agent of Object.values(agents))
      keepInOptions(agent, (socket) => {
        const announced = this.keepAliveMs.get(socket);
        return announced === undefined ? idleMs : announced - marginMs;
      });
    this.loaded[scheme] = { module, ...agents };
  }

  /** Starts a request, without its body. Throws the errors of node:http, for example for invalid headers. */
  request(
    pool: SocketPool,
    options: PooledOptions,
    isStream: boolean,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const loaded = this.loaded[pool.scheme];
    if (!loaded) throw new Error('The HTTP module is not loaded yet.');
    if (!this.leavesAgent) options.agent = isStream ? loaded.streams : loaded.calls;
    options.idle = isStream ? pool.streams : pool.calls;
    // Looked up for each call, because VS Code may patch the module later.
    return loaded.module.request(options, (response) => {
      this.noteKeepAlive(response);
      onResponse(response);
    });
  }

  private noteKeepAlive({ headers, socket }: IncomingMessage): void {
    const announced = headers['keep-alive'];
    if (typeof announced !== 'string') return;
    // Most servers announce the same with each response.
    if (announced !== this.announced.text) this.announced = { text: announced, ms: keepAliveOf(announced) };
    const { ms } = this.announced;
    if (ms !== undefined && this.keepAliveMs.get(socket) !== ms) this.keepAliveMs.set(socket, ms);
  }

  /** The pool of an address. @param ca the certificate authorities that the servers are checked with, in PEM format. */
  poolOf(address: RemoteAddress, ca?: string): SocketPool {
    const origin = originOf(address);
    const pools = this.pools.get(origin) ?? new Map<string | undefined, SocketPool>();
    this.pools.set(origin, pools);
    const scheme = address.protocol === 'https:' ? 'https:' : 'http:';
    const pool = pools.get(ca) ?? { scheme, calls: new IdleSockets(), streams: new IdleSockets() };
    pools.set(ca, pool);
    return pool;
  }

  /**
   * Registers a transport that uses the address. When the last registration is disposed, the idle sockets of the
   * address are closed.
   */
  use(address: RemoteAddress): Disposable {
    const origin = originOf(address);
    this.users.set(origin, (this.users.get(origin) ?? 0) + 1);
    let isDone = false;
    return {
      dispose: () => {
        if (isDone) return;
        isDone = true;
        const left = (this.users.get(origin) ?? 1) - 1;
        if (left > 0) {
          this.users.set(origin, left);
          return;
        }
        this.users.delete(origin);
        for (const { calls, streams } of this.pools.get(origin)?.values() ?? []) {
          calls.close();
          streams.close();
        }
        this.pools.delete(origin);
      },
    };
  }

  dispose(): void {
    for (const loaded of Object.values(this.loaded)) {
      loaded.calls.destroy();
      loaded.streams.destroy();
    }
  }
}

/** The time in a `Keep-Alive` header, ms. */
function keepAliveOf(header: string): number | undefined {
  const seconds = /\btimeout=(\d{1,6})/.exec(header)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** The address without its path: transports with the same one share their sockets. */
function originOf({ protocol, hostname, port, socketPath }: RemoteAddress): string {
  return socketPath ?? `${protocol}//${hostname}:${port}`;
}
