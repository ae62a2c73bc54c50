// A server built with the official SDK 1.x, on the transport given on the command line:
//   node test/support/interopSdk1.mjs stdio | http | http-json | http-stateless | sse | ws | unix <path> | socket <path>
// All except stdio print `listening <url>`. HTTP sessions can be resumed. POST /forget drops all sessions, and GET
// /count returns their number.
import http from 'node:http';
import net from 'node:net';
import { randomUUID } from 'node:crypto';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  JSONRPCMessageSchema,
  ListResourcesRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { WebSocketServer } from 'ws';
import { z } from 'zod';

const [way = 'stdio', place] = process.argv.slice(2);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
/** Number of canceled calls of `wait` in this process. */
let aborted = 0;

function createServer() {
  const server = new McpServer(
    { name: 'interop-sdk1', version: '1.0.0', title: 'Interop' },
    {
      capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
      instructions: 'Use with care.',
    },
  );
  const subscribed = new Set();
  server.registerTool('echo', { description: 'Echoes', inputSchema: { text: z.string() } }, ({ text: value }) =>
    text(value),
  );
  server.registerTool(
    'add',
    { description: 'Adds', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({
      ...text(String(a + b)),
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('fail', { description: 'Fails', inputSchema: {} }, () => ({
    ...text('It failed.'),
    isError: true,
  }));
  server.registerTool(
    'steps',
    { description: 'Reports progress', inputSchema: { count: z.number() } },
    async ({ count }, extra) => {
      for (let progress = 1; progress <= count; progress++) {
        const progressToken = extra._meta?.progressToken;
        if (progressToken !== undefined)
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total: count, message: `step ${progress}` },
          });
      }
      return text('done');
    },
  );
  server.registerTool('wait', { description: 'Waits until it is given up', inputSchema: {} }, async (_args, extra) => {
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined)
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
    aborted++;
    return text('given up');
  });
  server.registerTool('aborted', { description: 'Counts what was given up', inputSchema: {} }, () =>
    text(String(aborted)),
  );
  server.registerTool('ask', { description: 'Asks', inputSchema: {} }, async (_args, extra) => {
    const answer = await server.server.elicitInput(
      {
        mode: 'form',
        message: 'Who?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      { relatedRequestId: extra.requestId },
    );
    return text(`${answer.action} ${answer.content?.name}`);
  });
  server.registerTool('sample', { description: 'Samples', inputSchema: {} }, async (_args, extra) => {
    const reply = await server.server.createMessage(
      { messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }], maxTokens: 10 },
      { relatedRequestId: extra.requestId },
    );
    return text(JSON.stringify(reply.content));
  });
  server.registerTool('roots', { description: 'Lists roots', inputSchema: {} }, async (_args, extra) => {
    const { roots } = await server.server.listRoots(undefined, { relatedRequestId: extra.requestId });
    return text(roots.map(({ uri }) => uri).join());
  });
  server.registerTool(
    'say',
    { description: 'Logs', inputSchema: { level: z.string(), data: z.string() } },
    async ({ level, data }, extra) => {
      await server.sendLoggingMessage({ level, data }, extra.sessionId);
      return text('said');
    },
  );
  server.registerTool('grow', { description: 'Adds a tool', inputSchema: {} }, () => {
    server.registerTool(`grown-${randomUUID()}`, { description: 'New', inputSchema: {} }, () => text('new'));
    return text('grown');
  });
  server.registerTool(
    'touch',
    { description: 'Changes a resource', inputSchema: { uri: z.string() } },
    async ({ uri }) => {
      if (subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
      return text(subscribed.has(uri) ? 'told' : 'nobody cares');
    },
  );
  // Ends the stream of its own request before it answers; the client must resume it to get the answer.
  server.registerTool('drop', { description: 'Loses its stream', inputSchema: {} }, async (_args, extra) => {
    extra.closeSSEStream?.();
    await new Promise((resolve) => setImmediate(resolve));
    return text('after the break');
  });
  server.registerResource('greeting', 'test://greeting', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'hello' }],
  }));
  server.registerResource(
    'item',
    new ResourceTemplate('test://item/{id}', {
      list: undefined,
      complete: { id: (value) => ['1', '12', '2'].filter((id) => id.startsWith(value)) },
    }),
    { mimeType: 'application/octet-stream' },
    (uri, { id }) => ({ contents: [{ uri: uri.href, blob: Buffer.from(String(id)).toString('base64') }] }),
  );
  server.registerPrompt(
    'greet',
    {
      description: 'Greets',
      argsSchema: {
        name: completable(z.string(), (value, context) => [`${value}!`, context?.arguments?.city ?? 'nowhere']),
        city: z.string().optional(),
      },
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
  );
  // Five resources, two to a page.
  server.server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const start = Number(params?.cursor ?? 0);
    const resources = Array.from({ length: 5 }, (_item, i) => ({
      uri: i === 0 ? 'test://greeting' : `test://item/${i}`,
      name: `r${i}`,
    })).slice(start, start + 2);
    return { resources, ...(start + 2 < 5 ? { nextCursor: String(start + 2) } : {}) };
  });
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => (subscribed.add(params.uri), {}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => (subscribed.delete(params.uri), {}));
  return server;
}

