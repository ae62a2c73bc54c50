import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Deferred } from '../../../../src/core/base/deferred.js';
import { until } from '../../../support/httpUntil.js';
import { ManualClock } from '../../../support/manualClock.js';
import { doorClient, doorPlace, doorWindow, rawDoor, toolNames } from '../../../support/doorWindow.js';

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`a door relays lists, calls and resources of a ${era} client to the window of its folder`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const { gateway } = await doorWindow(place, [app]);
    const session = await doorClient(place, app, { era });
    assert.ok((await toolNames(session)).includes('only_one'));
    assert.match(JSON.stringify(await session.callTool('only_one', {})), /"one"/);
    assert.deepEqual((await session.listPrompts()).items, []);
    const [resource] = (await session.listResources()).items;
    assert.match(JSON.stringify(await session.readResource(resource?.uri ?? '')), /"one 0"/);
    const [client] = gateway.clients.list;
    assert.deepEqual([client?.name, client?.transport, client?.calls], ['agent', 'stdio', 2]);
  });

  test(`a question of a server reaches the ${era} client of the door, and its answer returns`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    await doorWindow(place, [app]);
    const elicit = () => Promise.resolve({ action: 'accept' as const, content: { text: 'from the client' } });
    const session = await doorClient(place, app, { era, handlers: { elicit } });
    await toolNames(session);
    assert.match(JSON.stringify(await session.callTool('ask', {})), /from the client/);
  });
}

for (const era of ['legacy', '2026-07-28'] as const)
  test(`[GW10] a new ${era} client of the door gets empty lists until the user decides, and is then told that they changed`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const clock = new ManualClock();
    const answer = new Deferred<boolean>();
    let isAsked = false;
    let isApproved = false;
    await doorWindow(place, [app], {
      clock,
      approvals: {
        isApproved: () => isApproved,
        ask: async () => {
          isAsked = true;
          return (isApproved = await answer.promise);
        },
      },
    });
    const changed = new Set<string>();
    const session = await doorClient(place, app, {
      era,
      listener: { onListChanged: (kind) => void changed.add(kind) },
    });
    const listed = toolNames(session);
    await until(() => isAsked);
    await clock.advance(5_000);
    assert.deepEqual([await listed, (await session.listResources()).items, changed.size], [[], [], 0]);
    const called = session.callTool('only_one', {});
    answer.resolve(true);
    assert.match(JSON.stringify(await called), /"one"/);
    await until(() => ['tools', 'prompts', 'resources'].every((kind) => changed.has(kind)));
    assert.ok((await toolNames(session)).includes('only_one'));
  });

test('the handshake of the door is the handshake of the gateway, in both eras', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const { gateway } = await doorWindow(place, [app]);
  const post = async (message: unknown, headers: Record<string, string>) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer secret',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
    });
    const text = await response.text();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as unknown;
  };
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  const modern = (version: string) => ({
    jsonrpc: '2.0',
    id: 2,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      },
    },
  });
  for (const version of ['2024-11-05', '2025-03-26', '2025-11-25', '1999-01-01']) {
    const door = rawDoor(place, app);
    door.send(initialize(version));
    assert.deepEqual(await door.answer(1), await post(initialize(version), {}));
  }
  for (const version of ['2026-07-28', '2099-01-01']) {
    const door = rawDoor(place, app);
    door.send(modern(version));
    assert.deepEqual(
      await door.answer(2),
      await post(modern(version), { 'mcp-protocol-version': version, 'mcp-method': 'server/discover' }),
    );
  }
});

test('if two windows have the folder open, the one that was focused last serves the door', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const inner = place.folder('app/inner');
  const first = await doorWindow(place, [app], { servers: ['first'] });
  await doorWindow(place, [inner], { servers: ['second'] });
  await doorWindow(place, [place.folder('other')], { servers: ['third'] });
  assert.ok((await toolNames(await doorClient(place, inner))).includes('only_second'));
  await first.gateway.door?.refresh(true);
  assert.ok((await toolNames(await doorClient(place, inner))).includes('only_first'));
});

test('a preset of the door is the preset of the client', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const { gateway } = await doorWindow(place, [app]);
  const session = await doorClient(place, app, { args: ['--preset', 'review & more'] });
  await toolNames(session).catch(() => undefined);
  assert.equal(gateway.clients.list[0]?.preset, 'review & more');
});

test('[GD3] a message that is too large or not JSON is answered, and the session goes on', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  await doorWindow(place, [app]);
  const door = rawDoor(place, app);
  door.write(`"${'x'.repeat(17 * 1024 * 1024)}"\n{not json}\n`);
  await until(() => door.lines.length === 2);
  assert.deepEqual(
    door.lines.map((line) => (JSON.parse(line) as { error: { code: number } }).error.code),
    [-32600, -32700],
  );
  door.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
  assert.deepEqual(await door.answer(7), { jsonrpc: '2.0', id: 7, result: {} });
});

test('the door ends when its client closes the streams', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  await doorWindow(place, [app]);
  const door = rawDoor(place, app);
  door.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
  await door.answer(7);
  assert.equal(await door.end(), 0);
});

test('with --folder, the working directory does not matter, and a variable that the agent left in it is ignored', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  mkdirSync(path.join(app, 'src'));
  await doorWindow(place, [app]);
  const named = await doorClient(place, place.folder('elsewhere'), { args: ['--folder', path.join(app, 'src')] });
  assert.ok((await toolNames(named)).includes('only_one'));
  const unresolved = await doorClient(place, app, { args: ['--folder', '${workspaceFolder}'] });
  assert.ok((await toolNames(unresolved)).includes('only_one'));
});

for (const era of ['legacy', 'modern'] as const)
  test(`the client of the official SDK lists and calls through the door, ${era}`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const { gateway } = await doorWindow(place, [app]);
    const { stdout } = await promisify(execFile)(process.execPath, [
      path.resolve('test/support/doorSdkClient.mjs'),
      era,
      app,
      process.execPath,
      place.script,
    ]);
    const { tools, result } = JSON.parse(stdout) as { tools: string[]; result: unknown };
    assert.ok(tools.includes('only_one'));
    assert.match(JSON.stringify(result), /"text":"one"/);
    assert.deepEqual(
      gateway.clients.list.map(({ name, revision }) => [name, revision]),
      [[`sdk-${era}`, era === 'legacy' ? '2025-11-25' : '2026-07-28']],
    );
  });
