// Runs the test rings one after the other and adds up what they count.
//   node test/run.mjs                all rings
//   node test/run.mjs unit e2e       only these, windows in every theme
// Each ring is a program that ends with the line "N passed, N failed"; one that does not counts as a failure.
import { spawn } from 'node:child_process';

const rings = {
  unit: ['test/unit/run.mjs'],
  conformance: ['test/conformance/run.mjs'],
  'conformance-server': ['test/conformance/runServer.mjs'],
  vscode: ['test/harness/runVsCodeTests.mjs'],
  e2e: ['test/e2e/run.mjs'],
};

const chosen = process.argv.slice(2);
// The whole has to stay within minutes: each scenario in one of its themes.
if (chosen.length === 0) rings.e2e.push('--one-theme');
for (const name of chosen) if (!(name in rings)) throw new Error(`There is no ring "${name}"; there are: ${Object.keys(rings).join(', ')}.`);

/** Runs one ring with its output passed through; resolves with its counts. */
function runRing(name, args) {
  return new Promise((resolve) => {
    const started = Date.now();
    console.log(`\n=== ${name}`);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let tail = '';
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk);
      tail = (tail + chunk).slice(-4_000);
    });
    child.on('close', (code) => {
      const counts = [...tail.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
      const passed = counts ? Number(counts[1]) : 0;
      let failed = counts ? Number(counts[2]) : 1;
      if (code !== 0 && failed === 0) failed = 1;
      if (!counts) console.log(`${name} ended with code ${code} and without a count.`);
      resolve({ name, passed, failed, seconds: Math.round((Date.now() - started) / 1_000) });
    });
  });
}

const results = [];
for (const [name, args] of Object.entries(rings)) {
  if (chosen.length === 0 || chosen.includes(name)) results.push(await runRing(name, args));
}
console.log('');
for (const { name, passed, failed, seconds } of results) console.log(`${name.padEnd(20)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed  ${seconds} s`);
const sum = (field) => results.reduce((total, result) => total + result[field], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
