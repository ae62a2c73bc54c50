import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { McpServer } from '../../../src/core/serving/mcpServer.js';
import { settle } from '../../support/manualClock.js';
import type { Message } from './peers.js';
import { OfficialEnd, RawClient, meta, sampleServer } from './peers.js';

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'sample', version: '1.2.3' } };
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

async function sdkClient(server: McpServer, capabilities: Message = {}): Promise<{ client: Client; end: OfficialEnd }> {
  const client = new Client(
    { name: 'sdk', version: '2.0.0' },
    { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const [mine, its] = InMemoryTransport.createLinkedPair();
  const end = new OfficialEnd(its);
  await server.connect(end);
  await client.connect(mine);
  return { client, end };
}

test('the official client 2.4 discovers the server and uses its tools, resources and prompts', async () => {
  const { server } = sampleServer();
  const { client } = await sdkClient(server);
  assert.equal(client.getProtocolEra(), 'modern');
  assert.equal(client.getInstructions(), 'Be nice.');
  assert.equal((await client.listTools()).tools.length, 8);
  assert.deepEqual((await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).content, [
    { type: 'text', text: 'hi' },
  ]);
  assert.deepEqual((await client.readResource({ uri: 'test://a' })).contents, [{ uri: 'test://a', text: 'A' }]);
  assert.equal((await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).messages.length, 1);
  assert.deepEqual(
    (await client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }))
      .completion.values,
    ['name:A:'],
  );
  await client.close();
  server.dispose();
});

test('the official client 2.4 probing by itself finds the stateless era', async () => {
  const { server } = sampleServer();
  const client = new Client({ name: 'sdk', version: '2.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const [mine, its] = InMemoryTransport.createLinkedPair();
  await server.connect(new OfficialEnd(its));
  await client.connect(mine);
  assert.equal(client.getProtocolEra(), 'modern');
  await client.close();
  server.dispose();
});

test('one connection can probe in the modern era and continue in the legacy one', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  assert.equal((await client.modern('server/discover'))['result'].resultType, 'complete');
  const answer = await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  assert.equal(answer['result'].protocolVersion, '2025-11-25');
  assert.equal((await client.request('tools/list'))['result'].resultType, undefined);
  server.dispose();
});

test('questions are answered in rounds: concurrent questions are sent together, and the handler runs again', async () => {
  const { server, seen } = sampleServer();
  const { client, end } = await sdkClient(server, { elicitation: { form: {} }, sampling: {}, roots: {} });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler('sampling/createMessage', (request) => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: JSON.stringify(request.params.messages[0]?.content) },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///w' }] }));
  const result = await client.callTool({ name: 'ask_twice', arguments: { a: 1 } });
  assert.match(JSON.stringify(result.content), /Greet Ada.*file:\/\/\/w/);
  assert.equal(seen.runs, 3);
  const rounds = end.sent
    .filter((message) => message['result']?.resultType === 'input_required')
    .map((message) => Object.keys(message['result'].inputRequests));
  assert.deepEqual(rounds, [['elicitation-create-1', 'roots-list-1'], ['sampling-createMessage-1']]);
  assert.deepEqual(
    end.sent.filter((message) => message['method'] !== undefined),
    [],
    'a server of this era sends no requests',
  );
  await client.close();
  server.dispose();
});

test('a missing client capability is an error that names it', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  const error = (required: Message) => ({
    code: -32021,
    message: 'Missing required client capability',
    data: { requiredCapabilities: required },
  });
  assert.deepEqual((await client.modern('tools/call', { name: 'ask' }))['error'], error({ elicitation: { form: {} } }));
  assert.deepEqual(
    (await client.modern('tools/call', { name: 'ask' }, { elicitation: { url: {} } }))['error'],
    error({ elicitation: { form: {} } }),
  );
  assert.equal(
    (await client.modern('tools/call', { name: 'ask' }, { elicitation: {} }))['result'].resultType,
    'input_required',
    'an empty object means forms',
  );
  server.dispose();
});

test('state that was changed, belongs to another request or is too old is refused', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  const call = (params: Message) => client.modern('tools/call', { name: 'ask', ...params }, { elicitation: {} });
  const { requestState } = (await call({ arguments: { a: 1 } }))['result'];
  const inputResponses = { 'elicitation-create-1': { action: 'accept', content: { name: 'Ada' } } };
  const bad: Message[] = [
    { arguments: { a: 1 }, inputResponses, requestState: `${requestState}x` },
    { arguments: { a: 1 }, inputResponses, requestState: 'made up' },
    { arguments: { a: 1 }, inputResponses, requestState: 7 },
    { arguments: { a: 2 }, inputResponses, requestState },
  ];
  for (const params of bad) assert.equal((await call(params))['error'].code, -32602);
  assert.equal(
    (
      await client.modern(
        'tools/call',
        { name: 'ask_twice', arguments: { a: 1 }, requestState },
        { elicitation: {}, roots: {} },
      )
    )['error'].code,
    -32602,
  );
  const done = (await call({ arguments: { a: 1 }, inputResponses, requestState }))['result'];
  assert.deepEqual(done, {
    resultType: 'complete',
    content: [{ type: 'text', text: 'Hello, Ada' }],
    _meta: serverInfo,
  });
  server.dispose();
});

