import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { DoorCopy } from '../../../../src/core/gateway/door/doorCopy.js';
import { doorCommand, hasDoor, windowsWrapper, writeDoor } from '../../../../src/core/gateway/door/doorCopy.js';
import { onlyPosix } from '../../../support/platform.js';

const script = 'mcp-deck-door.cjs';

/** A copy in a folder whose name has to be quoted; the script prints what runs it. */
function place(t: TestContext): DoorCopy {
  const root = mkdtempSync(path.join(os.tmpdir(), "it's $HOME `x` "));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const source = path.join(root, 'door.cjs');
  writeFileSync(
    source,
    'console.log(JSON.stringify([process.argv.slice(2), process.env.ELECTRON_RUN_AS_NODE ?? "", process.env.FAKE ?? ""]))',
  );
  const runtime = path.join(root, 'the runtime');
  writeFileSync(runtime, `#!/bin/sh\nFAKE=runtime exec '${process.execPath}' "$@"\n`);
  chmodSync(runtime, 0o755);
  const folder = path.join(root, 'door');
  return { folder, script: source, version: '1.2.3', runtime, platform: 'linux', env: {} };
}

function run(copy: DoorCopy, search: string, cwd = os.tmpdir()): unknown {
  const { command, args } = doorCommand(copy);
  const { stdout, stderr, status } = spawnSync(command, [...args, '--preset', 'a b'], {
    env: { PATH: search },
    cwd,
    encoding: 'utf8',
  });
  return status === 0 ? (JSON.parse(stdout) as unknown) : [status, stderr];
}

/** A folder with a program `node` that states a version, and then runs the script. */
function nodeOf(copy: DoorCopy, version: string): string {
  const folder = path.join(path.dirname(copy.folder), `node ${version}`);
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, 'node'),
    `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit; }\nFAKE=${version} exec '${process.execPath}' "$@"\n`,
  );
  chmodSync(path.join(folder, 'node'), 0o755);
  return folder;
}

test(
  'the wrapper uses Node 20 or later of PATH, otherwise the runtime of VS Code',
  onlyPosix('shell scripts'),
  async (t) => {
    const copy = place(t);
    await writeDoor(copy);
    const args = ['--preset', 'a b'];
    for (const version of ['v20.0.0', 'v22.11.0', 'v100.1.2'])
      assert.deepEqual(run(copy, nodeOf(copy, version)), [args, '', version], version);
    for (const version of ['v18.20.1', 'v9.9.9', 'nonsense'])
      assert.deepEqual(run(copy, nodeOf(copy, version)), [args, '1', 'runtime'], version);
    assert.deepEqual(run(copy, '/nonexistent'), [args, '1', 'runtime']);
  },
);

test('[GD2] the wrapper runs no program of the working folder', onlyPosix('shell scripts'), async (t) => {
  const copy = place(t);
  await writeDoor(copy);
  const workspace = nodeOf(copy, 'v22.0.0');
  assert.deepEqual(run(copy, '.:', workspace), [['--preset', 'a b'], '1', 'runtime']);
});

test('without Node and without the runtime, the wrapper says what to do', onlyPosix('shell scripts'), async (t) => {
  const copy = { ...place(t), runtime: '/nonexistent/code' };
  await writeDoor(copy);
  assert.deepEqual(run(copy, '/nonexistent'), [
    127,
    'MCP Deck needs Node 20 or later. Install it, or start the gateway in VS Code once.\n',
  ]);
});

test('[GD1] the copy can be changed by its owner only', onlyPosix('file modes'), async (t) => {
  const copy = place(t);
  await writeDoor(copy);
  const modes = [copy.folder, path.join(copy.folder, script), path.join(copy.folder, 'mcp-deck-door')];
  assert.deepEqual(
    modes.map((file) => lstatSync(file).mode & 0o777),
    [0o700, 0o600, 0o700],
  );
});

test('the copy is written once, updated by a later version, and not by an earlier one', async (t) => {
  const copy = place(t);
  assert.equal(await hasDoor(copy.folder), false);
  await writeDoor(copy);
  assert.equal(await hasDoor(copy.folder), true);
  const file = path.join(copy.folder, script);
  const version = () => /^\/\/ version (.*)\n/.exec(readFileSync(file, 'utf8'))?.[1];
  const { ino } = statSync(file);
  await writeDoor(copy);
  assert.deepEqual([statSync(file).ino, version()], [ino, '1.2.3']);
  for (const [written, expected] of [
    ['1.2.10', '1.2.10'],
    ['1.2.9', '1.2.10'],
    ['0.9.99', '1.2.10'],
    ['2.0.0', '2.0.0'],
  ] as const) {
    await writeDoor({ ...copy, version: written });
    assert.equal(version(), expected, written);
  }
  writeFileSync(copy.script, '// changed');
  await writeDoor({ ...copy, version: '2.0.0' });
  assert.match(readFileSync(file, 'utf8'), /changed/);
});

test('on Windows, the wrapper is an ASCII command file without the name of the user, and searches no program in the working folder', () => {
  const env = { LOCALAPPDATA: 'C:\\Users\\Jörg\\AppData\\Local', ProgramFiles: 'C:\\Program Files' };
  const text = windowsWrapper({
    runtime: 'c:\\users\\jörg\\AppData\\Local\\Programs\\Microsoft VS Code\\Code.exe',
    env,
  });
  assert.match(text, /^"%LOCALAPPDATA%\\Programs\\Microsoft VS Code\\Code\.exe" "%~dp0mcp-deck-door\.cjs" %\*\r$/m);
  assert.match(text, /^set NoDefaultCurrentDirectoryInExePath=1\r$[^]*node --version/m);
  assert.ok([...text].every((letter) => letter.charCodeAt(0) < 128));
  assert.deepEqual(doorCommand({ folder: 'C:\\a b\\door', platform: 'win32' }), {
    command: 'C:\\Windows\\System32\\cmd.exe',
    args: ['/c', 'C:\\a b\\door\\mcp-deck-door.cmd'],
  });
});

test('the shipped script is small, runs in Node alone, and contains no test', () => {
  const text = readFileSync('dist/door.cjs', 'utf8');
  assert.ok(Buffer.byteLength(text) < 25_000, `${Buffer.byteLength(text)} bytes`);
  const required = [...text.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name);
  assert.ok(
    required.every((name) => name?.startsWith('node:')),
    required.join(),
  );
  assert.match(String(execFileSync(process.execPath, ['--check', 'dist/door.cjs'])), /^$/);
});
