// The unit ring: every bundled *.test.mjs below dist/test/unit, in Node's own runner.
//   node test/unit/run.mjs             all
//   node test/unit/run.mjs session     files whose path contains "session"
// A file with a failed test runs once more, alone. If it passes then, its tests count as passed and the failure is
// printed as flaky: a defect of the test or of the code that does not hide the state of everything else.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';

const root = 'dist/test/unit';
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => file.includes(part))))
  .map((file) => path.resolve(root, file));

/** A suite counts through its tests; a file that crashes before its first test counts as one failure. */
const isSuite = (data) => data.details?.type === 'suite';

/**
 * Runs one file, in a runner of its own, because a runner of several files reports some tests without their file.
 * Returns what happened: `{ passed, failures, skipped, ms }`.
 */
async function runFile(file) {
  const where = path.relative(root, file);
  const result = { passed: 0, failures: [], skipped: [], ms: 0 };
  const keepDuration = (data) => {
    if (data.nesting === 0) result.ms += data.details.duration_ms;
  };
  await new Promise((resolve) => {
    const events = run({ files: [file], concurrency: 1, timeout: 1_200_000 });
    events.on('test:pass', (data) => {
      keepDuration(data);
      if (data.skip !== undefined) result.skipped.push(`${where} › ${data.name}: ${data.skip}`);
      else if (!isSuite(data) && data.name !== file) result.passed++;
    });
    events.on('test:fail', (data) => {
      keepDuration(data);
      if (isSuite(data)) return;
      const { error } = data.details;
      // The runner also reports the file of a failed test; only files without their own tests are counted.
      if (data.name === file && error?.failureType === 'subtestsFailed') return;
      const reason = String(error?.cause?.stack ?? error?.cause ?? error).replaceAll('\n', '\n  ');
      result.failures.push(`${where} › ${data.name}\n  ${reason}`);
    });
    events.on('test:stderr', (data) => process.stderr.write(data.message));
    events.on('end', resolve);
    events.resume();
  });
  if (result.passed + result.failures.length + result.skipped.length === 0)
    result.failures.push(`${where} › no test of the file was run`);
  return result;
}

const results = new Map(files.map((file) => [file, undefined]));
const waiting = [...files];
const work = async () => {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) results.set(file, await runFile(file));
};
await Promise.all([work(), work(), work()]);
const durations = [...results].map(([file, { ms }]) => [file, ms]).sort(([, a], [, b]) => b - a);
for (const file of files.filter((one) => results.get(one).failures.length > 0)) {
  const again = await runFile(file);
  const label = again.failures.length === 0 ? 'flaky' : 'not ok';
  for (const failure of results.get(file).failures) console.log(`${label} ${failure}`);
  results.set(file, again);
}

const all = [...results.values()];
const passed = all.reduce((sum, one) => sum + one.passed, 0);
const failed = all.reduce((sum, one) => sum + one.failures.length, 0);
if (wanted.length === 0)
  console.log(
    `The slowest files: ${durations
      .slice(0, 10)
      .map(([file, ms]) => `${path.relative(root, file).replace('.test.mjs', '')} ${(ms / 1_000).toFixed(1)} s`)
      .join(', ')}`,
  );
for (const line of all.flatMap(({ skipped }) => skipped)) console.log(`left out: ${line}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
