/** Runs the cases of a test file in one era: one server for all cases, one case after the other. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { sizeText } from '../../shared/amountText.js';
import { HostError, UserError, messageOf } from '../base/hostError.js';
import { maskText } from '../base/masking.js';
import { finderOf } from '../base/secretFinder.js';
import { valueCost } from '../base/valueCost.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { failureText } from '../present/failure/failureText.js';
import { refusalText } from './refusalText.js';
import type { HostPorts } from '../host/ports.js';
import type { JsonSchema } from '../protocol/mcp.js';
import { runStep } from './runStep.js';
import { secretsOf, sentVariables } from './sentVariables.js';
import { Snapshots } from './snapshots.js';
import type { CaseResult, FileResult, TestCase, TestEra, TestFailure, TestFile } from './testModel.js';
import { TestedFiles } from './testedFiles.js';
import type { WindowServers } from './testServer.js';
import { TestServer } from './testServer.js';
import { filledIn, usedNames } from './values.js';

export interface RunOptions {
  ports: HostPorts;
  /** The working directory, absolute. */
  folder: string;
  checkSchema: (schema: JsonSchema, value: unknown) => string[] | Promise<string[]>;
  signal: AbortSignal;
  /** How often a failed case runs again. Default 0. */
  retries?: number;
  /** Whether snapshots are written. Default false. */
  isUpdating?: boolean;
  /** The folder whose copy replaces `{{fixture}}` in files of mcp-assert. */
  fixture?: string | undefined;
  /**
   * Asks whether the steps may use these environment variables. The server gets their values, and a repository wrote
   * the steps. Default: they may not.
   */
  confirmVariables?: (names: readonly string[], test: TestFile) => Promise<boolean>;
  /** The only tools that may be called: those that the question before the run showed. Absent: all tools. */
  shownTools?: ReadonlySet<string>;
  /** The servers of the window, for a file that names one. Absent: `ports.configuration` alone decides. */
  window?: WindowServers;
  /** Whether a case runs; default: all. */
  filter?: (test: TestCase) => boolean;
  /** Called before each case that runs. */
  onStart?: (test: TestCase) => void;
  /** Called after each case. Returns false to end the run. */
  onCase?: (result: CaseResult) => boolean;
  /** How the server starts under a debugger. While it is debugged, cases have no time limit. Default: not debugged. */
  debug?: (server: TestServer) => Promise<DebugPlan>;
  /** Called before the server is stopped. */
  onEnd?: (server: TestServer) => void;
}

/** Maximum length of the message of a failure in reports, in characters. */
const maxMessage = 4_000;
/** Maximum length of a value of a failure in reports, in characters. */
const maxShown = 20_000;
/** Maximum number of failures of a case in reports. */
const maxFailures = 50;
/** Memory limit of the saved values of a file, bytes. */
const maxSavedBytes = 64_000_000;

