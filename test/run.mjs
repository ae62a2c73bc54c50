// Runs the test rings and adds up what they count.
//   node test/run.mjs                all rings; of e2e the scenarios that are not apart, each in one theme; some of both in
//                                    the oldest VS Code that is supported
//   node test/run.mjs unit e2e       only these, windows in every theme
// Windows spend much of their time waiting. When all rings run, their suites and scenarios are taken from one list by two
// workers, beside the rings without windows; what each says is printed when it is done.
// Each program ends with the line "N passed, N failed"; one that does not counts as a failure. What failed is said once more
// at the end, where somebody who reads only that finds it.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { wholeScenarios } from './e2e/run.mjs';
import { ensureBrowser } from './harness/browser.mjs';
import { hostSuites } from './harness/hostSuites.mjs';
import { ensureVsCode, oldestVsCode } from './harness/realVsCode.mjs';

const windowWorkers = 2;
/** What runs in the oldest VS Code that is supported as well. */
const inOldest = { suites: ['sample'], scenarios: ['firstMinute'] };

const rings = {
  unit: ['test/unit/run.mjs'],
  conformance: ['test/conformance/run.mjs'],
  'conformance-server': ['test/conformance/runServer.mjs'],
  vscode: ['test/harness/runVsCodeTests.mjs'],
  e2e: ['test/e2e/run.mjs'],
};

const chosen = process.argv.slice(2);
for (const name of chosen)
  if (!(name in rings)) throw new Error(`There is no ring "${name}"; there are: ${Object.keys(rings).join(', ')}.`);

/** Runs one program; its output is passed through, or printed as a whole at its end. Resolves with its counts. */
function runProgram(ring, title, args, { isHeldBack = false } = {}) {
  return new Promise((resolve) => {
    const started = Date.now();
    if (!isHeldBack) console.log(`\n=== ${title}`);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', isHeldBack ? 'pipe' : 'inherit'] });
    const held = [];
    child.stdout.on('data', (chunk) => {
      held.push(chunk);
      if (!isHeldBack) process.stdout.write(chunk);
    });
    child.stderr?.on('data', (chunk) => held.push(chunk));
    child.on('close', (code) => {
      const output = Buffer.concat(held).toString();
      const counts = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
      const passed = counts ? Number(counts[1]) : 0;
      let failed = counts ? Number(counts[2]) : 1;
      if (code !== 0 && failed === 0) failed = 1;
      if (isHeldBack) process.stdout.write(`\n=== ${title}\n${output}`);
      const problems = failed > 0 ? failuresIn(output) : [];
      if (!counts)
        problems.push(`ended with code ${code} and without a count; its last words:\n${output.slice(-1_000)}`);
      resolve({ ring, title, passed, failed, problems, seconds: Math.round((Date.now() - started) / 1_000) });
    });
  });
}

/** The tests a program says have failed: a line that begins so, and the lines below it that are indented. */
function failuresIn(output) {
  return output.match(/^(?:not ok|FAIL) .*(?:\n[ \t].*)*/gm) ?? [];
}

/** All suites and scenarios that need a window. */
async function runWindows() {
  await ensureVsCode({ log: console.log });
  await ensureVsCode({ isOldestVsCode: true, log: console.log });
  await ensureBrowser({ log: console.log });
  const scenario = (name, title, more) => [
    'e2e',
    title,
    [...rings.e2e, name, '--one-theme', ...more],
    `test/e2e/scenarios/${name}.mjs`,
  ];
  const hostSuite = ({ label, testsPath }, title, more) => [
    'vscode',
    title,
    [...rings.vscode, label, ...more],
    testsPath,
  ];
  const scenarios = (await wholeScenarios()).map((name) => scenario(name, name, []));
  const suites = hostSuites().map((suite) => hostSuite(suite, suite.label, []));
  scenarios.push(
    ...inOldest.scenarios.map((name) => scenario(name, `${name} in VS Code ${oldestVsCode}`, ['--oldest'])),
  );
  suites.push(
    ...hostSuites(inOldest.suites).map((suite) =>
      hostSuite(suite, `${suite.label} in VS Code ${oldestVsCode}`, ['--oldest']),
    ),
  );
  // The longest first, so that no worker is left alone with one at the end.
  const bySize = (one, other) => statSync(other[3]).size - statSync(one[3]).size;
  const waiting = [...suites.sort(bySize), ...scenarios.sort(bySize)];
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [ring, name, args] = next;
      results.push(await runProgram(ring, `${ring} ${name}`, args, { isHeldBack: true }));
    }
  };
  await Promise.all(Array.from({ length: windowWorkers }, work));
  return results;
}

const isWhole = chosen.length === 0;
const windows = isWhole ? runWindows() : [];
const results = [];
for (const [name, args] of Object.entries(rings)) {
  if (isWhole ? name !== 'vscode' && name !== 'e2e' : chosen.includes(name))
    results.push(await runProgram(name, name, args));
}
results.push(...(await windows));

for (const { title, problems } of results)
  for (const problem of problems) console.log(`\n=== failed: ${title}\n${problem}`);

const sum = (of, field) => of.reduce((total, result) => total + result[field], 0);
console.log('');
for (const name of Object.keys(rings)) {
  const own = results.filter(({ ring }) => ring === name);
  if (own.length > 0)
    console.log(
      `${name.padEnd(20)} ${String(sum(own, 'passed')).padStart(5)} passed ${String(sum(own, 'failed')).padStart(4)} failed  ${sum(own, 'seconds')} s`,
    );
}
console.log(`${sum(results, 'passed')} passed, ${sum(results, 'failed')} failed`);
process.exitCode = sum(results, 'failed') === 0 ? 0 : 1;
