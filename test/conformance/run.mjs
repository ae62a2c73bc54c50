// The official conformance suite's client scenarios against our client, one at a time: the suite's own batch modes
// ignore the client's exit code, pass a client that does nothing, and start everything at once, which disturbs the
// scenario that measures a wait.
//   node test/conformance/run.mjs [--revision 2026-07-28] [--only tools_call] [--verbose]
// A scenario passes when the suite exits with 0 and at least one check succeeded. All scenarios of the suite must pass.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    revision: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    verbose: { type: 'boolean' },
  },
});
const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const client = 'node dist/conformance-client.mjs';
const scenarios = JSON.parse(fs.readFileSync('test/conformance/scenarios.json', 'utf8'));
// The suite imports a function that Node 20 does not have. This run never calls it.
const shim = typeof fs.globSync === 'function' ? [] : ['--import', `./test/support/conformanceNode20Shim.mjs`];

function runOne(revision, scenario) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-conformance-'));
  try {
    const args = [
      ...shim,
      suite,
      'client',
      '--command',
      client,
      '--scenario',
      scenario,
      '--spec-version',
      revision,
      '--force',
      '--timeout',
      '25000',
      '-o',
      out,
    ];
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const checks = fs
      .readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('checks.json'))
      .flatMap((file) => JSON.parse(fs.readFileSync(path.join(out, file), 'utf8')));
    const count = (status) => checks.filter((check) => check.status === status).length;
    const problems = checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`);
    const passed = run.status === 0 && count('SUCCESS') > 0;
    if (!passed && problems.length === 0)
      problems.push(`exit ${run.status}: ${(run.stderr || run.stdout).trim().split('\n').slice(-6).join('\n    ')}`);
    if (options.verbose) console.log(run.stdout, run.stderr);
    return { passed, succeeded: count('SUCCESS'), problems };
  } finally {
    fs.rmSync(out, { recursive: true, force: true });
  }
}

let passed = 0;
let failed = 0;
const table = [];
for (const [revision, names] of Object.entries(scenarios)) {
  if (options.revision && !options.revision.includes(revision)) continue;
  let ok = 0;
  const chosen = names.filter((name) => !options.only || options.only.includes(name));
  for (const name of chosen) {
    const result = runOne(revision, name);
    console.log(`${result.passed ? 'pass' : 'FAIL'}  ${revision}  ${name}  (${result.succeeded} checks)`);
    if (!result.passed) for (const problem of result.problems) console.log(`        ${problem}`);
    if (result.passed) ok++;
  }
  passed += ok;
  failed += chosen.length - ok;
  table.push(`${revision}   ${String(ok).padStart(3)} of ${String(chosen.length).padStart(3)}`);
}
console.log(`\nrevision     passed\n${table.join('\n')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
