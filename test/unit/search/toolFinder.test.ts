import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIndex } from '../../../src/core/search/createIndex.js';
import type { SearchableTool } from '../../../src/core/search/toolFields.js';
import { ToolFinder } from '../../../src/core/search/toolFinder.js';

const listOf = (server: string): SearchableTool[] => [
  { server, name: 'read_file', description: 'Reads a file.', inputSchema: {} },
  { server, name: 'send_mail', description: 'Sends a mail.', inputSchema: {} },
];

/** A finder that counts the indexes it builds. */
function counting() {
  const built: string[] = [];
  const finder = new ToolFinder((tools) => {
    built.push(tools[0]?.server ?? '');
    return Promise.resolve(createIndex(tools));
  });
  return { finder, built };
}

test('callers with different lists do not rebuild the index of each other', async () => {
  const { finder, built } = counting();
  const [one, other] = [listOf('one'), listOf('other')];
  for (let round = 0; round < 3; round++)
    for (const list of [one, other])
      // Each request of a client makes a new array of new objects.
      assert.equal(
        (
          await finder.find(
            list.map((tool) => ({ ...tool })),
            'email',
          )
        )[0]?.name,
        'send_mail',
      );
  assert.deepEqual(built, ['one', 'other']);
});

test('a change of any searched text builds a new index', async () => {
  const { finder, built } = counting();
  const [first, ...others] = listOf('one');
  assert.ok(first);
  for (const changed of [
    first,
    { ...first, description: 'Loads a document.' },
    { ...first, title: 'Open' },
    { ...first, inputSchema: { properties: { path: {} } } },
    { ...first, annotations: { title: 'Open' } },
  ])
    await finder.find([changed, ...others], 'read');
  assert.equal(built.length, 5);
});

test('only the indexes of the lists that were searched last are kept', async () => {
  const { finder, built } = counting();
  const lists = new Map(['a', 'b', 'c', 'd', 'e'].map((server) => [server, listOf(server)]));
  for (const server of ['a', 'b', 'c', 'a', 'd', 'e', 'a', 'b']) await finder.find(lists.get(server) ?? [], 'read');
  assert.deepEqual(built, ['a', 'b', 'c', 'd', 'e', 'b']);
});

test('an index that could not be built is built again by the next search', async () => {
  let attempts = 0;
  const finder = new ToolFinder((tools) =>
    ++attempts === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(createIndex(tools)),
  );
  const list = listOf('one');
  await assert.rejects(finder.find(list, 'read'), /broken/);
  assert.equal((await finder.find(list, 'read'))[0]?.name, 'read_file');
});
