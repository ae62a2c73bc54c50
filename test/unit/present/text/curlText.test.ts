import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { curlText } from '../../../../src/core/present/text/curlText.js';

const run = promisify(execFile);
const call = { server: 's', tool: "odd 'tool' $(touch x) é", arguments: { text: "it's `here` $HOME", n: 1 } };

interface Received {
  headers: IncomingHttpHeaders;
  body: { method: string; params: { name?: string; arguments?: unknown; _meta?: unknown } };
}

/** Runs the commands in a shell against a server that records the requests. */
async function received(make: (url: string) => string, env: Record<string, string>): Promise<Received[]> {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.setHeader('Mcp-Session-Id', 'session-1').setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await run('/bin/sh', ['-e', '-c', make(`http://127.0.0.1:${port}/mcp`)], {
      env: { PATH: process.env['PATH'] ?? '', no_proxy: '127.0.0.1', ...env },
      timeout: 20_000,
    });
    return got;
  } finally {
    server.close();
  }
}

// Windows has no POSIX shell to run it.
(process.platform === 'win32' ? () => undefined : describe)('a call as curl', () => {
  test('the stateless era is a single complete request', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'Count' } } };
    const [only, ...others] = await received(
      (url) =>
        curlText(
          call,
          { url, headers: { Authorization: 'Bearer ${input:token}' } },
          { era: 'modern', revision: '2026-07-28' },
          schema,
        ) ?? '',
      { MCP_TOKEN: 't0ken' },
    );
    assert.deepEqual(others, []);
    assert.equal(only?.headers['authorization'], 'Bearer t0ken');
    assert.deepEqual(
      [only.headers['mcp-protocol-version'], only.headers['mcp-method'], only.headers['mcp-param-count']],
      ['2026-07-28', 'tools/call', '1'],
    );
    assert.deepEqual([only.body.params.name, only.body.params.arguments], [call.tool, call.arguments]);
  });

  test('the legacy era does the handshake first and sends its session id', async () => {
    const requests = await received(
      (url) => curlText(call, { url, headers: {} }, { era: 'legacy', revision: '2025-11-25' }) ?? '',
      {},
    );
    assert.deepEqual(
      requests.map(({ headers, body }) => [body.method, headers['mcp-session-id'], headers['mcp-protocol-version']]),
      [
        ['initialize', undefined, undefined],
        ['notifications/initialized', 'session-1', '2025-11-25'],
        ['tools/call', 'session-1', '2025-11-25'],
      ],
    );
    assert.deepEqual(requests[2]?.body.params.arguments, call.arguments);
  });
});

test('servers that do not use HTTP have no command in curl', () => {
  assert.equal(
    curlText(
      { server: 's', tool: 't', arguments: {} },
      { url: 'unix:///run/x.sock', headers: {} },
      { era: 'legacy', revision: '2025-11-25' },
    ),
    undefined,
  );
});
