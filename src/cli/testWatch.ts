import path from 'node:path';
import { systemClock } from '../core/base/clock.js';
import type { Disposable } from '../core/base/disposable.js';
import { isCancelled, messageOf } from '../core/base/hostError.js';
import { visibleLine } from '../core/base/hostileText.js';
import { devWatchOf, readDevWatch } from '../core/config/dev.js';
import { snapshotFile } from '../core/testing/snapshots.js';
import { isTestFileName } from '../core/testing/readTestFile.js';
import type { TestFile } from '../core/testing/testModel.js';
import { compileGlob } from '../core/workspaceServer/globRules.js';
import type { ExitCode } from './cliError.js';
import { CliError } from './cliError.js';
import { withHost } from './cliHost.js';
import type { CommandRun } from './commands/command.js';
import { FolderWatch } from './folderWatch.js';
import { serverSources } from './serverSources.js';
import type { FoundTests } from './findTests.js';
import { foldersOfTests } from './findTests.js';

/** Time without a change before the tests run, ms. Editors save in several steps, and builds write many files. */
const quietMs = 200;
/**
 * Maximum of this time, ms. The time doubles with each consecutive run during which files change, because the server
 * may write them.
 */
const longestQuietMs = 10_000;

export interface WatchedTests {
  /** Reads all test files of the command. */
  find(): Promise<FoundTests>;
  /** Runs the tests, or shows the problems of their files. */
  runFound(found: FoundTests): Promise<ExitCode>;
}

/**
 * Runs all tests, and then those whose files change, until the user presses `q` or Ctrl+C. Without a terminal, a line
 * `q` on stdin or the end of the process ends the watch.
 * @returns the exit code of the last run.
 */
export async function watchTests(run: CommandRun, tests: WatchedTests): Promise<ExitCode> {
  const watch = new TestWatch(run, tests);
  try {
    return await watch.run();
  } finally {
    watch.dispose();
  }
}

/** The files that the server of a test file names in `dev.watch`. */
interface WatchedServer {
  folder: string;
  isWatched: (file: string) => boolean;
}

class TestWatch implements Disposable {
  private readonly folders = new FolderWatch((file) => this.changed(file));
  /** The test files that run next: all, or those with these paths. */
  private pending: 'all' | Set<string> = 'all';
  private known: readonly TestFile[] = [];
  /** The files of servers, by the path of their test file. */
  private servers = new Map<string, WatchedServer>();
  private isRunning = false;
  private hasChangedInRun = false;
  /** Number of consecutive runs during which files changed. */
  private inARow = 0;
  private quiet: Disposable | undefined;
  private wake = () => undefined as void;
  private hasQuit = false;
  private code: ExitCode | undefined;

  constructor(
    private readonly command: CommandRun,
    private readonly tests: WatchedTests,
  ) {}

  async run(): Promise<ExitCode> {
    const { signal, output, folder, options } = this.command;
    signal.addEventListener('abort', () => this.wake(), { once: true });
    for (const { path: place, isDeep } of await foldersOfTests(options.words, folder))
      await this.folders.add(place, isDeep);
    while (!signal.aborted && !this.hasQuit) {
      await this.runPending();
      if (signal.aborted) break;
      if (this.folders.problem !== undefined) output.note(this.folders.problem);
      this.folders.problem = undefined;
      const keys = process.stdin.isTTY ? ' Press Enter to run all tests, or q to quit.' : '';
      output.note(`Waiting for changes.${keys}`);
      await this.change();
    }
    return this.code ?? 2;
  }

  dispose(): void {
    this.quiet?.dispose();
    this.folders.dispose();
  }

  private async runPending(): Promise<void> {
    const { output, questions, signal } = this.command;
    const taken = this.pending;
    this.pending = new Set();
    this.isRunning = true;
    this.hasChangedInRun = false;
    try {
      const found = await this.tests.find();
      await this.watchServers(found.tests);
      const isTaken = ({ file }: { file: string }) => taken === 'all' || taken.has(file);
      const chosen = { tests: found.tests.filter(isTaken), problems: found.problems.filter(isTaken) };
      if (taken !== 'all' && chosen.tests.length + chosen.problems.length === 0) return;
      if (taken !== 'all') {
        const all = found.tests.length + found.problems.length;
        output.note(`\nRunning ${chosen.tests.length + chosen.problems.length} of ${all} files.`);
      }
      this.code = await this.tests.runFound(chosen);
      // If a file has a mistake, no test runs, so all of these tests run after the next change.
      if (chosen.problems.length > 0) this.add(taken);
    } catch (error) {
      if (questions.refusal) throw questions.refusal;
      if (signal.aborted || isCancelled(error)) return;
      this.code = error instanceof CliError ? error.exitCode : 2;
      this.add(taken);
      output.note(messageOf(error));
    } finally {
      this.isRunning = false;
      this.inARow = this.hasChangedInRun ? this.inARow + 1 : 0;
    }
  }

