import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import { foldersUpTo } from '../../../src/core/base/folderPath.js';
import { launchOf, pythonModuleOf } from '../../../src/core/config/launchers.js';
import { folderTextsOf } from '../../../src/core/config/namedFolders.js';
import { lineKindOf } from '../../../src/core/config/programKinds.js';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';
import { assertGrowsLinearly, assertLinear } from '../../support/linearWork.js';

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

describe('[C25] a launcher is also examined in the folder that the line chooses', () => {
  const lines: [string, ...string[]][] = [
    ['env', '-C', 'SUB', 'RUN'],
    ['env', '-CSUB', 'RUN'],
    ['env', '-vCSUB', 'RUN'],
    ['env', '-vvvvvCSUB', 'RUN'],
    ['env', '--ch', 'SUB', 'RUN'],
    ['env', 'PYTHONPATH=/x:SUB', 'RUN'],
    ['env', '--ch=SUB', 'RUN'],
    ['nsenter', '--wd=SUB', 'RUN'],
    ['sudo', '-n', '-D', 'SUB', 'RUN'],
    ['mise', 'exec', '--cd', 'SUB', '--', 'RUN'],
    ['sh', '-c', 'exec env --chdir="SUB" RUN'],
    ['sh', '-c', 'cd "SUB" && RUN'],
    ['sh', '-c', 'cd -- SUB; RUN'],
    ['sh', '-c', "cd $'SUB' && RUN"],
    ['sh', '-c', 'sh -c "cd \'SUB\' && RUN"'],
    ['sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', 'SUB', 'RUN'],
    ['sh', '-c', 'cd "$0" && RUN', 'SUB'],
    ['sh', '-c', 'cd "$WHERE" && RUN'],
    ['sh', '-c', 'cd ${WHERE} && RUN'],
    ['sh', '-c', 'cd $FILED && RUN'],
    ['cmd', '/c', 'cd /d %WHERE% && RUN'],
    ['cmd', '/c', 'start /b /d SUB RUN'],
    ['pwsh', '-c', "Set-Location -LiteralPath 'SUB'; RUN"],
    ['pwsh', '-WorkingDirectory', 'SUB', '-c', 'RUN'],
    ['env', '-C', '/tmp', 'env', '-C', 'ROOT', 'env', '-C', 'sub', 'RUN'],
    ['sh', '-c', 'cd /tmp; cd "ROOT"; cd sub && RUN'],
    ['sh', '-c', 'cd "ROOT"/sub && RUN'],
    ['sh', '-c', 'cd ~/sub && RUN'],
    ['sh', '-c', 'cd "$1/sub" && shift && exec "$@"', 'sh', 'ROOT', 'RUN'],
    ['sh', '-c', 'D=ROOT; cd "$D/sub" && RUN'],
    ['env', '-S-C\\_SUB\\_RUN'],
    ['env', '-C', `ROOT/${'./'.repeat(200)}sub`, 'RUN'],
    ['docker', 'run', '-v', 'SUB:/app', 'node', 'RUN'],
    ['env', '-C', 'ROOT/none/../sub', 'RUN'],
    ['env', ...Array.from({ length: 18 }, (_, index) => ['-C', `/tmp/d${index}`]).flat(), '-C', 'SUB', 'RUN'],
  ];
  const files = { 'sub/mcp_server.py': '1', 'sub/.npmrc': '1', 'sub dir/x': '', 'none/x': '' };
  for (const run of ['npx -y server', 'python3 -m mcp_server'])
    for (const line of lines)
      test(`${line.join(' ').slice(0, 80)} (${run})`, async () => {
        const where = (root: string, cwd: string) => {
          const fill = (text: string) =>
            text === 'RUN'
              ? run.split(' ')
              : [text.replaceAll('RUN', run).replaceAll('SUB', `${root}/sub`).replaceAll('ROOT', root)];
          const [command = '', ...args] = line.flatMap(fill);
          return { command, args, cwd, env: { WHERE: `${root}/sub` }, envFile: `${root}/.env` };
        };
        for (const isInside of [true, false]) {
          const found = await lookIn({ ...files, '.env': 'FILED=sub' }, (root) =>
            where(root, isInside ? root : os.tmpdir()),
          );
          if (!isInside && line.includes('cd $FILED && RUN')) continue;
          assert.match(found.warnings.join(), /workspace.*sub.(?:mcp_server\.py|\.npmrc)/, String(isInside));
        }
      });
  test('also relative to the folder of the start, through links, with blanks, and beside the workspace folder', async () => {
    const planted = { 'my dir/.npmrc': '1', 'a/b/.npmrc': '1', link: { link: 'a/b' } };
    for (const args of [
      ['-C', 'my dir', 'npx', 'server'],
      ['sh', '-c', 'cd my\\ dir && npx server'],
      ['cmd', '/c', 'cd /d my dir && npx server'],
      ['docker', 'run', '-v', './my dir:/app', 'node', 'npx', 'server'],
      ['-C', 'a', 'env', '-C', 'b', 'npx', 'server'],
      ['-C', 'link/../b', 'npx', 'server'],
    ])
      assert.match(
        (await lookIn(planted, { command: 'env', args })).warnings.join(),
        /workspace.*\.npmrc/,
        args.join(),
      );
    const beside = await lookIn(planted, (root) => ({ cwd: `${root}/a/b`, args: ['-C', '../../my dir', 'npx', 'x'] }));
    assert.match(beside.warnings.join(), /my dir.\.npmrc/);
    const absolute = await lookIn({ '../other/.npmrc': '1' }, (root) => ({
      cwd: os.tmpdir(),
      command: 'env',
      args: ['-C', `${root}/../other`, 'npx', 'x'],
    }));
    assert.match(absolute.warnings.join(), /other.\.npmrc/);
    for (const [cwd, args] of [
      ['../other', ['npx', 'x']],
      ['..', ['-C', './'.repeat(2_000) + 'other', 'npx', 'x']],
      [os.tmpdir(), ['-C', 'ROOT', 'env', '-C', '../other', 'npx', 'x']],
    ] as const) {
      const found = await lookIn({ '../other/.npmrc': '1' }, (root) => ({
        cwd,
        command: 'env',
        args: args.map((arg) => arg.replace('ROOT', root)),
      }));
      assert.match(found.warnings.join(), /workspace.*\.npmrc/, cwd);
    }
  });
  test('also beside a link as written, because shells and some launchers do not resolve it', async () => {
    const planted = { 'a/link': { link: '../c' }, 'a/mcp_server.py': '1', 'a/x/mcp_server.py': '1', 'c/x/y': '' };
    for (const [command, ...args] of [
      ['yarn', '--cwd', 'a/link/x', 'run', 'server'],
      ['uv', 'run', '--project', 'ROOT/a/link', 'server'],
      ['sh', '-c', 'cd a/link/.. && exec python3 -m mcp_server'],
      ['sh', '-c', 'cd a/link && cd .. && exec python3 -m mcp_server'],
      ['sh', '-c', 'cd a/link && cd ../x && exec python3 -m mcp_server'],
    ] as const) {
      const found = await lookIn({ ...planted, 'a/.npmrc': '1', 'a/uv.toml': '1' }, (root) => ({
        command,
        args: args.map((arg) => arg.replace('ROOT', root)),
      }));
      assert.match(found.warnings.join(), /\ba(?:.x)?.(?:mcp_server\.py|\.npmrc|uv\.toml)/, args.join(' '));
    }
  });
  test('also if the folder of the start is a link', async () => {
    const planted = {
      app: { link: 'packages/app' },
      'packages/app/y': '',
      'packages/a/link': { link: '../../c/x' },
      'packages/a/mcp_server.py': '1',
      'packages/a/.npmrc': '1',
      'c/x/y': '',
    };
    for (const [command, ...args] of [
      ['yarn', '--cwd', '../a/link', 'run', 'server'],
      ['sh', '-c', 'cd ../a/link/.. && exec python3 -m mcp_server'],
      ['sh', '-c', 'cd ../a/link && cd .. && exec python3 -m mcp_server'],
      ['sh', '-c', 'cd "$PWD/../a/link/.." && exec python3 -m mcp_server'],
    ] as const) {
      const { warnings } = await lookIn(planted, { command, args: [...args], cwd: 'app' });
      assert.match(warnings.join(), /packages.a.(?:mcp_server\.py|\.npmrc)/, args.join(' '));
    }
  });
  test('a folder that only belongs to the arguments of a server of the user changes nothing', async () => {
    const planted = { '.npmrc': '1' };
    const args = (root: string) => ['-y', 'server', '--repository', root];
    const cwd = os.tmpdir();
    const look = (kind: 'user' | 'vscode') => lookIn(planted, (root) => ({ cwd, args: args(root) }), kind);
    assert.deepEqual((await look('user')).warnings, []);
    assert.match((await look('vscode')).warnings.join(), /\.npmrc/);
    const chosen = await lookIn(planted, (root) => ({ cwd, command: 'env', args: ['-C', root, 'npx', 'x'] }), 'user');
    assert.match(chosen.warnings.join(), /\.npmrc/);
  });
  test('[F9] the texts of a line are found in linear time', () => {
    for (const text of ['"', "'", '\\"', ' ', '$(', '`', '"a" ', "a'b", '${a}', '=', '-C', '/w']) {
      const name = `texts of ${text}`;
      assertGrowsLinearly((length) => folderTextsOf([text.repeat(length / text.length)], ['/w']), 20_000, name);
    }
  });
  test('[F9] many arguments and long values are not examined, and twenty folders are', async () => {
    const look = (args: string[], env: Record<string, string> = {}) =>
      lookIn(
        { ...files, ...Object.fromEntries(args.slice(2).map((name) => [`${path.basename(name)}/x`, ''])) },
        (root) => ({
          args: args.map((arg) => arg.replaceAll('ROOT', root)),
          env,
        }),
      );
    const folders = Array.from({ length: 25 }, (_, index) => `ROOT/d${index}`);
    const [one, two] = [await look(['-y', 'server', ...folders]), await look(['-y', 'server', ...folders])];
    assert.deepEqual([one.warnings, two.warnings], [[], []]);
    const incomplete = /too many words or nested folders/;
    const many = (await lookIn({}, { args: ['x', ...Array<string>(70_000).fill('$a')], env: { a: '' } })).warnings;
    assert.match(many.join(), incomplete);
    const long = await lookIn({}, { args: ['x', '$a'.repeat(20)], env: { a: 'b'.repeat(4_000) } });
    assert.match(long.warnings.join(), incomplete);
  });
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

test('[F9] the folders that a line names have a limit', async () => {
  const links = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`l${index}`, { link: '.' }] as const));
  const linked = await lookIn(links, { command: 'env', args: [...Object.keys(links), 'npx', 'x'] });
  assert.match(linked.warnings.join(), /too many words or nested folders/);
  const folders = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`d${index}/x`, '']));
  const many = await lookIn(folders, (root) => ({
    args: Object.keys(folders).map((name) => `${root}/${path.dirname(name)}`),
  }));
  assert.match(many.warnings.join(), /too many words or nested folders/);
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

