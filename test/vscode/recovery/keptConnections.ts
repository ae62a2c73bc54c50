import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { certificate } from '../../support/httpTestCertificate.js';
import type { SeenRequest } from '../../support/httpTestServer.js';
import { HttpTestServer, sendResult } from '../../support/httpTestServer.js';
import { afterAll, beforeAll, suite, test } from '../runner.js';
import { command, defineServers } from '../support/host.js';

const calls = 20;

const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'kept', version: '1' },
  },
  'tools/list': { tools: [{ name: 'count', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [] },
};

function answer(seen: SeenRequest): void {
  if (seen.method !== 'POST') seen.response.writeHead(405).end();
  else if (seen.rpc?.id === undefined) seen.response.writeHead(202).end();
  else sendResult(seen, results[seen.rpc.method ?? '']);
}

/** VS Code replaces `http.request`, and opens a new connection for each request that does not ask to keep it. */
suite('connections are reused in the extension host', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'deck-kept-'));
    await writeFile(path.join(folder, 'authority.pem'), certificate);
  });
  afterAll(() => rm(folder, { recursive: true }));

  // VS Code does not recognize the second as this machine: it looks for a proxy and uses its own agent.
  for (const [host, tls] of [
    ['127.0.0.1', false],
    ['127.0.0.1', true],
    ['127.0.0.2', false],
  ] as const) {
    test(`${calls} calls over ${tls ? 'https' : 'http'} to ${host} use one connection`, async () => {
      const server = await HttpTestServer.start(answer, { host, tls });
      const undo = await defineServers({
        kept: {
          type: 'http',
          url: server.url,
          protocol: 'legacy',
          ...(tls ? { caFile: path.join(folder, 'authority.pem') } : {}),
        },
      });
      try {
        for (let call = 0; call < calls; call++)
          await command('mcpDeck.runTool', { server: 'kept', tool: 'count', arguments: {} });
        const used = server.seen.filter(({ rpc }) => rpc?.method === 'tools/call').map(({ connection }) => connection);
        assert.equal(used.length, calls);
        assert.equal(new Set(used).size, 1, used.join(' '));
      } finally {
        await command('mcpDeck.stopServer', { server: 'kept' });
        await undo();
        await server.close();
      }
    });
  }
});
