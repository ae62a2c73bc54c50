import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { failureReason } from '../../../src/core/present/failure/failureText.js';
import type { HeadlessHost } from '../../support/headlessHost.js';
import { fastClock } from '../../support/fastClock.js';
import { headlessHost } from '../../support/headlessHost.js';
import { contentText, makeBench, readJournal, survive } from './hostileTable.js';
import { eventCases, httpCases, socketCases } from './netCases.js';

/**
 * The same for servers in the network: one host, one well-behaved server, and every known way in which another server
 * can misbehave over Streamable HTTP, HTTP+SSE and WebSocket. No server leads the host to the trap, a second origin,
 * and none gets the configured header into a log.
 */
const program = path.resolve('test/fixtures/servers/hostile/net.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'deck-hostile-'));
const journalFile = path.join(folder, 'journal.jsonl');
const good = 'good';
after(() => rmSync(folder, { recursive: true }));
const secret = 's3cret-header-42';

describe('a hostile server in the network', { concurrency: 3 }, () => {
  let headless: HeadlessHost;
  let child: ChildProcess;
  /** Sends a greeting as a mail server does. */
  const noHttp = {
    server: createServer((socket) => void socket.on('error', () => undefined).end('220 mail ready\r\n')),
    port: 0,
  };

  before(async () => {
    child = spawn(process.execPath, [program, journalFile], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
    const { base } = JSON.parse(String(line)) as { base: string };
    const more = { headers: { 'X-Api-Key': secret } };
    const definitions = [
      ...httpCases.map(({ mode, definition }) => [
        mode,
        { type: 'http', url: `${base}/${mode}/mcp`, ...more, ...definition },
      ]),
      // Without a type, so that the older transport is found by the fallback.
      ...eventCases.map(({ mode, definition }) => [
        mode,
        { url: `${base}/${mode}/${/^(endpoint|older)/.test(mode) ? 'sse' : 'mcp'}`, ...more, ...definition },
      ]),
      ...socketCases.map(({ mode }) => [
        mode,
        { type: 'ws', url: `${base.replace('http', 'ws')}/${mode}/mcp`, ...more },
      ]),
    ];
    noHttp.port = await new Promise((resolve) =>
      noHttp.server.listen(0, '127.0.0.1', () => resolve((noHttp.server.address() as AddressInfo).port)),
    );
    headless = headlessHost({
      servers: {
        ...Object.fromEntries(unreachable.map(({ name, definition }) => [name, definition(base)])),
        [good]: { type: 'http', url: `${base}/http-ok/mcp` },
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
    noHttp.server.close();
    child.stdin?.end();
    await once(child, 'exit');
    const trapped = readJournal(journalFile).filter(({ event }) => event === 'trap');
    const leaks = [...headless.logs.values()].flat().filter((line) => line.includes(secret));
    assert.deepEqual([trapped, leaks], [[], []]);
  });

  /** Connects a well-behaved definition to an address without an MCP server. */
  const unreachable: {
    name: string;
    proves: string;
    definition: (base: string) => object;
    says: RegExp;
    short: string;
  }[] = [
    {
      name: 'nobody-listens',
      proves: '[Y2]',
      definition: () => ({ type: 'http', url: 'http://127.0.0.1:1/mcp' }),
      says: /^The server "nobody-listens" cannot be reached\. No program listens at http:\/\/127\.0\.0\.1:1\/mcp\. Check whether the server is running and the port is correct\.$/,
      short: 'connection refused',
    },
    {
      name: 'plain-behind-tls',
      proves: '[H10]',
      definition: (base) => ({ type: 'http', url: `${base.replace('http:', 'https:')}/http-ok/mcp` }),
      says: /^The server "plain-behind-tls" cannot be reached\. The secure connection to https:\/\/\S+ failed: .*\(\w+\)\. The server might use plain HTTP on this port\.$/,
      short: 'cannot be reached',
    },
    {
      name: 'not-http',
      proves: '[H5]',
      definition: () => ({ type: 'http', url: `http://127.0.0.1:${noHttp.port}/mcp` }),
      says: /^The server "not-http": http:\/\/\S+ did not respond with valid HTTP \(HPE_\w+\)\. Check whether another program listens on this port\.$/,
      short: '',
    },
  ];
  for (const { name, proves, says, short } of unreachable) {
    test(`${proves} ${name}`, async () => {
      const bench = makeBench(headless, name, () => []);
      const message = await bench.start();
      assert.match(message, says);
      const view = headless.host.servers.get(name);
      assert.ok(view?.state.kind === 'failed');
      if (short !== '') assert.equal(failureReason(view.state.error), short);
      assert.ok(
        bench.log().some((line) => line.includes(message)),
        bench.log().join('\n'),
      );
      assert.equal(
        contentText(
          await headless.host.calls.runTool(
            { server: good, tool: 'echo', arguments: { text: 'beside' } },
            { caller: 'user' },
          ),
        ),
        'beside',
      );
    });
  }

  for (const hostile of [...httpCases, ...eventCases, ...socketCases]) {
    const isTheGood = (headers: unknown) =>
      (headers as Record<string, string> | undefined)?.['x-api-key'] === undefined;
    const journal = () =>
      readJournal(journalFile).filter(
        ({ mode, headers }) => mode === hostile.mode && (hostile.mode !== 'http-ok' || !isTheGood(headers)),
      );
    test(`${hostile.proves} ${hostile.mode}`, () => survive(hostile, makeBench(headless, hostile.mode, journal), good));
  }
});

describe('a WebSocket that has become silent', () => {
  test('[W4, Y1] is detected by its heartbeat, and its calls end', async () => {
    const child = spawn(process.execPath, [program, journalFile], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { base } = JSON.parse(String(line)) as { base: string };
    const headless = headlessHost({
      servers: { 'ws-mute': { type: 'ws', url: `${base.replace('http', 'ws')}/ws-mute/mcp`, protocol: 'legacy' } },
      settings: { requestTimeoutMs: 3_600_000, startTimeoutMs: 400_000 },
      clock: fastClock(100),
    });
    const bench = makeBench(headless, 'ws-mute', () => readJournal(journalFile));
    await headless.host.open();
    try {
      assert.equal(await bench.start(), 'started');
      assert.equal(
        await bench.call(),
        'The server "ws-mute" did not respond for 10 s. Restart the server. Its log might show why it ended.',
      );
      assert.equal(headless.host.servers.get('ws-mute')?.state.kind, 'failed');
    } finally {
      await headless.host.close();
      child.stdin.end();
      await once(child, 'exit');
    }
  });
});
