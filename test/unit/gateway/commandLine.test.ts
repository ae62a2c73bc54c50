import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Deferred } from '../../../src/core/base/deferred.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import type { Transport } from '../../../src/core/transport/transport.js';
import { until as untilHolds } from '../../support/httpUntil.js';
import { StdioTransport } from '../../../src/core/transport/stdio/stdioTransport.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');
const program = path.resolve('dist/gateway.mjs');
/** How long a busy machine may need to list a server, in milliseconds. */
const patienceMs = 60_000;
const local = (name: string) => ({ command: process.execPath, args: [counting, name] });

/** The program stores names here, and not in the folder of the user. */
const stateFolder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-gateway-state-'));
process.env['XDG_STATE_HOME'] = stateFolder;
after(() => rmSync(stateFolder, { recursive: true, force: true }));

/** A configuration file that is removed after the test. */
function configuration(t: TestContext, content: unknown): { file: string; write: (content: unknown) => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-gateway-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'mcp.json');
  const write = (value: unknown) => writeFileSync(file, JSON.stringify(value));
  write(content);
  return { file, write };
}

/** Starts the program; resolves with what it prints when it is ready, and with its log so far. */
async function start(
  t: TestContext,
  file: string,
  env: Record<string, string> = {},
): Promise<{ url: string; token: string; log: () => string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [program, '--config', file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const hasEnded = once(child, 'exit');
  let log = '';
  child.stderr.on('data', (chunk) => (log += String(chunk)));
  const stop = async () => {
    child.kill();
    await hasEnded;
  };
  t.after(stop);
  const ready = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const [line] = await Promise.race([ready, hasEnded.then(() => assert.fail(`The program ended: ${log}`))]);
  return { ...(JSON.parse(line) as { url: string; token: string }), log: () => log, stop };
}

/** A client that can wait for changes of the tools: on a busy machine, a server is listed after the first list. */
interface Client {
  session: McpSession;
  names: () => Promise<string[]>;
  /** Resolves when the list of tools fits. */
  until: (fits: (names: readonly string[]) => boolean) => Promise<void>;
}

async function connect(t: TestContext, openTransport: () => Transport): Promise<Client> {
  let isChanged = new Deferred<void>();
  const session = await McpSession.open(openTransport, {
    client: { name: 'test', version: '1' },
    protocol: 'legacy',
    handlers: {},
    listener: { onListChanged: (kind) => kind === 'tools' && isChanged.resolve() },
  });
  t.after(() => session.close());
  const names = async () => (await session.listTools()).items.map(({ name }) => name);
  return {
    session,
    names,
    until: async (fits) => {
      const giveUpAt = Date.now() + patienceMs;
      for (let listed = await names(); !fits(listed); listed = await names()) {
        assert.ok(Date.now() < giveUpAt, `The tools are still: ${listed.join(', ')}`);
        // A change can come before the stream for notifications is open, so the list is also asked again.
        await Promise.race([isChanged.promise, setTimeout(200)]);
        isChanged = new Deferred<void>();
      }
    },
  };
}

test('--help shows the options, and starts nothing', () => {
  assert.match(
    execFileSync(process.execPath, [program, '--help']).toString(),
    /^Usage: mcp-deck gateway[^]*--config FILE/,
  );
});

test(
  'the program prints its URL and token, and a wrong token is refused without details',
  { timeout: 2 * patienceMs },
  async (t) => {
    const { file } = configuration(t, { servers: { one: local('one') } });
    const { url, token } = await start(t, file);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.ok(token.length >= 32);
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}x`, `Basic ${token}`]) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: '{}',
      });
      assert.equal(response.status, 401);
      assert.ok(!(await response.text()).includes(token));
    }
  },
);

test(
  'a deny rule and disabled tools of the file apply, and all other calls need no question',
  { timeout: 2 * patienceMs },
  async (t) => {
    const { file } = configuration(t, {
      servers: { one: { ...local('one'), disabledTools: ['touch'] } },
      rules: [
        { effect: 'deny', tool: 'die' },
        { effect: 'ask', tool: 'count' },
      ],
    });
    const { url, token } = await start(t, file);
    const headers = { authorization: `Bearer ${token}` };
    const { session, names, until } = await connect(t, () => openRemote({ type: 'http', url, headers }));
    await until((listed) => listed.includes('die'));
    assert.ok(!(await names()).includes('touch'));
    const denied = await session.callTool('die', {}).catch((error: unknown) => error);
    assert.match(denied instanceof Error ? denied.message : JSON.stringify(denied), /rule denies/);
    assert.match(JSON.stringify(await session.callTool('count', {})), /"1"/);
  },
);

test('a change of the file reaches clients without a restart', { timeout: 2 * patienceMs }, async (t) => {
  const { file, write } = configuration(t, { servers: { one: local('one') } });
  const { url, token } = await start(t, file);
  const headers = { authorization: `Bearer ${token}` };
  const { session, until } = await connect(t, () => openRemote({ type: 'http', url, headers }));
  await until((listed) => listed.includes('only_one'));
  write({ servers: { one: local('one'), two: local('two') } });
  await until((listed) => listed.includes('only_two'));
  write({ servers: { two: local('two') } });
  await until((listed) => !listed.includes('only_one'));
  assert.match(JSON.stringify(await session.callTool('only_two', {})), /"two"/);
});

test(
  'servers keep running while the file is missing, and its next version applies',
  { timeout: 2 * patienceMs },
  async (t) => {
    const { file, write } = configuration(t, { servers: { one: local('one') } });
    const { url, token, log } = await start(t, file);
    const headers = { authorization: `Bearer ${token}` };
    const { session, until } = await connect(t, () => openRemote({ type: 'http', url, headers }));
    await until((listed) => listed.includes('only_one'));
    const counted = async () => JSON.stringify(await session.callTool('count', {}));
    assert.match(await counted(), /"1"/);
    rmSync(file);
    await untilHolds(() => log().includes('could not be read again'), patienceMs);
    assert.match(await counted(), /"2"/);
    write({ servers: { one: local('one'), two: local('two') } });
    await until((listed) => listed.includes('only_two'));
    assert.match(await counted(), /"3"/);
  },
);

test(
  'the command line approves servers that the working folder affects, and an input is an environment variable',
  { timeout: 2 * patienceMs },
  async (t) => {
    const { file } = configuration(t, {
      inputs: [{ id: 'NAME_OF_SERVER', type: 'promptString' }],
      servers: { one: local('${input:NAME_OF_SERVER}') },
    });
    // As in an npm script: the folder of the programs of the project comes first.
    const search = [path.resolve('node_modules/.bin'), process.env['PATH']].join(path.delimiter);
    const { url, token } = await start(t, file, { PATH: search, NAME_OF_SERVER: 'asked' });
    const headers = { authorization: `Bearer ${token}` };
    const { until } = await connect(t, () => openRemote({ type: 'http', url, headers }));
    await until((listed) => listed.includes('only_asked'));
  },
);

test(
  '[GW1] a name means the same tool in the next run of the program, although another server has a tool with that name',
  { timeout: 2 * patienceMs },
  async (t) => {
    const { file, write } = configuration(t, { servers: { two: local('two') } });
    const first = await start(t, file);
    const clientOf = ({ url, token }: { url: string; token: string }) =>
      connect(t, () => openRemote({ type: 'http', url, headers: { authorization: `Bearer ${token}` } }));
    await (await clientOf(first)).until((listed) => listed.includes('count'));
    await first.stop();
    write({ servers: { one: local('one'), two: local('two') } });
    const { names, until } = await clientOf(await start(t, file));
    await until((listed) => listed.includes('only_one') && listed.includes('only_two'));
    assert.deepEqual((await names()).filter((name) => name.includes('count')).sort(), ['count', 'one_count']);
  },
);

test('with --stdio the program serves the client on its standard streams', { timeout: 2 * patienceMs }, async (t) => {
  const { file } = configuration(t, { servers: { one: local('one') } });
  const { session, until } = await connect(
    t,
    () =>
      new StdioTransport({
        command: process.execPath,
        args: [program, '--config', file, '--stdio'],
        env: { XDG_STATE_HOME: stateFolder },
        cwd: process.cwd(),
      }),
  );
  await until((listed) => listed.includes('only_one'));
  assert.match(JSON.stringify(await session.callTool('only_one', {})), /"one"/);
});

test(
  '[G2] a missing file or option, or an empty token, is reported with what to do',
  { timeout: 2 * patienceMs },
  async () => {
    for (const [args, message] of [
      [[], /--config is missing.*Usage/],
      [['--config', 'x.json', '--port', '99999'], /--port must be/],
      [['--config', 'x.json', '--token', ''], /--token must consist of.*Usage/],
      [['--config', 'x.json', '--token', ' a b '], /--token must consist of/],
      [['--config', '/nonexistent/mcp.json'], /ENOENT|not/],
    ] as const) {
      const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
      let text = '';
      child.stderr.on('data', (chunk) => (text += String(chunk)));
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 2, text);
      assert.match(text, message);
    }
  },
);
