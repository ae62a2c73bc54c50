import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { ClientClaim } from '../../../src/core/gateway/gatewayClients.js';
import { agentQuestion } from '../../../src/core/present/questions/agentQuestion.js';
import { agentTextsQuestion } from '../../../src/core/present/questions/agentTextsQuestion.js';
import { gatewayNodes } from '../../../src/core/present/tree/gatewayNodes.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { SessionListener } from '../../../src/core/session/codec.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock } from '../../support/manualClock.js';
import path from 'node:path';
import { openedGateway } from '../../support/openedGateway.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');

interface Question {
  claim: ClientClaim;
  answer: Deferred<boolean>;
}

/** The gateway of a window whose user answers the questions about clients with `questions`. */
async function open(t: TestContext, clock = systemClock, more: Record<string, unknown> = {}) {
  const servers = { one: { command: process.execPath, args: [counting, 'one'], ...more } };
  const questions: Question[] = [];
  const approved = new Set<string>();
  const { host, gateway } = await openedGateway(t, {
    servers,
    clock,
    approvals: {
      isApproved: ({ name }) => approved.has(name),
      ask: async (claim, signal) => {
        const answer = new Deferred<boolean>();
        questions.push({ claim: { ...claim }, answer });
        signal.addEventListener('abort', () => answer.reject(signal.reason));
        const isAllowed = await answer.promise;
        if (isAllowed) approved.add(claim.name);
        return isAllowed;
      },
    },
  });
  const connect = async (
    name: string,
    era: 'legacy' | '2026-07-28',
    query = '',
    listener: SessionListener = {},
  ): Promise<McpSession> => {
    const session = await McpSession.open(
      () => openRemote({ type: 'http', url: `${gateway.url}${query}`, headers: { Authorization: 'Bearer secret' } }),
      { client: { name, version: '1' }, protocol: era, listener },
    );
    t.after(() => session.close());
    return session;
  };
  return { gateway, host, questions, connect };
}

const namesOf = async (session: McpSession) => (await session.listTools()).items.map(({ name }) => name);

/** Everything that a client can list. */
const everythingOf = async (session: McpSession): Promise<unknown[]> =>
  (
    await Promise.all([
      session.listTools(),
      session.listPrompts(),
      session.listResources(),
      session.listResourceTemplates(),
    ])
  ).flatMap(({ items }) => items as unknown[]);

/** The error of a request, while the time goes on. A request arrives at some time after it was sent. */
async function failureInTime(clock: ManualClock, request: Promise<unknown>): Promise<string> {
  let failure: string | undefined;
  request.catch((error: unknown) => (failure = String(error)));
  await until(() => {
    void clock.advance(1_000);
    return failure !== undefined;
  });
  return failure ?? '';
}

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`[GW10] a new ${era} client waits for the user, who is asked once`, async (t) => {
    const { questions, connect, gateway } = await open(t);
    const session = await connect('claude-code', era);
    const lists = [namesOf(session), namesOf(session)];
    await until(() => questions.length > 0);
    assert.equal(gateway.clients.list[0]?.state, 'waiting');
    questions[0]?.answer.resolve(true);
    for (const names of await Promise.all(lists)) assert.ok(names.includes('count'), 'servers start for the client');
    await namesOf(await connect('claude-code', era));
    assert.equal(questions.length, 1);
    assert.deepEqual(
      [questions[0]?.claim.name, gateway.clients.list[0]?.state, gateway.clients.list[0]?.transport],
      ['claude-code', 'approved', 'http'],
    );
  });

  test(`[GW10] a refused ${era} client can list, read and call nothing, until it is forgotten`, async (t) => {
    const { questions, connect, gateway, host } = await open(t);
    const session = await connect('stranger', era);
    const listed = namesOf(session);
    await until(() => questions.length > 0);
    questions[0]?.answer.resolve(false);
    const refused = { code: -32600, message: /does not let "stranger" use MCP Deck/ };
    await assert.rejects(listed, refused);
    await assert.rejects(session.callTool('count', {}), refused);
    await assert.rejects(session.readResource('counting://live'), refused);
    await assert.rejects(session.getPrompt('greet', {}), refused);
    assert.deepEqual([questions.length, host.servers.list()[0]?.state.kind], [1, 'stopped']);
    gateway.clients.forget('stranger');
    const again = namesOf(session);
    await until(() => questions.length === 2);
    questions[1]?.answer.resolve(true);
    assert.ok((await again).includes('count'));
  });
}

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`[GW10] the lists of a new ${era} client are empty after a few seconds, and are announced after the approval`, async (t) => {
    const clock = new ManualClock();
    const { questions, connect, host } = await open(t, clock);
    const changed = new Set<string>();
    const session = await connect('slow', era, '', { onListChanged: (kind) => void changed.add(kind) });
    const listed = everythingOf(session);
    await until(() => questions.length > 0);
    await clock.advance(5_000);
    assert.deepEqual(await listed, []);
    assert.deepEqual([questions.length, host.servers.list()[0]?.state.kind, changed.size], [1, 'stopped', 0]);
    assert.deepEqual(await everythingOf(session), [], 'later lists do not wait');
    questions[0]?.answer.resolve(true);
    await until(() => ['tools', 'prompts', 'resources'].every((kind) => changed.has(kind)));
    assert.ok((await namesOf(session)).includes('count'));
    assert.equal(questions.length, 1);
  });

  test(`[GW10] a call of a ${era} client that is not approved in time fails with the reason, and so do its lists after a refusal`, async (t) => {
    const clock = new ManualClock();
    const { questions, connect } = await open(t, clock);
    const session = await connect('slow', era);
    assert.match(
      await failureInTime(clock, session.callTool('count', {})),
      /has not approved "slow" yet. The question is in the Requests view/,
    );
    assert.deepEqual(await namesOf(session), []);
    questions[0]?.answer.resolve(false);
    const refused = [namesOf(session), session.callTool('count', {})];
    await Promise.all(refused.map((request) => assert.rejects(request, /does not let "slow" use MCP Deck/)));
    assert.equal(questions.length, 1);
  });
}

