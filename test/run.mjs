// Runs the test rings and adds up what they count. Windows spend much of their time waiting: they are driven beside the
// other rings, and what they say is printed when they are done.
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

/** Runs one ring; its output is passed through, or printed as a whole at its end. Resolves with its counts. */
function runRing(name, args, { isHeldBack = false } = {}) {
  return new Promise((resolve) => {
    const started = Date.now();
    if (!isHeldBack) console.log(`\n=== ${name}`);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', isHeldBack ? 'pipe' : 'inherit'] });
    const held = [];
    let tail = '';
    child.stdout.on('data', (chunk) => {
      if (isHeldBack) held.push(chunk);
      else process.stdout.write(chunk);
      tail = (tail + chunk).slice(-4_000);
    });
    child.stderr?.on('data', (chunk) => held.push(chunk));
    child.on('close', (code) => {
      if (isHeldBack) process.stdout.write(`\n=== ${name}\n${Buffer.concat(held)}`);
      const counts = [...tail.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
      const passed = counts ? Number(counts[1]) : 0;
      let failed = counts ? Number(counts[2]) : 1;
      if (code !== 0 && failed === 0) failed = 1;
      if (!counts) console.log(`${name} ended with code ${code} and without a count.`);
      resolve({ name, passed, failed, seconds: Math.round((Date.now() - started) / 1_000) });
    });
  });
}

const wanted = Object.entries(rings).filter(([name]) => chosen.length === 0 || chosen.includes(name));
const windows = wanted.length > 1 ? wanted.find(([name]) => name === 'e2e') : undefined;
const besides = windows && runRing(...windows, { isHeldBack: true });
const results = [];
for (const ring of wanted) if (ring !== windows) results.push(await runRing(...ring));
if (besides) results.push(await besides);
console.log('');
for (const { name, passed, failed, seconds } of results) console.log(`${name.padEnd(20)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed  ${seconds} s`);
const sum = (field) => results.reduce((total, result) => total + result[field], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
