import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { HostError, isCancelled } from '../../../src/core/base/hostError.js';
import { McpServer } from '../../../src/core/serving/mcpServer.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import type { Message } from './peers.js';
import { OfficialEnd, RawClient, sampleServer } from './peers.js';

async function sdkClient(server: McpServer, capabilities: Message = {}): Promise<{ client: Client; end: OfficialEnd }> {
  const client = new Client({ name: 'sdk', version: '1.0.0' }, { capabilities });
  const [mine, its] = InMemoryTransport.createLinkedPair();
  const end = new OfficialEnd(its);
  await server.connect(end);
  await client.connect(mine);
  return { client, end };
}

test('the official client 1.32 completes the handshake and sees all lists', async () => {
  const { server } = sampleServer();
  const { client } = await sdkClient(server);
  assert.deepEqual(client.getServerVersion(), { name: 'sample', version: '1.2.3' });
  assert.equal(client.getInstructions(), 'Be nice.');
  assert.deepEqual(client.getServerCapabilities(), {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  });
  await client.ping();
  assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name).slice(0, 2), ['echo', 'wait']);
  assert.deepEqual(
    (await client.listResources()).resources.map((resource) => resource.uri),
    ['test://a'],
  );
  assert.deepEqual(
    (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate),
    ['test://items/{id}'],
  );
  assert.deepEqual(
    (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    ['greet'],
  );
  assert.deepEqual((await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).content, [
    { type: 'text', text: 'hi' },
  ]);
  assert.deepEqual((await client.readResource({ uri: 'test://items/7' })).contents, [
    { uri: 'test://items/7', text: 'item 7' },
  ]);
  assert.deepEqual((await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).messages, [
    { role: 'user', content: { type: 'text', text: 'Greet Ada in nowhere' } },
  ]);
  server.dispose();
});

