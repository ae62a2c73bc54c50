import type { CompletionReference } from '../protocol/mcp.js';
import type { FileProblem, FilePlace } from './yamlTree.js';

/** The versions of the protocol in which a file can run. `auto` detects the version. */
export const testEras = ['auto', 'legacy', '2026-07-28'] as const;
export type TestEra = (typeof testEras)[number];

/** One request to the server. Texts can contain `${name}` of saved values. */
export type TestRequest =
  | { kind: 'call'; tool: string; arguments: Record<string, unknown> }
  | { kind: 'read'; uri: string }
  | { kind: 'get'; prompt: string; arguments: Record<string, unknown> }
  | { kind: 'list'; list: TestedList; cursor?: string }
  | { kind: 'complete'; reference: CompletionReference; argument: { name: string; value: string } }
  | { kind: 'setLevel'; level: string };

export const listKinds = ['tools', 'resources', 'templates', 'prompts'] as const;
export type TestedList = (typeof listKinds)[number];

/** One expectation: its kind, its value as written, and where it is written. */
export interface TestCheck extends FilePlace {
  kind: string;
  /** The key as written, for messages. */
  key: string;
  value: unknown;
}

/** A value of the result that later steps use. */
export interface SavedValue extends FilePlace {
  name: string;
  path: string;
}

export interface TestStep extends FilePlace {
  request: TestRequest;
  save: readonly SavedValue[];
  checks: readonly TestCheck[];
  /** Whether a result with `isError` fails the step. Default true without an expectation about errors. */
  failsOnError: boolean;
}

/** The answers to the questions of the server. A list gives one answer after another; the last one is repeated. */
export interface TestAnswers {
  elicitation?: readonly unknown[];
  sampling?: readonly unknown[];
  /** Paths, or `file:` URIs. */
  roots?: readonly string[];
}

export interface TestCase extends FilePlace {
  name: string;
  tags: readonly string[];
  /** Why the case does not run. */
  skip?: string;
  steps: readonly TestStep[];
  answers?: TestAnswers;
  /** The values of its row of `each`. */
  row: Readonly<Record<string, unknown>>;
  /** Time limit of the case, in milliseconds. Absent: the limit of the file. */
  timeoutMs?: number;
}

/** The server of a file: a name of the configuration, or a definition as in `mcp.json`. */
export type TestFileServer = FilePlace & ({ name: string } | { definition: Record<string, unknown> });

/** A file without problems. */
export interface TestFile {
  /** Absolute path. */
  file: string;
  format: 'mcptest' | 'mcp-assert';
  /** Absent if no case sends a request. */
  server?: TestFileServer;
  eras: readonly TestEra[];
  answers: TestAnswers;
  setup: readonly TestStep[];
  teardown: readonly TestStep[];
  tests: readonly TestCase[];
  /** Time limit of a case, in milliseconds. */
  timeoutMs: number;
  /** The failures of the checks of recorded calls, which need no server. */
  trajectoryFailures?: readonly TestFailure[];
}

/** The result of reading a file: its tests, or its problems. */
export type ReadFile = { test: TestFile } | { problems: readonly FileProblem[] };

/** Why a case failed, at the line of the expectation. */
export interface TestFailure extends FilePlace {
  message: string;
  expected?: string;
  actual?: string;
  /** Whether the result differs from its snapshot, or has none. */
  isSnapshot?: true;
}

export interface CaseResult extends FilePlace {
  file: string;
  era: TestEra;
  name: string;
  tags: readonly string[];
  status: 'passed' | 'failed' | 'skipped';
  /** Why the case was skipped. */
  reason?: string;
  durationMs: number;
  /** How often the case ran. */
  attempts: number;
  failures: readonly TestFailure[];
}

/** The results of a file in one era. */
export interface FileResult {
  file: string;
  era: TestEra;
  cases: readonly CaseResult[];
  /** The last lines of the server's error output. */
  stderr: readonly string[];
  /** Why the server did not start, or why the setup failed. If this is set, no case has passed. */
  startFailure?: unknown;
}

/** Default time limit of a case, in milliseconds. */
export const defaultCaseMs = 30_000;
