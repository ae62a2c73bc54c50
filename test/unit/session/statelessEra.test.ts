import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedError, ScriptedServer, silence } from '../../support/scriptedServer.js';
import { client, open, tool } from './openSession.js';

describe('in the stateless era', () => {
  test('[lifecycle.requestMeta] every request carries revision, client and capabilities', async () => {
    const server = new ScriptedServer()
      .modern()
      .respondTo('tools/call', () => ({ resultType: 'complete', content: [] }));
    const session = await open(server, { handlers: { roots: () => [] } });
    await session.setLogLevel('warning');
    await session.callTool('x', {});
    const call = await server.next(({ method }) => method === 'tools/call');
    assert.deepEqual(call['params']._meta, {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { roots: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      'io.modelcontextprotocol/clientInfo': client,
      'io.modelcontextprotocol/logLevel': 'warning',
      progressToken: call['id'],
    });
  });

  test('[mrtr, R15] input comes from the same handlers, and the state is returned unchanged under a new id', async () => {
    const server = new ScriptedServer().modern();
    server.respondTo('tools/call', ({ inputResponses }) =>
      inputResponses
        ? { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(inputResponses) }] }
        : {
            resultType: 'input_required',
            requestState: ' opaque\u0000 ',
            inputRequests: {
              r: { method: 'roots/list' },
              e: {
                method: 'elicitation/create',
                params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
              },
            },
          },
    );
    const session = await open(server, {
      handlers: { roots: () => [{ uri: 'file:///w' }], elicit: () => Promise.resolve({ action: 'decline' as const }) },
    });
    const result = await session.callTool('x', { a: 1 });
    const [first, second] = server.received.filter(({ method }) => method === 'tools/call');
    assert.deepEqual(result.content, [
      { type: 'text', text: '{"r":{"roots":[{"uri":"file:///w"}]},"e":{"action":"decline"}}' },
    ]);
    assert.deepEqual(
      [second?.['params'].requestState, second?.['params'].arguments, second?.['id'] !== first?.['id']],
      [' opaque\u0000 ', { a: 1 }, true],
    );
  });

  test('[R15] a request that never stops asking is aborted', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer()
      .modern()
      .respondTo('tools/call', () => ({ resultType: 'input_required', requestState: 's' }));
    const session = await open(server, { clock });
    const rejected = assert.rejects(session.callTool('x', {}), { code: 'too-many-rounds' });
    await clock.advance(10_000);
    await rejected;
  });

  test('[resultType] a result of an unknown type is an error', async () => {
    const server = new ScriptedServer()
      .modern()
      .respondTo('tools/call', () => ({ resultType: 'surprise', content: [] }));
    const session = await open(server);
    await assert.rejects(session.callTool('x', {}), { code: 'invalid-message' });
  });

  test('[subscriptions.listen, resources.subscribe] changes arrive through a listen stream that requests only declared notifications', async () => {
    const changed: string[] = [];
    const server = new ScriptedServer().modern({ tools: { listChanged: true }, resources: { subscribe: true } });
    server.respondTo('subscriptions/listen', () => silence);
    const session = await open(server, {
      listener: { onListChanged: (kind) => changed.push(kind), onResourceUpdated: (uri) => changed.push(uri) },
    });
    const listen = await server.next(({ method }) => method === 'subscriptions/listen');
    await session.subscribe('file:///a');
    const again = await server.next(
      ({ method, params }) => method === 'subscriptions/listen' && params.notifications.resourceSubscriptions,
    );
    const withdrawn = await server.next(({ method }) => method === 'notifications/cancelled');
    server.notify('notifications/tools/list_changed', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': again['id'] },
    });
    server.notify('notifications/resources/updated', { uri: 'file:///a' });
    await settle();
    assert.deepEqual(
      [listen['params'].notifications, again['params'].notifications, withdrawn['params'].requestId, changed],
      [
        { toolsListChanged: true },
        { toolsListChanged: true, resourceSubscriptions: ['file:///a'] },
        listen['id'],
        ['tools', 'file:///a'],
      ],
    );
  });

  test('[GW16] many subscriptions at once replace the listen stream once', async () => {
    const server = new ScriptedServer().modern({ resources: { subscribe: true } });
    server.respondTo('subscriptions/listen', () => silence);
    const session = await open(server);
    const uris = Array.from({ length: 500 }, (_, n) => `file:///${n}`);
    await Promise.all(uris.map((uri) => session.subscribe(uri)));
    await settle();
    assert.deepEqual(
      server.received
        .filter(({ method }) => method === 'subscriptions/listen')
        .map(({ params }) => params.notifications.resourceSubscriptions),
      [uris],
    );
  });

  test('a server may not send requests: they are dropped unanswered', async () => {
    const warnings: string[] = [];
    const server = new ScriptedServer().modern({});
    await open(server, { handlers: { roots: () => [] }, listener: { onWarning: (line) => warnings.push(line) } });
    server.send({ jsonrpc: '2.0', id: 5, method: 'roots/list' });
    await settle();
    assert.deepEqual([server.methods, warnings.length], [['server/discover'], 1]);
  });

  test('[tasks.extension] a task of the extension is followed inside tasks/get, and its questions are answered once', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().modern();
    const base = { taskId: 't', createdAt: '', lastUpdatedAt: '', ttlMs: 1_000, pollIntervalMs: 100 };
    const answers: unknown[] = [];
    server.respondTo('tools/call', () => ({ resultType: 'task', ...base, status: 'working' }));
    server.respondTo('tasks/update', (params) => (answers.push(params['inputResponses']), { resultType: 'complete' }));
    let polls = 0;
    server.respondTo('tasks/get', () =>
      ++polls < 3
        ? { resultType: 'complete', ...base, status: 'input_required', inputRequests: { k: { method: 'roots/list' } } }
        : {
            resultType: 'complete',
            ...base,
            status: 'completed',
            result: { content: [{ type: 'text', text: 'done' }] },
          },
    );
    const session = await open(server, { clock, handlers: { roots: () => [] } });
    const call = session.callTool('x', {});
    await clock.advance(1_000);
    assert.deepEqual([await call, answers], [{ content: [{ type: 'text', text: 'done' }] }, [{ k: { roots: [] } }]]);
  });

  test('[tasks.extension, subscriptions.listen] a task has its own listen stream beside the stream of changes, and is polled as soon as the server notifies', async () => {
    const clock = new ManualClock();
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const server = new ScriptedServer().modern({ tools: { listChanged: true }, extensions });
    const task = { taskId: 't', createdAt: '', lastUpdatedAt: '', ttlMs: null, pollIntervalMs: 30_000 };
    const acknowledge = (id: unknown, notifications: object) =>
      server.notify('notifications/subscriptions/acknowledged', {
        _meta: { 'io.modelcontextprotocol/subscriptionId': id },
        notifications,
      });
    let status = 'working';
    server.respondTo('subscriptions/listen', ({ notifications }, { id }) => (acknowledge(id, notifications), silence));
    server.respondTo('tools/call', () => ({ resultType: 'task', ...task, status }));
    server.respondTo('tasks/get', () => ({
      resultType: 'complete',
      ...task,
      status,
      ...(status === 'completed' ? { result: { content: [] } } : {}),
    }));
    const session = await open(server, { clock });
    const changes = await server.next(({ method }) => method === 'subscriptions/listen');
    const call = session.callTool('x', {});
    const tasks = await server.next(
      ({ method, params }) => method === 'subscriptions/listen' && params.notifications.taskIds,
    );
    status = 'completed';
    server.notify('notifications/tasks', {
      ...task,
      status,
      result: { content: [] },
      _meta: { 'io.modelcontextprotocol/subscriptionId': tasks['id'] },
    });
    await clock.advance(100);
    assert.deepEqual([await call, tasks['params'].notifications], [{ content: [] }, { taskIds: ['t'] }]);
    const left = await server.next(({ method }) => method === 'notifications/cancelled');
    assert.equal(left['params'].requestId, tasks['id'], 'a finished task has no listen stream');
    // The server also ends its stream for the task; the stream of changes is separate.
    server.notify('notifications/cancelled', { requestId: tasks['id'] });
    await clock.advance(5_000);
    const streams = () =>
      server.received.filter(({ method, params }) => method === 'subscriptions/listen' && !params.notifications.taskIds)
        .length;
    assert.equal(streams(), 1);
    server.notify('notifications/cancelled', { requestId: String(changes['id']) });
    await clock.advance(5_000);
    assert.equal(streams(), 2, 'its end is detected');
  });

  test('[tasks.extension] a task is followed even if its server refuses the listen stream', async () => {
    const clock = new ManualClock();
    const warnings: string[] = [];
    const server = new ScriptedServer().modern({ tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } });
    const task = { taskId: 't', createdAt: '', lastUpdatedAt: '', ttlMs: null, pollIntervalMs: 1_000 };
    server.respondTo('tools/call', () => ({ resultType: 'task', ...task, status: 'working' }));
    server.respondTo('tasks/get', () => ({
      resultType: 'complete',
      ...task,
      status: 'completed',
      result: { content: [] },
    }));
    const session = await open(server, { clock, listener: { onWarning: (line) => warnings.push(line) } });
    const call = session.callTool('x', {});
    await clock.advance(2_000);
    assert.deepEqual([await call, warnings], [{ content: [] }, []]);
  });

  test('[caching, resources.read] a resource with a time to live is read once until it expires or changes', async () => {
    const clock = new ManualClock();
    let reads = 0;
    const server = new ScriptedServer()
      .modern({ resources: {} })
      .respondTo('resources/read', ({ uri }) => ({ contents: [{ uri, text: String(++reads) }], ttlMs: 1_000 }));
    const session = await open(server, { clock });
    await session.readResource('a:b');
    await session.readResource('a:b');
    assert.equal(reads, 1);
    await clock.advance(1_100);
    await session.readResource('a:b');
    session.forgetCached('a:b');
    await session.readResource('a:b');
    assert.equal(reads, 3);
  });
});

test('[http.modernHeaders] after a refusal because of the headers, the tools are listed again, and the owner of the session is told', async () => {
  const changed: string[] = [];
  let calls = 0;
  const server = new ScriptedServer()
    .modern({ tools: {} })
    .respondTo('tools/list', () => ({ resultType: 'complete', tools: [tool('x')] }))
    .respondTo('tools/call', () => {
      if (calls++ === 0) throw new ScriptedError(-32020, 'Header mismatch.');
      return { resultType: 'complete', content: [] };
    });
  const session = await McpSession.open(() => Object.assign(server.openTransport(), { kind: 'http' }), {
    client,
    listener: { onListChanged: (kind) => changed.push(kind) },
  });
  await session.listTools();
  assert.deepEqual((await session.callTool('x', {})).content, []);
  assert.deepEqual(
    server.received.map(({ method }) => method as string).filter((method) => method.startsWith('tools/')),
    ['tools/list', 'tools/call', 'tools/list', 'tools/call'],
  );
  assert.deepEqual(changed, ['tools']);
});
