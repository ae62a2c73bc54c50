import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Disposable } from '../../base/disposable.js';
import type { Duplex } from 'node:stream';
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

/**
 * The sockets of all HTTP transports of a host: one pool per protocol, kept alive between requests. The http modules
 * are loaded on first use, because they take longer to load than the rest of the code.
 */
export class HttpConnections implements Disposable {
  private readonly loaded: Partial<Record<Scheme, Loaded>> = {};
  private readonly users = new Map<string, number>();
  /** The keep-alive time that the server of each socket announced, ms. */
  private readonly keepAliveMs = new WeakMap<object, number>();

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
    this.loaded[scheme] ??= {
      module,
      calls: this.leavingFirst(new module.Agent({ keepAlive: true, maxSockets })),
      streams: new module.Agent({ keepAlive: true, maxSockets: Infinity }),
    };
  }

  /** Starts a request, without its body. Throws the errors of node:http, for example for invalid headers. */
  request(
    scheme: Scheme,
    options: RequestOptions,
    isStream: boolean,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const loaded = this.loaded[scheme];
    if (!loaded) throw new Error('The HTTP module is not loaded yet.');
    if (!this.leavesAgent) options.agent = isStream ? loaded.streams : loaded.calls;
    // Looked up for each call, because VS Code may patch the module later.
    return loaded.module.request(options, (response) => {
      this.noteKeepAlive(response);
      onResponse(response);
    });
  }

  private noteKeepAlive({ headers, socket }: IncomingMessage): void {
    const announced = headers['keep-alive'];
    if (announced === undefined) return;
    const seconds = /\btimeout=(\d{1,6})/.exec(String(announced))?.[1];
    if (seconds !== undefined) this.keepAliveMs.set(socket, Number(seconds) * 1_000);
  }

  /**
   * Registers a transport that uses the address. When the last registration is disposed, the idle sockets of the
   * address are closed.
   */
  use(address: RemoteAddress): Disposable {
    const key = poolKey(address);
    this.users.set(key, (this.users.get(key) ?? 0) + 1);
    let isDone = false;
    return {
      dispose: () => {
        if (isDone) return;
        isDone = true;
        const left = (this.users.get(key) ?? 1) - 1;
        if (left > 0) {
          this.users.set(key, left);
          return;
        }
        this.users.delete(key);
        this.closeIdle(key);
      },
    };
  }

  dispose(): void {
    for (const loaded of Object.values(this.loaded)) {
      loaded.calls.destroy();
      loaded.streams.destroy();
    }
  }

  /** Makes an agent close idle sockets before the server closes them. */
  private leavingFirst(agent: Agent): Agent {
    const [keep, reuse] = [agent.keepSocketAlive.bind(agent), agent.reuseSocket.bind(agent)];
    // When a socket times out, the agent destroys it only if it is idle.
    agent.keepSocketAlive = (socket: Duplex & { setTimeout?(ms: number): void }) => {
      const announced = this.keepAliveMs.get(socket);
      const keepMs = announced === undefined ? idleMs : announced - marginMs;
      keep(socket);
      socket.setTimeout?.(keepMs);
      return keepMs > 0;
    };
    agent.reuseSocket = (socket: Duplex & { setTimeout?(ms: number): void }, request) => {
      socket.setTimeout?.(0);
      reuse(socket, request);
    };
    return agent;
  }

  private closeIdle(key: string): void {
    for (const { calls, streams } of Object.values(this.loaded)) {
      for (const agent of [calls, streams]) {
        for (const [name, sockets] of Object.entries(agent.freeSockets)) {
          if (name.startsWith(key)) for (const socket of [...(sockets ?? [])]) socket.destroy();
        }
      }
    }
  }
}

/** The prefix of an agent's pool names: `host:port:`, or the path of a socket (`Agent.getName`). */
function poolKey(address: RemoteAddress): string {
  return address.socketPath === undefined
    ? `${address.hostname}:${address.port}:`
    : `localhost:80::${address.socketPath}`;
}
