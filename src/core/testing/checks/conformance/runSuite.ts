import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { HostError, UserError } from '../../../base/hostError.js';
import { visibleLine } from '../../../base/hostileText.js';
import { findCommand, withoutProjectPrograms } from '../../../transport/stdio/findCommand.js';
import { killTree, listProcesses, treeOf } from '../../../transport/stdio/processTree.js';
import { windowsCommand } from '../../../transport/stdio/windowsCommand.js';
import type { SuiteProgram, SuiteRevision } from './suiteProgram.js';
import { makeSuiteFolder } from './suiteProgram.js';
import type { ScenarioResult, SuiteCheck } from './suiteResults.js';
import { readSuiteResults, scenarioResult } from './suiteResults.js';

export interface SuiteRun {
  program: SuiteProgram;
  /** The URL of the server. */
  url: string;
  revision: SuiteRevision;
  /** Runs only these scenarios; empty: all that the revision requires. */
  scenarios: readonly string[];
  /** The working directory of a suite that is in the project, absolute. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Called when a scenario begins. */
  onScenario?: (name: string) => void;
}

/**
 * Time limit of one start of the suite, in milliseconds. Selected scenarios run in one start each. Each scenario has a
 * limit of 30 seconds in the suite itself.
 */
const limitMs = 20 * 60_000;
/** Maximum length of the output that is read, in characters. */
const maxOutput = 4_000_000;

/**
 * Runs the official server suite against a URL. Rejects with `UserError` if the suite does not run, and with
 * `cancelled` if the signal is aborted.
 */
export async function runSuite(run: SuiteRun): Promise<ScenarioResult[]> {
  const { scenarios, revision, onScenario } = run;
  const own = await mkdtemp(path.join(os.tmpdir(), 'mcp-deck-conformance-'));
  const out = path.join(own, 'results');
  try {
    await mkdir(out);
    const place = run.program.isInstalled
      ? { folder: run.folder, env: run.env }
      : { folder: await makeSuiteFolder(own), env: withoutProjectPrograms(run.env) };
    const names = new Set<string>();
    const unscored = new Set<string>();
    const begun = (name: string) => {
      names.add(name);
      onScenario?.(name);
    };
    const results = new Map<string, readonly SuiteCheck[]>();
    const parts =
      scenarios.length === 0 ? [['--requirements', revision]] : scenarios.map((name) => scenarioArgs(name, revision));
    for (const [index, args] of parts.entries()) {
      const scenario = scenarios[index];
      if (scenario !== undefined) begun(scenario);
      const output = await outputOf({ ...run, ...place }, ['server', '--url', run.url, '-o', out, ...args], (line) => {
        const name = /^=== Running scenario: ([\w.-]+) ===$/.exec(line)?.[1];
        if (name !== undefined) begun(name);
      });
      for (const name of unscoredIn(output)) unscored.add(name);
      for (const [name, checks] of await readSuiteResults(out)) results.set(name, checks);
      if (scenario === undefined ? results.size === 0 : !results.has(scenario)) throw notRun(output);
    }
    return [...names].map((name) => scenarioResult(name, results.get(name), !unscored.has(name)));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

function scenarioArgs(name: string, revision: string): string[] {
  return ['--scenario', name, '--spec-version', revision, '--force'];
}

/**
 * The scenarios that the revision does not require: the last part of the suite's summary names them. Texts of the
 * server can be before the summary.
 */
function unscoredIn(output: string): string[] {
  const [, list = ''] = output
    .slice(Math.max(0, output.lastIndexOf('\nNot scored for ')))
    .split(/^Not scored for .*$/m);
  return [...list.matchAll(/^ {2}\S{1,10} ([\w.-]{1,200}) \([^)\n]{0,200}\)$/gm)].map(([, name = '']) => name);
}

function notRun(output: string): UserError {
  const lines = output.trim().split('\n');
  if (/does not provide an export named 'globSync'/.test(output))
    return new UserError(t('The conformance suite needs Node.js 22 or later.'));
  const last = lines.find((line) => /\b(?:unknown|npm error|error:) /i.test(line)) ?? lines.at(-1) ?? '';
  return new UserError(t('The conformance suite did not run: {0}', visibleLine(last, 300)));
}

/** Runs the suite once, and returns what it wrote to both streams. Its exit code only repeats the results. */
function outputOf(run: SuiteRun, args: readonly string[], onLine: (line: string) => void): Promise<string> {
  const { program, folder, env, signal } = run;
  const isWindows = process.platform === 'win32';
  const { found } = findCommand(program.command, env, folder);
  if (found === undefined)
    return Promise.reject(
      new UserError(t('The program "{0}", which runs the conformance suite, was not found.', program.command)),
    );
  const all = [...program.args, ...args];
  const start = isWindows ? windowsCommand(found, all) : { command: found, args: all, windowsVerbatimArguments: false };
  return new Promise((resolve, reject) => {
    const child = spawn(start.command, start.args, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: start.windowsVerbatimArguments,
      detached: !isWindows,
    });
    let output = '';
    let line = '';
    const read = (chunk: Buffer) => {
      const text = chunk.toString();
      if (output.length < maxOutput) output += text;
      const lines = (line + text).split('\n');
      line = (lines.pop() ?? '').slice(-10_000);
      for (const one of lines) onLine(one.trimEnd());
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const end = () => {
      const { pid } = child;
      if (pid !== undefined) void listProcesses().then((processes) => killTree(pid, treeOf(pid, false, [], processes)));
      // A process that has left the tree would keep the output open, and `close` would not follow.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    limit.addEventListener('abort', end, { once: true });
    if (limit.aborted) end();
    child.once('error', (error) => reject(new UserError(error.message)));
    child.once('close', () => {
      limit.removeEventListener('abort', end);
      if (signal.aborted) reject(new HostError('cancelled', 'The conformance run was canceled.'));
      else if (limit.aborted)
        reject(new UserError(t('The conformance suite did not end within {0} minutes.', limitMs / 60_000)));
      else resolve(output);
    });
  });
}
