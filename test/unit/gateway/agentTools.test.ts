/** The servers of a window for an agent in the same window, with real processes. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { nullLog } from '../../../src/core/base/log.js';
import { AgentTools } from '../../../src/core/gateway/agentTools.js';
import { ServerStarts } from '../../../src/core/gateway/serverStarts.js';
import { ToolFinder } from '../../../src/core/search/toolFinder.js';
import { gatewayNames } from '../../../src/core/gateway/toolSearch.js';
import type { ToolOverride } from '../../../src/core/presets/toolOverrides.js';
import { headlessHost } from '../../support/headlessHost.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const results = path.resolve('test/fixtures/servers/results.mjs');
const local = (...args: string[]) => ({ command: process.execPath, args });
const asAgent = { caller: 'agent', client: 'Code', isUnattended: true } as const;

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
  return tools.call(tools.find(name), {}, asAgent);
}

test('[LM1] the servers start with the first request, and tools of two servers have the names of the gateway', async (t) => {
  const { tools, called } = await open(t);
  assert.deepEqual(
    tools.servers().map(({ name, state }) => `${name} ${state}`),
    ['one running', 'two running', 'results running'],
  );
  const found = await tools.search('count');
  assert.ok(found.some(({ name }) => name === 'two_count' || name === 'count'));
  const name = found.map((one) => one.name).find((one) => tools.find(one).server === 'two');
  assert.ok(name !== undefined);
  const { content } = await call(tools, name);
  assert.equal(content[0]?.type, 'text');
  assert.equal((called[0] as string[])[0], 'two');
  assert.deepEqual((called[0] as string[]).slice(2), ['agent', 'Code']);
});

test('[LM5] a server that the agent has from elsewhere is not offered, and its tools cannot be called', async (t) => {
  const { tools } = await open(t, ['one', 'two']);
  assert.deepEqual(
    tools.servers().map(({ name }) => name),
    ['results'],
  );
  assert.equal(tools.peek('count'), undefined);
  await assert.rejects(call(tools, 'count'), /There is no tool "count"/);
  assert.equal(tools.ownerOf('counting://live'), undefined);
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
  assert.equal(tools.ownerOf(link.uri), 'results');
  assert.equal((await tools.read('demo://readme', {})).length, 1);
  const { resources } = tools.resources('two') as { resources: { uri: string }[] };
  assert.equal(resources.length, 1);
  assert.equal(tools.ownerOf(resources[0]?.uri ?? ''), 'two');
  await assert.rejects(tools.read('none://x', {}), /There is no resource "none:\/\/x"/);
});
