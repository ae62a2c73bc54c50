/** An HTTP proxy over real sockets: CONNECT, and forwarding of plain requests. */
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';
import { Duplex } from 'node:stream';

export interface ProxyBehaviour {
  /** The port of this machine for a host name; `same`: the requested port. Unknown names are answered with 502. */
  routes: Record<string, number | 'same'>;
  /** Required `user:password`. */
  credentials?: string;
  /** Answers every request with this status. */
  refuses?: number;
}

export class ProxyServer {
  /** Requests received: `CONNECT host:port`, `POST http://…`. */
  readonly requests: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: http.Server;

  private constructor(private readonly behaviour: ProxyBehaviour) {
    this.server = http.createServer((request, response) => this.forward(request, response));
    this.server.on('connect', (request: http.IncomingMessage, socket: Socket) => this.connect(request, socket));
    this.server.on('connection', (socket) => this.keep(socket));
  }

  static async start(behaviour: ProxyBehaviour): Promise<ProxyServer> {
    const proxy = new ProxyServer(behaviour);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** The target port of a request, or the status that refuses it. */
  private judge(
    { headers }: http.IncomingMessage,
    { hostname, port: asked }: URL,
  ): { port: number } | { status: number } {
    const { routes, credentials, refuses } = this.behaviour;
    if (refuses !== undefined) return { status: refuses };
    if (
      credentials !== undefined &&
      headers['proxy-authorization'] !== `Basic ${Buffer.from(credentials).toString('base64')}`
    )
      return { status: 407 };
    const port = routes[hostname];
    return port === undefined ? { status: 502 } : { port: port === 'same' ? Number(asked) : port };
  }

  private connect(request: http.IncomingMessage, socket: Socket): void {
    this.requests.push(`CONNECT ${request.url ?? ''}`);
    const verdict = this.judge(request, new URL(`https://${request.url ?? ''}`));
    if ('status' in verdict) {
      socket.end(`HTTP/1.1 ${verdict.status} ${http.STATUS_CODES[verdict.status] ?? ''}\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const beyond = net.connect(verdict.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      beyond.pipe(socket).pipe(beyond);
    });
    this.keep(beyond);
  }

  private forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    this.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const url = new URL(request.url ?? '/', 'http://nowhere');
    const verdict = this.judge(request, url);
    if ('status' in verdict) {
      request.resume();
      response.writeHead(verdict.status).end();
      return;
    }
    const beyond = net.connect(verdict.port, '127.0.0.1');
    this.keep(beyond);
    // Not the module's own `request`, which a test may have replaced.
    const onward = new http.ClientRequest(
      {
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: request.headers,
        createConnection: () => beyond,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }
}

/**
 * Patches node:http and node:https as VS Code does in its extension host: every request to a host for which `proxyFor`
 * returns a proxy goes through that proxy, regardless of the code that makes it.
 */
export function requestsThroughProxy(proxyFor: (hostname: string) => string | undefined): { dispose(): void } {
  const originals = { http: http.request, https: https.request };
  type Options = https.RequestOptions;
  const credentialsOf = ({ username, password }: URL): Record<string, string> =>
    username === ''
      ? {}
      : {
          'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
        };
  const plain = (options: Options, callback?: (response: http.IncomingMessage) => void) => {
    const proxy = proxyFor(options.hostname ?? '');
    if (proxy === undefined) return originals.http(options, callback);
    const url = new URL(proxy);
    const host = `${options.hostname ?? ''}:${options.port ?? 80}`;
    return originals.http(
      {
        ...options,
        agent: new http.Agent(),
        hostname: url.hostname,
        port: url.port,
        path: `http://${host}${options.path ?? '/'}`,
        headers: { ...(options.headers as http.OutgoingHttpHeaders), host, ...credentialsOf(url) },
      },
      callback,
    );
  };
  const secure = (options: Options, callback?: (response: http.IncomingMessage) => void) => {
    const proxy = proxyFor(options.hostname ?? '');
    if (proxy === undefined) return originals.https(options, callback);
    const url = new URL(proxy);
    const agent = new https.Agent();
    const direct = agent.createConnection.bind(agent) as (
      options: Options & { socket?: Duplex; servername?: string },
    ) => Duplex;
    agent.createConnection = ((wanted: Options, done: (error: Error | null, socket?: Duplex) => void) => {
      const connect = originals.http({
        method: 'CONNECT',
        hostname: url.hostname,
        port: url.port,
        path: `${wanted.hostname ?? wanted.host ?? ''}:${wanted.port ?? 443}`,
        headers: credentialsOf(url),
      });
      connect.once('connect', (answer, socket) => {
        if (answer.statusCode === 200) done(null, direct({ ...wanted, socket, servername: wanted.hostname ?? '' }));
        else
          done(
            null,
            replaying(`HTTP/1.1 ${answer.statusCode ?? 0} ${answer.statusMessage ?? ''}\r\nContent-Length: 0\r\n\r\n`),
          );
      });
      connect.once('error', (error) => done(error));
      connect.end();
    }) as unknown as typeof agent.createConnection;
    return originals.https({ ...options, agent }, callback);
  };
  Object.assign(http, { request: plain });
  Object.assign(https, { request: secure });
  return {
    dispose: () =>
      void (Object.assign(http, { request: originals.http }), Object.assign(https, { request: originals.https })),
  };
}

/** A connection whose other side sends one fixed answer, regardless of the input. */
function replaying(text: string): Duplex {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  socket.push(text);
  socket.push(null);
  return socket;
}
