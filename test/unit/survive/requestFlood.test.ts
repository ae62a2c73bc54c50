import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { fastClock } from '../../support/fastClock.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';

const program = path.resolve('test/fixtures/servers/hostile/requestFlood.mjs');
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Starts a process of the flooding server; returns its origin. */
async function flooding(requests: number, reaction: 'accepts' | 'ignores'): Promise<string> {
  const child = spawn(process.execPath, [program, String(requests), reaction], { stdio: ['pipe', 'pipe', 'inherit'] });
  open.push(() => (child.stdin.end(), once(child, 'exit')));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${(JSON.parse(String(line)) as { port: number }).port}`;
}

async function countsOf(origin: string): Promise<{ sent: number; answered: number }> {
  return (await (await fetch(`${origin}/count`)).json()) as { sent: number; answered: number };
}

/** A host with the flooding server and a quiet one. */
async function hostBeside(origin: string, type: 'http' | 'sse', clock = fastClock(1)) {
  const headless = headlessHost({
    servers: {
      flood: { type, url: `${origin}/${type === 'sse' ? 'sse' : 'mcp'}`, protocol: 'legacy' },
      good: { type: 'http', url: `${await flooding(0, 'accepts')}/mcp`, protocol: 'legacy' },
    },
    clock,
  });
  open.push(() => headless.host.close());
  await headless.host.open();
  return headless;
}

for (const type of ['sse', 'http'] as const) {
  describe(`a server that floods requests over ${type}`, () => {
    test('[floods.requests] is not read while it accepts no responses, and its connection ends', async () => {
      const requests = 600_000;
      const origin = await flooding(requests, 'ignores');
      const { host } = await hostBeside(origin, type, fastClock(5));
      const before = process.memoryUsage().rss;
      let peak = before;
      const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
      await host.lifecycle.start('flood');
      await host.lifecycle.start('good');
      await until(() => host.servers.get('flood')?.state.kind === 'failed');
      clearInterval(timer);
      const state = host.servers.get('flood')?.state;
      assert.ok(state?.kind === 'failed');
      assert.equal((state.error as { code?: unknown }).code, 'send-failed');
      assert.match(
        state.error.message,
        /does not accept the responses: \d+ responses are waiting, and none was accepted for 10 s/,
      );
      const { sent } = await countsOf(origin);
      assert.ok(sent < requests / 2, `${sent} of ${requests} requests were read`);
      assert.ok(peak - before < 150e6, `The memory grew by ${Math.round((peak - before) / 1e6)} MB.`);
      assert.equal(host.servers.get('good')?.state.kind, 'running');
    });

    test('[floods.requests] gets every response if it accepts them', async () => {
      const requests = 3_000;
      const origin = await flooding(requests, 'accepts');
      const { host } = await hostBeside(origin, type);
      await host.lifecycle.start('flood');
      let answered = 0;
      while (answered < requests) ({ answered } = await countsOf(origin));
      assert.equal(host.servers.get('flood')?.state.kind, 'running');
    });
  });
}
