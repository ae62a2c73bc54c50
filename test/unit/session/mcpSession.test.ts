import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import type { SessionOptions } from '../../../src/core/session/mcpSession.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import type { ServerIdentity } from '../../../src/core/session/serverIdentity.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedError, ScriptedServer, silence } from '../../support/scriptedServer.js';

const client = { name: 'test', version: '1.0.0' };

function open(server: ScriptedServer, options: Partial<SessionOptions> = {}): Promise<McpSession> {
  return McpSession.open(server.openTransport, { client, ...options });
}

describe('the handshake', () => {
  test('[lifecycle.legacy, lifecycle.eraProbe, R2] of a legacy server follows a refused probe on the same connection', async () => {
    const server = new ScriptedServer().legacy();
    const session = await open(server);
    await settle();
    assert.deepEqual(
      [session.identity.era, session.identity.revision, server.connections, server.methods],
      ['legacy', '2025-11-25', 1, ['server/discover', 'initialize', 'notifications/initialized']],
    );
  });

  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
    test(`[lifecycle.versions] accepts ${revision} when the server chooses it`, async () => {
      const session = await open(new ScriptedServer().legacy({}, revision), { protocol: 'legacy' });
      assert.equal(session.identity.revision, revision);
    });
  }

  test('[R3] names the revisions of both sides when they do not overlap, and closes the connection', async () => {
    const server = new ScriptedServer().legacy({}, '1999-01-01');
    await assert.rejects(
      open(server),
      (error: HostError) => error.code === 'unsupported-version' && /1999-01-01.*2025-11-25/.test(error.message),
    );
  });

  test('keeps the answer of the server as JSON, in both eras', async () => {
    const { identity: legacy } = await open(new ScriptedServer().legacy({ tools: {} }), { protocol: 'legacy' });
    const { identity: modern } = await open(new ScriptedServer().modern({ tools: {} }));
    const read = ({ answer }: ServerIdentity) => [
      answer?.method,
      (JSON.parse(answer?.json ?? '') as { capabilities: object }).capabilities,
    ];
    assert.deepEqual(read(legacy), ['initialize', { tools: {} }]);
    assert.deepEqual(read(modern), ['server/discover', { tools: {} }]);
  });

  test('[lifecycle.discover] of a modern server is one discover', async () => {
    const server = new ScriptedServer().modern({ tools: {} });
    const session = await open(server);
    await settle();
    assert.deepEqual(
      [session.identity.era, session.identity.revision, session.identity.info.name, server.methods],
      ['modern', '2026-07-28', 'scripted', ['server/discover']],
    );
  });

  test('switches to another modern revision once when the server names one', async () => {
    let refused = 0;
    const server = new ScriptedServer().modern();
    server.respondTo('server/discover', () => {
      if (refused++ === 0)
        throw new ScriptedError(-32022, 'Unsupported', { supported: ['2026-07-28'], requested: 'x' });
      return { supportedVersions: ['2026-07-28'], capabilities: {} };
    });
    assert.equal((await open(server)).identity.era, 'modern');
  });

  test('[R2] never falls back from a modern refusal to initialize', async () => {
    const server = new ScriptedServer().legacy();
    server.respondTo('server/discover', () => {
      throw new ScriptedError(-32022, 'Unsupported', { supported: ['2027-01-01'] });
    });
    await assert.rejects(open(server), { code: 'unsupported-version' });
    assert.deepEqual(server.methods, ['server/discover']);
  });

  test('treats a server without an answer to the probe as legacy', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().legacy().respondTo('server/discover', () => silence);
    const opening = open(server, { clock });
    await clock.advance(3_500);
    assert.equal((await opening).identity.era, 'legacy');
  });

  test('connects again to a server that exits on the probe', async () => {
    const server = new ScriptedServer().legacy();
    server.respondTo('server/discover', async () => {
      await server.hangUp();
      return silence;
    });
    const session = await open(server);
    assert.deepEqual([session.identity.era, server.connections], ['legacy', 2]);
  });

  test('skips the probe when the era is known, and probes again when the stored era was wrong', async () => {
    const legacy = new ScriptedServer().legacy();
    await open(legacy, { knownEra: 'legacy' });
    assert.equal(legacy.methods[0], 'initialize');

    const modern = new ScriptedServer().modern();
    modern.respondTo('initialize', () => {
      throw new ScriptedError(-32022, 'Unsupported protocol version', { supported: ['2026-07-28'] });
    });
    const session = await open(modern, { knownEra: 'legacy' });
    assert.equal(session.identity.era, 'modern');
  });

  test('[R4] fails with the field name when initialize returns no capabilities', async () => {
    const server = new ScriptedServer().respondTo('initialize', () => ({
      protocolVersion: '2025-11-25',
      capabilities: null,
    }));
    await assert.rejects(
      open(server),
      (error: HostError) => error.code === 'handshake-failed' && error.message.includes('"capabilities"'),
    );
  });

  test('[R1] times out with the time waited when initialize is never answered', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().respondTo('initialize', () => silence);
    const rejected = assert.rejects(open(server, { clock, startTimeoutMs: 2_000, protocol: 'legacy' }), {
      code: 'timeout',
    });
    await clock.advance(3_000);
    await rejected;
  });

  test('ends with the reason of an abort', async () => {
    const abort = new AbortController();
    const server = new ScriptedServer().respondTo('initialize', () => silence);
    const opening = open(server, { signal: abort.signal, protocol: 'legacy' });
    await server.next(({ method }) => method === 'initialize');
    abort.abort(new Error('stop'));
    await assert.rejects(opening, /stop/);
  });
});

