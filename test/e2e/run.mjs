/**
 * Operates the packaged extension in a real VS Code window as a user does:
 *
 *   node test/e2e/run.mjs [scenario …] [--theme=dark,light,hc | --one-theme] [--oldest] [--vsix=file]
 *
 * Without a theme, each scenario runs in all of its themes. `--one-theme` assigns one theme to each, in rotation, so
 * that every theme is tested in a fraction of the time; the rotation leaves out `hcLight`. `--oldest` uses the oldest
 * supported VS Code.
 *
 * A scenario is a file `test/e2e/scenarios/<name>.mjs` with
 *
 *   export const themes = ['dark']; // default: all themes
 *   export const isApart = true; // excluded from `npm test`, which must stay within minutes; default: false
 *   export const window = { workspace: 'sample', settings: { … }, extensions: ['scripted-model'], env: { … } };
 *   export async function run({ workbench, step, workspace, window }) { await step('…', async () => { … }); }
 *
 * Each scenario gets its own window. `workspace` is a folder of `test/fixtures/workspaces` (or
 * `folder/name.code-workspace`, or null); `extensions` are folders of `test/fixtures/extensions`; `env` may be a
 * function of the copied workspace. A failed step saves a screenshot in `.vscode-test/screenshots/failures/`.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { newestVsix } from '../harness/newestVsix.mjs';
import { fixturesRoot, isMain, screenshotsRoot } from '../harness/paths.mjs';
import { oldestVsCode } from '../harness/realVsCode.mjs';
import { openWindow } from '../harness/window.mjs';
import { copyForWindow } from '../harness/workspaces.mjs';
import { makeSteps } from './steps.mjs';
import { Workbench } from './workbench.mjs';

const scenariosRoot = path.join(path.dirname(fileURLToPath(import.meta.url)), 'scenarios');
const allThemes = ['dark', 'light', 'hc', 'hcLight'];
const stepTimeoutMs = 90_000;

/** Runs one scenario in one theme and returns `{ passed, failed, failures }`. */
export async function runScenario(scenario, { name, theme = 'dark', vsix, isOldestVsCode, log = console.log }) {
  const { workspace: fixture = 'sample', settings, extensions = [], env = {}, ...rest } = scenario.window ?? {};
  const where = isOldestVsCode ? `${theme}, VS Code ${oldestVsCode}` : theme;
  const files = copyForWindow(fixture);
  let window;
  try {
    window = await openWindow({
      vsix,
      extraExtensions: extensions.map((folder) => path.join(fixturesRoot, 'extensions', folder)),
      workspace: files.workspace,
      settings,
      theme,
      isOldestVsCode,
      env: typeof env === 'function' ? env(files) : env,
      ...rest,
      log,
    });
    window.page.setDefaultTimeout(stepTimeoutMs);
    const workbench = new Workbench(window);
    const { step, result } = makeSteps({
      log,
      onFailure: (failed) =>
        workbench.screenshot(`${name}-${fileName(failed)}`, path.join(screenshotsRoot, 'failures')),
    });
    await step(`${name} (${where}): runs to its end`, () =>
      scenario.run({ workbench, step, window, workspace: files }),
    );
    await step(`${name} (${where}): nothing keeps running`, async () => {
      const { leftovers } = await window.close();
      if (leftovers.length > 0)
        throw new Error(`These processes outlived the window:\n${leftovers.map((one) => one.command).join('\n')}`);
    });
    if (result.failed > 0) log(`The extension host said:\n${window.logs.extensionHost.slice(-40).join('\n')}`);
    return result;
  } finally {
    await window?.close();
    files.remove();
  }
}

/**
 * Runs the named scenarios, or all, in the given themes or in their own. Prints a summary and returns the number of
 * failed steps.
 */
export async function runScenarios(
  names,
  { themes, hasOneTheme = false, vsix = newestVsix(), isOldestVsCode, log = console.log } = {},
) {
  const total = { passed: 0, failed: 0 };
  const all = scenarioNames();
  for (const name of names.length > 0 ? names : all) {
    const scenario = await import(pathToFileURL(path.join(scenariosRoot, `${name}.mjs`)).href);
    const own = scenario.themes ?? allThemes;
    const inTurn = own.filter((theme) => theme !== 'hcLight');
    for (const theme of themes ?? (hasOneTheme ? [inTurn[all.indexOf(name) % inTurn.length]] : own)) {
      const result = await runScenario(scenario, { name, theme, vsix, isOldestVsCode, log });
      total.passed += result.passed;
      total.failed += result.failed;
    }
  }
  log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed;
}

/** All scenarios, by name. */
export function scenarioNames() {
  if (!existsSync(scenariosRoot)) return [];
  return readdirSync(scenariosRoot)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => path.basename(file, '.mjs'))
    .sort();
}

/** The scenarios that are part of `npm test`. */
export async function wholeScenarios() {
  const all = await Promise.all(
    scenarioNames().map(async (name) => ({
      name,
      ...(await import(pathToFileURL(path.join(scenariosRoot, `${name}.mjs`)).href)),
    })),
  );
  return all.filter(({ isApart = false }) => !isApart).map(({ name }) => name);
}

function fileName(text) {
  return text.replaceAll(/[^\w-]+/g, '-').slice(0, 80);
}

if (isMain(import.meta.url)) {
  const args = process.argv.slice(2);
  const option = (name) => args.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
  const failed = await runScenarios(
    args.filter((one) => !one.startsWith('--')),
    {
      ...(option('theme') ? { themes: option('theme').split(',') } : {}),
      hasOneTheme: args.includes('--one-theme'),
      isOldestVsCode: args.includes('--oldest'),
      ...(option('vsix') ? { vsix: path.resolve(option('vsix')) } : {}),
    },
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
