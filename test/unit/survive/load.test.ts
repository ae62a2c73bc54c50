import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import type { HeadlessHost, HeadlessOptions } from '../../support/headlessHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';
import { startRemoteEcho } from '../../support/remoteEcho.js';
import { contentText, isAlive } from './hostileTable.js';

/** Large numbers at once, with real processes and sockets. `npm run soak` and `npm run bench` measure the time. */
const program = path.resolve('test/fixtures/servers/load.mjs');
const local = { command: process.execPath, args: [program], protocol: 'legacy' };
const patient = { startTimeoutMs: 120_000, requestTimeoutMs: 120_000 };

const call = async (host: McpHost, server: string, tool: string, values: Record<string, unknown> = {}) =>
  contentText(await host.calls.runTool({ server, tool, arguments: values }, { caller: 'user' }));
const echo = (host: McpHost, server: string, text: string) => call(host, server, 'echo', { text });
const seenBy = async (host: McpHost, server: string) =>
  JSON.parse(await call(host, server, 'seen')) as { calls: number; cancelled: number; lists: number };
const pidOf = (host: McpHost, server: string) =>
  host.servers.get(server)?.endpoint?.pid ?? assert.fail(`"${server}" has no process`);

async function withHost(options: HeadlessOptions, run: (headless: HeadlessHost) => Promise<void>): Promise<void> {
  const headless = headlessHost({ ...options, settings: { ...patient, ...options.settings } });
  await headless.host.open();
  try {
    await run(headless);
  } finally {
    await headless.host.close();
  }
}

test('[Y3, P7] 200 servers start at once, each answers its own call, and none is left', async () => {
  const [http, ws] = [await startRemoteEcho('http'), await startRemoteEcho('ws')];
  const definitions = {
    local,
    http: { type: 'http', url: `http://127.0.0.1:${http.port}/mcp`, protocol: 'legacy' },
    ws: { type: 'ws', url: `ws://127.0.0.1:${ws.port}/mcp`, protocol: 'legacy' },
  };
  const names = Array.from(
    { length: 200 },
    (_, index) => `${index % 20 === 0 ? 'local' : index % 2 === 0 ? 'http' : 'ws'}-${index}`,
  );
  const servers = Object.fromEntries(
    names.map((name) => [name, definitions[name.split('-')[0] as keyof typeof definitions]]),
  );
  let pids: number[] = [];
  try {
    await withHost({ servers }, async ({ host }) => {
      await Promise.all(names.map((name) => host.lifecycle.start(name)));
      pids = names.filter((name) => name.startsWith('local')).map((name) => pidOf(host, name));
      assert.equal(new Set(pids).size, 10);
      assert.deepEqual(await Promise.all(names.map((name) => echo(host, name, name))), names);
    });
  } finally {
    await http.close();
    await ws.close();
  }
  assert.deepEqual(pids.filter(isAlive), []);
});

test('[Y4, P7] 50 restarts leave one process, and no timer, pipe or socket more than the first', async () => {
  await withHost({ servers: { local } }, async ({ host }) => {
    const pids = new Set<number>();
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    process.on('warning', onWarning);
    try {
      await host.lifecycle.start('local');
      pids.add(pidOf(host, 'local'));
      const before = resources();
      for (let restart = 1; restart <= 50; restart++) {
        await host.lifecycle.restart('local');
        pids.add(pidOf(host, 'local'));
      }
      assert.equal(pids.size, 51);
      assert.equal(await echo(host, 'local', 'still'), 'still');
      assert.deepEqual([...pids].filter(isAlive), [pidOf(host, 'local')]);
      // The pipes of the last ended process close in a later turn of the event loop.
      await until(() => Object.entries(resources()).every(([kind, count]) => count <= (before[kind] ?? 0))).catch(() =>
        assert.deepEqual(resources(), before),
      );
      assert.deepEqual(warnings, []);
    } finally {
      process.off('warning', onWarning);
    }
  });
});

