import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { Emitter } from '../../../src/core/base/event.js';
import { nullLog } from '../../../src/core/base/log.js';
import { Gateway } from '../../../src/core/gateway/gateway.js';
import type { ConfigSource, ProtocolChoice } from '../../../src/core/config/serverDefinition.js';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import type { SessionListener } from '../../../src/core/session/codec.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import type { ServerRequestHandlers } from '../../../src/core/session/serverRequests.js';
import { headlessHost } from '../../support/headlessHost.js';
import { sampleServer } from '../serving/peers.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');

function local(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { command: process.execPath, args: [counting, name], ...more };
}

interface Caller {
  era: 'legacy' | '2026-07-28';
  answer?: string;
  handlers?: ServerRequestHandlers;
  listener?: SessionListener;
  name?: string;
}

/** A gateway with these servers behind it, over HTTP. */
async function open(t: TestContext, servers: Record<string, unknown>) {
  const { host } = headlessHost({ servers });
  await host.open();
  const gateway = new Gateway({
    host,
    info: { name: 'gateway', version: '1' },
    log: nullLog,
    validate: (schema, value) =>
      (schema['required'] as string[] | undefined)?.filter((name) => !Object.hasOwn(value as object, name)) ?? [],
  });
  await gateway.startServers();
  const front = new HttpFront({ server: gateway.server, maxSessions: 100 });
  const { url } = await front.listen();
  t.after(async () => {
    await front.close();
    gateway.dispose();
    await host.close();
  });
  const connect = async ({ era, answer = 'tea', handlers, listener, name = 'caller' }: Caller): Promise<McpSession> => {
    const session = await McpSession.open(() => openRemote({ type: 'http', url, headers: {} }), {
      client: { name, version: '1' },
      protocol: era,
      handlers: handlers ?? {
        elicit: () => Promise.resolve({ action: 'accept', content: { text: answer, name: answer } }),
      },
      listener: listener ?? {},
    });
    t.after(() => session.close());
    await session.listTools();
    return session;
  };
  return { gateway, url, connect, host };
}

/** A server of 2026-07-28 behind HTTP. */
async function openModern(t: TestContext) {
  const sample = sampleServer();
  const front = new HttpFront({ server: sample.server });
  const { url } = await front.listen();
  t.after(async () => {
    await front.close();
    sample.server.dispose();
  });
  return { ...sample, definition: { type: 'http', url, protocol: '2026-07-28' satisfies ProtocolChoice } };
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join();
}

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`[GW3] a ${era} caller answers the questions of servers of both eras, lists and reads`, async (t) => {
    const modern = await openModern(t);
    const { connect } = await open(t, { old: local('old'), new: modern.definition });
    const session = await connect({ era });
    assert.match(textOf(await session.callTool('old_ask', {})), /tea/);
    assert.match(textOf(await session.callTool('new_ask', {})), /tea/);
    assert.equal(textOf(await session.callTool('only_old', {})), 'old');
    assert.deepEqual((await session.readResource('counting://live')).contents, [
      { uri: 'counting://live', text: 'old 0' },
    ]);
    assert.equal((await session.getPrompt('greet', { name: 'Ada' })).messages.length, 1);
  });

  test(`[GW3] two ${era} callers of one server each get their own question and answer`, async (t) => {
    const { connect } = await open(t, { old: local('old') });
    const gates = [new Deferred<void>(), new Deferred<void>()];
    const asked: number[] = [];
    const sessions = await Promise.all(
      gates.map((gate, index) =>
        connect({
          era,
          name: `caller ${index}`,
          handlers: {
            elicit: async () => {
              asked.push(index);
              await gate.promise;
              return { action: 'accept', content: { text: `answer ${index}` } };
            },
          },
        }),
      ),
    );
    const calls = sessions.map((session) => session.callTool('ask', {}));
    for (const gate of gates) gate.resolve();
    const texts = (await Promise.all(calls)).map(textOf);
    assert.deepEqual(
      texts.map((text) => (JSON.parse(text) as { content: { text: string } }).content.text),
      ['answer 0', 'answer 1'],
    );
    assert.deepEqual(asked.sort(), [0, 1]);
  });

  test(`a ${era} caller gets an error with the nearest name for an unknown tool, and nothing is called`, async (t) => {
    const { connect } = await open(t, { old: local('old') });
    const session = await connect({ era });
    await assert.rejects(session.callTool('cuont', {}), { code: -32602, message: /"cuont".*Did you mean "count"\?/ });
    await assert.rejects(session.readResource('kounting://live'), /Did you mean "counting:\/\/live"\?/);
    assert.equal(textOf(await session.callTool('count', {})), '1');
  });

  test(`[GW7] tools of a dead server stay listed for a ${era} caller, fail with the reason, and start it again`, async (t) => {
    const { connect } = await open(t, { old: local('old') });
    const session = await connect({ era });
    const before = (await session.listTools()).items.map(({ name }) => name);
    const died = await session.callTool('die', {}).catch((error: unknown) => error);
    assert.match(died instanceof Error ? died.message : textOf(died as CallToolResult), /exit|ended/i);
    assert.deepEqual(
      (await session.listTools()).items.map(({ name }) => name),
      before,
    );
    assert.equal(textOf(await session.callTool('count', {})), '1', 'a new process');
  });
}

