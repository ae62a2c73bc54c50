import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerOptions, WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { privateKey } from './httpTestCertificate.js';

export interface WsTestServerOptions {
  /** Answers the upgrade itself; returns true if it did. */
  onUpgrade?: (request: IncomingMessage, socket: Duplex) => boolean;
  /** Receives each parsed message. Default: an empty result for requests. */
  onMessage?: (message: any, socket: WebSocket) => void;
  onConnection?: (socket: WebSocket) => void;
  server?: ServerOptions;
  /** Where to listen; default 127.0.0.1. */
  host?: string;
  /** Default: any free port. */
  port?: number;
  /** Uses TLS with this certificate. */
  certificate?: string;
}

/** A WebSocket server that uses the sub-protocol `mcp` and answers as the test defines. */
export class WsTestServer {
  readonly upgrades: IncomingMessage[] = [];
  readonly sockets: WebSocket[] = [];
  /** Close codes that the server received. */
  readonly closeCodes: number[] = [];
  private readonly http: http.Server;
  private readonly raw = new Set<Duplex>();

  private constructor(private readonly options: WsTestServerOptions) {
    const refuse = (_request: IncomingMessage, response: http.ServerResponse) => void response.writeHead(426).end();
    this.http =
      options.certificate === undefined
        ? http.createServer(refuse)
        : https.createServer({ key: privateKey, cert: options.certificate }, refuse);
    const server = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => (offered.has('mcp') ? 'mcp' : false),
      ...options.server,
    });
    this.http.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
      this.upgrades.push(request);
      this.raw.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.raw.delete(socket));
      if (options.onUpgrade?.(request, socket)) {
        // These sockets are unread and half-open, so they would not close when the client does.
        socket.resume();
        socket.on('end', () => socket.end());
        return;
      }
      server.handleUpgrade(request, socket, head, (ws) => {
        this.sockets.push(ws);
        ws.on('error', () => undefined);
        ws.on('close', (code) => this.closeCodes.push(code));
        ws.on('message', (data: Buffer) => {
          const message = JSON.parse(data.toString('utf8'));
          if (options.onMessage) options.onMessage(message, ws);
          else if (message.id !== undefined)
            ws.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { method: message.method } }));
        });
        options.onConnection?.(ws);
      });
    });
  }

  static async start(options: WsTestServerOptions = {}): Promise<WsTestServer> {
    const server = new WsTestServer(options);
    await new Promise<void>((resolve) => server.http.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    const { host = '127.0.0.1', certificate } = this.options;
    return `${certificate === undefined ? 'ws' : 'wss'}://${host}:${(this.http.address() as AddressInfo).port}/mcp`;
  }

  get openConnections(): number {
    return this.raw.size;
  }

  async close(): Promise<void> {
    for (const socket of this.raw) socket.destroy();
    await new Promise((resolve) => this.http.close(resolve));
  }
}
