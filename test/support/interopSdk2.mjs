// A server built with the official SDK 2.x, which serves both eras, on the transport given on the command line:
//   node test/support/interopSdk2.mjs stdio | http | http-modern | http-sse | unix <path> | socket <path>
// All except stdio print `listening <url>`. http-modern refuses the legacy era; http-sse always answers with a stream.
import http from 'node:http';
import net from 'node:net';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [way = 'stdio', place] = process.argv.slice(2);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
let aborted = 0;
/** On HTTP the handler sends change notifications, because every request has its own server. */
let handler;
let grown = 0;

/** @param era on a pipe one server serves one client; the legacy era keeps its own subscriptions there. */
function createServer({ era }) {
  const subscribed = new Set();
  const server = new McpServer(
    { name: 'interop-sdk2', version: '1.0.0', title: 'Interop' },
    {
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
      },
      instructions: 'Use with care.',
    },
  );
  const progress = (ctx, params) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    return progressToken === undefined
      ? Promise.resolve()
      : ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...params } });
  };
  server.registerTool(
    'echo',
    { description: 'Echoes', inputSchema: z.object({ text: z.string() }) },
    ({ text: value }) => text(value),
  );
  server.registerTool(
    'add',
    {
      description: 'Adds',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({
      ...text(String(a + b)),
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('fail', { description: 'Fails', inputSchema: z.object({}) }, () => ({
    ...text('It failed.'),
    isError: true,
  }));
  server.registerTool(
    'steps',
    { description: 'Reports progress', inputSchema: z.object({ count: z.number() }) },
    async ({ count }, ctx) => {
      for (let step = 1; step <= count; step++)
        await progress(ctx, { progress: step, total: count, message: `step ${step}` });
      return text('done');
    },
  );
  server.registerTool(
    'wait',
    { description: 'Waits until it is given up', inputSchema: z.object({}) },
    async (_args, ctx) => {
      await progress(ctx, { progress: 1 });
      await new Promise((resolve) => ctx.mcpReq.signal.addEventListener('abort', resolve));
      aborted++;
      return text('given up');
    },
  );
  server.registerTool('aborted', { description: 'Counts what was given up', inputSchema: z.object({}) }, () =>
    text(String(aborted)),
  );
  const who = z.object({ name: z.string() });
  server.registerTool('ask', { description: 'Asks', inputSchema: z.object({}) }, (_args, ctx) => {
    const { inputResponses } = ctx.mcpReq;
    if (!inputResponses)
      return inputRequired({
        inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: who }) },
        requestState: 'state "ü" ',
      });
    const answer = acceptedContent(inputResponses, 'who');
    return text(answer ? `accept ${answer.name}` : JSON.stringify(inputResponse(inputResponses, 'who')));
  });
  server.registerTool('sample', { description: 'Samples', inputSchema: z.object({}) }, (_args, ctx) => {
    const { inputResponses } = ctx.mcpReq;
    if (!inputResponses) {
      return inputRequired({
        inputRequests: {
          reply: inputRequired.createMessage({
            messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }],
            maxTokens: 10,
          }),
        },
        requestState: 's',
      });
    }
    return text(JSON.stringify(inputResponses.reply));
  });
  server.registerTool('roots', { description: 'Lists roots', inputSchema: z.object({}) }, (_args, ctx) => {
    const { inputResponses } = ctx.mcpReq;
    if (!inputResponses)
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() }, requestState: 'r' });
    return text(JSON.stringify(inputResponses.roots));
  });
  server.registerTool(
    'say',
    { description: 'Logs', inputSchema: z.object({ level: z.string(), data: z.string() }) },
    async ({ level, data }, ctx) => {
      await ctx.mcpReq.log(level, data);
      return text('said');
    },
  );
  server.registerTool('grow', { description: 'Adds a tool', inputSchema: z.object({}) }, () => {
    grown++;
    if (handler) handler.notify.toolsChanged();
    else
      server.registerTool(`grown-${randomUUID()}`, { description: 'New', inputSchema: z.object({}) }, () =>
        text('new'),
      );
    return text('grown');
  });
  server.registerTool(
    'touch',
    { description: 'Changes a resource', inputSchema: z.object({ uri: z.string() }) },
    async ({ uri }) => {
      if (handler) handler.notify.resourceUpdated(uri);
      else if (era === 'modern' || subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
      return text('told');
    },
  );
  for (let i = 0; i < grown && handler; i++)
    server.registerTool(`grown-${i}`, { description: 'New', inputSchema: z.object({}) }, () => text('new'));
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
      argsSchema: z.object({
        name: completable(z.string(), (value, context) => [`${value}!`, context?.arguments?.city ?? 'nowhere']),
        city: z.string().optional(),
      }),
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
  );
  // Five resources, two to a page.
  server.server.setRequestHandler('resources/list', ({ params }) => {
    const start = Number(params?.cursor ?? 0);
    const resources = Array.from({ length: 5 }, (_item, i) => ({
      uri: i === 0 ? 'test://greeting' : `test://item/${i}`,
      name: `r${i}`,
    })).slice(start, start + 2);
    return { resources, ...(start + 2 < 5 ? { nextCursor: String(start + 2) } : {}) };
  });
  // On HTTP and in the modern era the SDK handles the subscriptions itself.
  server.server.setRequestHandler('resources/subscribe', ({ params }) => (subscribed.add(params.uri), {}));
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => (subscribed.delete(params.uri), {}));
  return server;
}

/** Converts Node's request to the Web's, and the Web's response to Node's. */
async function serve(request, response) {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answer = await handler.fetch(
    new Request(`http://${request.headers.host ?? 'localhost'}${request.url}`, {
      method: request.method,
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      signal: abort.signal,
      ...(hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {}),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  if (!answer.body) response.end();
  else
    Readable.fromWeb(answer.body)
      .on('error', () => response.destroy())
      .pipe(response);
}

if (way === 'stdio') {
  serveStdio(createServer);
} else if (way === 'socket') {
  const sockets = net.createServer(
    (socket) => void serveStdio(createServer, { transport: new StdioServerTransport(socket, socket) }),
  );
  sockets.listen(place, () => console.log(`listening ${place}`));
} else {
  handler = createMcpHandler(createServer, {
    legacy: way === 'http-modern' ? 'reject' : 'stateless',
    responseMode: way === 'http-sse' ? 'sse' : 'auto',
  });
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  if (way === 'unix') server.listen(place, () => console.log(`listening ${place}`));
  else server.listen(0, '127.0.0.1', () => console.log(`listening http://127.0.0.1:${server.address().port}/mcp`));
}
