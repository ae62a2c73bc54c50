/** The command line in a folder whose files attack the user: links, devices, secrets, and texts that take forever. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';
import { onlyPosix } from '../../support/platform.js';

const json = (text: string): any => JSON.parse(text);
const server = `server: { command: '${process.execPath}', args: ['${counter}'] }\n`;
const links = onlyPosix('Links need a permission on Windows.');
const secret = 'SECRET-5f1b77c2';

/** A file outside of the folder, which nothing may change or show. */
function victim(t: TestContext): { folder: string; file: string } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-victim-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'keys.json');
  writeFileSync(file, secret);
  return { folder, file };
}

test('[CLI2] snapshots are neither read nor written through a link', links, async (t) => {
  const { file } = victim(t);
  const folder = folderWith(t, {
    'a.mcptest.yaml': `${server}tests: [{ call: create, expect: { snapshot: true } }]\n`,
  });
  symlinkSync(file, path.join(folder, 'a.snap.json'));
  for (const more of [[], ['--update']]) {
    const { code, stdout, stderr } = await runCli(['test', '--yes', ...more], { folder });
    assert.equal(code, 2);
    assert.match(stdout, /is a link/);
    assert.doesNotMatch(stdout + stderr, /SECRET/);
  }
  assert.equal(readFileSync(file, 'utf8'), secret);
});

test('[CLI2] a report is not written through a link, or through a folder that is one', links, async (t) => {
  const { folder: outside, file } = victim(t);
  const folder = folderWith(t, { 'a.mcptest.yaml': `${server}tests: [{ call: create }]\n` });
  symlinkSync(file, path.join(folder, 'report.xml'));
  symlinkSync(outside, path.join(folder, 'reports'));
  for (const output of ['report.xml', 'reports/new.xml', 'reports/keys.json']) {
    const end = await runCli(['test', '--yes', '--reporter', 'junit', '--output', output], { folder });
    assert.equal(end.code, 2);
    assert.match(end.stderr, /is a link or is in a linked folder/);
  }
  assert.equal(readFileSync(file, 'utf8'), secret);
  assert.equal(existsSync(path.join(outside, 'new.xml')), false);
});

test('[CLI2] pipes, devices and folders in the place of files end with a message', links, async (t) => {
  const folder = folderWith(t, { 'a.mcptest.yaml': `${server}tests: [{ call: create }]\n` });
  execFileSync('mkfifo', [path.join(folder, 'mcp.json'), path.join(folder, 'b.mcptest.yaml')]);
  symlinkSync('/dev/zero', path.join(folder, '.mcp.json'));
  symlinkSync(folder, path.join(folder, 'loop'));
  const list = await runCli(['list', '--json'], { folder });
  assert.deepEqual([list.code, json(list.stdout).servers], [0, []]);
  const run = await runCli(['test', '--yes', '--json'], { folder });
  assert.deepEqual([run.code, json(run.stdout).passed], [0, 1], run.stderr);
  execFileSync('mkfifo', [path.join(folder, 'env')]);
  writeFileSync(path.join(folder, 'c.mcptest.yaml'), `server: { command: node, envFile: env }\ntests: [{ call: a }]\n`);
  const env = await runCli(['test', '--yes', '--json', 'c.mcptest.yaml'], { folder });
  assert.equal(env.code, 2);
});

