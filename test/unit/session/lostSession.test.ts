/** HTTP sessions that servers drop, and servers that answer nothing after the handshake, through a whole host. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import type { SeenRequest } from '../../support/httpTestServer.js';
import { HttpTestServer, sendJson, sendResult } from '../../support/httpTestServer.js';
import { until } from '../../support/httpUntil.js';

const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
const notFound = (seen: SeenRequest) => sendJson(seen, 'Not found', 404, { 'content-type': 'text/plain' });

interface Fixture {
  capabilities?: object;
  hasSessions?: boolean;
  /** Answers the request itself and returns true, or returns false. */
  first?: (seen: SeenRequest) => boolean;
}

/** A server with sessions that it can drop, and a host with a client for it. */
async function start(
  t: TestContext,
  { capabilities = { tools: {} }, hasSessions = true, first = () => false }: Fixture = {},
) {
  const known = new Set<unknown>();
  let sessions = 0;
  const server = await HttpTestServer.start((seen) => {
    const { rpc, method } = seen;
    if (method !== 'POST') seen.response.writeHead(method === 'GET' ? 405 : 200).end();
    else if (first(seen)) return;
    else if (rpc?.method === 'initialize') {
      const id = `session-${++sessions}`;
      known.add(id);
      sendResult(
        seen,
        { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'test', version: '1' } },
        hasSessions ? { 'mcp-session-id': id } : {},
      );
    } else if (hasSessions && !known.has(seen.headers['mcp-session-id'])) notFound(seen);
    else if (rpc?.id === undefined) seen.response.writeHead(202).end();
    else if (rpc.method === 'tools/list') sendResult(seen, { tools });
    else if (rpc.method === 'tools/call')
      sendResult(seen, { content: [{ type: 'text', text: String(seen.headers['mcp-session-id']) }] });
    else sendResult(seen);
  });
  const rootsChanged = new Emitter<void>();
  const { host, logs } = headlessHost({
    servers: { a: { type: 'http', url: server.url, protocol: 'legacy' } },
    ports: { roots: { roots: () => [{ uri: 'file:///w', name: 'w' }], onDidChange: rootsChanged.event } },
  });
  t.after(async () => {
    await host.close();
    await server.close();
  });
  await host.open();
  return {
    host,
    server,
    rootsChanged,
    forget: () => known.clear(),
    count: (method: string) => server.seen.filter(({ rpc }) => rpc?.method === method).length,
    log: () => logs.get('a') ?? [],
  };
}

async function call(host: McpHost, signal?: AbortSignal): Promise<string> {
  const { content } = await host.calls.runTool(
    { server: 'a', tool: 'echo' },
    { caller: 'user', ...(signal ? { signal } : {}) },
  );
  return (content[0] as { text: string }).text;
}

describe('[H2] a session whose loss is first reported for a notification', () => {
  test('of a canceled call is replaced by the next request', async (t) => {
    let hangs = true;
    const { host, log, forget, count } = await start(t, { first: ({ rpc }) => hangs && rpc?.method === 'tools/call' });
    await host.lifecycle.start('a');
    const controller = new AbortController();
    const cancelled = assert.rejects(call(host, controller.signal));
    await until(() => count('tools/call') === 1);
    hangs = false;
    forget();
    controller.abort(new Error('enough'));
    await cancelled;
    await until(() => log().some((line) => line.includes('notifications/cancelled was not delivered')));
    assert.equal(await call(host), 'session-2');
    assert.equal(await call(host), 'session-2');
  });

  test('of changed roots is replaced by the next request', async (t) => {
    const { host, log, rootsChanged, forget } = await start(t);
    await host.lifecycle.start('a');
    forget();
    rootsChanged.fire();
    await until(() => log().some((line) => line.includes('notifications/roots/list_changed was not delivered')));
    assert.equal(await call(host), 'session-2');
  });

  test('is not lost if the server refuses only notifications', async (t) => {
    const { host, count } = await start(t, { first: (seen) => seen.rpc?.id === undefined && (notFound(seen), true) });
    await host.lifecycle.start('a');
    assert.deepEqual([await call(host), await call(host), count('initialize')], ['session-1', 'session-1', 1]);
  });
});

