import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/base/clock.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { nullLog } from '../../../src/core/base/log.js';
import { Gateway } from '../../../src/core/gateway/gateway.js';
import { needsSearch } from '../../../src/core/gateway/toolSearch.js';
import type { Preset } from '../../../src/core/presets/presetFile.js';
import { agentTextsQuestion } from '../../../src/core/present/questions/agentTextsQuestion.js';
import { readPresets } from '../../../src/core/presets/presetFile.js';
import type { ToolOverride } from '../../../src/core/presets/toolOverrides.js';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import type { SessionListener } from '../../../src/core/session/codec.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import type { ServerRequestHandlers } from '../../../src/core/session/serverRequests.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { headlessHost } from '../../support/headlessHost.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const local = (name: string) => ({ command: process.execPath, args: [counting, name] });
const presets: Preset[] = [{ name: 'review', servers: ['one'], tools: { one: ['count', 'name'] } }];

/** A gateway in front of two servers, with these overrides; `kept` has the stored names. */
async function open(t: TestContext, overrides: readonly ToolOverride[] = [], kept: { names?: unknown } = {}) {
  const asked: string[] = [];
  const { host } = headlessHost({
    servers: { one: local('one'), two: local('two') },
    ports: {
      elicitor: {
        elicit: (entry, _request, _signal, client) => {
          asked.push(`${entry.id} for ${String(client)}`);
          return Promise.resolve({ action: 'accept', content: { text: 'from the user' } });
        },
      },
    },
  });
  await host.open();
  let shown = overrides;
  const gateway = new Gateway({
    host,
    info: { name: 'gateway', version: '1' },
    log: nullLog,
    validate: (schema, value) =>
      (schema['required'] as string[] | undefined)?.filter((name) => !Object.hasOwn(value as object, name)) ?? [],
    user: { waitingText: 'Waiting', clock: systemClock },
    names: { stored: kept.names, save: (names) => (kept.names = structuredClone(names)) },
    view: {
      overrides: () => shown,
      presetFor: (_client, name) => presets.find((preset) => preset.name === name),
    },
  });
  await gateway.startServers();
  const front = new HttpFront({ server: gateway.server, maxSessions: 100 });
  const { url } = await front.listen();
  const close = async () => {
    await front.close();
    gateway.dispose();
    await host.close();
  };
  t.after(close);
  const connect = async (
    era: 'legacy' | '2026-07-28',
    query = '',
    handlers: ServerRequestHandlers = {},
    name = 'caller',
    listener: SessionListener = {},
  ) => {
    const session = await McpSession.open(() => openRemote({ type: 'http', url: `${url}${query}`, headers: {} }), {
      client: { name, version: '1' },
      protocol: era,
      handlers,
      listener,
    });
    t.after(() => session.close());
    return session;
  };
  return { gateway, connect, asked, close, show: (next: readonly ToolOverride[]) => (shown = next) };
}

const namesOf = async (session: McpSession) => (await session.listTools()).items.map(({ name }) => name);
const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === 'text' ? block.text : block.type)).join();

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`[GW11] a preset in the URL narrows tools, prompts and resources for a ${era} client`, async (t) => {
    const { connect } = await open(t);
    const session = await connect(era, '?preset=review');
    assert.deepEqual(await namesOf(session), ['one_count', 'one_name']);
    assert.equal(textOf(await session.callTool('one_count', {})), '1');
    await assert.rejects(session.callTool('one_die', {}), /There is no tool "one_die"/);
    await assert.rejects(session.callTool('two_count', {}), /There is no tool "two_count"/);
    const { items } = await session.listResources();
    assert.deepEqual(
      items.map(({ uri }) => uri),
      ['counting://live'],
    );
    await assert.rejects(session.readResource('mcp-deck://two/counting://live'), /Resource not found/);
    await assert.rejects(namesOf(await connect(era, '?preset=other')), /There is no preset "other"/);
  });

  test(`[GW13] a ${era} client with a preset gets no suggestions and no updates of a server outside of it`, async (t) => {
    const { connect } = await open(t);
    const whole = await connect(era);
    await whole.listResources();
    const template = { type: 'ref/resource', uri: 'mcp-deck://two/counting://item/{id}' } as const;
    assert.equal((await whole.complete(template, { name: 'id', value: '' })).values.length, 1);

    const [updates, updated] = [[] as string[], new Deferred<void>()];
    const listener: SessionListener = {
      onResourceUpdated: (uri) => {
        updates.push(uri);
        if (uri === 'counting://live') updated.resolve();
      },
    };
    const session = await connect(era, '?preset=review', {}, 'narrow', listener);
    await assert.rejects(session.complete(template, { name: 'id', value: '' }), /-?32602|not found|There is no/i);
    await session.subscribe('mcp-deck://two/counting://live').catch(() => undefined);
    await session.subscribe('counting://live');
    const ofTwo = new Deferred<void>();
    const other = await connect(era, '', {}, 'other', { onResourceUpdated: () => ofTwo.resolve() });
    await other.subscribe('mcp-deck://two/counting://live');
    // The subscription at the server begins in the background, so the resource changes until an update arrives.
    const touched = async (tool: string, until: Deferred<void>) => {
      let isDone = false;
      void until.promise.then(() => (isDone = true));
      while (!isDone) await whole.callTool(tool, {});
    };
    await touched('two_touch', ofTwo);
    await touched('one_touch', updated);
    assert.ok(
      updates.every((uri) => uri === 'counting://live'),
      updates.join(),
    );
  });

  test(`a ${era} client that has the servers of a source itself does not see them`, async (t) => {
    const { connect } = await open(t);
    const session = await connect(era, '?without=user');
    assert.deepEqual(await namesOf(session), []);
    await assert.rejects(session.callTool('one_count', {}), /There is no tool "one_count"/);
    await assert.rejects(session.readResource('counting://live'), /Resource not found/);
    assert.ok((await namesOf(await connect(era, '?without=vscode'))).includes('one_count'));
  });

  test(`a ${era} client that cannot answer a form is answered by the user, who sees the name of the client`, async (t) => {
    const { connect, asked } = await open(t);
    const silent = await connect(era);
    assert.match(textOf(await silent.callTool('one_ask', {})), /from the user/);
    const able = await connect(era, '', {
      elicit: () => Promise.resolve({ action: 'accept', content: { text: 'from the client' } }),
    });
    assert.match(textOf(await able.callTool('one_ask', {})), /from the client/);
    assert.deepEqual(asked, ['one for caller']);
  });
}

