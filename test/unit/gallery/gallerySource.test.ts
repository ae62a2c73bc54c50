import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import type { GallerySourceOptions } from '../../../src/core/gallery/gallerySource.js';
import { GallerySource } from '../../../src/core/gallery/gallerySource.js';
import { GalleryStore } from '../../../src/core/gallery/galleryStore.js';
import { sourceLine } from '../../../src/core/present/gallery/sourceLines.js';
import { ManualClock } from '../../support/manualClock.js';
import type { ListedServer, Misbehaviour } from '../../support/registryServer.js';
import { listed, startRegistry } from '../../support/registryServer.js';

const day = 24 * 3_600_000;
const three = () => [listed('com.a/files'), listed('com.b/mail'), listed('com.c/maps')];

async function folderFor(context: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'deck gallery '));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function registryFor(context: TestContext, entries: ListedServer[]) {
  const registry = await startRegistry(entries);
  context.after(() => registry[Symbol.asyncDispose]());
  return registry;
}

const names = async (source: GallerySource, query = '') => (await source.search(query)).map(({ name }) => name);
const sourceOf = (place: string, folder: string, options: Partial<GallerySourceOptions> = {}) =>
  new GallerySource({ place, store: new GalleryStore(folder), ...options });

test('[RG2] a source reads nothing from the network before it is asked, then all pages of the latest versions', async (context) => {
  const registry = await registryFor(context, three());
  const source = sourceOf(registry.url, await folderFor(context));
  await source.open();
  assert.deepEqual([source.size, source.ageMs, registry.requests], [0, undefined, []]);
  await source.update();
  assert.deepEqual(await names(source), ['com.a/files', 'com.b/mail', 'com.c/maps']);
  assert.deepEqual(registry.requests, [
    '/v0.1/servers?limit=100&version=latest',
    '/v0.1/servers?limit=100&version=latest&cursor=2',
  ]);
});

test('a list is stored on disk, can be used without the registry, and has an age', async (context) => {
  const folder = await folderFor(context);
  const registry = await registryFor(context, [
    listed('com.a/files', { title: 'Fïles\n\tand more' }, { status: 'deprecated', statusMessage: 'Use com.b/files' }),
    listed('__proto__/constructor'),
  ]);
  let now = Date.UTC(2026, 0, 1);
  const today = () => now;
  await sourceOf(registry.url, folder, { today }).update();
  await registry[Symbol.asyncDispose]();
  now += 3 * day;
  const source = sourceOf(registry.url, folder, { today });
  await source.open();
  assert.equal(source.ageMs, 3 * day);
  assert.deepEqual(source.find('com.a/files'), {
    name: 'com.a/files',
    version: '1.0.0',
    title: 'Fïles\n\tand more',
    description: 'About com.a/files',
    status: 'deprecated',
    statusMessage: 'Use com.b/files',
    updatedAt: '2026-01-01T00:00:00.000Z',
    isLatest: true,
    json: JSON.stringify(registry.entries[0]?.server),
  });
  assert.equal(source.find('__proto__/constructor')?.version, '1.0.0');
  await assert.rejects(source.update(), { code: 'connection-refused' });
  assert.deepEqual([source.size, source.ageMs], [2, 3 * day]);
});

test('an update requests what changed; deleted servers vanish, and old versions change nothing', async (context) => {
  const registry = await registryFor(context, three());
  const source = sourceOf(registry.url, await folderFor(context));
  await source.update();
  const updatedAt = '2026-02-01T00:00:00Z';
  registry.entries = [
    ...three(),
    listed('com.a/files', { version: '2.0.0' }, { updatedAt }),
    listed('com.a/files', { version: '0.9.0' }, { updatedAt, status: 'deleted', isLatest: false }),
    listed('com.b/mail', {}, { updatedAt, status: 'deleted' }),
    listed('com.d/new', {}, { updatedAt }),
  ];
  registry.requests.length = 0;
  await source.update();
  assert.deepEqual(
    (await source.search('')).map(({ name, version }) => `${name} ${version}`),
    ['com.a/files 2.0.0', 'com.c/maps 1.0.0', 'com.d/new 1.0.0'],
  );
  assert.match(registry.requests[0] ?? '', /updated_since=2025-12-31T23%3A59%3A59\.000Z/);
});

test('after a week, and if a registry rejects the time, everything is read again', async (context) => {
  const registry = await registryFor(context, three());
  let now = Date.UTC(2026, 0, 1);
  const source = sourceOf(registry.url, await folderFor(context), { today: () => now });
  await source.update();
  registry.entries = three().slice(1);
  registry.misbehave = (_request, response, url) => {
    if (!url.searchParams.has('updated_since')) return false;
    response.writeHead(400).end('{}');
    return true;
  };
  await source.update();
  assert.deepEqual(await names(source), ['com.b/mail', 'com.c/maps']);
  registry.entries = three().slice(2);
  registry.requests.length = 0;
  now += 8 * day;
  await source.update();
  assert.deepEqual([await names(source), registry.requests.length], [['com.c/maps'], 1]);
});

