/** Tests that run in a window: what the user decided about a server applies to the tests of a repository too. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { neverEvent } from '../../../src/core/base/event.js';
import { memoryState } from '../../../src/core/base/stores.js';
import { AuditLog } from '../../../src/core/consent/auditLog.js';
import { RuleBook } from '../../../src/core/consent/ruleBook.js';
import { ToolConsent } from '../../../src/core/consent/toolConsent.js';
import { ScopedPins, ToolPins, pinsKey } from '../../../src/core/consent/toolPins.js';
import type { HostPorts } from '../../../src/core/host/ports.js';
import { ToolSwitches } from '../../../src/core/presets/toolSwitches.js';
import { readTestFile } from '../../../src/core/testing/readTestFile.js';
import type { RunOptions } from '../../../src/core/testing/runTestFile.js';
import { runTestFile } from '../../../src/core/testing/runTestFile.js';
import type { TestFile } from '../../../src/core/testing/testModel.js';
import { headlessHost } from '../../support/headlessHost.js';

const changing = {
  command: process.execPath,
  args: [path.resolve('test/fixtures/servers/changing.mjs')],
};

function read(text: string): TestFile {
  const result = readTestFile(text, path.resolve('a.mcptest.yaml'), {});
  assert.ok('test' in result, JSON.stringify(result));
  return result.test;
}

/** The failures of a file by test: empty for a test that passed. */
async function failuresOf(
  test: TestFile,
  ports: HostPorts,
  more: Pick<RunOptions, 'window' | 'shownTools'>,
): Promise<Record<string, string>> {
  const result = await runTestFile(test, 'auto', {
    ports,
    folder: process.cwd(),
    checkSchema: () => [],
    signal: new AbortController().signal,
    ...more,
  });
  return Object.fromEntries(
    result.cases.map(({ name, failures }) => [name, failures.map(({ message }) => message).join(' ')]),
  );
}

/** A window with the server `changing`, which does not run. */
async function openWindow(definition: object = changing) {
  const { host, ports } = headlessHost({ servers: { changing: definition } });
  await host.open();
  const switches = new ToolSwitches(memoryState());
  const run = (text: string) =>
    failuresOf(read(text), ports, {
      window: { entries: host.servers.list().map(({ entry }) => entry), switches },
    });
  return { host, ports, switches, run };
}

const file = `server: changing
tests:
  - { name: removes, call: remove }
  - { name: expects an error, call: remove, expect: { error: {} } }
  - { name: looks up, call: lookup, arguments: { word: a } }
`;

test('[C34] a tool that the user disabled is not called, also if the test expects an error', async () => {
  const { host, switches, run } = await openWindow();
  await switches.setTool('changing', 'remove', false);
  const reason =
    'The tool "remove" of the server "changing" is off: you disabled it. Enable the tool in the Servers view first.';
  const failures = await run(file);
  assert.equal(failures['removes'], reason);
  assert.equal(failures['expects an error'], reason);
  assert.equal(failures['looks up'], '');
  await switches.setTool('changing', 'remove', true);
  assert.equal((await run(file))['removes'], '');
  await host.close();
});

test('[C34] the active preset excludes tools from tests; a server of the file itself is not affected', async () => {
  const { host, switches, run } = await openWindow();
  await switches.setPreset({ name: 'reading', servers: ['changing'], tools: { changing: ['lookup'] } });
  const failures = await run(file);
  assert.match(failures['removes'] ?? '', /the active preset does not include it\. .*Switch Preset/);
  assert.equal(failures['looks up'], '');
  const own = file.replace('server: changing', `server: ${JSON.stringify(changing)}`);
  assert.equal((await run(own))['removes'], '');
  await host.close();
});

test('[C34] a server that the user disabled does not start, and one that the user enabled does', async () => {
  const { host, run } = await openWindow();
  await host.lifecycle.setEnabled('changing', false);
  assert.deepEqual(
    new Set(Object.values(await run(file))),
    new Set(['The server "changing" is disabled. Enable the server first.']),
  );
  await host.close();
  const off = await openWindow({ ...changing, disabled: true });
  await off.host.lifecycle.setEnabled('changing', true);
  assert.equal((await off.run(file))['removes'], '');
  await off.host.close();
});

test('[C34] a tool in quarantine is not called, and a run does not change the stored approvals', async () => {
  const { host, ports, switches } = await openWindow();
  const stored = memoryState();
  const pins = new ScopedPins(new ToolPins(stored), new ToolPins(stored));
  const [view] = host.servers.list();
  assert.ok(view);
  await pins.of({ origin: 'user' }).pin(view.entry.hash, { name: 'lookup', inputSchema: { type: 'object' } });
  const before = stored.get(pinsKey);
  const rules = { user: [{ effect: 'allow', callers: ['script'] }], workspace: [] };
  const consent = new ToolConsent({
    rules: new RuleBook({ read: () => rules, write: () => Promise.resolve(), onDidChange: neverEvent }, memoryState()),
    pins: pins.copy(),
    audit: new AuditLog({ append: () => Promise.resolve(0), rotate: () => Promise.resolve() }, () => undefined),
    asker: { ask: () => Promise.resolve({ effect: 'deny' }) },
    trustedAnnotations: () => [],
  });
  const window = { entries: [view.entry], switches };
  const failures = await failuresOf(read(file), { ...ports, consent }, { window });
  assert.match(failures['looks up'] ?? '', /"lookup" differs from the tool that you approved\. .*review the change/);
  assert.equal(failures['removes'], '');
  assert.equal(stored.get(pinsKey), before);
  await host.close();
});

test('[C33] a tool that the question did not show is not called', async () => {
  const { host, ports } = await openWindow();
  const failures = await failuresOf(read(file), ports, { shownTools: new Set(['lookup']) });
  assert.match(failures['removes'] ?? '', /"remove" was not called, because the question .* did not show it\. Write/);
  assert.equal(failures['looks up'], '');
  await host.close();
});
