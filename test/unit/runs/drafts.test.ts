import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drafts } from '../../../src/core/runs/drafts.js';
import type { StateStore } from '../../../src/core/base/stores.js';

function memory(initial?: unknown): StateStore {
  let value: unknown = initial;
  return {
    get: () => value,
    set: (_key: string, next: unknown) => {
      value = next;
      return Promise.resolve();
    },
  };
}

test('the latest typed values are kept per form until they are deleted', async () => {
  const drafts = new Drafts(memory());
  await drafts.keep('a', { at: 1 });
  await drafts.keep('b', { at: 2 });
  await drafts.keep('a', { at: 3 });
  assert.deepEqual([drafts.find('a'), drafts.find('b')], [{ at: 3 }, { at: 2 }]);
  await drafts.forget('a');
  assert.deepEqual([drafts.find('a'), drafts.find('b')], [undefined, { at: 2 }]);
});

test('a draft that is too long does not replace the previous one, and a broken store counts as empty', async () => {
  const drafts = new Drafts(memory());
  await drafts.keep('a', { text: 'short' });
  await drafts.keep('a', { text: 'x'.repeat(200_001) });
  assert.deepEqual(drafts.find('a'), { text: 'short' });
  assert.equal(new Drafts(memory('broken')).find('a'), undefined);
  assert.equal(new Drafts(memory([['a'], 5, ['a', 'text']])).find('a'), undefined);
});