test('[GW15] at most 64 small requests of a client that is not approved wait', async (t) => {
  const { questions, connect } = await open(t, new ManualClock());
  const session = await connect('new', 'legacy');
  await assert.rejects(session.callTool('count', { text: 'x'.repeat(100_000) }), /has not approved "new" yet/);
  let refused = 0;
  const requests = Array.from({ length: 70 }, () => session.callTool('count', {}).catch(() => refused++));
  await until(() => refused === 6);
  assert.deepEqual(await namesOf(session), [], 'a list does not wait either');
  questions[0]?.answer.resolve(true);
  await Promise.all(requests);
  assert.deepEqual([refused, questions.length], [6, 1]);
});

test('[GW15] many new clients end neither the process nor the session of an approved one', async (t) => {
  const { questions, connect, gateway } = await open(t, systemClock, { sharing: 'perCaller' });
  const [old, good] = [await connect('good', 'legacy'), await connect('good', '2026-07-28')];
  await until(() => questions.length > 0);
  questions[0]?.answer.resolve(true);
  for (const count of ['1', '2'])
    for (const session of [old, good])
      assert.match(JSON.stringify(await session.callTool('count', {})), RegExp(`"${count}"`));
  const send = async (method: string, params: object, headers: Record<string, string> = {}) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer secret',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    await response.text();
    assert.equal(response.status, 200);
  };
  for (let index = 0; index < 1_005; index++) {
    const clientInfo = { name: `new${index}`, version: '1' };
    await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    const keys = { protocolVersion: '2026-07-28', clientCapabilities: {}, clientInfo };
    const meta = Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
    );
    await send(
      'server/discover',
      { _meta: meta },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
    );
  }
  for (const session of [old, good]) assert.match(JSON.stringify(await session.callTool('count', {})), /"3"/);
});

test('the first list has the tools of a server that starts while the clock jumps', async (t) => {
  const clock = new ManualClock();
  const { questions, connect, host } = await open(t, clock);
  const states: string[] = [];
  host.servers.onDidChange(() => {
    const { kind = '' } = host.servers.list()[0]?.state ?? {};
    if (kind === 'starting' && !states.includes(kind)) setImmediate(() => clock.jump(3_000));
    states.push(kind);
  });
  const listed = namesOf(await connect('claude-code', 'legacy'));
  await until(() => questions.length > 0);
  questions[0]?.answer.resolve(true);
  assert.ok((await listed).includes('count'));
  assert.equal(states[0], 'starting');
});

test('[GW10] a question that the user postpones is asked again with the next request', async (t) => {
  const { questions, connect } = await open(t);
  const session = await connect('later', 'legacy');
  const listed = namesOf(session);
  await until(() => questions.length > 0);
  questions[0]?.answer.reject(new HostError('cancelled', 'Dismissed.'));
  assert.deepEqual(await listed, []);
  const again = namesOf(session);
  await until(() => questions.length === 2);
  questions[1]?.answer.resolve(true);
  assert.ok((await again).includes('count'));
});

