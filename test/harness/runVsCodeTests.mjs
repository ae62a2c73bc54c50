/**
 * Runs suites inside the extension host of a real VS Code:
 *
 *   node test/harness/runVsCodeTests.mjs [label …] [--grep=part of a name] [--oldest]
 *
 * `--oldest` uses the oldest supported VS Code. The extension is loaded from the repository, so `dist/` must be built.
 * Exits with code 1 when a test failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { hostSuites } from './hostSuites.mjs';
import { isMain, repoRoot } from './paths.mjs';
import { oldestVsCode } from './realVsCode.mjs';
import { makeTempDir } from './tempDir.mjs';
import { openWindow } from './window.mjs';

const suiteTimeoutMs = 20 * 60_000;
const consoleLinesShown = 60;

/** Runs one suite and returns `{ passed, failed, failures }`; a suite that does not end counts as one failure. */
export async function runHostSuite(
  suite,
  { grep, env, log, isOldestVsCode, extensionDevelopmentPath = repoRoot, timeoutMs = suiteTimeoutMs } = {},
) {
  if (!existsSync(suite.testsPath)) throw new Error(`${suite.testsPath} is missing: run \`npm run build\` first.`);
  const temp = makeTempDir('result');
  const resultFile = path.join(temp.path, 'result.json');
  const files = suite.copyFiles();
  let window;
  let timer;
  try {
    window = await openWindow({
      extensionDevelopmentPath,
      extraExtensions: suite.extensions,
      extensionTestsPath: suite.testsPath,
      workspace: files.workspace,
      settings: suite.settings,
      machineSettings: suite.machineSettings,
      profile: suite.profile,
      isOldestVsCode,
      env: { ...env, MCP_DECK_TEST_RESULT: resultFile, ...(grep ? { MCP_DECK_TEST_GREP: grep } : {}) },
      log,
    });
    const isLate = new Promise((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
    });
    const exit = await Promise.race([window.testsExit, isLate]);
    if (existsSync(resultFile))
      return withLeftovers(JSON.parse(readFileSync(resultFile, 'utf8')), suite, await window.close());
    const what = exit === 'late' ? `did not end within ${timeoutMs / 1000} s` : `ended with ${exit} and left no result`;
    const lines = [...window.logs.page, ...window.logs.extensionHost]
      .slice(-consoleLinesShown)
      .map((line) => `  | ${line.replaceAll('\n', '\n  | ')}`);
    const error = `The suite ${what}. The window's console says:\n${lines.join('\n')}`;
    return { passed: 0, failed: 1, failures: [{ name: suite.label, error }] };
  } finally {
    clearTimeout(timer);
    await window?.close();
    files.remove();
    temp.remove();
  }
}

/** A process that outlives the extension host also counts as a failure. */
function withLeftovers(result, suite, { leftovers }) {
  if (leftovers.length === 0) return result;
  const error = `These processes outlived the extension host:\n${leftovers.map((one) => one.command).join('\n')}`;
  const failures = [...result.failures, { name: `${suite.label}: nothing keeps running`, error }];
  return { ...result, failed: result.failed + 1, failures };
}

/** Runs the given suites, prints failures and a summary, and returns the number of failures. */
export async function runVsCodeTests(labels, options = {}) {
  const total = { passed: 0, failed: 0 };
  const where = options.isOldestVsCode ? ` in VS Code ${oldestVsCode}` : '';
  for (const suite of hostSuites(labels)) {
    const started = Date.now();
    const result = await runHostSuite(suite, { log: console.log, ...options });
    total.passed += result.passed;
    total.failed += result.failed;
    for (const failure of result.failures) console.log(`\nnot ok ${failure.name}${where}\n${indent(failure.error)}\n`);
    for (const line of result.notes ?? []) console.log(`  ${line}`);
    console.log(
      `${suite.label}${where}: ${result.passed} passed, ${result.failed} failed (${((Date.now() - started) / 1000).toFixed(1)} s)`,
    );
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed;
}

function indent(text) {
  return text.replaceAll(/^/gm, '  ');
}

if (isMain(import.meta.url)) {
  const args = process.argv.slice(2);
  const grep = args.find((one) => one.startsWith('--grep='))?.slice('--grep='.length);
  const failed = await runVsCodeTests(
    args.filter((one) => !one.startsWith('--')),
    { grep, isOldestVsCode: args.includes('--oldest') },
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
