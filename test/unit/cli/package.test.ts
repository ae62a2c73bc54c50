/** The npm package of the command line, installed as a user does, without a network. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { counter, folderWith } from '../../support/cliProcess.js';

const isWindows = process.platform === 'win32';

test('the package installs without dependencies, and its program calls a tool and has the gateway', (t) => {
  const folder = folderWith(t, { 'package.json': { private: true } });
  const packed = spawnSync(process.execPath, ['esbuild.cli.mjs', folder], { encoding: 'utf8' });
  assert.equal(packed.status, 0, packed.stderr);
  const [archive = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const install = ['install', '--offline', '--no-audit', '--no-fund', `./${archive}`];
  const installed = spawnSync('npm', install, { cwd: folder, encoding: 'utf8', shell: isWindows });
  assert.equal(installed.status, 0, installed.stderr);
  const content = path.join(folder, 'node_modules', 'mcp-deck');
  assert.deepEqual(readdirSync(content).sort(), [
    'LICENSE',
    'README.md',
    'ThirdPartyNotices.txt',
    'mcp-deck.mjs',
    'package.json',
    'tokens.mjs',
  ]);
  assert.match(readFileSync(path.join(content, 'ThirdPartyNotices.txt'), 'utf8'), /Package: yaml\n/);
  const bin = path.join(folder, 'node_modules', '.bin', isWindows ? 'mcp-deck.cmd' : 'mcp-deck');
  const run = (...args: string[]) => spawnSync(bin, args, { cwd: folder, encoding: 'utf8', shell: isWindows });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.equal(run('--version').stdout, `${version}\n`);
  const call = run('call', '--command', `"${process.execPath}" "${counter}"`, 'add', '{"a":2,"b":3}');
  assert.deepEqual([call.status, call.stdout], [0, 'The sum is 5.\n'], call.stderr);
  const gateway = run('gateway');
  assert.equal(gateway.status, 2);
  assert.match(gateway.stderr, /--config is missing/);
});