test('every legacy revision is accepted, and an unknown one is answered with the newest', async () => {
  const { server } = sampleServer();
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const client = await RawClient.initialized(server, revision);
    assert.deepEqual((await client.request('ping'))['result'], {});
    await client.close();
  }
  const client = await RawClient.connect(server);
  const answer = await client.request('initialize', {
    protocolVersion: '1999-01-01',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  assert.equal(answer['result'].protocolVersion, '2025-11-25');
  assert.equal(server.connectionCount, 1);
  server.dispose();
});

test('only ping is answered before initialize, and a second initialize is refused', async () => {
  const { server } = sampleServer();
  const client = await RawClient.connect(server);
  assert.deepEqual((await client.request('ping'))['result'], {});
  assert.equal((await client.request('tools/list'))['error'].code, -32600);
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  assert.equal((await client.request('initialize', { protocolVersion: '2025-11-25' }))['error'].code, -32600);
  server.dispose();
});

test('a handler gets answers of the user and the model, and the roots, from the official client', async () => {
  const { server, seen } = sampleServer();
  const { client } = await sdkClient(server, { elicitation: {}, sampling: {}, roots: {} });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler(CreateMessageRequestSchema, (request) => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: JSON.stringify(request.params.messages[0]?.content) },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///w' }] }));
  const result = await client.callTool({ name: 'ask_twice', arguments: { a: 1 } });
  assert.match(JSON.stringify(result.content), /Greet Ada.*file:\/\/\/w/);
  assert.equal(seen.runs, 1, 'in the legacy era a handler runs once');
  server.dispose();
});

test('a question to a client without the capability is an error result with the reason', async () => {
  const { server } = sampleServer();
  const client = await RawClient.initialized(server);
  const answer = await client.request('tools/call', { name: 'ask' });
  assert.deepEqual(answer['result'], {
    content: [{ type: 'text', text: 'The client does not support elicitation/create, which this request needs.' }],
    isError: true,
  });
  server.dispose();
});

test('an answer that is invalid, does not match the form, or is an error fails the call with the reason', async () => {
  const { server } = sampleServer();
  const client = await RawClient.initialized(server, '2025-11-25', { elicitation: {} });
  const callAndAnswer = async (answer: Message): Promise<string> => {
    const asked = client.next((message) => message['method'] === 'elicitation/create');
    const result = client.request('tools/call', { name: 'ask' });
    client.send({ jsonrpc: '2.0', id: (await asked)['id'], ...answer });
    const { result: done, error } = await result;
    return done ? (done.content[0].text as string) : (error.message as string);
  };
  assert.equal(
    await callAndAnswer({ result: { action: 'maybe' } }),
    'The client sent an invalid answer to elicitation/create.',
  );
  assert.equal(
    await callAndAnswer({ result: { action: 'accept', content: {} } }),
    'The answer of the client does not match the form: name is missing.',
  );
  assert.equal(await callAndAnswer({ result: { action: 'decline' } }), 'decline');
  assert.equal(await callAndAnswer({ error: { code: -1, message: 'no, thanks' } }), 'The user declined: no, thanks');
  assert.equal(
    await callAndAnswer({ error: { code: -32000, message: 'boom' } }),
    'The client could not answer elicitation/create: boom',
  );
  server.dispose();
});

test('an unanswered question is canceled after its timeout', async () => {
  const clock = new ManualClock();
  const { server } = sampleServer({ clock, askTimeoutMs: 5_000 });
  const client = await RawClient.initialized(server, '2025-11-25', { elicitation: {} });
  const asked = client.next((message) => message['method'] === 'elicitation/create');
  const withdrawn = client.next((message) => message['method'] === 'notifications/cancelled');
  const result = client.request('tools/call', { name: 'ask' });
  const { id } = await asked;
  await clock.advance(5_000);
  assert.equal((await withdrawn)['params'].requestId, id);
  assert.equal((await result)['result'].content[0].text, 'The client did not answer elicitation/create within 5 s.');
  server.dispose();
});

test('a canceled call is aborted, cancels its question, and gets no answer', async () => {
  const { server, seen } = sampleServer();
  const client = await RawClient.initialized(server, '2025-11-25', { elicitation: {} });
  void client.request('tools/call', { name: 'wait' }, 'call');
  await seen.waiting.promise;
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } });
  assert.ok(isCancelled(await seen.aborted.promise));

  const asked = client.next((message) => message['method'] === 'elicitation/create');
  void client.request('tools/call', { name: 'ask' }, 'ask');
  const { id } = await asked;
  const withdrawn = client.next((message) => message['method'] === 'notifications/cancelled');
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'ask' } });
  assert.equal((await withdrawn)['params'].requestId, id);
  await client.request('ping');
  assert.deepEqual(
    client.received.filter((message) => message['id'] === 'call' || (message['id'] === 'ask' && !message['method'])),
    [],
  );
  server.dispose();
});

test('progress that does not grow is dropped, and log messages follow the level', async () => {
  const { server } = sampleServer();
  const { client } = await sdkClient(server);
  const logged: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
  const progress: unknown[] = [];
  const call = () =>
    client.callTool({ name: 'report', arguments: {} }, undefined, { onprogress: (step) => progress.push(step) });
  await call();
  assert.deepEqual(
    progress,
    [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })),
  );
  assert.deepEqual(logged.splice(0), [{ level: 'error', logger: 'reporter', data: { what: 'bad' } }]);
  await client.setLoggingLevel('debug');
  await call();
  assert.equal(logged.splice(0).length, 2);
  await client.setLoggingLevel('emergency');
  await call();
  assert.deepEqual(logged, []);
  server.dispose();
});

test('lists have pages with cursors that cannot be forged', async () => {
  const { server, tools } = sampleServer({ pageSize: 3 });
  const { client } = await sdkClient(server);
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  assert.deepEqual(
    names,
    tools.list().map((tool) => tool.name),
  );
  assert.equal(pages, 3);
  const { nextCursor = '' } = await client.listTools();
  for (const bad of ['', '3', `${nextCursor}x`, nextCursor.replace(/^./, (char) => (char === 'A' ? 'B' : 'A'))]) {
    await assert.rejects(client.listTools({ cursor: bad }), { code: -32602 });
  }
  await assert.rejects(
    client.listResources({ cursor: nextCursor }),
    { code: -32602 },
    'a cursor of one list is invalid for another',
  );
  server.dispose();
});

