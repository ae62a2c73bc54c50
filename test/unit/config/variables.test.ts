import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { describeStart } from '../../../src/core/config/describeStart.js';
import type { InputDefinition, ServerDefinition, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import type { VariableContext } from '../../../src/core/config/variables.js';
import { filledText } from '../../../src/core/config/variables.js';
import { withValues } from '../../../src/core/config/variableValues.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { resolveDefinition } from '../../../src/core/config/resolveDefinition.js';
import { collectVariables, inputsNamedBy } from '../../../src/core/config/variableSyntax.js';
import { certificate, privateKey } from '../../support/httpTestCertificate.js';

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
  readFile: (file) =>
    file === '/w/app/.env' ? Promise.resolve('A=file\nB="two\\nlines"\n') : Promise.reject(new Error('no such file')),
  isPortable: false,
};

const local = (fields: Partial<StdioDefinition>): StdioDefinition => ({
  type: 'stdio',
  command: 'x',
  args: [],
  env: {},
  ...fields,
});

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

test('[N2] long values do not multiply', async () => {
  const value = 'x'.repeat(400_000);
  const long = { ...context, getSetting: () => value };
  const many = local({ args: Array<string>(20).fill('${config:a}'.repeat(1_000)) });
  await assert.rejects(resolveDefinition(many, long), { code: 'bad-configuration', message: /too long after/ });
  for (const one of [value, '\u200b'.repeat(4_000)]) {
    const values = new Map([['config:a', one]]);
    const filled = await withValues(many, values);
    assert.ok(JSON.stringify(filled).length < 500_000, 'the question shows other values separately');
    const source = { id: 'file', kind: 'vscode', label: '.vscode/mcp.json' } as const;
    const { warnings } = describeStart({ definition: filled, source, values, written: many });
    assert.ok(warnings.join('').length < 1_000);
  }
  assert.equal(await filledText('${config:a}', long), '${config:a}');
  const env = { ...long, env: { A: 'x'.repeat(1_000) } };
  const room = { left: 2_500 };
  const texts = ['${config:a}', '${env:A}${env:A}', '${env:A}'];
  const filled = [];
  for (const text of texts) filled.push(await filledText(text, env, room));
  assert.deepEqual(
    filled,
    ['${config:a}', 'x'.repeat(2_000), '${env:A}'],
    'the values of several texts have a total length, in which only those count that are filled in',
  );
});

describe('[N2] a variable without a value is an error that contains its name and no value', () => {
  for (const text of [
    '${env:MISSING}',
    '${workspaceFolder:nope}',
    '${config:none}',
    '${surprise}',
    '${TOKEN}',
    '${env:__proto__}',
  ]) {
    test(text, () =>
      assert.rejects(
        args(`--k=secret-thing ${text}`),
        (error: Error & { code?: string }) =>
          error.code === 'bad-configuration' &&
          error.message.includes(text.slice(2, -1).replace('TOKEN}', 'TOKEN')) &&
          !error.message.includes('secret-thing'),
      ),
    );
  }
});

test('in a portable file plain names are environment variables, with defaults', async () => {
  const resolved = await resolveDefinition(local({ args: ['${TOKEN}', '${MISSING:-fall back}', '${MISSING:-}'] }), {
    ...context,
    isPortable: true,
  });
  assert.deepEqual(resolved.type === 'stdio' && resolved.args, ['tok-12345', 'fall back', '']);
});

test('without its own folder and with several open, workspaceFolder asks for a name', async () => {
  await assert.rejects(
    resolveDefinition(local({ args: ['${workspaceFolder}'] }), { ...context, folderPath: undefined }),
    /\$\{workspaceFolder:name\}/,
  );
});

