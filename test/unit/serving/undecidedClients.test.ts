/** What a client gets from a server as long as its gate has not decided about it: empty lists, and streams of changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { ErrorCode, ProtocolError } from '../../../src/core/protocol/jsonRpc.js';
import type { ClientGate } from '../../../src/core/serving/clientGate.js';
import type { ToolList } from '../../../src/core/serving/servedFeatures.js';
import { settle } from '../../support/manualClock.js';
import { RawClient, sampleServer } from './peers.js';

const listMembers = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
const caching = Object.fromEntries(
  Object.keys(listMembers).map((method) => [method, { ttlMs: 60_000, scope: 'public' as const }]),
);

/** A server whose gate has not decided yet, and a function for the decision. */
function open() {
  const decision = new Deferred<void>();
  let isApproved = false;
  const gate: ClientGate = {
    arrived: () => undefined,
    admit: () => (isApproved ? undefined : decision.promise),
    admitSoon: () => (isApproved ? undefined : Promise.resolve(false)),
    isAdmitted: () => isApproved,
  };
  const approve = () => {
    isApproved = true;
    decision.resolve();
  };
  return { ...sampleServer({ gate, cache: caching }), approve };
}

const change = (tools: ToolList) =>
  tools.add({ tool: { name: 'added', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) });

const kindsIn = (client: RawClient) =>
  client.received.map(({ method }) => String(method)).filter((method) => method.endsWith('/list_changed'));

for (const era of ['legacy', 'modern'] as const)
  test(`[GW10] an undecided ${era} client gets empty lists, without a time to cache them, and no resource`, async () => {
    const { server, approve } = open();
    const client = era === 'legacy' ? await RawClient.initialized(server) : await RawClient.connect(server);
    const ask = (method: string, params = {}) =>
      era === 'legacy' ? client.request(method, params) : client.modern(method, params);
    for (const [method, member] of Object.entries(listMembers)) {
      const { result } = await ask(method, { cursor: 'any' });
      assert.deepEqual(result[member], [], method);
      if (era === 'modern') assert.deepEqual([result.ttlMs, result.cacheScope], [0, 'private'], method);
      assert.equal(result.nextCursor, undefined);
    }
    const called = ask('tools/call', { name: 'echo', arguments: { text: 'late' } });
    const read = ask('resources/read', { uri: 'test://a' });
    await settle();
    const count = client.received.length;
    approve();
    assert.equal((await called)['result'].content[0].text, 'late');
    assert.ok((await read)['result']);
    assert.equal(client.received.length, count + 2, 'calls waited for the decision');
    const { result } = await ask('tools/list');
    assert.ok(result.tools.length > 0);
    if (era === 'modern') assert.equal(result.ttlMs, 60_000);
    server.dispose();
  });

test('[GW10] an undecided legacy client is told of changes only after its approval', async () => {
  const { server, tools, approve } = open();
  const client = await RawClient.initialized(server);
  await client.request('tools/list');
  change(tools);
  await settle();
  assert.deepEqual(kindsIn(client), []);
  approve();
  change(tools);
  await settle();
  assert.deepEqual(kindsIn(client), ['notifications/tools/list_changed']);
  server.dispose();
});

test('[GW10] an undecided modern client can listen to lists at once, and is told of changes only after its approval', async () => {
  const { server, tools, approve } = open();
  const client = await RawClient.connect(server);
  const acknowledged = () =>
    client.next(({ method }) => method === 'notifications/subscriptions/acknowledged').then(({ params }) => params);
  const first = acknowledged();
  const notifications = { toolsListChanged: true, promptsListChanged: true };
  void client.modern('subscriptions/listen', { notifications });
  assert.deepEqual((await first).notifications, notifications);
  change(tools);
  await settle();
  assert.deepEqual(kindsIn(client), []);
  const second = acknowledged();
  void client.modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['test://a'] } });
  await settle();
  assert.equal(client.received.length, 1, 'resources wait for the decision');
  approve();
  assert.deepEqual((await second).notifications, { resourceSubscriptions: ['test://a'] });
  change(tools);
  await settle();
  assert.deepEqual(kindsIn(client), ['notifications/tools/list_changed']);
  server.dispose();
});

test('[GW10] a refused client gets an error for lists and streams', async () => {
  const refused = () => Promise.reject(new ProtocolError(ErrorCode.invalidRequest, 'Refused.'));
  const gate: ClientGate = { arrived: () => undefined, admit: refused, admitSoon: refused, isAdmitted: () => false };
  const { server } = sampleServer({ gate });
  const session = await RawClient.initialized(server);
  assert.equal((await session.request('tools/list'))['error'].message, 'Refused.');
  for (const method of ['tools/list', 'subscriptions/listen'])
    assert.equal(
      (await session.modern(method, { notifications: { toolsListChanged: true } }))['error'].message,
      'Refused.',
    );
  server.dispose();
});
