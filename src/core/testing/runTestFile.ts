/** Runs the cases of a test file in one era: one server for all cases, one case after the other. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { HostError, isCancelled, messageOf } from '../base/hostError.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { failureText } from '../present/failure/failureText.js';
import type { HostPorts } from '../host/ports.js';
import type { JsonSchema } from '../protocol/mcp.js';
import { runStep } from './runStep.js';
import { Snapshots } from './snapshots.js';
import type { CaseResult, FileResult, TestCase, TestEra, TestFailure, TestFile } from './testModel.js';
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
  /** The folder that `{{fixture}}` of mcp-assert is a copy of. */
  fixture?: string | undefined;
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

/** Runs a file in one era. Failures of the server's start are part of the result. */
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

  constructor(
    private readonly test: TestFile,
    private readonly era: TestEra,
    private readonly options: RunOptions,
  ) {}

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
    if (!startFailure && this.server) await this.steps(test.teardown, 'teardown');
    await this.snapshots?.save(!isStopped && chosen.length === test.tests.length);
    const stderr = this.server?.stderr ?? [];
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
      this.snapshots = await Snapshots.open(test.file, options.isUpdating === true);
      const written = test.server && 'definition' in test.server ? test.server.definition : undefined;
      const definition = written && (this.definition(written) as Record<string, unknown>);
      const { ports, folder, checkSchema } = options;
      this.server = new TestServer({ test, era, ports, folder, definition, checkOutput: checkSchema });
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
      return { ...base, status: 'failed', durationMs: 0, attempts: 1, failures: [this.startText(startFailure)] };
    options.onStart?.(one);
    const began = performance.now();
    let failures: readonly TestFailure[] = [];
    let attempts = 0;
    do {
      attempts++;
      failures = test.trajectoryFailures ?? (await this.attempt(one));
    } while (failures.length > 0 && attempts <= (options.retries ?? 0) && !options.signal.aborted);
    const status = failures.length === 0 ? 'passed' : 'failed';
    return { ...base, status, durationMs: Math.round(performance.now() - began), attempts, failures };
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
          message: limit.aborted || isCancelled(error) ? timedOut() : failureText(error, server.id).what,
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
    const { server, snapshots, test, options } = this;
    if (!server || !snapshots) return [];
    for (const [index, step] of steps.entries()) {
      const values = { ...environment(step), ...this.values, ...row };
      const { failures, saved } = await runStep(step, {
        server,
        values,
        notation: test.format,
        signal,
        timeoutMs: test.timeoutMs,
        snapshots,
        caseName: steps.length > 1 ? `${caseName} › ${index + 1}` : caseName,
        checkSchema: (schema, value) => options.checkSchema(schema, value),
      });
      Object.assign(this.values, saved);
      if (failures.length > 0) return failures;
    }
    return [];
  }

  /**
   * The definition of the server with the values of the run. The host replaces the environment variables, so that their
   * values are masked and not part of the question to the user. Variables that are not set are empty.
   */
  private definition(written: Record<string, unknown>): unknown {
    const unset = Object.entries(environment(written)).filter(([, value]) => value === '');
    return filledIn(written, { ...Object.fromEntries(unset), ...this.values }, this.test.format);
  }

  private startText(error: unknown): TestFailure {
    if (error instanceof SetupError) return error.failure;
    const { line = 1, column = 1 } = this.test.server ?? {};
    const message = error instanceof HostError ? failureText(error, this.server?.id).what : messageOf(error);
    return { line, column, message };
  }
}

/** A failed step of the setup. */
class SetupError extends Error {
  constructor(readonly failure: TestFailure) {
    super(failure.message);
    this.name = 'SetupError';
  }
}

function timedOut(): string {
  return t('The test did not end within its time limit.');
}

/** The values of `${env:NAME}`. A variable that is not set is an empty text. */
function environment(value: unknown): Record<string, unknown> {
  const names = usedNames(value, 'mcptest').filter((name) => name.startsWith('env:'));
  return Object.fromEntries(names.map((name) => [name, process.env[name.slice('env:'.length)] ?? '']));
}
