import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { HostError } from '../../../../src/core/base/hostError.js';
import { listProcesses, startTimeOf } from '../../../../src/core/transport/stdio/processTree.js';
import type { StdioOptions } from '../../../../src/core/transport/stdio/stdioTransport.js';
import { StdioTransport } from '../../../../src/core/transport/stdio/stdioTransport.js';
import { onlyLinux, onlyPosix } from '../../../support/platform.js';

const fixture = path.resolve('test/fixtures/servers/pipes.mjs');
const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-pipes-'));
const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
after(() => rmSync(folder, { recursive: true, force: true }));

const open: StdioTransport[] = [];

/** A started process and its events, in order. */
async function start(mode: string, options: Partial<StdioOptions> = {}) {
  const transport = new StdioTransport({
    command: process.execPath,
    args: [fixture, mode],
    env,
    cwd: folder,
    graceMs: 300,
    ...options,
  });
  open.push(transport);
  const messages: unknown[] = [];
  const stderr: string[] = [];
  const events: string[] = [];
  let tell: () => void = () => undefined;
  let close: (reason?: Error) => void = () => undefined;
  const closed = new Promise<Error | undefined>((resolve) => (close = resolve));
  await transport.open({
    onMessage: (message) => {
      messages.push(message);
      events.push('message');
      tell();
    },
    onStderr: (line) => {
      stderr.push(line);
      events.push('stderr');
      tell();
    },
    onWarning: () => events.push('warning'),
    onClose: (reason) => {
      events.push('close');
      close(reason);
    },
  });
  const until = async (isEnough: () => boolean) => {
    while (!isEnough()) await new Promise<void>((resolve) => (tell = resolve));
  };
  return { transport, messages, stderr, heard: events, closed, until };
}

afterEach(async () => {
  await Promise.all(
    open.splice(0).map((transport) => {
      const closing = transport.close();
      transport.kill();
      return closing;
    }),
  );
  const left = (await listProcesses()).filter(({ parent }) => parent === process.pid);
  assert.deepEqual(left, [], 'child processes are left');
});

describe('[F5] Content-Length framing is recognized', () => {
  test('after a banner', async () => {
    const { messages, closed } = await start('header-after-banner');
    await closed;
    assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('and answered in a way that a line-based server can read too', async () => {
    const { transport, messages, until } = await start('framed-but-reads-lines');
    for (let id = 1; id <= 3; id++) {
      transport.send({ text: JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }), id });
      await until(() => messages.length === id);
    }
    assert.deepEqual(
      messages,
      [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: {} })),
    );
  });
});

describe('the connection to a running server ends', () => {
  test('[P11] when it closed its input', async () => {
    const { transport, stderr, closed, until } = await start('close-stdin');
    await until(() => stderr.length > 0);
    transport.send({ text: '{}' });
    const { code, message, hint } = (await closed) as HostError;
    assert.deepEqual(
      [code, message, /restart/i.test(hint ?? '')],
      ['closed', 'The server closed its standard input, so it can no longer receive messages.', true],
    );
  });

  test('[P4] when it closed its output', async () => {
    const { closed } = await start('close-stdout');
    const { code, message } = (await closed) as HostError;
    assert.deepEqual(
      [code, message],
      ['closed', 'The server closed its standard output, so it can no longer respond.'],
    );
  });
});

test('[P3] the last lines on stderr are in the error of the exit, after any amount of output', async () => {
  const { closed } = await start('last-words');
  assert.match((await closed)?.message ?? '', /ended with code 3: last words/);
});

test('[P4] nothing is delivered after the end, even if a grandchild keeps writing', async () => {
  const { transport, heard, closed, until } = await start('talks-after-its-end');
  await until(() => heard.includes('message') && heard.includes('stderr'));
  transport.send({ text: '{}' });
  assert.equal(((await closed) as HostError).code, 'exited');
  await transport.close();
  assert.equal(heard.indexOf('close'), heard.length - 1);
});

