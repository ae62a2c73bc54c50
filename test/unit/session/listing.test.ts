import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAll, ListBudget } from '../../../src/core/session/listing.js';

const kilobyte = 'x'.repeat(1_000);

/** Lists pages of items, and collects the warnings. */
async function list(method: string, pages: readonly unknown[][], budget: ListBudget) {
  const warnings: string[] = [];
  const send = (_method: string, params: object | undefined) => {
    const page = Number((params as { cursor?: string } | undefined)?.cursor ?? 0);
    return Promise.resolve({ items: pages[page], ...(page + 1 < pages.length ? { nextCursor: `${page + 1}` } : {}) });
  };
  const { items } = await listAll(
    method,
    send,
    (result) => result['items'] as unknown[],
    (line) => warnings.push(line),
    budget,
  );
  return { items, warnings };
}

test('[F9] the lists of a server share a limit, which also holds for the first page', async () => {
  const budget = new ListBudget(10_000);
  const tools = await list('tools/list', [Array(6).fill(kilobyte)], budget);
  assert.deepEqual([tools.items.length, tools.warnings], [6, []]);
  const prompts = await list('prompts/list', [Array(6).fill(kilobyte)], budget);
  assert.equal(prompts.items.length, 3);
  assert.match(prompts.warnings.join(), /^prompts\/list: the list was cut after 3 items: with the other lists, /);
  const resources = await list('resources/list', [[kilobyte], [kilobyte]], budget);
  assert.deepEqual([resources.items.length, resources.warnings.length], [0, 1], 'nothing is left');
});

test('a list that is listed again replaces the former one', async () => {
  const budget = new ListBudget(10_000);
  for (let time = 0; time < 3; time++) {
    const { items, warnings } = await list('tools/list', [Array(4).fill(kilobyte), Array(4).fill(kilobyte)], budget);
    assert.deepEqual([items.length, warnings], [8, []]);
  }
});

test('[F9] a list counts until its new listing has ended, and also if that fails', async () => {
  const budget = new ListBudget(10_000);
  const read = (result: object) => (result as { items: unknown[] }).items;
  const ignore = () => undefined;
  await list('tools/list', [Array(8).fill(kilobyte)], budget);
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let fail: (error: Error) => void = () => undefined;
  const second = new Promise<never>((_resolve, reject) => (fail = reject));
  const again = listAll(
    'tools/list',
    (_method, params) => {
      if (!params) return Promise.resolve({ items: [], nextCursor: 'a' });
      begin();
      return second;
    },
    read,
    ignore,
    budget,
  );
  await begun;
  assert.equal((await list('prompts/list', [Array(8).fill(kilobyte)], budget)).items.length, 1, 'while it is listed');
  fail(new Error('busy'));
  await assert.rejects(again, /busy/);
  assert.equal((await list('prompts/list', [Array(8).fill(kilobyte)], budget)).items.length, 1, 'after a failure');
  await list('tools/list', [[]], budget);
  assert.equal((await list('prompts/list', [Array(8).fill(kilobyte)], budget)).items.length, 8, 'after a new list');
});

test('[F9] lists that are listed again at the same time leave room for each other', async () => {
  const budget = new ListBudget(10_000);
  const again = () =>
    Promise.all(['tools/list', 'prompts/list'].map((method) => list(method, [Array(4).fill(kilobyte)], budget)));
  for (let time = 0; time < 3; time++)
    assert.deepEqual(
      (await again()).map(({ items }) => items.length),
      [4, 4],
    );
});

test('[F9] a method is listed once at a time', async () => {
  const budget = new ListBudget(10_000);
  let open = 0;
  const send = async () => {
    assert.equal(++open, 1);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    return { items: [kilobyte] };
  };
  const lists = await Promise.all(
    [1, 2, 3].map(() => listAll('tools/list', send, (result) => result.items as unknown[], assert.fail, budget)),
  );
  assert.deepEqual(
    lists.map(({ items }) => items.length),
    [1, 1, 1],
  );
});