test('[R13, Y3] 10,000 list_changed at once cause a few listings, and the other server answers in the meantime', async () => {
  await withHost({ servers: { local, neighbour: local } }, async ({ host }) => {
    await Promise.all(['local', 'neighbour'].map((name) => host.lifecycle.start(name)));
    const storm = call(host, 'local', 'storm', { times: 10_000 });
    assert.equal(await echo(host, 'neighbour', 'beside'), 'beside');
    assert.equal(await storm, 'sent');
    let { lists } = await seenBy(host, 'local');
    for (; lists < 2; { lists } = await seenBy(host, 'local')) await turn();
    assert.ok(lists <= 4, `${lists} listings`);
  });
});

describe('[F4] a result of 64 MiB', () => {
  const bytes = 64 * 2 ** 20;

  test('arrives complete if the limit allows it', async () => {
    await withHost(
      { servers: { local, neighbour: local }, settings: { maxMessageBytes: 2 * bytes } },
      async ({ host }) => {
        await Promise.all(['local', 'neighbour'].map((name) => host.lifecycle.start(name)));
        const large = call(host, 'local', 'large', { bytes });
        assert.equal(await echo(host, 'neighbour', 'beside'), 'beside');
        const text = await large;
        assert.equal(text.length, bytes);
        assert.ok(/^L+$/.test(text));
      },
    );
  });

  test('ends its server with the reason if it does not, and the other server keeps working', async () => {
    await withHost({ servers: { local, neighbour: local }, settings: { maxMessageBytes: bytes } }, async ({ host }) => {
      await Promise.all(['local', 'neighbour'].map((name) => host.lifecycle.start(name)));
      const pid = pidOf(host, 'local');
      await assert.rejects(call(host, 'local', 'large', { bytes }), { code: 'too-large' });
      assert.equal(await echo(host, 'neighbour', 'beside'), 'beside');
      await until(() => !isAlive(pid));
    });
  });
});

test('[R7] 5,000 calls that are canceled at once end, and each is canceled at the server by its own id', async () => {
  await withHost({ servers: { local } }, async ({ host }) => {
    await host.lifecycle.start('local');
    const reason = new Error('enough');
    const controllers = Array.from({ length: 5_000 }, () => new AbortController());
    const ends = controllers.map(({ signal }) =>
      host.calls.runTool({ server: 'local', tool: 'never', arguments: {} }, { caller: 'user', signal }).then(
        () => 'answered',
        (error: unknown) => error,
      ),
    );
    // The answer to a later call proves that all of them have arrived.
    while ((await seenBy(host, 'local')).calls < ends.length) await turn();
    for (const controller of controllers) controller.abort(reason);
    assert.deepEqual(new Set(await Promise.all(ends)), new Set([reason]));
    assert.equal((await seenBy(host, 'local')).cancelled, ends.length);
  });
});

test('[P4, P8] kill -9 during 100 calls ends each of them once, and no call is sent to the next process', async () => {
  await withHost({ servers: { local, neighbour: local }, settings: { restartOnCrash: true } }, async ({ host }) => {
    await Promise.all(['local', 'neighbour'].map((name) => host.lifecycle.start(name)));
    const pid = pidOf(host, 'local');
    const ends = Array.from({ length: 100 }, () =>
      host.calls.runTool({ server: 'local', tool: 'never', arguments: {} }, { caller: 'user' }).then(
        () => 'answered',
        ({ code }: { code?: string }) => code,
      ),
    );
    while ((await seenBy(host, 'local')).calls < ends.length) await turn();
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(new Set(await Promise.all(ends)), new Set(['exited']));
    assert.equal(await echo(host, 'neighbour', 'beside'), 'beside');
    await until(() => host.servers.get('local')?.state.kind === 'running');
    assert.notEqual(pidOf(host, 'local'), pid);
    assert.equal((await seenBy(host, 'local')).calls, 0);
  });
});

/** The resources of this process that Node waits for, by kind. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo().filter((one) => one !== 'Immediate'))
    counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
