import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { CallerLife } from '../../../src/core/base/callerLife.js';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ManualClock } from '../../support/manualClock.js';
import { isProcessAlive } from '../../support/interopProcess.js';
import { onlyPosix } from '../../support/platform.js';

async function open(clock?: ManualClock): Promise<McpHost> {
  const args = [path.resolve('test/fixtures/servers/counting.mjs')];
  const { host } = headlessHost({
    settings: { stopGraceMs: 200 },
    ...(clock ? { clock } : {}),
    servers: { own: { command: process.execPath, args, sharing: 'perCaller' } },
  });
  await host.open();
  await host.lifecycle.start('own');
  return host;
}

function call(host: McpHost, tool: string, life: CallerLife) {
  return host.calls.runTool(
    { server: 'own', tool, arguments: {} },
    { caller: 'user', origin: { caller: {}, life, handlers: {} } },
  );
}

async function pidOf(host: McpHost, life: CallerLife): Promise<number> {
  const { content } = await call(host, 'stay', life);
  const [block] = content;
  assert.ok(block?.type === 'text');
  return Number(block.text);
}

for (const how of ['stop', 'close', 'the end of the client, and then close'] as const) {
  test(
    `[P6] ${how} waits for the processes of callers`,
    onlyPosix('Windows ends processes without SIGTERM'),
    async (t) => {
      const host = await open();
      t.after(() => host.close());
      const life = new CallerLife();
      const pid = await pidOf(host, life);
      assert.ok(isProcessAlive(pid));
      if (how.startsWith('the end')) life.dispose();
      if (how === 'stop') await host.lifecycle.stop('own');
      else await host.close();
      assert.equal(isProcessAlive(pid), false);
    },
  );
}

test('[GW8] a client that has ended gets no process', async (t) => {
  const host = await open();
  t.after(() => host.close());
  const life = new CallerLife();
  life.dispose();
  await assert.rejects(call(host, 'count', life), /has ended its session/);
});

test('[GW8] a subscription keeps the process of its client, and survives a crash of the process', async (t) => {
  const clock = new ManualClock();
  const host = await open(clock);
  t.after(() => host.close());
  const life = new CallerLife();
  let updates = 0;
  const subscription = await host.calls.subscribe({ server: 'own', uri: 'counting://live' }, () => updates++, { life });
  const textOf = async (tool: string) => JSON.stringify((await call(host, tool, life)).content);
  assert.match(await textOf('touch'), /"1"/);
  await clock.advance(3_600_000);
  // The process counts its changes, so it is the same one.
  assert.match(await textOf('touch'), /"2"/);
  assert.equal(updates, 2);
  await assert.rejects(call(host, 'die', life));
  assert.match(await textOf('touch'), /"1"/);
  assert.equal(updates, 3);
  subscription.dispose();
  await clock.advance(3_600_000);
  assert.match(await textOf('touch'), /"1"/);
  assert.equal(updates, 3);
});

test('[GW11] a tool that differs from the approved one does not run in the process of a client', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-callers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'description');
  writeFileSync(file, 'Unlocks a door.');
  const { host } = headlessHost({
    servers: {
      own: {
        command: process.execPath,
        args: [path.resolve('test/fixtures/servers/locks.mjs')],
        env: { DESCRIPTION_FILE: file },
        sharing: 'perCaller',
      },
    },
  });
  t.after(() => host.close());
  await host.open();
  await host.lifecycle.start('own');
  assert.deepEqual((await call(host, 'unlock', new CallerLife())).content, []);
  writeFileSync(file, 'Unlocks all doors.');
  await assert.rejects(call(host, 'unlock', new CallerLife()), { code: 'tool-changed' });
});