test('a tool can be hidden, renamed and described, and a new name is never the name of another tool', async (t) => {
  const { connect, gateway, show } = await open(t, [
    { server: 'one', tool: 'die', isHidden: true },
    { server: 'one', tool: 'touch', name: 'only_two' },
    { server: 'one', tool: 'name', name: 'who', description: 'Who are you?' },
  ]);
  const session = await connect('legacy');
  const { items } = await session.listTools();
  const names = items.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => name.includes('die')),
    ['die'],
    'the tool of the other server',
  );
  assert.equal(items.find(({ name }) => name === 'who')?.description, 'Who are you?');
  assert.equal(textOf(await session.callTool('who', {})), 'one');
  assert.equal(textOf(await session.callTool('only_two', {})), 'two');
  show([]);
  gateway.viewChanged();
  const after = await namesOf(session);
  assert.ok(after.includes('one_die') && after.includes('die') && !after.includes('who'), after.join());
});

test('names keep their meaning over a restart of the gateway', async (t) => {
  const kept: { names?: unknown } = {};
  const first = await open(t, [{ server: 'one', tool: 'name', name: 'who' }], kept);
  const before = await namesOf(await first.connect('legacy'));
  await first.close();
  const second = await open(t, [{ server: 'one', tool: 'name', name: 'who' }], kept);
  assert.deepEqual(await namesOf(await second.connect('legacy')), before);
});

test('a long list becomes a search, except for clients that search themselves', async (t) => {
  const long = 'x'.repeat(45_000);
  const { connect } = await open(t, [
    { server: 'one', tool: 'count', description: `Counts the calls. ${long}` },
    { server: 'one', tool: 'die', isHidden: true },
  ]);
  const session = await connect('legacy');
  assert.deepEqual(await namesOf(session), ['search_tools', 'call_tool']);
  const found = JSON.parse(textOf(await session.callTool('search_tools', { query: 'counts the calls' }))) as {
    name: string;
    inputSchema: unknown;
  }[];
  assert.ok(found.length > 0 && found.length <= 5 && found.some(({ name }) => name === 'one_count'), found[0]?.name);
  assert.ok(found.every(({ inputSchema }) => inputSchema !== undefined));
  assert.equal(textOf(await session.callTool('call_tool', { name: 'one_count', arguments: {} })), '1');
  assert.match(
    await session.callTool('call_tool', { name: 'one_cuont' }).then(textOf, (error: Error) => error.message),
    /There is no tool "one_cuont".*"one_count"/,
  );
  assert.ok((await namesOf(await connect('legacy', '', {}, 'claude-code'))).length > 10);
  assert.equal(needsSearch({ name: 'codex-mcp-client', version: '1' }, []), false);
});

test('[GW14] the gateway of a window tells clients where to look for missing tools, and names no server', async (t) => {
  const { connect } = await open(t);
  for (const era of ['legacy', '2026-07-28'] as const) {
    const { instructions = '' } = (await connect(era)).identity;
    assert.match(instructions, /waits for the user's approval.*Servers view of MCP Deck/);
    assert.doesNotMatch(instructions, /\bone\b|\btwo\b/);
  }
});

test('[GW11] an unreadable override changes nothing and is reported', () => {
  const read = readPresets(
    JSON.stringify({
      gateway: {
        tools: {
          one: {
            a: { hide: true },
            b: { name: 'bad name' },
            c: { name: 'good', description: 'd' },
            d: { hide: 'yes', other: 1 },
            e: 'x',
          },
          two: [],
        },
        other: {},
      },
    }),
  );
  assert.deepEqual(read.overrides, [
    { server: 'one', tool: 'a', isHidden: true },
    { server: 'one', tool: 'b' },
    { server: 'one', tool: 'c', name: 'good', description: 'd' },
    { server: 'one', tool: 'd' },
    { server: 'one', tool: 'e' },
  ]);
  assert.equal(read.problems.length, 6);
});

test('[GW10] a description that a question cannot show completely is refused and reported', () => {
  const written = (description: string) =>
    readPresets(JSON.stringify({ gateway: { tools: { one: { a: { description } } } } }));
  for (const long of ['d'.repeat(1_501), '\u200b'.repeat(300)]) {
    assert.deepEqual(written(long).overrides, [{ server: 'one', tool: 'a' }]);
    assert.match(written(long).problems[0]?.message ?? '', /at most 1,500 characters/);
  }
  const [longest] = written('d'.repeat(1_500)).overrides;
  assert.ok(longest && agentTextsQuestion([longest]).detail.includes('d'.repeat(1_500)));
});
