// What `npm run check` runs: types, code style, texts, unused code, and layout. Two checks run at a time, because the
// machines of CI have two cores. The output of each is printed when it ends, and one failure fails the whole.
import { spawn } from 'node:child_process';

// The longest first, so that both workers end at about the same time.
const checks = [
  ['eslint', '--max-warnings', '0', '.'],
  ['tsc', '--build'],
  ['prettier', '--check', '--log-level', 'warn', '.'],
  ['knip', '--no-progress'],
  ['node', 'l10n.mjs', '--check'],
];

/** Runs one check, and resolves with whether it passed. `npm run` puts the programs of the packages on PATH. */
function runCheck([program, ...args]) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(program, args, { shell: process.platform === 'win32', stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => output.push(Buffer.from(String(error))));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      console.log(`${program} ${code === 0 ? 'passed' : 'failed'} (${Math.round((Date.now() - started) / 1_000)} s)`);
      resolve(code === 0);
    });
  });
}

let hasPassed = true;
const work = async () => {
  for (let next = checks.shift(); next; next = checks.shift()) if (!(await runCheck(next))) hasPassed = false;
};
await Promise.all([work(), work()]);
process.exitCode = hasPassed ? 0 : 1;
