import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Preset } from '../../../src/core/presets/presetFile.js';
import type { SessionListener } from '../../../src/core/session/codec.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { until } from '../../support/httpUntil.js';
import { HttpTestServer } from '../../support/httpTestServer.js';
import { ManualClock } from '../../support/manualClock.js';
import { openedGateway } from '../../support/openedGateway.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const local = (name: string) => ({ command: process.execPath, args: [counting, name] });

async function open(t: TestContext, servers: Record<string, unknown>, presetFor?: () => Preset | undefined) {
  const clock = new ManualClock();
  const view = presetFor ? { view: { overrides: () => [], presetFor } } : {};
  const { host, gateway } = await openedGateway(t, { servers, clock, ...view });
  const connect = async (query = '', listener: SessionListener = {}): Promise<McpSession> => {
    const session = await McpSession.open(
      () => openRemote({ type: 'http', url: `${gateway.url}${query}`, headers: { Authorization: 'Bearer secret' } }),
      { client: { name: 'claude-code', version: '1' }, protocol: 'legacy', listener },
    );
    t.after(() => session.close());
    return session;
  };
  return { gateway, host, clock, connect };
}

const namesOf = async (session: McpSession) => (await session.listTools()).items.map(({ name }) => name);

test('[GW18] a list is answered while half of the servers are silent, and later callers do not wait at all', async (t) => {
  let requests = 0;
  const silent = await HttpTestServer.start(() => void requests++);
  t.after(() => silent.close());
  const down = { type: 'http', url: silent.url };
  const { host, clock, connect } = await open(t, { one: local('one'), two: local('two'), mute: down, dumb: down });
  const first = namesOf(await connect());
  // Both silent servers were asked and do not answer; the time is the test's.
  await until(() => requests >= 2 && ['one', 'two'].every((id) => host.servers.get(id)?.features !== undefined));
  await clock.advance(3_000);
  assert.ok((await first).length > 0);
  assert.deepEqual(
    ['mute', 'dumb'].map((id) => host.servers.get(id)?.state.kind),
    ['starting', 'starting'],
  );
  // The clock stands still, so this list cannot wait for anything.
  assert.deepEqual(await namesOf(await connect()), await first);
});

test('[GW18] a call of a tool that is in no list waits for the servers that are starting', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-late-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const signal = path.join(folder, 'go');
  const late = path.join(folder, 'late.mjs');
  const lines = [
    `import { existsSync } from 'node:fs';`,
    `while (!existsSync(${JSON.stringify(signal)})) await new Promise((next) => setTimeout(next, 10));`,
    `await import(${JSON.stringify(pathToFileURL(counting).href)});`,
  ];
  writeFileSync(late, lines.join('\n'));
  const { clock, host, connect } = await open(t, { late: { command: process.execPath, args: [late] } });
  const session = await connect();
  const first = namesOf(session);
  await until(() => host.servers.get('late')?.state.kind === 'starting');
  await clock.advance(3_000);
  assert.deepEqual(await first, []);
  const [call, resource] = [session.callTool('count', {}), session.readResource('counting://live')];
  writeFileSync(signal, '');
  assert.deepEqual((await call).content, [{ type: 'text', text: '1' }]);
  assert.equal((await resource).contents.length, 1);
  await assert.rejects(session.callTool('counts', {}), /There is no tool "counts". Did you mean "count"\?/);
});

test('[GW18] a preset that changes reaches connected callers, which are told to list again', async (t) => {
  let preset: Preset = { name: 'review', servers: ['one'], tools: { one: ['count'] } };
  const { gateway, connect } = await open(t, { one: local('one') }, () => preset);
  const told: string[] = [];
  const session = await connect('?preset=review', { onListChanged: (kind) => told.push(kind) });
  assert.deepEqual(await namesOf(session), ['count']);
  told.length = 0;
  preset = { ...preset, tools: { one: ['count', 'name'] } };
  gateway.viewChanged();
  assert.deepEqual(await namesOf(session), ['count', 'name']);
  await until(() => told.includes('tools'));
});

test('[GW19] an idle gateway has no timer that is due more often than every 30 seconds', async (t) => {
  const clock = new RecordingClock();
  const { gateway } = await openedGateway(t, { servers: { one: local('one') }, clock });
  const session = await McpSession.open(
    () => openRemote({ type: 'http', url: gateway.url, headers: { Authorization: 'Bearer secret' } }),
    { client: { name: 'claude-code', version: '1' }, protocol: '2026-07-28' },
  );
  await session.listTools();
  await session.callTool('count', {});
  await session.close();
  clock.delays.length = 0;
  await clock.advance(10 * 60_000);
  assert.ok(clock.delays.length > 0 && clock.delays.every((ms) => ms >= 30_000), clock.delays.join());
});

/** Records the delays of all timers. */
class RecordingClock extends ManualClock {
  readonly delays: number[] = [];

  override after(ms: number, callback: () => void) {
    this.delays.push(ms);
    return super.after(ms, callback);
  }
}
