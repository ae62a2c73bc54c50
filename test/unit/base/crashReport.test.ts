import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { crashReport } from '../../../src/core/base/crashReport.js';

const folder = path.join('test', 'fixtures', 'crashes');
const linesOf = (file: string) =>
  readFileSync(path.join(folder, `${file}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** For each file the cause, and the variable that is missing. */
const causes: Readonly<Record<string, readonly [cause: string, variable?: string]>> = {
  'node-throw': ['Error: Missing required environment variable ACME_KEY', 'ACME_KEY'],
  'node-throw-text': ['boom'],
  'node-syntax': ["SyntaxError: Unexpected token ';'"],
  'node-logged': ['Fatal error in main(): Error: connect failed'],
  'node-plain': ['Error: ACME_TOKEN environment variable is required', 'ACME_TOKEN'],
  'node-module-missing': [
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/opt/acme/nope.js' imported from /opt/acme/b.mjs",
  ],
  'node-script-missing': ["Error: Cannot find module '/opt/acme/nope.js'"],
  'node-rejection': [
    'UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "#<Object>".',
  ],
  'node-zod': ['ZodError: [ "code": "invalid_type",'],
  'npm-start': ['Error: ACME_KEY is required', 'ACME_KEY'],
  'npx-not-found': ['npm error 404 Not Found - GET https://packages.example/@acme%2fnope - Not found'],
  bun: ['error: ACME_KEY is not set', 'ACME_KEY'],
  deno: ['Error: ACME_KEY is not set', 'ACME_KEY'],
  'python-key': ["KeyError: 'ACME_KEY'", 'ACME_KEY'],
  'python-import': ["ModuleNotFoundError: No module named 'nope_module'"],
  'python-syntax': ['SyntaxError: invalid syntax'],
  'python-group': ['ValueError: ACME_KEY is not set', 'ACME_KEY'],
  'python-taskgroup': ['RuntimeError: ACME_KEY is not set', 'ACME_KEY'],
  'python-pydantic': ['pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings'],
  'python-logging': ['2026-01-02 10:00:00,456 - acme - ERROR - Missing ACME_KEY environment variable', 'ACME_KEY'],
  'python-script-missing': ["python3: can't open file '/opt/acme/nope.py': [Errno 2] No such file or directory"],
  'go-panic': ['panic: ACME_KEY is not set', 'ACME_KEY'],
  'go-nil': ['panic: runtime error: invalid memory address or nil pointer dereference'],
  'go-deadlock': ['fatal error: all goroutines are asleep - deadlock!'],
  'go-log': ['2026/01/02 15:04:05 environment variable ACME_KEY is not set', 'ACME_KEY'],
  rust: ['ACME_KEY must be set: NotPresent', 'ACME_KEY'],
  'rust-backtrace': ['ACME_KEY must be set: NotPresent', 'ACME_KEY'],
  'rust-old': ['ACME_KEY must be set: NotPresent', 'ACME_KEY'],
  'rust-main': ['Error: MissingKey("ACME_KEY")'],
  'rust-anyhow': ['Error: cannot read the configuration', 'ACME_KEY'],
  dotnet: ['System.InvalidOperationException: Cannot start the server', 'ACME_KEY'],
  'dotnet-missing': ["The application to execute does not exist: '/opt/acme/Acme.dll'"],
  java: ['java.lang.IllegalStateException: Cannot start the server', 'ACME_KEY'],
  'java-jar': ['Error: Unable to access jarfile nope.jar'],
  ruby: ['/opt/acme/server.rb:3:in `fetch\': key not found: "ACME_KEY" (KeyError)'],
  uvx: [
    '× No solution found when resolving tool dependencies: ╰─▶ Because acme-nope was not found in the package registry and you require acme-nope, we can conclude that your requirements are unsatisfiable.',
  ],
  docker: [
    'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?.',
  ],
};

describe('crashReport', () => {
  test('every recorded crash has an expectation', () => {
    assert.deepEqual(
      readdirSync(folder).sort(),
      Object.keys(causes)
        .map((file) => `${file}.txt`)
        .sort(),
    );
  });

  for (const [file, [cause, variable]] of Object.entries(causes))
    test(`names the cause of the crash in ${file}.txt`, () => {
      const report = crashReport(linesOf(file));
      assert.deepEqual({ cause: report.cause, variable: report.variable }, { cause, variable });
      for (const line of report.lines) assert.doesNotMatch(line, /^at |^File "|^Node\.js v|^goroutine |^\d+: core::/);
    });

  test('a crash is found behind a long stack and among log lines', () => {
    const frames = Array.from({ length: 150 }, (_, index) => `\tat com.acme.Deep.call(Deep.java:${index})`);
    const { cause, lines } = crashReport([
      'INFO starting',
      'Error: an earlier request failed',
      '    at handle (/opt/acme/index.js:3:1)',
      'INFO still running',
      'Exception in thread "main" java.lang.StackOverflowError: too deep',
      ...frames,
    ]);
    assert.equal(cause, 'java.lang.StackOverflowError: too deep');
    assert.deepEqual(lines, [cause]);
  });

  test('without an error the last line is the cause, and without output there is none', () => {
    assert.equal(crashReport(['reading', 'goodbye']).cause, 'goodbye');
    assert.deepEqual(crashReport([]), { lines: [] });
  });

  test('a message never suggests to set a variable that changes what programs run', () => {
    for (const name of ['NODE_OPTIONS', 'LD_PRELOAD', 'PATH', 'PYTHONPATH', 'DYLD_INSERT_LIBRARIES'])
      assert.equal(crashReport([`Error: environment variable ${name} is not set`]).variable, undefined, name);
  });

  test('any output gives a bounded report whose cause comes from the output', () => {
    const word = fc.constantFrom(
      'Error:',
      'at ',
      '    at x',
      '^',
      'panic:',
      'Traceback (most recent call last):',
      '  File "a", line 1',
      'FATAL',
      'KeyError',
      ' | ',
      '+',
      '{',
      ':',
      'MISSING_KEY',
      'is not set',
      '\\u{1b}[31m',
      'é',
    );
    const line = fc.oneof(
      fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
      fc.string({ maxLength: 400 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 260 }), (output) => {
        const { cause = '', lines, variable } = crashReport(output);
        assert.ok(lines.length <= 8 && [cause, ...lines].every((text) => text.length <= 300));
        assert.equal(lines.length > 0, cause !== '');
        if (variable !== undefined) assert.match(variable, /^[A-Z][A-Z0-9_]{1,63}$/);
        if (variable !== undefined) assert.ok(output.some((text) => text.includes(variable)));
      }),
    );
  });
});
