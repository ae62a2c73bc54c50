/** The documents of `--json`, against the table in docs/command-line.md. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';
import { parseShape, shapeProblems } from '../../support/documentedShapes.js';
import { httpAddress, startCli } from '../../support/sdkSession.js';

const server = { command: process.execPath, args: [counter] };
const typed = ['--command', `"${process.execPath}" "${counter}"`];
const recording = 'counter.mcprecording.jsonl';

/** The rows of the table: the commands of the first column, and the shape in the second. */
const rows = [...readFileSync('docs/command-line.md', 'utf8').matchAll(/^\| (.+) \| (.*`\{"ok".*) \|$/gm)].map(
  ([, commands = '', text = '']) => ({
    commands: commands.split(', ').map((name) => name.replaceAll('`', '')),
    shape: parseShape(/`(\{.*?\})`/.exec(text)?.[1] ?? ''),
  }),
);

/** Keys that a document has only if there is something to say. */
const optional = new Set(['file', 'fix', 'fuzz', 'link', 'params', 'pointer', 'stderr']);

type Documents = (t: TestContext) => Promise<unknown>;

const output =
  (args: readonly string[], files: Record<string, unknown> = {}): Documents =>
  async (t) => {
    const { stdout, stderr } = await runCli([...args, '--json'], { folder: folderWith(t, files) });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout);
  };

const served =
  (args: readonly string[], files: Record<string, unknown> = {}): Documents =>
  async (t) =>
    httpAddress(startCli(t, args, folderWith(t, files)));

async function recorded(t: TestContext): Promise<{ folder: string; document: unknown }> {
  const folder = folderWith(t, {});
  const args = ['record', ...typed, recording, '--call', 'add {"a": 2, "b": 3}', '--json'];
  const { stdout, stderr } = await runCli(args, { folder });
  assert.notEqual(stdout, '', stderr);
  return { folder, document: JSON.parse(stdout) };
}

const configured = { '.mcp.json': { mcpServers: { counter: server } } };
const drifted = {
  ...configured,
  '.vscode/mcp-deck.lock.json': {
    version: 1,
    servers: { counter: { info: { name: 'counter', version: '0' }, tools: {} } },
  },
};
const tests = {
  'a.mcptest.yaml': `server: { command: '${process.execPath}', args: ['${counter}'] }\ntests:\n  - { name: one, call: add, arguments: { a: 1, b: 1 } }\n`,
};
const suite = {
  'node_modules/@modelcontextprotocol/conformance/package.json': {
    version: '9.9.9',
    type: 'module',
    bin: { conformance: 'run.js' },
  },
  'node_modules/@modelcontextprotocol/conformance/run.js': readFileSync('test/fixtures/conformanceSuite.js', 'utf8'),
};

/** By the name of the command in the table. */
const documents: Record<string, Documents> = {
  list: output(['list'], configured),
  'list <server>': output(['list', ...typed]),
  call: output(['call', ...typed, 'add', '{"a": 2, "b": 3}']),
  read: output(['read', ...typed, 'counter://guide']),
  prompt: output(['prompt', ...typed, 'greet', '{"who": "Ada"}']),
  doctor: output(['doctor', ...typed]),
  test: output(['test', 'a.mcptest.yaml', '--yes'], tests),
  lint: output(['lint', ...typed]),
  lock: output(['lock', '--yes'], drifted),
  'lock --check': output(['lock', '--check', '--yes'], drifted),
  conformance: output(['conformance', ...typed, '--yes', '--revision', '2025-11-25'], suite),
  'record --call': async (t) => (await recorded(t)).document,
  'record --transport': served(['record', ...typed, recording, '--transport', 'ws']),
  'mock --transport': async (t) =>
    httpAddress(startCli(t, ['mock', recording, '--transport', 'sse'], (await recorded(t)).folder)),
  gateway: served(['gateway', '--config', '.mcp.json'], configured),
  compare: async (t) => {
    const { folder } = await recorded(t);
    const file = path.join(folder, recording);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"sum":5', '"sum":6'));
    const { stdout, stderr } = await runCli(['compare', ...typed, recording, '--yes', '--json'], { folder });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout);
  },
  'A failure': output(['list', '--command', `"${process.execPath}" -e "console.error('No.'); process.exit(4)"`]),
};

test('the table of documents has exactly the commands that are compared here', () => {
  assert.deepEqual(rows.flatMap(({ commands }) => commands).sort(), Object.keys(documents).sort());
});

for (const [command, document] of Object.entries(documents)) {
  test(`the document of ${command} has the documented keys`, async (t) => {
    const shape = rows.find(({ commands }) => commands.includes(command))?.shape;
    assert.ok(shape, `${command} is not in the table.`);
    assert.deepEqual(shapeProblems(await document(t), shape, optional), []);
  });
}

test('the document of test files with mistakes has the documented problems', async (t) => {
  const shape = parseShape('{"ok", "error": {"code", "message", "problems": [{"file", "line", "column", "message"}]}}');
  const document = await output(['test', 'a.mcptest.yaml'], { 'a.mcptest.yaml': 'server: x\ntsts: []\n' })(t);
  assert.deepEqual(shapeProblems(document, shape, new Set()), []);
});
