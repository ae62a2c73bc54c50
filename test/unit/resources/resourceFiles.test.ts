import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { UserError } from '../../../src/core/base/hostError.js';
import type { ResourceAddress } from '../../../src/core/resources/resourcePath.js';
import { ResourceFiles } from '../../../src/core/resources/resourceFiles.js';
import { FakeHost } from '../../support/fakeHost.js';

const uri = 'lib://a.md';
const address: ResourceAddress = { server: 'lib', uri };
const text = (value: string) => ({ contents: [{ uri, text: value }] });
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

let host: FakeHost;
let files: ResourceFiles;
let now = 0;
let changes: string[] = [];

beforeEach(() => {
  host = new FakeHost();
  now = 1_000;
  changes = [];
  files = new ResourceFiles(host, {
    maxBytes: () => 10,
    log: { write: () => undefined },
    now: () => now,
  });
  files.onDidChange((changed) => changes.push(changed.uri));
  host.add('lib', [{ uri, name: 'a' }]);
  host.contents.set(uri, text('one'));
});

const read = async () => Buffer.from(await files.read(address)).toString();

test('a look and the reading after it ask the server once; the next reading asks again', async () => {
  assert.deepEqual(await files.stat(address), { size: 3, mtime: 1_000 });
  assert.equal(await read(), 'one');
  assert.equal(await read(), 'one');
  assert.deepEqual(host.asked, [`read ${uri}`, `read ${uri}`]);
});

test('what was read to be opened is what the editor reads', async () => {
  await files.prepare(address);
  host.contents.set(uri, text('two'));
  assert.equal(await read(), 'one');
});

test('the time changes with the content and with nothing else', async () => {
  await read();
  now = 2_000;
  await read();
  assert.equal((await files.stat(address)).mtime, 1_000);
  host.contents.set(uri, text('two'));
  await read();
  assert.equal((await files.stat(address)).mtime, 2_000);
});

test('two contents in one millisecond have two times', async () => {
  await read();
  host.contents.set(uri, text('two'));
  await read();
  assert.equal((await files.stat(address)).mtime, 1_001);
});

test('while it is watched an update is told, and looking reads again', async () => {
  const watch = files.watch(address);
  await read();
  host.contents.set(uri, text('changed'));
  host.update(uri);
  assert.deepEqual(changes, [uri]);
  assert.equal((await files.stat(address)).size, 7);
  watch.dispose();
  await nextTurn();
  assert.deepEqual(host.asked, [`subscribe ${uri}`, `read ${uri}`, `read ${uri}`, `unsubscribe ${uri}`]);
});

test('two watchers are one subscription', async () => {
  const [first, second] = [files.watch(address), files.watch(address)];
  first.dispose();
  await nextTurn();
  assert.ok(host.subscribers.has(uri));
  second.dispose();
  await nextTurn();
  assert.ok(!host.subscribers.has(uri));
});

test('an answer that was on its way when an update came counts for nothing', async () => {
  files.watch(address);
  const early = files.stat(address);
  host.update(uri);
  host.contents.set(uri, text('changed'));
  await early;
  assert.equal((await files.stat(address)).size, 7);
});

test('watching a stopped server starts nothing and subscribes once it runs', async () => {
  host.add('lib');
  files.watch(address);
  assert.deepEqual(host.asked, []);
  host.add('lib', []);
  assert.deepEqual(host.asked, [`subscribe ${uri}`]);
});

test('a server that comes back after it was gone is asked for updates again', async () => {
  files.watch(address);
  await nextTurn();
  host.remove('lib');
  host.add('lib', []);
  assert.deepEqual(host.asked.filter((line) => line.startsWith('subscribe')).length, 2);
});

test('a restart of the server makes everything that was read old', async () => {
  await read();
  host.add('lib', []);
  assert.deepEqual(changes, [uri]);
  host.contents.set(uri, text('new'));
  await files.stat(address);
  assert.equal(host.asked.length, 2);
});

test('reading starts a stopped server and asks nobody; a look starts none', async () => {
  host.add('lib');
  assert.deepEqual(await files.stat(address), { size: 0, mtime: 0 });
  assert.deepEqual(host.asked, []);
  assert.equal(await read(), 'one');
  assert.deepEqual(host.asked, ['start lib', `read ${uri}`]);
});

test("the user's refresh goes past what the server allowed to keep, once", async () => {
  await read();
  files.refresh(address);
  assert.deepEqual(changes, [uri]);
  await read();
  await read();
  assert.deepEqual(host.asked, [`read ${uri}`, `read ${uri} fresh`, `read ${uri}`]);
});

test('a failed reading is not kept', async () => {
  host.contents.set(uri, new Error('busy'));
  await assert.rejects(read(), /busy/);
  host.contents.set(uri, text('one'));
  assert.equal(await read(), 'one');
});

test('a resource that claims too much is not read, and one that is too much is refused', async () => {
  host.add('lib', [{ uri, name: 'a', size: 11 }]);
  await assert.rejects(read(), UserError);
  assert.deepEqual(host.asked, []);
  host.add('lib', [{ uri, name: 'a' }]);
  host.contents.set(uri, text('12345678901'));
  await assert.rejects(read(), /has 11 B; at most 10 B are opened in an editor/);
});

test('a server that is not there is named', async () => {
  await assert.rejects(files.read({ server: 'gone', uri }), { code: 'unknown-server' });
});