describe('lists', () => {
  test('[pagination, R12] are fetched page by page, and an empty cursor is a cursor', async () => {
    const server = new ScriptedServer().legacy({ tools: {} });
    server.respondTo('tools/list', ({ cursor }) =>
      cursor === undefined
        ? { tools: [tool('a')], nextCursor: '' }
        : cursor === ''
          ? { tools: [tool('b')], nextCursor: 'x' }
          : { tools: [tool('c')] },
    );
    const session = await open(server);
    assert.deepEqual(
      (await session.listTools()).items.map(({ name }) => name),
      ['a', 'b', 'c'],
    );
  });

  test('[R12] end with a warning when a cursor repeats, and keep the fetched items', async () => {
    const warnings: string[] = [];
    const server = new ScriptedServer().legacy({ prompts: {} });
    server.respondTo('prompts/list', ({ cursor }) => ({
      prompts: [{ name: `after ${cursor}` }],
      nextCursor: cursor === 'A' ? 'B' : 'A',
    }));
    const session = await open(server, { listener: { onWarning: (line) => warnings.push(line) } });
    assert.deepEqual([(await session.listPrompts()).items.length, warnings.length], [3, 1]);
  });

  test('[tools.list, R14] omit invalid items and keep the rest', async () => {
    const warnings: string[] = [];
    const server = new ScriptedServer().legacy({ tools: {} });
    server.respondTo('tools/list', () => ({
      tools: [tool('good'), { name: '' }, null, { name: 'schema', inputSchema: 7 }, tool('good'), tool('other')],
    }));
    const session = await open(server, { listener: { onWarning: (line) => warnings.push(line) } });
    assert.deepEqual(
      [(await session.listTools()).items.map(({ name }) => name), warnings.length],
      [['good', 'other'], 4],
    );
  });

  test('[F11, R14] name ten of many tools that have one name, and count the others', async () => {
    const warnings: string[] = [];
    const server = new ScriptedServer().legacy({ tools: {} });
    server.respondTo('tools/list', () => ({ tools: Array.from({ length: 2_001 }, () => tool('same')) }));
    const session = await open(server, { listener: { onWarning: (line) => warnings.push(line) } });
    assert.equal((await session.listTools()).items.length, 1);
    assert.deepEqual([warnings.length, warnings[10]], [11, 'Left out 1,990 more tools.']);
  });

  test('[R11] are empty without a request when the server does not declare the capability', async () => {
    const server = new ScriptedServer().legacy({});
    const session = await open(server);
    const all = await Promise.all([
      session.listTools(),
      session.listResources(),
      session.listResourceTemplates(),
      session.listPrompts(),
    ]);
    assert.deepEqual(
      [all.map(({ items }) => items), server.methods.filter((method) => method.endsWith('/list'))],
      [[[], [], [], []], []],
    );
  });
});