test('[GW14] no request of a client starts a server that the user stopped', async (t) => {
  const { connect, host, gateway } = await open(t, { old: local('old') });
  const session = await connect({ era: 'legacy' });
  assert.equal((await session.listResources()).items.length, 1);
  await host.lifecycle.stop('old');
  const stateNow = () => host.servers.get('old')?.state.kind;
  const template = { type: 'ref/resource', uri: 'counting://item/{id}' } as const;
  for (const send of [
    () => session.readResource('counting://live'),
    () => session.complete(template, { name: 'id', value: '' }),
    () => session.callTool('count', {}),
  ]) {
    await assert.rejects(send(), /stopped the server/);
    assert.equal(stateNow(), 'stopped');
  }
  await session.subscribe('counting://live');
  await gateway.startServers();
  // The definition is as before, so `startServers` would not start the server a second time; a new gateway would.
  const later = new Gateway({ host, info: { name: 'later', version: '1' }, log: nullLog, validate: () => [] });
  t.after(() => later.dispose());
  await later.startServers();
  assert.equal(stateNow(), 'stopped');
  await host.lifecycle.start('old');
  assert.equal(textOf(await session.callTool('count', {})), '1');
});

test('[GW14] no request of a client opens a question: a server that needs approval stays stopped', async (t) => {
  const changed = new Emitter<void>();
  const questions: string[] = [];
  let args = [counting, 'one'];
  const source: ConfigSource = { id: 'ws', kind: 'vscode', label: 'mcp.json', folderPath: process.cwd() };
  const { host } = headlessHost({
    servers: {},
    ports: {
      configuration: {
        read: () =>
          Promise.resolve([
            { source, text: JSON.stringify({ servers: { one: { command: process.execPath, args } } }) },
          ]),
        onDidChange: changed.event,
      },
      trust: {
        isWorkspaceTrusted: () => true,
        onDidGrantTrust: new Emitter<void>().event,
        confirmStart: ({ name }) => Promise.resolve(questions.push(name) ? 'allow' : 'deny'),
      },
    },
  });
  await host.open();
  await host.lifecycle.start('one');
  assert.equal(questions.splice(0).length, 1);
  const gateway = new Gateway({ host, info: { name: 'gateway', version: '1' }, log: nullLog, validate: () => [] });
  const front = new HttpFront({ server: gateway.server });
  const { url } = await front.listen();
  t.after(async () => {
    await front.close();
    gateway.dispose();
    await host.close();
  });
  const session = await McpSession.open(() => openRemote({ type: 'http', url, headers: {} }), {
    client: { name: 'agent', version: '1' },
    protocol: 'legacy',
    handlers: {},
  });
  t.after(() => session.close());
  await session.listTools();
  await session.callTool('die', {}).catch(() => undefined);
  const edited = new Promise<void>((resolve) => host.servers.onDidChange(({ server }) => server ?? resolve()));
  args = [counting, 'one', 'edited'];
  changed.fire();
  await edited;
  await assert.rejects(session.readResource('counting://live'));
  await assert.rejects(session.callTool('count', {}));
  assert.deepEqual([questions, host.servers.get('one')?.state.kind], [[], 'needsTrust']);
});

test('[GW1] tools of two servers with the same names are told apart, and each call reaches its server', async (t) => {
  const { connect } = await open(t, { one: local('one'), two: local('two') });
  const session = await connect({ era: 'legacy' });
  const names = (await session.listTools()).items.map(({ name }) => name);
  for (const name of ['only_one', 'only_two', 'one_name', 'two_name']) assert.ok(names.includes(name), name);
  assert.equal(textOf(await session.callTool('one_name', {})), 'one');
  assert.equal(textOf(await session.callTool('two_name', {})), 'two');
});

test('[GW5] a caller that disappears during a question frees the server for the next caller', async (t) => {
  const { connect } = await open(t, { old: local('old') });
  const isAsked = new Deferred<AbortSignal>();
  const gone = await connect({
    era: 'legacy',
    handlers: {
      elicit: (_request, signal) => {
        isAsked.resolve(signal);
        return new Promise(() => undefined);
      },
    },
  });
  const lost = gone.callTool('ask', {});
  lost.catch(() => undefined);
  await isAsked.promise;
  await gone.close();
  await assert.rejects(lost);
  const next = await connect({ era: 'legacy', answer: 'coffee' });
  assert.match(textOf(await next.callTool('ask', {})), /coffee/);
});

