import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import { stateKeys } from '../../../src/core/base/stores.js';
import type { SessionOptions } from '../../../src/core/session/mcpSession.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { StdioTransport } from '../../../src/core/transport/stdio/stdioTransport.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { headlessHost } from '../../support/headlessHost.js';
import type { SeenRequest } from '../../support/httpTestServer.js';
import { HttpTestServer, legacyServer, sendJson } from '../../support/httpTestServer.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedError, ScriptedServer, silence } from '../../support/scriptedServer.js';

const fixture = path.resolve('test/fixtures/servers/eras.mjs');
const client = { name: 'test', version: '1' };

/**
 * Opens a session with a process and lists its tools. The probe timeout ends once the process has received the probe.
 */
async function open(mode: string, options: Partial<SessionOptions> = {}) {
  const clock = new ManualClock();
  const received: string[] = [];
  let starts = 0;
  const transport = () => {
    starts++;
    return new StdioTransport({
      command: process.execPath,
      args: [fixture, mode],
      env: { PATH: process.env['PATH'] ?? '' },
      cwd: process.cwd(),
    });
  };
  const onStderr = (line: string) => {
    received.push(line.replace('received ', ''));
    if (line === 'received server/discover') void clock.advance(3_000);
  };
  try {
    const session = await McpSession.open(transport, { client, clock, listener: { onStderr }, ...options });
    const { items } = await session.listTools();
    await session.close();
    return { outcome: session.identity.era as string, shown: session.shownEra, tools: items.length, starts };
  } catch (error) {
    return { outcome: (error as HostError).message, shown: undefined, tools: 0, starts };
  }
}

describe('a server that does not answer the era probe', () => {
  for (const mode of ['slow-modern', 'slow-modern-refuses-first']) {
    test(`[lifecycle.eraProbe, R2] is modern when its late answer comes and initialize is refused (${mode})`, async () => {
      assert.deepEqual(await open(mode), { outcome: 'modern', shown: 'modern', tools: 1, starts: 1 });
    });
  }

  test('[R2] of both eras is used with the last handshake, and stored as modern', async () => {
    assert.deepEqual(await open('slow-dual'), { outcome: 'legacy', shown: 'modern', tools: 1, starts: 1 });
  });

  test('[R2] is legacy for this session only when it never answers the probe', async () => {
    assert.deepEqual(await open('silent-legacy'), { outcome: 'legacy', shown: undefined, tools: 1, starts: 1 });
  });

  test('[R2] is stored as legacy when it refuses the probe late', async () => {
    assert.deepEqual(await open('slow-legacy'), { outcome: 'legacy', shown: 'legacy', tools: 1, starts: 2 });
  });

  test('[R2] and exits when it reads the probe is started again with initialize', async () => {
    assert.deepEqual(await open('slow-legacy-exits'), { outcome: 'legacy', shown: 'legacy', tools: 1, starts: 2 });
  });

  test('[R2] is modern when it answers late and does not answer initialize', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().respondTo('initialize', () => silence);
    server.respondTo('server/discover', async () => {
      await server.next(({ method }) => method === 'initialize');
      return { supportedVersions: ['2026-07-28'], capabilities: {} };
    });
    const opening = McpSession.open(server.openTransport, { client, clock });
    await clock.advance(3_000);
    await clock.advance(3_000);
    const session = await opening;
    assert.deepEqual([session.identity.era, server.connections], ['modern', 1]);
    // Once the era is known, neither answer is awaited or canceled.
    await clock.advance(120_000);
    assert.deepEqual([session.isClosed, server.methods], [false, ['server/discover', 'initialize']]);
  });

  test('[R2] and answers it late, then exits on initialize, is connected in its own era', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer();
    server.respondTo('server/discover', async () => {
      if (server.connections === 1) await server.next(({ method }) => method === 'initialize');
      return { supportedVersions: ['2026-07-28'], capabilities: {} };
    });
    server.respondTo('initialize', async () => {
      await settle();
      await server.hangUp();
      return silence;
    });
    const opening = McpSession.open(server.openTransport, { client, clock });
    await clock.advance(3_000);
    assert.deepEqual([(await opening).identity.era, server.connections], ['modern', 2]);
  });

  test('fails with the refusal of initialize when the answer to the probe never comes', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().respondTo('server/discover', () => silence);
    server.respondTo('initialize', () => {
      throw new ScriptedError(-32603, 'no licence');
    });
    const rejected = assert.rejects(McpSession.open(server.openTransport, { client, clock }), /no licence/);
    await clock.advance(6_000);
    await rejected;
    assert.deepEqual(server.methods, ['server/discover', 'initialize', 'initialize']);
  });

  test('has the full start timeout when it was modern before', async () => {
    const clock = new ManualClock();
    let answer: (discovered: unknown) => void = () => undefined;
    const server = new ScriptedServer()
      .legacy()
      .respondTo('server/discover', () => new Promise((resolve) => (answer = resolve)));
    const opening = McpSession.open(server.openTransport, {
      client,
      clock,
      knownEra: 'modern',
      startTimeoutMs: 60_000,
    });
    await clock.advance(50_000);
    answer({ supportedVersions: ['2026-07-28'], capabilities: {} });
    assert.equal((await opening).identity.era, 'modern');
    assert.deepEqual(server.methods, ['server/discover']);
  });

  test('has no timeout while a debugger pauses it', async () => {
    const clock = new ManualClock();
    const hold = { isHeld: true };
    const server = new ScriptedServer().legacy().respondTo('server/discover', () => silence);
    const opening = McpSession.open(server.openTransport, { client, clock, hold });
    await clock.advance(100_000);
    assert.deepEqual(server.methods, ['server/discover']);
    hold.isHeld = false;
    await clock.advance(3_000);
    assert.equal((await opening).identity.era, 'legacy');
  });
});

