/** Reports and questions when a server is moved or copied to another location. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { ownFormats } from '../../../src/core/interchange/appFormats.js';
import { projectFolder } from '../../../src/core/interchange/appFiles.js';
import { describePortable } from '../../../src/core/interchange/portableDefinition.js';
import { exportServer } from '../../../src/core/interchange/exportFile.js';
import type { SecretKeeper } from '../../../src/core/interchange/storeMovedSecrets.js';
import { storeMovedSecrets } from '../../../src/core/interchange/storeMovedSecrets.js';
import { placeLosses } from '../../../src/core/interchange/relocation.js';
import { userServerQuestions } from '../../../src/core/present/questions/installQuestion.js';
import { ManualClock } from '../../support/manualClock.js';

const user = { id: 'user', kind: 'user', label: 'User settings' } as const;

test('a warning says that the variables of an environment file are not shown', () => {
  const warnings = (fields: Record<string, unknown>) => {
    const described = describePortable({ name: 'a', fields: { command: 'x', ...fields } }, [], user);
    return 'problem' in described ? [described.problem] : described.warnings;
  };
  assert.deepEqual(warnings({}), []);
  assert.deepEqual(warnings({ envFile: '~/Downloads/x.env' }), [
    'The variables of the file ~/Downloads/x.env are not shown here. Read the file first.',
  ]);
});

describe('a server in another location', () => {
  const project = { base: '/w/shop', workspaceFolder: '/w/shop' };
  const reportOf = (
    fields: Record<string, unknown>,
    from: { base?: string; workspaceFolder?: string } = project,
    to: { base: string; workspaceFolder?: string } = { base: '/home/me' },
  ) => placeLosses({ name: 'a', fields }, from, to).map(({ field, message }) => `${field}: ${message}`);

  test('without cwd it runs in another folder, which is reported', () => {
    assert.deepEqual(reportOf({ command: 'node' }), [
      'cwd: Without "cwd", the server ran in /w/shop; here it runs in /home/me. Set "cwd" if it needs the previous folder.',
    ]);
  });

  test('relative paths are named one by one, and nothing else', () => {
    const fields = {
      command: './bin/serve',
      args: [
        'server.js',
        '--config=./c.json',
        'src/index.ts',
        '-y',
        '@scope/server.js',
        'pkg@1.2.3',
        'https://h/x.json',
        '/abs/x.js',
        '~/x.js',
        '${env:HOME}/x.js',
        'plain',
        'C:\\x.js',
      ],
      envFile: '.env',
    };
    assert.deepEqual(
      reportOf(fields).map((line) => line.split(':')[0]),
      ['cwd', 'command', 'args.0', 'args.1', 'args.2', 'envFile'],
    );
    assert.match(reportOf(fields)[1] ?? '', /relative to \/home\/me here, and was relative to \/w\/shop before/);
  });

  test('a folder of its own is kept, except for its env file', () => {
    assert.deepEqual(
      reportOf({ command: './x', args: ['./y.js'], cwd: '/srv', envFile: '.env' }).map((line) => line.split(':')[0]),
      ['envFile'],
    );
    assert.deepEqual(
      reportOf({ command: 'x', args: ['./y.js'], cwd: 'sub' }).map((line) => line.split(':')[0]),
      ['cwd', 'args.0'],
    );
  });

  test('${workspaceFolder} has a different meaning', () => {
    assert.deepEqual(reportOf({ command: 'x', cwd: '/srv', args: ['${workspaceFolder}/x', '${workspaceFolder}/y'] }), [
      'args: ${workspaceFolder} is the folder that is open here; it was /w/shop.',
    ]);
    assert.deepEqual(reportOf({ url: 'https://h/${workspaceFolderBasename}' }), [
      'url: ${workspaceFolder} is the folder that is open here; it was /w/shop.',
    ]);
    assert.deepEqual(
      reportOf({ command: 'x', cwd: '${workspaceFolder}' }, {}, { base: '/w/shop', workspaceFolder: '/w/shop' }),
      ['cwd: ${workspaceFolder} is /w/shop here.'],
    );
  });

  test('nothing is reported for the same location, or if nothing could differ', () => {
    assert.deepEqual(
      reportOf({ command: './x', args: ['${workspaceFolder}'], envFile: '.env' }, project, {
        base: '/w/shop',
        workspaceFolder: '/w/shop',
      }),
      [],
    );
    assert.deepEqual(reportOf({ url: 'https://h/mcp', headers: { A: './x' } }), []);
    assert.deepEqual(reportOf({ command: 'npx', args: ['-y', 'some-server'] }, {}), []);
  });

  test('unknown fields are kept between our own files', () => {
    const fields = { type: 'sse', url: 'https://${env:H}/', gallery: { a: 1 }, watchPaths: ['x'], command: 'kept' };
    for (const kind of ['user', 'vscode', 'portable'] as const) {
      const { fields: written, losses } = exportServer(
        ownFormats[kind],
        { name: 'a', fields },
        { userHome: '/home/me', pathSeparator: '/' },
      );
      assert.deepEqual([written, losses], [{ ...fields, url: kind === 'portable' ? 'https://${H}/' : fields.url }, []]);
    }
  });

  test('an address without a type keeps its type detection', () => {
    assert.deepEqual(
      exportServer(
        ownFormats.user,
        { name: 'a', fields: { url: 'https://h/' } },
        { userHome: '/home/me', pathSeparator: '/' },
      ).fields,
      { url: 'https://h/' },
    );
  });
});

describe('[C2] the questions before servers are written into the user settings', () => {
  const newcomer = (name: string, args: string[] = []) => {
    const description = describePortable(
      { name, fields: { command: 'bash', args: ['-c', ...args], env: { A_KEY: 'hunter2-hunter2' } } },
      [],
      user,
      '/home/me',
    );
    assert.ok(!('problem' in description));
    return { name, description };
  };

  test('one server is shown in full: what runs, where, names of variables, warnings', () => {
    const long = 'x'.repeat(5_000);
    const [question, more] = userServerQuestions([newcomer('a', [long])], '~/.cursor/mcp.json');
    assert.equal(more, undefined);
    assert.equal(question?.message, 'Add the server "a" to your user settings?');
    for (const part of [
      '\u00a0bash',
      `\u00a0${long}`,
      'in the folder\n\u00a0\u00a0\u00a0\u00a0/home/me',
      '\u00a0A_KEY',
      'shell script',
      'The definition comes from ~/.cursor/mcp.json.',
      'start without asking you again',
    ])
      assert.ok(question.detail.includes(part), part);
    assert.equal(question.detail.includes('hunter2'), false);
  });

  test('several servers share one question as long as it is readable, and every server is in a question', () => {
    const names = Array.from({ length: 12 }, (_, index) => `server-${index}`);
    const questions = userServerQuestions(
      names.map((name) => newcomer(name, ['a\u202eb'])),
      'f',
    );
    assert.deepEqual(
      questions.flatMap((one) => one.names),
      names,
    );
    assert.ok(questions.length > 1 && questions.every(({ detail }) => detail.split('\n').length <= 40));
    for (const { names: own, detail, message } of questions) {
      assert.deepEqual(
        own.filter((name) => !detail.includes(`${name}\n\nCheck carefully`)),
        own.length > 1 ? [] : own,
      );
      assert.ok(own.length === 1 || message === `Add ${own.length} servers to your user settings?`);
    }
  });

  test('an unusable server gives the reason', () => {
    assert.match(JSON.stringify(describePortable({ name: 'a', fields: { command: 5 } }, [], user)), /problem/);
  });
});

describe('[S1] a moved secret', () => {
  const secret = {
    server: 'a',
    field: 'env',
    name: 'API_TOKEN',
    before: '',
    value: 'hunter2-hunter2',
    id: 'a-api-token',
  } as const;
  const moved = [{ secret, server: 'a-2', input: 'a-api-token' }];

  function keeper(options: { isThere?: boolean; fails?: boolean } = {}) {
    const changed = new Emitter<void>();
    const kept: string[][] = [];
    const state = { isThere: options.isThere ?? true };
    const port: SecretKeeper = {
      find: (server, input) => (state.isThere && server === 'a-2' && input === 'a-api-token' ? 'id' : undefined),
      onDidChange: changed.event,
      keepInput: (...call) =>
        options.fails
          ? Promise.reject(new Error(`no room for ${secret.value}`))
          : Promise.resolve(void kept.push(call)),
    };
    return { port, kept, changed, state };
  }

  test('is stored once the server exists', async () => {
    const { port, kept, changed, state } = keeper({ isThere: false });
    const losses = storeMovedSecrets(port, moved, new ManualClock());
    changed.fire();
    state.isThere = true;
    changed.fire();
    assert.deepEqual([await losses, kept], [[], [['id', 'a-api-token', 'hunter2-hunter2']]]);
  });

  for (const [what, options] of Object.entries({
    'never shows up': { isThere: false },
    'has a store that fails': { fails: true },
  })) {
    test(`that could not be stored is reported without its value: its server ${what}`, async () => {
      const clock = new ManualClock();
      const losses = storeMovedSecrets(keeper(options).port, moved, clock);
      await clock.advance(60_000);
      const reported = await losses;
      assert.deepEqual(
        reported.map(({ server, field }) => [server, field]),
        [['a-2', 'env.API_TOKEN']],
      );
      assert.equal(JSON.stringify(reported).includes('hunter2'), false);
    });
  }
});

test('a file in a project is not a file of the user', () => {
  const of = (file: string, folders: string[] = ['/w', '/w/inner']) => projectFolder(file, folders, '/home/me');
  assert.deepEqual(
    [
      of('/w/.cursor/mcp.json'),
      of('/w/inner/x/y.json'),
      of('/other/.roo/mcp.json'),
      of('/other/.mcp.json'),
      of('/home/me/.cursor/mcp.json'),
      of('/home/me/.claude.json'),
      of('/ww/x.json'),
      projectFolder('C:\\w\\.cursor\\mcp.json', ['C:\\w'], 'C:\\me'),
    ],
    ['/w', '/w/inner', '/other', '/other', undefined, undefined, undefined, 'C:\\w'],
  );
});
