/** The same small MCP server on each of the three remote transports, for tests of the network path. */
import type { IncomingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import type { SeenRequest } from './httpTestServer.js';
import { HttpTestServer, eventText, sendResult, startEvents } from './httpTestServer.js';
import { WsTestServer } from './wsTestServer.js';

interface Message {
  id?: number;
  method?: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
}

export interface RemoteEchoOptions {
  /** Where to listen; default 127.0.0.1. */
  host?: string;
  /** Default: any free port. */
  port?: number;
  /** Uses TLS with this certificate. */
  certificate?: string;
}

export interface RemoteEcho {
  port: number;
  /** The text of every tools/call received, in order. */
  calls: string[];
  /** Number of handshakes so far. */
  handshakes(): number;
  /** The headers of the first request. */
  firstHeaders(): IncomingHttpHeaders | undefined;
  close(): Promise<void>;
}

/** A call with this text is never answered. */
export const unanswered = 'never';

export type RemoteKind = 'http' | 'sse' | 'ws';

export async function startRemoteEcho(kind: RemoteKind, options: RemoteEchoOptions = {}): Promise<RemoteEcho> {
  const calls: string[] = [];
  let handshakes = 0;
  /** The result, or undefined for no answer. */
  const resultOf = ({ method, params }: Message): object | undefined => {
    switch (method) {
      case 'initialize':
        handshakes++;
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'echo', version: '1' },
        };
      case 'tools/list':
        return { tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }] };
      case 'tools/call': {
        const text = params?.arguments?.text ?? '';
        calls.push(text);
        return text === unanswered ? undefined : { content: [{ type: 'text', text }] };
      }
      default:
        return {};
    }
  };
  const shared = { calls, handshakes: () => handshakes };
  if (kind === 'ws') {
    const server = await WsTestServer.start({
      ...options,
      onMessage: (message: Message, socket: WebSocket) => {
        const result = message.id === undefined ? undefined : resultOf(message);
        if (result) socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      },
    });
    return {
      ...shared,
      firstHeaders: () => server.upgrades[0]?.headers,
      port: Number(new URL(server.url).port),
      close: () => server.close(),
    };
  }
  const server = await HttpTestServer.start(kind === 'http' ? streamable(resultOf) : overEvents(resultOf), {
    ...options,
    tls: options.certificate !== undefined,
  });
  return { ...shared, firstHeaders: () => server.seen[0]?.headers, port: server.port, close: () => server.close() };
}

function streamable(resultOf: (message: Message) => object | undefined) {
  return (seen: SeenRequest) => {
    if (seen.method === 'GET') startEvents(seen);
    else if (seen.method === 'DELETE') seen.response.writeHead(200).end();
    else if (seen.rpc?.id === undefined) seen.response.writeHead(202).end();
    else {
      const result = resultOf(seen.rpc);
      if (result) sendResult(seen, result, seen.rpc.method === 'initialize' ? { 'mcp-session-id': 'one' } : {});
    }
  };
}

function overEvents(resultOf: (message: Message) => object | undefined) {
  let stream: SeenRequest['response'] | undefined;
  return (seen: SeenRequest) => {
    if (seen.method === 'GET') {
      stream = startEvents(seen);
      stream.write(eventText('/messages', { event: 'endpoint' }));
      return;
    }
    seen.response.writeHead(202).end();
    const result = seen.rpc?.id === undefined ? undefined : resultOf(seen.rpc);
    if (result) stream?.write(eventText({ jsonrpc: '2.0', id: seen.rpc?.id, result }));
  };
}
