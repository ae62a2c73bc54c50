// The raw server that every client is measured against: minimal, and with the same work for all clients.
//   node test/bench/server.mjs stdio [tools]      newline-framed stdio
//   node test/bench/server.mjs http [tools]       prints its port; POST /mcp (JSON), /mcp-sse (event stream), GET /sse + POST /messages, WebSocket /ws;
//                                                 GET /connections returns the number of opened connections
// The last tool of every catalog is `echo`.
import http from 'node:http';

const [mode, toolCount = '10'] = process.argv.slice(2);

const bigTexts = new Map();
/** A result with one text of `bytes` bytes, serialized once. */
function bigResult(bytes) {
  if (!bigTexts.has(bytes)) {
    const line = 'The quick brown fox jumps over the lazy dog — naïve café; "quoted"\tand\\escaped.\n';
    const text = line.repeat(Math.ceil(bytes / Buffer.byteLength(JSON.stringify(line).slice(1, -1))));
    bigTexts.set(bytes, Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] })));
  }
  return bigTexts.get(bytes);
}

const pageSize = 100;
const lists = new Map();
/** Pages of a catalog of `count` tools, about 1.2 KB each; on request every fifth has an output schema. */
function pagesOf(count, withOutput) {
  const key = `${count}/${withOutput}`;
  if (lists.has(key)) return lists.get(key);
  const echo = {
    name: 'echo',
    description: 'Says the text again.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  };
  const tool = (i) => (i === count - 1 ? echo : issueTool(i));
  const issueTool = (i) => ({
    name: `list_issue_${i}`,
    title: `List issues ${i}`,
    description: `Lists the issues of a repository that match a filter, newest first, number ${i}. `.repeat(6),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        ['owner', 'repository', 'state', 'labels', 'since'].map((name) => [
          name,
          { type: 'string', description: `The ${name} to filter by.` },
        ]),
      ),
      required: ['owner', 'repository'],
    },
    ...(withOutput && i % 5 === 0
      ? {
          outputSchema: {
            type: 'object',
            properties: {
              items: {
                type: 'array',
                items: { type: 'object', properties: { n: { type: 'integer' }, [`f${i}`]: { type: 'string' } } },
              },
            },
            required: ['items'],
          },
        }
      : {}),
  });
  const pages = [];
  for (let start = 0; start < count; start += pageSize) {
    const tools = Array.from({ length: Math.min(pageSize, count - start) }, (_, i) => tool(start + i));
    pages.push(
      JSON.stringify(start + pageSize < count ? { tools, nextCursor: String(start / pageSize + 1) } : { tools }),
    );
  }
  lists.set(key, pages);
  return pages;
}

/** Handles one request: `reply(id, resultText)`, `notify(text)`, `refuse(id)`. */
function handle({ id, method, params }, state, reply, notify, refuse) {
  if (id === undefined) return;
  if (method === 'initialize') {
    reply(
      id,
      `{"protocolVersion":${JSON.stringify(params.protocolVersion)},"capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"raw","version":"1"}}`,
    );
  } else if (method === 'ping' || method === 'logging/setLevel') reply(id, '{}');
  else if (method === 'tools/list') reply(id, pagesOf(state.tools, state.output)[Number(params?.cursor ?? 0)]);
  else if (method !== 'tools/call') refuse(id);
  else {
    const args = params.arguments ?? {};
    if (params.name === 'echo') reply(id, `{"content":[{"type":"text","text":${JSON.stringify(args.text)}}]}`);
    else if (params.name === 'big') reply(id, bigResult(args.bytes));
    else if (params.name === 'configure') {
      Object.assign(state, args);
      pagesOf(state.tools, state.output);
      reply(id, '{"content":[]}');
    } else if (params.name === 'flood') {
      const token = JSON.stringify(params._meta?.progressToken);
      for (let i = 0; i < args.n; i++) {
        notify(
          i % 2
            ? `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${i},"total":${args.n}}}`
            : `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":{"i":${i}}}}`,
        );
      }
      reply(id, '{"content":[{"type":"text","text":"done"}]}');
    } else reply(id, '{"content":[{"type":"text","text":"ok"}],"structuredContent":{"items":[]}}');
  }
}

const result = (id, text) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
const unknown = (id) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}`;
const freshState = () => ({ tools: Number(toolCount), output: false });

if (mode === 'stdio') {
  const state = freshState();
  let rest = '';
  let out = [];
  const flush = () => {
    if (out.length > 0) process.stdout.write(out.join(''));
    out = [];
  };
  const line = (text) => {
    out.push(`${text}\n`);
    if (out.length > 500) flush();
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    rest += chunk;
    let start = 0;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
      handle(
        JSON.parse(rest.slice(start, end)),
        state,
        (id, text) => line(result(id, text)),
        line,
        (id) => line(unknown(id)),
      );
      start = end + 1;
    }
    rest = rest.slice(start);
    flush();
  });
  process.stdin.on('end', () => process.exit(0));
} else {
  const { WebSocketServer } = await import('ws');
  const states = new Map();
  const streams = new Map();
  let next = 1;
  let connections = 0;
  const event = (text) => `event: message\ndata: ${text}\n\n`;
  const server = http.createServer((request, response) => {
    if (request.method === 'GET' && request.url.startsWith('/sse')) {
      const id = String(next++);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?s=${id}\n\n`);
      streams.set(id, { response, state: freshState() });
      response.on('close', () => streams.delete(id));
      return;
    }
    if (request.method === 'GET' && request.url === '/connections') {
      response.end(String(connections));
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString());
      if (request.url.startsWith('/messages')) {
        response.writeHead(202).end();
        const { response: stream, state } = streams.get(request.url.split('s=')[1]);
        const texts = [];
        handle(
          message,
          state,
          (id, text) => texts.push(event(result(id, text))),
          (text) => texts.push(event(text)),
          (id) => texts.push(event(unknown(id))),
        );
        stream.write(texts.join(''));
        return;
      }
      let session = request.headers['mcp-session-id'];
      const headers = {};
      if (message.method === 'initialize') {
        session = headers['mcp-session-id'] = `s${next++}`;
        states.set(session, freshState());
      }
      if (message.id === undefined) {
        response.writeHead(202, headers).end();
        return;
      }
      const state = states.get(session) ?? freshState();
      if (request.url.startsWith('/mcp-sse')) {
        response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
        const texts = [];
        handle(
          message,
          state,
          (id, text) => texts.push(event(result(id, text))),
          (text) => texts.push(event(text)),
          (id) => texts.push(event(unknown(id))),
        );
        response.end(texts.join(''));
        return;
      }
      const send = (text) =>
        response
          .writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
          .end(text);
      handle(
        message,
        state,
        (id, text) => send(result(id, text)),
        () => undefined,
        (id) => send(unknown(id)),
      );
    });
  });
  server.on('connection', () => connections++);
  server.keepAliveTimeout = 60_000;
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, handleProtocols: () => 'mcp' });
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const state = freshState();
      ws.on('message', (data) =>
        handle(
          JSON.parse(data.toString()),
          state,
          (id, text) => ws.send(result(id, text)),
          (text) => ws.send(text),
          (id) => ws.send(unknown(id)),
        ),
      );
    }),
  );
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.on('end', () => process.exit(0)).resume();
}
