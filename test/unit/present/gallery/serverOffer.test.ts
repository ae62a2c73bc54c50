import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import type { GalleryEntry } from '../../../../src/core/gallery/galleryEntry.js';
import { readEntry } from '../../../../src/core/gallery/galleryEntry.js';
import { ProgramSearch } from '../../../../src/core/gallery/neededProgram.js';
import { serverOffer } from '../../../../src/core/present/gallery/serverOffer.js';
import { ageText, serverRow } from '../../../../src/core/present/gallery/serverRows.js';
import { sourceLine } from '../../../../src/core/present/gallery/sourceLines.js';
import { HostError, UserError } from '../../../../src/core/base/hostError.js';
import { listed } from '../../../support/registryServer.js';

const now = Date.parse('2026-06-01T00:00:00Z');
const facts = {
  source: () => ({ name: 'Company', isVerifying: false }),
  programs: new ProgramSearch({ PATH: '' }, os.homedir()),
  now,
};
const npm = { registryType: 'npm', identifier: 'a', version: '1.0.0', transport: { type: 'stdio' } };

function entryOf(server: object, meta: object = {}): GalleryEntry {
  const entry = readEntry(listed('io.example/files', server, meta));
  assert.ok(entry);
  return entry;
}

test('a row has the source, version, age, reason of the deprecation, and the missing program', () => {
  const meta = { status: 'deprecated', statusMessage: 'Use b.\u0007', publishedAt: '2026-03-01T00:00:00Z' };
  const entry = entryOf({ packages: [npm], remotes: [{ type: 'sse', url: 'https://a.example' }] }, meta);
  assert.deepEqual(serverRow({ place: 'p', entry }, facts), {
    key: { place: 'p', name: 'io.example/files' },
    title: 'files',
    name: 'io.example/files',
    description: 'About io.example/files',
    source: 'Company',
    isVerified: false,
    version: '1.0.0',
    age: '3 months',
    warning: { badge: 'Deprecated', reason: 'Deprecated: Use b.\\u{7}' },
    needs: [
      {
        name: 'Node.js',
        isHere: false,
        remedy: 'Install Node.js, or make sure that it is in the PATH of your login shell.',
      },
    ],
    isRemote: true,
  });
});

test('hidden characters and letters that look like others are visible in names and texts', () => {
  const entry = entryOf({ title: 'Fr\u0435e\u202e', description: 'a\u200bb' });
  const { title, description } = serverRow({ place: 'p', entry }, facts);
  assert.deepEqual([title, description], ['Fr\\u{435}e\\u{202e}', 'a\\u{200b}b']);
});

test('the packages and remotes are listed with their types, and one that cannot be installed has a reason', () => {
  const sha = 'a'.repeat(64);
  const server = {
    packages: [
      npm,
      { ...npm, registryType: 'cargo' },
      { registryType: 'mcpb', identifier: 'https://a.example/a.mcpb', fileSha256: sha, transport: { type: 'stdio' } },
      { ...npm, transport: { type: 'streamable-http', url: 'http://localhost:80' } },
    ],
    remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }],
  };
  const { options, suggested } = serverOffer({ place: 'p', entry: entryOf(server) }, facts);
  assert.deepEqual(
    options.map(({ id, type, problem }) => [id, type, problem !== undefined]),
    [
      ['packages/0', 'npm', false],
      ['packages/1', 'Cargo', true],
      ['packages/2', 'MCPB', false],
      ['packages/3', 'npm', true],
      ['remotes/0', 'Remote (HTTP)', false],
    ],
  );
  assert.equal(suggested, 'remotes/0', 'Node.js is missing');
});

test('a package whose server listens at a URL shows its command, which a shell does not interpret, and the URL', () => {
  const server = {
    packages: [
      {
        ...npm,
        transport: { type: 'streamable-http', url: 'http://127.0.0.1:{port}/mcp' },
        packageArguments: [
          { type: 'named', name: '--port', value: '8080', valueHint: 'port' },
          { type: 'positional', value: "$(touch x);`y`'" },
          { type: 'positional', valueHint: 'folder', isRequired: true },
        ],
        environmentVariables: [{ name: 'KEY', isRequired: true, isSecret: true }],
      },
      { ...npm, transport: { type: 'stdio' } },
    ],
  };
  const [listening, local] = serverOffer({ place: 'p', entry: entryOf(server) }, facts).options;
  assert.match(listening?.problem ?? '', /listens at a URL/);
  assert.deepEqual(listening?.steps, [
    { title: 'Command', lines: [`npx -y a@1.0.0 --port 8080 '$(touch x);\`y\`'\\''' '<value>'`] },
    { title: 'Environment variables', lines: ['KEY=<value>'] },
    { title: 'URL', lines: ['http://127.0.0.1:8080/mcp'] },
  ]);
  assert.equal(local?.steps, undefined);
});

