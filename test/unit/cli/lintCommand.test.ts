/** `mcp-deck lint` as a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counter, runCli } from '../../support/cliProcess.js';

const typed = ['--command', `"${process.execPath}" "${counter}"`];
const flawed = ['--command', `"${process.execPath}" test/fixtures/servers/flawed.cjs`];

test('lint shows warnings, and ends with exit code 0 if there are no errors', async () => {
  const { code, stdout, stderr } = await runCli(['lint', ...typed]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /! description-missing\n {4}create: The tool has no description/);
  assert.match(stdout, /server: 0 errors, \d+ warnings, \d+ notes\. Use --all to see the notes\.\n$/);
});

test('lint ends with exit code 1 for errors, and names the item and its place', async () => {
  const { code, stdout } = await runCli(['lint', ...flawed, '--json']);
  assert.equal(code, 1);
  const { ok, findings } = JSON.parse(stdout) as {
    ok: boolean;
    findings: { rule: string; severity: string; target: { name?: string } }[];
  };
  assert.equal(ok, false);
  const errors = findings.filter(({ severity }) => severity === 'error');
  assert.deepEqual(errors.map(({ rule, target }) => [rule, target.name]).sort(), [
    ['parameter-text-hidden', 'show'],
    ['schema-invalid', 'delete_all'],
    ['text-hidden', 'de lete'],
    ['tool-name-characters', 'de lete'],
  ]);
  const rules = new Set(findings.map(({ rule }) => rule));
  for (const rule of ['list-order', 'unknown-tool', 'annotation-read-only', 'text-orders'])
    assert.ok(rules.has(rule), rule);
});

test('hostile text of a server is visible in the report', async () => {
  const { stdout } = await runCli(['lint', ...flawed, '--all']);
  assert.doesNotMatch(stdout, /[\u001b\u200b\u202e]/);
});

test('lint names the nearest rule for an unknown one', async () => {
  const { code, stderr } = await runCli(['lint', ...typed, '--ignore', 'description-mising']);
  assert.equal(code, 2);
  assert.match(stderr, /The rule "description-mising" is not known\. Did you mean "description-missing"\?/);
});
