/**
 * An MCP server on loopback over WebSocket: one JSON-RPC message per text frame, subprotocol `mcp`, both eras. No
 * revision of the specification defines this transport; clients implement it this way. Pings are not sent, because a
 * connection on loopback is not lost without notice.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { exactJson } from '../base/jsonTokens.js';
import { messageOf } from '../base/hostError.js';
import { subprotocol } from '../transport/webSocketErrors.js';
import type { ClientConnection } from './clientConnection.js';
import { httpConnectionInfo } from './clientGate.js';
import { HeldRequests } from './heldRequests.js';
import { parseBody } from './httpGuards.js';
import { refuse, refuseUpgrade, tooMany } from './httpRefusals.js';
import type { LoopbackOptions } from './loopbackHttp.js';
import { LoopbackHttp } from './loopbackHttp.js';
import { maxUnread } from './servedEventStream.js';
import { unapprovedBodyBytes } from './unapprovedClients.js';

/** Time for a client to answer the close frame, in milliseconds. */
const closeMs = 1_000;

/** Why a connection is closed: a code of RFC 6455, section 7.4.1, and a text of at most 123 bytes. */
interface CloseReason {
  code: number;
  reason: string;
}

const binary: CloseReason = { code: 1003, reason: 'MCP messages are text.' };

export class WebSocketFront {
  private readonly http: LoopbackHttp;
  private readonly clients = new Map<WebSocket, ClientConnection>();
  private handshakes: WebSocketServer | undefined;
  private streams = 0;
  private isClosing = false;

  constructor(private readonly options: LoopbackOptions) {
    this.http = new LoopbackHttp(options, {
      path: options.path ?? '/mcp',
      refusalOf: () => undefined,
      serve: (_request, response) =>
        refuse(response, {
          status: 426,
          reason: 'This server supports WebSocket only.',
          headers: { upgrade: 'websocket' },
        }),
      upgrade: (request, socket, head) => this.upgrade(request, socket, head),
    });
  }

  /** Number of connected clients. */
  get sessionCount(): number {
    return this.clients.size;
  }

  /** Starts the server. Rejects if the token or the port cannot be used. @returns the URL to give to clients. */
  async listen(): Promise<{ url: string; port: number }> {
    const library = await import('ws');
    this.handshakes = new library.WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: this.http.maxBodyBytes,
      perMessageDeflate: false,
      handleProtocols: () => subprotocol,
    });
    const { url, port } = await this.http.listen();
    return { url: url.replace(/^http/, 'ws'), port };
  }

  /** Closes every connection and stops the server. Resolves when all sockets are closed. Idempotent. */
  async close(): Promise<void> {
    this.isClosing = true;
    const cut = this.http.clock.after(closeMs, () => {
      for (const socket of this.clients.keys()) socket.terminate();
    });
    await this.http.close(() => {
      for (const connection of [...this.clients.values()]) connection.close();
    });
    cut.dispose();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!offered.includes(subprotocol))
      refuseUpgrade(socket, { status: 400, reason: `The client must offer the subprotocol "${subprotocol}".` });
    else if (this.clients.size >= this.http.maxSessions)
      refuseUpgrade(socket, tooMany('Too many clients are connected.', 30));
    else this.handshakes?.handleUpgrade(request, socket, head, (webSocket) => this.serve(webSocket, request));
  }

  private serve(socket: WebSocket, request: IncomingMessage): void {
    const { server } = this.options;
    const { unapproved, unsent, log } = this.http;
    const peer = request.socket;
    const requests = new HeldRequests();
    const connection = server.accept(
      {
        send: (message) => {
          if (socket.readyState !== socket.OPEN) return;
          if (peer.writableLength > maxUnread) {
            socket.terminate();
            return;
          }
          socket.send(exactJson(message));
          unsent.wrote(peer);
        },
        ended: (id) => requests.ended(id),
      },
      {
        isShared: true,
        // Each connection is one client, so state that was given to one client is refused if it comes from another.
        principal: `websocket ${++this.streams}`,
        connectionInfo: {
          ...httpConnectionInfo(request.url),
          transport: 'ws',
          onAdmitted: () => unapproved.admitted(peer),
        },
      },
      () => socket.close(this.isClosing ? 1001 : 1000),
    );
    this.clients.set(socket, connection);
    socket.on('message', (data, isBinary) => {
      if (connection.isAdmitted) unapproved.admitted(peer);
      const mayBeLarge = !server.hasGate || !unapproved.has(peer);
      // The library passes one buffer, because its option `binaryType` has the default value.
      const problem = isBinary ? binary : this.receive(data as Buffer, mayBeLarge, connection, requests);
      if (problem) socket.close(problem.code, problem.reason);
    });
    // An error is followed by the event "close".
    socket.on('error', (error) => log.write('warn', `A WebSocket failed: ${messageOf(error)}`));
    socket.once('close', () => {
      this.clients.delete(socket);
      connection.close();
    });
  }

  /** Receives a message. Returns why the connection is closed, if it is. */
  private receive(
    data: Buffer,
    mayBeLarge: boolean,
    connection: ClientConnection,
    requests: HeldRequests,
  ): CloseReason | undefined {
    if (!mayBeLarge && data.length > unapprovedBodyBytes) return { code: 1009, reason: 'The message is too large.' };
    const bytes = this.http.openBytes.open();
    try {
      if (!bytes.take(data.length)) return { code: 1013, reason: 'The open requests are too large together.' };
      const body = parseBody(data);
      if (!('value' in body)) return { code: body.status === 413 ? 1009 : 1007, reason: body.reason };
      requests.receive(connection, body.value, bytes);
      return undefined;
    } finally {
      bytes.release();
    }
  }
}
