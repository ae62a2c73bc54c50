import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeList } from '../../../src/core/testing/runStep.js';

/** A server with `count` pages of one tool each. Keeps the cursors that it was asked for. */
function pages(count: number, description = '') {
  const asked: unknown[] = [];
  const ask = (_method: string, { cursor }: Record<string, unknown>) => {
    asked.push(cursor);
    const page = Number(cursor ?? 0);
    const more = page + 1 < count ? { nextCursor: String(page + 1) } : {};
    return Promise.resolve({ tools: [{ name: `t${page}`, description }], page, ...more });
  };
  return { ask, asked };
}

test('the pages of a list are one result with the other members of the last page', async () => {
  const { ask, asked } = pages(3);
  const tool = (page: number) => ({ name: `t${page}`, description: '' });
  assert.deepEqual(await wholeList('tools/list', 'tools', undefined, ask), {
    tools: [tool(0), tool(1), tool(2)],
    page: 2,
  });
  assert.deepEqual(await wholeList('tools/list', 'tools', '1', ask), { tools: [tool(1)], page: 1 });
  assert.deepEqual(asked, [undefined, '1', '2', '1']);
});

test('[F9] a list with more pages or bytes than the limit fails its test, and no more pages are requested', async () => {
  const endless = pages(Infinity);
  await assert.rejects(wholeList('tools/list', 'tools', undefined, endless.ask), /does not end, or is too large/);
  assert.ok(endless.asked.length <= 500);
  const large = pages(100, 'x'.repeat(1_000));
  await assert.rejects(wholeList('tools/list', 'tools', undefined, large.ask, 10_000), /does not end, or is too large/);
  assert.ok(large.asked.length <= 10, `${large.asked.length} pages were requested`);
});