describe('[H2] a lost session', () => {
  test('is replaced once for all requests that it refused', async (t) => {
    const { host, forget, count } = await start(t);
    await host.lifecycle.start('a');
    forget();
    assert.deepEqual(await Promise.all([call(host), call(host), call(host)]), ['session-2', 'session-2', 'session-2']);
    assert.equal(count('initialize'), 2);
  });

  test('that a late answer reports does not end the session that replaced it', async (t) => {
    const held: SeenRequest[] = [];
    const { host, forget, count } = await start(t, {
      first: (seen) => seen.rpc?.method === 'tools/call' && held.length === 0 && held.push(seen) === 1,
    });
    await host.lifecycle.start('a');
    const late = call(host);
    await until(() => held.length === 1);
    forget();
    assert.equal(await call(host), 'session-2');
    notFound(held[0] as SeenRequest);
    assert.deepEqual([await late, count('initialize')], ['session-2', 2]);
  });

  test('is renewed by the next request when the server could not be reached before', async (t) => {
    let isDown = false;
    const { host, forget } = await start(t, {
      first: (seen) => isDown && seen.rpc?.method === 'initialize' && (sendJson(seen, 'down', 503), true),
    });
    await host.lifecycle.start('a');
    forget();
    isDown = true;
    await assert.rejects(call(host), /HTTP status 503/);
    isDown = false;
    assert.equal(await call(host), 'session-2');
  });

  test('whose server refuses a new one ends the connection', async (t) => {
    let isGone = false;
    const { host } = await start(t, { first: (seen) => isGone && (notFound(seen), true) });
    await host.lifecycle.start('a');
    isGone = true;
    await assert.rejects(call(host), /answered initialize with HTTP status 404/);
    assert.equal(host.servers.get('a')?.state.kind, 'failed');
  });

  test('does not make requests wait for its restored state', async (t) => {
    let isMute = false;
    const { host, forget } = await start(t, {
      capabilities: { tools: {}, logging: {} },
      first: ({ rpc }) => isMute && rpc?.method === 'logging/setLevel',
    });
    await host.lifecycle.start('a');
    forget();
    isMute = true;
    assert.equal(await call(host), 'session-2');
  });
});

for (const hasSessions of [true, false]) {
  describe(`[H2] a server ${hasSessions ? 'with' : 'without'} sessions that answers every request after the handshake with 404`, () => {
    const refuses = ({ rpc }: SeenRequest) => rpc?.method !== 'initialize';
    const words = /completes the handshake, but then answers every request with HTTP status 404/;
    const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {} };

    test('gets one new session, and then does not start', async (t) => {
      const { host, count } = await start(t, {
        hasSessions,
        capabilities,
        first: (seen) => refuses(seen) && (notFound(seen), true),
      });
      await assert.rejects(host.lifecycle.start('a'), words);
      const state = host.servers.get('a')?.state;
      assert.match(state?.kind === 'failed' ? state.error.message : '', words);
      assert.equal(count('initialize'), 2);
    });

    test('fails when it starts to do so while it runs', async (t) => {
      let isBroken = false;
      const { host, count } = await start(t, {
        hasSessions,
        capabilities,
        first: (seen) => isBroken && refuses(seen) && (notFound(seen), true),
      });
      await host.lifecycle.start('a');
      isBroken = true;
      await assert.rejects(call(host), words);
      assert.equal(host.servers.get('a')?.state.kind, 'failed');
      assert.equal(count('initialize'), 2);
    });
  });

  test(`[H2, H3] a server ${hasSessions ? 'with' : 'without'} sessions that answers one request with 404 continues with the others`, async (t) => {
    const { host, log } = await start(t, {
      hasSessions,
      capabilities: { tools: {}, prompts: {} },
      first: (seen) => seen.rpc?.method === 'prompts/list' && (notFound(seen), true),
    });
    await host.lifecycle.start('a');
    await call(host);
    assert.equal(host.servers.get('a')?.state.kind, 'running');
    assert.ok(
      log().some((line) =>
        /Prompts could not be listed: The server answered prompts\/list with HTTP status 404/.test(line),
      ),
      log().join('\n'),
    );
  });
}

test('[H3] a call that is refused with 404 without sessions is not repeated', async (t) => {
  const { host, count } = await start(t, {
    hasSessions: false,
    first: (seen) => seen.rpc?.method === 'tools/call' && (notFound(seen), true),
  });
  await host.lifecycle.start('a');
  await assert.rejects(call(host), { code: 'http-status' });
  assert.deepEqual([count('tools/call'), count('initialize'), host.servers.get('a')?.state.kind], [1, 1, 'running']);
});

test('[H2] a server of the modern era that answers every request after its discovery with 404 does not start', async (t) => {
  let discoveries = 0;
  const server = await HttpTestServer.start((seen) => {
    if (seen.rpc?.method === 'server/discover' && ++discoveries === 1)
      sendResult(seen, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: {},
      });
    else notFound(seen);
  });
  const { host } = headlessHost({ servers: { a: { type: 'http', url: server.url } } });
  t.after(async () => {
    await host.close();
    await server.close();
  });
  await host.open();
  await assert.rejects(host.lifecycle.start('a'), /answers every request with HTTP status 404/);
  assert.equal(host.servers.get('a')?.state.kind, 'failed');
});
