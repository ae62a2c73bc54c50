import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { findCommand } from '../../../../src/core/transport/stdio/findCommand.js';
import { startTimeOf } from '../../../../src/core/transport/stdio/processTree.js';
import { resolveShellEnvironment } from '../../../../src/core/transport/stdio/shellEnvironment.js';
import { onlyPosix } from '../../../support/platform.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-shell-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A login shell whose profile runs the given commands first. */
function shell(name: string, profile: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${profile}\nfor last; do :; done\neval "$last"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Resolves when the process has ended; the timeout of the test is the limit. */
async function gone(pid: number): Promise<void> {
  while ((await startTimeOf(pid)) !== undefined) await new Promise((resolve) => setImmediate(resolve));
}

describe('the PATH of the login shell', onlyPosix('it runs shell scripts'), () => {
  test('is used when the window was not started from a shell, for any output of the profile', async () => {
    const env = {
      SHELL: shell('noisy', 'echo "Welcome back"; echo trouble >&2; export PATH=/from/profile:$PATH'),
      PATH: process.env['PATH'],
      KEEP: '1',
    };
    const resolved = await resolveShellEnvironment({ env, platform: 'linux' });
    assert.deepEqual(
      [resolved.env['PATH']?.startsWith('/from/profile:'), resolved.env['KEEP'], resolved.problem],
      [true, '1', undefined],
    );
  });

  test('is not requested when the window came from a shell, or on Windows', async () => {
    const env = { SHELL: '/no/such/shell', PATH: '/own' };
    const answers = await Promise.all([
      resolveShellEnvironment({ env: { ...env, TERM: 'xterm' }, platform: 'linux' }),
      resolveShellEnvironment({ env: { ...env, VSCODE_CLI: '1' }, platform: 'linux' }),
      resolveShellEnvironment({ env, platform: 'win32' }),
    ]);
    assert.deepEqual(
      answers.map(({ env: { PATH }, problem }) => [PATH, problem]),
      [
        ['/own', undefined],
        ['/own', undefined],
        ['/own', undefined],
      ],
    );
  });

  /** The pid that a profile recorded for the process that it left behind. */
  const leftBehind = () => Number(readFileSync(path.join(folder, 'left'), 'utf8'));
  const leave = `sleep 1000 & echo $! > "${path.join(folder, 'left')}"`;

  test('is read even if the profile leaves a job that keeps the pipe open, and the job is ended', async () => {
    const env = { SHELL: shell('background', `${leave}; export PATH=/from/profile:$PATH`), PATH: process.env['PATH'] };
    const resolved = await resolveShellEnvironment({ env, platform: 'linux', timeoutMs: 3_600_000 });
    assert.deepEqual([resolved.env['PATH']?.startsWith('/from/profile:'), resolved.problem], [true, undefined]);
    await gone(leftBehind());
  });

  test('is not awaited when the shell ended without printing it, even if a job keeps the pipe open', async () => {
    const env = { SHELL: shell('background-silent', `${leave}; exit 1`), PATH: '/own' };
    const resolved = await resolveShellEnvironment({
      env: { ...env, PATH: process.env['PATH'] },
      platform: 'linux',
      timeoutMs: 3_600_000,
    });
    assert.match(resolved.problem ?? '', /did not print its PATH/);
    await gone(leftBehind());
  });

  test('is given up when the profile prints endlessly', async () => {
    const env = {
      SHELL: shell(
        'endless',
        'while :; do echo "yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes"; done',
      ),
      PATH: process.env['PATH'],
    };
    const resolved = await resolveShellEnvironment({ env, platform: 'linux', timeoutMs: 3_600_000 });
    assert.match(resolved.problem ?? '', /prints too much/);
  });

  test('falls back to the inherited one, with the reason, when the shell is missing, silent or stuck', async () => {
    const shells = [
      '/no/such/shell',
      shell('silent', 'exit 0'),
      shell('stuck', 'exec 1>&-; while :; do read -r line < /dev/zero; done'),
    ];
    for (const file of shells) {
      const resolved = await resolveShellEnvironment({
        env: { SHELL: file, PATH: '/own' },
        platform: 'linux',
        timeoutMs: 500,
      });
      assert.equal(resolved.env['PATH'], '/own');
      assert.match(resolved.problem ?? '', /login shell/);
    }
  });
});

test(
  '[P2] a command is looked up in the folders of PATH, in order, and only if it is executable',
  onlyPosix('it runs shell scripts'),
  () => {
    const program = shell('tool', '');
    writeFileSync(path.join(folder, 'data'), '');
    const env = { PATH: `/nowhere:${folder}` };
    assert.deepEqual(
      [
        findCommand('tool', env, '/', 'linux'),
        findCommand('data', env, '/', 'linux').found,
        findCommand('./tool', env, folder, 'linux').found,
      ],
      [{ found: program, folders: ['/nowhere', folder] }, undefined, program],
    );
    const relative = path.basename(folder);
    assert.deepEqual(
      [
        findCommand('tool', { PATH: `/nowhere:${relative}` }, path.dirname(folder), 'linux'),
        findCommand('tool', { PATH: '/nowhere:' }, folder, 'linux'),
      ],
      [
        { found: program, folders: ['/nowhere', folder] },
        { found: program, folders: ['/nowhere', folder] },
      ],
      'a relative or empty folder starts from the working directory of the process',
    );
  },
);
