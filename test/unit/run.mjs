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

/** Runs files and returns what happened in each: `{ passed, failures, skipped, ms }` by path. */
async function runFiles(paths, { concurrency }) {
  const results = new Map(paths.map((file) => [file, { passed: 0, failures: [], skipped: [], ms: 0 }]));
  /** A test of no known file, such as one that the runner reports without a file, counts for the first of the files. */
  const resultOf = ({ file, name }) => results.get(file) ?? results.get(name) ?? results.get(paths[0]);
  const keepDuration = (data) => {
    const result = resultOf(data);
    if (data.nesting === 0) result.ms += data.details.duration_ms;
  };
  await new Promise((resolve) => {
    const events = run({ files: paths, concurrency, timeout: 1_200_000 });
    events.on('test:pass', (data) => {
      keepDuration(data);
      const where = path.relative(root, data.file ?? '');
      if (data.skip !== undefined) resultOf(data).skipped.push(`${where} › ${data.name}: ${data.skip}`);
      else if (!isSuite(data) && !results.has(data.name)) resultOf(data).passed++;
    });
    events.on('test:fail', (data) => {
      keepDuration(data);
      if (isSuite(data)) return;
      const { error } = data.details;
      // The runner also reports the file of a failed test; only files without their own tests are counted.
      if (results.has(data.name) && error?.failureType === 'subtestsFailed') return;
      const reason = String(error?.cause?.stack ?? error?.cause ?? error).replaceAll('\n', '\n  ');
      resultOf(data).failures.push(`${path.relative(root, data.file ?? '')} › ${data.name}\n  ${reason}`);
    });
    events.on('test:stderr', (data) => process.stderr.write(data.message));
    events.on('end', resolve);
    events.resume();
  });
  return results;
}

const results = await runFiles(files, { concurrency: 3 });
const durations = [...results].map(([file, { ms }]) => [file, ms]).sort(([, a], [, b]) => b - a);
const failedFiles = files.filter((file) => results.get(file).failures.length > 0);
for (const file of failedFiles) {
  const [, again] = [...(await runFiles([file], { concurrency: 1 }))][0];
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
