// The unit ring: every bundled *.test.mjs below dist/test/unit, in Node's own runner.
//   node test/unit/run.mjs             all
//   node test/unit/run.mjs session     files whose path contains "session"
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';

const root = 'dist/test/unit';
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => file.includes(part))))
  .map((file) => path.resolve(root, file));

let passed = 0;
let failed = 0;
/** Tests skipped on this system, with the reason: neither passed nor failed. */
const leftOut = [];
/** A suite counts through its tests; a file that crashes before its first test counts as one failure. */
const isSuite = (data) => data.details?.type === 'suite';

const durations = new Map();
function keepDuration({ file, nesting, details }) {
  if (nesting === 0 && file) durations.set(file, (durations.get(file) ?? 0) + details.duration_ms);
}

await new Promise((resolve) => {
  const events = run({ files, concurrency: 3, timeout: 300_000 });
  events.on('test:pass', (data) => {
    keepDuration(data);
    if (data.skip !== undefined) leftOut.push(`${path.relative(root, data.file ?? '')} › ${data.name}: ${data.skip}`);
    else if (!isSuite(data) && !files.includes(data.name)) passed++;
  });
  events.on('test:fail', (data) => {
    keepDuration(data);
    if (isSuite(data)) return;
    const { error } = data.details;
    // The runner also reports the file of a failed test; only files without their own tests are counted.
    if (files.includes(data.name) && error?.failureType === 'subtestsFailed') return;
    failed++;
    console.log(
      `not ok ${path.relative(root, data.file ?? '')} › ${data.name}\n  ${String(error?.cause?.stack ?? error?.cause ?? error).replaceAll('\n', '\n  ')}`,
    );
  });
  events.on('test:stderr', (data) => process.stderr.write(data.message));
  events.on('end', resolve);
  events.resume();
});
const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, 10);
if (wanted.length === 0)
  console.log(
    `The slowest files: ${slowest.map(([file, ms]) => `${path.relative(root, file).replace('.test.mjs', '')} ${(ms / 1_000).toFixed(1)} s`).join(', ')}`,
  );
for (const line of leftOut) console.log(`left out: ${line}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
