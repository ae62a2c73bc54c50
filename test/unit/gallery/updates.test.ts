import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { GalleryStore } from '../../../src/core/gallery/galleryStore.js';
import { readEntry } from '../../../src/core/gallery/galleryEntry.js';
import { galleryFields } from '../../../src/core/gallery/installedFrom.js';
import { planUpdate } from '../../../src/core/gallery/updates/planUpdate.js';
import { ServerUpdates } from '../../../src/core/gallery/updates/serverUpdates.js';
import { isNewer } from '../../../src/core/gallery/updates/versionOrder.js';
import { updateWords } from '../../../src/core/present/server/serverDescription.js';

const folder = mkdtempSync(path.join(tmpdir(), 'server-updates-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('versions are ordered by their numbers, and a pre-release is older than its release', () => {
  const order = ['0.9.12', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-2', 'v1.0.0', '1.0.1', '1.10.0'];
  const sorted = ['0.9.12', '1.0.0-2', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', 'v1.0.0', '1.0.1', '1.10.0'];
  assert.deepEqual(
    order.toSorted((one, other) => (isNewer(one, other) ? 1 : -1)),
    sorted,
  );
  for (const [one, other] of [
    ['1.0.0', '1.0.0'],
    ['1.0.0+2', '1.0.0+1'],
    ['latest', '1.0.0'],
    ['2.0.0', 'main'],
    ['', '1.0.0'],
    ['9'.repeat(200), '1'],
  ] as const)
    assert.equal(isNewer(one, other), false, `${one} ${other}`);
});

const server = (version: string, packages: object[], more: object = {}) =>
  JSON.stringify({ name: 'io.example/a', version, description: 'x', packages, ...more });

test('an update changes only the word with the package', () => {
  const env = [{ name: 'KEPT', isRequired: true }];
  const cases: [before: { command: string; args: string[] }, packages: object, args: string[]][] = [
    [
      { command: 'npx', args: ['-y', '@a/b@1.0.0', '--mine', 'b@1.0.0x'] },
      { registryType: 'npm', identifier: '@a/b', version: '2.0.0' },
      ['-y', '@a/b@2.0.0', '--mine', 'b@1.0.0x'],
    ],
    [
      { command: 'uvx', args: ['--from', 'x', 'tool@1.0.0', '/p'] },
      { registryType: 'pypi', identifier: 'tool', version: '1.1.0' },
      ['--from', 'x', 'tool@1.1.0', '/p'],
    ],
    [
      { command: 'docker', args: ['run', '-i', '--rm', '-e', 'KEPT', 'ghcr.io/a/b:1.0', 'serve'] },
      { registryType: 'oci', identifier: 'ghcr.io/a/b:1.1' },
      ['run', '-i', '--rm', '-e', 'KEPT', 'ghcr.io/a/b:1.1', 'serve'],
    ],
    [
      { command: 'dnx', args: ['A.B@1.0.0', '--yes'] },
      { registryType: 'nuget', identifier: 'A.B', version: '1.2.0' },
      ['A.B@1.2.0', '--yes'],
    ],
  ];
  for (const [before, one, args] of cases) {
    const fields = { ...before, env: { KEPT: 'mine' }, timeoutMs: 5, version: '1.0.0' };
    const transport = { type: 'stdio' };
    const json = server('2.0.0', [{ transport, environmentVariables: env, ...one }]);
    assert.deepEqual(planUpdate(fields, json, '2.0.0', false), {
      fields: { ...fields, args, version: '2.0.0' },
      inputs: [],
    });
  }
});

test('a new required variable becomes an input, and a secret one a password', () => {
  const environmentVariables = [
    { name: 'NEW_KEY', description: 'The key', isRequired: true, isSecret: true },
    { name: 'OPTIONAL' },
    { name: 'STANDARD', isRequired: true, default: 'x' },
  ];
  const one = { registryType: 'npm', identifier: 'a', version: '2.0.0', environmentVariables };
  assert.deepEqual(planUpdate({ command: 'npx', args: ['-y', 'a@1.0.0'] }, server('2.0.0', [one]), '2.0.0', false), {
    fields: {
      command: 'npx',
      args: ['-y', 'a@2.0.0'],
      env: { NEW_KEY: '${input:io-example-a-new-key}' },
      version: '2.0.0',
    },
    inputs: [{ id: 'io-example-a-new-key', type: 'promptString', description: 'The key', password: true }],
  });
});

test('nothing is guessed: another package, launcher, or a package without a version is not updated', () => {
  const npm = { registryType: 'npm', identifier: 'a', version: '2.0.0' };
  const cases: [object, object[]][] = [
    [{ command: 'npx', args: ['-y', 'b@1.0.0'] }, [npm]],
    [{ command: 'npx', args: ['-y', 'a'] }, [npm]],
    [{ command: 'npx', args: ['-y', 'a@1.0.0', 'a@1.0.0'] }, [npm]],
    [{ command: 'bunx', args: ['a@1.0.0'] }, [npm]],
    [{ command: 'npx', args: 'a@1.0.0' }, [npm]],
    [{ command: 'npx', args: ['-y', 'a@1.0.0'] }, [{ ...npm, identifier: '--evil' }]],
    [{ url: 'https://a.example/mcp' }, []],
    [{ command: 'npx', args: ['a@1.0.0'] }, [{ registryType: 'mcpb', identifier: 'https://x/y', fileSha256: 'a' }]],
  ];
  for (const [fields, packages] of cases)
    assert.deepEqual(planUpdate({ ...fields }, server('2.0.0', packages), '2.0.0', false), { isDifferent: true });
  assert.deepEqual(planUpdate({ command: 'npx', args: [] }, 'no json', '2', false), { isDifferent: true });
});

test('[RG4] there is no update to a tag or a range', () => {
  for (const version of ['latest', '2', '^2.0.0', undefined]) {
    const one = { registryType: 'npm', identifier: 'a', version };
    const planned = planUpdate({ command: 'npx', args: ['-y', 'a@1.0.0'] }, server('2.0.0', [one]), '2.0.0', false);
    assert.deepEqual(planned, { isDifferent: true });
  }
});

test('a remote with the same address gets the version, and a bundle its file', () => {
  const remotes = [{ type: 'streamable-http', url: 'https://a.example/mcp' }];
  const fields = { type: 'http', url: 'https://a.example/mcp', version: '1.0.0' };
  assert.deepEqual(planUpdate(fields, server('2.0.0', [], { remotes }), '2.0.0', false), {
    fields: { ...fields, version: '2.0.0' },
    inputs: [],
  });
  const sha256 = 'a'.repeat(64);
  const one = { registryType: 'mcpb', identifier: 'https://x.example/y.mcpb', fileSha256: sha256 };
  assert.deepEqual(planUpdate({ command: 'node', args: [] }, server('2.0.0', [one]), '2.0.0', true), {
    file: 'https://x.example/y.mcpb',
    sha256,
  });
});

test('[RG3] updates of an installed server come from the stored lists only, and the user can skip them', async () => {
  const lists = path.join(folder, 'registries');
  const place = 'https://registry.example';
  const store = new GalleryStore(lists);
  const write = async (version: string, meta: object = {}) => {
    const values = [
      {
        server: { name: 'io.example/a', version, description: 'x' },
        _meta: { 'io.modelcontextprotocol.registry/official': meta },
      },
      { server: { name: '__proto__', version: '1', description: '' } },
    ];
    const entries = new Map(values.flatMap((value) => readEntry(value) ?? []).map((entry) => [entry.name, entry]));
    await store.write(place, { updatedMs: 1, completeMs: 1, entries });
  };
  const kept = new Map<string, unknown>();
  const updates = new ServerUpdates(lists, {
    get: (key) => kept.get(key),
    set: (key, value) => Promise.resolve(void kept.set(key, value)),
  });
  const fields = galleryFields(place, { name: 'io.example/a', version: '1.4.0' });
  const gone = galleryFields(place, { name: 'io.example/gone', version: '1.0.0' });
  const other = galleryFields('https://other.example', { name: 'io.example/a', version: '1.0.0' });
  const configured = Object.entries({ a: fields, gone, other, own: {}, proto: { gallery: '__proto__' } }).map(
    ([id, extra]) => ({ id, entry: { definition: { extra } } }),
  );
  const words = async () => {
    await updates.refresh(configured);
    return Object.fromEntries(configured.map(({ id }) => [id, updateWords(updates.of(id))]));
  };
  const nothing = { a: undefined, gone: undefined, other: undefined, own: undefined, proto: undefined };
  assert.deepEqual(await words(), nothing);
  await write('1.5.0');
  const isGone = { ...nothing, gone: 'no longer in its registry' };
  assert.deepEqual(await words(), { ...isGone, a: '1.4.0 → 1.5.0' });
  await updates.choose(fields, { kind: 'skip', version: '1.5.0' });
  assert.deepEqual(await words(), isGone);
  await write('1.6.0', { status: 'deprecated', statusMessage: 'Use b' });
  assert.deepEqual(await words(), { ...isGone, a: '1.4.0 → 1.6.0, deprecated: Use b' });
  await updates.choose(fields, { kind: 'pin' });
  assert.deepEqual(await words(), { ...isGone, a: 'deprecated: Use b' });
  assert.equal(updates.of('a')?.isPinned, true);
  await updates.choose(fields, { kind: 'none' });
  assert.deepEqual(await words(), { ...isGone, a: '1.4.0 → 1.6.0, deprecated: Use b' });
  await write('1.3.0');
  assert.deepEqual(await words(), isGone);
  updates.dispose();
});
