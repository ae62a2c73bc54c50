import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import { foldersUpTo } from '../../../src/core/base/folderPath.js';
import { launchOf, pythonModuleOf } from '../../../src/core/config/launchers.js';
import { lineKindOf } from '../../../src/core/config/programKinds.js';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';
import { assertGrowsLinearly, assertLinear } from '../../support/linearWork.js';
import { lookIn } from './lookIn.js';

test('[C25] a launcher and its packages are recognized in linear time', () => {
  assertLinear((text) => launchOf('npx', ['-y', `a${text}/`]));
  assertGrowsLinearly((length) => launchOf('npx', ['-y', `a${'@'.repeat(length)}/`]), 40_000, 'many versions');
  const many = `npx ${Array.from({ length: 199 }, (_, index) => `-p=p${index}`).join(' ')}`;
  assertGrowsLinearly((length) => launchOf('sh', ['-c', `${many} ${'npx '.repeat(length / 4)}`]), 40_000, 'launchers');
  assertGrowsLinearly((length) => pythonModuleOf('uv', [' uv -m'.repeat(length / 6)]), 40_000, 'modules');
  assertGrowsLinearly((length) => lineKindOf(`node${'1'.repeat(length)}x`, []), 40_000, 'many digits');
});

describe('[C25] a launcher is recognized in', () => {
  const inNode = 'node_modules/server/package.json';
  const cases: [string, string[], string, string][] = [
    ['npx', ['-y', '@scope/server@1.2.3', '--flag'], 'npx', 'node_modules/@scope/server/package.json'],
    ['npx', ['-y', '@scope/server@1.2.3', '--flag'], 'npx', 'node_modules/.bin/@scope/server@1.2.3'],
    ['npx', ['@scope/server'], 'npx', 'node_modules/.bin/server'],
    ['C:\\Program Files\\nodejs\\npx.cmd', ['server'], 'npx', 'node_modules/.bin/server'],
    ['npx', ['--package=tools@latest', 'server'], 'npx', 'node_modules/tools/package.json'],
    ['npx', ['--yes', '${config:name}'], 'npx', 'node_modules'],
    ['npm', ['exec', 'server'], 'npm', '.npmrc'],
    ['npm', ['--yes', '--loglevel', 'silent', 'exec', 'server'], 'npm', inNode],
    ['npm', ['--omit', 'dev', 'exec', '-y', 'server'], 'npm', inNode],
    ['npm', ['create', '@scope/server'], 'npm', 'node_modules/@scope/create-server/package.json'],
    ['npm', ['run', 'x', '--', 'npx', 'server'], 'npx', inNode],
    ['uv', ['--quiet', '--directory', 'x', 'tool', 'run', 'server'], 'uv', 'uv.toml'],
    ['uv', ['--allow-insecure-host', 'x', 'tool', 'run', 'server'], 'uv', 'uv.toml'],
    ['uv', ['run', '--with', 'server', 'server'], 'uv', 'server'],
    ['env', ['-u', 'X', 'npx', 'server'], 'npx', '.npmrc'],
    ['env', ['-Snpx -y server'], 'npx', inNode],
    ['env', ['--split-string=npx -y server'], 'npx', inNode],
    ['script', ['--command=npx -y server', '/dev/null'], 'npx', inNode],
    ['pwsh', ['-Command', '& {npx -y server}'], 'npx', inNode],
    ['cmd', ['/c', '@npx server'], 'npx', inNode],
    ['cmd', ['/cnpx server'], 'npx', inNode],
    ['cmd', ['/c', 'npx', 'server'], 'npx', '.npmrc'],
    ['pnpm', ['dlx', 'server'], 'pnpm', '.pnpmfile.cjs'],
    ['pnpm', ['--reporter', 'silent', 'dlx', 'server'], 'pnpm', inNode],
    ['bunx', ['server'], 'bunx', 'bunfig.toml'],
    ['yarnpkg', ['dlx', 'server'], 'yarnpkg', '.yarnrc.yml'],
    ['deno', ['-A', 'npm:server'], 'deno', 'deno.json'],
    ['uvx', ['--from', 'pkg', 'server'], 'uvx', 'uv.toml'],
    ['env', ['A=1', 'uvx', 'server'], 'uvx', 'pyproject.toml'],
    ['pipx', ['run', 'server'], 'pipx', 'pip.conf'],
    ['pipx', ['run', '--system-site-packages', 'server==1.0'], 'pipx', 'server==1.0'],
    ['python3', ['-m', 'pipx', 'run', 'server==1.0'], 'pipx', 'server'],
    ['python3', ['-mpipx', 'run', 'server'], 'pipx', '__pypackages__'],
    ['python3', ['/opt/pipx.pyz', 'run', 'server'], 'pipx', '__pypackages__'],
    ['nice', ['-n', '5', 'npx', '-y', 'server'], 'npx', inNode],
    ['timeout', ['30', 'npx', 'server'], 'npx', inNode],
    ['sh', ['-c', 'cd sub && npx -y "server"'], 'npx', inNode],
    ['node', ['/usr/lib/node_modules/npm/bin/npx-cli.js', 'server'], 'npx', inNode],
    ['node', ['/usr/lib/node_modules/npm/bin/npx-cli', '-y', 'server'], 'npx', inNode],
    ['node', [`${'/usr/..'.repeat(100)}/usr/lib/node_modules/npm/bin/npx-cli.js`, 'server'], 'npx', inNode],
    ['node', ['/usr/lib/node_modules/npm/index.js', 'exec', 'server'], 'npm', inNode],
    ['node', ['/usr/lib/node_modules/corepack/dist/pnpx.js', 'server'], 'pnpx', inNode],
    ['node', ['/usr/lib/node_modules/pnpm/bin/pnpm.cjs', 'dlx', 'server'], 'pnpm', inNode],
    ['sh', ['-c', 'npx -y a; pipx run server'], 'npx', 'server'],
    ['sh', ['-c', `${'npx a; '.repeat(30)}npx server`], 'npx', inNode],
    ['corepack', ['pnpm@9', 'dlx', 'server'], 'corepack', '.pnpmfile.cjs'],
    ['op', ['run', '--', 'uvx', 'server'], 'uvx', 'uv.toml'],
    ['dotnet', ['tool', 'exec', 'server'], 'dotnet', 'nuget.config'],
    ['dnx', ['server'], 'dnx', 'NuGet.config'],
    ['env', ['-S', 'npx\\_-y\\_server'], 'npx', inNode],
    ['node', ['yarn-4.5.0.cjs', 'dlx', 'server'], 'yarn', inNode],
    ['go', ['run', 'github.com/x/server'], 'go', 'go.mod'],
    ['jbang', ['server@catalog'], 'jbang', 'jbang-catalog.json'],
  ];
  for (const [command, args, launcher, file] of cases) {
    test([command, ...args].join(' '), () => {
      const found = launchOf(command, args);
      const files = [...(found?.files ?? []), ...(found?.present ?? []), ...(found?.targets ?? [])];
      assert.deepEqual([found?.launcher, files.includes(file)], [launcher, true], JSON.stringify(found));
    });
  }
  test('no other command', () => {
    const lines = [
      'node server.js',
      'npm start',
      'pnpm run dev',
      'dotnet server.dll',
      'server --language go',
      '/w/server',
    ];
    for (const line of lines) {
      const [command = '', ...args] = line.split(' ');
      assert.equal(launchOf(command, args), undefined, line);
    }
  });
  test('too many words are not examined, and that is stated', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
    assert.equal(launchOf('npx', names(100))?.isIncomplete, false);
    assert.equal(launchOf('npx', names(300))?.isIncomplete, true);
    assert.equal(launchOf('sh', [`${'x '.repeat(100_001)} npx server`])?.isIncomplete, true);
    assert.equal(launchOf('npx', [`${'npx '.repeat(100_000)} server`])?.isIncomplete, true);
  });
});

