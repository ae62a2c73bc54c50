import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import type { McpSession } from '../../../src/core/session/mcpSession.js';
import { heapBytes } from '../../support/heapBytes.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedError, ScriptedServer, silence } from '../../support/scriptedServer.js';
import { open, tool } from './openSession.js';

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

  test('[F9] keeps only the output schema of its tool while the server works', async () => {
    const server = new ScriptedServer().legacy();
    server.respondTo('tools/list', () => ({ tools: [{ ...tool('a'), outputSchema: { title: 'A' } }] }));
    let answer: (result: object) => void = () => undefined;
    server.respondTo('tools/call', () => new Promise((resolve) => (answer = resolve)));
    const session = await open(server, { checkOutput: () => ['n is not a number'] });
    const former = new WeakRef((await session.listTools()).items[0] ?? {});
    const call = session.callTool('a', {});
    await server.next((message) => message['method'] === 'tools/call');
    await session.listTools();
    await heapBytes();
    assert.ok(former.deref() === undefined);
    answer({ content: [], structuredContent: {} });
    await assert.rejects(call, { code: 'invalid-message', message: /"a" does not match its output schema/ });
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
    server.notify('notifications/tasks/status', { ...task('completed'), taskId: 'of another client' });
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

  test('[tasks.legacy, elicitation.url] run as a task asks the user to visit the URLs that its result requests, and is repeated', async () => {
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

  test('[elicitation.url] asks the user to visit the URLs that a 2025-11-25 server requests, and is repeated once', async () => {
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