describe('a legacy server that was probed', () => {
  /** No test moves this clock, so the probe waits for its answer. */
  const probed = (mode: string, options: Partial<SessionOptions> = {}) =>
    open(mode, { clock: new ManualClock(), ...options });

  for (const mode of ['legacy', 'bridge', 'bridge-refuses-second', 'bridge-own-error', 'empty-results']) {
    test(`[lifecycle.eraProbe, lifecycle.bridges] offers the same at its first start as at its second (${mode})`, async () => {
      const first = await probed(mode);
      assert.deepEqual(first, { outcome: 'legacy', shown: 'legacy', tools: 1, starts: 2 });
      assert.deepEqual(await probed(mode, { knownEra: 'legacy' }), { ...first, starts: 1 });
    });
  }

  test('[lifecycle.bridges] continues in the process that its debugger is attached to', async () => {
    assert.deepEqual(await probed('legacy', { isDebugged: true }), {
      outcome: 'legacy',
      shown: 'legacy',
      tools: 1,
      starts: 1,
    });
  });

  test('[lifecycle.bridges] is started again, also under its debugger, when it refuses a session after the probe', async () => {
    assert.deepEqual(await probed('bridge-refuses-second', { isDebugged: true }), {
      outcome: 'legacy',
      shown: 'legacy',
      tools: 1,
      starts: 2,
    });
  });

  test('[lifecycle.bridges] that refuses the session after its second start fails with that refusal', async () => {
    const { outcome, starts } = await probed('broken');
    assert.deepEqual([outcome, starts], ['The server refused to start a session: Not here (code -32603).', 2]);
  });

  test('[lifecycle.eraProbe] is legacy when it answers every method with an empty result, over HTTP too', async (t) => {
    const legacy = legacyServer();
    const server = await HttpTestServer.start((seen) =>
      seen.rpc?.method === 'server/discover'
        ? sendJson(seen, { jsonrpc: '2.0', id: seen.rpc.id, result: {} })
        : legacy(seen),
    );
    t.after(() => server.close());
    const session = await McpSession.open(() => openRemote({ type: 'http', url: server.url, headers: {} }), { client });
    assert.equal(session.identity.era, 'legacy');
    await session.close();
  });

  test('[lifecycle.eraProbe] gets initialize when it answers the probe with legacy revisions only', async () => {
    const server = new ScriptedServer()
      .legacy()
      .respondTo('server/discover', () => ({ supportedVersions: ['2025-11-25'], capabilities: {} }));
    assert.equal((await McpSession.open(server.openTransport, { client })).identity.era, 'legacy');
  });
});

describe('a server that was legacy before', () => {
  /** No test moves this clock, so the probe waits for its answer. */
  const before = () => ({ knownEra: 'legacy' as const, clock: new ManualClock() });

  for (const mode of ['modern', 'modern-exits']) {
    test(`is probed again when initialize fails (${mode})`, async () => {
      assert.deepEqual(await open(mode, before()), { outcome: 'modern', shown: 'modern', tools: 1, starts: 2 });
    });
  }

  test('is probed again when initialize is not answered', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().modern().respondTo('initialize', () => silence);
    const opening = McpSession.open(server.openTransport, {
      client,
      clock,
      knownEra: 'legacy',
      startTimeoutMs: 10_000,
    });
    await clock.advance(11_000);
    assert.deepEqual([(await opening).identity.era, server.connections], ['modern', 2]);
  });

  test('and is still legacy, but broken, fails with its first error after two starts', async () => {
    assert.deepEqual(await open('broken', before()), {
      outcome: 'The server refused to start a session: Not here (code -32603).',
      shown: undefined,
      tools: 0,
      starts: 2,
    });
    const { outcome, starts } = await open('exits', before());
    assert.match(outcome, /ended with code 7/);
    assert.equal(starts, 2);
  });

  test('is not probed when the start itself failed or was canceled', async () => {
    const abort = new AbortController();
    const server = new ScriptedServer().modern().respondTo('initialize', () => silence);
    const opening = McpSession.open(server.openTransport, { client, knownEra: 'legacy', signal: abort.signal });
    await server.next(({ method }) => method === 'initialize');
    abort.abort(new Error('stop'));
    await assert.rejects(opening, /stop/);
    assert.deepEqual(server.methods, ['initialize']);
  });
});

