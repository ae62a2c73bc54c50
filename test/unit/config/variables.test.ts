import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseEnvFile } from '../../../src/core/config/envFile.js';
import { childEnvironment } from '../../../src/core/config/childEnvironment.js';
import type { ServerDefinition, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import type { VariableContext } from '../../../src/core/config/variables.js';
import { collectVariables, resolveDefinition } from '../../../src/core/config/variables.js';

const context: VariableContext = {
  serverName: 'srv',
  folderPath: '/w/app',
  folders: [
    { name: 'app', path: '/w/app' },
    { name: 'lib', path: '/w/lib' },
  ],
  userHome: '/home/me',
  env: { TOKEN: 'tok-12345', EMPTY: '', TRICK: '${env:TOKEN}' },
  getSetting: (key) => (key === 'my.key' ? 7 : undefined),
  getInput: (id) => Promise.resolve({ value: `<${id}>`, isSecret: id === 'secret' }),
  readFile: (file) => (file === '/w/app/.env' ? Promise.resolve('A=file\nB="two\\nlines"\n') : Promise.reject(new Error('no such file'))),
  isPortable: false,
};

const local = (fields: Partial<StdioDefinition>): StdioDefinition => ({ type: 'stdio', command: 'x', args: [], env: {}, ...fields });

async function args(...list: string[]): Promise<string[]> {
  const resolved = await resolveDefinition(local({ args: list }), context);
  return resolved.type === 'stdio' ? resolved.args : [];
}

describe('[N2] a variable becomes its value', () => {
  const cases: [string, string][] = [
    ['${workspaceFolder}/a', '/w/app/a'],
    ['${workspaceFolder:lib}', '/w/lib'],
    ['${workspaceFolderBasename}', 'app'],
    ['${userHome}/x', '/home/me/x'],
    ['a${/}b', 'a/b'],
    ['${env:TOKEN}', 'tok-12345'],
    ['[${env:EMPTY}]', '[]'],
    ['${config:my.key}', '7'],
    ['${input:who}', '<who>'],
    ['${env:TRICK}', '${env:TOKEN}'],
    ['$notone {x} ${}', '$notone {x} ${}'],
  ];
  for (const [text, value] of cases) test(text, async () => assert.deepEqual(await args(text), [value]));
});

describe('[N2] a variable without a value is an error that names it and no value', () => {
  for (const text of ['${env:MISSING}', '${workspaceFolder:nope}', '${config:none}', '${surprise}', '${TOKEN}', '${env:__proto__}']) {
    test(text, () => assert.rejects(args(`--k=secret-thing ${text}`), (error: Error & { code?: string }) => error.code === 'bad-configuration' && error.message.includes(text.slice(2, -1).replace('TOKEN}', 'TOKEN')) && !error.message.includes('secret-thing')));
  }
});

test('in a portable file plain names are environment variables, with defaults', async () => {
  const resolved = await resolveDefinition(local({ args: ['${TOKEN}', '${MISSING:-fall back}', '${MISSING:-}'] }), { ...context, isPortable: true });
  assert.deepEqual(resolved.type === 'stdio' && resolved.args, ['tok-12345', 'fall back', '']);
});

test('without a folder of its own and with several open, workspaceFolder asks for a name', async () => {
  await assert.rejects(resolveDefinition(local({ args: ['${workspaceFolder}'] }), { ...context, folderPath: undefined }), /\$\{workspaceFolder:name\}/);
});

test('the environment is the file, then env; null removes; relative folders are the workspace folder', async () => {
  const resolved = await resolveDefinition(local({ command: '~/bin/x', cwd: 'sub', envFile: '.env', env: { A: 'own', HOME: null } }), context);
  assert.deepEqual(resolved, {
    type: 'stdio',
    command: '/home/me/bin/x',
    args: [],
    cwd: '/w/app/sub',
    env: { A: 'own', B: 'two\nlines' },
    removedEnv: ['HOME'],
    secretValues: ['two\nlines'],
  });
});

test('an envFile that cannot be read is an error with its path', async () => {
  await assert.rejects(resolveDefinition(local({ envFile: 'nope.env' }), context), /envFile of "srv" could not be read: \/w\/app\/nope\.env/);
});

test('[S3] values of secrets, environment and authorization headers are to be masked', async () => {
  const resolved = await resolveDefinition({ type: 'http', url: 'https://x/${env:TOKEN}', headers: { Authorization: 'Bearer ${input:secret}', Accept: 'plain-value' } }, context);
  assert.deepEqual(resolved.secretValues.sort(), ['<secret>', 'Bearer <secret>', 'tok-12345']);
});

test('the variables of a definition are named once each', () => {
  const definition: ServerDefinition = local({ command: '${env:A}', args: ['${input:b}', '${env:A}'], env: { X: '${c}', Y: null } });
  assert.deepEqual(collectVariables(definition), ['env:A', 'input:b', 'c']);
});

test('[N2] what a variable yields is never expanded again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (value) => {
      const resolved = await resolveDefinition(local({ args: ['<${env:V}>'] }), { ...context, env: { V: value } });
      assert.deepEqual(resolved.type === 'stdio' && resolved.args, [`<${value}>`]);
    }),
  );
});

describe('an env file', () => {
  test('knows quotes, comments, export and several lines', () => {
    const text = '\ufeff# comment\r\nexport A=1\nB = two words # note\nC="x\\ty # no note"\nD=\'raw \\n\'\nE="first\nsecond"\nF=a=b\nG=\nnot a line\nH="open\nA=2\n';
    assert.deepEqual(parseEnvFile(text), { A: '2', B: 'two words', C: 'x\ty # no note', D: 'raw \\n', E: 'first\nsecond', F: 'a=b', G: '', H: '"open' });
  });

  test('gives back what was quoted', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const quoted = value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t');
        assert.deepEqual(parseEnvFile(`K="${quoted}"`), { K: value });
      }),
    );
  });

  test('of any text is read without throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseEnvFile(text) === 'object'));
  });
});

describe('[P10] a server inherits', () => {
  const parent = { PATH: '/bin', HOME: '/home/me', VSCODE_PID: '1', ELECTRON_RUN_AS_NODE: '1', GITHUB_TOKEN: 'x', LC_ALL: 'C', EVIL: '() { :;}', LANG: '() { :;}', Path: 'other' };
  const resolved = { type: 'stdio' as const, command: 'x', args: [], cwd: '/', env: { OWN: '1' }, removedEnv: ['HOME'], secretValues: [] };

  test('little on POSIX, and never what was removed', () => {
    assert.deepEqual(childEnvironment(parent, resolved, 'linux'), { PATH: '/bin', LC_ALL: 'C', OWN: '1' });
  });

  test('by name without case on Windows', () => {
    assert.deepEqual(childEnvironment({ Path: 'C:\\', windir: 'W', home: 'h', VSCODE_X: '1' }, { ...resolved, env: { path: 'mine' }, removedEnv: [] }, 'win32'), { windir: 'W', path: 'mine' });
  });
});