  private add(files: 'all' | ReadonlySet<string>): void {
    this.pending = files === 'all' || this.pending === 'all' ? 'all' : new Set([...this.pending, ...files]);
  }

  /**
   * Watches the files that `dev.watch` of the servers names. The definition of a named server is in the configuration.
   */
  private async watchServers(tests: readonly TestFile[]): Promise<void> {
    this.known = tests;
    const { output, questions, options, folder } = this.command;
    const named = tests.some(({ server }) => server && 'name' in server);
    const servers = new Map<string, WatchedServer>();
    const collect = (patternsOf: (name: string) => readonly string[]) => {
      for (const { file, server } of tests) {
        if (!server) continue;
        const inline = 'definition' in server ? readDevWatch(server.definition['dev']) : undefined;
        const patterns = 'name' in server ? patternsOf(server.name) : Array.isArray(inline) ? inline : [];
        const place = 'name' in server ? folder : path.dirname(file);
        if (patterns.length > 0) servers.set(file, { folder: place, isWatched: selectionOf(patterns) });
      }
      return Promise.resolve();
    };
    if (named)
      await withHost({ output, questions, configuration: serverSources(options, folder) }, (host) =>
        collect((name) => {
          const entry = host.servers.get(name)?.entry;
          return entry ? devWatchOf(entry.definition) : [];
        }),
      );
    else await collect(() => []);
    this.servers = servers;
    for (const place of new Set([...servers.values()].map((one) => one.folder))) await this.folders.add(place, true);
  }

  private changed(file: string): void {
    const affected = new Set(isTestFileName(file) ? [file] : []);
    for (const test of this.known) {
      const server = this.servers.get(test.file);
      const isOfServer = server?.isWatched(path.relative(server.folder, file).split(path.sep).join('/')) === true;
      if (file === test.file || file === snapshotFile(test.file) || isOfServer) affected.add(test.file);
    }
    if (affected.size === 0) return;
    this.add(affected);
    if (this.isRunning) this.hasChangedInRun = true;
    else {
      this.command.output.progress(`${visibleLine(path.basename(file))} changed…`);
      this.waitForQuiet();
    }
  }

  private waitForQuiet(): void {
    this.quiet?.dispose();
    const ms = Math.min(longestQuietMs, quietMs * 2 ** this.inARow);
    this.quiet = systemClock.after(ms, () => this.wake());
  }

  /** Waits for changed files, a key, or the end of the command. */
  private async change(): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    const onData = (data: Buffer) => {
      const keys = data.toString();
      if (/[q\u0003\u0004]/i.test(keys)) this.hasQuit = true;
      else if (/[\r\n]/.test(keys)) this.add('all');
      else return;
      this.wake();
    };
    const { stdin } = process;
    if (stdin.isTTY) stdin.setRawMode(true);
    stdin.on('data', onData).on('error', ignore).resume();
    if (this.hasChangedInRun) this.waitForQuiet();
    await woken;
    stdin.off('data', onData).off('error', ignore).pause();
    if (stdin.isTTY) stdin.setRawMode(false);
    this.quiet?.dispose();
  }
}

function ignore(): void {
  // Errors of stdin need no action: when the terminal closes, a signal ends the process.
}

/** Compiles the patterns of `dev.watch` to a function that tests paths with `/`, relative to their folder. */
function selectionOf(patterns: readonly string[]): (file: string) => boolean {
  const compiled = (isExcluding: boolean) =>
    patterns
      .filter((pattern) => pattern.startsWith('!') === isExcluding)
      .map((pattern) => compileGlob(isExcluding ? pattern.slice(1) : pattern, process.platform !== 'linux'));
  const [included, excluded] = [compiled(false), compiled(true)];
  return (file) =>
    !file.startsWith('..') && included.some((fits) => fits(file)) && !excluded.some((fits) => fits(file));
}
