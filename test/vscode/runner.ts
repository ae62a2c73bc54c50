/**
 * Collects and runs the tests of one suite inside VS Code's extension host, one after the other.
 *
 * A suite is `test/vscode/<label>/index.ts`: it registers its tests while it is imported and ends with
 * `export const run = makeRun();`. That is the entry point that VS Code calls for `extensionTestsPath`, in the harness
 * (`test/harness/runVsCodeTests.mjs`) as in `@vscode/test-electron`. The result leaves the host as a file, because the
 * page of the harness does not exit: `MCP_DECK_TEST_RESULT` names it.
 */
import { renameSync, writeFileSync } from 'node:fs';

type Step = () => unknown;

interface Suite {
  name: string;
  tests: { name: string; run: Step; timeoutMs: number }[];
  beforeAll: Step[];
  beforeEach: Step[];
  afterEach: Step[];
  afterAll: Step[];
}

/** What the file of `MCP_DECK_TEST_RESULT` contains. */
interface TestResult {
  passed: number;
  failed: number;
  failures: { name: string; error: string }[];
  durations: { name: string; ms: number }[];
  /** Figures that are printed and not asserted. */
  notes: string[];
}

const defaultTimeoutMs = 120_000;
const suites: Suite[] = [];
const notes: string[] = [];
let current: Suite | undefined;

/** Names a group of tests; hooks that are registered inside apply to that group. */
export function suite(name: string, register: () => void): void {
  if (current) throw new Error(`suite '${name}' is inside suite '${current.name}'; suites do not nest`);
  current = { name, tests: [], beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };
  suites.push(current);
  try {
    register();
  } finally {
    current = undefined;
  }
}

export function test(name: string, run: Step, options: { timeoutMs?: number } = {}): void {
  inSuite('test').tests.push({ name, run, timeoutMs: options.timeoutMs ?? defaultTimeoutMs });
}

export function beforeAll(step: Step): void {
  inSuite('beforeAll').beforeAll.push(step);
}

export function beforeEach(step: Step): void {
  inSuite('beforeEach').beforeEach.push(step);
}

/** Runs after each test, including failed ones; the hook registered last runs first. */
export function afterEach(step: Step): void {
  inSuite('afterEach').afterEach.unshift(step);
}

/** Runs after the tests of the suite, even if `beforeAll` failed; the hook registered last runs first. */
export function afterAll(step: Step): void {
  inSuite('afterAll').afterAll.unshift(step);
}

/** Prints a figure that is not asserted, in the output of the harness. */
export function report(line: string): void {
  notes.push(line);
}

/** The `run` of a suite. Rejects when a test failed, which is the signal for `@vscode/test-electron`. */
export function makeRun(): () => Promise<void> {
  return async () => {
    const result: TestResult = { passed: 0, failed: 0, failures: [], durations: [], notes };
    const filter = process.env['MCP_DECK_TEST_GREP'];
    for (const one of suites) await runSuite(one, filter, result);
    writeResult(result);
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.passed + result.failed} tests failed`);
  };
}

async function runSuite(group: Suite, filter: string | undefined, result: TestResult): Promise<void> {
  const tests = group.tests.filter((one) => !filter || `${group.name} ${one.name}`.includes(filter));
  if (tests.length === 0) return;
  const setup = await failureOf(group.beforeAll, defaultTimeoutMs);
  for (const one of tests) {
    const name = `${group.name}: ${one.name}`;
    const started = Date.now();
    const failure = setup ? `beforeAll failed: ${setup}` : await runTest(group, one);
    note(result, name, failure, Date.now() - started);
  }
  const teardown = await failureOf(group.afterAll, defaultTimeoutMs);
  if (teardown) note(result, `${group.name}: afterAll`, teardown, 0);
}

async function runTest(group: Suite, one: Suite['tests'][number]): Promise<string | undefined> {
  const failure = (await failureOf(group.beforeEach, defaultTimeoutMs)) ?? (await failureOf([one.run], one.timeoutMs));
  const cleanup = await failureOf(group.afterEach, defaultTimeoutMs);
  return failure ?? (cleanup && `afterEach failed: ${cleanup}`);
}

/** Runs steps in order up to the first that throws or times out, and returns the error. */
async function failureOf(steps: readonly Step[], timeoutMs: number): Promise<string | undefined> {
  for (const step of steps) {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`did not end within ${timeoutMs / 1000} s`)), timeoutMs);
    });
    try {
      await Promise.race([(async () => step())(), isLate]);
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
    } finally {
      clearTimeout(timer);
    }
  }
  return undefined;
}

function note(result: TestResult, name: string, failure: string | undefined, ms: number): void {
  result.durations.push({ name, ms });
  if (failure === undefined) {
    result.passed++;
    console.log(`ok ${name} (${ms} ms)`);
  } else {
    result.failed++;
    result.failures.push({ name, error: failure });
    console.log(`not ok ${name} (${ms} ms)\n${failure}`);
  }
}

/** Written to a temporary file and renamed, so that a reader never sees half of it. */
function writeResult(result: TestResult): void {
  const file = process.env['MCP_DECK_TEST_RESULT'];
  if (!file) return;
  writeFileSync(`${file}.part`, JSON.stringify(result, null, 2));
  renameSync(`${file}.part`, file);
}

function inSuite(what: string): Suite {
  if (!current) throw new Error(`${what}() was called outside of suite()`);
  return current;
}
