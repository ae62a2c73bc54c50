import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BundlePlace } from '../../../../src/core/gallery/bundleManifest.js';
import { BundleError } from '../../../../src/core/gallery/bundles/bundleError.js';
import { readBundleInfo } from '../../../../src/core/gallery/bundles/bundleInfo.js';
import { checkPath, PathSet } from '../../../../src/core/gallery/bundles/bundlePaths.js';
import { runtimeProblems } from '../../../../src/core/gallery/bundles/bundleRuntimes.js';
import { bundleServer, startText } from '../../../../src/core/gallery/bundles/bundleServer.js';
import { settingProblems, settingsSchema, settingsStart } from '../../../../src/core/gallery/bundles/bundleSettings.js';
import { bundleManifest } from '../../../support/zipBytes.js';

const place: BundlePlace = { folder: '/b/little-0', home: '/home/u', platform: 'linux' };
const settings = {
  folders: { type: 'directory', title: 'Folders', multiple: true, required: true, default: ['${HOME}/Documents'] },
  token: { type: 'string', title: 'Token', description: 'Of the service', sensitive: true, required: true },
  limit: { type: 'number', default: 10, min: 1, max: 100 },
  verbose: { type: 'boolean', default: false },
  certificate: { type: 'file' },
};
const full = {
  server: {
    type: 'node',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/index.js', '--limit', '${user_config.limit}', '${user_config.folders}'],
      env: { TOKEN: '${user_config.token}', V: '${user_config.verbose}', CERT: '${user_config.certificate}' },
      platform_overrides: { win32: { command: 'node.exe' } },
    },
  },
  user_config: settings,
};
const read = (fields: Record<string, unknown> = {}) => readBundleInfo(bundleManifest(fields), 'little');
/** A manifest whose start has one word. */
const withWord = (word: string, more: Record<string, unknown> = {}) =>
  read({ server: { type: 'node', mcp_config: { command: 'node', args: [word] } }, ...more });

test('[BN4] the settings of a bundle are a form with their types, limits, defaults and pickers', () => {
  const info = read(full);
  assert.deepEqual(settingsSchema(info), {
    type: 'object',
    properties: {
      folders: {
        type: 'array',
        items: { type: 'string', format: 'directory', minLength: 1 },
        minItems: 1,
        title: 'Folders',
      },
      token: { type: 'string', format: 'password', minLength: 1, title: 'Token', description: 'Of the service' },
      limit: { type: 'number', minimum: 1, maximum: 100 },
      verbose: { type: 'boolean' },
      certificate: { type: 'string', format: 'file' },
    },
    required: ['folders', 'token'],
    additionalProperties: false,
  });
  assert.deepEqual(settingsStart(info, place), { folders: ['/home/u/Documents'], limit: 10, verbose: false });
});

test('[BN4] the values of the form fill the definition, and secrets become inputs', () => {
  const values = { folders: ['/a', '/b c'], token: 's3cret', limit: 5, verbose: true };
  assert.deepEqual(bundleServer(read(full), place, values, 'little'), {
    fields: {
      type: 'stdio',
      command: 'node',
      args: ['/b/little-0/index.js', '--limit', '5', '/a', '/b c'],
      env: { TOKEN: '${input:little-token}', V: 'true' },
    },
    inputs: [{ id: 'little-token', type: 'promptString', description: 'Token', password: true }],
    secrets: [{ id: 'little-token', value: 's3cret', field: 'env', name: 'TOKEN' }],
  });
  const cleared = bundleServer(read(full), { ...place, platform: 'win32' }, {}, 'little');
  assert.deepEqual(cleared.fields, {
    type: 'stdio',
    command: 'node.exe',
    args: ['/b/little-0/index.js', '--limit'],
    env: {},
  });
  assert.deepEqual([cleared.inputs, cleared.secrets], [[], []]);
});

test('[BN4] a variable that MCP Deck would fill in is refused, in the manifest, a default, and a value', () => {
  for (const word of ['${env:HOME}', '${HOMER}', '${workspaceFolder}', '${input:other}', 'a${userHome}b', '${unclosed'])
    assert.throws(
      () => bundleServer(withWord(word), place, {}, 'little'),
      (error) => error instanceof BundleError && /variable|bad-manifest/.test(error.problem),
      word,
    );
  const info = withWord('${user_config.x}', { user_config: { x: { type: 'string', default: '${PATH}' } } });
  assert.throws(() => bundleServer(info, place, settingsStart(info, place), 'little'), { problem: 'variable' });
  assert.deepEqual(settingProblems(info, { x: 'a ${y}' }), [{ path: '/x', message: 'The value cannot contain "${"' }]);
  assert.deepEqual(settingProblems(info, { x: '$HOME {y}' }), []);
  const secret = withWord('${user_config.x}', { user_config: { x: { type: 'string', sensitive: true } } });
  const { fields, secrets } = bundleServer(secret, place, { x: 'a ${env:HOME}' }, 'little');
  assert.deepEqual(
    [fields.args, secrets[0]?.value, secrets[0]?.field],
    [['${input:little-x}'], 'a ${env:HOME}', 'args'],
  );
});

test('the files of a Python bundle stay unchanged when it runs, and a uv bundle needs no command', () => {
  const python = read({ server: { type: 'python', mcp_config: { command: 'python3', args: [], env: { A: '1' } } } });
  assert.deepEqual(bundleServer(python, place, {}, 'x').fields.env, { PYTHONDONTWRITEBYTECODE: '1', A: '1' });
  const uv = readBundleInfo(
    bundleManifest({ manifest_version: '0.4', server: { type: 'uv', entry_point: 'src/main.py' } }),
    'x',
  );
  assert.deepEqual(bundleServer(uv, place, {}, 'x').fields, {
    type: 'stdio',
    command: 'uv',
    args: ['run', '--directory', '/b/little-0', 'src/main.py'],
    env: { PYTHONDONTWRITEBYTECODE: '1', UV_PROJECT_ENVIRONMENT: '/b/little-0.venv' },
  });
});

