import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { HostError } from '../../../../src/core/base/hostError.js';
import { McpSession } from '../../../../src/core/session/mcpSession.js';
import { ProcessRecords, reapOrphans } from '../../../../src/core/transport/stdio/processRecords.js';
import { isAlive, startTimeOf } from '../../../../src/core/transport/stdio/processTree.js';
import type { StdioOptions } from '../../../../src/core/transport/stdio/stdioTransport.js';
import { StdioTransport } from '../../../../src/core/transport/stdio/stdioTransport.js';
import { until } from '../../../support/httpUntil.js';
import { onlyPosix } from '../../../support/platform.js';

const fixture = path.resolve('test/fixtures/servers/odd.mjs');
const env = { PATH: process.env['PATH'] ?? '', HOME: os.homedir() };

function transport(mode: string, options: Partial<StdioOptions> = {}): StdioTransport {
  return new StdioTransport({
    command: process.execPath,
    args: [fixture, mode],
    env,
    cwd: process.cwd(),
    graceMs: 300,
    ...options,
  });
}

interface Heard {
  warnings: string[];
  stderr: string[];
}

async function connect(
  mode: string,
  options: Partial<StdioOptions> = {},
): Promise<{ session: McpSession; heard: Heard; pid: number }> {
  const heard: Heard = { warnings: [], stderr: [] };
  const session = await McpSession.open(() => transport(mode, options), {
    client: { name: 'test', version: '1' },
    protocol: 'legacy',
    startTimeoutMs: 10_000,
    listener: { onWarning: (line) => heard.warnings.push(line), onStderr: (line) => heard.stderr.push(line) },
  });
  return { session, heard, pid: session.endpoint.pid ?? 0 };
}

const echo = (session: McpSession, text: string) =>
  session.callTool('echo', { text }).then(({ content }) => (content[0]?.type === 'text' ? content[0].text : undefined));

/** Resolves when the process has ended; the timeout of the test is the limit. */
async function gone(pid: number): Promise<void> {
  while ((await startTimeOf(pid)) !== undefined) await new Promise((resolve) => setImmediate(resolve));
}

describe('[stdio] messages arrive intact', () => {
  const text = 'plain, ümlaut, 漢字, 🎉, \u2028 line, "quoted"';
  for (const [id, mode] of [
    ['F1', 'ok'],
    ['F1', 'split-utf8'],
    ['F1', 'crlf'],
    ['F2', 'banner'],
    ['F3', 'garbage'],
    ['F5', 'content-length'],
    ['F6', 'batch'],
  ] as const) {
    test(`[${id}] from a server in mode ${mode}`, async () => {
      const { session } = await connect(mode);
      try {
        assert.equal(await echo(session, text), text);
      } finally {
        await session.close();
      }
    });
  }

  test('[F1] of any size', async () => {
    const { session } = await connect('ok');
    const large = text.repeat(100_000);
    assert.equal(await echo(session, large), large);
    await session.close();
  });

  test('[F6] also those inside a batch', async () => {
    const { session } = await connect('batch');
    assert.equal(await echo(session, 'x'), 'x');
    await session.close();
  });
});

test('[F2] text on stdout is reported once with advice, then line by line', async () => {
  const { session, heard } = await connect('banner');
  await session.close();
  assert.match(heard.warnings[0] ?? '', /standard output that is not MCP/);
  assert.deepEqual(heard.warnings.slice(1), [
    '[stdout]   Welcome to Odd Server v1',
    '[stdout] ===',
    '[stdout] npm notice new version',
  ]);
});

test('[F4, Y3] a message over the limit ends only this server, with the limit in the error', async () => {
  const [big, other] = await Promise.all([connect('giant', { maxMessageBytes: 1024 * 1024 }), connect('ok')]);
  await assert.rejects(
    echo(big.session, 'x'),
    (error: HostError) => error.code === 'too-large' && error.message.includes('1 MB'),
  );
  assert.equal(await echo(other.session, 'fine'), 'fine');
  await gone(big.pid);
  await other.session.close();
});

test('[P1] arguments arrive unchanged', async () => {
  const odd = ['$(id)', '`id`', 'a b', '"quoted"', "'single'", '&&', '%PATH%', '*', ''];
  const { session } = await connect('ok', { args: [fixture, 'ok', ...odd] });
  const { content } = await session.callTool('environment', {});
  await session.close();
  assert.deepEqual(content[0]?.type === 'text' && JSON.parse(content[0].text).args, odd);
});