test('state of one server is invalid for another, unless they share the secret', async () => {
  const secret = Buffer.alloc(32, 7);
  const ask = async (first: McpServer, second: McpServer): Promise<Message> => {
    const { requestState } = (
      await (await RawClient.connect(first)).modern('tools/call', { name: 'ask' }, { elicitation: {} })
    )['result'];
    const inputResponses = { 'elicitation-create-1': { action: 'decline' } };
    const answer = await (
      await RawClient.connect(second)
    ).modern('tools/call', { name: 'ask', inputResponses, requestState }, { elicitation: {} });
    first.dispose();
    second.dispose();
    return answer;
  };
  assert.equal((await ask(sampleServer().server, sampleServer().server))['error'].code, -32602);
  assert.equal(
    (await ask(sampleServer({ secret }).server, sampleServer({ secret }).server))['result'].content[0].text,
    'decline',
  );
});

test('answers that are missing, misshapen or do not fit the form are requested again', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  const key = 'elicitation-create-1';
  for (const inputResponses of [
    {},
    { other: { action: 'accept' } },
    { [key]: 5 },
    { [key]: { action: 'perhaps' } },
    { [key]: { action: 'accept' } },
    { [key]: { action: 'accept', content: {} } },
  ]) {
    const { result } = await client.modern('tools/call', { name: 'ask', inputResponses }, { elicitation: {} });
    assert.deepEqual(Object.keys(result.inputRequests), [key], JSON.stringify(inputResponses));
  }
  assert.equal(
    (await client.modern('tools/call', { name: 'ask', inputResponses: [] }, { elicitation: {} }))['error'].code,
    -32602,
  );
  server.dispose();
});

test('every finished result names the server, and cacheable ones have a cache time', async () => {
  const { server } = sampleServer({ cache: { 'tools/list': { ttlMs: 1_000, scope: 'public' } } });
  const client = await RawClient.connect(server);
  const hints = async (method: string, params?: Message): Promise<unknown> => {
    const { resultType, ttlMs, cacheScope, _meta } = (await client.modern(method, params))['result'];
    return { resultType, ttlMs, cacheScope, _meta };
  };
  const stale = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: serverInfo };
  assert.deepEqual(await hints('tools/list'), { ...stale, ttlMs: 1_000, cacheScope: 'public' });
  for (const method of ['server/discover', 'resources/list', 'resources/templates/list', 'prompts/list'])
    assert.deepEqual(await hints(method), stale);
  assert.deepEqual(await hints('resources/read', { uri: 'test://a' }), stale);
  assert.deepEqual(await hints('tools/call', { name: 'echo', arguments: { text: '' } }), {
    ...stale,
    ttlMs: undefined,
    cacheScope: undefined,
  });
  server.dispose();
});

test('requests without metadata, of other revisions and of removed methods get their error codes', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  const version = 'io.modelcontextprotocol/protocolVersion';
  assert.equal((await client.request('server/discover'))['error'].code, -32602);
  assert.equal((await client.request('tools/list', { _meta: { [version]: '2026-07-28' } }))['error'].code, -32602);
  assert.equal(
    (await client.request('tools/list', { _meta: { ...meta, 'io.modelcontextprotocol/logLevel': 'loud' } }))['error']
      .code,
    -32602,
  );
  assert.deepEqual((await client.request('tools/list', { _meta: { ...meta, [version]: '1999-01-01' } }))['error'], {
    code: -32022,
    message: 'Unsupported protocol version',
    data: { supported: ['2026-07-28'], requested: '1999-01-01' },
  });
  for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such'])
    assert.equal((await client.modern(method))['error'].code, -32601);
  assert.deepEqual((await client.modern('resources/read', { uri: 'test://nope' }))['error'], {
    code: -32602,
    message: 'Resource not found',
    data: { uri: 'test://nope' },
  });
  server.dispose();
});

test('log messages are sent only when the request asks for them, and from its level on', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  const logged = () => client.received.filter((message) => message['method'] === 'notifications/message').length;
  await client.modern('tools/call', { name: 'report' });
  assert.equal(logged(), 0);
  await client.modern('tools/call', { name: 'report' }, {}, { 'io.modelcontextprotocol/logLevel': 'warning' });
  assert.equal(logged(), 1);
  await client.modern(
    'tools/call',
    { name: 'report' },
    {},
    { 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 'p' },
  );
  assert.equal(logged(), 3);
  assert.deepEqual(
    client.received
      .filter((message) => message['method'] === 'notifications/progress')
      .map((message) => message['params']),
    [
      { progressToken: 'p', progress: 1, total: 3, message: 'step 1' },
      { progressToken: 'p', progress: 2, total: 3, message: 'step 2' },
      { progressToken: 'p', progress: 3, total: 3, message: 'step 3' },
    ],
  );
  server.dispose();
});

