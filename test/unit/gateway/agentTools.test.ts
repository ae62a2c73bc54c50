/** The servers of a window for an agent in the same window, with real processes. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { nullLog } from '../../../src/core/base/log.js';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import type { AgentToolsOptions } from '../../../src/core/gateway/agentTools.js';
import { AgentTools } from '../../../src/core/gateway/agentTools.js';
import { ServerStarts } from '../../../src/core/gateway/serverStarts.js';
import { ToolFinder } from '../../../src/core/search/toolFinder.js';
import { gatewayNames } from '../../../src/core/gateway/toolSearch.js';
import type { ToolOverride } from '../../../src/core/presets/toolOverrides.js';
import { headlessHost } from '../../support/headlessHost.js';
import { serverView, tool } from '../../support/serverViews.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const results = path.resolve('test/fixtures/servers/results.mjs');
const local = (...args: string[]) => ({ command: process.execPath, args });
const asAgent = { caller: 'agent', client: 'Code', isUnattended: true } as const;

/** An agent of servers that are only views. */
function agentOf(
  views: () => readonly ServerView[],
  whenStarted: AgentToolsOptions['starts']['whenStarted'] = () => undefined,
): AgentTools {
  const host = {
    servers: { list: views },
    lifecycle: { refreshStaleLists: () => undefined },
  } as unknown as AgentToolsOptions['host'];
  return new AgentTools({
    host,
    starts: { startInTime: () => Promise.resolve(), whenStarted },
    names: gatewayNames(undefined),
    overrides: () => [],
    isLeftOut: () => false,
    validate: () => [],
    finder: new ToolFinder(),
    runTool: () => Promise.reject(new Error('No tool is called.')),
  });
}

async function open(t: TestContext, leftOut: readonly string[] = [], overrides: readonly ToolOverride[] = []) {
  const { host } = headlessHost({
    servers: { one: local(counting, 'one'), two: local(counting, 'two'), results: local(results) },
  });
  t.after(() => host.close());
  await host.open();
  const called: unknown[] = [];
  const tools = new AgentTools({
    host,
    starts: new ServerStarts({ host, log: nullLog, mayAsk: false, restarts: false }),
    names: gatewayNames(undefined),
    overrides: () => overrides,
    isLeftOut: ({ entry }) => leftOut.includes(entry.name),
    validate: (schema, value) =>
      (schema['required'] as string[] | undefined)?.filter((name) => !Object.hasOwn(value as object, name)) ?? [],
    finder: new ToolFinder(),
    runTool: (call, options) => {
      called.push([call.server, call.tool, options.caller, options.client]);
      return host.calls.runTool(call, options);
    },
  });
  await tools.ready();
  return { host, tools, called };
}

/** Calls a tool by its name, as the agent does. */
async function call(tools: AgentTools, name: string) {
  return tools.call(await tools.find(name), {}, asAgent);
}

test('[LM1] the servers start with the first request, and tools of two servers have the names of the gateway', async (t) => {
  const { tools, called } = await open(t);
  assert.deepEqual(
    tools.servers().map(({ name, state }) => `${name} ${state}`),
    ['one running', 'two running', 'results running'],
  );
  const found = await tools.search('count');
  assert.ok(found.some(({ name }) => name === 'two_count' || name === 'count'));
  let name: string | undefined;
  for (const one of found) if ((await tools.find(one.name)).server === 'two') name ??= one.name;
  assert.ok(name !== undefined);
  const { content } = await call(tools, name);
  assert.equal(content[0]?.type, 'text');
  assert.equal((called[0] as string[])[0], 'two');
  assert.deepEqual((called[0] as string[]).slice(2), ['agent', 'Code']);
});

test('[LM3] a call waits for the servers that are starting, if no list has its tool', async () => {
  let views: readonly ServerView[] = [];
  const slow = serverView('slow', { features: { tools: [tool('echo')] } });
  const tools = agentOf(
    () => views,
    () => Promise.resolve().then(() => void (views = [slow])),
  );
  assert.equal((await tools.find('echo')).server, 'slow');
  await assert.rejects(tools.find('other'), /There is no tool "other"/);
});

test('[LM5] a server that the agent has from elsewhere is not offered, and its tools cannot be called', async (t) => {
  const { tools } = await open(t, ['one', 'two']);
  assert.deepEqual(
    tools.servers().map(({ name }) => name),
    ['results'],
  );
  assert.equal(await tools.peek('count'), undefined);
  await assert.rejects(call(tools, 'count'), /There is no tool "count"/);
  assert.equal(await tools.ownerOf('counting://live'), undefined);
});

test('[LM2] a tool that is hidden from agents cannot be called', async (t) => {
  const { tools } = await open(t, ['two'], [{ server: 'one', tool: 'count', isHidden: true }]);
  await assert.rejects(call(tools, 'count'), /There is no tool "count"/);
});

test('[LM3] a link in a result can be read, and an address that two servers have names its server', async (t) => {
  const { tools } = await open(t);
  const { content } = await call(tools, 'links');
  const [link] = content;
  assert.ok(link?.type === 'resource_link');
  assert.equal(await tools.ownerOf(link.uri), 'results');
  assert.equal((await tools.read('demo://readme', {})).length, 1);
  const { resources } = (await tools.resources('two')) as { resources: { uri: string }[] };
  assert.equal(resources.length, 1);
  assert.equal(await tools.ownerOf(resources[0]?.uri ?? ''), 'two');
  await assert.rejects(tools.read('none://x', {}), /There is no resource "none:\/\/x"/);
});

test('[GW16] long lists are merged in turns for an agent of the window, and other work runs in between', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`p${at}`, { type: 'string', description: 'A text that is sent.' }]),
  );
  const items = Array.from({ length: 10_000 }, (_, at) => at);
  const features = {
    tools: items.map((at) => ({ name: `tool ${at}`, inputSchema: { type: 'object', properties: { ...properties } } })),
    prompts: items.map((at) => ({ name: `prompt ${at}` })),
    resources: items.map((at) => ({ name: `r${at}`, uri: `own:///${at}` })),
    resourceTemplates: items.map((at) => ({ name: `t${at}`, uriTemplate: `own${at}:///{id}` })),
  };
  const views = [serverView('one', { features }), serverView('two', { features })];
  const agent = agentOf(() => views);
  for (const request of [
    () => agent.find('two_tool_7'),
    () => agent.peek('none'),
    () => agent.resources('one'),
    () => agent.ownerOf('own:///7'),
  ]) {
    let turns = 0;
    let isOver = false;
    const other = () => {
      turns++;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    await request();
    isOver = true;
    assert.ok(turns > 1, `${turns} turns of other work`);
  }
});

test('[LM2] an agent sees a tool as the present list of its server has it', async () => {
  let views = [serverView('one', { features: { tools: [tool('old')] } })];
  const agent = agentOf(() => views);
  assert.equal((await agent.find('old')).name, 'old');
  views = [
    serverView('one', {
      features: { tools: [tool('new'), tool('hidden', { _meta: { ui: { visibility: ['app'] } } })] },
    }),
  ];
  assert.equal(await agent.peek('old'), undefined);
  assert.equal((await agent.find('new')).name, 'new');
  assert.equal(await agent.peek('hidden'), undefined);
  await assert.rejects(agent.find('hiddem'), (error: Error) => !error.message.includes('"hidden"'));
});
