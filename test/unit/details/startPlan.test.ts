import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HostError } from '../../../src/core/base/hostError.js';
import type { StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import type { Inspection } from '../../../src/core/catalog/inspection.js';
import { childEnvironment } from '../../../src/core/config/childEnvironment.js';
import type { ResolvedServer } from '../../../src/core/config/resolveDefinition.js';
import { environmentLines, maskedValue } from '../../../src/core/details/environmentLines.js';
import { planStart } from '../../../src/core/details/startPlan.js';
import { serverView } from '../../support/serverViews.js';

const stdio = (parts: Partial<StdioDefinition> = {}): StdioDefinition => ({
  type: 'stdio',
  command: 'node',
  args: [],
  env: {},
  ...parts,
});
const parent = { PATH: '/bin', HOME: '/home/me', LANG: 'C', GITHUB_TOKEN: 'not-for-servers', XDG_SESSION_ID: '4' };

function inspection(
  definition: StdioDefinition,
  more: Partial<Inspection> & { resolved?: Partial<Extract<ResolvedServer, { type: 'stdio' }>> } = {},
): Inspection {
  const { resolved, ...rest } = more;
  return {
    entry: serverView('s', { definition }).entry,
    authorizer: () => Promise.reject(new Error('It is not remote.')),
    refusal: undefined,
    resolve: () =>
      Promise.resolve({
        type: 'stdio',
        command: definition.command,
        args: definition.args,
        cwd: '/w',
        env: {},
        removedEnv: [],
        secretValues: [],
        ...resolved,
      }),
    tryStart: () => Promise.reject(new Error('Nothing is started here.')),
    environment: (server) => Promise.resolve(childEnvironment(parent, server, 'linux')),
    platform: 'linux',
    env: parent,
    getSetting: () => undefined,
    ...rest,
  };
}

describe('how a server will be started', () => {
  test('folders are resolved; values of other variables and likely secrets are not shown', async () => {
    const definition = stdio({
      args: [
        '${workspaceFolder}/s.js',
        '--region=${env:REGION}',
        '--token=hunter2hunter2',
        '--api-key',
        'abcdefgh12345',
        'sk-abcdefghijklmnopqrst',
        '${input:pw}',
      ],
    });
    const plan = await planStart(
      inspection(definition, {
        resolved: {
          args: [
            '/w/s.js',
            '--region=r1',
            '--token=hunter2hunter2',
            '--api-key',
            'abcdefgh12345',
            'sk-abcdefghijklmnopqrst',
            'sesame',
          ],
        },
      }),
    );
    assert.deepEqual(plan?.command, [
      'node',
      '/w/s.js',
      '--region=${env:REGION}',
      '--token=…',
      '--api-key',
      '…',
      '•••',
      '${input:pw}',
    ]);
    assert.deepEqual([plan?.cwd, plan?.problem], ['/w', undefined]);
  });

  test('[S2] a secret of the environment is not shown when an argument repeats it', async () => {
    const plan = await planStart(
      inspection(stdio({ args: ['-p', 'hunter2', 'db:hunter2@h'], env: { DB_PASSWORD: 'hunter2' } }), {
        resolved: { args: ['-p', 'hunter2', 'db:hunter2@h'], secretValues: ['hunter2'] },
      }),
    );
    assert.deepEqual(plan?.command, ['node', '-p', '…', 'db:•••@h']);
  });

  test('the process gets the inherited variables, without those that the definition removes', async () => {
    const plan = await planStart(
      inspection(stdio({ env: { LANG: null, MODE: 'fast' }, envFile: '.env' }), {
        resolved: { env: { MODE: 'fast', FROM_FILE: 'very secret' } },
      }),
    );
    assert.deepEqual(plan?.environment, [
      { name: 'LANG', from: 'removed' },
      { name: 'MODE', from: 'definition', value: 'fast' },
      { name: 'FROM_FILE', from: 'file', value: '•••' },
      { name: 'HOME', from: 'passedOn', value: '/home/me' },
      { name: 'PATH', from: 'passedOn', value: '/bin' },
      { name: 'XDG_SESSION_ID', from: 'passedOn', value: '•••' },
    ]);
  });

  test('with an unset variable or a refused start, everything is shown as written', async () => {
    const definition = stdio({ command: '${workspaceFolder}/run', args: ['${input:pw}'] });
    const unresolved = await planStart(
      inspection(definition, {
        resolve: () => Promise.reject(new HostError('bad-configuration', 'No folder is open.')),
      }),
    );
    assert.deepEqual(
      [unresolved?.command, unresolved?.problem],
      [['${workspaceFolder}/run', '${input:pw}'], 'No folder is open.'],
    );
    const refused = await planStart(
      inspection(definition, {
        refusal: new HostError('not-trusted', 'no', { data: { isWorkspace: true } }),
        resolve: () => assert.fail('nothing is resolved'),
      }),
    );
    assert.deepEqual(
      [refused?.command[0], refused?.problem],
      ['${workspaceFolder}/run', 'The server "s": This workspace is not trusted.'],
    );
  });
});

describe('[S2] a value is shown', () => {
  test('unless its name or its form indicates a secret', () => {
    const shown = { LOG_LEVEL: 'debug', API_TOKEN: '${input:token}', CACHE: '${userHome}/.cache', PORT: '3000' };
    for (const [name, value] of Object.entries(shown)) assert.equal(maskedValue(name, value), value);
    const hidden = {
      API_TOKEN: 'x',
      PASSWORD: '',
      OTHER: 'ghp_abcdefghijklmnopqrstuvwx',
      DATABASE: 'postgres://me:pw@db/x',
      SECRET: '${env:A:-fallback}',
      KEY: '${env:A}tail',
    };
    for (const [name, value] of Object.entries(hidden)) assert.equal(maskedValue(name, value), '•••');
  });

  test('never under the name of a secret, for any value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('TOKEN', 'my_api_key', 'Client-Secret', 'DB_PASSWORD', 'PGPASSWORD'),
        fc.string({ minLength: 4 }).filter((text) => !text.includes('${')),
        (name, secret) => {
          const lines = environmentLines({
            definition: stdio({ env: { [name]: secret } }),
            inherited: { [`${name}_2`]: secret },
            fileNames: [],
          });
          assert.ok(lines.every(({ value }) => value === '•••'));
        },
      ),
    );
  });

  test('by name only from an env file', () => {
    assert.deepEqual(
      environmentLines({ definition: stdio({ envFile: 'f' }), inherited: { A: 'inherited' }, fileNames: ['A'] }),
      [{ name: 'A', from: 'file', value: '•••' }],
    );
  });
});
