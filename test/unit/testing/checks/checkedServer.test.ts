/** The second instance of a server that checks call: what the user decided about the server applies to it too. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { memoryState } from '../../../../src/core/base/stores.js';
import type { ConfigSource } from '../../../../src/core/config/serverDefinition.js';
import { McpHost } from '../../../../src/core/host/mcpHost.js';
import { ToolSwitches } from '../../../../src/core/presets/toolSwitches.js';
import { openCheckedServer } from '../../../../src/core/testing/checks/checkedServer.js';
import { headlessHost } from '../../../support/headlessHost.js';

const changing = { command: process.execPath, args: [path.resolve('test/fixtures/servers/changing.mjs')] };
const sources: ConfigSource[] = [
  { id: 'user', kind: 'user', label: 'User settings' },
  { id: 'vscode:w', kind: 'vscode', label: 'mcp.json', folderPath: process.cwd(), folderName: 'w' },
];

test('[C34] a check of a server whose name another server has too calls no tool that is off, and has its ID', async (t) => {
  const asked: string[] = [];
  const { ports } = headlessHost({ servers: {} });
  const all = {
    ...ports,
    configuration: {
      ...ports.configuration,
      read: () => Promise.resolve(sources.map((source) => ({ source, value: { twice: changing } }))),
    },
  };
  const window = new McpHost(all);
  t.after(() => window.close());
  await window.open();
  assert.deepEqual(
    window.servers.list().map(({ id }) => id),
    ['twice', 'twice (w)'],
  );
  const switches = new ToolSwitches(memoryState());
  await switches.setTool('twice (w)', 'remove', false);
  const entry = window.servers.get('twice (w)')?.entry;
  assert.ok(entry);
  const consent = {
    ...ports.consent,
    admit: ((call, ...more) => {
      asked.push(call.server.id);
      return ports.consent.admit(call, ...more);
    }) as typeof ports.consent.admit,
  };
  const { signal } = new AbortController();
  const checked = await openCheckedServer(entry, { ...all, consent }, { checkOutput: () => [], switches }, signal);
  t.after(() => checked.close());
  const call = (tool: string) =>
    checked.host.calls.runTool(
      { server: checked.id, tool, arguments: { word: 'a' } },
      { caller: 'script', isApi: true, signal },
    );
  await assert.rejects(call('remove'), /you disabled it/);
  await call('lookup');
  assert.deepEqual(asked, ['twice (w)']);
});
