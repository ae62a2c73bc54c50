import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerCatalog } from '../../../src/core/catalog/serverCatalog.js';
import type { ProtocolChoice } from '../../../src/core/config/serverDefinition.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { ManualClock } from '../../support/manualClock.js';
import { ScriptedError, ScriptedServer } from '../../support/scriptedServer.js';

async function load(server: ScriptedServer, clock = new ManualClock(), protocol: ProtocolChoice = 'legacy') {
  const refresh: { catalog?: ServerCatalog } = {};
  const session = await McpSession.open(server.openTransport, {
    client: { name: 'test', version: '1' },
    protocol,
    listener: { onListChanged: (kind) => refresh.catalog?.scheduleRefresh(kind) },
    clock,
  });
  let changes = 0;
  const catalog = new ServerCatalog(
    session,
    () => changes++,
    () => undefined,
    clock,
  );
  refresh.catalog = catalog;
  await catalog.load();
  return { catalog, clock, changes: () => changes };
}

test('[R11] a failed list is empty with a reason, and the other lists are kept', async () => {
  const server = new ScriptedServer().legacy({ tools: {}, resources: {}, prompts: {} });
  server.respondTo('tools/list', () => ({ tools: [{ name: 't', inputSchema: {} }] }));
  server.respondTo('prompts/list', () => null);
  const { catalog } = await load(server);
  const { tools, resources, prompts, warnings } = catalog.features;
  assert.deepEqual([tools.length, resources, prompts], [1, [], []]);
  assert.deepEqual(warnings.length, 2);
  assert.match(warnings[0] ?? '', /^Resources could not be listed: Method not found \(code -32601\)/);
});

test('[F9] what was left out of a list because of its limit is stated with the features', async () => {
  const server = new ScriptedServer().legacy({ tools: {} });
  const large = { name: 'large', description: 'x'.repeat(2_000_000), inputSchema: {} };
  server.respondTo('tools/list', () => ({ tools: [large, { name: 't', inputSchema: {} }] }));
  const { catalog } = await load(server);
  const { tools, warnings } = catalog.features;
  assert.deepEqual([tools.length, warnings.length], [1, 1]);
  assert.match(warnings[0] ?? '', /left out 1 item above the memory limit of one item, 1 MB; the first is "large"/);
});

test('[R13, tools.listChanged] a burst of changes causes one listing', async () => {
  const server = new ScriptedServer().legacy({ tools: { listChanged: true } });
  let listings = 0;
  server.respondTo('tools/list', () => ({ tools: [{ name: `t${++listings}`, inputSchema: {} }] }));
  const { catalog, clock, changes } = await load(server);
  await clock.advance(5_000);
  for (let i = 0; i < 2_000; i++) server.notify('notifications/tools/list_changed');
  await clock.advance(1_000);
  assert.deepEqual([listings, changes(), catalog.features.tools[0]?.name], [2, 1, 't2']);
});

test('[R13] a server that answers every listing with a change is listed less and less often', async () => {
  const server = new ScriptedServer().legacy({ tools: { listChanged: true } });
  let listings = 0;
  server.respondTo('tools/list', () => {
    listings++;
    server.notify('notifications/tools/list_changed');
    return { tools: [] };
  });
  const { clock } = await load(server);
  await clock.advance(60_000);
  assert.ok(listings < 12, `${listings} listings in a minute`);
});

test('the features are the same object until something changes', async () => {
  const server = new ScriptedServer().legacy({ tools: {} }).respondTo('tools/list', () => ({ tools: [] }));
  const { catalog } = await load(server);
  const before = catalog.features;
  assert.equal(catalog.features, before);
  await catalog.refresh();
  assert.notEqual(catalog.features, before);
});

test('templates that a server does not support cause no change event', async () => {
  const server = new ScriptedServer()
    .legacy({ resources: {} })
    .respondTo('resources/list', () => ({ resources: [{ uri: 'a:b' }] }));
  server.respondTo('resources/templates/list', () => {
    throw new ScriptedError(-32601, 'Method not found');
  });
  const { catalog } = await load(server);
  assert.deepEqual([catalog.features.resources, catalog.features.warnings], [[{ uri: 'a:b', name: 'a:b' }], []]);
});

/** A modern server whose tools are named after the number of the listing. */
function cachingServer(ttlMs: unknown, lists: { count: number } = { count: 0 }) {
  return new ScriptedServer().modern({ tools: {} }).respondTo('tools/list', () => ({
    resultType: 'complete',
    tools: [{ name: `t${++lists.count}`, inputSchema: { type: 'object' } }],
    ttlMs,
    cacheScope: 'private',
  }));
}

test('[caching] a list is fetched again when it is used after its ttlMs, once for many uses, and never on its own', async () => {
  const lists = { count: 0 };
  const { catalog, clock } = await load(cachingServer(60_000, lists), new ManualClock(), '2026-07-28');
  await clock.advance(59_000);
  catalog.noteUse('tools');
  await clock.advance(600_000);
  assert.equal(lists.count, 1);
  for (let i = 0; i < 100; i++) catalog.noteUse('tools');
  assert.equal(catalog.features.tools[0]?.name, 't1');
  await clock.advance(1_000);
  assert.deepEqual([lists.count, catalog.features.tools[0]?.name], [2, 't2']);
  catalog.noteUse('tools');
  await clock.advance(1_000);
  assert.equal(lists.count, 2);
});

test('[caching] a list without a positive ttlMs does not become stale, and a short one is not polled', async () => {
  for (const [ttlMs, expected] of [
    [0, 1],
    [-5, 1],
    [1, 3],
  ]) {
    const lists = { count: 0 };
    const { catalog, clock } = await load(cachingServer(ttlMs, lists), new ManualClock(), '2026-07-28');
    for (let second = 0; second < 24; second++) {
      catalog.noteUse('tools');
      await clock.advance(1_000);
    }
    assert.equal(lists.count, expected, `ttlMs ${ttlMs}`);
  }
});

test('[caching] a stale list is kept if it cannot be fetched again, and is requested at a later use', async () => {
  let isDown = false;
  const answer = { count: 0 };
  const server = cachingServer(60_000).respondTo('tools/list', () => {
    if (isDown) throw new ScriptedError(-32603, 'database is down');
    return {
      tools: [{ name: `t${++answer.count}`, inputSchema: { type: 'object' } }],
      ttlMs: 60_000,
      cacheScope: 'private',
    };
  });
  const { catalog, clock } = await load(server, new ManualClock(), '2026-07-28');
  isDown = true;
  await clock.advance(60_000);
  catalog.noteUse('tools');
  await clock.advance(1_000);
  assert.deepEqual([catalog.features.tools[0]?.name, catalog.features.failedLists], ['t1', undefined]);
  isDown = false;
  await clock.advance(10_000);
  catalog.noteUse('tools');
  await clock.advance(1_000);
  assert.equal(catalog.features.tools[0]?.name, 't2');
});
