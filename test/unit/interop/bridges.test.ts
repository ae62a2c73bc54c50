import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import type { OpenTransport } from '../../../src/core/session/handshake.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { connectInterop } from '../../support/interopClient.js';
import type { InteropClient } from '../../support/interopClient.js';
import { startOnFreePort, stdioOf } from '../../support/interopProcess.js';

// Public bridges with the official reference server behind them, in each of their forms. The server offers 19 tools to
// a client with our capabilities and 13 to an unknown client.
interface Cache {
  ensurePackages(wanted: { name: string; packages: string[] }): Promise<string>;
}

const everything = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const behind = `"${process.execPath}" "${everything}" stdio`;

let modules: string;
const servers: Record<'http' | 'sse', string> = { http: '', sse: '' };
const ends: (() => Promise<void>)[] = [];

before(async () => {
  const cache = (await import(pathToFileURL(path.resolve('test/harness/packageCache.mjs')).href)) as Cache;
  modules = path.join(
    await cache.ensurePackages({
      name: 'bridges',
      packages: ['supergateway@4.0.0', 'mcp-remote@0.15.1', 'mcp-proxy@6.7.19'],
    }),
    'node_modules',
  );
  const [http, sse] = await Promise.all([
    startOnFreePort([everything, 'streamableHttp'], '/mcp'),
    startOnFreePort([everything, 'sse'], '/sse'),
  ]);
  ends.push(
    () => http.close(),
    () => sse.close(),
  );
  Object.assign(servers, { http: http.url, sse: sse.url });
});

after(async () => {
  for (const end of ends) await end();
});

const supergateway = () => path.join(modules, 'supergateway/dist/index.js');
const mcpRemote = () => path.join(modules, 'mcp-remote/dist/proxy.js');
const mcpProxy = () => path.join(modules, 'mcp-proxy/dist/bin/mcp-proxy.mjs');

/** Its tools once it offers `wanted` of them, because it may add some later; fewer if it does not reach that number. */
async function toolsOf({ session }: InteropClient, wanted: number): Promise<number> {
  let known = 0;
  for (let asked = 0; known < wanted && asked < 200; asked++) known = (await session.listTools()).items.length;
  return known;
}

/** Starts it with an unknown era, and again with the era of the first start; returns the tools of both. */
async function toolsOfTwoStarts(open: OpenTransport, wanted: number): Promise<number[]> {
  const first = await connectInterop(open, { mayFallBackToSse: true });
  try {
    const found = await toolsOf(first, wanted);
    const second = await connectInterop(open, { mayFallBackToSse: true, knownEra: first.session.shownEra });
    try {
      return [found, await toolsOf(second, wanted)];
    } finally {
      await second.session.close();
    }
  } finally {
    await first.session.close();
  }
}

describe('a bridge over stdio to a remote server', { concurrency: 2 }, () => {
  const bridges: { name: string; args: () => string[] }[] = [
    { name: 'supergateway --streamableHttp', args: () => [supergateway(), '--streamableHttp', servers.http] },
    { name: 'supergateway --sse', args: () => [supergateway(), '--sse', servers.sse] },
    { name: 'mcp-remote over Streamable HTTP', args: () => [mcpRemote(), servers.http] },
    { name: 'mcp-remote over HTTP+SSE', args: () => [mcpRemote(), servers.sse, '--transport', 'sse-only'] },
  ];
  for (const { name, args } of bridges) {
    test(`[lifecycle.bridges] passes our capabilities to the server behind it, at the first start as at the second (${name})`, async () => {
      assert.deepEqual(await toolsOfTwoStarts(() => stdioOf(args()), 19), [19, 19]);
    });
  }
});

test('[lifecycle.bridges] a bridge over stdio offers the same number of tools at each of five starts in a row (supergateway --streamableHttp)', async () => {
  const offered: number[] = [];
  let knownEra: InteropClient['session']['shownEra'];
  for (let start = 0; start < 5; start++) {
    const client = await connectInterop(() => stdioOf([supergateway(), '--streamableHttp', servers.http]), {
      knownEra,
    });
    try {
      offered.push(await toolsOf(client, 19));
      knownEra = client.session.shownEra;
    } finally {
      await client.session.close();
    }
  }
  assert.deepEqual(
    offered,
    Array.from({ length: 5 }, () => 19),
  );
});

describe('a bridge from the network to a local server', { concurrency: 2 }, () => {
  const proxy = (port: number) => [
    mcpProxy(),
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--',
    process.execPath,
    everything,
    'stdio',
  ];
  const gateway = (port: number, ...form: string[]) => [
    supergateway(),
    '--stdio',
    behind,
    '--port',
    String(port),
    '--outputTransport',
    ...form,
  ];
  // mcp-proxy, and supergateway without sessions, connect to the server as their own client, which has no capabilities.
  const bridges: {
    name: string;
    type: 'http' | 'sse' | 'ws' | 'auto';
    at: string;
    tools: number;
    args: (port: number) => string[];
  }[] = [
    { name: 'supergateway over HTTP+SSE', type: 'sse', at: '/sse', tools: 19, args: (port) => gateway(port, 'sse') },
    {
      name: 'supergateway over HTTP+SSE, found out',
      type: 'auto',
      at: '/sse',
      tools: 19,
      args: (port) => gateway(port, 'sse'),
    },
    { name: 'supergateway over WebSocket', type: 'ws', at: '/message', tools: 19, args: (port) => gateway(port, 'ws') },
    {
      name: 'supergateway over Streamable HTTP with sessions',
      type: 'http',
      at: '/mcp',
      tools: 19,
      args: (port) => gateway(port, 'streamableHttp', '--stateful'),
    },
    {
      name: 'supergateway over Streamable HTTP without sessions',
      type: 'http',
      at: '/mcp',
      tools: 13,
      args: (port) => gateway(port, 'streamableHttp'),
    },
    { name: 'mcp-proxy over Streamable HTTP', type: 'http', at: '/mcp', tools: 13, args: proxy },
    { name: 'mcp-proxy over HTTP+SSE', type: 'sse', at: '/sse', tools: 13, args: proxy },
  ];
  for (const { name, type, at, tools, args } of bridges) {
    test(`[lifecycle.bridges] offers the same at the first start as at the second (${name})`, async (t) => {
      const server = await startOnFreePort(args, at);
      t.after(() => server.close());
      const url = type === 'ws' ? server.url.replace('http', 'ws') : server.url;
      assert.deepEqual(
        await toolsOfTwoStarts((fallback) => openRemote({ type, url, headers: {} }, { fallback }), tools),
        [tools, tools],
      );
    });
  }
});
