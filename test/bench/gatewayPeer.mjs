// The programs behind the benchmark of the gateway, with as little work as possible:
//   node test/bench/gatewayPeer.mjs legacy | modern [silent]     a stdio server with the tool `echo`; a silent one never answers
//   node test/bench/gatewayPeer.mjs legacy | modern http         the same over HTTP; prints its URL
//   node test/bench/gatewayPeer.mjs floor <url>                  passes bytes on to this URL; prints its own
//   node test/bench/gatewayPeer.mjs minimal <url>                reads and writes each message on the way, but checks nothing
import http from 'node:http';
import readline from 'node:readline';

const [role, way] = process.argv.slice(2);
const isModern = role === 'modern';
const serverInfo = { name: `echo-${role}`, version: '1' };
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const results = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }),
  'server/discover': () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: `echo_${role}`, inputSchema }] }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
};
delete results[isModern ? 'initialize' : 'server/discover'];

/** The text of the answer; undefined for a notification. */
function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const result = results[method]?.(params);
  const extra = isModern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  return JSON.stringify(
    result
      ? { jsonrpc: '2.0', id, result: { ...extra, ...result } }
      : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } },
  );
}

function serve(listener) {
  const server = http.createServer(listener);
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

/** Calls `done` with the body of a request or response. */
function readBody(stream, done) {
  let body = '';
  stream.setEncoding('utf8').on('data', (part) => (body += part));
  stream.on('end', () => done(body));
}

if (role === 'floor' || role === 'minimal') {
  const { hostname, port, pathname, host } = new URL(way);
  const agent = new http.Agent({ keepAlive: true });
  serve((request, response) => {
    const { method, headers } = request;
    const options = { agent, hostname, port, path: pathname, method, headers: { ...headers, host } };
    const onward = http.request(options, (answered) => {
      response.writeHead(answered.statusCode, answered.headers);
      if (role === 'floor') answered.pipe(response);
      else readBody(answered, (body) => response.end(body === '' ? '' : JSON.stringify(JSON.parse(body))));
    });
    if (role === 'floor') request.pipe(onward);
    else readBody(request, (body) => onward.end(body === '' ? '' : JSON.stringify(JSON.parse(body))));
  });
} else if (way === 'http') {
  serve((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    readBody(request, (body) => {
      const text = answer(JSON.parse(body));
      if (text === undefined) response.writeHead(202).end();
      else {
        const length = Buffer.byteLength(text);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(text);
      }
    });
  });
} else {
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const text = way === 'silent' ? undefined : answer(JSON.parse(line));
    if (text !== undefined) process.stdout.write(`${text}\n`);
  });
}