test('[CLI2] an environment variable in an address is not sent, and not shown, before it is approved', async (t) => {
  const received: string[] = [];
  const trap = createServer(({ url = '' }, response) => {
    received.push(url);
    response.writeHead(404).end();
  });
  trap.listen(0, '127.0.0.1');
  await once(trap, 'listening');
  t.after(() => trap.close());
  const { port } = trap.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp?k=`;
  const folder = folderWith(t, {
    'a.mcptest.yaml': `server: { url: '${url}\${env:DECK_SECRET}' }\ntests: [{ call: a }]\n`,
    'assert.yaml': `server: { transport: http, url: '${url}', headers: { x: "$DECK_SECRET" } }\nassert: { tool: a }\n`,
  });
  for (const file of ['a.mcptest.yaml', 'assert.yaml']) {
    const { code, stdout, stderr } = await runCli(['test', file], { folder, env: { DECK_SECRET: secret } });
    assert.equal(code, 2);
    assert.match(stderr, /\$\{env:DECK_SECRET\}: the environment variable DECK_SECRET of this machine/);
    assert.doesNotMatch(stdout + stderr, /SECRET-5f/);
  }
  assert.deepEqual(received, []);
});

test('[CLI2] variables of steps are named before they are sent, and are in no report and no snapshot', async (t) => {
  const folder = folderWith(t, {
    'mcp.json': { servers: { counter: { command: process.execPath, args: [counter] } } },
    'a.mcptest.yaml': `server: counter
tests:
  - { call: find, arguments: { id: "\${env:DECK_SECRET}" }, expect: { text: other, snapshot: true } }
`,
  });
  const env = { DECK_SECRET: secret };
  const refused = await runCli(['test'], { folder, env });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /send the values of these environment variables to their server:\n {2}DECK_SECRET/);
  const { code, stdout, stderr } = await runCli(['test', '--yes', '--update', '--json'], { folder, env });
  assert.equal(code, 1);
  assert.match(stderr, /DECK_SECRET/);
  assert.match(json(stdout).cases[0].failures[0].actual, /^found /);
  assert.doesNotMatch(stdout + stderr, /SECRET-5f/);
  assert.doesNotMatch(readFileSync(path.join(folder, 'a.snap.json'), 'utf8'), /SECRET-5f/);
});

test('[CLI2] an expectation about a file outside of the folders of the test does not show it', async (t) => {
  const outside = path.resolve('package.json');
  const folder = folderWith(t, {
    'a.yaml': `server: { command: '${process.execPath}', args: ['${counter}'] }
assert: { tool: create, expect: { file_contains: { '${outside}': nothing } } }
`,
    'b.yaml': `trajectory: [{ type: presence, tools: [a] }]\naudit_log: '${outside}'\n`,
  });
  // The checkout can be in the folder for temporary files, whose files may be read.
  const env = { TMPDIR: folder, TEMP: folder, TMP: folder };
  const contains = await runCli(['test', 'a.yaml', '--yes', '--json'], { folder, env });
  assert.match(json(contains.stdout).cases[0].failures[0].message, /outside of the folders of the test/);
  const log = await runCli(['test', 'b.yaml', '--yes', '--json'], { folder, env });
  for (const { stdout, stderr } of [contains, log]) assert.doesNotMatch(stdout + stderr, /"displayName"|mcp-deck"/);
});

test('[CLI2] patterns and values that would take hours or all memory fail at their line', async (t) => {
  const folder = folderWith(t, {
    'a.mcptest.yaml': `${server}tests:
  - { call: find, arguments: { id: ${'a'.repeat(40)} }, expect: { text: { matches: "(a+)+$x" } } }
  - each: [{ x: ${'x'.repeat(100_000)} }]
    name: repeated
    call: find
    arguments: { id: "${'${x}'.repeat(1_000)}" }
`,
  });
  const { code, stdout } = await runCli(['test', '--yes', '--json'], { folder });
  assert.equal(code, 1);
  assert.deepEqual(
    json(stdout).cases.map(({ failures }: any) => [failures[0].line, failures[0].message.slice(0, 50)]),
    [
      [3, 'text: Matching the pattern (a+)+$x takes too long.'],
      [4, 'The values that are filled in have more than 10000'],
    ],
  );
});

test('[CLI2] the values that a test file saves are limited in bytes', async (t) => {
  const talker = `
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'l', version: '1' } },
        'tools/list': { tools: [{ name: 'large', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'x'.repeat(12e6) }] },
      }[method];
      if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });`;
  const step = (name: string) => `      - { call: large, save: { ${name}: "$.content[0].text" } }\n`;
  const steps = (names: string[]) => `    steps:\n${names.map(step).join('')}`;
  const folder = folderWith(t, {
    'server.cjs': talker,
    'a.mcptest.yaml': `server: { command: '${process.execPath}', args: [server.cjs] }
protocol: legacy
tests:
  - name: replaced
${steps(Array.from({ length: 6 }, () => 'same'))}  - name: kept
${steps(['a', 'b', 'c', 'd', 'e', 'f'])}`,
  });
  const end = await runCli(['test', '--yes'], { folder });
  assert.equal(end.code, 1, end.stderr);
  assert.match(end.stdout, /✓ replaced|ok .*replaced/);
  assert.match(end.stdout, /The saved values need more than 64 MB of memory\./);
});
