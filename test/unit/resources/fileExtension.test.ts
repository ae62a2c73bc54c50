import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedExtension } from '../../../src/core/resources/fileExtension.js';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

test('a name with a known extension is unchanged', () => {
  assert.deepEqual(
    ['a://notes.md', 'file:///x/Makefile.inc', 'note://todo.txt'].map((uri) =>
      addedExtension({ uri, mimeType: 'text/html', text: '# x' }),
    ),
    [undefined, undefined, undefined],
  );
});

test('a name without an extension gets the one of its MIME type', () => {
  const types = [
    'text/markdown',
    'application/json; charset=utf-8',
    'application/vnd.api+json',
    'image/svg+xml',
    'TEXT/X-PYTHON',
    'text/csv',
  ];
  assert.deepEqual(
    types.map((mimeType) => addedExtension({ uri: 'a://b/c', mimeType })),
    ['md', 'json', 'json', 'svg', 'py', 'csv'],
  );
});

test('the type of unknown text is guessed from its content', () => {
  assert.deepEqual(
    ['{"a": 1}', '# Title\n\ntext', 'plain'].map((text) => addedExtension({ uri: 'a://b', text })),
    ['json', 'md', 'txt'],
  );
});

test('[V6] the type of data is determined by its first bytes, not by the claim of the server', () => {
  assert.equal(addedExtension({ uri: 'a://b', mimeType: 'text/html', bytes: png }), 'png');
  assert.equal(
    addedExtension({ uri: 'a://b', mimeType: 'application/octet-stream', bytes: Buffer.from('??') }),
    undefined,
  );
});

test('an extension before a query is repeated at the end', () => {
  assert.equal(addedExtension({ uri: 'https://h/a.css?v=1' }), 'css');
  assert.equal(addedExtension({ uri: 'https://h/a?file=b.css', mimeType: 'text/plain' }), 'txt');
});

test('a version number and a host are not extensions', () => {
  assert.deepEqual(
    [
      addedExtension({ uri: 'a://b/v1.2', mimeType: 'text/markdown' }),
      addedExtension({ uri: 'https://example.com', mimeType: 'text/html' }),
    ],
    ['md', 'html'],
  );
});

test('[V2] a notebook is opened as the text that it is', () => {
  assert.equal(addedExtension({ uri: 'a://b/c.IPYNB', mimeType: 'application/x-ipynb+json', text: '{}' }), 'json');
});
