/**
 * Keeps the sockets of an agent of node:http between requests. The agent itself takes about a tenth of the time of a
 * call for this, because it compares all options of the connection.
 */
import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';

interface IdleSocket {
  socket: Socket;
  /** When the socket is closed, a `performance.now()` value. */
  until: number;
}

/**
 * The idle sockets to one origin; the socket that was used last comes first. One timer closes all of them, because a
 * timer of each socket would be set twice in each call.
 */
export class IdleSockets {
  private sockets: IdleSocket[] = [];
  private readonly known = new WeakSet<Socket>();
  private timer: NodeJS.Timeout | undefined;

  /** Takes a socket for a request; undefined if there is none. */
  take(): Socket | undefined {
    for (let idle = this.sockets.pop(); idle; idle = this.sockets.pop()) {
      const { socket, until } = idle;
      if (until <= performance.now()) socket.destroy();
      else if (socket.writable) return socket.ref();
    }
    return undefined;
  }

  /** Keeps a socket for later requests. @param keepMs the time after which it is closed. */
  keep(socket: Socket, keepMs: number): void {
    if (!this.known.has(socket)) {
      this.known.add(socket);
      socket.on('close', () => {
        this.sockets = this.sockets.filter((idle) => idle.socket !== socket);
      });
      // An idle socket belongs to no request that could report its error, and is closed after the error.
      socket.on('error', () => undefined);
    }
    socket.unref();
    this.sockets.push({ socket, until: performance.now() + keepMs });
    this.timer ??= setTimeout(() => this.closeExpired(), keepMs).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const { socket } of this.sockets.splice(0)) socket.destroy();
  }

  private closeExpired(): void {
    const now = performance.now();
    const isExpired = ({ until }: IdleSocket) => until <= now;
    const expired = this.sockets.filter(isExpired);
    this.sockets = this.sockets.filter((idle) => !isExpired(idle));
    for (const { socket } of expired) socket.destroy();
    const next = Math.min(...this.sockets.map(({ until }) => until - now));
    this.timer = this.sockets.length === 0 ? undefined : setTimeout(() => this.closeExpired(), next).unref();
  }
}

/** The options of a request, with the place for its socket after the request. */
export interface PooledOptions extends RequestOptions {
  idle: IdleSockets | undefined;
}

/** The parts of an agent that are not declared. */
interface ExtendableAgent extends Agent {
  addRequest(request: ClientRequest, options: PooledOptions, ...more: unknown[]): void;
  getName(options: RequestOptions): string;
}

interface UsedSocket extends Socket {
  /** The request that used the socket last. */
  _httpMessage?: ClientRequest | null;
}

/**
 * Makes an agent keep its idle sockets in the `idle` option of their requests. Without this option, they are closed.
 * @param keepMsOf how long a socket is kept, ms; it is closed at once if this is not above 0.
 */
export function keepInOptions(agent: Agent, keepMsOf: (socket: Socket) => number): void {
  const extended = agent as ExtendableAgent;
  const connect = extended.addRequest.bind(extended);
  extended.addRequest = (request, options, ...more) => {
    const socket = options.idle?.take();
    if (!socket) {
      connect(request, options, ...more);
      return;
    }
    request.reusedSocket = true;
    request.onSocket(socket);
  };
  // The agent's own listener gives a free socket to the next request that waits for one.
  const serveNext = extended.listeners('free');
  extended.removeAllListeners('free');
  extended.on('free', (socket: UsedSocket, options: PooledOptions) => {
    if (isAwaited(extended, options)) {
      for (const listener of serveNext) listener.call(extended, socket, options);
      return;
    }
    const keepMs = keepMsOf(socket);
    if (!options.idle || !socket.writable || socket._httpMessage?.shouldKeepAlive !== true || keepMs <= 0) {
      socket.destroy();
      return;
    }
    socket._httpMessage = null;
    options.idle.keep(socket, keepMs);
  });
}

/** Whether a request waits for a socket with these options, because the maximum number of sockets is reached. */
function isAwaited(agent: ExtendableAgent, options: PooledOptions): boolean {
  return Object.keys(agent.requests).length > 0 && agent.requests[agent.getName(options)] !== undefined;
}
