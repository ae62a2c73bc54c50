/** `mcp-deck conformance` as a process: which suite runs, against which address, and what its results mean. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';

const server = ['--command', `"${process.execPath}" "${counter}"`];

const suite = readFileSync('test/fixtures/conformanceSuite.js', 'utf8');

const project = {
  'node_modules/@modelcontextprotocol/conformance/package.json': {
    version: '9.9.9',
    type: 'module',
    bin: { conformance: 'run.js' },
  },
  'node_modules/@modelcontextprotocol/conformance/run.js': suite,
};

test('the suite of the project runs against a private address of the server', async (t) => {
  const folder = folderWith(t, project);
  const { code, stdout, stderr } = await runCli(
    ['conformance', ...server, '--yes', '--json', '--revision', '2025-11-25'],
    { folder },
  );
  assert.equal(code, 1, stderr);
  assert.match(stderr, /9\.9\.9 is run by the package in this project/);
  const { ok, revision, suite: used, scenarios } = JSON.parse(stdout);
  assert.deepEqual([ok, revision, used], [false, '2025-11-25', '9.9.9']);
  assert.deepEqual(
    scenarios.map(({ name, status, isScored, link }: any) => [name, status, isScored, link]),
    [
      ['connects', 'passed', true, 'https://example.com/spec#a'],
      ['warns', 'passed', true, undefined],
      ['empty', 'skipped', true, undefined],
      ['breaks', 'failed', true, undefined],
      ['extra', 'failed', false, undefined],
      ['silent', 'failed', false, undefined],
    ],
  );
  const modern = await runCli(['conformance', ...server, '--yes', '--revision', '2026-07-28'], { folder });
  assert.equal(modern.code, 0, modern.stderr);
  assert.match(modern.stdout, /0 failed, 2 passed, 1 without checks \(2026-07-28\)/);
});

test('no suite runs without an approval, and npx gets an exact version of the suite', async (t) => {
  const installed = await runCli(['conformance', ...server], { folder: folderWith(t, project) });
  assert.deepEqual([installed.code, installed.stdout], [2, '']);
  assert.match(installed.stderr, /The conformance suite was not run\./);
  const downloaded = await runCli(['conformance', ...server], { folder: folderWith(t, {}) });
  assert.equal(downloaded.code, 2);
  assert.match(downloaded.stderr, /npx --yes @modelcontextprotocol\/conformance@\d+\.\d+\.\d+(-[\w.]+)?\n/);
  const { code, stderr } = await runCli(['conformance', ...server, '--yes', '--revision', '2024-11-05']);
  assert.equal(code, 2);
  assert.match(stderr, /--revision must be 2025-11-25 or 2026-07-28\./);
});

test('[C37] the folder has no say in the suite that npx downloads: neither its packages nor its registry', async (t) => {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(String(request.url));
    response.writeHead(404).end();
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  t.after(() => registry.close());
  // The registry of the user.
  const { port } = registry.address() as AddressInfo;
  const folder = folderWith(t, {
    'package.json': {},
    '.npmrc': 'registry=http://127.0.0.1:1/\n',
    'home/.npmrc': `registry=http://127.0.0.1:${port}/\n`,
    'node_modules/@modelcontextprotocol/conformance/package.json': { version: '0.2.0-alpha.12' },
    'node_modules/.bin/conformance': '#!/bin/sh\ntouch "$PLANTED"\n',
    'node_modules/.bin/npx': '#!/bin/sh\ntouch "$PLANTED"\n',
  });
  for (const name of ['conformance', 'npx']) chmodSync(path.join(folder, 'node_modules/.bin', name), 0o755);
  const planted = path.join(folder, 'planted');
  const { code, stderr } = await runCli(['conformance', ...server, '--yes'], {
    folder,
    env: {
      PLANTED: planted,
      // As npm sets it for the scripts of a project.
      PATH: [path.join(folder, 'node_modules/.bin'), 'node_modules/.bin', process.env['PATH']].join(path.delimiter),
      NPM_CONFIG_USERCONFIG: path.join(folder, 'home/.npmrc'),
      npm_config_cache: path.join(folder, 'home/cache'),
      npm_config_fetch_retries: '0',
    },
  });
  assert.equal(code, 2, stderr);
  assert.equal(existsSync(planted), false, 'a program of the folder ran');
  assert.ok(
    asked.some((url) => url.includes('conformance')),
    stderr,
  );
});

test('[C37] a package of the project with one program is the package of this project', async (t) => {
  const folder = folderWith(t, {
    'node_modules/@modelcontextprotocol/conformance/package.json': { version: '1.2.3', type: 'module', bin: 'run.js' },
    'node_modules/@modelcontextprotocol/conformance/run.js': suite,
  });
  const { stderr } = await runCli(['conformance', ...server], { folder });
  assert.match(stderr, /1\.2\.3 is run by the package in this project:\n.*run\.js/);
});

test('the official suite runs against a server on standard streams', { timeout: 180_000 }, async () => {
  // The suite imports a function that Node 20 does not have, and does not call it here.
  const shim = pathToFileURL(path.resolve('test/support/conformanceNode20Shim.mjs')).href;
  const env = { NODE_OPTIONS: `--import ${shim}` };
  const args = ['conformance', ...server, '--yes', '--json', '--revision', '2025-11-25'];
  const { code, stdout, stderr } = await runCli([...args, '--scenario', 'server-initialize'], { env });
  assert.equal(code, 0, stdout + stderr);
  const [scenario] = JSON.parse(stdout).scenarios;
  assert.deepEqual([scenario.name, scenario.status], ['server-initialize', 'passed']);
  assert.match(scenario.link, /^https:\/\/modelcontextprotocol\.io\/specification\//);
  const unknown = await runCli([...args, '--scenario', 'no-such-scenario'], { env });
  assert.equal(unknown.code, 2);
  assert.match(JSON.parse(unknown.stdout).error.message, /The conformance suite did not run: .*no-such-scenario/);
});
