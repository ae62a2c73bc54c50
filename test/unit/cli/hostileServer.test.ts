/** The command line against a server whose texts attack the terminal, the log of a workflow, and reports. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { withoutCommands } from '../../../src/cli/output.js';
import { assertLinear } from '../../support/linearWork.js';
import { folderWith, runCli } from '../../support/cliProcess.js';

const rude = path.resolve('test/fixtures/servers/rude.mjs');
const typed = (mode = '') => ['--command', `"${process.execPath}" "${rude}" ${mode}`];
const inWorkflow = { GITHUB_ACTIONS: 'true' };
const json = (text: string): any => JSON.parse(text);

/** Control characters besides the line break, C1 controls, directions, and tags. */
const hidden = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
/** What GitHub or Azure Pipelines reads as a command. */
const command = /^[^\S\n]*::|##\[|##vso\[/im;

function assertTame(text: string, what: string): void {
  assert.doesNotMatch(text, hidden, what);
  assert.doesNotMatch(text, command, what);
}

const shown: [string, string[], number][] = [
  ['a list', ['list', ...typed()], 0],
  ['a list as JSON', ['list', ...typed(), '--json'], 0],
  ['a result as JSON', ['call', ...typed(), 'say', '--json'], 0],
  ['a refusal', ['read', ...typed(), 'x://y'], 1],
  ['a refusal as JSON', ['read', ...typed(), 'x://y', '--json'], 1],
  ['a crash, with the error output of the server', ['call', ...typed('crash'), 'say'], 1],
  ['the log', ['list', ...typed(), '--verbose'], 0],
  ['a diagnosis', ['doctor', ...typed('crash')], 0],
];
for (const [what, args, code] of shown) {
  test(`[CLI3] ${what} has no control or hidden characters, and no command of a workflow`, async () => {
    const end = await runCli(args, { env: inWorkflow });
    assert.equal(end.code, code, end.stderr);
    assertTame(end.stdout, 'stdout');
    assertTame(end.stderr, 'stderr');
  });
}

test('[CLI3] the text of a result is exact in a pipe, and without commands in the log of a workflow', async () => {
  const exact = await runCli(['call', ...typed(), 'say'], { env: { GITHUB_ACTIONS: '', TF_BUILD: '' } });
  assert.match(exact.stdout, /\n {2}::error::owned\n/);
  const { stdout } = await runCli(['call', ...typed(), 'say'], { env: inWorkflow });
  assert.doesNotMatch(stdout, command);
});

test('[CLI3] a command of a workflow is escaped behind every blank and every line break', () => {
  for (const before of ['', ' ', '\t', '\u0085', 'a\n', 'a\r\n', 'a\r', 'a\n \u0085\u2003'])
    assert.equal(withoutCommands(`${before}::error::x`), `${before}\\u{3a}:error::x`, JSON.stringify(before));
  assert.equal(withoutCommands('a ::b'), 'a ::b');
  for (const blank of ['\r', '\u2028', ' ']) assertLinear((text) => withoutCommands(text), blank);
});

test('[CLI3] escapes in JSON change no value', async () => {
  const { stdout } = await runCli(['call', ...typed(), 'say', '--json'], { env: inWorkflow });
  const { text } = json(stdout).result.content[0];
  assert.ok(text.startsWith('\u001b]0;owned\u0007'));
  assert.ok(text.endsWith('::add-mask::x]]></failure>'));
  assert.ok(text.includes('##[error]a ##vso[task.x]b'));
});

for (const reporter of ['pretty', 'github', 'junit', 'json']) {
  test(`[CLI3] texts of a server cannot forge a part of the report ${reporter}`, async (t) => {
    const folder = folderWith(t, {
      'a.mcptest.yaml': `server: { command: '${process.execPath}', args: ['${rude}'] }
tests:
  - { name: "::error::name\\e[2J\\n::warning::line", call: say, expect: { text: other } }
  - { name: failed, call: say, arguments: { isError: true } }
  - { name: skipped, skip: "\\e[2Jreason\\r::error::x", call: say }
  - { name: refused, read: "x://y" }
`,
    });
    const end = await runCli(['test', '--yes', '--reporter', reporter], { folder, env: inWorkflow });
    assert.equal(end.code, 1, end.stderr);
    const lines = end.stdout.split('\n');
    const own = lines.filter((line) => line.startsWith('::error file=a.mcptest.yaml,line='));
    assert.equal(own.length, reporter === 'github' ? 3 : 0);
    for (const line of own) assert.doesNotMatch(line, hidden);
    assertTame(lines.filter((line) => !own.includes(line)).join('\n'), 'stdout');
    assertTame(end.stderr, 'stderr');
    if (reporter === 'junit') assert.equal(end.stdout.match(/<\/failure>/g)?.length, 3);
    if (reporter === 'json') assert.equal(json(end.stdout).failed, 3);
  });
}

test('[CLI4] a server that does not answer, or does not end, does not keep the command line', async () => {
  const silent = await runCli(['call', ...typed('silent'), 'say', '--timeout', '1', '--json']);
  assert.deepEqual([silent.code, json(silent.stdout).error.code], [1, 'timeout']);
  const stubborn = await runCli(['call', ...typed('stubborn'), 'say', '--json']);
  assert.equal(stubborn.code, 0, stubborn.stderr);
});

test('[CLI4] a server that wants a sign-in opens nothing without a terminal, and the exit code is 2', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const end = await runCli(['list', '--url', `http://127.0.0.1:${port}/mcp`, '--json']);
  assert.deepEqual([end.code, json(end.stdout).ok], [2, false], end.stdout);
});

test('[CLI4] a reader that closes the output does not change the exit code', async () => {
  const { code } = await runCli(['call', ...typed(), 'say', '{"isError": true}'], { closesOutput: true });
  assert.equal(code, 1);
});
