/**
 * The suites that run inside VS Code's extension host: `test/vscode/<label>/index.ts`, bundled to
 * `dist/test/vscode/<label>.cjs`. An optional `window.json` beside `index.ts` describes the window of the suite:
 *
 *   { "workspace": "sample", "settings": { … }, "extensions": ["scripted-model"] }
 *
 * `workspace` is a folder of `test/fixtures/workspaces` (or `folder/name.code-workspace`, or null for none),
 * `extensions` are folders of `test/fixtures/extensions`, `machineSettings` are the settings of the remote machine: the
 * windows of the harness are remote windows, those of the desktop are not. `profile` is the name of another profile of
 * the user that the window opens, with no settings: `settings` are those of the default profile. Without the file: the sample workspace, nothing else.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot, repoRoot } from './paths.mjs';
import { copyForWindow } from './workspaces.mjs';

const suitesRoot = path.join(repoRoot, 'test', 'vscode');

/** The suites with these labels, or all. `copyFiles()` of a suite copies its workspace. */
export function hostSuites(labels = []) {
  const all = readdirSync(suitesRoot, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(suitesRoot, entry.name, 'index.ts')))
    .map((entry) => entry.name)
    .sort();
  const unknown = labels.filter((label) => !all.includes(label));
  if (unknown.length > 0) throw new Error(`Unknown suite ${unknown.join(', ')}. Suites: ${all.join(', ')}.`);
  return labels.length > 0 ? labels.map(readSuite) : all.map(readSuite).filter(({ isApart }) => !isApart);
}

function readSuite(label) {
  const file = path.join(suitesRoot, label, 'window.json');
  const {
    workspace = 'sample',
    settings = {},
    machineSettings,
    profile,
    extensions = [],
    isApart = false,
  } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return {
    label,
    isApart,
    settings,
    machineSettings,
    profile,
    testsPath: path.join(repoRoot, 'dist', 'test', 'vscode', `${label}.cjs`),
    extensions: extensions.map((name) => path.join(fixturesRoot, 'extensions', name)),
    /** Copies the workspace: see `copyForWindow`. */
    copyFiles: () => copyForWindow(workspace),
  };
}