describe('a tool call', () => {
  test('[tools.call] returns the result', async () => {
    const server = new ScriptedServer().legacy().respondTo('tools/call', ({ name, arguments: values }) => ({
      content: [{ type: 'text', text: JSON.stringify({ name, values }) }],
    }));
    const session = await open(server);
    assert.deepEqual(await session.callTool('echo', { a: 1 }), {
      content: [{ type: 'text', text: '{"name":"echo","values":{"a":1}}' }],
    });
  });

  test('[R14] omits invalid content with a warning', async () => {
    const warnings: string[] = [];
    const server = new ScriptedServer().legacy().respondTo('tools/call', () => ({
      content: [{ type: 'text' }, { type: 'text', text: 'ok' }, { type: 'hologram' }, 7],
    }));
    const session = await open(server, { listener: { onWarning: (line) => warnings.push(line) } });
    assert.deepEqual([(await session.callTool('x', {})).content, warnings.length], [[{ type: 'text', text: 'ok' }], 3]);
  });

  test('fails when the result is not valid MCP', async () => {
    const server = new ScriptedServer().legacy().respondTo('tools/call', () => ({ content: 'text' }));
    const session = await open(server);
    await assert.rejects(
      session.callTool('x', {}),
      (error: HostError) => error.code === 'invalid-message' && error.message.includes('tools/call'),
    );
  });

  test('[tools.outputSchema] checks structured output only against the schema of the called tool', async () => {
    const checked: unknown[] = [];
    const server = new ScriptedServer().legacy();
    server.respondTo('tools/list', () => ({
      tools: [
        { ...tool('a'), outputSchema: { title: 'A' } },
        { ...tool('b'), outputSchema: { title: 'B' } },
      ],
    }));
    server.respondTo('tools/call', () => ({ content: [], structuredContent: { n: 'x' } }));
    const session = await open(server, { checkOutput: (schema) => (checked.push(schema), ['n is not a number']) });
    await session.listTools();
    await assert.rejects(session.callTool('a', {}), { code: 'invalid-message' });
    const problems: string[] = [];
    const result = await session.callTool('a', {}, { onOutputProblems: (found) => problems.push(...found) });
    assert.deepEqual(
      [checked, problems, result.structuredContent],
      [[{ title: 'A' }, { title: 'A' }], ['n is not a number'], { n: 'x' }],
    );
  });

  test('[tasks.legacy] runs as a task if the tool requires it, and follows it to its result', async () => {
    const clock = new ManualClock();
    const statuses = ['working', 'working', 'completed'];
    const server = new ScriptedServer().legacy({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
    const task = (status: string) => ({
      taskId: 't1',
      status,
      ttl: 1,
      createdAt: '',
      lastUpdatedAt: '',
      pollInterval: 100,
      statusMessage: status,
    });
    server.respondTo('tools/list', () => ({ tools: [{ ...tool('slow'), execution: { taskSupport: 'required' } }] }));
    server.respondTo('tools/call', () => ({ task: task('working') }));
    server.respondTo('tasks/get', () => task(statuses.shift() ?? 'completed'));
    server.respondTo('tasks/result', () => ({ content: [{ type: 'text', text: 'done' }] }));
    const session = await open(server, { clock });
    await session.listTools();
    const messages: unknown[] = [];
    const call = session.callTool('slow', {}, { onProgress: ({ message }) => messages.push(message) });
    await clock.advance(1_000);
    assert.deepEqual(
      [await call, messages],
      [{ content: [{ type: 'text', text: 'done' }] }, ['working', 'working', 'working']],
    );
  });

  test('[tasks.legacy] is polled as soon as the server notifies about its task, and otherwise only at the next interval', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().legacy({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
    const task = (status: string) => ({
      taskId: 't1',
      status,
      ttl: 1,
      createdAt: '',
      lastUpdatedAt: '',
      pollInterval: 30_000,
    });
    let status = 'working';
    server.respondTo('tools/list', () => ({ tools: [{ ...tool('slow'), execution: { taskSupport: 'required' } }] }));
    server.respondTo('tools/call', () => ({ task: task('working') }));
    server.respondTo('tasks/get', () => task(status));
    server.respondTo('tasks/result', () => ({ content: [] }));
    const session = await open(server, { clock });
    await session.listTools();
    const call = session.callTool('slow', {});
    await server.next(({ method }) => method === 'tools/call');
    await clock.advance(10_000);
    server.notify('notifications/tasks/status', task('completed'));
    server.notify('notifications/tasks/status', { ...task('completed'), taskId: 'of somebody else' });
    await server.next(({ method }) => method === 'tasks/get');
    await clock.advance(10_000);
    assert.deepEqual(
      server.methods.slice(4),
      ['tools/call', 'tasks/get'],
      'the notified state was wrong and is not used',
    );
    status = 'completed';
    server.notify('notifications/tasks/status', task('completed'));
    assert.deepEqual([await call, clock.now()], [{ content: [] }, 20_000]);
  });

  test('[tasks.legacy] is polled with a limit when the server notifies endlessly', async () => {
    const clock = new ManualClock();
    const server = new ScriptedServer().legacy({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
    const task = (status: string) => ({
      taskId: 't1',
      status,
      ttl: 1,
      createdAt: '',
      lastUpdatedAt: '',
      pollInterval: 30_000,
    });
    server.respondTo('tools/list', () => ({ tools: [{ ...tool('slow'), execution: { taskSupport: 'required' } }] }));
    server.respondTo('tools/call', () => ({ task: task('working') }));
    server.respondTo(
      'tasks/get',
      () => (server.notify('notifications/tasks/status', task('working')), task('working')),
    );
    const session = await open(server, { clock });
    await session.listTools();
    const abort = new AbortController();
    const call = session.callTool('slow', {}, { signal: abort.signal });
    server.notify('notifications/tasks/status', task('working'));
    await clock.advance(1_000);
    assert.ok(server.methods.filter((method) => method === 'tasks/get').length <= 10);
    abort.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
  });

  test('[tasks.legacy, elicitation.url] run as a task visits the URLs that its result asks for, and is repeated', async () => {
    const task = (status: string) => ({
      taskId: 't1',
      status,
      ttl: 1,
      createdAt: '',
      lastUpdatedAt: '',
      pollInterval: 100,
    });
    const needed = (id: string) =>
      new ScriptedError(-32042, 'URL needed', {
        elicitations: [{ mode: 'url', url: `https://example.com/${id}`, message: 'Sign in', elicitationId: id }],
      });
    // Refused at once, and then by the result of the task.
    for (const at of ['tools/call', 'tasks/result']) {
      let refusals = 1;
      const refuse = (method: string) => {
        if (method === at && refusals-- > 0) throw needed('e1');
      };
      const server = new ScriptedServer().legacy({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
      server.respondTo('tools/list', () => ({ tools: [{ ...tool('slow'), execution: { taskSupport: 'required' } }] }));
      server.respondTo(
        'tools/call',
        () => (refuse('tools/call'), { task: task(at === 'tasks/result' && refusals > 0 ? 'failed' : 'completed') }),
      );
      server.respondTo('tasks/result', () => (refuse('tasks/result'), { content: [] }));
      const asked: string[] = [];
      const session = await open(server, {
        handlers: {
          elicit: (request) => (
            asked.push('url' in request ? request.url : ''),
            Promise.resolve({ action: 'accept' as const })
          ),
        },
      });
      await session.listTools();
      assert.deepEqual([await session.callTool('slow', {}), asked], [{ content: [] }, ['https://example.com/e1']], at);
      assert.equal(server.methods.filter((method) => method === 'tools/call').length, 2, at);
    }
  });

  test('[elicitation.url] visits the URLs that a 2025-11-25 server asks for, with consent, and is repeated once', async () => {
    let calls = 0;
    const server = new ScriptedServer().legacy().respondTo('tools/call', () => {
      if (calls++ === 0)
        throw new ScriptedError(-32042, 'URL needed', {
          elicitations: [{ mode: 'url', url: 'https://example.com/a', message: 'Sign in', elicitationId: 'e1' }],
        });
      return { content: [] };
    });
    const asked: unknown[] = [];
    const session = await open(server, {
      handlers: { elicit: (request) => (asked.push(request), Promise.resolve({ action: 'accept' as const })) },
    });
    await session.callTool('x', {});
    assert.deepEqual(
      [calls, asked],
      [2, [{ mode: 'url', url: 'https://example.com/a', message: 'Sign in', elicitationId: 'e1' }]],
    );
  });
});

describe('requests of a server', () => {
  test('[R10, ping] before the session is initialized are refused, but ping is answered', async () => {
    const server = new ScriptedServer();
    const early: any[] = [];
    server.respondTo('initialize', async (params) => {
      early.push(
        await server.request('ping'),
        await server.request('roots/list'),
        await server.request('sampling/createMessage'),
      );
      return { protocolVersion: params['protocolVersion'], capabilities: {}, serverInfo: { name: 'x', version: '1' } };
    });
    await open(server, { protocol: 'legacy', handlers: { roots: () => [] } });
    assert.deepEqual(
      early.map(({ result, error }) => result ?? error.code),
      [{}, -32600, -32600],
    );
  });

  test('reach the handlers once initialized; an undeclared one is an unknown method', async () => {
    const server = new ScriptedServer().legacy({});
    await open(server, { handlers: { roots: () => [{ uri: 'file:///w', name: 'w' }] } });
    const initialize = await server.next(({ method }) => method === 'initialize');
    const roots = await server.request('roots/list');
    const sampling = await server.request('sampling/createMessage', { messages: [], maxTokens: 1 });
    assert.deepEqual(
      [initialize['params'].capabilities, roots['result'], sampling['error'].code],
      [{ roots: { listChanged: true } }, { roots: [{ uri: 'file:///w', name: 'w' }] }, -32601],
    );
  });

  test('[elicitation.form] for elicitation get the defaults of fields that the user left out', async () => {
    const server = new ScriptedServer().legacy({});
    await open(server, { handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { name: 'me' } }) } });
    const answer = await server.request('elicitation/create', {
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'x' },
          age: { type: 'integer', default: 7 },
          other: { type: 'string' },
        },
      },
    });
    assert.deepEqual(answer['result'], { action: 'accept', content: { name: 'me', age: 7 } });
  });

  test('[sampling, tasks.legacy] for sampling as a task are answered with a task, and later with its result', async () => {
    const server = new ScriptedServer().legacy({});
    await open(server, {
      handlers: {
        createMessage: () => Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
      },
    });
    const created = await server.request('sampling/createMessage', {
      messages: [],
      maxTokens: 5,
      task: { ttl: 1_000 },
    });
    const { taskId } = created['result'].task;
    const result = await server.request('tasks/result', { taskId });
    const state = await server.request('tasks/get', { taskId });
    assert.deepEqual(
      [result['result'], state['result'].status],
      [
        {
          role: 'assistant',
          content: { type: 'text', text: 'hi' },
          model: 'm',
          _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
        },
        'completed',
      ],
    );
  });
});

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

test('[logging] notifications of the legacy era reach the listener, unknown ones do not', async () => {
  const seen: unknown[] = [];
  const server = new ScriptedServer().legacy({});
  await open(server, {
    listener: {
      onListChanged: (kind) => seen.push(kind),
      onResourceUpdated: (uri) => seen.push(uri),
      onLog: (message) => seen.push(message),
      onElicitationComplete: (id) => seen.push(id),
    },
  });
  server.notify('notifications/tools/list_changed');
  server.notify('notifications/prompts/list_changed', {});
  server.notify('notifications/resources/list_changed');
  server.notify('notifications/resources/updated', { uri: 'x:y' });
  server.notify('notifications/message', { level: 'warning', logger: 'l', data: { a: 1 } });
  server.notify('notifications/message', { level: 'shout', data: 'b' });
  server.notify('notifications/elicitation/complete', { elicitationId: 'e' });
  server.notify('notifications/unknown');
  await settle();
  assert.deepEqual(seen, [
    'tools',
    'prompts',
    'resources',
    'x:y',
    { level: 'warning', logger: 'l', data: { a: 1 } },
    { level: 'info', data: 'b' },
    'e',
  ]);
});

test('pending requests end with the reason when the connection ends', async () => {
  const server = new ScriptedServer().legacy().respondTo('tools/call', () => silence);
  const session = await open(server);
  const call = session.callTool('x', {});
  await server.next(({ method }) => method === 'tools/call');
  await server.hangUp();
  await assert.rejects(call, { code: 'closed' });
});

test('[completion] completion sends the context only to revisions that support it', async () => {
  const contexts: unknown[] = [];
  for (const revision of ['2025-11-25', '2025-03-26']) {
    const server = new ScriptedServer()
      .legacy({ completions: {} }, revision)
      .respondTo('completion/complete', ({ context }) => {
        contexts.push(context);
        return { completion: { values: ['a', 7, 'b'], total: 3, hasMore: true } };
      });
    const session = await open(server, { protocol: 'legacy' });
    assert.deepEqual(await session.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: '' }, { x: '1' }), {
      values: ['a', 'b'],
      total: 3,
      hasMore: true,
    });
  }
  assert.deepEqual(contexts, [{ arguments: { x: '1' } }, undefined]);
});