describe(
  '[P6] processes outside the process group are ended with the tree',
  onlyPosix('there are no process groups'),
  () => {
    test('even if their parent has ended', async () => {
      const { transport, stderr, until } = await start('grandchild-in-own-group');
      await until(() => stderr.length > 0);
      await transport.close();
      assert.equal(await startTimeOf(Number(stderr[0])), undefined);
    });

    test('also if they were started while the tree was being ended', async () => {
      const { transport, stderr, until } = await start('grandchild-at-sigterm', { graceMs: 1_000 });
      await until(() => stderr.includes('ready'));
      await transport.close();
      const late = Number(readFileSync(path.join(folder, 'late'), 'utf8'));
      assert.deepEqual([late > 0, await startTimeOf(late)], [true, undefined]);
    });
  },
);

describe('[P2] the error of a process that cannot be started says', () => {
  const reasonOf = (options: Partial<StdioOptions>) =>
    start('', options).then(
      () => assert.fail('it started'),
      (error: unknown) => error as HostError,
    );
  const script = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  };

  test('that the interpreter of a script is missing, not the script', onlyPosix('it runs shell scripts'), async () => {
    const command = script('script', '#! /no/such/interpreter -x\n');
    const error = await reasonOf({ command, args: [] });
    assert.deepEqual(
      [error.code, error.message, error.code === 'spawn-failed' && error.data.errno],
      [
        'spawn-failed',
        `The first line of "${command}" specifies /no/such/interpreter, which does not exist.`,
        undefined,
      ],
    );
  });

  test('that the first line of a script has a Windows line ending', onlyPosix('it runs shell scripts'), async () => {
    const command = script('windows-script', '#!/bin/sh\r\nexit 0\r\n');
    const { code, message } = await reasonOf({ command, args: [] });
    assert.deepEqual(
      [code, message],
      ['spawn-failed', `The first line of "${command}" has a Windows line ending, so /bin/sh is not found.`],
    );
  });

  test(
    'that the loader of a program is missing, not the program',
    onlyLinux('it writes a program of Linux'),
    async () => {
      // The header of a 64-bit executable whose loader does not exist.
      const head = Buffer.alloc(0x200);
      head.write('7f454c4602010100', 0, 'hex');
      head.writeUInt16LE(3, 16); // a position-independent executable
      head.writeUInt16LE(process.arch === 'arm64' ? 183 : 62, 18);
      head.writeUInt32LE(1, 20);
      head.writeBigUInt64LE(0x40n, 32); // program headers
      head.writeUInt16LE(64, 52);
      head.writeUInt16LE(56, 54);
      head.writeUInt16LE(1, 56);
      head.writeUInt32LE(3, 0x40); // PT_INTERP
      head.writeBigUInt64LE(0x100n, 0x48);
      head.writeBigUInt64LE(10n, 0x60);
      head.write('/no/loader\0', 0x100);
      head.writeBigUInt64LE(11n, 0x60);
      const command = path.join(folder, 'foreign');
      writeFileSync(command, head);
      chmodSync(command, 0o755);
      const { code, message } = await reasonOf({ command, args: [] });
      assert.deepEqual(
        [code, message],
        [
          'spawn-failed',
          `"${command}" exists, but the operating system cannot run it, because a component that it needs is missing.`,
        ],
      );
    },
  );

  test('[S3] that an argument or a variable contains a NUL, without repeating it', async () => {
    const failures = [
      await reasonOf({ args: ['ok', 's3cr3t\0'] }),
      await reasonOf({ env: { ...env, KEY: 's3cr3t\0' } }),
    ];
    assert.deepEqual(
      failures.map(({ code, message }) => [code, message]),
      [
        [
          'bad-configuration',
          'The server cannot be started: its argument 2 contains a NUL character, which cannot be passed to a program.',
        ],
        [
          'bad-configuration',
          'The server cannot be started: its environment variable KEY contains a NUL character, which cannot be passed to a program.',
        ],
      ],
    );
    for (const failure of failures) assert.doesNotMatch(inspect(failure), /s3cr3t/);
  });

  test('[S3] none of its arguments', async () => {
    assert.doesNotMatch(
      inspect(await reasonOf({ command: 'no-such-program', args: ['--token=s3cr3t'] }), { depth: 9 }),
      /s3cr3t/,
    );
  });
});
