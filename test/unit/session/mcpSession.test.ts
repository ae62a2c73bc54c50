import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import type { ServerIdentity } from '../../../src/core/session/serverIdentity.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedError, ScriptedServer, silence } from '../../support/scriptedServer.js';
import { open, tool } from './openSession.js';

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
