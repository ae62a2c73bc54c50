/** What a policy prevents, through a whole host with real processes. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Emitter } from '../../../../src/core/base/event.js';
import { HostError } from '../../../../src/core/base/hostError.js';
import { nullLog } from '../../../../src/core/base/log.js';
import { Gateway } from '../../../../src/core/gateway/gateway.js';
import { GatewayLists } from '../../../../src/core/gateway/gatewayLists.js';
import { GatewayNames } from '../../../../src/core/gateway/gatewayNames.js';
import { PublicUris } from '../../../../src/core/gateway/publicUris.js';
import { drawNodes } from '../../../../src/core/present/tree/treeNode.js';
import { failureLine } from '../../../../src/core/present/failure/failureText.js';
import { serverNode } from '../../../../src/core/present/tree/serverNodes.js';
import type { WrittenPolicy } from '../../../../src/core/registry/serverPolicy.js';
import { readPolicy, vsCodePolicySettings } from '../../../../src/core/registry/serverPolicy.js';
import { headlessHost } from '../../../support/headlessHost.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const local = (name: string) => ({ command: process.execPath, args: [counting, name] });
const noFiles: WrittenPolicy = { owner: 'organization', denied: [{ serverName: 'files' }] };
const sentence =
  'The server "files" is blocked by your organization. "chat.mcp.deniedServers" contains {"serverName":"files"}. Ask your administrator to allow the server.';

async function open(t: TestContext, servers: Record<string, unknown>, ...written: WrittenPolicy[]) {
  const changed = new Emitter<void>();
  let rules = readPolicy(written, vsCodePolicySettings);
  const { host, logs } = headlessHost({
    servers,
    settings: { autoStart: 'always' },
    ports: { policies: { current: () => rules, onDidChange: changed.event } },
  });
  t.after(() => host.close());
  await host.open();
  const set = (...next: WrittenPolicy[]) => {
    rules = readPolicy(next, vsCodePolicySettings);
    changed.fire();
  };
  const state = async (id: string, kind: string) => {
    while (host.servers.get(id)?.state.kind !== kind) await new Promise((resolve) => setImmediate(resolve));
  };
  return { host, logs, set, state };
}

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('It was allowed.'),
    (error: unknown) => {
      assert.ok(error instanceof HostError && error.code === 'blocked');
      return failureLine(error, undefined);
    },
  );

test('[policy.start] a blocked server does not start automatically, for the user, for a call, or for a sign-in', async (t) => {
  const { host, logs, state } = await open(t, { files: local('files'), other: local('other') }, noFiles);
  await state('other', 'running');
  assert.equal(host.servers.get('files')?.state.kind, 'stopped');
  assert.equal(await refusalOf(host.lifecycle.start('files')), sentence);
  assert.equal(await refusalOf(host.calls.runTool({ server: 'files', tool: 'name' }, { caller: 'user' })), sentence);
  assert.equal(await refusalOf(host.signIns.signIn('files')), sentence);
  assert.doesNotMatch((logs.get('files') ?? []).join('\n'), /info running/);
});

test('[policy.start] the Servers view shows who blocks a server, and the rule', async (t) => {
  const { host } = await open(t, { files: local('files') }, noFiles);
  const view = host.servers.get('files');
  assert.ok(view);
  const node = serverNode(view, Date.now());
  assert.equal(node.description, 'blocked by your organization');
  assert.match(drawNodes(node.children?.() ?? []), /"chat\.mcp\.deniedServers" contains/);
});

test('[policy.start] a rule about a command or an address counts after the variables are replaced', async (t) => {
  const { host } = await open(
    t,
    {
      files: { command: process.execPath, args: [counting, '${userHome}'] },
      remote: { type: 'http', url: 'http://127.0.0.1:9/${pathSeparator}mcp' },
    },
    {
      owner: 'organization',
      denied: [{ serverCommand: [process.execPath, counting, process.cwd()] }, { serverUrl: 'http://127.0.0.1:*/*' }],
    },
  );
  assert.equal(host.servers.get('files')?.blocked, undefined);
  assert.match(await refusalOf(host.lifecycle.start('files')), /blocked by your organization/);
  assert.match(await refusalOf(host.lifecycle.start('remote')), /blocked by your organization/);
});

test('[policy.start] the program of a debugger is checked like a command', async (t) => {
  const program = path.resolve('no-such-debugger');
  const command = [path.resolve('python3'), 'server.py'];
  const [allowed, other] = [{ serverCommand: command }, { serverCommand: [program] }];
  const dev = { debug: { type: 'debugpy', debugpyPath: program } };
  const debug = { kind: 'debugpy', stopAtStart: false, port: 5, debugpy: { program } } as const;
  const owner = 'organization';
  for (const [policy, isBlocked] of [
    [{ owner, allowed: [allowed] }, true],
    [{ owner, denied: [other] }, true],
    [{ owner, allowed: [allowed, other] }, false],
    [{ owner, allowed: [{ serverName: 'files' }] }, false],
  ] as const) {
    const rules = readPolicy([policy], vsCodePolicySettings);
    const { host } = headlessHost({
      servers: { files: { command: command[0], args: ['server.py'], dev } },
      ports: {
        policies: { current: () => rules, onDidChange: new Emitter<void>().event },
        debugger: { attach: () => Promise.resolve(), ended: () => Promise.resolve() },
      },
    });
    t.after(() => host.close());
    await host.open();
    await assert.rejects(host.lifecycle.start('files', { debug }), {
      code: isBlocked ? 'blocked' : 'spawn-failed',
    });
  }
});

test('[policy.start] a server that runs when a policy arrives is stopped, and may start after the policy is gone', async (t) => {
  const { host, set, state } = await open(t, { files: local('files') });
  await host.lifecycle.start('files');
  set(noFiles);
  await state('files', 'stopped');
  assert.equal(await refusalOf(host.lifecycle.start('files')), sentence);
  set();
  await host.lifecycle.start('files');
  assert.equal(host.servers.get('files')?.state.kind, 'running');
});

test('[policy.start] the gateway neither starts a blocked server nor lists its tools', async (t) => {
  const { host, set, state } = await open(t, { files: local('files'), other: local('other') }, noFiles);
  const gateway = new Gateway({ host, info: { name: 'gateway', version: '1' }, log: nullLog, validate: () => [] });
  t.after(() => gateway.dispose());
  await gateway.startServers();
  assert.equal(host.servers.get('files')?.state.kind, 'stopped');
  const lists = new GatewayLists(
    () => host.servers.list(),
    new GatewayNames(undefined),
    new PublicUris(),
    () => [],
  );
  const listed = async () => {
    lists.invalidate();
    await lists.fresh();
    return [...new Set([...lists.tools.values()].map(({ server }) => server))].sort();
  };
  set();
  await host.lifecycle.start('files');
  assert.deepEqual(await listed(), ['files', 'other']);
  set(noFiles);
  await state('files', 'stopped');
  // Without the policy, the tools of a stopped server stay in the list.
  assert.deepEqual(await listed(), ['other']);
});