/** The warnings, and the hash, for a start in a folder of the workspace with these files and links. */
async function lookIn(
  files: Record<string, string | { link: string }>,
  parts: Partial<StdioDefinition> | ((folder: string) => Partial<StdioDefinition>),
  kind: 'user' | 'vscode' = 'vscode',
): Promise<{ hash: string; warnings: string[]; isInfluenced: boolean }> {
  const parent = await realpath(await mkdtemp(path.join(os.tmpdir(), 'launchers-')));
  const folder = path.join(parent, 'w');
  try {
    await mkdir(folder);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      if (typeof text === 'string') await writeFile(path.join(folder, name), text);
      else await symlink(text.link, path.join(folder, name));
    }
    const source: ConfigSource =
      kind === 'user'
        ? { id: 's', kind, label: 'User settings' }
        : { id: 's', kind, label: '.vscode/mcp.json', folderPath: folder };
    const given = typeof parts === 'function' ? parts(folder) : parts;
    const definition: StdioDefinition = { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: {}, ...given };
    const {
      facts,
      warnings,
      isInfluencedByWorkspace = false,
    } = await inspectStart(
      { id: 'a', definition, source, values: new Map() },
      {
        ...inspectionContext(kind === 'user' ? os.homedir() : folder, [folder], {}),
        folderPath: source.folderPath,
      },
    );
    const launcherFiles = Object.fromEntries(
      Object.entries(facts.launcherFiles ?? {}).map(([file, kept]) => [path.relative(folder, file), kept]),
    );
    return {
      hash: definitionHash(definition, { folderPath: '/w' }, { ...facts, launcherFiles }),
      warnings,
      isInfluenced: isInfluencedByWorkspace,
    };
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

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