test('[GW15] a page of a list has at most 2 MiB, and an item that is larger is alone on its page', async () => {
  const sizes = [900, 900, 900, 5_000, 1, 1];
  const tools = sizes.map((kib, at) => ({
    tool: { name: `t${at}`, description: 'x'.repeat(kib * 1024), inputSchema: { type: 'object' as const } },
    call: () => ({ content: [] }),
  }));
  const server = new McpServer({ info: { name: 'large', version: '1' }, tools });
  const { client } = await sdkClient(server);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    pages.push(page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(pages, [['t0', 't1'], ['t2'], ['t3'], ['t4', 't5']]);
  server.dispose();
});

test('changes are announced once per burst, updates to subscribers only', async () => {
  const { server, tools, resources } = sampleServer();
  const { client, end } = await sdkClient(server);
  const received: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void received.push('tools'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void received.push(params.uri));
  resources.fireUpdated('test://a');
  await settle();
  await client.subscribeResource({ uri: 'test://a' });
  const tool = tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) });
  tool.dispose();
  resources.fireUpdated('test://a');
  resources.fireUpdated('test://b');
  await settle();
  assert.deepEqual(received.splice(0), ['tools', 'test://a']);
  await client.unsubscribeResource({ uri: 'test://a' });
  resources.fireUpdated('test://a');
  await settle();
  assert.deepEqual(received, []);
  assert.equal(end.sent.filter((message) => message['method'] === 'notifications/tools/list_changed').length, 1);
  server.dispose();
});

test('completion receives the other arguments and is cut at a hundred values', async () => {
  const { server } = sampleServer();
  const { client } = await sdkClient(server);
  const prompt = await client.complete({
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'name', value: 'A' },
    context: { arguments: { city: 'Rome' } },
  });
  assert.deepEqual(prompt.completion, { values: ['name:A:Rome'], hasMore: false });
  const item = await client.complete({
    ref: { type: 'ref/resource', uri: 'test://items/{id}' },
    argument: { name: 'id', value: '1' },
  });
  assert.deepEqual(
    { count: item.completion.values.length, total: item.completion.total, hasMore: item.completion.hasMore },
    { count: 100, total: 150, hasMore: true },
  );
  await assert.rejects(
    client.complete({ ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } }),
    { code: -32602 },
  );
  await assert.rejects(
    client.complete({ ref: { type: 'ref/resource', uri: 'nope' }, argument: { name: 'a', value: '' } }),
    { code: -32602 },
  );
  server.dispose();
});

test('invalid arguments are an error result for the model since 2025-11-25, and a protocol error before', async () => {
  const { server } = sampleServer();
  const text = 'The arguments of "echo" do not match its schema: text is missing.';
  const now = await RawClient.initialized(server, '2025-11-25');
  assert.deepEqual((await now.request('tools/call', { name: 'echo', arguments: {} }))['result'], {
    content: [{ type: 'text', text }],
    isError: true,
  });
  const before = await RawClient.initialized(server, '2025-06-18');
  assert.deepEqual((await before.request('tools/call', { name: 'echo', arguments: {} }))['error'], {
    code: -32602,
    message: text,
  });
  server.dispose();
});

test('failures of tools are results; details of internal errors are only in the log', async () => {
  const { server, log } = sampleServer();
  const client = await RawClient.initialized(server);
  assert.deepEqual((await client.request('tools/call', { name: 'fail' }))['result'], {
    content: [{ type: 'text', text: 'It did not work.' }],
    isError: true,
  });
  const bug = await client.request('tools/call', { name: 'bug' });
  assert.equal(bug['result'].isError, true);
  assert.doesNotMatch(JSON.stringify(bug), /secret/);
  assert.match(log.join('\n'), /secret detail/);
  server.dispose();
});

