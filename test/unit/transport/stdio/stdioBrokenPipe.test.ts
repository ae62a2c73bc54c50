import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import { StdioTransport } from '../../../../src/core/transport/stdio/stdioTransport.js';
import { ManualClock } from '../../../support/manualClock.js';
import { until } from '../../../support/httpUntil.js';
import { onlyPosix } from '../../../support/platform.js';

/** A server that closes its input and runs until it is killed. */
const deaf = 'require("node:fs").closeSync(0); console.error("deaf"); setInterval(() => {}, 1000)';

async function openDeaf() {
  const transport = new StdioTransport({
    command: process.execPath,
    args: ['-e', deaf],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: process.cwd(),
    graceMs: 100,
  });
  const stderr: string[] = [];
  const closes: (Error | undefined)[] = [];
  await transport.open({
    onMessage: () => undefined,
    onWarning: () => undefined,
    onStderr: (line) => stderr.push(line),
    onClose: (reason) => closes.push(reason),
  });
  await until(() => stderr.length > 0);
  const failures: Error[] = [];
  transport.send({ text: '{}', fail: (error) => failures.push(error) });
  return { transport, closes, failures };
}

test(
  '[P3, P11] a write that failed because the process ended reports how it ended',
  onlyPosix('exit codes show no signal'),
  async () => {
    const { transport, closes, failures } = await openDeaf();
    process.kill(transport.describe().pid ?? 0, 'SIGKILL');
    await until(() => closes.length > 0);
    const [reason] = closes;
    assert.ok(reason instanceof HostError);
    assert.deepEqual(
      [reason.code, reason.message, failures],
      ['exited', 'The server process was ended by SIGKILL: deaf', []],
    );
    await transport.close();
  },
);

test('[P11] a write to a server that closed its input but keeps running ends the connection, which fails all open requests', async () => {
  const { transport, closes } = await openDeaf();
  await until(() => closes.length > 0);
  assert.match(closes[0]?.message ?? '', /closed its standard input/);
  await transport.close();
});

test('[P3] the last lines on stderr are part of the reason, also when stdout ended before them', async () => {
  // Time does not move, so only the exit can end it, even on a slow machine.
  const clock = new ManualClock();
  const code = 'require("node:fs").closeSync(1); process.stderr.write("the reason"); process.exitCode = 3';
  const reasons = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const transport = new StdioTransport({
        command: process.execPath,
        args: ['-e', code],
        env: { PATH: process.env['PATH'] ?? '' },
        cwd: process.cwd(),
        clock,
      });
      const closes: (Error | undefined)[] = [];
      await transport.open({
        onMessage: () => undefined,
        onWarning: () => undefined,
        onClose: (reason) => closes.push(reason),
      });
      await until(() => closes.length > 0);
      await transport.close();
      return closes[0]?.message;
    }),
  );
  assert.deepEqual(reasons, Array(8).fill('The server process ended with code 3: the reason'));
});