test('[P10] the child has only the environment that it is given', async () => {
  const { session } = await connect('ok', { env: { ...env, MINE: '1' } });
  const { content } = await session.callTool('environment', {});
  await session.close();
  const seen = content[0]?.type === 'text' ? (JSON.parse(content[0].text).env as Record<string, string>) : {};
  assert.deepEqual(
    Object.keys(seen)
      .filter((name) => !name.startsWith('__'))
      .sort(),
    ['HOME', 'MINE', 'PATH'],
  );
});

describe('[P2] the error of a process that cannot be started says', () => {
  const fails = (options: Partial<StdioOptions>, message: RegExp, hint?: RegExp) =>
    assert.rejects(connect('ok', options), (error: HostError) => {
      assert.equal(error.code, 'spawn-failed');
      assert.match(error.message, message);
      if (hint) assert.match(error.hint ?? '', hint);
      return true;
    });

  test('which command was searched, where, and what to do', onlyPosix('paths are written as on POSIX systems'), () =>
    fails(
      { command: 'uvx', env: { PATH: '/nowhere:/nothing' } },
      /Command not found: uvx \(looked in the 2 folders of PATH\)/,
      /Install uv/,
    ),
  );
  test('that the path does not exist', onlyPosix('paths are written as on POSIX systems'), () =>
    fails({ command: '/no/such/program' }, /Command not found: \/no\/such\/program\./),
  );
  test('that the folder is missing, not the command', onlyPosix('paths are written as on POSIX systems'), () =>
    fails({ cwd: '/no/such/folder' }, /working directory of .* is not an existing folder: \/no\/such\/folder/, /"cwd"/),
  );
  test('that it may not be run', onlyPosix('paths are written as on POSIX systems'), () =>
    fails({ command: path.resolve('package.json') }, /permission denied/),
  );
});

describe('an unexpected end', () => {
  test('[P3] before the handshake rejects the start with the code and the last output', async () => {
    await assert.rejects(
      connect('exit-on-start'),
      (error: HostError) => error.code === 'exited' && /code 3: cannot find the configuration/.test(error.message),
    );
  });

  test('a real crash of Node.js reports its cause, behind a stack that is longer than what is kept', async () => {
    const args = [
      '--stack-trace-limit=300',
      '-e',
      'const deep = (n) => { if (n === 0) throw new Error("ACME_KEY is not set"); deep(n - 1); }; deep(280);',
    ];
    await assert.rejects(connect('', { args }), (error: HostError) => {
      assert.ok(error.code === 'exited');
      const { report } = error.data as { report?: { cause?: string; variable?: string } };
      assert.deepEqual([report?.cause, report?.variable], ['Error: ACME_KEY is not set', 'ACME_KEY']);
      return true;
    });
  });

  test('[P3] with code 0 is treated the same', async () => {
    await assert.rejects(connect('exit-zero'), { code: 'exited' });
  });

  test('[P4] during a call rejects the call with the reason', async () => {
    const { session } = await connect('exit-mid-call');
    await assert.rejects(
      echo(session, 'x'),
      (error: HostError) => error.code === 'exited' && /code 7: out of memory/.test(error.message),
    );
    await session.close();
  });

  test('[P4] is detected even if a grandchild keeps the pipes open', async () => {
    const { session, heard, pid } = await connect('grandchild');
    const grandchild = Number(/grandchild (\d+)/.exec(heard.stderr.join('\n'))?.[1]);
    const ended = new Promise<Error | undefined>((resolve) => session.whenClosed(resolve));
    process.kill(pid, 'SIGKILL');
    assert.equal(((await ended) as HostError).code, 'exited');
    await session.close();
    await gone(grandchild);
  });

  test('[P4] a closed stdout ends the session even if the process keeps running', async () => {
    const { session, pid } = await connect('close-stdout');
    await assert.rejects(echo(session, 'x'), { code: 'closed' });
    await session.close();
    await gone(pid);
  });

  test('[P4] loses no answer that was written before it', async () => {
    const { session } = await connect('answer-and-exit');
    assert.equal((await echo(session, 'x'))?.length, 500_000);
    await session.close();
  });

  test('[P11] writing to an ended server rejects and throws nowhere else', async () => {
    const { session } = await connect('exit-mid-call');
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => echo(session, 'x'.repeat(100_000))));
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['rejected']));
    await session.close();
  });
});

