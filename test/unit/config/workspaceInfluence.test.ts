import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import type { StartInspection } from '../../../src/core/config/startFacts.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';
import { onlyPosix } from '../../support/platform.js';

const source: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };
let top: string;
let home: string;
let folder: string;
let other: string;

before(async () => {
  top = await realpath(await mkdtemp(path.join(os.tmpdir(), 'influence-')));
  home = path.join(top, 'home');
  folder = path.join(top, 'work', 'repo');
  other = path.join(top, 'work', 'other');
  for (const made of [home, path.join(folder, 'sub'), path.join(folder, 'data'), other])
    await mkdir(made, { recursive: true });
  await writeFile(path.join(folder, 'planted'), 'x');
  await writeFile(path.join(folder, 'vars.env'), 'A=1');
  await writeFile(path.join(home, 'vars.env'), 'A=1');
});
after(() => rm(top, { recursive: true, force: true }));

/**
 * The findings for a server of the user's settings that runs in the workspace folder, unless `parts` says otherwise.
 */
function find(
  parts: Partial<StdioDefinition>,
  roots = [folder],
  inputs = new Map<string, string>(),
): Promise<StartInspection> {
  const definition: StdioDefinition = {
    type: 'stdio',
    command: 'tool',
    args: [],
    env: {},
    cwd: '${workspaceFolder}',
    ...parts,
  };
  return inspectStart(
    { id: 'mine', definition, source, values: new Map(), inputs },
    inspectionContext(home, roots, { PATH: '/usr/bin', PWD: folder, ELSEWHERE: other }),
  );
}

/** A command line as words; `HOME` and `WORK` are replaced by the two folders. */
function line(text: string): Pick<StdioDefinition, 'command' | 'args'> {
  const [command = '', ...args] = text
    .split(' ')
    .map((word) => word.replaceAll('HOME', home).replaceAll('WORK', folder));
  return { command, args };
}

