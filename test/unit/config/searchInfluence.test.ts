import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { childEnvironment } from '../../../src/core/config/childEnvironment.js';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { readSmallFile } from '../../../src/core/config/smallFile.js';
import type { StartInspection } from '../../../src/core/config/startFacts.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { findCommand, pathFolders } from '../../../src/core/transport/stdio/findCommand.js';
import { onlyPosix } from '../../support/platform.js';

const user: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };
let top: string;
let home: string;
let folder: string;
let tools: string;

before(async () => {
  top = await realpath(await mkdtemp(path.join(os.tmpdir(), 'search-')));
  [home, folder, tools] = ['home', 'repo', 'tools'].map((name) => path.join(top, name)) as [string, string, string];
  for (const made of [path.join(home, 'bin'), path.join(folder, 'bin'), tools]) await mkdir(made, { recursive: true });
  for (const program of [path.join(folder, 'bin', 'tool'), path.join(home, 'bin', 'tool'), path.join(tools, 'tool')]) {
    await writeFile(program, '');
    await chmod(program, 0o755);
  }
  await symlink(path.join(folder, 'bin'), path.join(home, 'linked'));
  await symlink(path.join(folder, 'bin', 'tool'), path.join(tools, 'developed'));
  await symlink(folder, path.join(top, 'other-name'));
  await writeFile(path.join(home, 'vars.env'), `PATH=${folder}/bin`);
});
after(() => rm(top, { recursive: true, force: true }));

interface Search {
  /** The PATH that VS Code was started with. */
  PATH: string;
  definition?: Partial<StdioDefinition>;
  source?: ConfigSource;
  roots?: readonly string[];
}

/** What is found for a server whose program is looked up as in a start. */
function find({ PATH, definition, source = user, roots = [folder] }: Search): Promise<StartInspection> {
  return inspectStart(
    {
      id: 'mine',
      definition: { type: 'stdio', command: 'tool', args: [], env: {}, cwd: home, ...definition },
      source,
      values: new Map(),
      search: (start) => {
        const env = childEnvironment({ PATH }, start, 'linux');
        const { found } = findCommand(start.command, env, start.cwd, 'linux');
        return Promise.resolve({ found, ...pathFolders(env, start.cwd, 'linux') });
      },
    },
    {
      serverName: 'mine',
      folders: roots.map((root) => ({ name: path.basename(root), path: root })),
      userHome: home,
      env: { PATH },
      getSetting: () => undefined,
      readFile: readSmallFile,
      realPath: (file) => realpath(file).catch(() => file),
      isPortable: false,
    },
  );
}

