import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defineBundle } from '../../../src/core/gallery/bundleManifest.js';
import type { BundlePlace } from '../../../src/core/gallery/bundleManifest.js';
import type { Answers, GalleryInput } from '../../../src/core/gallery/serverJson.js';

const place: BundlePlace = { folder: '/b', home: '/home/u', platform: 'linux' };
const manifest = {
  manifest_version: '0.3',
  server: {
    type: 'node',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/index.js', '--limit=${user_config.limit}', '${user_config.folders}', '${user_config.file}'],
      env: {
        TOKEN: '${user_config.token}',
        DIR: '${__dirname}${/}data',
        CERT: '${user_config.file}',
        OTHER: '${OTHER}',
      },
      platform_overrides: { win32: { command: 'node.exe', env: { DIR: 'C:' } } },
    },
  },
  user_config: {
    folders: {
      type: 'directory',
      title: 'Folders',
      multiple: true,
      required: true,
      default: ['${HOME}/Documents', '/x'],
    },
    token: { type: 'string', description: 'The token', sensitive: true, required: true },
    limit: { type: 'number', default: 10 },
    file: { type: 'file' },
    unused: { type: 'string' },
  },
  compatibility: { platforms: ['linux', 'win32'] },
};

test('a bundle runs its command with the values of the user, the defaults, and the folder', () => {
  const asked = new Map<string, GalleryInput>();
  const answers: Answers = (key, input) => {
    assert.equal(asked.has(key), false);
    asked.set(key, input);
    return key === 'user_config/token' ? '${HOME} a --b' : undefined;
  };
  assert.deepEqual(defineBundle(manifest, place, answers), {
    command: 'node',
    args: ['/b/index.js', '--limit=10', '/home/u/Documents', '/x'],
    env: { TOKEN: '${HOME} a --b', DIR: '/b/data', OTHER: '${OTHER}' },
  });
  const common = { isRequired: true, isSecret: false, isRepeated: false };
  assert.deepEqual(Object.fromEntries(asked), {
    'user_config/limit': { ...common, default: '10', format: 'number', isRequired: false },
    'user_config/folders': {
      ...common,
      description: 'Folders',
      default: '/home/u/Documents',
      format: 'filepath',
      isRepeated: true,
    },
    'user_config/file': { ...common, format: 'filepath', isRequired: false },
    'user_config/token': { ...common, description: 'The token', format: 'string', isSecret: true },
  });
});

test('a platform has its own command, and one that the bundle does not support has none', () => {
  const none: Answers = () => undefined;
  const windows = defineBundle(manifest, { ...place, platform: 'win32' }, none) as { command: string; env: object };
  assert.deepEqual([windows.command, windows.env], ['node.exe', { DIR: 'C:', OTHER: '${OTHER}' }]);
  assert.deepEqual(defineBundle(manifest, { ...place, platform: 'darwin' }, none), { unsupported: true });
});

test('[RG1] an object that is no manifest, and a manifest that reads values of the machine, give no definition', () => {
  const configured = (config: object) => ({ server: { mcp_config: { command: 'node', ...config } } });
  const bad = [
    undefined,
    7,
    [],
    {},
    { server: 'x' },
    configured({ command: '' }),
    configured({ args: 'x' }),
    configured({ args: [7] }),
    configured({ args: ['a\0'] }),
    configured({ args: ['${env:SECRET}'] }),
    configured({ env: { 'A=B': 'x' } }),
    configured({ args: Array.from({ length: 201 }, () => 'x') }),
  ];
  for (const value of bad)
    assert.deepEqual(
      defineBundle(value, place, () => undefined),
      { unsupported: true },
      JSON.stringify(value)?.slice(0, 100),
    );
});

test('[RG1] a manifest whose texts are too long with the values of the settings gives no definition', () => {
  const withList = (config: object, count: number, length: number) => ({
    server: { mcp_config: { command: 'node', ...config } },
    user_config: {
      a: { type: 'string', multiple: true, default: Array.from({ length: count }, () => 'x'.repeat(length)) },
    },
  });
  const repeated = 'x' + '${user_config.a}'.repeat(300);
  const tooLong: [what: string, manifest: object][] = [
    ['a short list', withList({ args: [repeated] }, 2, 100)],
    // 200 arguments with 300 times 300 times 3,000 characters each.
    ['an argument', withList({ args: Array.from({ length: 200 }, () => repeated) }, 300, 3_000)],
    ['the command', withList({ command: repeated }, 300, 3_000)],
    ['an environment variable', withList({ env: { A: repeated } }, 300, 3_000)],
    ['a joined list', withList({ env: { A: '${user_config.a}' } }, 33, 1_000)],
    ['all words', withList({ args: Array.from({ length: 200 }, () => '${user_config.a}') }, 300, 10)],
    ['empty words', withList({ args: Array.from({ length: 200 }, () => '${user_config.a}') }, 2_000, 0)],
    ['a default', withList({ args: ['${user_config.b}'] }, 0, 0)],
  ];
  const b = { type: 'string', default: '${__dirname}'.repeat(800) };
  const deep = { ...place, folder: `/${'b'.repeat(100)}` };
  for (const [what, { user_config, ...rest }] of tooLong as [string, Record<string, object>][])
    assert.deepEqual(
      defineBundle({ ...rest, user_config: { ...user_config, b } }, deep, () => undefined),
      { unsupported: true, isTooLong: true },
      what,
    );
  const allowed = defineBundle(withList({ env: { A: '${user_config.a}' } }, 30, 1_000), place, () => undefined);
  assert.equal((allowed as { env: Record<string, string> }).env['A']?.length, 30_029);
});

test('[RG1] no manifest makes it throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (one, other, answer) => {
      const start = {
        command: 'node',
        args: ['${user_config.a}', one],
        env: other,
        platform_overrides: { linux: other },
      };
      const configured = { server: { mcp_config: start }, user_config: { a: other } };
      for (const value of [one, configured, { ...configured, user_config: { a: { default: one, multiple: true } } }])
        assert.equal(typeof defineBundle(value, place, () => answer), 'object');
    }),
  );
});