test('[C3, C25] files that a launcher would use from the workspace are named, part of the approval, and searched in each folder up to that of the workspace', async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), 'launchers-'));
  try {
    const folder = path.join(root, 'w');
    await mkdir(path.join(folder, 'sub'), { recursive: true });
    const source: ConfigSource = { id: 's', kind: 'vscode', label: '.vscode/mcp.json', folderPath: folder };
    const look = async (parts: Partial<StdioDefinition> = {}) => {
      const definition: StdioDefinition = {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'server'],
        env: {},
        cwd: 'sub',
        ...parts,
      };
      const { facts, warnings } = await inspectStart(
        { id: 'a', definition, source, values: new Map() },
        {
          ...inspectionContext(root, [], {}),
          folderPath: folder,
        },
      );
      return { hash: definitionHash(definition, source, facts), warnings };
    };
    await writeFile(path.join(root, '.npmrc'), 'above=the workspace');
    const clean = await look();
    assert.deepEqual(clean.warnings, []);
    await mkdir(path.join(folder, 'node_modules', 'server'), { recursive: true });
    await writeFile(path.join(folder, 'node_modules', 'server', 'package.json'), '{}');
    const planted = await look();
    assert.deepEqual(planted.warnings, [
      `npx may run or use files of the workspace instead of downloaded ones: ${path.join('..', 'node_modules', 'server', 'package.json')}, ${path.join('..', 'node_modules')}.`,
    ]);
    await writeFile(path.join(folder, 'sub', '.npmrc'), 'registry=https://evil.example/');
    const settings = await look();
    assert.match(settings.warnings.join(), /ones: \.npmrc, /);
    const chosen = await look({ cwd: '.', args: ['-C', 'sub', 'server'] });
    assert.match(chosen.warnings.join(), /ones: .*sub/);
    const outside = await look({ cwd: root, args: ['-C', path.join(folder, 'sub'), 'server'] });
    assert.match(outside.warnings.join(), /ones: .*sub/);
    await writeFile(path.join(folder, 'sub', '.npmrc'), 'registry=https://worse.example/');
    const changed = await look();
    assert.equal(new Set([clean, planted, settings, changed].map(({ hash }) => hash)).size, 4);
    assert.deepEqual((await look({ cwd: root })).warnings, [], 'a folder outside of the workspace');
    assert.deepEqual((await look({ command: 'node' })).warnings, []);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('[F9] a working directory of many levels takes linear time and memory, and is asked about at each start', async () => {
  const levels = (count: number) => `/w${'/a'.repeat(count)}`;
  assertGrowsLinearly((length) => void foldersUpTo(levels(length / 2), ['/w']), 40_000, 'levels');
  assert.deepEqual(foldersUpTo('/w/a/b', ['/w', '/w/a']), ['/w/a/b', '/w/a', '/w']);
  assert.deepEqual(foldersUpTo('/v/a', ['/w']), []);
  const start = { cwd: 'a/'.repeat(300) };
  const [one, two] = await Promise.all([lookIn({}, start), lookIn({}, start)]);
  assert.notEqual(one.hash, two.hash);
  assert.match(one.warnings.join(), /too many words or nested folders/);
});

