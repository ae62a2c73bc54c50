/** Calls while a server is down, over every transport: the result for the callers, and the reconnection afterwards. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { meansSilence } from '../../../src/core/connection/livenessWatch.js';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock } from '../../support/manualClock.js';
import type { RemoteKind } from '../../support/remoteEcho.js';
import { startRemoteEcho } from '../../support/remoteEcho.js';

const odd = path.resolve('test/fixtures/servers/odd.mjs');
/** Longer than the first pause of the schedule, and shorter than the start timeout. */
const firstPauseMs = 5_000;

const call = (host: McpHost) =>
  host.calls.runTool({ server: 'a', tool: 'echo', arguments: { text: 'hello' } }, { caller: 'user' });

function isRetryPlanned(host: McpHost): boolean {
  const state = host.servers.get('a')?.state;
  return state?.kind === 'failed' && state.retryAt !== undefined;
}

async function opened(definition: object): Promise<{ host: McpHost; clock: ManualClock }> {
  const clock = new ManualClock();
  const { host } = headlessHost({
    servers: { a: { protocol: 'legacy', ...definition } },
    settings: { restartOnCrash: true },
    clock,
  });
  await host.open();
  await host.lifecycle.start('a');
  return { host, clock };
}

async function remote(kind: RemoteKind) {
  const first = await startRemoteEcho(kind);
  const { port } = first;
  const path = { http: 'mcp', sse: 'sse', ws: 'mcp' }[kind];
  const made = await opened({ type: kind, url: `${kind === 'ws' ? 'ws' : 'http'}://127.0.0.1:${port}/${path}` });
  return { ...made, first, again: () => startRemoteEcho(kind, { port }) };
}

for (const kind of ['ws', 'sse'] as const) {
  describe(`[Y1] a call while a server over ${kind} is down`, () => {
    test('fails, and the client reconnects once the server is back', async () => {
      const { host, clock, first, again } = await remote(kind);
      try {
        await first.close();
        await until(() => isRetryPlanned(host));
        await assert.rejects(call(host), { code: 'connection-refused' });
        await assert.rejects(call(host), { code: 'connection-refused' });
        assert.equal(isRetryPlanned(host), true);
        const second = await again();
        try {
          await clock.advance(firstPauseMs);
          await until(() => host.servers.get('a')?.state.kind === 'running');
          await call(host);
          assert.deepEqual(second.calls, ['hello']);
        } finally {
          await second.close();
        }
      } finally {
        await host.close();
      }
    });

    test('reconnects at once when the server is back before the pause ends', async () => {
      const { host, first, again } = await remote(kind);
      await first.close();
      await until(() => isRetryPlanned(host));
      const second = await again();
      try {
        await Promise.all([call(host), call(host)]);
        assert.deepEqual([second.handshakes(), second.calls], [1, ['hello', 'hello']]);
      } finally {
        await host.close();
        await second.close();
      }
    });
  });
}

test('[Y1] a call while a server over http is down fails, and the next one after its return is answered', async () => {
  const { host, first, again } = await remote('http');
  await first.close();
  // Whether the reused connection or a new one fails depends on which error the client receives first.
  await assert.rejects(call(host), (error: unknown) => meansSilence(error));
  const second = await again();
  try {
    await call(host);
    assert.deepEqual(second.calls, ['hello']);
  } finally {
    await host.close();
    await second.close();
  }
});

describe('[Y1] a call after a process was killed', () => {
  /** A process that exits at once while the file exists. */
  const whileLocked = (lock: string) => ({
    command: process.execPath,
    args: ['-e', 'require("node:fs").existsSync(process.env.LOCK) ? process.exit(3) : import(process.env.SERVER)'],
    env: { LOCK: lock, SERVER: odd },
  });

  function kill(host: McpHost): void {
    const pid = host.servers.get('a')?.endpoint?.pid;
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
  }

  test('starts it at once', async () => {
    const { host } = await opened({ command: process.execPath, args: [odd] });
    try {
      kill(host);
      await until(() => isRetryPlanned(host));
      await call(host);
      assert.equal(host.servers.get('a')?.state.kind, 'running');
    } finally {
      await host.close();
    }
  });

  test('that is too early fails, and the scheduled restart still runs', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-lock-'));
    const lock = path.join(folder, 'lock');
    const { host, clock } = await opened(whileLocked(lock));
    try {
      writeFileSync(lock, '');
      kill(host);
      await until(() => isRetryPlanned(host));
      await assert.rejects(call(host), { code: 'exited' });
      assert.equal(isRetryPlanned(host), true);
      rmSync(lock);
      await clock.advance(firstPauseMs);
      await until(() => host.servers.get('a')?.state.kind === 'running');
      await call(host);
    } finally {
      await host.close();
      rmSync(folder, { recursive: true });
    }
  });

  test('and a restart by the user that is too early fails, and the scheduled restart still runs', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-lock-'));
    const lock = path.join(folder, 'lock');
    const { host, clock } = await opened(whileLocked(lock));
    try {
      writeFileSync(lock, '');
      kill(host);
      await until(() => isRetryPlanned(host));
      await assert.rejects(host.lifecycle.restart('a'), { code: 'exited' });
      assert.equal(isRetryPlanned(host), true);
      rmSync(lock);
      await clock.advance(firstPauseMs);
      await until(() => host.servers.get('a')?.state.kind === 'running');
      await call(host);
    } finally {
      await host.close();
      rmSync(folder, { recursive: true });
    }
  });
});
