// Lightweight servers for the soak, so that hundreds run beside the host on one machine:
//   node test/bench/soakServer.mjs stdio           one server on stdio
//   node test/bench/soakServer.mjs net             many servers in one process: /http/<n> (Streamable HTTP) and /ws/<n>; prints its port
// Each offers 100 tools. A call of `stream` is answered by `steps` numbered progress and log messages over one second,
// then the result. At random times a server sends the notification that its list of tools changed.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const toolCount = 100;
const spreadMs = 1_000;
const bursts = 4;

const toolsText = JSON.stringify({
  tools: Array.from({ length: toolCount }, (_, i) => ({
    name: i === 0 ? 'stream' : `list_issues_${i}`,
    description: `Lists the issues of a repository that match a filter, newest first, number ${i}.`,
    inputSchema: {
      type: 'object',
      properties: { owner: { type: 'string' }, repository: { type: 'string' }, steps: { type: 'integer' } },
    },
  })),
});

/** Answers one message of a client with `send`, which takes serialized messages. Calls `done` after the last one. */
function handle({ id, method, params }, send, done = () => undefined) {
  if (id === undefined) return;
  const result = (text) => {
    send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`);
    done();
  };
  switch (method) {
    case 'initialize':
      return result(
        JSON.stringify({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true }, logging: {} },
          serverInfo: { name: 'soak', version: '1' },
        }),
      );
    case 'tools/list':
      return result(toolsText);
    case 'tools/call':
      return stream(params, send, () => result('{"content":[{"type":"text","text":"done"}]}'));
    case 'ping':
    case 'logging/setLevel':
      return result('{}');
    default:
      send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
      return done();
  }
}

/** `steps` messages in bursts, every fifth a log message, the rest progress. */
function stream({ arguments: { steps }, _meta }, send, finish) {
  const token = JSON.stringify(_meta?.progressToken ?? 0);
  let step = 0;
  const timer = setInterval(() => {
    const until = Math.min(steps, step + Math.ceil(steps / bursts));
    for (; step < until;) {
      step++;
      if (step % 5 === 0)
        send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"step ${step}"}}`);
      else
        send(
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${step},"total":${steps}}}`,
        );
    }
    if (step < steps) return;
    clearInterval(timer);
    finish();
  }, spreadMs / bursts);
}

/** Calls `tell` with a list-changed notification at random intervals, on average once per `everyMs`. */
function changeNowAndThen(tell, everyMs = 120_000) {
  const next = () =>
    setTimeout(
      () => (tell('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'), (timer = next())),
      everyMs * (0.5 + Math.random()),
    ).unref();
  let timer = next();
  return () => clearTimeout(timer);
}

function serveStdio() {
  const send = (text) => process.stdout.write(`${text}\n`);
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) handle(JSON.parse(line), send);
  });
  process.stdin.on('end', () => process.exit(0));
  changeNowAndThen(send);
}

function serveNet() {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      response.on(
        'close',
        changeNowAndThen((text) => response.write(`data: ${text}\n\n`)),
      );
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
      if (message.id === undefined) response.writeHead(202).end();
      else if (message.method === 'tools/call') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        handle(
          message,
          (text) => response.write(`data: ${text}\n\n`),
          () => response.end(),
        );
      } else handle(message, (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text));
    });
  });
  new WebSocketServer({ server, handleProtocols: () => 'mcp' }).on('connection', (socket) => {
    const send = (text) => socket.send(text);
    socket.on('message', (data) => handle(JSON.parse(String(data)), send));
    socket.on('close', changeNowAndThen(send));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.on('end', () => process.exit(0)).resume();
}

if (process.argv[2] === 'stdio') serveStdio();
else serveNet();