test('[F9] too many folders or look-ups are asked about at each start, and not begun', async () => {
  const incomplete = /too many words or nested folders/;
  const deep = 'a/'.repeat(150);
  const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
  assert.match((await lookIn({}, { cwd: deep, args: names })).warnings.join(), incomplete);
  const long = names.map((name) => name.padEnd(290, 'x'));
  assert.match((await lookIn({}, { cwd: 'a/'.repeat(20), args: long.slice(0, 30) })).warnings.join(), /^$/);
  const wide = `${'字'.repeat(250)}/`.repeat(15);
  assert.match(
    (await lookIn({}, { cwd: wide + 'a/'.repeat(100), args: long.slice(0, 30) })).warnings.join(),
    incomplete,
  );
  assert.match((await lookIn({}, { cwd: `${'a'.repeat(400)}/`.repeat(20) })).warnings.join(), incomplete);
  const outside = await lookIn({}, { cwd: os.tmpdir(), args: Array.from({ length: 300 }, (_, index) => `p${index}`) });
  assert.match(outside.warnings.join(), incomplete, 'also outside of the workspace');
});

test('[F9] links that lead to themselves are not found, and a warning names few files', async () => {
  const looped = await lookIn({ loop: { link: 'loop' } }, { cwd: 'loop' });
  assert.deepEqual(looped.warnings, []);
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`node_modules/p${index}/package.json`, '{}'] as const),
  );
  const args = Array.from({ length: 40 }, (_, index) => `p${index}`);
  assert.match((await lookIn(many, { args })).warnings.join(), /p19.package\.json, …\.$/);
});