function tool(name: string) {
  return { name, inputSchema: { type: 'object' } };
}

describe('[progress] without a progress listener', () => {
  const offered = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const requests: Record<string, (session: McpSession) => Promise<unknown>> = {
    'tools/call': (session) => session.callTool('x', {}),
    'prompts/get': (session) => session.getPrompt('x', undefined),
    'resources/read': (session) => session.readResource('file:///x'),
    'completion/complete': (session) => session.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' }),
    'tools/list': (session) => session.listTools(),
  };
  for (const era of ['legacy', 'modern'] as const) {
    for (const [method, send] of Object.entries(requests)) {
      test(`a ${era} server that reports it keeps ${method} alive`, async () => {
        const clock = new ManualClock();
        const server = new ScriptedServer()[era](offered);
        server.respondTo(method, () => silence);
        const session = await open(server, {
          clock,
          timeoutMs: 20_000,
          protocol: era === 'legacy' ? 'legacy' : '2026-07-28',
        });
        let outcome: string | HostError = 'open';
        send(session).then(
          () => (outcome = 'answered'),
          (error: HostError) => (outcome = error),
        );
        const request = await server.next((message) => message['method'] === method);
        for (let step = 1; step <= 4; step++) {
          await clock.advance(15_000);
          server.notify('notifications/progress', {
            progressToken: request['params']._meta.progressToken,
            progress: step,
          });
        }
        await settle();
        assert.equal(outcome, 'open');
        await clock.advance(21_000);
        assert.equal((outcome as unknown as HostError).code, 'timeout');
      });
    }
  }

  test('a ping requests no progress', async () => {
    const server = new ScriptedServer().legacy().respondTo('ping', () => ({}));
    const session = await open(server);
    await session.ping();
    const ping = await server.next(({ method }) => method === 'ping');
    assert.equal(ping['params'], undefined);
  });
});

