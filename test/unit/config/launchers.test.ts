import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import { launchOf } from '../../../src/core/config/launchers.js';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { readSmallFile } from '../../../src/core/config/smallFile.js';
import { findStart } from '../../../src/core/config/startFacts.js';

describe('[C25] a launcher is seen in', () => {
  const cases: [string, string[], string, string?][] = [
    ['npx', ['-y', '@scope/server@1.2.3', '--flag'], 'npx', 'node_modules/@scope/server/package.json'],
    ['C:\\Program Files\\nodejs\\npx.cmd', ['server'], 'npx', 'node_modules/.bin/server'],
    ['npx', ['--package=tools@latest', 'server'], 'npx', 'node_modules/tools/package.json'],
    ['npx', ['--yes', '${config:name}'], 'npx', 'node_modules'],
    ['npm', ['exec', 'server'], 'npm exec', '.npmrc'],
    ['pnpm', ['dlx', 'server'], 'pnpm dlx', '.pnpmfile.cjs'],
    ['bunx', ['server'], 'bunx', 'bunfig.toml'],
    ['uvx', ['--from', 'pkg', 'server'], 'uvx', 'uv.toml'],
    ['env', ['A=1', 'uvx', 'server'], 'uvx', 'pyproject.toml'],
    ['cmd', ['/c', 'npx', 'server'], 'npx', '.npmrc'],
    ['pipx', ['run', 'server'], 'pipx', 'pip.conf'],
  ];
  for (const [command, args, launcher, file] of cases) {
    test([command, ...args].join(' '), () => {
      const found = launchOf(command, args);
      assert.deepEqual([found?.launcher, file === undefined || found?.files.includes(file)], [launcher, true], JSON.stringify(found));
    });
  }
  test('nothing else', () => assert.deepEqual([launchOf('node', ['npx']), launchOf('npm', ['start']), launchOf('uv', ['pip']), launchOf('/w/server', [])], [undefined, undefined, undefined, undefined]));
});

test('[C3, C25] what a launcher would take from the workspace is named, belongs to the approval, and is looked for in each folder up to that of the workspace', async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), 'launchers-'));
  try {
    const folder = path.join(root, 'w');
    await mkdir(path.join(folder, 'sub'), { recursive: true });
    const source: ConfigSource = { id: 's', kind: 'vscode', label: '.vscode/mcp.json', folderPath: folder };
    const look = async (parts: Partial<StdioDefinition> = {}) => {
      const definition: StdioDefinition = { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: {}, cwd: 'sub', ...parts };
      const { facts, warnings } = await findStart({ id: 'a', definition, source, values: new Map() }, { serverName: 'a', folderPath: folder, folders: [], userHome: root, env: {}, getSetting: () => undefined, readFile: readSmallFile, isPortable: false });
      return { hash: definitionHash(definition, source, facts), warnings };
    };
    await writeFile(path.join(root, '.npmrc'), 'above=the workspace');
    const clean = await look();
    assert.deepEqual(clean.warnings, []);
    await mkdir(path.join(folder, 'node_modules', 'server'), { recursive: true });
    await writeFile(path.join(folder, 'node_modules', 'server', 'package.json'), '{}');
    const planted = await look();
    assert.deepEqual(planted.warnings, [`npx runs or follows what is in the workspace instead of what it would fetch: ${path.join('..', 'node_modules', 'server', 'package.json')}.`]);
    await writeFile(path.join(folder, 'sub', '.npmrc'), 'registry=https://evil.example/');
    const settings = await look();
    assert.match(settings.warnings.join(), /fetch: \.npmrc, /);
    await writeFile(path.join(folder, 'sub', '.npmrc'), 'registry=https://worse.example/');
    const changed = await look();
    assert.equal(new Set([clean, planted, settings, changed].map(({ hash }) => hash)).size, 4);
    assert.deepEqual((await look({ cwd: root })).warnings, [], 'a folder outside of the workspace');
    assert.deepEqual((await look({ command: 'node' })).warnings, []);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