/** Runs a file in one era. A failure of the server's start, or of the setup, is part of the result. */
export async function runTestFile(test: TestFile, era: TestEra, options: RunOptions): Promise<FileResult> {
  const run = new FileRun(test, era, options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class FileRun {
  private server: TestServer | undefined;
  private fixture: string | undefined;
  private snapshots: Snapshots | undefined;
  private values: Record<string, unknown> = {};
  /** Approximate memory of `values`, bytes. Values that replaced others may count twice. */
  private savedBytes = 0;
  /** The values of the environment variables of the file. */
  private readonly variables: readonly string[];
  private files: TestedFiles | undefined;

  constructor(
    private readonly test: TestFile,
    private readonly era: TestEra,
    private readonly options: RunOptions,
  ) {
    this.variables = secretsOf(test);
  }

  /** The values that reports and snapshots must not contain, including all secrets that the server received. */
  private get secrets(): readonly string[] {
    const { server, variables } = this;
    return server ? [...variables, ...server.host.servers.secretValues(server.id)] : variables;
  }

  async run(): Promise<FileResult> {
    const { test, era, options } = this;
    const { filter = () => true, onCase = () => true } = options;
    const cases: CaseResult[] = [];
    const add = (result: CaseResult) => {
      cases.push(result);
      return onCase(result);
    };
    const chosen = test.tests.filter((one) => filter(one));
    const waiting = chosen.filter(({ skip }) => skip === undefined);
    let startFailure: unknown;
    if (waiting.length > 0 && !test.trajectoryFailures) startFailure = await this.begin();
    let isStopped = false;
    for (const one of chosen) {
      if (isStopped || options.signal.aborted) break;
      isStopped = !add(await this.runCase(one, startFailure));
    }
    // A teardown that fails does not change the results.
    if (!startFailure && this.server) await this.steps(test.teardown, 'teardown').catch(() => []);
    // A test that did not run to its end may not have reached its snapshot.
    const isComplete = cases.length === test.tests.length && cases.every(({ status }) => status === 'passed');
    await this.snapshots?.save(isComplete);
    const { secrets } = this;
    const stderr = (this.server?.stderr ?? []).map((line) => maskText(line, secrets));
    return { file: test.file, era, cases, stderr, ...(startFailure === undefined ? {} : { startFailure }) };
  }

  async close(): Promise<void> {
    if (this.server) this.options.onEnd?.(this.server);
    await this.server?.close();
    if (this.fixture !== undefined) await rm(this.fixture, { recursive: true, force: true });
  }

  /** Starts the server and runs the setup. Returns why it failed. */
  private async begin(): Promise<unknown> {
    const { test, era, options } = this;
    try {
      if (options.fixture !== undefined) {
        this.fixture = await mkdtemp(path.join(os.tmpdir(), 'mcp-deck-fixture-'));
        await cp(options.fixture, this.fixture, { recursive: true });
        this.values['fixture'] = this.fixture;
      }
      const variables = sentVariables(test);
      if (variables.length > 0 && (await options.confirmVariables?.(variables, test)) !== true)
        throw new UserError(t('The tests use environment variables without approval: {0}.', variables.join(', ')));
      const folders = [options.folder, ...(this.fixture === undefined ? [] : [this.fixture])];
      this.files = new TestedFiles(folders);
      this.snapshots = await Snapshots.open(test.file, options.isUpdating === true, () => this.secrets);
      const written = test.server && 'definition' in test.server ? test.server.definition : undefined;
      const definition = written && (this.definition(written) as Record<string, unknown>);
      const { ports, folder, checkSchema, window } = options;
      this.server = new TestServer({ test, era, ports, folder, definition, window, checkOutput: checkSchema });
      await this.server.open();
      if (options.debug) this.server.debug = await options.debug(this.server);
      this.server.beginCase({});
      await this.server.ensureRunning(options.signal);
      const [failure] = await this.steps(test.setup, 'setup');
      return failure === undefined ? undefined : new SetupError(failure);
    } catch (error) {
      return error;
    }
  }

  private async runCase(one: TestCase, startFailure: unknown): Promise<CaseResult> {
    const { test, era, options } = this;
    const { line, column, name, tags } = one;
    const base = { file: test.file, era, line, column, name, tags };
    if (one.skip !== undefined)
      return { ...base, status: 'skipped', reason: one.skip, durationMs: 0, attempts: 0, failures: [] };
    if (startFailure !== undefined)
      return {
        ...base,
        status: 'failed',
        durationMs: 0,
        attempts: 1,
        failures: [this.bounded(this.startText(startFailure))],
      };
    options.onStart?.(one);
    const began = performance.now();
    let failures: readonly TestFailure[] = [];
    let attempts = 0;
    do {
      attempts++;
      failures = test.trajectoryFailures ?? (await this.attempt(one));
    } while (failures.length > 0 && attempts <= (options.retries ?? 0) && !options.signal.aborted);
    const status = failures.length === 0 ? 'passed' : 'failed';
    const shown = failures.slice(0, maxFailures).map((failure) => this.bounded(failure));
    return { ...base, status, durationMs: Math.round(performance.now() - began), attempts, failures: shown };
  }

  private async attempt(one: TestCase): Promise<readonly TestFailure[]> {
    const { server, test, options } = this;
    if (!server) return [];
    const limit = options.debug ? new AbortController().signal : AbortSignal.timeout(one.timeoutMs ?? test.timeoutMs);
    const signal = AbortSignal.any([options.signal, limit]);
    try {
      await server.ensureRunning(signal);
      server.beginCase(one.answers ?? {});
      return await this.steps(one.steps, one.name, one.row, signal);
    } catch (error) {
      const { line, column } = one;
      return [
        {
          line,
          column,
          message: limit.aborted ? timedOut() : reasonOf(error, server.id),
        },
      ];
    }
  }

  /** Runs steps until one fails. Returns its failures. */
  private async steps(
    steps: TestCase['steps'],
    caseName: string,
    row: Readonly<Record<string, unknown>> = {},
    signal = this.options.signal,
  ): Promise<readonly TestFailure[]> {
    const { server, snapshots, test, options, files } = this;
    if (!server || !snapshots || !files) return [];
    for (const [index, step] of steps.entries()) {
      const values = { ...environment(step), ...this.values, ...row };
      const { failures, saved } = await runStep(step, {
        server,
        values,
        notation: test.format,
        signal,
        timeoutMs: test.timeoutMs,
        shownTools: options.shownTools,
        snapshots,
        files,
        caseName: steps.length > 1 ? `${caseName} › ${index + 1}` : caseName,
        checkSchema: (schema, value) => options.checkSchema(schema, value),
      });
      if (this.holdsTooMuch(saved)) {
        const { line, column } = step;
        return [
          { line, column, message: t('The saved values need more than {0} of memory.', sizeText(maxSavedBytes)) },
        ];
      }
      Object.assign(this.values, saved);
      if (failures.length > 0) return failures;
    }
    return [];
  }

  /** Whether the values need too much memory together with these. All are measured only if the sum may be too large. */
  private holdsTooMuch(saved: Readonly<Record<string, unknown>>): boolean {
    this.savedBytes += valueCost(saved, maxSavedBytes);
    if (this.savedBytes > maxSavedBytes) this.savedBytes = valueCost({ ...this.values, ...saved }, maxSavedBytes);
    return this.savedBytes > maxSavedBytes;
  }

  /**
   * The definition of the server with the values of the run. The host replaces the environment variables, so that their
   * values are masked and not part of the question to the user. Variables that are not set are empty.
   */
  private definition(written: Record<string, unknown>): unknown {
    const unset = Object.entries(environment(written)).filter(([, value]) => value === '');
    return filledIn(written, { ...Object.fromEntries(unset), ...this.values }, this.test.format);
  }

  /** A failure for reports: limited in size, and without secrets. */
  private bounded({ message, expected, actual, ...place }: TestFailure): TestFailure {
    const { secrets } = this;
    const text = (value: string, max: number) => cut(finderOf(secrets).maskFirst(value, 4 * max), max);
    return {
      ...place,
      message: text(message, maxMessage),
      ...(expected === undefined ? {} : { expected: text(expected, maxShown) }),
      ...(actual === undefined ? {} : { actual: text(actual, maxShown) }),
    };
  }

  private startText(error: unknown): TestFailure {
    if (error instanceof SetupError) return error.failure;
    const { line = 1, column = 1 } = this.test.server ?? {};
    return { line, column, message: reasonOf(error, this.server?.id) };
  }
}

/** A failed step of the setup. */
class SetupError extends Error {
  constructor(readonly failure: TestFailure) {
    super(failure.message);
    this.name = 'SetupError';
  }
}

function reasonOf(error: unknown, server: string | undefined): string {
  if (!(error instanceof HostError)) return messageOf(error);
  return refusalText(error, server) ?? failureText(error, server).what;
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function timedOut(): string {
  return t('The test did not end within its time limit.');
}

/** The values of `${env:NAME}`. A variable that is not set is an empty text. */
function environment(value: unknown): Record<string, unknown> {
  const names = usedNames(value, 'mcptest').filter((name) => name.startsWith('env:'));
  return Object.fromEntries(names.map((name) => [name, process.env[name.slice('env:'.length)] ?? '']));
}
