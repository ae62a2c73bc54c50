import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import { Gallery } from '../../../src/core/gallery/gallery.js';
import { galleryFields, installedFrom } from '../../../src/core/gallery/installedFrom.js';
import { GalleryStore } from '../../../src/core/gallery/galleryStore.js';
import { ProgramSearch } from '../../../src/core/gallery/neededProgram.js';
import { serverVersions } from '../../../src/core/gallery/serverVersions.js';
import { listed, startRegistry } from '../../support/registryServer.js';

async function inFolder(work: (store: GalleryStore) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-deck-gallery-'));
  try {
    await work(new GalleryStore(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const namesIn = async (gallery: Gallery, query = '') =>
  (await gallery.search(query)).map(({ place, entry }) => [place, entry.name]);

test('the servers of all sources are found, and of the same name only that of the first source', () =>
  inFolder(async (store) => {
    await using first = await startRegistry([listed('a/files'), listed('a/mail')]);
    await using second = await startRegistry([listed('a/files'), listed('b/mail')]);
    const gallery = new Gallery([
      { place: first.url, name: 'first', store },
      { place: second.url, name: 'second', store },
    ]);
    await gallery.update();
    assert.deepEqual(await namesIn(gallery, 'mail'), [
      [first.url, 'a/mail'],
      [second.url, 'b/mail'],
    ]);
    assert.deepEqual(await namesIn(gallery, 'files'), [[first.url, 'a/files']]);
    assert.deepEqual(
      gallery.states.map(({ name, size, isUpdating, error }) => ({ name, size, isUpdating, error })),
      [
        { name: 'first', size: 2, isUpdating: false, error: undefined },
        { name: 'second', size: 2, isUpdating: false, error: undefined },
      ],
    );
    gallery.dispose();
  }));

test('nothing is requested before the update, and the stored list works when the registry is gone', () =>
  inFolder(async (store) => {
    const registry = await startRegistry([listed('a/files')]);
    const { url } = registry;
    const sources = [{ place: url, name: 'one', store }];
    const before = new Gallery(sources);
    await before.open();
    assert.deepEqual([await namesIn(before), registry.requests], [[], []]);
    await before.update();
    before.dispose();
    await registry[Symbol.asyncDispose]();
    const offline = new Gallery(sources);
    await offline.update();
    const [state] = offline.states;
    assert.ok(state?.error instanceof HostError);
    assert.deepEqual([await namesIn(offline), state.size, state.ageMs === undefined], [[[url, 'a/files']], 1, false]);
    offline.dispose();
  }));

test('a source with a problem is not contacted, and the others are', () =>
  inFolder(async (store) => {
    await using registry = await startRegistry([listed('a/files')]);
    await using other = await startRegistry([listed('b/files')]);
    const problem = new Error('A value is missing.');
    const gallery = new Gallery([
      { place: registry.url, name: 'one', store, problem },
      { place: other.url, name: 'two', store },
    ]);
    await gallery.update();
    assert.deepEqual([registry.requests, await namesIn(gallery)], [[], [[other.url, 'b/files']]]);
    assert.equal(gallery.states[0]?.error, problem);
    gallery.dispose();
  }));

test('a first list can be searched while it arrives, and an update reports its progress', () =>
  inFolder(async (store) => {
    await using registry = await startRegistry(['a', 'b', 'c', 'd', 'e'].map((name) => listed(`${name}/files`)));
    const gallery = new Gallery([{ place: registry.url, name: 'one', store }]);
    const sizes = new Set<number>();
    gallery.onDidChange(() => sizes.add(gallery.states[0]?.size ?? 0));
    await gallery.update();
    assert.deepEqual([...sizes], [0, 2, 4, 5]);
    gallery.dispose();
  }));

test('an update ends when the gallery is disposed', () =>
  inFolder(async (store) => {
    await using registry = await startRegistry([listed('a/files')]);
    const gallery = new Gallery([{ place: registry.url, name: 'one', store }]);
    const isAsked = new Promise<void>((resolve) => {
      registry.misbehave = () => {
        resolve();
        return true;
      };
    });
    const update = gallery.update();
    await isAsked;
    gallery.dispose();
    await update;
    assert.equal(gallery.states[0]?.size, 0);
  }));

test('the versions of a server are listed, newest first, and only those of this server', async () => {
  await using registry = await startRegistry([]);
  const version = (name: string, number: string, publishedAt: string) =>
    listed(name, { version: number }, { publishedAt });
  registry.misbehave = (_request, response, url) => {
    if (url.pathname !== '/v0.1/servers/a%2Ffiles/versions') return false;
    const servers = [
      version('a/files', '1.0.0', '2026-01-01'),
      version('a/files', '2.0.0', '2026-02-01'),
      version('b/other', '3.0.0', '2026-03-01'),
    ];
    response.end(JSON.stringify({ servers }));
    return true;
  };
  const found = await serverVersions(registry.url, 'a/files', {});
  assert.deepEqual(
    found.map(({ version: number }) => number),
    ['2.0.0', '1.0.0'],
  );
  assert.deepEqual(await serverVersions('/srv/servers', 'a/files', {}), []);
});

test('a definition names the entry that it was installed from, without secrets and paths of this machine', () => {
  const from = { name: 'io.example/a b', version: '1.0.0' };
  const fields = galleryFields('https://user:pass@a.example/v0.1/?token=x', from);
  assert.deepEqual(fields, { gallery: 'https://a.example/v0.1/servers/io.example%2Fa%20b', version: '1.0.0' });
  assert.deepEqual(installedFrom(fields), from);
  const local = galleryFields('/home/me/servers', from);
  assert.equal(local['gallery'], 'io.example%2Fa%20b');
  assert.deepEqual(installedFrom(local), from);
  for (const other of [{}, { gallery: true }, { gallery: '%' }, { gallery: 'https://a.example/' }, 7])
    assert.equal(installedFrom(other), undefined);
});

test('a program is available if it is on PATH, and is not run to find out', () => {
  const programs = new ProgramSearch({ PATH: path.dirname(process.execPath), PATHEXT: '.EXE' }, os.homedir());
  assert.deepEqual(programs.need('uvx-of-no-machine'), {
    name: 'uvx-of-no-machine',
    isHere: false,
    remedy: 'Check the spelling of the command, install the program, or enter its full path.',
  });
  assert.equal(programs.need(path.basename(process.execPath).replace(/\.exe$/i, '')).isHere, true);
  assert.equal(programs.need('npx').name, 'Node.js');
});