describe('[C25] npm runs a program that a package.json of the workspace names instead of the package with that name', () => {
  const manifest = (fields: object) => ({ 'package.json': JSON.stringify({ name: 'repo', ...fields }) });
  const taken: [string, object][] = [
    ['by bin', { bin: { server: './evil.js' } }],
    ['by bin with a folder in the key', { bin: { '@scope/server': './evil.js' } }],
    ['by bin as a text', { name: '@scope/server', bin: './evil.js' }],
    ['by a folder of programs', { directories: { bin: 'bin' } }],
  ];
  for (const [how, fields] of taken) {
    test(how, async () =>
      assert.deepEqual((await lookIn(manifest(fields), {})).warnings, [
        'npx may run or use files of the workspace instead of downloaded ones: package.json.',
      ]),
    );
  }
  test('also if it names other programs or cannot be read, and for a package with a scope, but not without a package.json', async () => {
    const cases: [Record<string, string>, Partial<StdioDefinition>, number][] = [
      [manifest({ bin: { other: 'a.js' } }), {}, 1],
      [{ 'package.json': '{' }, {}, 1],
      [manifest({}), { args: ['-y', '@scope/server'] }, 1],
      [manifest({}), { command: 'pnpm', args: ['dlx', 'server'] }, 1],
      [manifest({}), { command: 'yarn', args: ['dlx', 'server'] }, 1],
      [manifest({}), { command: 'bunx', args: ['server'] }, 1],
      [manifest({}), { command: 'uvx', args: ['server'] }, 0],
      [{ '.venv/pyvenv.cfg': '' }, { command: 'uvx', args: ['server'] }, 1],
      [{ 'README.md': '' }, {}, 0],
    ];
    for (const [files, parts, count] of cases)
      assert.equal((await lookIn(files, parts)).warnings.length, count, JSON.stringify([files, parts]));
  });
  test('another program causes a new question, another dependency does not', async () => {
    const [one, two, other] = await Promise.all(
      [
        { bin: { server: 'a.js' } },
        { bin: { server: 'a.js' }, dependencies: { x: '1' } },
        { bin: { server: 'b.js' } },
      ].map((fields) => lookIn(manifest(fields), {})),
    );
    assert.equal(one?.hash, two?.hash);
    assert.notEqual(one?.hash, other?.hash);
  });
});

describe('[C25] python -m runs a module of the folder before an installed one', () => {
  const files = { 'mcp_server/__main__.py': 'evil' };
  const cases: [string, string[], string[]][] = [
    [
      'python3',
      ['-m', 'mcp_server', '--verbose'],
      ['python3 -m may run files of the workspace instead of an installed module: mcp_server.'],
    ],
    [
      '/usr/bin/python3.12',
      ['-u', '-X', 'utf8', '-Bmmcp_server.main'],
      ['python3.12 -m may run files of the workspace instead of an installed module: mcp_server.'],
    ],
    ['python', ['-I', '-m', 'mcp_server'], []],
    ['python', ['-P', '-m', 'mcp_server'], []],
    ['python', ['-m', 'mcp_other'], []],
    ['python', ['server.py', '-m', 'mcp_server'], []],
  ];
  for (const [command, args, warnings] of cases)
    test([command, ...args].join(' '), async () =>
      assert.deepEqual((await lookIn(files, { command, args })).warnings, warnings),
    );

  for (const [command, args] of [
    ['sh', ['-c', 'python3 -m mcp_server']],
    ['python3', ['-m', 'cProfile', '-m', 'mcp_server']],
    ['python3', ['-m', 'runpy', 'mcp_server']],
    ['python3.13t', ['-m', 'mcp_server']],
    ['py', ['-V:PythonCore/3.12', '-m', 'mcp_server']],
    ['uv', ['run', '--with', 'mcp', '-m', 'mcp_server']],
    ['nice', ['python3', '-um', 'mcp_server']],
  ] as const)
    test([command, ...args].join(' '), async () =>
      assert.match((await lookIn(files, { command, args: [...args] })).warnings.join(), /workspace.*: mcp_server\.$/),
    );

  test('a server of the user needs a question if Python takes any module from the workspace', async () => {
    for (const args of [
      ['-m', 'json.tool'],
      ['-c', 'import fastmcp'],
      ['-m', 'mcp-server'],
    ])
      assert.equal((await lookIn({}, { command: 'python3', args })).isInfluenced, true, args.join(' '));
    for (const args of [['-I', '-m', 'json.tool'], ['-P', '-c', 'import fastmcp'], ['server.py']])
      assert.equal((await lookIn({}, { command: 'python3', args })).isInfluenced, false, args.join(' '));
  });

  test('a module of one file; a change of its content asks no question, because it restarts servers in development', async () => {
    const start = { command: 'python', args: ['-m', 'mcp_server'] };
    const [none, one, two] = await Promise.all(
      [{}, { 'mcp_server.py': '1' }, { 'mcp_server.py': '2' }].map((found) =>
        lookIn(found as Record<string, string>, start),
      ),
    );
    assert.deepEqual(
      [none?.warnings.length, one?.warnings.length, one?.hash === two?.hash, none?.hash === one?.hash],
      [0, 1, true, false],
    );
  });
});
