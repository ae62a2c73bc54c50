import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { BundleUser } from '../../../../src/core/gallery/bundles/bundleStore.js';
import { BundleStore } from '../../../../src/core/gallery/bundles/bundleStore.js';
import { onlyPosix } from '../../../support/platform.js';
import { bundleFiles, zipBytes } from '../../../support/zipBytes.js';

const base = mkdtempSync(path.join(tmpdir(), 'bundle-store-'));
after(() => rmSync(base, { recursive: true, force: true }));
let count = 0;

async function installed(
  version = '1.0.0',
): Promise<{ store: BundleStore; root: string; file: string; folder: string }> {
  const root = path.join(base, `store-${++count}`);
  const file = path.join(base, `${count}.mcpb`);
  writeFileSync(file, zipBytes(bundleFiles({ version })));
  const store = new BundleStore(root, 'linux');
  return { store, root, file, folder: await put(store, file) };
}

async function put(store: BundleStore, file: string): Promise<string> {
  const staged = await store.openFile(file);
  await staged.unpack();
  await staged.dispose();
  return staged.folder;
}

test('[BN5] a bundle with the files that were unpacked is unchanged', async () => {
  const { store, folder } = await installed();
  assert.deepEqual(await store.changed([folder]), []);
});

test('[BN5] changed, missing and added files are found, and different changes have different digests', async () => {
  const { store, folder } = await installed();
  appendFileSync(path.join(folder, 'server', 'index.js'), '// more');
  const [first] = await store.changed([folder]);
  assert.deepEqual([first?.changed, first?.missing, first?.added], [['server/index.js'], [], []]);
  appendFileSync(path.join(folder, 'server', 'index.js'), '// even more');
  const [second] = await store.changed([folder]);
  assert.notEqual(second?.digest, first?.digest);
  mkdirSync(path.join(folder, 'node_modules', 'x'), { recursive: true });
  writeFileSync(path.join(folder, 'node_modules', 'x', 'index.js'), '');
  rmSync(path.join(folder, 'manifest.json'));
  const [third] = await store.changed([folder]);
  assert.deepEqual([third?.missing, third?.added], [['manifest.json'], ['node_modules/x/index.js']]);
});

test('[BN5] a change is found behind any number of added files, and an approval does not cover it', async () => {
  const { store, folder } = await installed();
  mkdirSync(path.join(folder, 'cache'));
  for (let index = 0; index < 150; index++) writeFileSync(path.join(folder, 'cache', String(index)), '');
  const [first] = await store.changed([folder]);
  assert.deepEqual([first?.changed, first?.missing, first?.added.length], [[], [], 150]);
  appendFileSync(path.join(folder, 'server', 'index.js'), '// more');
  const [second] = await store.changed([folder]);
  assert.deepEqual(second?.changed, ['server/index.js']);
  assert.notEqual(second?.digest, first?.digest);
});

test('[BN5] a file of the same size and time with other content is found', async () => {
  const { store, folder } = await installed();
  const file = path.join(folder, 'server', 'index.js');
  const times = new Date(1_000_000_000_000);
  writeFileSync(file, 'process.stdin.resumE();\n');
  utimesSync(file, times, times);
  assert.deepEqual((await store.changed([folder]))[0]?.changed, ['server/index.js']);
});

test('[BN5] a file that was replaced by a link is found', onlyPosix('symbolic links'), async () => {
  const { store, folder } = await installed();
  const file = path.join(folder, 'server', 'index.js');
  writeFileSync(path.join(base, 'same.js'), 'process.stdin.resume();\n');
  rmSync(file);
  symlinkSync(path.join(base, 'same.js'), file);
  assert.deepEqual((await store.changed([folder]))[0]?.changed, ['server/index.js']);
});

test('[BN5] a bundle without its record or its folder counts as changed', async () => {
  const { store, folder } = await installed();
  rmSync(`${folder}.json`);
  assert.deepEqual((await store.changed([folder]))[0]?.added, ['manifest.json', 'server/index.js']);
  const other = await installed();
  rmSync(other.folder, { recursive: true });
  assert.equal((await other.store.changed([other.folder]))[0]?.missing.length, 2);
});