describe('a server over HTTP that fails on the era probe', () => {
  /**
   * Opens a session with a legacy server that answers `broken` as `fail` defines; returns the methods that it received.
   */
  async function openBreaking(t: TestContext, broken: readonly string[], fail: (seen: SeenRequest) => void) {
    const legacy = legacyServer();
    const server = await HttpTestServer.start((seen) =>
      broken.includes(seen.rpc?.method ?? '') ? fail(seen) : legacy(seen),
    );
    t.after(() => server.close());
    const outcome = await McpSession.open(() => openRemote({ type: 'http', url: server.url, headers: {} }), {
      client,
    }).then(
      async (session) => {
        await session.close();
        return session.identity.era;
      },
      (error: Error) => error.message,
    );
    return { outcome, asked: server.seen.flatMap(({ rpc }) => (rpc?.method === undefined ? [] : [rpc.method])) };
  }

  test('[lifecycle.eraProbe, R2] with its own error is used as a legacy server', async (t) => {
    const { outcome } = await openBreaking(t, ['server/discover'], (seen) =>
      sendJson(seen, { jsonrpc: '2.0', error: { code: -32603, message: 'Error in httpTransport: ' }, id: null }, 500),
    );
    assert.equal(outcome, 'legacy');
  });

  test('[lifecycle.eraProbe] and on everything else fails with its last error', async (t) => {
    const { outcome, asked } = await openBreaking(t, ['server/discover', 'initialize'], (seen) =>
      seen.response.writeHead(500).end(),
    );
    assert.deepEqual([asked, /status 500/.test(outcome)], [['server/discover', 'initialize'], true]);
  });

  test('[lifecycle.eraProbe] because of a failing gateway is not tried twice', async (t) => {
    const { outcome, asked } = await openBreaking(t, ['server/discover'], (seen) => seen.response.writeHead(503).end());
    assert.deepEqual([asked, /status 503/.test(outcome)], [['server/discover'], true]);
  });
});

test('[lifecycle.eraProbe] the era that a server answered is stored for its definition, an era derived from silence is not', async () => {
  const state = new Map<string, unknown>();
  const clock = new ManualClock();
  const server = (mode: string) => ({ command: process.execPath, args: [fixture, mode] });
  const { host, logs } = headlessHost({
    servers: { silent: server('silent-legacy'), dual: server('slow-dual'), legacy: server('legacy') },
    clock,
    ports: {
      state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
    },
  });
  await host.open();
  try {
    // Advances the time once per server, because a slow machine would leave no time for `initialize`.
    const waited = new Set<string>();
    const passing = setInterval(() => {
      for (const [id, lines] of logs) {
        if (waited.has(id) || !lines.some((line) => line.includes('received server/discover'))) continue;
        waited.add(id);
        void clock.advance(3_000);
      }
    }, 5);
    try {
      await Promise.all(['silent', 'dual', 'legacy'].map((id) => host.lifecycle.start(id)));
    } finally {
      clearInterval(passing);
    }
    const eras = state.get(stateKeys.eras) as Record<string, string>;
    const known = Object.fromEntries(
      ['silent', 'dual', 'legacy'].map((id) => [id, eras[host.servers.get(id)?.entry.hash ?? '']]),
    );
    assert.deepEqual(known, { silent: undefined, dual: 'modern', legacy: 'legacy' });
  } finally {
    await host.close();
  }
});

test('a start does not wait until the era is stored, which can take longer than the start while a window opens', async () => {
  const { host } = headlessHost({
    servers: { s: { command: process.execPath, args: [fixture, 'legacy'] } },
    ports: { state: { get: () => undefined, set: () => new Promise(() => undefined) } },
  });
  await host.open();
  try {
    await host.lifecycle.start('s');
    assert.equal(host.servers.get('s')?.state.kind, 'running');
  } finally {
    await host.close();
  }
});
