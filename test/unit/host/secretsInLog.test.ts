import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { headlessHost } from '../../support/headlessHost.js';
import { startProtectedServer } from '../../support/protectedMcp.js';
import { signInHost } from '../../support/signInHost.js';
import { until } from '../../support/httpUntil.js';

interface Request {
  id?: number;
  method: string;
  params?: { name?: string };
}

function events(...messages: object[]): string {
  return messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join('');
}

test('[S3] a token of a sign-in that the server repeats is masked in its log and in errors', async (t) => {
  const server = await startProtectedServer();
  t.after(() => server.stop());
  const { serve } = server.behaviour;
  server.behaviour.scopesFor = () => [];
  server.behaviour.serve = (entry, response, scopes) => {
    const { id, method, params } = (entry.body === '' ? {} : JSON.parse(entry.body)) as Partial<Request>;
    if (method !== 'tools/call') return serve?.(entry, response, scopes);
    const token = String(entry.headers.authorization).replace(/^\S+ /, '');
    if (params?.name === 'write') return void response.writeHead(500, { 'content-type': 'text/plain' }).end(token);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const log = { method: 'notifications/message', params: { level: 'error', data: `token is ${token}` } };
    response.end(
      `${events(log)}data: not JSON ${token}\n\n${events({ id, error: { code: -32_000, message: token } })}`,
    );
  };
  const { host, logged } = signInHost({ servers: { vault: { type: 'http', url: server.url, protocol: 'legacy' } } });
  t.after(() => host.close());
  await host.open();
  await host.lifecycle.start('vault');
  const tokens = [...server.accessTokens.keys()];
  assert.ok(tokens.length > 0);
  for (const tool of ['whoami', 'write']) {
    const error: unknown = await host.calls.runTool({ server: 'vault', tool, arguments: {} }, { caller: 'user' }).then(
      () => undefined,
      (refusal: unknown) => refusal,
    );
    assert.ok(error instanceof Error);
    const shown = `${error.message} ${JSON.stringify((error as { data?: unknown }).data)}`;
    assert.ok(!tokens.some((token) => shown.includes(token)), shown);
  }
  await until(() => logged.some((line) => line.includes('token is')));
  assert.deepEqual(
    logged.filter((line) => tokens.some((token) => line.includes(token))),
    [],
  );
  assert.ok(logged.some((line) => line.includes('token is •••')));
});

describe('[S3] a server that repeats its address and headers finds no secret of them in its log:', () => {
  const secret = 'SECRET-value-number-1';
  const definitions: Record<string, (url: string) => object> = {
    'a parameter of the address': (url) => ({ url: `${url}?api_key=${secret}` }),
    'a variable in the address': (url) => ({ url: `${url}?k=\${env:KEY}` }),
    'a header': (url) => ({ url, headers: { 'X-Api-Key': secret } }),
    'a cookie': (url) => ({ url, headers: { Cookie: `theme=dark; sid=${secret}; b=2` } }),
    'the password of a header': (url) => ({
      url,
      headers: { Authorization: `Basic ${Buffer.from(`me:${secret}`).toString('base64')}` },
    }),
  };
  for (const [name, definition] of Object.entries(definitions))
    test(name, async (t) => {
      const { host, logs } = headlessHost({
        servers: { s: { type: 'http', protocol: 'legacy', ...definition(await startEcho(t)) } },
        ports: { machine: { ...machine, env: { ...machine.env, KEY: secret } } },
      });
      t.after(() => host.close());
      await host.open();
      await host.lifecycle.start('s');
      await until(() => (logs.get('s') ?? []).some((line) => line.includes('got /mcp')));
      assert.deepEqual(
        (logs.get('s') ?? []).filter((line) => line.includes(secret)),
        [],
      );
    });
});

test('[S3] a local server that repeats its arguments finds no secret of them in its log', async (t) => {
  const secret = 'SECRET-value-number-1';
  const args = [
    `--api-key=${secret}1`,
    '--token',
    `${secret}2`,
    `db://me:${secret}3@host/x`,
    '--header',
    `Authorization: Bearer ${secret}4`,
    '--auth-mode=oauth2',
  ];
  const code = 'console.error(process.argv.join(" ").replace(/Bearer|me:/g, "")); process.stdin.resume();';
  const { host, logs } = headlessHost({
    servers: { s: { command: process.execPath, args: ['-e', code, '--', ...args], timeoutMs: 1_000 } },
  });
  t.after(() => host.close());
  await host.open();
  const start = host.lifecycle.start('s');
  await until(() => (logs.get('s') ?? []).some((line) => line.includes('--auth-mode=oauth2')));
  await host.lifecycle.stop('s');
  await assert.rejects(start);
  assert.deepEqual(
    (logs.get('s') ?? []).filter((line) => line.includes(secret)),
    [],
  );
});

const machine = {
  env: { PATH: process.env['PATH'] } as NodeJS.ProcessEnv,
  platform: process.platform,
  userHome: process.cwd(),
  readFile: () => Promise.reject(new Error('There are no files.')),
  folders: () => [],
  getSetting: () => undefined,
  isSetByWorkspace: () => false,
};

/** A legacy server that logs the address, the headers, and the decoded credentials of each request for its tools. */
async function startEcho(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as Request;
      if (id === undefined) return void response.writeHead(202).end();
      const { headers, url = '' } = request;
      const decoded = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
      const cookies = (headers.cookie ?? '').split('; ').map((one) => one.split('=').at(-1));
      const data = `got ${url} ${decodeURIComponent(url)} ${JSON.stringify(headers)} ${decoded} ${cookies.join(' ')}`;
      const result =
        method === 'initialize'
          ? {
              protocolVersion: '2025-11-25',
              capabilities: { tools: {}, logging: {} },
              serverInfo: { name: 'x', version: '1' },
            }
          : { tools: [] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events({ method: 'notifications/message', params: { level: 'error', data } }, { id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