test('a caller receives updates of a resource until it unsubscribes', async (t) => {
  const { connect } = await open(t, { old: local('old') });
  let updates = 0;
  let isUpdated = new Deferred<void>();
  const listener: SessionListener = {
    onResourceUpdated: () => {
      updates++;
      isUpdated.resolve();
    },
  };
  const session = await connect({ era: 'legacy', listener });
  await session.subscribe('counting://live');
  await session.callTool('touch', {});
  await isUpdated.promise;
  isUpdated = new Deferred<void>();
  await session.unsubscribe('counting://live');
  await session.callTool('touch', {});
  await session.callTool('count', {});
  assert.equal(updates, 1);
});

test('[GW8] with "sharing": "perCaller" each client has its own process, at most eight, freed when the client leaves', async (t) => {
  const { connect } = await open(t, { own: local('own', { sharing: 'perCaller' }) });
  const sessions: McpSession[] = [];
  for (let index = 0; index < 8; index++) sessions.push(await connect({ era: 'legacy' }));
  const processes = await Promise.all(sessions.map(async (session) => textOf(await session.callTool('process', {}))));
  assert.equal(new Set(processes).size, 8);
  const counts = [];
  for (const session of sessions.slice(0, 2)) {
    await session.callTool('count', {});
    counts.push(textOf(await session.callTool('count', {})));
  }
  assert.deepEqual(counts, ['2', '2']);
  const ninth = await connect({ era: 'legacy' });
  const refused = await ninth.callTool('count', {});
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /at most 8 clients/);
  await sessions[0]?.close();
  assert.equal(textOf(await ninth.callTool('count', {})), '1');
});

test('[GW8] a client without sessions keeps its own process from call to call', async (t) => {
  const { connect } = await open(t, { own: local('own', { sharing: 'perCaller' }) });
  const [one, two] = [
    await connect({ era: '2026-07-28', name: 'one' }),
    await connect({ era: '2026-07-28', name: 'two' }),
  ];
  assert.equal(textOf(await one.callTool('count', {})), '1');
  assert.equal(textOf(await one.callTool('count', {})), '2');
  assert.equal(textOf(await two.callTool('count', {})), '1');
});

for (const era of ['legacy', '2026-07-28'] as const)
  test(`[GW8] the updates of its own process reach a client of ${era}, and no other client`, async (t) => {
    const { connect } = await open(t, { own: local('own', { sharing: 'perCaller' }) });
    const updates = { one: 0, two: 0 };
    const listenerOf = (name: 'one' | 'two') => ({ onResourceUpdated: () => updates[name]++ });
    const [one, two] = [
      await connect({ era, name: 'one', listener: listenerOf('one') }),
      await connect({ era, name: 'two', listener: listenerOf('two') }),
    ];
    await one.subscribe('counting://live');
    await two.subscribe('counting://live');
    // A client of 2026-07-28 is not told when its subscription has reached the server.
    while (updates.one === 0) await one.callTool('touch', {});
    assert.equal(updates.two, 0);
    const before = updates.one;
    while (updates.two === 0) await two.callTool('touch', {});
    await one.callTool('count', {});
    assert.equal(updates.one, before);
  });

test('[GW8] the suggestions for a client come from its own process', async (t) => {
  const { connect } = await open(t, { own: local('own', { sharing: 'perCaller' }) });
  for (const session of [await connect({ era: 'legacy' }), await connect({ era: '2026-07-28', name: 'other' })]) {
    const reference = { type: 'ref/resource', uri: 'counting://item/{id}' } as const;
    const { values } = await session.complete(reference, { name: 'id', value: '' });
    assert.deepEqual(values, [textOf(await session.callTool('process', {}))]);
  }
});

test('the official client 1.32 answers a question through the gateway', async (t) => {
  const { url } = await open(t, { old: local('old') });
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { text: 'tea' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => client.close());
  assert.match(JSON.stringify(await client.callTool({ name: 'ask', arguments: {} })), /tea/);
});

test('the official client 2.4 answers a question of a legacy server through the gateway', async (t) => {
  const { url } = await open(t, { old: local('old') });
  const client = new ModernClient(
    { name: 'sdk', version: '2' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { text: 'tea' } }));
  await client.connect(new ModernTransport(new URL(url)));
  t.after(() => client.close());
  assert.match(JSON.stringify(await client.callTool({ name: 'ask', arguments: {} })), /tea/);
});