test('env overrides the env file, null removes a variable, and relative folders start at the workspace folder', async () => {
  const resolved = await resolveDefinition(
    local({ command: '~/bin/x', cwd: 'sub', envFile: '.env', env: { A: 'own', HOME: null } }),
    context,
  );
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

test('an envFile that cannot be read is an error with its path as written, and no value of a variable in it', async () => {
  await assert.rejects(
    resolveDefinition(local({ envFile: 'nope-${env:TOKEN}.env' }), context),
    (error: Error) =>
      error.message === 'The envFile of "srv" could not be read: nope-${env:TOKEN}.env' && error.cause === undefined,
  );
});

test('[S3] the password of a URL is masked, however long it is', async () => {
  for (const length of [20, 2_000]) {
    const env = { INDEX: `https://aws:${'t%3D'.repeat(length / 4)}@feed.example/simple` };
    const { secretValues } = await resolveDefinition(local({ env }), context);
    assert.ok(secretValues.includes('t='.repeat(length / 4)), String(length));
  }
});

test('[S3] values of secrets, environment and authorization headers are masked', async () => {
  const resolved = await resolveDefinition(
    {
      type: 'http',
      url: 'https://x/${env:TOKEN}',
      headers: { Authorization: 'Bearer ${input:secret}', Accept: 'plain-value' },
    },
    context,
  );
  assert.deepEqual(resolved.secretValues.sort(), ['<secret>', 'Bearer <secret>', 'tok-12345']);
});

test('[S3] the value after the scheme of a header is masked separately, and so is the password in it', async () => {
  const { secretValues } = await resolveDefinition(
    {
      type: 'http',
      url: 'https://x',
      headers: { Authorization: `Basic ${Buffer.from('ann:sesame-7').toString('base64')}`, 'X-Api-Key': 'key-12345' },
    },
    context,
  );
  assert.deepEqual(secretValues.sort(), ['Basic YW5uOnNlc2FtZS03', 'YW5uOnNlc2FtZS03', 'key-12345', 'sesame-7']);
});

test('the variables of a definition are named once each', () => {
  const definition: ServerDefinition = local({
    command: '${env:A}',
    args: ['${input:b}', '${env:A}'],
    env: { X: '${c}', Y: null },
  });
  assert.deepEqual(collectVariables(definition), ['env:A', 'input:b', 'c']);
});

test('[N2] the value of a variable is never expanded again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string().map((value) => value.replace(/[\0\r\n]/g, '')),
      async (value) => {
        const resolved = await resolveDefinition(local({ args: ['<${env:V}>'] }), { ...context, env: { V: value } });
        assert.deepEqual(resolved.type === 'stdio' && resolved.args, [`<${value}>`]);
      },
    ),
  );
});

test('an input is requested once, and never two at a time', async () => {
  const asked: string[] = [];
  let isAsking = false;
  const getInput = async (id: string) => {
    assert.equal(isAsking, false);
    isAsking = true;
    await Promise.resolve();
    isAsking = false;
    asked.push(id);
    return { value: id, isSecret: false };
  };
  await resolveDefinition(local({ args: ['${input:a}', '${input:b}', '${input:a}'], env: { X: '${input:a}' } }), {
    ...context,
    getInput,
  });
  assert.deepEqual(asked, ['a', 'b']);
});

test('null removes a variable that the env file sets', async () => {
  const resolved = await resolveDefinition(local({ envFile: '.env', env: { A: null } }), context);
  assert.deepEqual(resolved.type === 'stdio' && [resolved.env, resolved.removedEnv], [{ B: 'two\nlines' }, ['A']]);
});

test('[N2] a tilde in the value of a variable is not the home folder', async () => {
  const resolved = await resolveDefinition(local({ command: '${env:T}/x', cwd: '${env:T}' }), {
    ...context,
    env: { T: '~' },
  });
  assert.deepEqual(resolved.type === 'stdio' && [resolved.command, resolved.cwd], ['~/x', '/w/app/~']);
});