describe(
  '[C30] a server needs a question if PATH leads to a program of the workspace',
  onlyPosix('paths, links and modes of POSIX'),
  () => {
    /** `HOME`, `WORK` and `TOOLS` are folders; the program is `tool` and runs in `HOME`, unless said otherwise. */
    const cases: [what: string, PATH: string, isInfluenced: boolean, definition?: Partial<StdioDefinition>][] = [
      ['folders elsewhere', '/usr/bin:TOOLS:HOME/bin', false],
      ['a folder of the workspace', 'WORK/bin:/usr/bin', true],
      ['a folder of the workspace after others, which a script may reach', 'TOOLS:WORK/bin', true],
      ['a folder that does not exist yet', '/usr/bin:WORK/node_modules/.bin', true],
      ['a link to a folder of the workspace', 'HOME/linked:/usr/bin', true],
      ['the folder that it runs in, outside of the workspace', '.:/usr/bin', false],
      [
        'the folder that it runs in',
        '.:/usr/bin',
        true,
        { cwd: '${workspaceFolder}', command: 'node', args: ['HOME/x.js'] },
      ],
      ['an empty part', '/usr/bin:', true, { cwd: '${workspaceFolder}', command: 'node', args: ['HOME/x.js'] }],
      ['a relative folder', 'bin:/usr/bin', true, { cwd: '${workspaceFolder}', command: 'node', args: ['HOME/x.js'] }],
      ['no relative folder', '/usr/bin', false, { cwd: '${workspaceFolder}', command: 'node', args: ['HOME/x.js'] }],
      ['a program that is a link into the workspace', 'TOOLS', true, { command: 'developed' }],
      ['such a program behind another one', 'TOOLS', false],
      ['such a program by its full path, which the user chose', '/usr/bin', false, { command: 'TOOLS/developed' }],
      ['a PATH of the definition', '/usr/bin', true, { env: { PATH: 'WORK/bin:/usr/bin' } }],
      ['a PATH that the definition replaces', 'WORK/bin', false, { env: { PATH: '/usr/bin' } }],
      ['a PATH that the definition removes', 'WORK/bin', false, { env: { PATH: null } }],
      ['a PATH of the env file', '/usr/bin', true, { envFile: 'HOME/vars.env' }],
    ];
    const placed = (text: string) =>
      text.replaceAll('HOME', home).replaceAll('WORK', folder).replaceAll('TOOLS', tools);
    for (const [what, PATH, isInfluenced, written = {}] of cases)
      test(`${isInfluenced ? '' : 'not '}by ${what}`, async () => {
        const definition = JSON.parse(placed(JSON.stringify(written))) as Partial<StdioDefinition>;
        const { isInfluencedByWorkspace, facts, warnings } = await find({ PATH: placed(PATH), definition });
        assert.deepEqual(
          [isInfluencedByWorkspace, facts.leadingFolder],
          [isInfluenced, isInfluenced ? folder : undefined],
        );
        assert.equal(
          warnings.some((text) => text.includes('PATH') && text.includes(folder)),
          isInfluenced,
          warnings.join(),
        );
      });

    test('also where the workspace was opened through a link', async () => {
      for (const PATH of [`${folder}/bin`, path.join(top, 'other-name', 'bin')])
        for (const root of [folder, path.join(top, 'other-name')])
          assert.equal((await find({ PATH, roots: [root] })).isInfluencedByWorkspace, true, `${PATH} in ${root}`);
    });

    test('a PATH with too many folders needs a question, and only the first thousand are looked at', async () => {
      const many = Array.from({ length: 1_001 }, (_, index) => `/none/${index}`);
      const { isInfluencedByWorkspace, warnings } = await find({ PATH: many.join(':') });
      assert.equal(isInfluencedByWorkspace, true);
      assert.match(warnings.join(), /PATH has too many folders/);
      assert.equal(pathFolders({ PATH: many.join(':') }, '/', 'linux').folders.length, 1_000);
      const twice = `${many.slice(1).join(':')}:${many.slice(1).join(':')}`;
      assert.equal((await find({ PATH: twice })).isInfluencedByWorkspace, false, 'each folder counts once');
    });

    test('the value of a variable that is repeated in PATH is filled in up to a total length', async () => {
      const env = { PATH: '${env:PATH}'.repeat(5_000) };
      const { isInfluencedByWorkspace } = await find({ PATH: '/a:'.repeat(500), definition: { env, cwd: folder } });
      assert.equal(isInfluencedByWorkspace, true, 'the rest stays as written, and could be in the working directory');
    });

    test('not where only the home folder of the user, or no folder, is open', async () => {
      for (const roots of [[home], [top], []])
        assert.equal((await find({ PATH: path.join(home, 'bin'), roots })).isInfluencedByWorkspace, false);
    });

    test('a server of the workspace gets the same warning, and a changed PATH causes a new question', async () => {
      const source: ConfigSource = { id: 'w', kind: 'vscode', label: '.vscode/mcp.json', folderPath: folder };
      const definition = { cwd: folder };
      const [clean, led] = await Promise.all(
        ['/usr/bin', `${folder}/bin`].map((PATH) => find({ PATH, source, definition })),
      );
      assert.deepEqual([clean?.facts.leadingFolder, clean?.warnings], [undefined, []]);
      assert.equal(led?.facts.leadingFolder, folder);
      assert.match(led.warnings.join(), /PATH/);
    });
  },
);
