import os from 'node:os';
import path from 'node:path';
import { messageOf } from '../../core/base/hostError.js';
import { visibleLine, visibleText } from '../../core/base/hostileText.js';
import { writeInFolder } from '../../core/config/writeInFolder.js';
import { runTestFile } from '../../core/testing/runTestFile.js';
import type { CaseResult, FileResult, TestFile } from '../../core/testing/testModel.js';
import type { ExitCode } from '../cliError.js';
import { CliError, usageError } from '../cliError.js';
import { cliPorts } from '../cliHost.js';
import { lazyChecks } from '../lazyChecks.js';
import type { CliOption } from '../options.js';
import { optionNumber, serverOptions, optionText, optionTexts } from '../options.js';
import { githubReporter, jsonReporter, junitReporter } from '../reporters/machineFormats.js';
import { prettyReporter } from '../reporters/pretty.js';
import type { Reporter, ReporterContext } from '../reporters/reporter.js';
import { serverSources } from '../serverSources.js';
import type { FoundTests } from '../findTests.js';
import { TestBaseline } from '../testBaseline.js';
import { findTests, shardOf } from '../findTests.js';
import type { Command, CommandRun } from './command.js';

const reporters: Readonly<Record<string, (context: ReporterContext) => Reporter>> = {
  pretty: prettyReporter,
  junit: junitReporter,
  github: githubReporter,
  json: jsonReporter,
};

const options: Readonly<Record<string, CliOption>> = {
  reporter: { value: 'NAME', help: 'pretty (default), junit, github, or json.' },
  output: { value: 'FILE', help: 'Write the report to a file, and the pretty report to stdout.' },
  update: { help: 'Store the snapshots, and the baseline if --baseline names one.' },
  baseline: { value: 'FILE', help: 'Known failures, which do not fail the run. --update writes the file.' },
  watch: { help: 'Run tests again when their file, their snapshots, or a file that dev.watch names changes.' },
  bail: { help: 'Stop after the first failure.' },
  retry: { value: 'N', help: 'Run a failed test up to N more times.' },
  shard: { value: 'I/N', help: 'Run part I of N parts of the files.' },
  tag: { value: 'TAG', isRepeated: true, help: 'Run only tests with one of these tags.' },
  name: { value: 'TEXT', help: 'Run only tests whose name contains the text.' },
  fixture: { value: 'FOLDER', help: 'The folder of {{fixture}} in suites of mcp-assert. Each file gets a copy.' },
  config: serverOptions.config,
  yes: serverOptions.yes,
};

export const testCommand: Command = {
  words: '[files or folders]',
  help: 'Run tests. Without names, run all *.mcptest.yaml below the folder.',
  options,
  examples: [
    'mcp-deck test --yes',
    'mcp-deck test calculator.mcptest.yaml --update --yes',
    'mcp-deck test --watch --yes',
    'mcp-deck test --reporter junit --output report.xml --shard 1/2 --yes',
  ],
  run: async (run) => {
    if (run.options.values['watch'] !== true) return runFound(run, await find(run));
    checkWatch(run);
    const { watchTests } = await import('../testWatch.js');
    return watchTests(run, { find: () => find(run), runFound: (found) => runFound(run, found) });
  },
};

async function find({ options: parsed, folder }: CommandRun): Promise<FoundTests> {
  const { tests, problems } = await findTests(parsed.words, folder);
  if (tests.length + problems.length === 0) throw usageError('There are no test files. They are named *.mcptest.yaml.');
  return { tests: shardOf(tests, optionText(parsed, 'shard')), problems };
}

function runFound(run: CommandRun, found: FoundTests): Promise<ExitCode> {
  return found.problems.length > 0 ? Promise.resolve(reportProblems(run, found)) : runAll(run, found.tests);
}

/**
 * Refuses options that `--watch` cannot fulfill: a document on stdout and a baseline cover all tests, but later runs
 * cover only those of changed files.
 */
function checkWatch({ options: parsed, output }: CommandRun): void {
  const name = optionText(parsed, 'reporter') ?? 'pretty';
  if (output.isJson || name !== 'pretty' || optionText(parsed, 'output') !== undefined)
    throw usageError('--watch writes the pretty report only. Remove --json, --reporter, and --output.');
  if (optionText(parsed, 'baseline') !== undefined && parsed.values['update'] === true)
    throw usageError('--watch cannot update a baseline. Remove --watch or --update.');
}

/** Shows what is wrong in the files. Nothing runs. */
function reportProblems({ output, folder }: CommandRun, { problems }: FoundTests): ExitCode {
  const all = problems.flatMap(({ file, problems: list }) =>
    list.map((problem) => ({ file: path.relative(folder, file), ...problem })),
  );
  if (output.isJson)
    output.json({ ok: false, error: { code: 'invalid-tests', message: 'No test ran.', problems: all } });
  else {
    for (const { file, line, column, message } of all)
      output.note(visibleText(`${file}:${line}:${column}: ${message}`));
    output.note('No test ran.');
  }
  return 2;
}

