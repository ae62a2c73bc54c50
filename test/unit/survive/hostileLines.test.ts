import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fastClock } from '../../support/fastClock.js';
import type { HeadlessHost } from '../../support/headlessHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { contentText, makeBench, readJournal, survive } from './hostileTable.js';
import { lineCases } from './lineCases.js';

/**
 * The same for servers on raw sockets: one host, one well-behaved server, and every known way in which the other can
 * misbehave.
 */
const program = path.resolve('test/fixtures/servers/hostile/lineSockets.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'deck-lines-'));
const journalFile = path.join(folder, 'journal.jsonl');
const good = 'line-ok';
const definitionOf = (mode: string, more: object = {}) => ({
  type: 'socket',
  url: `unix://${path.join(folder, `${mode}.sock`)}`,
  ...more,
});
after(() => rmSync(folder, { recursive: true }));

async function startServers(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, folder, journalFile], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

async function endServers(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
  for (const name of [good, 'line-mute', ...lineCases.map(({ mode }) => mode)])
    rmSync(path.join(folder, `${name}.sock`), { force: true });
}

describe('a hostile server behind a raw socket', { concurrency: 3 }, () => {
  let headless: HeadlessHost;
  let child: ChildProcess;

  before(async () => {
    child = await startServers();
    const definitions = lineCases.map(({ mode, definition }) => [mode, definitionOf(mode, definition)] as const);
    headless = headlessHost({
      servers: {
        [good]: definitionOf(good),
        'nobody-there': definitionOf('nobody-there'),
        ...Object.fromEntries(definitions),
      },
    });
    await headless.host.open();
    assert.deepEqual(
      headless.host.servers.problems().flatMap(({ problems }) => problems),
      [],
    );
    await headless.host.lifecycle.start(good);
  });
  after(async () => {
    await headless.host.close();
    await endServers(child);
  });

  for (const hostile of lineCases) {
    const journal = () => readJournal(journalFile).filter(({ mode }) => mode === hostile.mode);
    test(`${hostile.proves} ${hostile.mode}`, () => survive(hostile, makeBench(headless, hostile.mode, journal), good));
  }

  test('[U1] a missing socket is reported with what to do', async () => {
    const message = await makeBench(headless, 'nobody-there', () => []).start();
    assert.match(
      message,
      /^The server "nobody-there" cannot be reached\. There is no socket at unix:\/\/\S+\. Check whether the server is running\.$/,
    );
  });
});

describe('a raw socket whose server stops', { concurrency: false }, () => {
  test('[U2] is connected again when the server is back, and the lost call is not repeated', async () => {
    let child = await startServers();
    const headless = headlessHost({ servers: { [good]: definitionOf(good) }, settings: { restartOnCrash: true } });
    const bench = makeBench(headless, good, () => readJournal(journalFile).filter(({ mode }) => mode === good));
    await headless.host.open();
    try {
      assert.equal(await bench.start(), 'started');
      const before = bench.received()['tools/call'] ?? 0;
      child.kill('SIGKILL');
      await once(child, 'exit');
      await bench.until('the loss', () => headless.host.servers.get(good)?.state.kind !== 'running');
      // A killed server leaves its files; the next start removes them.
      for (const name of [good, 'line-mute', ...lineCases.map(({ mode }) => mode)])
        rmSync(path.join(folder, `${name}.sock`), { force: true });
      child = await startServers();
      await bench.until('the connection', () => headless.host.servers.get(good)?.state.kind === 'running');
      const answer = await headless.host.calls.runTool(
        { server: good, tool: 'echo', arguments: { text: 'back' } },
        { caller: 'user' },
      );
      assert.equal(contentText(answer), 'back');
      assert.equal(bench.received()['tools/call'], before + 1);
    } finally {
      await headless.host.close();
      await endServers(child);
    }
    assert.ok(!existsSync(path.join(folder, `${good}.sock`)));
  });

  test('[U2, Y1] is closed when its server stops answering', async () => {
    const child = await startServers();
    const headless = headlessHost({
      servers: { 'line-mute': definitionOf('line-mute', { protocol: 'legacy' }) },
      settings: { requestTimeoutMs: 60_000, startTimeoutMs: 400_000 },
      clock: fastClock(100),
    });
    const bench = makeBench(headless, 'line-mute', () => []);
    await headless.host.open();
    try {
      assert.equal(await bench.start(), 'started');
      assert.match(await bench.call(), /^The server "line-mute" did not respond to tools\/call within/);
      await bench.until('the end', () => headless.host.servers.get('line-mute')?.state.kind === 'failed');
      assert.ok(
        bench.log().some((text) => text.includes('no longer responds')),
        bench.log().join('\n'),
      );
    } finally {
      await headless.host.close();
      await endServers(child);
    }
  });
});
