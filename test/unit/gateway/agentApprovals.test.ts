/** The approvals of agents in a window: what an agent may reach when its preset is edited, or when it is forgotten. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import type { Preset } from '../../../src/core/presets/presetFile.js';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import type { SessionListener } from '../../../src/core/session/codec.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import type { ServerRequestHandlers } from '../../../src/core/session/serverRequests.js';
import { MemoryTransport } from '../../../src/core/transport/memoryTransport.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { AgentApprovals } from '../../../src/vscode/features/gateway/agentApprovals.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';
import { isProcessAlive } from '../../support/interopProcess.js';
import { openedGateway } from '../../support/openedGateway.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const review = (...servers: string[]): Preset => ({ name: 'review', servers, tools: {} });
const eras = ['legacy', '2026-07-28'] as const;

/** The gateway of a window with the servers `docs` and `prod`, whose user decides with `questions`. */
async function open(t: TestContext, sharing: 'one' | 'perCaller' = 'one') {
  const server = (name: string) => ({ command: process.execPath, args: [counting, name], sharing });
  const { host } = headlessHost({ servers: { docs: server('docs'), prod: server('prod') } });
  await host.open();
  const questions: { servers: readonly string[] | undefined; answer: Deferred<boolean> }[] = [];
  const file = { presets: [review('docs')] };
  const approvals = new AgentApprovals(
    { get: () => undefined, set: () => Promise.resolve() },
    {
      askAgent: ({ preset }) => {
        const answer = new Deferred<boolean>();
        questions.push({ servers: preset?.servers, answer });
        return answer.promise;
      },
    },
    { note: () => undefined },
    {
      get presets() {
        return file.presets;
      },
      refresh: () => Promise.resolve(),
    },
  );
  let checks = 0;
  const { gateway } = await openedGateway(t, {
    host,
    approvals: {
      isApproved: (claim) => {
        checks++;
        return approvals.isApproved(claim);
      },
      refusal: (claim) => approvals.refusal(claim),
      connected: (app) => approvals.connected(app),
      ask: (claim, signal) => approvals.ask(claim, signal),
    },
    view: { overrides: () => [], presetFor: (name, preset) => approvals.presetFor(name, preset) },
  });
  const connect = async (
    era: (typeof eras)[number],
    query = '',
    name = 'agent',
    listener: SessionListener = {},
    handlers: ServerRequestHandlers = {},
  ) => {
    const session = await McpSession.open(
      () => openRemote({ type: 'http', url: `${gateway.url}${query}`, headers: { Authorization: 'Bearer secret' } }),
      { client: { name, version: '1' }, protocol: era, listener, handlers },
    );
    t.after(() => session.close());
    return session;
  };
  /** Connects as a door does, which passes the app of its entry on. */
  const connectDoor = async (era: (typeof eras)[number], query: string, name: string) => {
    const [door, window] = MemoryTransport.pair();
    await gateway.server.connect(window, undefined, { transport: 'stdio', query });
    const session = await McpSession.open(() => door, {
      client: { name, version: '1' },
      protocol: era,
      listener: {},
      handlers: {},
    });
    t.after(() => session.close());
    return session;
  };
  const forget = async (name: string) => {
    await approvals.forget(name);
    gateway.clients.forget(name);
  };
  return { gateway, approvals, questions, file, connect, connectDoor, forget, checks: () => checks };
}

for (const era of eras) {
  test(`[GW13] requests of a ${era} client that wait for the approval reach only what the question showed`, async (t) => {
    const { questions, file, connect, checks } = await open(t);
    const session = await connect(era, '?preset=review');
    const requests = [
      session.readResource('mcp-deck://prod/counting://live'),
      session.complete(
        { type: 'ref/resource', uri: 'mcp-deck://prod/counting://item/{id}' },
        { name: 'id', value: '' },
      ),
      session.listTools(),
    ].map((request) => request.then(JSON.stringify, String));
    // The handshake and the three requests; a client of 2026-07-28 also opens its stream for changes, which is checked
    // by the front as well.
    await until(() => checks() === (era === 'legacy' ? 4 : 6));
    file.presets = [review('*')];
    questions[0]?.answer.resolve(true);
    const [read, completed, listed] = await Promise.all(requests);
    for (const outcome of [read, completed]) assert.match(String(outcome), /has not approved "agent" yet/);
    assert.match(String(listed), /"items":\[\]/);
    await until(() => questions.length === 2);
    assert.deepEqual(
      questions.map(({ servers }) => servers),
      [['docs'], ['*']],
    );
  });
}