test('[GW10] at most five new clients ask at the same time, and names are escaped and bounded', async (t) => {
  const { questions, connect, gateway } = await open(t);
  const name = `evil"\u202e${'x'.repeat(500)}`;
  for (const [index, one] of [name, 'b', 'c', 'd', 'e', 'f', 'g'].entries()) {
    const session = await connect(one, 'legacy');
    if (index < 5) continue;
    assert.deepEqual(await namesOf(session), []);
    await assert.rejects(session.callTool('count', {}), /has not approved/);
  }
  assert.equal(questions.length, 5);
  const [shown] = gateway.clients.list;
  assert.ok(shown && shown.name.length < 100 && !shown.name.includes('\u202e') && shown.name.startsWith('evil\\"'));
});

test('[GW10] stopping the gateway withdraws the questions', async (t) => {
  const { questions, connect, gateway } = await open(t);
  const session = await connect('late', 'legacy');
  const listed = namesOf(session).catch((error: unknown) => error);
  await until(() => questions.length > 0);
  await gateway.close();
  await assert.rejects(questions[0]?.answer.promise ?? Promise.resolve(), { code: 'cancelled' });
  assert.ok((await listed) instanceof Error);
});

test('[GW10] the preset in the URL is bounded, and escaped where the user sees it', async (t) => {
  const { questions, connect } = await open(t);
  const hostile = 'review". Allow all.\n\nThis program is part of VS Code.\u202e';
  for (const preset of [hostile, 'p'.repeat(10_000)])
    void connect('claude-code', 'legacy', `?preset=${encodeURIComponent(preset)}`)
      .then(namesOf)
      .catch(() => undefined);
  await until(() => questions.length === 2);
  const [first, second] = questions
    .map(({ claim }) => claim)
    .sort((a, b) => ((a.preset ?? '') > (b.preset ?? '') ? -1 : 1));
  assert.ok(first && second);
  assert.equal(first.preset, hostile, 'the name stays exact, because it selects the preset');
  assert.equal(second.preset, `${'p'.repeat(100)}…`);
  const shown = 'review\\". Allow all.\\u{a}\\u{a}This program is part of VS Code.\\u{202e}';
  const preset = { name: first.preset ?? '', servers: ['files'], tools: {} };
  const paragraphs = agentQuestion({ kind: 'agent', ...first, preset }).detail.split('\n\n');
  assert.deepEqual([paragraphs.length, paragraphs.some((text) => text.includes(`"${shown}"`))], [6, true]);
  const [node] = gatewayNodes({
    url: 'http://127.0.0.1/mcp',
    agents: [{ ...first, state: 'waiting' }],
    waitingTexts: 0,
  }).slice(-1);
  assert.ok(node?.description?.includes(shown), node?.description);
  for (const { answer } of questions) answer.resolve(false);
});

test('[GW10] the question about an agent shows the whole preset, and different presets make different questions', () => {
  const question = (servers: string[], tools: Record<string, string[]> = {}) =>
    agentQuestion({ kind: 'agent', name: 'claude-code', preset: { name: 'review', servers, tools } });
  const shown = question(['docs', '*'], { docs: ['read', 'write'], notes: [] });
  assert.ok(
    shown.detail.includes('\n\n"docs"\n"*"\n"docs": only "read", "write"\n"notes": no tools\n\n'),
    shown.detail,
  );
  assert.equal(shown.unreadPreset, undefined);
  const alike = [
    question(['docs; docs: read']),
    question(['docs'], { docs: ['read'] }),
    question(['docs', 'docs: read']),
  ];
  assert.equal(new Set(alike.map(({ detail }) => detail)).size, alike.length);
  const names = Array.from({ length: 30 }, (_, index) => `docs-server-number-${index}-${'x'.repeat(200)}`);
  const long = question([...names, 'production', '*']);
  assert.ok(
    long.unreadPreset?.endsWith('\n"production"\n"*"') && names.every((name) => long.unreadPreset?.includes(name)),
  );
  assert.ok(long.detail.length < 1_000);
  const manyLines = question(Array.from({ length: 201 }, (_, index) => `s${index}`));
  assert.ok(manyLines.unreadPreset?.endsWith('\n"s200"') && manyLines.detail.split('\n').length <= 30);
});

test('[GW10] a question about changed texts has no more changes than a dialog can show, and counts the others', () => {
  const changes = Array.from({ length: 68 }, (_, index) => ({ server: 's', tool: `t${index}`, name: `n${index}` }));
  const { detail, overrides } = agentTextsQuestion(changes);
  assert.equal(overrides.length, 30);
  assert.match(detail, /\n\nMCP Deck then asks about 38 more\.$/);
});

test('[GW10] the question about texts for agents tells long names apart', () => {
  const asked = (server: string, tool: string) => agentTextsQuestion([{ server, tool, name: 'read' }]).detail;
  const long = 'r'.repeat(125);
  assert.notEqual(asked('s', `${long}_read`), asked('s', `${long}_delete`));
  assert.notEqual(asked(`${long}-test`, 't'), asked(`${long}-prod`, 't'));
});
