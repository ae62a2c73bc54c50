import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { folderTextsOf } from '../../../src/core/config/namedFolders.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';
import { assertGrowsLinearly } from '../../support/linearWork.js';
import type { StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { lookIn } from './lookIn.js';

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
  test('also if the start is outside of the workspace, in a folder that is a link to the one above the workspace', async () => {
    const found = await lookIn({ '../mcp_server.py': '1', '../alias': { link: '.' } }, (root) => ({
      cwd: path.resolve(root, '../alias'),
      command: 'env',
      args: ['-C', `${root}/..`, 'python3', '-m', 'mcp_server'],
    }));
    assert.match(found.warnings.join(), /workspace.*mcp_server\.py/);
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
    const home = await lookIn({}, { args: ['x', ' ~'.repeat(20)], env: { HOME: 'b'.repeat(4_000) } });
    assert.match(home.warnings.join(), incomplete);
  });
});

test('[F9] the folders of a line have a limit: those that it names, and those of the workspace', async () => {
  const roots = Array.from({ length: 101 }, (_, index) => `/r${index}`);
  const context = inspectionContext('/home/me', roots, {});
  const start: StdioDefinition = { type: 'stdio', command: 'npx', args: ['x'], env: {}, cwd: '/r0' };
  const source = { id: 's', kind: 'vscode', label: 'mcp.json', folderPath: '/r0' } as const;
  const { warnings } = await inspectStart({ id: 's', definition: start, source, values: new Map() }, context);
  assert.match(warnings.join(), /too many words or nested folders/);
  const links = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`l${index}`, { link: '.' }] as const));
  const linked = await lookIn(links, { command: 'env', args: [...Object.keys(links), 'npx', 'x'] });
  assert.match(linked.warnings.join(), /too many words or nested folders/);
  const folders = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`d${index}/x`, '']));
  const many = await lookIn(folders, (root) => ({
    args: Object.keys(folders).map((name) => `${root}/${path.dirname(name)}`),
  }));
  assert.match(many.warnings.join(), /too many words or nested folders/);
});