test('[trace.context] the trace context of the caller travels in _meta, beside the progress token', async () => {
  const server = new ScriptedServer().legacy().respondTo('tools/call', () => ({ content: [] }));
  const session = await open(server);
  await session.callTool('x', {}, { meta: { traceparent: '00-a-b-01' }, onProgress: () => undefined });
  const call = await server.next(({ method }) => method === 'tools/call');
  assert.deepEqual(call['params']._meta, { traceparent: '00-a-b-01', progressToken: call['id'] });
});

test('[roots] a change of the roots is announced in the legacy era, and only there', async () => {
  for (const [server, announced] of [
    [new ScriptedServer().legacy({}), true],
    [new ScriptedServer().modern({}), false],
  ] as const) {
    const session = await open(server, { handlers: { roots: () => [] } });
    session.rootsChanged();
    await settle();
    assert.equal(server.methods.includes('notifications/roots/list_changed'), announced);
  }
});

test('[prompts] a prompt is requested with its arguments and returns its messages', async () => {
  const server = new ScriptedServer()
    .legacy({ prompts: {} })
    .respondTo('prompts/get', ({ name, arguments: values }) => ({
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: JSON.stringify({ name, values }) } },
        { role: 'robot', content: {} },
      ],
    }));
  const session = await open(server);
  assert.deepEqual(await session.getPrompt('p', { a: '1' }), {
    description: 'd',
    messages: [{ role: 'user', content: { type: 'text', text: '{"name":"p","values":{"a":"1"}}' } }],
  });
});

test('[logging] the level is sent to a server that supports levels, and off means emergencies only', async () => {
  const levels: unknown[] = [];
  const server = new ScriptedServer()
    .legacy({ logging: {} })
    .respondTo('logging/setLevel', ({ level }) => (levels.push(level), {}));
  const session = await open(server);
  await session.setLogLevel('warning');
  await session.setLogLevel(undefined);
  assert.deepEqual(levels, ['warning', 'emergency']);
});
