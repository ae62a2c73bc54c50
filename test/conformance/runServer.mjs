// The official conformance suite's server scenarios against our server half. The suite passes a scenario that checked
// nothing, so this script decides from the checks that the suite recorded: at least one succeeded, none failed, none
// warned.
//   node test/conformance/runServer.mjs [--revision 2026-07-28] [--only ping] [--verbose] [--server dist/test/fixtureServer.mjs]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { values: options } = parseArgs({
  options: {
    revision: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    verbose: { type: 'boolean' },
    server: { type: 'string', default: path.join(top, 'dist/test/fixtureServer.mjs') },
  },
});
const suite = path.join(top, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const scenarios = JSON.parse(fs.readFileSync(path.join(top, 'test/conformance/serverScenarios.json'), 'utf8'));
// The suite imports a function that Node 20 does not have. This run never calls it.
const shim =
  typeof fs.globSync === 'function' ? [] : ['--import', path.join(top, 'test/support/conformanceNode20Shim.mjs')];

/** Runs the suite with these arguments. Returns the recorded checks by scenario, and the output. */
function runSuite(url, args) {
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-conformance-'));
  try {
    const run = spawnSync(process.execPath, [...shim, suite, 'server', '--url', url, '-o', out, ...args], {
      encoding: 'utf8',
      timeout: 300_000,
    });
    if (options.verbose) console.log(run.stdout, run.stderr);
    const checks = new Map();
    for (const folder of fs.readdirSync(out)) {
      const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(folder)?.[1];
      const file = path.join(out, folder, 'checks.json');
      if (scenario && fs.existsSync(file)) checks.set(scenario, JSON.parse(fs.readFileSync(file, 'utf8')));
    }
    return { checks, printed: (run.stderr || run.stdout).trim().split('\n').slice(-6).join('\n        ') };
  } finally {
    fs.rmSync(out, { recursive: true, force: true });
  }
}

function judge(checks, printed) {
  if (!checks) return { isOk: false, succeeded: 0, problems: [`it did not run:\n        ${printed}`] };
  const succeeded = checks.filter(({ status }) => status === 'SUCCESS').length;
  const problems = checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? ''}`);
  if (succeeded === 0) problems.push('nothing was checked');
  return { isOk: problems.length === 0, succeeded, problems };
}

const server = spawn(process.execPath, [options.server], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await Promise.race([
  once(createInterface({ input: server.stdout }), 'line'),
  once(server, 'exit').then(([code]) =>
    Promise.reject(new Error(`The fixture server ended with ${code} before it listened.`)),
  ),
]);
const url = line.replace(/^listening /, '');

let passed = 0;
let failed = 0;
const table = [];
try {
  for (const [revision, kinds] of Object.entries(scenarios)) {
    if (options.revision && !options.revision.includes(revision)) continue;
    const all = options.only ? undefined : runSuite(url, ['--requirements', revision]);
    for (const [kind, names] of Object.entries(kinds)) {
      const results = names
        .filter((name) => !options.only || options.only.includes(name))
        .map((name) => {
          // Extension scenarios are in no revision's list, so they are run by name.
          const { checks, printed } = all?.checks.has(name)
            ? all
            : runSuite(url, ['--scenario', name, '--spec-version', revision, '--force']);
          return { name, ...judge(checks.get(name), printed) };
        });
      for (const { name, isOk, succeeded, problems } of results) {
        console.log(
          `${isOk ? 'pass' : 'FAIL'}  ${revision}  ${name}${kind === 'scored' ? '' : '  (not scored)'}  (${succeeded} checks)`,
        );
        for (const problem of problems) console.log(`        ${problem}`);
      }
      const ok = results.filter(({ isOk }) => isOk).length;
      passed += ok;
      failed += results.length - ok;
      const checks = results.reduce((sum, { succeeded }) => sum + succeeded, 0);
      table.push(
        `${revision}   ${kind.padEnd(6)}   ${String(ok).padStart(3)} of ${String(results.length).padStart(3)}   ${String(checks).padStart(4)}`,
      );
    }
  }
} finally {
  server.kill();
}
console.log(`\nrevision     scenarios      passed   checks\n${table.join('\n')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
