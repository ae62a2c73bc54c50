import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fastClock } from '../../support/fastClock.js';
import type { HeadlessHost } from '../../support/headlessHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { isAlive, makeBench, readJournal, survive } from './hostileTable.js';
import { framingCases, modernCases, processCases, protocolCases, requestCases, toolCases } from './stdioCases.js';

/**
 * One host, one well-behaved server, and every known way in which another local server can misbehave. Each case asserts
 * the message for the caller, the tree, the messages that the server received, and that no process is left and no
 * damage done.
 */
const program = path.resolve('test/fixtures/servers/hostile/stdio.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'deck-hostile-'));
const journalOf = (mode: string) => path.join(folder, `${mode}.jsonl`);
const good = 'good';
after(() => rmSync(folder, { recursive: true }));
const cases = [...framingCases, ...protocolCases, ...requestCases, ...toolCases, ...processCases, ...modernCases];

describe('a hostile stdio server', { concurrency: 3 }, () => {
  let headless: HeadlessHost;
  let hits = 0;
  const trap = createServer((_request, response) => {
    hits++;
    response.end('{}');
  });

  before(async () => {
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const env = {
      API_TOKEN: 's3cret-value-42',
      TRAP_URL: `http://127.0.0.1:${(trap.address() as AddressInfo).port}/trap`,
    };
    const definition = (mode: string, more?: object) => ({
      command: process.execPath,
      args: [program, mode, journalOf(mode)],
      env,
      ...more,
    });
    headless = headlessHost({
      servers: {
        [good]: definition('ok'),
        ...Object.fromEntries(cases.map(({ mode, definition: more }) => [mode, definition(mode, more)])),
      },
    });
    await headless.host.open();
    await headless.host.lifecycle.start(good);
  });
  after(async () => {
    await headless.host.close();
    trap.close();
    assert.equal(hits, 0, 'the host requested an address that a server named');
  });

  for (const hostile of cases) {
    test(`${hostile.proves} ${hostile.mode}`, () =>
      survive(
        hostile,
        makeBench(headless, hostile.mode, () => readJournal(journalOf(hostile.mode))),
        good,
      ));
  }
});

describe('a server that crashes repeatedly', () => {
  test('[P8, Y2] is started five times in all, then waits for the user', async () => {
    const mode = 'crash-loop';
    const servers = {
      [mode]: { command: process.execPath, args: [program, mode, journalOf(mode)], protocol: 'legacy' },
    };
    // The test only waits out the pauses of minutes between restarts.
    const headless = headlessHost({
      servers,
      settings: { restartOnCrash: true, startTimeoutMs: 400_000, requestTimeoutMs: 400_000 },
      clock: fastClock(20),
    });
    const bench = makeBench(headless, mode, () => readJournal(journalOf(mode)));
    const { host } = headless;
    await host.open();
    try {
      assert.equal(await bench.start(), 'started');
      await bench.until('the last crash', () => bench.log().some((line) => line.includes('does not start it again')));
      const view = host.servers.get(mode);
      assert.ok(view?.state.kind === 'failed' && view.state.retryAt === undefined);
      // The exit code is not asserted: the fast clock also shortens the wait for the exit after the output has closed.
      assert.match(
        bench
          .log()
          .filter((line) => line.startsWith('error'))
          .at(-1) ?? '',
        /^error The server "crash-loop" .+\. The server ended 5 times within 3 minutes, so MCP Deck does not start it again\. Check the log of the server, and then start it manually\.$/,
      );
      assert.equal(bench.received()['initialize'], 5);
      assert.equal(await bench.start(), 'started', 'a manual start works again');
    } finally {
      await host.close();
    }
    assert.deepEqual(
      bench
        .journal()
        .flatMap(({ event, pid }) => (event === 'start' && pid !== undefined && isAlive(pid) ? [pid] : [])),
      [],
    );
  });
});
