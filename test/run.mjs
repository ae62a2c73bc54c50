// Runs the test rings and adds up their counts.
//   node test/run.mjs                all rings; e2e without the scenarios with `isApart`, each in one theme; some suites
//                                    and scenarios also in the oldest supported VS Code
//   node test/run.mjs unit e2e       only these rings, windows in every theme
// Windows wait for a third of their time. When all rings run, workers take suites and scenarios from one list: two while
// the rings without windows run, and three after that. The output of each is printed when it is done.
// Each program must end with the line "N passed, N failed"; otherwise it counts as a failure. Failures are repeated at
// the end. A suite or scenario that failed runs once more after all others: if it passes then, it counts as passed and
// its failures are printed as flaky, which is a defect of the test or of the product.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { wholeScenarios } from './e2e/run.mjs';
import { ensureBrowser } from './harness/browser.mjs';
import { hostSuites } from './harness/hostSuites.mjs';
import { ensureVsCode, oldestVsCode } from './harness/realVsCode.mjs';

/** Suites and scenarios that also run in the oldest supported VS Code. */
const inOldest = { suites: ['resources', 'consent', 'multi-root', 'trace'], scenarios: ['firstMinute'] };

const rings = {
  unit: ['test/unit/run.mjs'],
  conformance: ['test/conformance/run.mjs'],
  'conformance-server': ['test/conformance/runServer.mjs'],
  vscode: ['test/harness/runVsCodeTests.mjs'],
  e2e: ['test/e2e/run.mjs'],
};

const chosen = process.argv.slice(2);
for (const name of chosen)
  if (!(name in rings)) throw new Error(`Unknown ring "${name}". Rings: ${Object.keys(rings).join(', ')}.`);

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
        problems.push(`ended with code ${code} and without a count; its last output:\n${output.slice(-1_000)}`);
      const seconds = Math.round((Date.now() - started) / 1_000);
      resolve({ ring, title, args, passed, failed, problems, flaky: flakyIn(output), seconds });
    });
  });
}

/** The failed tests in the output of a program: each failure line, with the indented lines below it. */
function failuresIn(output) {
  return output.match(/^(?:not ok|FAIL) .*(?:\n[ \t].*)*/gm) ?? [];
}

/** The tests of a program that failed once and then passed. */
function flakyIn(output) {
  return output.match(/^flaky .*(?:\n[ \t].*)*/gm) ?? [];
}

/** Runs a failed suite or scenario once more. What passes now was flaky. */
async function runAgain(first) {
  const again = await runProgram(first.ring, `${first.title}, once more`, first.args, { isHeldBack: true });
  const seconds = first.seconds + again.seconds;
  return again.failed > 0 ? { ...again, seconds } : { ...again, seconds, title: first.title, flaky: first.problems };
}

/** All suites and scenarios that need a window. @param otherRings resolves when the other rings have ended. */
async function runWindows(otherRings) {
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
  // The longest first, so that both workers end at about the same time.
  const bySize = (one, other) => statSync(other[3]).size - statSync(one[3]).size;
  const waiting = [...suites.sort(bySize), ...scenarios.sort(bySize)];
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [ring, name, args] = next;
      results.push(await runProgram(ring, `${ring} ${name}`, args, { isHeldBack: true }));
    }
  };
  await Promise.all([work(), work(), otherRings.then(work)]);
  return results;
}

const isWhole = chosen.length === 0;
const results = [];
async function runRings() {
  for (const [name, args] of Object.entries(rings)) {
    if (isWhole ? name !== 'vscode' && name !== 'e2e' : chosen.includes(name))
      results.push(await runProgram(name, name, args));
  }
}
const otherRings = runRings();
const windows = isWhole ? runWindows(otherRings) : [];
await otherRings;
for (const result of await windows) results.push(result.failed > 0 ? await runAgain(result) : result);

for (const { title, flaky } of results) for (const problem of flaky) console.log(`\n=== flaky: ${title}\n${problem}`);

for (const { title, problems } of results)
  for (const problem of problems) console.log(`\n=== failed: ${title}\n${problem}`);

if (isWhole) {
  const slowest = [...results].sort((one, other) => other.seconds - one.seconds).slice(0, 10);
  console.log(`\nThe slowest: ${slowest.map(({ title, seconds }) => `${title} ${seconds} s`).join(', ')}`);
}

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
