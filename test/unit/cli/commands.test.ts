/** The command line as a process: its commands, output, and exit codes, against servers of both eras. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';

const server = (...args: string[]) => ({ command: process.execPath, args: [counter, ...args] });
const typed = ['--command', `"${process.execPath}" "${counter}"`];
const json = (text: string): any => JSON.parse(text);

test('list without a server names the servers of all files and starts none', async (t) => {
  const folder = folderWith(t, {
    '.vscode/mcp.json': { servers: { one: server() } },
    '.mcp.json': { mcpServers: { two: server() } },
    'mcp.json': { servers: { three: server() } },
  });
  const { code, stdout, stderr } = await runCli(['list', '--json'], { folder });
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(
    json(stdout).servers.map(({ name, source }: any) => [name, source]),
    [
      ['one', '.vscode/mcp.json'],
      ['three', 'mcp.json'],
      ['two', '.mcp.json'],
    ],
  );
});

for (const era of ['legacy', '2026-07-28']) {
  test(`list, call, read and prompt show what a server of ${era} answers`, async () => {
    const common = [...typed, '--protocol', era];
    const list = await runCli(['list', ...common, '--json']);
    assert.deepEqual([list.code, json(list.stdout).protocol], [0, era === 'legacy' ? '2025-11-25' : era]);
    const call = await runCli(['call', ...common, 'add', '{"a": 2, "b": 3}']);
    assert.deepEqual(call, { code: 0, stdout: 'The sum is 5.\n', stderr: '' });
    const read = await runCli(['read', ...common, 'counter://guide']);
    assert.deepEqual(read, { code: 0, stdout: 'Count up.\n', stderr: '' });
    const prompt = await runCli(['prompt', ...common, 'greet', '{"who": "Ada"}']);
    assert.deepEqual(prompt, { code: 0, stdout: 'user: Hello Ada\n', stderr: '' });
  });
}

test('a result of a tool is one JSON document with --json', async () => {
  const { code, stdout } = await runCli(['call', ...typed, 'add', '-', '--json'], { input: '{"a": 1, "b": 1}' });
  assert.equal(code, 0);
  const { ok, server: name, result } = json(stdout);
  assert.deepEqual([ok, name, result.structuredContent], [true, 'server', { sum: 2 }]);
});

test('a tool that reports an error, and a request that is refused, end with exit code 1', async () => {
  const wrong = await runCli(['call', ...typed, 'add', '{"a": "x"}']);
  assert.deepEqual([wrong.code, wrong.stdout], [1, 'Number expected\n']);
  const refused = await runCli(['call', ...typed, 'wrong', '--json']);
  assert.deepEqual([refused.code, json(refused.stdout).ok], [1, false]);
  assert.match(json(refused.stdout).error.message, /Unknown tool wrong/);
});

const wrongUsages: [string, string[], RegExp][] = [
  ['an unknown command', ['lst'], /The command "lst" is not known\. Did you mean "list"\?/],
  ['an unknown option', ['list', '--jsn'], /--jsn is not known\. Did you mean --json\?/],
  ['a missing tool', ['call', ...typed], /<tool> is missing/],
  ['arguments that are not JSON', ['call', ...typed, 'add', '{'], /not valid JSON/],
  ['arguments that are not an object', ['call', ...typed, 'add', '[1]'], /must be a JSON object/],
  ['one argument too many', ['list', 'a', 'b'], /"b" is one argument too many/],
  ['an unknown server', ['list', 'nowhere'], /The server "nowhere" is not known/],
  [
    'a server that does not start',
    ['list', '--command', `"${process.execPath}" nowhere.mjs`],
    /nowhere\.mjs does not exist/,
  ],
  ['a wrong time limit', ['list', ...typed, '--timeout', 'soon'], /--timeout must be a whole number/],
];
for (const [what, args, message] of wrongUsages) {
  test(`${what} ends with exit code 2 and a message on stderr`, async (t) => {
    const { code, stdout, stderr } = await runCli(args, { folder: folderWith(t, {}) });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
  });
}

test('the failure of a start is JSON with --json, with the error output of the server', async () => {
  const program = `"${process.execPath}" -e "console.error('No license.'); process.exit(4)"`;
  const { code, stdout } = await runCli(['list', '--json', '--command', program]);
  assert.equal(code, 2);
  const { ok, error } = json(stdout);
  assert.deepEqual([ok, error.code], [false, 'exited']);
  assert.match(`${error.message} ${error.stderr.join(' ')}`, /No license\./);
});

test('[CLI1] a command of a file is shown and does not run without a terminal, unless --yes approves it', async (t) => {
  const folder = folderWith(t, { '.mcp.json': { mcpServers: { counter: server('legacy') } } });
  const refused = await runCli(['call', 'counter', 'create', '--json'], { folder });
  assert.deepEqual([refused.code, json(refused.stdout).error.code], [2, 'needs-approval']);
  assert.ok(refused.stderr.includes(counter), refused.stderr);
  const approved = await runCli(['call', 'counter', 'create', '--yes'], { folder });
  assert.deepEqual([approved.code, approved.stdout], [0, 'created\n']);
  assert.ok(approved.stderr.includes(counter), approved.stderr);
});

test('the value of an input comes from the environment, and a missing value is named', async (t) => {
  const folder = folderWith(t, {
    '.vscode/mcp.json': {
      servers: { counter: { ...server(), env: { TOKEN: '${input:api-key}' } } },
      inputs: [{ id: 'api-key', type: 'promptString', password: true }],
    },
  });
  const missing = await runCli(['list', 'counter', '--yes'], { folder });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /Set the environment variable api-key or API_KEY\./);
  const call = ['call', 'counter', 'environment', '{"name": "TOKEN"}', '--yes'];
  const found = await runCli(call, { folder, env: { API_KEY: 'the value' } });
  assert.deepEqual([found.code, found.stdout], [0, 'the value\n']);
});

test('[CLI5] the question before a start names the environment variable that an input takes its value from', async (t) => {
  const folder = folderWith(t, {
    '.vscode/mcp.json': {
      servers: { counter: { ...server(), env: { NICK: '${input:nick-token}', REGION: '${input:region}' } } },
      inputs: [
        { id: 'nick-token', type: 'promptString', description: 'Your nickname' },
        { id: 'region', type: 'pickString', options: ['a', 'b'] },
      ],
    },
  });
  const { code, stderr } = await runCli(['list', 'counter'], { folder, env: { NICK_TOKEN: 'ghp_value', region: 'a' } });
  assert.equal(code, 2);
  assert.match(stderr, /\$\{input:nick-token\}: the environment variable NICK_TOKEN of this machine/);
  assert.match(stderr, /\$\{input:region\}: the environment variable region of this machine/);
  assert.doesNotMatch(stderr, /that you enter|ghp_value/);
  const asked = await runCli(['list', 'counter'], { folder });
  assert.match(asked.stderr, /\$\{input:nick-token\}: the value that you enter/);
});

test('doctor ends with exit code 1 for a server that cannot start, and with 0 for one that can', async () => {
  const good = await runCli(['doctor', ...typed, '--json']);
  assert.deepEqual([good.code, json(good.stdout).ok], [0, true]);
  const bad = await runCli(['doctor', '--command', `"${process.execPath}" nowhere.mjs`]);
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /✗ files/);
});

test('every command has help with examples', async () => {
  const all = await runCli(['--help']);
  assert.equal(all.code, 0);
  const names = [...all.stdout.matchAll(/^ {2}([a-z]+) .* {2}[A-Z]/gm)].map(([, name]) => name ?? '');
  const known = 'list call read prompt test lint lock record mock compare conformance doctor gateway';
  assert.deepEqual(names.join(' '), known, all.stdout);
  for (const name of names) {
    const { code, stdout } = await runCli([name, '--help']);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`Examples:\n  mcp-deck ${name}[^]*Exit codes:`));
  }
});

test('output without a terminal has no colors and no progress', async () => {
  const { stdout, stderr } = await runCli(['call', ...typed, 'slow', '{"steps": 3}']);
  assert.deepEqual([stdout, stderr], ['done\n', '']);
});
