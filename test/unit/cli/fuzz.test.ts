/** `mcp-deck lint --fuzz` as a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCli } from '../../support/cliProcess.js';

const fragile = ['--command', `"${process.execPath}" test/fixtures/servers/fragile.cjs`];

test('[FUZZ1] fuzzing finds crashes and wrong results, a seed repeats it, and tools that may change something are not called', async () => {
  const fuzz = () => runCli(['lint', ...fragile, '--fuzz', '--runs', '40', '--seed', '5', '--json']);
  const { code, stdout } = await fuzz();
  assert.equal(code, 1);
  const { fuzz: found } = JSON.parse(stdout) as {
    fuzz: { findings: { tool: string; rule: string }[]; called: number; skipped: number };
  };
  assert.deepEqual([found.called, found.skipped], [3, 1]);
  assert.deepEqual(
    found.findings.map(({ tool, rule }) => [tool, rule]),
    [
      ['length', 'fuzz-output'],
      ['open', 'fuzz-crash'],
      ['silent', 'fuzz-error-text'],
    ],
  );
  assert.deepEqual((JSON.parse((await fuzz()).stdout) as { fuzz: unknown }).fuzz, found);
});

test('[FUZZ1] --fuzz-all needs --yes, and names the tools', async () => {
  const refused = await runCli(['lint', ...fragile, '--fuzz-all']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /These tools may change something: remove\. Add --yes/);
  const agreed = await runCli(['lint', ...fragile, '--fuzz-all', '--yes', '--runs', '5', '--json']);
  assert.equal((JSON.parse(agreed.stdout) as { fuzz: { called: number } }).fuzz.called, 4);
});
