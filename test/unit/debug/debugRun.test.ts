import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import type { DebugPlan } from '../../../src/core/debug/debuggedStart.js';
import type { DebugClient, DebugRun, DebugState, DebugTarget } from '../../../src/core/debug/debugRun.js';
import { continueWithoutDebugger } from '../../../src/core/debug/nodeInspector.js';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ManualClock } from '../../support/manualClock.js';
import { onlyPosix } from '../../support/platform.js';

const fixtures = path.resolve('test/fixtures/servers');
const caller = 'user' as const;
const byArguments: DebugPlan = { kind: 'node', way: 'arguments', stopAtStart: false };
const byOptions: DebugPlan = { kind: 'node', way: 'options', stopAtStart: false };

let opened: McpHost | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/**
 * A host whose debugger is the test: it lets every process continue that it attaches to, unless `attach` says
 * otherwise.
 */
async function debuggingHost(
  options: {
    args?: string[];
    definition?: object;
    clock?: ManualClock;
    attach?: (target: DebugTarget) => Promise<void>;
  } = {},
) {
  const targets: DebugTarget[] = [];
  const ended: (Error | undefined)[] = [];
  const runs = new Set<DebugRun>();
  const client: DebugClient = {
    attach: async (target, run) => {
      runs.add(run);
      targets.push(target);
      if (options.attach) await options.attach(target);
      else await goOn(target);
    },
    ended: (_run, error) => {
      ended.push(error);
      return Promise.resolve();
    },
  };
  const { host } = headlessHost({
    servers: {
      s: options.definition ?? {
        command: process.execPath,
        args: options.args ?? [path.join(fixtures, 'forking.mjs')],
      },
    },
    settings: { restartOnCrash: true },
    ports: { debugger: client },
    ...(options.clock ? { clock: options.clock } : {}),
  });
  opened = host;
  await host.open();
  const call = async (tool: string) => (await host.calls.runTool({ server: 's', tool }, { caller })).content[0];
  const state = () => host.servers.get('s')?.debug?.state;
  /** Resolves when the debugger is in this state. */
  const becomes = (wanted: DebugState) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (state() !== wanted) return;
        listening.dispose();
        resolve();
      };
      const listening = host.servers.onDidChange(look);
      look();
    });
  return { host, targets, ended, runs, call, state, becomes };
}

async function goOn(target: DebugTarget): Promise<void> {
  if (target.kind === 'node') await continueWithoutDebugger(target.address);
}

test('a server under the debugger waits for it, at a local port that it chose itself, and then runs', async () => {
  const { host, targets, becomes } = await debuggingHost();
  await host.lifecycle.restart('s', { debug: byArguments });
  assert.equal(host.servers.get('s')?.state.kind, 'running');
  await becomes('attached');
  assert.equal(targets.length, 1);
});

test('no timeout runs until the debugger is attached', async () => {
  const clock = new ManualClock();
  const isAttaching = new Deferred<void>();
  const attached = new Deferred<void>();
  const { host } = await debuggingHost({
    clock,
    attach: (target) => {
      isAttaching.resolve();
      return attached.promise.then(() => goOn(target));
    },
  });
  const started = host.lifecycle.restart('s', { debug: byArguments });
  await isAttaching.promise;
  await clock.advance(600_000);
  attached.resolve();
  await started;
  assert.equal(host.servers.get('s')?.state.kind, 'running');
});