describe('[P5] a stop', () => {
  test('ends a good server by closing its input', async () => {
    const { session, pid } = await connect('ok');
    await session.close();
    assert.equal(isAlive(pid), false);
  });

  test('[P6, Y4] ends a server that ignores everything, and all it started', async () => {
    const { session, heard, pid } = await connect('ignore-sigterm');
    const grandchildPid = () => Number(/grandchild (\d+)/.exec(heard.stderr.join('\n'))?.[1]);
    // Standard error may arrive after the handshake.
    await until(() => grandchildPid() > 0);
    const grandchild = grandchildPid();
    await session.close();
    assert.deepEqual([await startTimeOf(pid), await startTimeOf(grandchild)], [undefined, undefined]);
  });

  test('is forced by a second one', async () => {
    const { session, pid } = await connect('hang-on-stdin-end', { graceMs: 3_600_000 });
    const closing = session.close();
    session.kill();
    await closing;
    assert.equal(await startTimeOf(pid), undefined);
  });

  test('of a server that never answered leaves nothing', async () => {
    const abort = new AbortController();
    let pid = 0;
    const opening = McpSession.open(
      () => {
        const it = transport('never-initialize');
        const open = it.open.bind(it);
        it.open = async (sink) => {
          await open(sink);
          pid = it.describe().pid ?? 0;
          abort.abort(new Error('enough'));
        };
        return it;
      },
      { client: { name: 't', version: '1' }, protocol: 'legacy', signal: abort.signal },
    );
    await assert.rejects(opening, /enough/);
    assert.equal(await startTimeOf(pid), undefined);
  });
});

describe('[P12, X1] stderr', () => {
  test('never blocks the server, and a flood is counted instead of passed on', async () => {
    const { session, heard } = await connect('stderr-flood');
    assert.equal(await echo(session, 'x'), 'x');
    await session.close();
    assert.ok(heard.stderr.length < 20_000);
  });

  test('[L2, S3] is cut, its control characters are visible and secrets are masked', async () => {
    const { session, heard } = await connect('stderr-long', { secretValues: ['s3cr3t-value'] });
    await session.close();
    assert.ok(heard.stderr.every((line) => line.length < 10_000));
    assert.ok(heard.stderr.includes('\\u{1b}[31mred\\u{1b}[0m token=••• [2 hidden characters]'));
  });
});

test('[P7] a window with the reused pid of a killed one does not touch its records', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-records-'));
  try {
    const earlier = new ProcessRecords(folder);
    earlier.add(2 ** 22 + 2, 'left behind');
    new ProcessRecords(folder).add(2 ** 22 + 3, 'new');
    const notes = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
    assert.deepEqual([notes.length, notes.some((note) => note.includes('left behind'))], [2, true]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[P7] processes of a killed window are ended by the next, and no other process is', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-records-'));
  try {
    const records = new ProcessRecords(folder);
    const { session, pid } = await connect('hang-on-stdin-end', { records, serverId: 'odd' });
    assert.deepEqual(await reapOrphans(folder), []);
    // As a window that has ended would have left it: the same child, an owner that does not exist.
    const [file = ''] = readdirSync(folder);
    const note = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    const started = await startTimeOf(pid);
    const orphaned = {
      owner: { pid: 2 ** 22 + 1, startedAt: '1' },
      children: [
        { ...note.children[0], startedAt: started },
        { pid: process.pid, startedAt: 'another time', server: 'stranger' },
      ],
    };
    writeFileSync(path.join(folder, 'dead.json'), JSON.stringify(orphaned));
    assert.deepEqual(
      (await reapOrphans(folder)).map(({ server }) => server),
      ['odd'],
    );
    await gone(pid);
    assert.equal(readdirSync(folder).includes('dead.json'), false);
    await session.close();
    records.dispose();
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[P1] on Windows a command that is not on the search path is not started from the folder of the server', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deck-planted-'));
  try {
    writeFileSync(path.join(folder, 'planted'), '#!/bin/sh\necho ran > ran\n', { mode: 0o755 });
    // Without the fix, the system that runs this test finds the program there.
    const planted = new StdioTransport({
      command: 'planted',
      args: [],
      env: { PATH: folder },
      cwd: folder,
      graceMs: 300,
      platform: 'win32',
    });
    await assert.rejects(
      planted.open({ onMessage: () => undefined, onWarning: () => undefined, onClose: () => undefined }),
      { code: 'spawn-failed', message: /^Command not found: planted/ },
    );
    assert.deepEqual(readdirSync(folder), ['planted']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