const posix = onlyPosix('paths and links of POSIX');
describe(
  '[C28] a server of the user that runs in the workspace needs a question if files there can change what it runs',
  posix,
  () => {
    const led = [
      'uv run server',
      'npm run mcp',
      'npm start',
      'npx -c server',
      'npx ./server',
      'npx server.tgz',
      'npx --prefix . server',
      'npx -y tsx server.ts',
      'npx -y nodemon',
      'npx -y @scope/server@1.2.3 --config ./config.js',
      'npx -y @scope/server planted',
      'npx --unknown value @scope/server',
      'npm --prefix x exec server',
      'yarn mcp',
      'yarn dlx server',
      'pnpm start',
      'bun run mcp',
      'bunx server',
      'pipenv run server',
      'poetry run server',
      'uvx --from . server',
      'uvx --with-editable . server',
      'pipx run server.py',
      'pipx run mcp-server',
      'node ${input:entry}',
      'node HOME/${input:entry}',
      '/opt/${input:tool}/server',
      'npx --registry ${input:registry} server',
      'nice -n 5 HOME/server',
      '/usr/bin/nice HOME/server',
      'op run -- HOME/server',
      '/usr/bin/op run -- HOME/server',
      'env -S node',
      '/usr/bin/env -C sub HOME/server',
      'env NODE_OPTIONS=-rx HOME/server',
      'sh -c server',
      '/bin/sh -c server',
      'cmd /c npx server',
      'node server.js',
      'node server',
      'node .',
      'node WORK/server.js',
      'node WORK',
      'node --import tsx HOME/server.js',
      'node -e 1',
      '/usr/bin/node build/index.js',
      'python server.py',
      'python3 -m server',
      '/usr/bin/python3.12 -m server',
      'python3 -I -m server config.py',
      'python3 -I -c 1',
      'python3 -P -c 1',
      '/usr/bin/python3 -u -I -c 1 HOME/server.py',
      'python3 -I -m pytest',
      'python3 -I -m timeit 1',
      'python3 -P -m unittest.main',
      'python3 -I -m uvicorn app:server',
      'ruby HOME/server.rb',
      'make',
      '/usr/bin/make serve',
      'just mcp',
      'docker compose run mcp',
      '/usr/bin/docker compose run mcp',
      'docker run image',
      'program-that-is-not-known',
      './server',
      'bin/server',
      'WORK/bin/server',
      'HOME/wrapper npx server',
      'HOME/server ./file',
      'HOME/server --config=app.json',
      'HOME/server WORK/file',
      'HOME/server planted',
      'HOME/server file:///etc/x',
    ];
    for (const text of led)
      test(text, async () => {
        const found = await find(line(text));
        assert.equal(found.isInfluencedByWorkspace, true);
        assert.ok(
          found.warnings.some((warning) => warning.includes(folder)),
          found.warnings.join(),
        );
      });

    const free = [
      'npx -y @scope/server@1.2.3',
      'npx server --transport stdio',
      'npx -p @scope/tools server --port=8080',
      'npm exec -- @scope/server',
      'uvx mcp-server-git==1.0',
      'uvx --python 3.12 --from mcp-tools[cli] server --verbose',
      'uv tool run server https://example.com/a.json',
      'env A=1 npx -y server',
      'npx -y @scope/server WORK',
      'node HOME/server/index.js --stdio',
      'node --no-warnings HOME/server.js ${input:token}',
      'python3 HOME/server.py',
      'python3 -I -m server',
      'HOME/server',
      '/usr/bin/tool mcp --stdio',
    ];
    for (const text of free)
      test(`not ${text}`, async () => {
        const { isInfluencedByWorkspace, warnings } = await find(line(text));
        assert.deepEqual([isInfluencedByWorkspace, warnings], [false, []]);
      });

    test('a server that runs elsewhere needs no question, for any program', async () => {
      for (const text of [
        ...led.filter((one) => !one.includes('WORK')),
        ...free,
        'node WORK/server.js',
        'make -C WORK',
      ])
        for (const cwd of [undefined, home, other]) {
          const { cwd: written, ...parts } = { ...line(text), cwd };
          const found = await find(written === undefined ? { ...parts, cwd: '' } : { ...parts, cwd: written });
          assert.equal(found.isInfluencedByWorkspace, false, `${text} in ${cwd ?? 'the default folder'}`);
        }
    });

    test('a server that runs elsewhere needs a question if a variable takes its code from the workspace', async () => {
      const cases: [string, boolean][] = [
        ['node ${workspaceFolder}/server.js', true],
        ['${workspaceFolder}/bin/server', true],
        ['uv --directory ${workspaceFolder} run server', true],
        ['make -C ${workspaceFolder:repo}', true],
        ['npx -y @scope/server ${workspaceFolder}', false],
        ['node HOME/server.js ${workspaceFolder}/data', false],
        ['docker run -v ${workspaceFolder}:/w image', false],
        ['HOME/server ${workspaceFolder}', false],
        ['uvx mcp-proxy --named-server-config ${workspaceFolder}/servers.json', true],
        ['npx -y mcp-hub --config=${workspaceFolder}/hub.yaml', true],
        ['wasmtime run ${workspaceFolder}/mcp.wasm', true],
        ['npx -y @scope/sqlite ${workspaceFolder}/data.sqlite', false],
        ['npx -y @scope/sqlite sqlite://${workspaceFolder}/data.db', false],
        ['HOME/server --name=${workspaceFolderBasename}', false],
        ['docker run --mount type=bind,src=${workspaceFolder},dst=/w,ro image', false],
        ['docker run -v ${workspaceFolder}/planted:/usr/bin/tool image', true],
        ['HOME/server --workspace ${workspaceFolder} --lsp ${workspaceFolder}/node_modules/.bin/tsls', true],
        ['HOME/server --lsp=${workspaceFolder}/planted', true],
        ['HOME/server ${workspaceFolder}/Dockerfile', true],
        ['HOME/server --env-file ${workspaceFolder}/.env.local', true],
        ['HOME/server --plugin ${workspaceFolder}/plugin.so', true],
        ['HOME/server {"config":"${workspaceFolder}/data"}', true],
        ['HOME/server ${workspaceFolder}/hub.json,${workspaceFolder}/data.db', true],
        ['HOME/server ${workspaceFolder}/hub.json#x.db', true],
        ['HOME/server ${workspaceFolder}/hub#x', true],
        ['HOME/server ${env:PWD}/hub', true],
        ['${input:picked} -m server', true],
        ['HOME/server --lsp ${input:picked}', true],
        ['HOME/server --name ${input:typed}', false],
        ['HOME/server --cmd=${workspaceFolder}/planted;x.db', true],
      ];
      for (const [text, isInfluenced] of cases)
        assert.equal((await find({ ...line(text), cwd: '' })).isInfluencedByWorkspace, isInfluenced, text);
    });

    test('a server that runs elsewhere needs a question if an environment variable loads code from the workspace', async () => {
      const cases: [string, Partial<StdioDefinition>, boolean][] = [
        ['python3 ${env:PWD}/server.py', {}, true],
        ['${env:PWD}/bin/server', {}, true],
        ['python3 -m server', { env: { PYTHONPATH: '${env:PWD}' } }, true],
        ['HOME/server', { envFile: '${env:PWD}/vars.env' }, true],
        ['HOME/server', { env: { HUB: '${workspaceFolder}/hub.json' } }, true],
        ['HOME/server', { env: { HUB: '${workspaceFolder}/hub' } }, true],
        ['HOME/server', { env: { PROJECT: '${workspaceFolder}' } }, false],
        ['HOME/server', { env: { SERVER: '${workspaceFolder}/planted --db data.db' } }, true],
        ['python3 ${env:ELSEWHERE}/server.py', {}, false],
        ['python3 -m server', { env: { PYTHONPATH: '${env:ELSEWHERE}' } }, false],
        ['HOME/server ${env:PWD}', {}, false],
      ];
      for (const [text, more, isInfluenced] of cases)
        assert.equal((await find({ ...line(text), cwd: '', ...more })).isInfluencedByWorkspace, isInfluenced, text);
    });

    test('a script elsewhere that is a link into the workspace is a file of the workspace', async () => {
      const link = path.join(home, 'linked');
      await symlink(path.join(folder, 'planted'), link);
      try {
        for (const text of ['python3 HOME/linked', 'node HOME/linked', 'HOME/linked'])
          assert.equal((await find(line(text))).isInfluencedByWorkspace, true, text);
      } finally {
        await rm(link);
      }
    });

    const launchers = [
      'npx -y @scope/server@1.2.3',
      'npx server',
      'npx -p @scope/tools server --port=8080',
      'npm exec -- @scope/server',
      'env A=1 npx -y server',
      'env /usr/bin/npx -y server',
      'env env npx -y server',
      '${config:npx} -y server',
    ];
    const ofNode = [
      'node_modules/.bin/sh',
      'node_modules/.bin/node',
      'node_modules/another-name/package.json',
      'node_modules/a/node_modules/server/package.json',
      'node_modules/.package-lock.json',
      'package.json',
      '.npmrc',
      'package-lock.json',
      'npm-shrinkwrap.json',
    ];
    const ofUv = ['uv.toml', 'pyproject.toml', '.python-version', '.venv/pyvenv.cfg', 'uv.lock'];

    /** A repository with this file at `at`; `opened`, a folder in it, is the workspace. */
    async function findBeside(file: string, at: string, opened: string, parts: Partial<StdioDefinition>) {
      const repository = await mkdtemp(path.join(top, 'repository-'));
      const root = path.join(repository, opened);
      await mkdir(path.join(root, 'sub'), { recursive: true });
      const full = path.join(repository, at, file);
      await mkdir(path.dirname(full), { recursive: true });
      await writeFile(full, '{}');
      return { root, full, found: await find(parts, [root]) };
    }

    test('[C25] the choice of npm is not predicted: any installed package, package.json, .npmrc or lock file there, or in a parent folder, counts', async () => {
      for (const [lines, files] of [
        [launchers, ofNode],
        [['uvx server', 'uv tool run server', 'env uvx server'], ofUv],
      ] as const)
        for (const text of lines)
          for (const file of files)
            for (const [at, cwd] of [
              ['a/b', '${workspaceFolder}'],
              ['a/b', '${workspaceFolder}/sub'],
              ['a/b/sub', '${workspaceFolder}/sub'],
              ['a', '${workspaceFolder}'],
              ['', '${workspaceFolder}'],
            ] as const) {
              const { root, found } = await findBeside(file, at, 'a/b', { ...line(text), cwd });
              const what = `${text} in ${cwd} with ${at}/${file}`;
              assert.equal(found.isInfluencedByWorkspace, true, what);
              assert.equal(found.facts.leadingFolder, root, what);
              assert.ok(
                found.warnings.some((warning) => warning.includes(path.basename(file.split('/')[0] ?? ''))),
                what,
              );
            }
    });

    test('[C25] a symbolic link in the workspace leads to a folder whose parents count', async () => {
      const repository = await mkdtemp(path.join(top, 'repository-'));
      await mkdir(path.join(repository, 'elsewhere', 'node_modules'), { recursive: true });
      await mkdir(path.join(repository, 'elsewhere', 'sub'));
      await mkdir(path.join(repository, 'opened'));
      await symlink(path.join(repository, 'elsewhere', 'sub'), path.join(repository, 'opened', 'link'));
      const start = { ...line('npx server'), cwd: '${workspaceFolder}/link' };
      assert.equal((await find(start, [path.join(repository, 'opened')])).isInfluencedByWorkspace, true);
    });

    test('a file beside the folder and its parents, or in the home folder of the user, does not count', async () => {
      const { found } = await findBeside('node_modules/server/package.json', 'other', 'a/b', line('npx server'));
      assert.deepEqual([found.isInfluencedByWorkspace, found.warnings], [false, []]);
      await writeFile(path.join(home, '.npmrc'), 'x');
      const inHome = path.join(home, 'work');
      await mkdir(inHome);
      assert.equal((await find(line('npx server'), [inHome])).isInfluencedByWorkspace, false);
    });

    test('packages that are installed later cause one question, not one after each installation', async () => {
      const parts = line('npx server');
      const { root, found: first } = await findBeside('package.json', 'a', 'a', parts);
      await mkdir(path.join(root, 'node_modules', 'other'), { recursive: true });
      await writeFile(path.join(root, 'package-lock.json'), '{}');
      const second = await find(parts, [root]);
      const definition: StdioDefinition = { type: 'stdio', command: 'npx', args: ['server'], env: {} };
      assert.equal(definitionHash(definition, source, first.facts), definitionHash(definition, source, second.facts));
    });

    test('the name of the workspace folder counts as its text in every relevant word', async () => {
      for (const text of [
        'bash -c echo${workspaceFolderBasename}',
        'sh -c ${workspaceFolderBasename:repo}',
        'node WORK/../${workspaceFolderBasename}/server.js',
        'node ${workspaceFolderBasename}',
        'npx -y ${workspaceFolderBasename}',
        'npx --package=${workspaceFolderBasename} server',
        'uvx --from ${workspaceFolderBasename} server',
        'python3 -I -m ${workspaceFolderBasename}',
        '/opt/${workspaceFolderBasename}/server',
        '${workspaceFolderBasename}',
      ])
        for (const cwd of ['', home, '${workspaceFolder}'])
          assert.equal((await find({ ...line(text), cwd })).isInfluencedByWorkspace, true, `${text} in ${cwd}`);
      for (const text of ['HOME/server ${workspaceFolderBasename}', 'npx -y server ${workspaceFolderBasename}'])
        assert.equal((await find({ ...line(text), cwd: '' })).isInfluencedByWorkspace, false, text);
      const env = { PYTHONPATH: '/opt/${workspaceFolderBasename}' };
      assert.equal((await find({ ...line('HOME/server'), cwd: '', env })).isInfluencedByWorkspace, true);
      const envFile = '~/${workspaceFolderBasename}.env';
      assert.equal((await find({ ...line('HOME/server'), cwd: '', envFile })).isInfluencedByWorkspace, true);
      const cwd = '~/${workspaceFolderBasename}';
      assert.equal((await find({ ...line('make'), cwd })).isInfluencedByWorkspace, true);
    });

    test('a folder that is known only at the start needs a question, but only if a workspace is open', async () => {
      const parts = { ...line('npm run mcp'), cwd: '${input:dir}' };
      const found = await find(parts);
      assert.equal(found.isInfluencedByWorkspace, true);
      assert.ok(found.warnings.join().includes(folder), found.warnings.join());
      assert.equal((await find(parts, [])).isInfluencedByWorkspace, false);
      assert.notEqual(found.facts.leadingFolder, (await find(parts, [folder, other])).facts.leadingFolder);
    });

    test('a word with a typed value needs a question only if the server runs in the workspace', async () => {
      for (const text of ['node ${input:entry}', '/opt/${input:tool}/server'])
        assert.equal((await find({ ...line(text), cwd: '' })).isInfluencedByWorkspace, false, text);
      const env = { NODE_OPTIONS: '--require=${input:file}' };
      assert.equal((await find({ ...line('HOME/server'), env })).isInfluencedByWorkspace, true);
    });

    test('a folder below a workspace folder, and a symbolic link to it, belong to the workspace', async () => {
      assert.equal((await find({ ...line('make'), cwd: '${workspaceFolder}/sub' })).isInfluencedByWorkspace, true);
      await symlink(folder, path.join(home, 'link'));
      assert.equal((await find({ ...line('make'), cwd: '~/link/sub' })).isInfluencedByWorkspace, true);
      assert.equal((await find({ ...line('npx -y server'), cwd: '~/link/sub' })).isInfluencedByWorkspace, false);
    });

    test("the default folder is the user's, even if it is open", async () => {
      for (const roots of [[home], [top]]) {
        assert.equal((await find({ ...line('make'), cwd: '' }, roots)).isInfluencedByWorkspace, false);
        assert.equal((await find({ ...line('HOME/server'), cwd: '' }, roots)).isInfluencedByWorkspace, false);
      }
    });

    test('an approval in one workspace does not apply to another', async () => {
      const definition: StdioDefinition = {
        type: 'stdio',
        command: 'make',
        args: [],
        env: {},
        cwd: '${workspaceFolder}',
      };
      const hashes = await Promise.all(
        [folder, other].map(async (root) => definitionHash(definition, source, (await find(definition, [root])).facts)),
      );
      assert.notEqual(hashes[0], hashes[1]);
      assert.equal(hashes[0], definitionHash(definition, source, (await find(definition)).facts));
    });

    test('[C29] an env file of the workspace counts, for any content, and one elsewhere does not', async () => {
      const start = line('HOME/server');
      for (const cwd of ['', '${workspaceFolder}']) {
        assert.equal(
          (await find({ ...start, cwd, envFile: '${workspaceFolder}/vars.env' })).isInfluencedByWorkspace,
          true,
        );
        assert.equal((await find({ ...start, cwd, envFile: '~/vars.env' })).isInfluencedByWorkspace, false);
      }
    });

    test('[C29] an env file of the workspace also counts if an input or a link leads to it', async () => {
      const start = line('HOME/server');
      await symlink(path.join(folder, 'vars.env'), path.join(home, 'linked.env'));
      const typed: [string, boolean][] = [
        [path.join(folder, 'vars.env'), true],
        [path.relative(home, path.join(folder, 'vars.env')), true],
        [path.join(home, 'linked.env'), true],
        [path.join(home, 'vars.env'), false],
      ];
      for (const cwd of ['', home])
        for (const [file, isInfluenced] of typed) {
          const inputs = new Map([['file', file]]);
          for (const envFile of ['${input:file}', file])
            assert.equal(
              (await find({ ...start, cwd, envFile }, [folder], inputs)).isInfluencedByWorkspace,
              isInfluenced,
              file,
            );
        }
    });

    test('[C29] a variable that loads code counts if its value is relative or leads into the workspace', async () => {
      const start = line('HOME/server');
      const cases: [Record<string, string | null>, boolean][] = [
        [{ NODE_OPTIONS: '--require ./x.js' }, true],
        [{ NODE_OPTIONS: '-r tsx' }, true],
        [{ PYTHONPATH: 'src' }, true],
        [{ PATH: './bin:/usr/bin' }, true],
        [{ PATH: ':/usr/bin' }, true],
        [{ PATH: '/usr/bin' }, false],
        [{ PATH: '/opt/bin:${env:PATH}' }, false],
        [{ PYTHONPATH: null }, false],
        [{ UV_INDEX_URL: 'https://example.com/simple' }, false],
        [{ DOTNET_NOLOGO: 'true' }, false],
        [{ TOKEN: 'x', MODE: './fast' }, false],
      ];
      for (const [env, isInfluenced] of cases)
        assert.equal((await find({ ...start, env })).isInfluencedByWorkspace, isInfluenced, JSON.stringify(env));
      const away = await find({ ...start, cwd: '', env: { PYTHONPATH: '${workspaceFolder}/src' } });
      assert.equal(away.isInfluencedByWorkspace, true);
      assert.equal((await find({ ...start, cwd: '', env: { PYTHONPATH: 'src' } })).isInfluencedByWorkspace, false);
    });
  },
);