test('structured content may be any value', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  const { result } = await client.modern('tools/call', { name: 'structured' });
  assert.deepEqual(result.structuredContent, [1, 2]);
  assert.deepEqual(
    result.content.map((block: Message) => block['type']),
    ['audio', 'resource_link'],
  );
  server.dispose();
});

test('a listen stream is acknowledged first, delivers the requested notifications, and reports its end', async () => {
  const { server, tools, resources, prompts } = sampleServer();
  const client = await RawClient.connect(server);
  const listen = (id: string, notifications: Message): Promise<Message> => {
    const acknowledged = client.next((message) => message['params']?._meta?.[subscriptionId] === id);
    void client.request('subscriptions/listen', { notifications, _meta: meta }, id);
    return acknowledged;
  };
  const change = async (): Promise<void> => {
    tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) }).dispose();
    prompts.add({ prompt: { name: 'new' }, get: () => ({ messages: [] }) }).dispose();
    resources.fireUpdated('test://a');
    resources.fireUpdated('test://b');
    await settle();
  };
  const first = await listen('one', { toolsListChanged: true, resourceSubscriptions: ['test://a'], taskIds: ['x'] });
  assert.equal(first['method'], 'notifications/subscriptions/acknowledged');
  assert.deepEqual(first['params'].notifications, { toolsListChanged: true, resourceSubscriptions: ['test://a'] });
  await listen('two', { promptsListChanged: true });
  client.received.splice(0);
  await change();
  assert.deepEqual(
    client.received.splice(0).map((message) => [message['method'], message['params']]),
    [
      ['notifications/tools/list_changed', { _meta: { [subscriptionId]: 'one' } }],
      ['notifications/prompts/list_changed', { _meta: { [subscriptionId]: 'two' } }],
      ['notifications/resources/updated', { uri: 'test://a', _meta: { [subscriptionId]: 'one' } }],
    ],
  );
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'one' } });
  await change();
  assert.deepEqual(
    client.received.splice(0).map((message) => message['method']),
    ['notifications/prompts/list_changed'],
  );
  server.dispose();
  await client.closed.promise;
  assert.deepEqual(client.received, [
    {
      jsonrpc: '2.0',
      id: 'two',
      result: { resultType: 'complete', _meta: { [subscriptionId]: 'two', ...serverInfo } },
    },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'two' } },
  ]);
});

test('the official client 2.4 receives changes on its subscription', async () => {
  const { server, tools, resources } = sampleServer();
  const { client } = await sdkClient(server);
  const received: string[] = [];
  client.setNotificationHandler('notifications/tools/list_changed', () => void received.push('tools'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void received.push(params.uri));
  const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['test://a'] });
  tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) });
  resources.fireUpdated('test://a');
  await settle();
  assert.deepEqual(received, ['tools', 'test://a']);
  await subscription.close();
  await client.close();
  server.dispose();
});

test('a source starts to watch a resource with its first subscriber and stops with its last', async () => {
  const watched: string[] = [];
  const { server } = sampleServer({
    resources: {
      list: () => [],
      read: () => undefined,
      onDidUpdate: () => ({ dispose: () => undefined }),
      watch: (uri) => {
        watched.push(`+${uri}`);
        return { dispose: () => void watched.push(`-${uri}`) };
      },
    },
  });
  const one = await RawClient.initialized(server);
  const two = await RawClient.connect(server);
  await one.request('resources/subscribe', { uri: 'test://a' });
  void two.request(
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: ['test://a', 'test://a'] }, _meta: meta },
    'l',
  );
  await settle();
  assert.deepEqual(watched, ['+test://a']);
  await one.close();
  assert.deepEqual(watched, ['+test://a']);
  await two.close();
  assert.deepEqual(watched, ['+test://a', '-test://a']);
  server.dispose();
});

test('methods of extensions are declared and answered in their era', async () => {
  const { server } = sampleServer({
    extensions: { 'com.example/clock': { precise: true } },
    methods: new Map([['clock/read', () => ({ time: 'noon' })]]),
  });
  const client = await RawClient.connect(server);
  assert.deepEqual((await client.modern('server/discover'))['result'].capabilities.extensions, {
    'com.example/clock': { precise: true },
  });
  assert.deepEqual((await client.modern('clock/read'))['result'], {
    resultType: 'complete',
    time: 'noon',
    _meta: serverInfo,
  });
  server.dispose();
});
