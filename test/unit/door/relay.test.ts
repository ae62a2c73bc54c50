import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doorClient, doorPlace, doorWindow, toolNames } from '../../support/doorWindow.js';

for (const era of ['legacy', '2026-07-28'] as const)
  test(`a door relays lists, calls, resources and prompts of a ${era} client to the window of its folder`, async (t) => {
    const { door, script, folder } = doorPlace(t);
    const app = folder('app');
    const { gateway } = await doorWindow(t, { door, folders: [app] });
    const session = await doorClient(t, { script, folder: app, era });
    assert.ok((await toolNames(session)).includes('only_one'));
    assert.match(JSON.stringify(await session.callTool('only_one', {})), /"one"/);
    assert.deepEqual((await session.listPrompts()).items, []);
    const [resource] = (await session.listResources()).items;
    assert.match(JSON.stringify(await session.readResource(resource?.uri ?? '')), /"one 0"/);
    const [client] = gateway.clients.list;
    assert.deepEqual([client?.name, client?.transport, client?.calls], ['agent', 'stdio', 2]);
  });
