import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesAt, filePath, kindAt } from '../../../src/core/resources/resourceFolders.js';
import { resourceAt } from '../../../src/core/resources/resourcePath.js';
import { FakeHost } from '../../support/fakeHost.js';

function library(...resources: [uri: string, mimeType?: string][]): FakeHost {
  const host = new FakeHost();
  host.add(
    'lib',
    resources.map(([uri, mimeType]) => ({ uri, name: uri, ...(mimeType === undefined ? {} : { mimeType }) })),
  );
  return host;
}
const listed = (host: FakeHost, path: string) =>
  [...(entriesAt(host.servers, path) ?? [])].map(([name, kind]) => (kind === 'folder' ? `${name}/` : name));

test('the root contains the servers, and a server contains its addresses', () => {
  const host = library(['demo://a/x.md'], ['demo://a/b/y', 'application/json'], ['file:///z.txt']);
  host.add('stopped');
  assert.deepEqual(
    [
      listed(host, '/'),
      listed(host, '/lib'),
      listed(host, '/lib/demo/a'),
      listed(host, '/lib/demo/a/b'),
      listed(host, '/stopped'),
    ],
    [['lib/', 'stopped/'], ['demo/', 'file/'], ['b/', 'x.md'], ['y~.json'], []],
  );
});

test('a resource with others below it is a file and a folder', () => {
  const host = library(['demo://a/b.git'], ['demo://a/b.git/c.md']);
  assert.deepEqual(listed(host, '/lib/demo/a'), ['b.git/', 'b.git~.']);
  const path = filePath(host.servers, { server: 'lib', uri: 'demo://a/b.git' });
  assert.deepEqual([path, resourceAt(path)?.uri], ['/lib/demo/a/b.git~.', 'demo://a/b.git']);
});

test('every listed path is a file with its resource', () => {
  const uris = ['demo://a', 'demo://a/', 'demo://a//b', 'demo://A', 'x', '', 'demo://../..'];
  const host = library(...uris.map((uri): [string] => [uri]));
  const found: (string | undefined)[] = [];
  const walk = (path: string) => {
    for (const [name, kind] of entriesAt(host.servers, path) ?? []) {
      if (kind === 'folder') walk(`${path}/${name}`);
      else
        found.push(kindAt(host.servers, `${path}/${name}`) === 'file' ? resourceAt(`${path}/${name}`)?.uri : undefined);
    }
  };
  walk('/lib');
  assert.deepEqual(found.sort(), uris.sort());
});

test('an unlisted address is a file too, and an invalid one is not found', () => {
  const host = library(['demo://a/b']);
  assert.deepEqual(
    ['/lib/demo/other', '/lib/demo', '/lib', '/nobody', '/nobody/a/b', '/lib/..'].map((path) =>
      kindAt(host.servers, path),
    ),
    ['file', 'folder', 'folder', undefined, undefined, undefined],
  );
  assert.equal(entriesAt(host.servers, '/lib/nothing'), undefined);
});

test('the file of a URI with many slashes is not listed, but it is a file', () => {
  const deep = [20, 100, 50_000].map((count) => `demo:${'/x'.repeat(count)}`);
  const host = library(['demo://a/b'], ...deep.map((uri): [string] => [uri]));
  assert.deepEqual([listed(host, '/lib'), listed(host, '/lib/demo')], [['demo/'], ['a/']]);
  assert.equal(kindAt(host.servers, filePath(host.servers, { server: 'lib', uri: deep[1] ?? '' })), 'file');
});

test('the number of folders is limited, and the files of other folders can be opened', () => {
  const uris = Array.from({ length: 12_000 }, (_, at) => `demo://${at}/x`);
  const host = library(...uris.map((uri): [string] => [uri]));
  const folders = listed(host, '/lib/demo');
  assert.ok(folders.length > 9_000 && folders.length <= 10_000, `${folders.length} folders`);
  assert.equal(kindAt(host.servers, filePath(host.servers, { server: 'lib', uri: 'demo://11999/x' })), 'file');
});
