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

test('a stat and the read after it send one request; the next read sends another', async () => {
  assert.deepEqual(await files.stat(address), { size: 3, mtime: 1_000 });
  assert.equal(await read(), 'one');
  assert.equal(await read(), 'one');
  assert.deepEqual(host.asked, [`read ${uri}`, `read ${uri}`]);
});

test('the content read for opening is the content that the editor reads', async () => {
  await files.prepare(address);
  host.contents.set(uri, text('two'));
  assert.equal(await read(), 'one');
});

test('the modification time changes only with the content', async () => {
  await read();
  now = 2_000;
  await read();
  assert.equal((await files.stat(address)).mtime, 1_000);
  host.contents.set(uri, text('two'));
  await read();
  assert.equal((await files.stat(address)).mtime, 2_000);
});

test('two contents in one millisecond have different times', async () => {
  await read();
  host.contents.set(uri, text('two'));
  await read();
  assert.equal((await files.stat(address)).mtime, 1_001);
});

test('while a file is watched an update is reported, and a stat reads again', async () => {
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

test('two watchers share one subscription', async () => {
  const [first, second] = [files.watch(address), files.watch(address)];
  first.dispose();
  await nextTurn();
  assert.ok(host.subscribers.has(uri));
  second.dispose();
  await nextTurn();
  assert.ok(!host.subscribers.has(uri));
});

test('an answer in transit during an update is discarded', async () => {
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

test('a server that returns is subscribed to again', async () => {
  files.watch(address);
  await nextTurn();
  host.remove('lib');
  host.add('lib', []);
  assert.deepEqual(host.asked.filter((line) => line.startsWith('subscribe')).length, 2);
});

test('a restart of the server invalidates all content that was read', async () => {
  await read();
  host.add('lib', []);
  assert.deepEqual(changes, [uri]);
  host.contents.set(uri, text('new'));
  await files.stat(address);
  assert.equal(host.asked.length, 2);
});

test('reading starts a stopped server without a question; a stat starts none', async () => {
  host.add('lib');
  assert.deepEqual(await files.stat(address), { size: 0, mtime: 0 });
  assert.deepEqual(host.asked, []);
  assert.equal(await read(), 'one');
  assert.deepEqual(host.asked, ['start lib', `read ${uri}`]);
});

test("the user's refresh bypasses the server's cache time, once", async () => {
  await read();
  files.refresh(address);
  assert.deepEqual(changes, [uri]);
  await read();
  await read();
  assert.deepEqual(host.asked, [`read ${uri}`, `read ${uri} fresh`, `read ${uri}`]);
});

test('a failed read is not cached', async () => {
  host.contents.set(uri, new Error('busy'));
  await assert.rejects(read(), /busy/);
  host.contents.set(uri, text('one'));
  assert.equal(await read(), 'one');
});

test('a resource with a declared size above the limit is not read, and one that exceeds the limit is refused', async () => {
  host.add('lib', [{ uri, name: 'a', size: 11 }]);
  await assert.rejects(read(), UserError);
  assert.deepEqual(host.asked, []);
  host.add('lib', [{ uri, name: 'a' }]);
  host.contents.set(uri, text('12345678901'));
  await assert.rejects(read(), /is 11 B, but at most 10 B can be opened in an editor/);
});

test('an unknown server is named', async () => {
  await assert.rejects(files.read({ server: 'gone', uri }), { code: 'unknown-server' });
});
