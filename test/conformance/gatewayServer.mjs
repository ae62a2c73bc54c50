// The gateway in front of the server that the official suite tests, for `runServer.mjs`:
//   node test/conformance/runServer.mjs --server test/conformance/gatewayServer.mjs
// Prints `listening <url>`. The suite sends no token, so a small proxy adds the gateway's token to each request and
// translates its own port in `Host` and `Origin`. Everything else is passed on unchanged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-gateway-'));
const children = [];

async function firstLine(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return line;
}

function end() {
  for (const child of children) child.kill();
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
process.once('SIGTERM', end);
process.once('SIGINT', end);

const behind = (await firstLine([path.join(top, 'dist/test/fixtureServer.mjs')])).replace(/^listening /, '');
// The gateway stores names here, and not in the folder of the user.
process.env.XDG_STATE_HOME = folder;
const config = path.join(folder, 'mcp.json');
fs.writeFileSync(config, JSON.stringify({ servers: { fixture: { type: 'http', url: behind } } }));
const { url, token } = JSON.parse(await firstLine([path.join(top, 'dist/gateway.mjs'), '--config', config]));
const gateway = new URL(url);

const proxy = http.createServer((request, response) => {
  const { port } = proxy.address();
  const translate = (text) =>
    text?.replace(/^((?:http:\/\/)?(?:localhost|127\.0\.0\.1)):(\d+)$/, (whole, name, given) =>
      Number(given) === port ? `${name}:${gateway.port}` : whole,
    );
  const headers = { ...request.headers, authorization: `Bearer ${token}`, host: translate(request.headers.host) };
  if (request.headers.origin !== undefined) headers.origin = translate(request.headers.origin);
  const onward = http.request(
    { host: gateway.hostname, port: gateway.port, path: request.url, method: request.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    },
  );
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
});
proxy.listen(0, '127.0.0.1', () =>
  console.log(`listening http://127.0.0.1:${proxy.address().port}${gateway.pathname}`),
);
