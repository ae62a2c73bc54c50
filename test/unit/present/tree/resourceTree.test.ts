import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ResourceBranch } from '../../../../src/core/present/tree/resourceTree.js';
import { resourceTree } from '../../../../src/core/present/tree/resourceTree.js';

const resource = (uri: string) => ({ uri, name: uri });

function draw(branches: readonly ResourceBranch[], indent = ''): string[] {
  return branches.flatMap((branch) =>
    'resource' in branch
      ? [`${indent}${branch.resource.uri}`]
      : [`${indent}${branch.folder.label} ${branch.folder.count}`, ...draw(branch.folder.branches, `${indent}  `)],
  );
}

const drawn = (...uris: string[]) => draw(resourceTree(uris.map(resource)));
const below = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test('a few resources are a flat list', () => {
  assert.deepEqual(drawn('a://x/1', 'a://y/2', 'b://z/3'), ['a://x/1', 'a://y/2', 'b://z/3']);
});

test('the common prefix of all addresses is not a folder', () => {
  assert.deepEqual(drawn(...below('demo://docs/', 8)), below('demo://docs/', 8));
});

test('addresses that branch are in a folder, a chain of folders is one line, and folders precede the resources of their level', () => {
  assert.deepEqual(drawn('lib://top.md', ...below('lib://guide/part/', 4), ...below('lib://media/', 3)), [
    'guide/part 4',
    ...below('  lib://guide/part/', 4),
    'media 3',
    ...below('  lib://media/', 3),
    'lib://top.md',
  ]);
});

test('a folder of one resource is that resource', () => {
  assert.deepEqual(drawn(...below('lib://a/', 7), 'lib://b/c/d/alone'), [
    'a 7',
    ...below('  lib://a/', 7),
    'lib://b/c/d/alone',
  ]);
});

test('different schemes are different folders, and a query is part of the name', () => {
  assert.deepEqual(drawn(...below('file:///w/', 4), ...below('https://h/s?q=a/', 4), 'urn:x'), [
    'file:///w 4',
    ...below('  file:///w/', 4),
    'https://h 4',
    ...below('  https://h/s?q=a/', 4),
    'urn:x',
  ]);
});

test('every resource appears once, counts are true and no address is nested too deeply', () => {
  const uris = fc.array(
    fc.string({ unit: fc.constantFrom('/', 'a', 'b', '.', '?', '\u202e'), maxLength: 60 }).map((rest) => `x://${rest}`),
    { minLength: 8, maxLength: 60 },
  );
  const countOf = (branches: readonly ResourceBranch[]): number =>
    branches.reduce((sum, branch) => {
      if ('resource' in branch) return sum + 1;
      const count = countOf(branch.folder.branches);
      assert.equal(branch.folder.count, count);
      return sum + count;
    }, 0);
  const depthOf = (branches: readonly ResourceBranch[]): number =>
    branches.reduce(
      (depth, branch) => Math.max(depth, 'folder' in branch ? 1 + depthOf(branch.folder.branches) : 0),
      0,
    );
  fc.assert(
    fc.property(uris, (list) => {
      const tree = resourceTree(list.map(resource));
      assert.equal(countOf(tree), list.length);
      assert.ok(depthOf(tree) <= 21);
    }),
  );
});

test('a path of thousands of parts from a hostile server has limited depth', () => {
  const tree = resourceTree(below(`x://${'a/'.repeat(20_000)}`, 10).map(resource));
  assert.equal(tree.length, 10);
});

test('[L2] the number of folders is limited, and every resource is shown', () => {
  const uris = below('a://', 12_000).flatMap((folder) => [`${folder}/1`, `${folder}/2`]);
  const lines = drawn(...uris);
  const resources = lines.filter((line) => line.includes('a://'));
  assert.deepEqual([new Set(resources).size, resources.length], [24_000, 24_000]);
  assert.ok(lines.length - resources.length <= 10_000, `${lines.length - resources.length} folders`);
});
