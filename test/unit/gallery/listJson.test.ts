import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ListDocument } from '../../../src/core/gallery/listJson.js';
import { parseList as parse } from '../../../src/core/gallery/listJson.js';
import { heapBytes } from '../../support/heapBytes.js';

const same = (value: unknown) => value;
/** The value of a document, with its items. */
async function parseList(text: string): Promise<unknown> {
  const { items, rest }: ListDocument<unknown> = await parse(text, same);
  if (!items || Array.isArray(rest)) return items ?? rest;
  return { ...(rest as object), servers: items };
}

/** So long that the document is divided. */
const filler = 'x'.repeat(200_000);

test('[RG2] a large list has the value that JSON.parse gives', async () => {
  const items = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(items, fc.boolean(), fc.constantFrom('', '"]', '\\"}', '[{,'), async (values, isPlain, end) => {
      const servers = [...values, { description: filler + end, servers: [1] }];
      const document = isPlain ? servers : { first: ['a,b', {}], servers, metadata: { nextCursor: 'c"]' } };
      for (const indent of [0, 1])
        assert.deepEqual(
          await parseList(JSON.stringify(document, undefined, indent)),
          JSON.parse(JSON.stringify(document)),
        );
    }),
    { numRuns: 30 },
  );
});

test('[RG2] an item that is too large or too deep is skipped, and the rest is read', async () => {
  const small = '{"name":"a/b"}';
  const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
  const text = `{"servers":[${small},${JSON.stringify('x'.repeat(600_000))},${deep},${small}],"metadata":{}}`;
  assert.deepEqual(await parseList(text), { servers: [{ name: 'a/b' }, { name: 'a/b' }], metadata: {} });
});

test('[RG2] items beyond the maximum number are skipped, and the rest is read', async () => {
  const list = { servers: Array.from({ length: 150_000 }, () => 0), metadata: { nextCursor: 'c' } };
  const value = (await parseList(JSON.stringify(list))) as typeof list;
  assert.deepEqual([value.servers.length, value.metadata], [100_000, { nextCursor: 'c' }]);
});

test('[RG2] of each item, only what was read is kept', async () => {
  const items = Array.from({ length: 1_000 }, () => `{"name":1,"more":[${'{},'.repeat(2_000)}0]}`);
  const before = await heapBytes();
  const list = await parse(`{"servers":[${items.join(',')}]}`, (value) => (value as { name: number }).name);
  const grown = (await heapBytes()) - before;
  assert.deepEqual([list.items?.length, list.items?.[999]], [1_000, 1]);
  assert.ok(grown < 10_000_000, `${grown} bytes`);
});

const broken: [string, string][] = [
  ['a list that does not end', `{"servers":[${'{},'.repeat(100_000)}`],
  ['a text that does not end', `{"servers":["${filler}`],
  ['a large document without a list', JSON.stringify({ other: 'x'.repeat(600_000) })],
  ['items that are not JSON', `{"servers":[${'a,'.repeat(150_000)}1]}`],
  ['a list that ends with a comma', `{"servers":[${'{},'.repeat(90_000)}]}`],
  ['something after the end', `{"servers":[${JSON.stringify(filler)}]} x`],
];
for (const [what, text] of broken) {
  test(`[RG2] ${what} is not JSON`, async () => {
    await assert.rejects(parseList(text), SyntaxError);
  });
}

test('[RG2] other work runs while a large list is parsed', async () => {
  const text = JSON.stringify({
    servers: Array.from({ length: 40_000 }, (_, i) => ({ name: `a/${i}`, tags: [1, 2] })),
  });
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await parseList(text);
  isDone = true;
  assert.ok(turns > 1);
});