describe('the folder of a server without cwd', () => {
  const cases: [string, Partial<VariableContext>, string][] = [
    ['is that of its file', {}, '/w/app'],
    [
      '[C3] is the home for user settings, for any open folder',
      { folderPath: undefined, folders: [{ name: 'lib', path: '/w/lib' }] },
      '/home/me',
    ],
  ];
  for (const [what, part, cwd] of cases) {
    test(what, async () => {
      const resolved = await resolveDefinition(local({}), { ...context, ...part });
      assert.equal(resolved.type === 'stdio' && resolved.cwd, cwd);
    });
  }
});

describe('[P1] the value of a variable cannot break a command line', () => {
  for (const [what, fields] of [
    ['command', { command: '${env:V}' }],
    ['args', { args: ['--x=${env:V}'] }],
  ] as const) {
    for (const value of ['top-secret\nb', 'top-secret\rb', 'top-secret\0b']) {
      test(`${what} ${JSON.stringify(value)}`, () =>
        assert.rejects(
          resolveDefinition(local({ ...fields, args: [...('args' in fields ? fields.args : [])] }), {
            ...context,
            env: { V: value },
          }),
          (error: Error) => error.message.includes('${env:V}') && !error.message.includes('top-secret'),
        ));
    }
  }
  test('an empty command', () =>
    assert.rejects(
      resolveDefinition(local({ command: '${env:EMPTY}' }), context),
      /"command" would be empty because of the value of \$\{env:EMPTY\}/,
    ));
  test('a NUL in env', () =>
    assert.rejects(
      resolveDefinition(local({ env: { X: '${env:V}' } }), { ...context, env: { V: '\0' } }),
      /environment variable "X" would contain a NUL/,
    ));
  test('a header that would start another one', () =>
    assert.rejects(
      resolveDefinition(
        { type: 'http', url: 'https://x', headers: { A: '${env:V}' } },
        { ...context, env: { V: 'a\r\nB: c' } },
      ),
      /header "A" would contain a line break/,
    ));
});

describe('the message about a variable explains the correction', () => {
  const cases: [string, Partial<VariableContext>, RegExp][] = [
    ['${TOKEN}', {}, /write \$\{env:TOKEN\}/],
    ['${TOKEN:-hunter2}', {}, /"srv" uses \$\{TOKEN\}, .* write \$\{env:TOKEN\}\.$/],
    ['${workspaceFolder}', { folderPath: undefined, folders: [] }, /No folder is open/],
    [
      '${workspaceFolder:x}',
      {
        folders: [
          { name: 'x', path: '/1' },
          { name: 'x', path: '/2' },
        ],
      },
      /Several workspace folders are named "x"/,
    ],
    ['${env}', {}, /\$\{env:…\}/],
    ['${env:A${env:B}}', { env: {} }, /\$\{env:A/],
    ['${workspaceFolder/x', {}, /has no value/],
    ['${MISSING:-${env:TOKEN}}', {}, /closing brace|environment variable/],
  ];
  for (const [text, part, message] of cases)
    test(text, () => assert.rejects(resolveDefinition(local({ args: [text] }), { ...context, ...part }), message));
});

test('a default in a portable file is never expanded', async () => {
  const resolved = await resolveDefinition(local({ args: ['${MISSING:-$HOME ~ ${env:TOKEN}'] }), {
    ...context,
    isPortable: true,
  });
  assert.deepEqual(resolved.type === 'stdio' && resolved.args, ['$HOME ~ ${env:TOKEN']);
});

test('variables of VS Code mean the same in a portable file', async () => {
  const resolved = await resolveDefinition(local({ args: ['${workspaceFolder}', '${userHome}'] }), {
    ...context,
    isPortable: true,
    env: { workspaceFolder: 'x', userHome: 'y' },
  });
  assert.deepEqual(resolved.type === 'stdio' && resolved.args, ['/w/app', '/home/me']);
});

test('on Windows names of environment variables are case-insensitive', async () => {
  const resolved = await resolveDefinition(local({ args: ['${env:PATH}'] }), {
    ...context,
    env: { Path: 'C:\\bin' },
    platform: 'win32',
  });
  assert.deepEqual(resolved.type === 'stdio' && resolved.args, ['C:\\bin']);
});

test('[S3] plain settings, folders and defaults are not masked', async () => {
  const resolved = await resolveDefinition(
    local({ args: ['${workspaceFolder}', '${userHome}', '${input:who-is-it}', '${MISSING:-a long default}'] }),
    { ...context, isPortable: true },
  );
  assert.deepEqual(resolved.secretValues, []);
});

test('the inputs of a definition are those that it names', () => {
  const a: InputDefinition = { id: 'a', type: 'promptString' };
  const b: InputDefinition = { id: 'b', type: 'promptString' };
  assert.deepEqual(
    inputsNamedBy(
      local({ args: ['${input:b}', '${input:unknown}', '${input:b}'] }),
      new Map([
        ['a', a],
        ['b', b],
      ]),
    ),
    [b],
  );
});

test('[N2] any text either resolves or is refused with a reason, and no reason carries a value', async () => {
  const piece = fc.oneof(
    fc.constantFrom('${', '}', '$', ':', ':-', 'env:', 'SECRET', 'input:', 'workspaceFolder', '${env:SECRET}', '~/'),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.boolean(),
      async (text, isPortable) => {
        try {
          await resolveDefinition(local({ args: [text], env: { X: text }, cwd: text, envFile: text }), {
            ...context,
            isPortable,
            env: { SECRET: 'hunter2-hunter2' },
            readFile: () => Promise.resolve(''),
          });
        } catch (error) {
          assert.ok(error instanceof HostError && error.code === 'bad-configuration');
          assert.equal(`${error.message}${error.hint ?? ''}${JSON.stringify(error.data)}`.includes('hunter2'), false);
        }
      },
    ),
  );
});