for (const era of eras) {
  test(`[GW10] the first ${era} client of an app that the user connected needs no further approval`, async (t) => {
    const { questions, connect, connectDoor, approvals, forget } = await open(t);
    await approvals.expect('codex');
    // The URL of the gateway is no entry of an app.
    const overHttp = (await connect(era, '?agent=codex', 'codex-mcp-client')).listTools();
    await until(() => questions.length === 1);
    questions[0]?.answer.resolve(false);
    await assert.rejects(overHttp, /does not let "codex-mcp-client"/);
    await forget('codex-mcp-client');
    await approvals.expect('codex');
    const first = await connectDoor(era, 'agent=codex', 'codex-mcp-client');
    assert.ok((await first.listTools()).items.length > 0);
    // The approval is used up, and applies to the name of the first client.
    const second = await connectDoor(era, 'agent=codex', 'another');
    assert.ok((await connect(era, '', 'codex-mcp-client').then((one) => one.listTools())).items.length > 0);
    const listed = second.listTools();
    await until(() => questions.length === 2);
    questions[1]?.answer.resolve(false);
    await assert.rejects(listed, /does not let "another"/);
    assert.equal(questions.length, 2);
  });

  test(`[GW10] a ${era} client that was approved before uses up the approval, and "Forget Agent" ends an unused one`, async (t) => {
    const { questions, connectDoor, approvals, forget } = await open(t);
    const earlier = connectDoor(era, '', 'codex-mcp-client').then((one) => one.listTools());
    await until(() => questions.length === 1);
    questions[0]?.answer.resolve(true);
    await earlier;
    await approvals.expect('codex');
    const again = await connectDoor(era, 'agent=codex', 'codex-mcp-client');
    assert.ok((await again.listTools()).items.length > 0);
    const other = connectDoor(era, 'agent=codex', 'another').then((one) => one.listTools());
    await until(() => questions.length === 2);
    questions[1]?.answer.resolve(false);
    await assert.rejects(other, /does not let "another"/);
    await approvals.expect('codex');
    await forget('codex-mcp-client');
    const forgotten = connectDoor(era, 'agent=codex', 'codex-mcp-client').then((one) => one.listTools());
    await until(() => questions.length === 3);
    questions[2]?.answer.resolve(false);
    await assert.rejects(forgotten, /does not let "codex-mcp-client"/);
  });
}

test('[GW10] a connected app is not approved with a preset, after a day, or after it was disconnected', async () => {
  let now = 0;
  const state = new Map<string, unknown>();
  const asked: string[] = [];
  const make = () =>
    new AgentApprovals(
      { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
      { askAgent: ({ name }) => Promise.resolve(asked.push(name) < 0) },
      { note: () => undefined },
      { presets: [review('docs')], refresh: () => Promise.resolve() },
      () => now,
    );
  const signal = new AbortController().signal;
  await make().expect('codex');
  assert.equal(await make().ask({ name: 'a', app: 'codex', preset: 'review' }, signal), false);
  assert.equal(await make().ask({ name: 'b', app: 'claude-code' }, signal), false);
  assert.equal(await make().ask({ name: 'c', app: 'toString' }, signal), false);
  now = 25 * 60 * 60 * 1_000;
  assert.equal(await make().ask({ name: 'd', app: 'codex' }, signal), false);
  await make().expect('codex');
  assert.deepEqual(await make().disconnect('codex'), []);
  assert.equal(await make().ask({ name: 'e', app: 'codex' }, signal), false);
  await make().expect('codex');
  assert.equal(await make().ask({ name: 'f', app: 'codex' }, signal), true);
  assert.deepEqual([asked.join(''), make().list], ['abcde', [{ name: 'f' }]]);
  // The approval ends with the connection that gave it.
  assert.deepEqual([await make().disconnect('codex'), make().list], [['f'], []]);
});

test('[GW13] an agent sees its preset as approved, or as its file defines it if that is less', async (t) => {
  const { questions, file, connect, approvals } = await open(t);
  const session = await connect('legacy', '?preset=review');
  const listed = session.listTools();
  await until(() => questions.length > 0);
  questions[0]?.answer.resolve(true);
  await listed;
  const seen = () => approvals.presetFor('agent', 'review')?.servers;
  for (const [written, expected] of [
    [['docs', 'prod'], ['docs']],
    [['*'], ['docs']],
    [[], []],
    [['docs'], ['docs']],
  ] as const) {
    file.presets = [review(...written)];
    assert.deepEqual(seen(), expected, written.join());
  }
  file.presets = [];
  assert.equal(seen(), undefined);
  await assert.rejects(session.callTool('only_docs', {}), /There is no preset "review"/);
});

for (const era of eras)
  test(`[GW10] Forget Agent ends the streams, calls and processes of a ${era} client`, async (t) => {
    const { questions, connect, forget, gateway } = await open(t, 'perCaller');
    const [received, kept, asked] = [[] as string[], [] as string[], new Deferred<void>()];
    const listener = (to: string[]): SessionListener => ({
      onResourceUpdated: (uri) => to.push(uri),
      onListChanged: (list) => to.push(list),
    });
    const handlers: ServerRequestHandlers = { elicit: () => (asked.resolve(), new Promise(() => undefined)) };
    const session = await connect(era, '', 'agent', listener(received), handlers);
    await until(() => questions.length === 1);
    questions[0]?.answer.resolve(true);
    const pid = Number(textOf(await session.callTool('docs_process', {})));
    const other = await connect(era, '', 'other', listener(kept));
    await until(() => questions.length === 2);
    questions[1]?.answer.resolve(true);
    for (const one of [session, other]) await one.subscribe('counting://live');
    const touched = async (by: McpSession, of: string[]) => {
      of.length = 0;
      while (of.length === 0) await by.callTool('docs_touch', {});
    };
    await touched(session, received);
    const running = session.callTool('docs_ask', {}).catch(String);
    await asked.promise;
    await forget('agent');
    received.length = 0;
    await until(() => !isProcessAlive(pid));
    await touched(other, kept);
    kept.length = 0;
    gateway.viewChanged();
    await until(() => kept.includes('tools'));
    assert.deepEqual(received, []);
    // A call of 2026-07-28 that waits for its client has no open request.
    if (era === 'legacy') assert.match(await running.then(String), /removed the approval of this client/);
    const again = session.listTools().catch(String);
    await until(() => questions.length === 3);
    questions[2]?.answer.resolve(true);
    await again;
    assert.equal(textOf(await other.callTool('docs_name', {})), 'docs');
  });

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
