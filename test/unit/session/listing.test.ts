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