test('[N2] a text without variables stays as it is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string().map((text) => text.replaceAll('${', '').replace(/[\0\r\n]/g, '')),
      async (text) => {
        assert.deepEqual(await args(text), [text]);
      },
    ),
  );
});

// Quadratic work would not end within the time limit of a test file.
test('a text full of unclosed variables is read to its end', () => {
  for (const text of ['${', '${a', '${}', '${a}', '}']) collectVariables(local({ args: [text.repeat(300_000)] }));
});

test('a remote server gets the content of its caFile, and a missing file or one without a certificate is an error', async () => {
  const remote = (caFile: string) => ({ type: 'http' as const, url: 'https://x', headers: {}, caFile });
  const base = {
    serverName: 's',
    folderPath: '/w',
    folders: [],
    userHome: '/home/me',
    env: {},
    getSetting: () => undefined,
    getInput: () => Promise.reject(new Error('none')),
    isPortable: false,
  };
  const readFile = (file: string) =>
    file === '/w/ca.pem'
      ? Promise.resolve(certificate)
      : file === '/w/empty.pem'
        ? Promise.resolve('')
        : file === '/w/key.pem'
          ? Promise.resolve(privateKey)
          : file === '/w/broken.pem'
            ? Promise.resolve(certificate.replace('MIIB', 'AAAA'))
            : Promise.reject(new Error('absent'));
  const resolved = await resolveDefinition(remote('${workspaceFolder}/ca.pem'), { ...base, readFile });
  assert.equal(resolved.type === 'http' && resolved.ca, certificate);
  await assert.rejects(
    resolveDefinition(remote('other.pem'), { ...base, readFile }),
    /"caFile" of "s" could not be read: other\.pem/,
  );
  for (const file of ['empty.pem', 'key.pem'])
    await assert.rejects(resolveDefinition(remote(file), { ...base, readFile }), {
      code: 'bad-configuration',
      message: `The "caFile" of "s" contains no certificate: ${file}`,
    });
  await assert.rejects(
    resolveDefinition(remote('broken.pem'), { ...base, readFile }),
    /contains a certificate that cannot be read: broken\.pem/,
  );
});