/** The writers of the report: stdout, or a file and the pretty report on stdout. */
function openReport(run: CommandRun): { reporters: Reporter[]; finish: () => Promise<void> } {
  const { options: parsed, output, folder } = run;
  const name = optionText(parsed, 'reporter') ?? (output.isJson ? 'json' : 'pretty');
  const make = Object.hasOwn(reporters, name) ? reporters[name] : undefined;
  if (!make) throw usageError(`--reporter must be one of: ${Object.keys(reporters).join(', ')}.`);
  const file = optionText(parsed, 'output');
  const shown: ReporterContext = { output, folder, write: (line) => output.line(line) };
  if (file === undefined)
    return { reporters: [make({ ...shown, write: (line) => output.report(line) })], finish: () => Promise.resolve() };
  const lines: string[] = [];
  return {
    reporters: [make({ output, folder, write: (line) => lines.push(line) }), prettyReporter(shown)],
    finish: () =>
      writeInFolder(path.resolve(folder, file), `${lines.join('\n')}\n`, folder).catch((error: unknown) => {
        throw new CliError(2, 'no-report', `The report was not written: ${messageOf(error)}`);
      }),
  };
}

async function runAll(run: CommandRun, tests: readonly TestFile[]): Promise<ExitCode> {
  const { output, options: parsed, questions } = run;
  const { reporters: all, finish } = openReport(run);
  const began = performance.now();
  const isBail = parsed.values['bail'] === true;
  const baseline = await openBaseline(run);
  const shown = (result: CaseResult) => baseline?.apply(result) ?? result;
  let hasFailed = false;
  const onCase = (ended: CaseResult): boolean => {
    const result = shown(ended);
    // A refused start ends the command with its own message.
    if (questions.refusal) return false;
    hasFailed ||= result.status === 'failed';
    for (const reporter of all) reporter.onCase?.(result);
    return !(isBail && hasFailed);
  };
  const settings = runSettings(run);
  const count = isBail ? 1 : Math.min(4, os.availableParallelism());
  const results = await inParallel(tests, count, async (test) => {
    const done: FileResult[] = [];
    for (const era of test.eras) {
      if ((isBail && hasFailed) || run.signal.aborted || questions.refusal) break;
      output.progress(`${visibleLine(path.basename(test.file))}…`);
      const held: CaseResult[] = [];
      const result = await runTestFile(test, era, {
        ...settings,
        // All eras share the snapshots, which the first one stores.
        isUpdating: settings.isUpdating && era === test.eras[0],
        // Cases of files that run at the same time are reported file by file.
        onCase: (one) => (isBail ? onCase(one) : held.push(one) > 0),
      });
      for (const one of held) onCase(one);
      done.push(result);
    }
    return done;
  });
  const files = results.flat().map((file) => ({ ...file, cases: file.cases.map(shown) }));
  if (questions.refusal) throw questions.refusal;
  for (const reporter of all) reporter.onEnd({ files, durationMs: Math.round(performance.now() - began) });
  await finish();
  if (run.signal.aborted) throw new CliError(2, 'cancelled', 'The run was canceled.');
  if (baseline && settings.isUpdating) {
    await baseline.write(files);
    return exitCode(files.map((file) => ({ ...file, cases: [] })));
  }
  for (const key of baseline?.repaired(files) ?? [])
    output.note(`This test is a known failure and passes now: ${visibleLine(key, 300)}`);
  return exitCode(files);
}

/** The baseline of `--baseline`; undefined without the option. */
async function openBaseline({ options: parsed, folder }: CommandRun): Promise<TestBaseline | undefined> {
  const file = optionText(parsed, 'baseline');
  if (file === undefined) return undefined;
  return TestBaseline.open(path.resolve(folder, file), folder, parsed.values['update'] === true);
}

function exitCode(files: readonly FileResult[]): ExitCode {
  if (files.some(({ startFailure }) => startFailure !== undefined)) return 2;
  return files.some(({ cases }) => cases.some(({ status }) => status === 'failed')) ? 1 : 0;
}

function runSettings(run: CommandRun) {
  const { options: parsed, output, questions, folder, signal } = run;
  const checks = lazyChecks();
  const fixture = optionText(parsed, 'fixture');
  const tags = optionTexts(parsed, 'tag');
  const name = optionText(parsed, 'name');
  return {
    ports: cliPorts({ output, questions, configuration: serverSources(parsed, folder) }),
    folder,
    signal,
    checkSchema: checks,
    confirmVariables: (names: readonly string[], test: TestFile) =>
      questions.confirmVariables(names, path.relative(folder, test.file)),
    retries: optionNumber(parsed, 'retry', 0, 100) ?? 0,
    isUpdating: parsed.values['update'] === true,
    fixture: fixture === undefined ? undefined : path.resolve(folder, fixture),
    filter: (test: TestFile['tests'][number]) =>
      (tags.length === 0 || test.tags.some((tag) => tags.includes(tag))) &&
      (name === undefined || test.name.includes(name)),
  };
}

/** Runs tasks, at most `count` at the same time. The results have the order of the items. */
async function inParallel<Item, T>(
  items: readonly Item[],
  count: number,
  run: (item: Item) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const waiting = [...items.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: count }, () => work()));
  return results;
}