test('a second installation uses the unpacked files, and repairs changed ones', async () => {
  const { store, file, folder, root } = await installed();
  assert.equal(await put(store, file), folder);
  writeFileSync(path.join(folder, 'server', 'index.js'), 'changed');
  writeFileSync(path.join(folder, 'more.js'), 'added');
  assert.equal(await put(store, file), folder);
  assert.deepEqual(await store.changed([folder]), []);
  assert.equal(readdirSync(root).length, 2);
});

test('another version has another folder, and a removal deletes one of them with its record', async () => {
  const { store, root, folder } = await installed('1.0.0');
  const file = path.join(base, 'second.mcpb');
  writeFileSync(file, zipBytes(bundleFiles({ version: '2.0.0' })));
  const second = await put(store, file);
  assert.notEqual(second, folder);
  mkdirSync(`${folder}.venv`);
  const remove = () => store.release([folder], { source: 'user', name: 'x' }, () => undefined, [second]);
  await remove();
  assert.deepEqual(readdirSync(root).sort(), [path.basename(second), `${path.basename(second)}.json`]);
  await remove();
  assert.deepEqual(await store.changed([second]), []);
});

test('a bundle that is repaired keeps its users', async () => {
  const { store, file, folder } = await installed();
  await store.use(folder, { source: 'closed', name: 'x' });
  writeFileSync(path.join(folder, 'more.js'), 'added');
  await put(store, file);
  await store.release([folder], { source: 'user', name: 'y' }, () => undefined, []);
  assert.deepEqual(await store.changed([folder]), []);
});

test('the bundles of a definition are the folders below the store that its texts name', async () => {
  const { store, root, folder } = await installed();
  const other = `${root}${path.sep}other-0123456789abcdef`;
  assert.deepEqual(
    store.foldersIn(['node', `${folder}${path.sep}server${path.sep}index.js`, `--a=${other}/x:${folder}`, root]),
    [folder, other],
  );
  assert.deepEqual(store.foldersIn([`${root}${path.sep}..${path.sep}x`, `${root}-0123456789abcdef/x`]), []);
});

test('a canceled copy leaves nothing behind, and old temporary folders are deleted with the next bundle', async () => {
  const { store, root, file } = await installed();
  await assert.rejects(store.openFile(file, AbortSignal.abort(new Error('stop'))), /stop/);
  const old = path.join(root, '.new-0123');
  mkdirSync(old);
  utimesSync(old, 1, 1);
  mkdirSync(path.join(root, '.new-4567'));
  await put(store, file);
  assert.deepEqual([existsSync(old), existsSync(path.join(root, '.new-4567'))], [false, true]);
});

test('a file that cannot be read is a failure of storage that names it', async () => {
  const { store, root } = await installed();
  await assert.rejects(store.openFile(path.join(base, 'missing.mcpb')), { code: 'storage-failed' });
  assert.equal(readdirSync(root).length, 2);
});

test('[BN7] a bundle is deleted with the last server that uses it', async () => {
  const { store, folder } = await installed();
  const texts = ['node', path.join(folder, 'server', 'index.js')];
  const [one, two, three] = ['one', 'two', 'three'].map((name) => ({ source: 'user', name })) as [
    BundleUser,
    BundleUser,
    BundleUser,
  ];
  for (const user of [one, one, two, three]) await store.use(folder, user);
  await store.release(texts, one, () => true, []);
  assert.ok(existsSync(folder), 'two others use it');
  // "three" was removed from its file by hand.
  await store.release(texts, two, ({ name }) => name !== 'three', texts);
  assert.ok(existsSync(folder), 'a definition of the window names it');
  await store.use(folder, { source: 'closed', name: 'x' });
  await store.release(texts, two, () => undefined, []);
  assert.ok(existsSync(folder), 'a server of a closed workspace uses it');
  await store.release(texts, { source: 'closed', name: 'x' }, () => true, []);
  assert.deepEqual(readdirSync(path.dirname(folder)), []);
});
