/**
 * Runs the same suites as `runVsCodeTests.mjs` in the desktop VS Code, which `@vscode/test-electron` downloads:
 *
 *   node test/harness/runDesktop.mjs [label …]        (on Linux without a display: under xvfb-run)
 *
 * MCP_DECK_VSCODE_VERSION selects the version (default "stable"; for the oldest supported one see `engines.vscode` in
 * package.json). This script needs access to Microsoft's download server; the rest of the harness does not.
 */
import { runTests } from '@vscode/test-electron';
import { downloadDesktop, makeDesktopProfile } from './desktop.mjs';
import { hostSuites } from './hostSuites.mjs';
import { repoRoot } from './paths.mjs';

const labels = process.argv.slice(2).filter((one) => !one.startsWith('--'));
const vscodeExecutablePath = await downloadDesktop(process.env.MCP_DECK_VSCODE_VERSION);

const total = { passed: 0, failed: 0 };
for (const suite of hostSuites(labels)) {
  if (suite.machineSettings) {
    console.log(`${suite.label}: skipped, because it needs a remote window`);
    continue;
  }
  const profile = makeDesktopProfile(suite.settings);
  const files = suite.copyFiles();
  try {
    // Rejects when `run()` of the suite rejects. Failures are printed to VS Code's output, which is passed through.
    await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: [repoRoot, ...suite.extensions],
      extensionTestsPath: suite.testsPath,
      extensionTestsEnv: { MCP_DECK_REPO: repoRoot },
      launchArgs: [...(files.workspace ? [files.workspace] : []), ...profile.args],
    });
    total.passed++;
  } catch (error) {
    total.failed++;
    console.log(`not ok ${suite.label}: ${error.message}`);
  } finally {
    files.remove();
    profile.remove();
  }
}
console.log(`${total.passed} suites passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