test('headers are sent to the registry, and v0 is used where v0.1 is missing', async (context) => {
  const registry = await registryFor(context, three());
  const seen: string[] = [];
  registry.misbehave = (request, response, url) => {
    seen.push(`${url.pathname} ${request.headers.authorization ?? ''}`);
    if (url.pathname === '/api/v0/servers') response.end(JSON.stringify({ servers: registry.entries, metadata: {} }));
    else response.writeHead(404).end();
    return true;
  };
  const source = sourceOf(`${registry.url}/api/v0.1/`, await folderFor(context), {
    headers: { authorization: 'Bearer t' },
  });
  await source.update();
  assert.deepEqual([source.size, seen], [3, ['/api/v0.1/servers Bearer t', '/api/v0/servers Bearer t']]);
});

const text =
  (status: number, body: string, headers: Record<string, string> = {}): Misbehaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
const page = (next: string, ...entries: ListedServer[]) =>
  JSON.stringify({ servers: entries, metadata: { nextCursor: next } });

const misbehaviours: [title: string, problem: string, message: RegExp, misbehave: Misbehaviour][] = [
  [
    'an error status',
    'status',
    / answered with HTTP status 500: \{\"detail\":\"broken\"\}/,
    text(500, '{"detail":"broken"}'),
  ],
  [
    'a sign-in',
    'sign-in',
    / requires a sign-in \(HTTP status 401\)\. .*Add a header with a valid token/,
    text(401, '{}', { 'www-authenticate': 'Bearer' }),
  ],
  [
    'a redirect to another host',
    'redirect',
    / redirects to http:\/\/other\.example, which MCP Deck does not follow/,
    text(302, '', { location: 'http://other.example/v0.1/servers' }),
  ],
  [
    'a redirect to another port',
    'redirect',
    / redirects to http:\/\/127\.0\.0\.1:9, which MCP Deck does not follow/,
    text(307, '', { location: 'http://127.0.0.1:9/v0.1/servers' }),
  ],
  [
    'a redirect to itself',
    'redirect-too-often',
    / redirects too many times/,
    text(302, '', { location: '/v0.1/servers' }),
  ],
  [
    'a web page',
    'not-json',
    / answered with text that is not JSON: <!doctype html>/,
    text(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  ],
  [
    'half of a document',
    'not-json',
    / answered with text that is not JSON: \{\"servers\":\[/,
    text(200, '{"servers":['),
  ],
  [
    'a wrong shape',
    'wrong-shape',
    / does not contain a list of servers/,
    text(200, '{"servers":{"0":{}},"metadata":null}'),
  ],
  ['JSON that is not an object', 'wrong-shape', / does not contain a list of servers/, text(200, '[[[]]]')],
  [
    'a page without a usable entry',
    'wrong-shape',
    / does not contain a list of servers/,
    text(200, `{"servers":[${'['.repeat(1e5)}${']'.repeat(1e5)}]}`),
  ],
  ['no API', 'no-api', / is not a registry: it has neither \/v0\.1\/servers nor \/v0\/servers/, text(404, '')],
  [
    'a huge answer',
    'too-large',
    / is larger than 1 MB/,
    text(200, page('', listed('com.a/huge', { description: 'x'.repeat(2_000_000) }))),
  ],
  [
    'the same cursor for ever',
    'endless',
    / does not end: its pages repeat/,
    text(200, page('#', listed('com.a/files'))),
  ],
  [
    'new cursors with the same entries',
    'endless',
    / does not end: its pages repeat/,
    (_request, response) => {
      response.end(page(String(Math.random()), listed('com.a/files')));
      return true;
    },
  ],
  [
    'an end within the body',
    'cut',
    / closed the connection before its answer was complete/,
    (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"servers":', () => response.destroy());
      return true;
    },
  ],
];

for (const [title, problem, message, misbehave] of misbehaviours)
  test(`[RG2] ${title}: the update fails with its own problem, and the list stays usable`, async (context) => {
    const registry = await registryFor(context, three());
    const source = sourceOf(registry.url, await folderFor(context), { maxBytes: 1_000_000 });
    await source.update();
    registry.misbehave = misbehave;
    await assert.rejects(source.update(), (error: unknown) => {
      assert.ok(error instanceof HostError && error.code === 'registry-failed');
      assert.equal(error.data.problem, problem);
      const { size } = source;
      const line = sourceLine({ place: registry.url, name: 'a', size, ageMs: 0, isUpdating: false, error });
      assert.match(line.problem?.text ?? '', message);
      assert.match(line.problem?.text ?? '', /The page shows the list that was read last\./);
      return true;
    });
    assert.deepEqual(await names(source), ['com.a/files', 'com.b/mail', 'com.c/maps']);
    assert.ok(registry.requests.length < 20, `${registry.requests.length} requests`);
  });

test('[RG2] an answer that does not end within the limit fails, whether the registry is silent or slow', async (context) => {
  for (const first of ['', '{"servers":[']) {
    const registry = await registryFor(context, []);
    const clock = new ManualClock();
    const asked = new Promise<void>((resolve) => {
      registry.misbehave = (_request, response) => {
        if (first !== '') response.write(first);
        resolve();
        return true;
      };
    });
    const source = sourceOf(registry.url, await folderFor(context), { clock, timeoutMs: 20_000 });
    const update = assert.rejects(source.update(), (error: HostError) => {
      assert.deepEqual(error.data, { problem: 'timeout', limit: 20_000, place: `${registry.url}/` });
      return true;
    });
    await asked;
    await clock.advance(20_000);
    await update;
  }
});

test('a busy registry is asked again after the time that it states, and a canceled update ends', async (context) => {
  const registry = await registryFor(context, three());
  const clock = new ManualClock();
  let asked = () => {};
  const answers = [503, 429];
  registry.misbehave = (_request, response) => {
    const status = answers.shift();
    if (status !== undefined) response.writeHead(status, { 'retry-after': '2' }).end(asked);
    return status !== undefined;
  };
  const source = sourceOf(registry.url, await folderFor(context), { clock });
  const update = source.update();
  while (registry.requests.length < 4) await clock.advance(1_000);
  await update;
  assert.equal(source.size, 3);

  const controller = new AbortController();
  const waiting = new Promise<void>((resolve) => (asked = resolve));
  registry.misbehave = () => {
    asked();
    return true;
  };
  const canceled = assert.rejects(source.update(controller.signal), { message: 'stop' });
  await waiting;
  controller.abort(new Error('stop'));
  await canceled;
  await assert.rejects(source.update(AbortSignal.abort(new Error('late'))), { message: 'late' });
});

test('[RG2] entries that cannot be used are skipped, and hostile names stay text', async (context) => {
  const hostile = [
    '../../etc/passwd',
    '__proto__/x',
    'com.a/\u202Egpj.exe',
    'com.a/line\nbreak',
    'com.a/nul\0',
    '<b>x</b>',
  ];
  const deep = `{"server":{"name":"com.a/deep","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  const others = [...hostile.map((name) => listed(name)), { server: { name: 7 } }, { server: {} }];
  const registry = await registryFor(context, []);
  registry.misbehave = text(
    200,
    `{"servers":[null,"x",[],${deep},${others.map((one) => JSON.stringify(one)).join()}]}`,
  );
  const folder = await folderFor(context);
  await sourceOf(registry.url, folder).update();
  const source = sourceOf(registry.url, folder);
  await source.open();
  assert.deepEqual([...(await names(source))].sort(), [...hostile].sort());
  assert.deepEqual(
    (await readdir(folder)).map((file) => /^[0-9a-f]{32}\.json\.gz$/.test(file)),
    [true],
  );
});

test('a folder, a file and a JSON document at a URL are sources too', async (context) => {
  const folder = await folderFor(context);
  const lists = path.join(folder, 'lists', 'inner');
  await mkdir(lists, { recursive: true });
  await writeFile(path.join(lists, 'one.json'), JSON.stringify({ name: 'com.a/one', version: '1.0.0' }));
  await writeFile(path.join(lists, 'two.json'), JSON.stringify([listed('com.a/two'), listed('com.a/three')]));
  await writeFile(path.join(lists, 'broken.json'), '{');
  await writeFile(path.join(folder, 'outside.json'), JSON.stringify(listed('com.a/outside')));
  await symlink(path.join(folder, 'outside.json'), path.join(lists, 'link.json')).catch(() => undefined);
  const stored = path.join(folder, 'stored');
  const registry = await registryFor(context, []);
  registry.misbehave = text(200, JSON.stringify({ servers: three() }));
  const sizes = [];
  for (const place of [
    path.join(folder, 'lists'),
    path.join(lists, 'two.json'),
    `${registry.url}/company/servers.json`,
  ]) {
    const source = sourceOf(place, stored);
    await source.update();
    sizes.push(source.size);
  }
  assert.deepEqual([sizes, registry.requests], [[3, 2, 3], ['/company/servers.json']]);
  await assert.rejects(sourceOf(path.join(lists, 'broken.json'), stored).update(), { code: 'registry-failed' });
  await assert.rejects(sourceOf(path.join(lists, 'none'), stored).update(), { code: 'storage-failed' });
});

test('[RG2] a registry that dates a change into the future hides no later change', async (context) => {
  const registry = await registryFor(context, [listed('com.a/files', {}, { updatedAt: '2999-01-01T00:00:00Z' })]);
  const now = Date.UTC(2026, 0, 1);
  const source = sourceOf(registry.url, await folderFor(context), { today: () => now });
  await source.update();
  await source.update();
  assert.match(registry.requests.at(-1) ?? '', /updated_since=2025-12-31T23%3A59%3A59\.000Z/);
});

test('a damaged file of a list counts as no list', async (context) => {
  const folder = await folderFor(context);
  const registry = await registryFor(context, three());
  await sourceOf(registry.url, folder).update();
  await truncate(new GalleryStore(folder).fileOf(registry.url), 60);
  const source = sourceOf(registry.url, folder);
  await source.open();
  assert.deepEqual([source.size, source.ageMs], [0, undefined]);
});