test('only web addresses become links', () => {
  const server = { repository: { url: 'javascript:alert(1)' }, websiteUrl: 'https://a.example/' };
  const { links } = serverOffer({ place: 'p', entry: entryOf(server) }, facts);
  assert.deepEqual(links, [{ label: 'Website', href: 'https://a.example/' }]);
});

test('an age is given in its largest unit', () => {
  const day = 24 * 3_600_000;
  assert.deepEqual([-1, 3 * 60_000, 5 * 3_600_000, 3 * day, 100 * day, 800 * day].map(ageText), [
    '1 minute',
    '3 minutes',
    '5 hours',
    '3 days',
    '3 months',
    '2 years',
  ]);
});

test('a source says how old its list is, and what to do about a failure', () => {
  const common = { place: 'https://a.example', name: 'a', isUpdating: false };
  const text = (state: Partial<Parameters<typeof sourceLine>[0]>) =>
    sourceLine({ ...common, size: 2, ageMs: 5 * 3_600_000, ...state });
  assert.equal(text({}).text, '2 servers, list read 5 hours ago');
  assert.equal(text({ ageMs: 0 }).text, '2 servers, list read just now');
  assert.equal(text({ isUpdating: true, size: 1 }).text, '1 server, updating…');
  assert.equal(text({ size: 0, ageMs: undefined }).text, '');
  const failed = new HostError('registry-failed', '', { data: { problem: 'sign-in', place: 'a', status: 401 } });
  assert.deepEqual(text({ error: failed }).problem, {
    text:
      'The registry a requires a sign-in (HTTP status 401). The page shows the list that was read last. ' +
      'Add a header with a valid token to this registry in the settings.',
    action: 'openSettings',
    label: 'Open Settings',
  });
  assert.equal(text({ error: new UserError('A value is missing: x.') }).problem?.label, 'Enter Value…');
});

test('[RG4] a package with a tag, a range or no version cannot be installed, and the reason names it', () => {
  const oci = { registryType: 'oci', transport: { type: 'stdio' } };
  const moving: [object, RegExp][] = [
    [{ ...npm, version: 'latest' }, /"latest" is not exact/],
    [{ ...npm, identifier: 'a@next' }, /"next" is not exact/],
    [{ ...npm, identifier: '@a/b@1', version: '1.0.0' }, /"1" is not exact/],
    [{ ...npm, version: '1.2' }, /"1.2" is not exact/],
    [{ ...npm, version: undefined }, /names no version/],
    [{ ...npm, registryType: 'pypi', version: 'main' }, /"main" is not exact/],
    [{ ...npm, registryType: 'nuget', version: '1' }, /"1" is not exact/],
    [{ ...oci, identifier: 'ghcr.io/a/b' }, /names no version/],
    [{ ...oci, identifier: 'ghcr.io/a/b:latest', version: '1.0.0' }, /"latest" is not exact/],
    [{ ...oci, identifier: 'localhost:5000/a/b', version: 'edge' }, /"edge" is not exact/],
    [{ registry_type: 'npm', identifier: 'a', version: 'beta' }, /"beta" is not exact/],
  ];
  for (const [item, reason] of moving) {
    const [option] = serverOffer({ place: 'p', entry: entryOf({ packages: [item] }) }, facts).options;
    assert.match(option?.problem ?? '', reason, JSON.stringify(item));
  }
  const exact = [
    npm,
    { ...npm, version: 'v1.0.0-rc.1+x' },
    { ...npm, identifier: '@a/b@1.0.0', version: 'latest' },
    { ...npm, registryType: 'pypi', version: '2.0' },
    { ...npm, registryType: 'nuget', version: '0.4.0-beta' },
    { ...oci, identifier: 'ghcr.io/a/b:v1.2' },
    { ...oci, identifier: 'ghcr.io/a/b:main-0a1b2c3' },
    { ...oci, identifier: `a/b@sha256:${'0'.repeat(64)}` },
  ];
  for (const item of exact) {
    const [option] = serverOffer({ place: 'p', entry: entryOf({ packages: [item] }) }, facts).options;
    assert.equal(option?.problem, undefined, JSON.stringify(item));
  }
});
