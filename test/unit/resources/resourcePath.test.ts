import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countHidden } from '../../../src/core/base/hostileText.js';
import { resourceAt, resourcePath, serverAt, serverPath } from '../../../src/core/resources/resourcePath.js';

const server = 'everything';
const pathOf = (uri: string, extension?: string) => resourcePath({ server, uri }, extension);

/** URIs as servers invent them: ordinary, broken, and malicious ones. */
const uris = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '/',
      '.',
      '..',
      '~',
      '~.',
      '%',
      '%2F',
      '%2f',
      '%C3%BC',
      '%FF',
      'ü',
      ' ',
      '%20',
      '?',
      '#',
      ':',
      '://',
      'a',
      'md',
      '\\',
      '\0',
      '\ud800',
      '\u202e',
      'con',
      'A',
    ),
  }),
  fc.string({ unit: fc.constantFrom('/', '.', '~', '%20', 'a') }).map((rest) => `demo://${rest}`),
);
const servers = fc.oneof(
  fc.constant(server),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('..', '.', '', 'C:', 'a/b', '~'),
);
const extensions = fc.option(fc.constantFrom('md', 'json', 'png', ''), { nil: undefined });

test('paths resemble the resource', () => {
  const cases: [string, string][] = [
    ['demo://docs/a.md', '/everything/demo/docs/a.md'],
    ['file:///etc/passwd', '/everything/file/~/etc/passwd'],
    ['demo://My%20notes/Gr%C3%BC%C3%9Fe.md', '/everything/demo/My notes/Grüße.md'],
    ['https://example.com/search?q=a/b', '/everything/https/example.com/search~3Fq=a~2Fb'],
    ['urn:isbn:3', '/everything/~/urn~3Aisbn~3A3'],
    ['', '/everything/~/~'],
    ['demo://', '/everything/demo/~'],
  ];
  assert.deepEqual(
    cases.map(([uri]) => [uri, pathOf(uri)]),
    cases,
  );
});

test('an added extension shows the type and is not part of the URI', () => {
  assert.deepEqual(
    [pathOf('demo://user/42', 'json'), pathOf('demo://list/', 'html')],
    ['/everything/demo/user/42~.json', '/everything/demo/list/~.html'],
  );
  assert.deepEqual(resourceAt('/everything/demo/user/42~.json'), { server, uri: 'demo://user/42' });
});

test('[D1] names that point upwards, are hidden or name a device stay one harmless segment', () => {
  const cases: [string, string][] = [
    ['file:///../../etc/passwd', '/everything/file/~/~2E~2E/~2E~2E/etc/passwd'],
    ['demo://a/%2e%2e/b', '/everything/demo/a/~252e~252e/b'],
    ['demo://a/..%2F..%2Fb', '/everything/demo/a/~2E.~252F..~252Fb'],
    ['demo://a\\..\\b', '/everything/demo/a~5C..~5Cb'],
    ['demo://nul\0.txt', '/everything/demo/nul~00.txt'],
    ['demo://.vscode/tasks.json', '/everything/demo/~2Evscode/tasks.json'],
    ['demo://a.txt.', '/everything/demo/a.txt~2E'],
    ['demo://a.txt::$DATA', '/everything/demo/a.txt~3A~3A$DATA'],
    ['C:\\Windows', '/everything/~/C~3A~5CWindows'],
  ];
  assert.deepEqual(
    cases.map(([uri]) => [uri, pathOf(uri)]),
    cases,
  );
});

test('names that differ in case have paths that differ in case', () => {
  assert.notEqual(pathOf('demo://README'), pathOf('demo://readme'));
});

test('every URI of every server can be restored from its path', () => {
  fc.assert(
    fc.property(servers, uris, extensions, (name, uri, extension) => {
      assert.deepEqual(resourceAt(resourcePath({ server: name, uri }, extension)), { server: name, uri });
    }),
    { numRuns: 5_000 },
  );
});

test('every path that names a resource is the path of that resource', () => {
  const paths = fc
    .array(fc.string({ unit: fc.constantFrom('~', '~2F', '~uD800', '~.', 'md', 'a', '.', 'ü', ' ', '%', 'E') }), {
      maxLength: 5,
    })
    .map((parts) => `/${parts.join('/')}`);
  fc.assert(
    fc.property(paths, extensions, (path, extension) => {
      const address = resourceAt(path);
      if (address === undefined) return;
      const added = /~\.([a-z0-9]*)$/.exec(path)?.[1];
      assert.equal(resourcePath(address, added), path);
      assert.deepEqual(resourceAt(resourcePath(address, extension)), address);
    }),
    { numRuns: 5_000 },
  );
});

test('[D1] no segment of any path has a special meaning in a file system', () => {
  fc.assert(
    fc.property(servers, uris, extensions, (name, uri, extension) => {
      const path = resourcePath({ server: name, uri }, extension);
      for (const segment of path.split('/').slice(1)) {
        assert.match(segment, /^[^.\s\\:*?"<>|%]/u);
        assert.match(segment, /[^\s]$/u);
        assert.doesNotMatch(segment, /[\\:*?"<>|%#\0]/);
        assert.equal(countHidden(segment), 0);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('folders and foreign paths are not resources', () => {
  const paths = [
    '/',
    '/everything',
    '/everything/demo',
    '',
    'everything/demo/a',
    '/everything/demo//a',
    '/everything/demo/../a',
    '/everything/demo/a%20b',
    '/everything/demo/~2f',
  ];
  assert.deepEqual(
    paths.map(resourceAt),
    paths.map(() => undefined),
  );
});

test('the server of a path is known for folders as well', () => {
  assert.deepEqual(['/', '/a~2Fb', '/a~2Fb/demo', serverPath('..')].map(serverAt), [undefined, 'a/b', 'a/b', '..']);
});