test('[K1] a debugger that is never attached does not block the server forever', async () => {
  const clock = new ManualClock();
  const attaching = new Deferred<void>();
  const { host } = await debuggingHost({
    clock,
    attach: () => {
      attaching.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const started = host.lifecycle.restart('s', { debug: byArguments });
  await attaching.promise;
  await clock.advance(900_000);
  await started;
  assert.equal(host.servers.get('s')?.state.kind, 'running');
});

test('a launcher continues, and the server that it starts is debugged', async () => {
  const { host, targets, becomes } = await debuggingHost({
    args: [path.join(fixtures, 'launchers/tsx/dist/cli.mjs'), path.join(fixtures, 'forking.mjs')],
  });
  await host.lifecycle.restart('s', { debug: byOptions });
  await becomes('attached');
  assert.equal(targets.length, 1);
});

test('a child process of the server is debugged too, and does not wait once the debugger has detached', async () => {
  const { host, targets, runs, call, state, becomes } = await debuggingHost();
  await host.lifecycle.restart('s', { debug: byArguments });
  assert.deepEqual(await call('fork'), { type: 'text', text: 'from below' });
  assert.equal(targets.length, 2);
  await becomes('attached');
  for (const run of runs) {
    run.sessionEnded();
    run.sessionEnded();
  }
  assert.equal(state(), 'left');
  assert.deepEqual(await call('fork'), { type: 'text', text: 'from below' });
  assert.equal(targets.length, 2);
});

test('a debugger that cannot be attached lets the server continue without it', async () => {
  const { host, becomes } = await debuggingHost({ attach: () => Promise.reject(new Error('no debugger here')) });
  await host.lifecycle.restart('s', { debug: byArguments });
  assert.equal(host.servers.get('s')?.state.kind, 'running');
  await becomes('left');
});

test('a crash under the debugger is reported to it, and the server stays down', async () => {
  const { host, ended, call } = await debuggingHost();
  await host.lifecycle.restart('s', { debug: byArguments });
  await assert.rejects(call('exit'));
  const { state } = host.servers.get('s') ?? {};
  assert.ok(state?.kind === 'failed' && state.retryAt === undefined);
  assert.deepEqual(ended, [state.error]);
});

test('a stop ends the debugger; a restart keeps it, unless it was no longer attached', async () => {
  const { host, ended, targets, runs, state, becomes } = await debuggingHost();
  await host.lifecycle.restart('s', { debug: byArguments });
  await becomes('attached');
  await host.lifecycle.restart('s');
  await becomes('attached');
  assert.equal(targets.length, 2);
  for (const run of runs) run.sessionEnded();
  await host.lifecycle.restart('s');
  assert.equal(state(), undefined);
  await host.lifecycle.stop('s');
  assert.deepEqual(ended, [undefined, undefined]);
});

/** Replaces debugpy: prints how it was started, and acts as the server. */
function makeDebugpy(): { file: string; started: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'deck-debugpy-'));
  const [file, started] = [path.join(folder, 'debugpy'), path.join(folder, 'started')];
  writeFileSync(
    file,
    `#!/bin/sh\nprintf '%s ' "$@" > '${started}'\nexec '${process.execPath}' '${path.join(fixtures, 'odd.mjs')}' ok\n`,
    { mode: 0o755 },
  );
  return { file, started, remove: () => rmSync(folder, { recursive: true }) };
}

const underDebugpy = (program: string): DebugPlan => ({
  kind: 'debugpy',
  stopAtStart: false,
  port: 5_679,
  debugpy: { program },
});
const inPython = (debugpyPath: string) => ({
  command: 'python3',
  args: ['server.py'],
  dev: { debug: { type: 'debugpy', debugpyPath } },
});

test(
  '[N2] variables in "debugpyPath" have their values when the server starts under the debugger',
  onlyPosix('a shell script replaces debugpy'),
  async () => {
    const debugpy = makeDebugpy();
    try {
      const written = `\${/}${debugpy.file.slice(1)}`;
      const { host } = await debuggingHost({ definition: inPython(written) });
      await host.lifecycle.restart('s', { debug: underDebugpy(written) });
      assert.equal(host.servers.get('s')?.state.kind, 'running');
      assert.equal(readFileSync(debugpy.started, 'utf8'), '--listen 127.0.0.1:5679 --wait-for-client server.py ');
    } finally {
      debugpy.remove();
    }
  },
);

test('[N2] a variable in "debugpyPath" without a value is an error that names it', async () => {
  const { host } = await debuggingHost({ definition: inPython('${surprise}/debugpy') });
  await assert.rejects(host.lifecycle.restart('s', { debug: underDebugpy('${surprise}/debugpy') }), /surprise/);
});

test('[C25] a debugger that the definition does not name, or no longer names, is not run', async () => {
  const { host } = await debuggingHost({ definition: inPython('/opt/debugpy') });
  await assert.rejects(host.lifecycle.restart('s', { debug: underDebugpy('/tmp/other') }), {
    code: 'bad-configuration',
    message: /"debugpyPath" of "s" has changed/,
  });
});