test('wrong requests get the code that the specification gives them', async () => {
  const { server } = sampleServer();
  const client = await RawClient.initialized(server);
  const code = async (method: string, params?: Message): Promise<number> =>
    (await client.request(method, params))['error'].code as number;
  assert.equal(await code('no/such/method'), -32601);
  assert.equal(await code('constructor'), -32601);
  assert.equal(await code('__proto__'), -32601);
  assert.equal(await code('tools/call', { name: 'nope' }), -32602);
  assert.equal(await code('tools/call', { name: 'echo', arguments: [] }), -32602);
  assert.equal(await code('tools/call', {}), -32602);
  assert.equal(await code('resources/read', { uri: 'test://nope' }), -32002);
  assert.equal(await code('resources/read', { uri: 'test://items/0' }), -32002);
  assert.equal(await code('prompts/get', { name: 'nope' }), -32602);
  assert.equal(await code('prompts/get', { name: 'greet' }), -32602);
  assert.equal(await code('prompts/get', { name: 'greet', arguments: { name: 1 } }), -32602);
  assert.equal(await code('logging/setLevel', { level: 'loud' }), -32602);
  assert.equal(await code('resources/subscribe', {}), -32602);
  assert.equal(await code('resources/subscribe', { uri: `test://${'x'.repeat(10_000)}` }), -32602);
  server.dispose();
});

test('an invalid message is dropped, and the next one is answered', async () => {
  const { server } = sampleServer();
  const client = await RawClient.initialized(server);
  for (const odd of [
    null,
    42,
    'x',
    {},
    { jsonrpc: '1.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: {}, method: 'ping' },
    { jsonrpc: '2.0', id: null, method: 'ping' },
    { jsonrpc: '2.0', method: 7 },
    { jsonrpc: '2.0', id: 99, result: {} },
  ])
    client.send(odd);
  const before = client.received.length;
  assert.deepEqual((await client.request('ping', undefined, 0))['result'], {}, 'zero is a valid id');
  assert.equal(client.received.length, before + 1);
  server.dispose();
});

test('a duplicate open id is refused, and so are requests beyond the limit', async () => {
  const { server, seen } = sampleServer({ maxOpenRequests: 1 });
  const client = await RawClient.initialized(server);
  void client.request('tools/call', { name: 'wait' }, 'same');
  await seen.waiting.promise;
  assert.equal((await client.request('ping', undefined, 'same'))['error'].code, -32600);
  assert.equal((await client.request('ping', undefined, 'other'))['error'].code, -32603);
  server.dispose();
});

test('batches are answered in one array for clients of 2025-03-26, and refused for later ones', async () => {
  const { server } = sampleServer();
  const old = await RawClient.initialized(server, '2025-03-26');
  const before = old.received.length;
  const answered = old.next((message) => message['id'] === 'b');
  old.send([
    { jsonrpc: '2.0', id: 'a', method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/whatever' },
    { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } },
  ]);
  await answered;
  assert.deepEqual(
    old.received.slice(before).map((message) => message['id']),
    ['a', 'b'],
  );
  const late = await RawClient.initialized(server, '2025-11-25');
  const refused = late.next((message) => message['error'] !== undefined);
  late.send([{ jsonrpc: '2.0', id: 'a', method: 'ping' }]);
  assert.equal((await refused)['error'].code, -32600);
  server.dispose();
});

test('results have the shape of the revision of the client', async () => {
  const { server } = sampleServer();
  const oldest = await RawClient.initialized(server, '2024-11-05');
  assert.deepEqual((await oldest.request('tools/call', { name: 'structured' }))['result'], {
    content: [
      { type: 'resource', resource: { uri: 'attachment:audio', mimeType: 'audio/wav', blob: 'AAAA' } },
      { type: 'text', text: 'a: test://a' },
    ],
  });
  const listed = (await oldest.request('tools/list'))['result'].tools as Message[];
  assert.equal(
    listed.find((tool) => tool['name'] === 'structured')?.['outputSchema'],
    undefined,
    'a list is not structured content before 2026-07-28',
  );
  server.dispose();
});

test('closing aborts open requests, whichever side closes', async () => {
  const { server, seen } = sampleServer();
  const client = await RawClient.initialized(server);
  void client.request('tools/call', { name: 'wait' });
  await seen.waiting.promise;
  await client.close();
  assert.ok((await seen.aborted.promise) instanceof HostError);
  assert.equal(server.connectionCount, 0);
  const other = await RawClient.initialized(server);
  server.dispose();
  await other.closed.promise;
});
