import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, report, suite, test } from '../runner.js';
import { command, defineServers, drawn, failureOf, findServer, oddServer, stateOf, textOf } from '../support/host.js';
import { serverProcesses } from '../support/processes.js';

/** The final tree line of each kind of hostile server; undefined: it keeps running and only misbehaves. */
const hostile: Record<string, { count: number; config: object; line?: RegExp }> = {
  exits: {
    count: 4,
    config: oddServer('exit-on-start'),
    line: /^\(error\) \S+ {2}cannot find the configuration \(exited with code 3\)\n/,
  },
  leaves: { count: 3, config: oddServer('exit-zero'), line: /^\(error\) \S+ {2}exited with code 0\n/ },
  silent: {
    count: 4,
    config: oddServer('never-initialize', { startTimeoutMs: 4_000 }),
    line: /^\(error\) \S+ {2}no response within [.\d]+ s\n/,
  },
  missing: {
    count: 2,
    config: { command: 'no-such-program-of-mcp-deck' },
    line: /^\(error\) \S+ {2}command not found: no-such-program-of-mcp-deck\n/,
  },
  stubborn: { count: 3, config: oddServer('ignore-sigterm') },
  hangs: { count: 2, config: oddServer('hang-on-stdin-end') },
  floods: { count: 3, config: oddServer('stderr-flood') },
  garbage: { count: 2, config: oddServer('garbage') },
  dribbles: { count: 1, config: oddServer('split-utf8') },
  batches: { count: 1, config: oddServer('batch') },
};

suite('recovery: 50 servers at once, half of them hostile', () => {
  const good = Array.from({ length: 25 }, (_, index) => `good-${index}`);
  const bad = Object.entries(hostile).flatMap(([kind, { count, config, line }]) =>
    Array.from({ length: count }, (_, index) => ({ id: `${kind}-${index}`, config, line })),
  );
  let undo: () => Promise<void>;

  beforeAll(async () => {
    assert.equal(good.length + bad.length, 50);
    undo = await defineServers({
      ...Object.fromEntries(good.map((id) => [id, oddServer('ok')])),
      ...Object.fromEntries(bad.map(({ id, config }) => [id, config])),
    });
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const started = performance.now();
    await Promise.all(
      [...good, ...bad.map(({ id }) => id)].map((server) =>
        command('mcpDeck.startServer', { server }).then(undefined, () => undefined),
      ),
    );
    delay.disable();
    const ms = (nanoseconds: number) => (nanoseconds / 1e6 - 10).toFixed(1);
    report(
      `50 servers started in ${((performance.now() - started) / 1_000).toFixed(1)} s; event loop delay p50 ${ms(delay.percentile(50))} ms, p99 ${ms(delay.percentile(99))} ms, longest ${ms(delay.max)} ms`,
    );
  });
  afterAll(async () => {
    await command('mcpDeck.stopAllServers');
    await undo();
  });

  test('[Y3] every well-behaved server runs and answers', async () => {
    const answers = await Promise.all(
      good.map(async (server) =>
        textOf(await command('mcpDeck.runTool', { server, tool: 'echo', arguments: { text: server } })),
      ),
    );
    assert.deepEqual(answers, good);
  });

  test('[Y2] every hostile server shows its fault, and keeps running if it can', async () => {
    const wrong: string[] = [];
    for (const { id, line } of bad) {
      const text = await drawn(id);
      if (line ? !line.test(text) : (await stateOf(id)) !== 'running') wrong.push(text);
    }
    assert.deepEqual(wrong, []);
  });

  test('a hostile server fails the same way again, and no other server is affected', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: 'exits-0' }));
    assert.match(error.message, /code 3.*cannot find the configuration/);
    assert.equal((await findServer('good-0'))?.state, 'running');
  });

  test('[P6] stopping all leaves no process', async () => {
    await command('mcpDeck.stopAllServers');
    assert.deepEqual(await serverProcesses(), []);
  });
});
