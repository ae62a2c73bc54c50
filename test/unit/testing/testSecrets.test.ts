/** The secrets of a server under test: neither reports nor snapshots have them, and the question before a run names all. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { readTestFile } from '../../../src/core/testing/readTestFile.js';
import { testActionsOf } from '../../../src/core/testing/testActions.js';
import { runTestFile } from '../../../src/core/testing/runTestFile.js';
import type { TestFile } from '../../../src/core/testing/testModel.js';
import { headlessHost } from '../../support/headlessHost.js';

const counter = path.resolve('test/fixtures/servers/counter.mjs');
const input = 'typed-0123456789';
const literal = 'literal-0123456789';

function read(text: string, t: TestContext): TestFile {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const result = readTestFile(text, path.join(folder, 'a.mcptest.yaml'), {});
  assert.ok('test' in result, JSON.stringify(result));
  return result.test;
}

/** Runs a file, and returns everything that it reports and stores. */
async function run(test: TestFile, env: Record<string, string> = {}): Promise<{ report: string; stored: string }> {
  const { ports } = headlessHost({ servers: {} });
  const source = { id: 'vscode:a', kind: 'vscode', label: 'mcp.json' } as const;
  const value = {
    counter: {
      command: process.execPath,
      args: [counter],
      env: { TYPED: '${input:key}', API_TOKEN: literal },
    },
  };
  const inputs = [{ id: 'key', type: 'promptString', password: true }];
  const { onDidChange } = ports.configuration;
  const result = await runTestFile(test, 'auto', {
    ports: {
      ...ports,
      configuration: { read: () => Promise.resolve([{ source, value, inputs }]), onDidChange },
      inputs: { ask: () => Promise.resolve(input) },
      machine: { ...ports.machine, env: { ...ports.machine.env, ...env } },
    },
    folder: process.cwd(),
    checkSchema: () => [],
    signal: new AbortController().signal,
    isUpdating: true,
  });
  return {
    report: JSON.stringify(result),
    stored: readFileSync(test.file.replace(/\.mcptest\.yaml$/, '.snap.json'), 'utf8'),
  };
}

test('[S6] neither the report nor a snapshot of a test has a secret of its server', async (t) => {
  const cases = ['TYPED', 'API_TOKEN'].flatMap((name) => [
    `  - { name: shows ${name}, call: environment, arguments: { name: ${name} }, expect: { text: nothing } }`,
    `  - { name: stores ${name}, call: environment, arguments: { name: ${name} }, expect: { snapshot: true } }`,
  ]);
  const { report, stored } = await run(read(['server: counter', 'tests:', ...cases].join('\n'), t));
  for (const text of [report, stored]) {
    assert.ok(text.includes('•••'), text);
    for (const secret of [input, literal]) assert.ok(!text.includes(secret), text);
  }
});

test('[S6] a variable that is written as text of the file is named in the question, and its value is masked', async (t) => {
  process.env['DECK_TEST_VALUE'] = 'environment-0123456789';
  t.after(() => delete process.env['DECK_TEST_VALUE']);
  const file = read(
    `server: ${JSON.stringify({ command: process.execPath, args: [counter], env: { NICK: '$${env:DECK_TEST_VALUE}' } })}
tests:
  - { name: shows, call: environment, arguments: { name: NICK }, expect: { text: nothing } }
  - { name: stores, call: environment, arguments: { name: NICK }, expect: { snapshot: true } }
`,
    t,
  );
  assert.deepEqual(testActionsOf(file).variables, ['DECK_TEST_VALUE']);
  const { report, stored } = await run(file, { DECK_TEST_VALUE: 'environment-0123456789' });
  for (const text of [report, stored]) assert.ok(text.includes('•••') && !text.includes('environment-0123'), text);
});
