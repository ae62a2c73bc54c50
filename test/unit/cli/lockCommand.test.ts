/** `mcp-deck lock` as a process. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';

const servers = { counter: { command: process.execPath, args: [counter] } };

test('lock writes the file, --check finds it unchanged, and then names each drift', async (t) => {
  const folder = folderWith(t, { '.vscode/mcp.json': { servers } });
  const written = await runCli(['lock', '--yes'], { folder });
  assert.deepEqual([written.code, written.stdout.split('\n').at(-2)], [0, '.vscode/mcp-deck.lock.json has 1 servers.']);
  const same = await runCli(['lock', '--check', '--yes', '--json'], { folder });
  assert.deepEqual(
    [same.code, JSON.parse(same.stdout)],
    [0, { ok: true, file: '.vscode/mcp-deck.lock.json', drift: [] }],
  );
  const file = path.join(folder, '.vscode/mcp-deck.lock.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('Adds two numbers.', 'Adds numbers.'));
  const changed = await runCli(['lock', '--check', '--yes'], { folder });
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /^~ counter: The tool "add" has changed: description\.\n/);
});

test('a lock file of a newer version is refused with its version, and nothing starts', async (t) => {
  const folder = folderWith(t, {
    '.vscode/mcp.json': { servers },
    '.vscode/mcp-deck.lock.json': { version: 9, servers: {} },
  });
  for (const args of [
    ['lock', '--yes'],
    ['lock', '--check', '--yes'],
  ]) {
    const { code, stderr } = await runCli(args, { folder });
    assert.equal(code, 2);
    assert.match(stderr, /The lock file \.vscode\/mcp-deck\.lock\.json has version 9\./);
  }
});

test('a locked server that is not configured any more is a drift', async (t) => {
  const folder = folderWith(t, {
    '.vscode/mcp.json': { servers: {} },
    '.vscode/mcp-deck.lock.json': { version: 1, servers: { old: { info: { name: 'o', version: '1' }, tools: {} } } },
  });
  const { code, stdout } = await runCli(['lock', '--check'], { folder });
  assert.deepEqual(
    [code, stdout.split('\n')[0]],
    [1, '- old: The server "old" is in the lock file, but is not configured.'],
  );
});
