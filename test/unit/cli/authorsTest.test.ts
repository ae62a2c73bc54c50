/** `mcp-deck test` as the author of a server uses it: a test that fails, a fix, and the same test again. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { folderWith, runCli } from '../../support/cliProcess.js';

test('an author writes a test, sees it fail at its line, fixes the server, and sees it pass', async (t) => {
  const source = readFileSync(path.resolve('test/fixtures/servers/prices.mjs'), 'utf8');
  const folder = folderWith(t, { 'prices.mjs': source });
  const text = readFileSync(path.resolve('test/fixtures/prices.mcptest.yaml'), 'utf8').replace(
    'command: node',
    `command: '${process.execPath}'`,
  );
  writeFileSync(path.join(folder, 'prices.mcptest.yaml'), text);
  const first = await runCli(['test', '--yes'], { folder });
  assert.equal(first.code, 1, first.stderr);
  assert.match(first.stdout, /✗ subtracts the discount[^]*prices\.mcptest\.yaml:7:7\n[^]*"total": 65/);
  writeFileSync(path.join(folder, 'prices.mjs'), source.replace('sum + discount', 'sum - discount'));
  const fixed = await runCli(['test', '--yes'], { folder });
  assert.equal(fixed.code, 0, fixed.stdout);
  assert.match(fixed.stdout, /✓ subtracts the discount/);
});