test('[BN4] the page of a bundle says what it will run, or why it cannot', () => {
  assert.equal(
    startText(read(full), place, 'little'),
    'It will run: node /b/little-0/index.js --limit 10 /home/u/Documents',
  );
  const x = { type: 'string', multiple: true, default: Array.from({ length: 300 }, () => 'x'.repeat(3_000)) };
  const long = read({
    server: { type: 'node', mcp_config: { command: 'node', args: ['${user_config.x}'.repeat(300)] } },
    user_config: { x },
  });
  assert.match(
    startText(long, place, 'little'),
    /^"little" was not installed: .*"server\.mcp_config" is too long with the values of the settings/,
  );
  assert.match(startText(withWord('${workspaceFolder}'), place, 'little'), /uses the variable \$\{workspaceFolder\}/);
  const many = Object.fromEntries(
    Array.from({ length: 2 }, (_, at) => [`s${at}`, { ...x, sensitive: true, default: Array(150).fill('x') }]),
  );
  assert.match(startText(read({ user_config: many }), place, 'little'), /it has more than 200 secrets/);
});

test('[BN4] a default value that is too long when it is filled in stays as written, and the form reports it', () => {
  const value = '${__dirname}'.repeat(5_000);
  const info = withWord('x', { user_config: { x: { type: 'string', default: value } } });
  const start = settingsStart(info, place);
  assert.deepEqual(start, { x: value });
  assert.equal(settingProblems(info, start).length, 1);
});

test('[BN4] a manifest that is not as its format says is refused with the field', () => {
  const cases: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ manifest_version: '2.0' }, /the version 2\.0 of its format is not supported/],
    [{ manifest_version: 3 }, /"manifest_version" must be a string/],
    [{ name: '' }, /"name" must be a string/],
    [{ version: 'x'.repeat(300) }, /"version" must be a string/],
    [{ server: { type: 'perl' } }, /"server\.type" is not valid/],
    [{ server: { type: 'node' } }, /"server\.mcp_config\.command" is missing/],
    [{ user_config: [] }, /"user_config" is not valid/],
    [{ user_config: { x: { type: 'array' } } }, /"user_config\.x" is not valid/],
    [{ compatibility: { platforms: 'linux' } }, /"compatibility\.platforms" is not valid/],
  ];
  for (const [fields, message] of cases) assert.throws(() => read(fields), message);
  assert.throws(() => readBundleInfo('[]', 'x'), /it is not an object/);
  const { tools, author, title } = read({ tools: [{ name: 'a', description: 1 }, { x: 1 }, 'b'], prompts: 'none' });
  assert.deepEqual([tools, author, title], [[{ name: 'a' }], 'Tests', 'Little Server']);
});

test('no manifest makes the reader throw anything but its own errors', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (server, user_config, tools) => {
      try {
        const info = read({ server, user_config, tools });
        bundleServer(info, place, settingsStart(info, place), 'x');
      } catch (error) {
        assert.ok(error instanceof BundleError, String(error));
      }
    }),
  );
});

test('[BN4] a missing or too old runtime is named', async () => {
  const info = { type: 'node' as const, runtimes: { node: '>=18', python: '>=3.10,<4' } };
  const versions = { node: [16, 1, 0], python3: [3, 12, 1] } as const;
  const of = (known: Readonly<Record<string, readonly [number, number, number]>>) => (program: string) =>
    Promise.resolve(known[program] ?? ('missing' as const));
  assert.deepEqual(await runtimeProblems(info, 'node', of(versions)), [
    'The server needs Node.js >=18, but the installed version is 16.1.0. Update Node.js first.',
  ]);
  assert.deepEqual(await runtimeProblems(info, 'node', of({ node: [20, 0, 0] })), [
    'The server needs Python >=3.10,<4, but "python3" was not found. Install Python first.',
  ]);
  assert.deepEqual(await runtimeProblems({ type: 'python', runtimes: {} }, 'python3.12', of({})), [
    'The server needs Python, but "python3.12" was not found. Install Python first.',
  ]);
  const asked: string[] = [];
  const ask = (program: string) => Promise.resolve(void asked.push(program));
  await runtimeProblems({ type: 'python', runtimes: { python: '>=3' } }, '${__dirname}/bin/python', ask);
  assert.deepEqual(asked, ['python3']);
  assert.deepEqual(await runtimeProblems({ type: 'binary', runtimes: {} }, '/b/x', of({})), []);
});

test('[BN1] no path that is accepted leads out of the folder', () => {
  const pieces = [
    '..',
    '.',
    '/',
    '\\',
    'a',
    'B',
    ':',
    'con',
    '．',
    '／',
    '\u200b',
    ' ',
    '~1',
    '\u0000',
    'é',
    'e\u0301',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
      const checked = checkPath(parts.join(''));
      if ('problem' in checked) return;
      for (const name of checked.names) {
        assert.ok(name !== '' && name !== '.' && name !== '..');
        assert.doesNotMatch(name.normalize('NFKC'), /[\\/:\p{Cc}]/u);
      }
    }),
  );
  const set = new PathSet();
  assert.deepEqual(
    [['a', 'b'], ['a', 'c'], ['A', 'd'], ['a', 'B'], ['a'], ['a', 'b', 'c']].map((names) => set.add(names, false)),
    [true, true, false, false, false, false],
  );
});