/** The SDK has no server side for WebSockets; this is the minimum. */
class SocketTransport {
  constructor(socket) {
    this.socket = socket;
  }
  start() {
    this.socket.on('message', (data) => this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(data.toString()))));
    this.socket.on('close', () => this.onclose?.());
    return Promise.resolve();
  }
  send(message) {
    this.socket.send(JSON.stringify(message));
    return Promise.resolve();
  }
  close() {
    this.socket.close();
    return Promise.resolve();
  }
}

const sessions = new Map();

async function serveStreamable(request, response) {
  if (request.url === '/forget') {
    sessions.clear();
    response.end();
    return;
  }
  if (request.url === '/count') {
    response.end(String(sessions.size));
    return;
  }
  if (way === 'http-stateless') {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    const server = createServer();
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
    return;
  }
  const id = request.headers['mcp-session-id'];
  let transport = sessions.get(id);
  if (!transport && id !== undefined) {
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }));
    return;
  }
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: way === 'http-json',
      ...(way === 'http' ? { eventStore: new InMemoryEventStore(), retryInterval: 10 } : {}),
      onsessioninitialized: (newId) => void sessions.set(newId, transport),
      onsessionclosed: (oldId) => void sessions.delete(oldId),
    });
    await createServer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

async function serveSse(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (request.method === 'GET' && url.pathname === '/sse') {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    response.on('close', () => sessions.delete(transport.sessionId));
    await createServer().connect(transport);
    return;
  }
  const transport = sessions.get(url.searchParams.get('sessionId'));
  if (request.method === 'POST' && transport) await transport.handlePostMessage(request, response);
  else response.writeHead(url.pathname === '/sse' ? 405 : 404).end();
}

if (way === 'stdio') {
  await createServer().connect(new StdioServerTransport());
} else if (way === 'socket') {
  const sockets = net.createServer((socket) => void createServer().connect(new StdioServerTransport(socket, socket)));
  sockets.listen(place, () => console.log(`listening ${place}`));
} else if (way === 'ws') {
  const sockets = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: (names) => (names.has('mcp') ? 'mcp' : false),
  });
  sockets.on('connection', (socket) => void createServer().connect(new SocketTransport(socket)));
  sockets.on('listening', () => console.log(`listening ws://127.0.0.1:${sockets.address().port}/`));
} else {
  const serve = way === 'sse' ? serveSse : serveStreamable;
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  if (way === 'unix') server.listen(place, () => console.log(`listening ${place}`));
  else
    server.listen(0, '127.0.0.1', () =>
      console.log(`listening http://127.0.0.1:${server.address().port}${way === 'sse' ? '/sse' : '/mcp'}`),
    );
}
