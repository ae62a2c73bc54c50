import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAll, ListBudget } from '../../../src/core/session/listing.js';
import { heapBytes } from '../../support/heapBytes.js';

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

test('[F9] items above the memory limit of one item are left out with one warning, and the others are kept', async () => {
  const large = (name: string) => ({ name, _meta: { x: Array(20_000).fill([]) } });
  const pages = [
    [{ name: 'a' }, large('b'), { name: 'c' }],
    [large('d'), { name: 'e' }],
  ];
  const { items, warnings } = await list('tools/list', pages, new ListBudget());
  assert.deepEqual(
    [items.map((item) => (item as { name: string }).name), warnings],
    [['a', 'c', 'e'], ['tools/list: left out 2 items above the memory limit of one item, 1 MB; the first is "b".']],
  );
});

test('[F9] an item above the limit of all lists does not cut the list', async () => {
  const { items, warnings } = await list('tools/list', [['a', kilobyte, 'b']], new ListBudget(900));
  assert.deepEqual(
    [items, warnings],
    [['a', 'b'], ['tools/list: left out 1 item above the memory limit of one item, 900 B; the first has no name.']],
  );
});

test('[F9] the next page is not requested if the items that were left out need more than all lists may', async () => {
  const page = [kilobyte.repeat(3), 'a'];
  const { items, warnings } = await list('tools/list', [page, page, page, page], new ListBudget(2_000));
  assert.deepEqual(items, ['a']);
  assert.match(
    warnings.join(),
    /^tools\/list: the list was cut after 1 pages and 1 items: the items that were left out need more than 2 kB of memory\.,tools\/list: left out 1 item /,
  );
});

test('[F9] an item that was left out is not kept while the server prepares the next page', async () => {
  let first: Record<string, unknown> | undefined = {
    items: [{ name: 'large', x: 'x'.repeat(2_000_000) }],
    nextCursor: 'a',
  };
  const page = new WeakRef(first);
  let end: (page: Record<string, unknown>) => void = () => undefined;
  const send = (_method: string, params: object | undefined) => {
    if (params) return new Promise<Record<string, unknown>>((resolve) => (end = resolve));
    const sent = Promise.resolve<Record<string, unknown>>(first ?? {});
    first = undefined;
    return sent;
  };
  const items = listAll(
    'tools/list',
    send,
    (result) => result['items'] as unknown[],
    () => undefined,
  );
  await heapBytes();
  assert.ok(page.deref() === undefined);
  end({ items: ['a'] });
  assert.deepEqual((await items).items, ['a']);
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
